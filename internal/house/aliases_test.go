package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/printer"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A public name that stands for a type of an internal package shows what the type has: the go command prints an alias
// without fields and methods. The comment ends with them, and -update writes that part.
func TestAliasesShowWhatTheyHave(t *testing.T) {
	w := readTree(t)
	packages, found := w.packages(), 0
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		if internalDir(dir) {
			continue
		}
		for _, f := range packages[dir] {
			text := f.text
			for _, a := range aliasesOf(f) {
				shown := membersOf(packages[a.dir], a.of)
				if shown == "" {
					continue
				}
				found++
				comment := f.text[w.offset(a.doc.Pos()):w.offset(a.doc.End())]
				want := lastBlock.ReplaceAllLiteralString(comment, "") + "\n//\n" + shown
				if diff := cmp.Diff(comment, want); diff != "" && !*update {
					t.Errorf("%s: the comment of %s does not show what %s has: go test ./internal/house -run Aliases -update\n%s", w.at(a.doc.Pos()), a.name, a.of, diff)
				}
				text = strings.Replace(text, comment+"\ntype "+a.name+" =", want+"\ntype "+a.name+" =", 1)
			}
			if *update && text != f.text {
				if err := os.WriteFile(filepath.Join(w.root, filepath.FromSlash(f.path)), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d aliases of types with fields or methods: are they still found?", found)
	}
}

// lastBlock matches code that ends a comment.
var lastBlock = regexp.MustCompile(`\n//\n(?://\t[^\n]*\n|//\n)*//\t[^\n]*\z`)

func internalDir(dir string) bool { return slices.Contains(strings.Split(dir, "/"), "internal") }

// offset is where a position is in its file.
func (w *tree) offset(pos token.Pos) int { return w.fset.Position(pos).Offset }

// alias is a name for a type of an internal package.
type alias struct {
	name    string
	doc     *ast.CommentGroup
	dir, of string // the package's folder, and the type's name there
}

func aliasesOf(f *file) []alias {
	dirs := make(map[string]string)
	for _, i := range f.imports() {
		if dir, ok := sibling(i.what); ok && internalDir(dir) {
			dirs[path.Base(dir)] = dir
		}
	}
	var all []alias
	for _, d := range f.ast.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Doc == nil || len(g.Specs) != 1 {
			continue
		}
		s, ok := g.Specs[0].(*ast.TypeSpec)
		if !ok || !s.Assign.IsValid() {
			continue
		}
		if of, ok := s.Type.(*ast.SelectorExpr); ok && dirs[fmt.Sprint(of.X)] != "" {
			all = append(all, alias{s.Name.Name, g.Doc, dirs[fmt.Sprint(of.X)], of.Sel.Name})
		}
	}
	return all
}

// usual are methods that their interfaces explain.
var usual = regexp.MustCompile(`^(Error|Unwrap|Is|As|String|MarshalJSON|UnmarshalJSON)$`)

// membersOf shows the exported fields and methods of a type as lines of a comment; "" for a type without any.
func membersOf(files []*file, name string) string {
	var fields, methods []string
	keyword := "struct"
	for _, f := range files {
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok && s.Name.Name == name {
						switch of := s.Type.(type) {
						case *ast.StructType:
							fields = linesOf(of.Fields)
						case *ast.InterfaceType:
							fields, keyword = linesOf(of.Methods), "interface"
						}
					}
				}
			case *ast.FuncDecl:
				if d.Recv != nil && d.Name.IsExported() && !usual.MatchString(d.Name.Name) && strings.TrimPrefix(shownType(d.Recv.List[0].Type), "*") == name {
					recv := shownType(d.Recv.List[0].Type)
					methods = append(methods, withRemark("func ("+recv+") "+d.Name.Name+strings.TrimPrefix(shownType(d.Type), "func"), d.Doc, nil))
				}
			}
		}
	}
	if len(fields)+len(methods) == 0 {
		return ""
	}
	text := ""
	if len(fields) > 0 {
		text = "type " + name + " " + keyword + " {\n" + strings.Join(fields, "\n") + "\n}\n"
	}
	slices.Sort(methods)
	code, err := format.Source([]byte("package p\n\n" + text + strings.Join(methods, "\n") + "\n"))
	if err != nil {
		return "// " + err.Error() + "\n" + text
	}
	lines := strings.Split(strings.TrimPrefix(strings.TrimSpace(string(code)), "package p\n\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("//\t"+strings.ReplaceAll(line, "\t", "    "), " \t")
	}
	return strings.Join(lines, "\n")
}

// linesOf are the exported fields of a struct or methods of an interface, each with its comment's first sentence.
func linesOf(list *ast.FieldList) []string {
	var all []string
	for _, f := range list.List {
		of := shownType(f.Type)
		if len(f.Names) == 0 {
			if base := strings.TrimPrefix(of, "*"); ast.IsExported(base[strings.LastIndex(base, ".")+1:]) {
				all = append(all, withRemark(of, f.Doc, f.Comment))
			}
			continue
		}
		var names []string
		for _, n := range f.Names {
			if n.IsExported() {
				names = append(names, n.Name)
			}
		}
		if len(names) == 0 {
			continue
		}
		if isMethod(f) {
			all = append(all, withRemark(names[0]+strings.TrimPrefix(of, "func"), f.Doc, f.Comment))
			continue
		}
		all = append(all, withRemark(strings.Join(names, ", ")+" "+of, f.Doc, f.Comment))
	}
	return all
}

// isMethod reports whether a field of a function type is the method of an interface: nothing is between name and type.
func isMethod(f *ast.Field) bool {
	of, ok := f.Type.(*ast.FuncType)
	return ok && !of.Func.IsValid()
}

// rooms matches the packages whose types have the same names where they are public.
var rooms = regexp.MustCompile(`\b(?:runtype|fleet|history|policy|inbox|storage|nodehost)\.`)

func shownType(e ast.Expr) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), e); err != nil {
		return err.Error()
	}
	return rooms.ReplaceAllLiteralString(strings.Join(strings.Fields(b.String()), " "), "")
}

// sentence matches the first sentence of a comment.
var sentence = regexp.MustCompile(`^.*?[.:](?: |$)`)

// withRemark is a line of code with the first sentence of its comment: above it, or behind it where it stands there.
func withRemark(code string, above, behind *ast.CommentGroup) string {
	switch {
	case behind != nil:
		return code + " // " + firstSentence(behind)
	case above != nil:
		return "// " + firstSentence(above) + ".\n" + code
	}
	return code
}

func firstSentence(c *ast.CommentGroup) string {
	text := strings.Join(strings.Fields(c.Text()), " ")
	if first := sentence.FindString(text); first != "" {
		text = first
	}
	return strings.TrimRight(text, ".: ")
}
