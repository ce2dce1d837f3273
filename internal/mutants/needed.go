package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// testFile is a file of tests, and what says which others it needs.
type testFile struct {
	name    string
	tests   []string // TestX
	uses    map[string]bool
	selects map[string]bool     // x of a.x
	names   []string            // that it declares
	methods map[string][]string // that it declares, by the type
	stays   bool                // whatever is run: it begins or ends all tests, or it is of the package itself
}

// folders are the files of tests that have been read, by their folder.
type folders struct {
	mu    sync.Mutex
	files map[string][]*testFile
}

// needless are the files of tests in a folder without which those tests still compile that match run: most of the time that
// a mutant takes is for compiling tests that are not run. It names too few rather than too many.
func (o *folders) needless(dir, run string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	files, known := o.files[dir]
	if !known {
		files = testFiles(dir)
		o.files[dir] = files
	}
	needed := make(map[*testFile]bool)
	for pattern := range strings.SplitSeq(run, "|") {
		first, _, _ := strings.Cut(pattern, "/") // what follows is for tests within tests
		re, err := regexp.Compile(first)
		if err != nil {
			return nil
		}
		for _, f := range files {
			needed[f] = needed[f] || f.stays || slices.ContainsFunc(f.tests, re.MatchString)
		}
	}
	for more := true; more; {
		more = false
		known := together(files, needed)
		for _, f := range files {
			if !needed[f] && known.needs(f) {
				needed[f], more = true, true
			}
		}
	}
	var list []string
	for _, f := range files {
		if !needed[f] {
			list = append(list, filepath.Join(dir, f.name))
		}
	}
	return list
}

// together is what the files that are needed use and declare.
func together(files []*testFile, needed map[*testFile]bool) *testFile {
	all := &testFile{uses: make(map[string]bool), selects: make(map[string]bool)}
	for _, f := range files {
		if !needed[f] {
			continue
		}
		for name := range f.uses {
			all.uses[name] = true
		}
		for name := range f.selects {
			all.selects[name] = true
		}
		all.names = append(all.names, f.names...)
	}
	return all
}

// needs reports whether another file declares what f uses. A method that is exported may be used by an interface.
func (f *testFile) needs(other *testFile) bool {
	for _, name := range other.names {
		if f.uses[name] {
			return true
		}
	}
	for _, name := range f.names {
		for _, method := range other.methods[name] {
			if ast.IsExported(method) || f.selects[method] {
				return true
			}
		}
	}
	return false
}

// testFiles are the files of tests in a folder; none where one cannot be read, which the go command has more to say of.
func testFiles(dir string) []*testFile {
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil
	}
	var files []*testFile
	for _, name := range names {
		text, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return nil
		}
		files = append(files, newTestFile(filepath.Base(name), text))
	}
	return files
}

func newTestFile(name string, text *ast.File) *testFile {
	f := &testFile{
		name: name, uses: make(map[string]bool), selects: make(map[string]bool), methods: make(map[string][]string),
		stays: !strings.HasSuffix(text.Name.Name, "_test"),
	}
	for _, id := range text.Unresolved {
		f.uses[id.Name] = true
	}
	for _, spec := range text.Imports {
		f.stays = f.stays || spec.Name != nil && spec.Name.Name == "_"
	}
	ast.Inspect(text, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			f.selects[s.Sel.Name] = true
		}
		return true
	})
	for _, d := range text.Decls {
		f.declare(d)
	}
	return f
}

func (f *testFile) declare(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			of := receiver(d.Recv.List[0].Type)
			f.methods[of] = append(f.methods[of], name)
			return
		}
		f.names = append(f.names, name)
		f.stays = f.stays || name == "TestMain" || name == "init"
		if strings.HasPrefix(name, "Test") {
			f.tests = append(f.tests, name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				f.names = append(f.names, s.Name.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					if id.Name != "_" {
						f.names = append(f.names, id.Name)
					}
				}
			}
		}
	}
}

// receiver is the name of the type that a method is of.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr: // of a generic type
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}
