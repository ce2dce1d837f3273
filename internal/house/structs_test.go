package house

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

const (
	structFields = 15   // how many fields a struct may have without a reason; an embedded one counts as one
	doorLines    = 2000 // how many lines of code the root may have
)

// oneStruct begins the line of a doc comment that says why a struct has more fields.
const oneStruct = "One struct: "

// engineRooms are the folders of the engine: the fields of their structs carry the state of runs.
var engineRooms = []string{
	".", "internal/executor", "internal/fleet", "internal/guard", "internal/history", "internal/inbox", "internal/machine",
	"internal/mailbox", "internal/nodehost", "internal/persistent", "internal/policy", "internal/question", "internal/replay", "internal/runstate",
	"internal/runtype", "internal/storage", "internal/stream", "internal/watch",
}

// users are the folders in internal that use the public API as a program does, and why.
var users = map[string]string{
	"internal/chaos": "it is a program like a user's, whose workers are killed",
}

func TestStructsAreSmall(t *testing.T) {
	w := readTree(t)
	for _, f := range w.goFiles(false) {
		for _, s := range structsOf(f.ast) {
			if n := s.fields(); n > structFields && !strings.Contains("\n"+s.doc, "\n"+oneStruct) {
				t.Errorf("%s: %s has %d fields, of %d: cut it along its concepts, or give the reason why not in a line %q of its comment",
					w.at(s.spec.Pos()), s.spec.Name.Name, n, structFields, oneStruct+"…")
			}
		}
	}
}

func TestFieldsOfTheEngineAreExplained(t *testing.T) {
	w := readTree(t)
	for _, f := range w.goFiles(false) {
		if !slices.Contains(engineRooms, f.dir()) {
			continue
		}
		for _, s := range structsOf(f.ast) {
			for _, field := range s.unexplained(w.fset) {
				t.Errorf("%s: %s.%s has no comment: say what it holds, on its line, above it, or above its group",
					w.at(field.Pos()), s.spec.Name.Name, field.Name)
			}
		}
	}
}

func TestTheRootIsADoor(t *testing.T) {
	lines := 0
	for _, f := range readTree(t).goFiles(false) {
		if f.dir() == "." {
			lines += f.lines()
		}
	}
	if lines > doorLines {
		t.Errorf("the root has %d lines, of %d: what does the work belongs to a room in internal", lines, doorLines)
	}
}

func TestRoomsDoNotNameTheRuntime(t *testing.T) {
	w := readTree(t)
	for _, f := range w.goFiles(false) {
		if !strings.HasPrefix(f.path, "internal/") || users[f.dir()] != "" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == "Runtime" {
				t.Errorf("%s: %s names Runtime: a room takes what it needs as an interface of its own", w.at(id.Pos()), path.Base(f.path))
			}
			return true
		})
	}
}

// aStruct is a struct that a file declares.
type aStruct struct {
	spec *ast.TypeSpec
	body *ast.StructType
	doc  string
}

// structsOf are the structs that a file declares, those in functions left out.
func structsOf(f *ast.File) []aStruct {
	var all []aStruct
	for _, d := range f.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range decl.Specs {
			spec, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			doc := spec.Doc
			if doc == nil {
				doc = decl.Doc
			}
			if body, ok := spec.Type.(*ast.StructType); ok {
				all = append(all, aStruct{spec, body, doc.Text()})
			}
		}
	}
	return all
}

func (s aStruct) fields() int {
	n := 0
	for _, f := range s.body.Fields.List {
		n += max(1, len(f.Names))
	}
	return n
}

// unexplained are the fields without a comment: on the line, above it, or above the group without a blank line in which they
// stand. Embedded fields are explained by their types, and fields with a tag by the format that they are written in.
func (s aStruct) unexplained(fset *token.FileSet) []*ast.Ident {
	var all []*ast.Ident
	last, group := 0, false
	for _, f := range s.body.Fields.List {
		from := f.Pos()
		if f.Doc != nil {
			from = f.Doc.Pos()
		}
		group = f.Doc != nil || group && fset.Position(from).Line == last+1
		last = fset.Position(f.End()).Line
		if !group && f.Comment == nil && f.Tag == nil {
			all = append(all, f.Names...)
		}
	}
	return all
}

func TestStructsAreRead(t *testing.T) {
	fset, f := parse(t, `package p

// A holds much.
//
// One struct: it is written so.
type A struct {
	a, b int // two
	c int
	B

	// Both.
	d int
	e int

	g int
	h int `+"`json:\"h\"`"+`
}
`)
	s := structsOf(f)[0]
	var names []string
	for _, id := range s.unexplained(fset) {
		names = append(names, id.Name)
	}
	if got := strings.Join(names, " "); got != "c g" || s.fields() != 8 || !strings.Contains(s.doc, "\n"+oneStruct) {
		t.Errorf("without a comment: %q, of %d fields, with the comment %q", got, s.fields(), s.doc)
	}
}
