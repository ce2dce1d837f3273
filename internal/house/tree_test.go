package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// modulePath is the path of the module, the first line of go.mod.
const modulePath = "github.com/fermata-go/fermata"

// ownModules are the modules below the root that keep the rules of this package, because users import them.
var ownModules = []string{"channels"}

// tree is what the repository tracks, as it lies on disk; nested modules beside ownModules and corpora are left out.
type tree struct {
	root  string
	fset  *token.FileSet
	files []*file // in the order of their paths
}

// file is a file of the tree. Go files are parsed.
type file struct {
	path string // from the root, with slashes
	text string
	ast  *ast.File // nil for other files
}

func (f *file) dir() string     { return path.Dir(f.path) }
func (f *file) isTest() bool    { return strings.HasSuffix(f.path, "_test.go") }
func (f *file) generated() bool { return f.ast != nil && ast.IsGenerated(f.ast) }
func (f *file) lines() int      { return strings.Count(f.text, "\n") }

// isSuite reports whether the file holds tests that other packages call.
func (f *file) isSuite() bool {
	return slices.ContainsFunc(f.imports(), func(i found) bool { return i.what == "testing" })
}

// line is the number of the line at an offset of the text, from 1.
func (f *file) line(offset int) int { return 1 + strings.Count(f.text[:offset], "\n") }

// found is a word of a file and the line it stands in.
type found struct {
	what string
	pos  token.Pos
}

// imports are the paths that a Go file imports.
func (f *file) imports() []found {
	var all []found
	for _, spec := range f.ast.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil {
			all = append(all, found{name, spec.Pos()})
		}
	}
	return all
}

// readTree reads the repository, once for all tests.
func readTree(t *testing.T) *tree {
	t.Helper()
	w, err := theTree()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

var theTree = sync.OnceValues(func() (*tree, error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return nil, err
	}
	return treeOf(root)
})

// treeOf reads the repository at root.
func treeOf(root string) (*tree, error) {
	names, _, err := trackedFiles(root)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, "go.mod") {
		return nil, fmt.Errorf("%s is not the root of the repository", root)
	}
	nested := make(map[string]bool) // folders of other modules
	for _, name := range names {
		if dir, base := path.Split(name); base == "go.mod" && dir != "" && !slices.Contains(ownModules, path.Clean(dir)) {
			nested[path.Clean(dir)] = true
		}
	}
	w := &tree{root: root, fset: token.NewFileSet()}
	for _, name := range names {
		if skipped := slices.ContainsFunc(foldersOf(name), func(dir string) bool {
			return nested[dir] || path.Base(dir) == "fuzz" // below testdata: bytes of any kind
		}); skipped || !readable(path.Base(name)) {
			continue
		}
		if err := w.read(name); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// foldersOf are the folders that a file is in, from its own upwards.
func foldersOf(name string) []string {
	var all []string
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		all = append(all, dir)
	}
	return all
}

func (w *tree) read(name string) error {
	onDisk := filepath.Join(w.root, filepath.FromSlash(name))
	text, err := os.ReadFile(onDisk)
	if err != nil {
		return err
	}
	f := &file{path: name, text: string(text)}
	if strings.HasSuffix(f.path, ".go") && !strings.Contains(f.path, "testdata/") {
		f.ast, err = parser.ParseFile(w.fset, onDisk, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
	}
	w.files = append(w.files, f)
	return nil
}

// readable reports whether people read files of this name.
func readable(name string) bool {
	switch path.Ext(name) {
	case ".go", ".mod", ".md", ".yaml", ".yml", ".txt", ".txtar", ".sh", ".json", ".mmd", ".dot", ".golden":
		return true
	}
	return name == "Makefile" || name == "run" || name == "NOTICE"
}

// goFiles are the Go files, tests or not.
func (w *tree) goFiles(tests bool) []*file {
	var all []*file
	for _, f := range w.files {
		if f.ast != nil && f.isTest() == tests {
			all = append(all, f)
		}
	}
	return all
}

// packages are the folders with Go code that is not only tests, and their files.
func (w *tree) packages() map[string][]*file {
	all := make(map[string][]*file)
	for _, f := range w.goFiles(false) {
		all[f.dir()] = append(all[f.dir()], f)
	}
	return all
}

// at is a place in the tree: "plan/plan.go:12".
func (w *tree) at(pos token.Pos) string {
	p := w.fset.Position(pos)
	rel, err := filepath.Rel(w.root, p.Filename)
	if err != nil {
		rel = p.Filename
	}
	return filepath.ToSlash(rel) + ":" + strconv.Itoa(p.Line)
}

// find returns a file by its path.
func (w *tree) find(t *testing.T, name string) *file {
	t.Helper()
	for _, f := range w.files {
		if f.path == name {
			return f
		}
	}
	t.Fatalf("%s is missing", name)
	return nil
}

// sibling is the folder of a package of this module, "." for the root; ok is false for other packages.
func sibling(importPath string) (dir string, ok bool) {
	if importPath == modulePath {
		return ".", true
	}
	return strings.CutPrefix(importPath, modulePath+"/")
}

// functions are the functions that a file declares, without methods.
func functions(f *file) map[string]*ast.FuncDecl {
	all := make(map[string]*ast.FuncDecl)
	for _, d := range f.ast.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
			all[fn.Name.Name] = fn
		}
	}
	return all
}
