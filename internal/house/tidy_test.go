package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// How long things may be, in lines. What is longer has an entry in outliers, or is made shorter.
const (
	fileLines     = 500
	functionLines = 70
	testLines     = 800 // a file of tests, or of a suite that tests call
	testFuncLines = 120 // a function in it
)

// outliers are what is longer, and why it stays: a file by its path, a function as "path: name".
var outliers = map[string]string{}

func TestLengths(t *testing.T) {
	w := readTree(t)
	long := make(map[string]string)
	for _, f := range slices.Concat(w.goFiles(false), w.goFiles(true)) {
		if f.generated() {
			continue
		}
		fileLimit, funcLimit := fileLines, functionLines
		if f.isTest() || f.isSuite() {
			fileLimit, funcLimit = testLines, testFuncLines
		}
		if n := f.lines(); n > fileLimit {
			long[f.path] = fmt.Sprintf("has %d lines, of %d that a reader keeps in mind", n, fileLimit)
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				if n := w.span(fn); n > funcLimit {
					long[f.path+": "+functionName(fn)] = fmt.Sprintf("has %d lines, of %d that fit a screen", n, funcLimit)
				}
			}
		}
	}
	for _, what := range slices.Sorted(maps.Keys(long)) {
		if outliers[what] == "" {
			t.Errorf("%s %s: split it, or give the reason why not in internal/house/tidy_test.go", what, long[what])
		}
	}
	for what := range outliers {
		if long[what] == "" {
			t.Errorf("%s is not too long any more: take it out of internal/house/tidy_test.go", what)
		}
	}
}

// span is how many lines a function takes, its comment not counted.
func (w *tree) span(fn *ast.FuncDecl) int {
	return w.fset.Position(fn.End()).Line - w.fset.Position(fn.Pos()).Line + 1
}

// functionName is a function as people write it: "(*Machine).Apply".
func functionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	receiver, pointer := fn.Recv.List[0].Type, false
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver, pointer = star.X, true
	}
	switch generic := receiver.(type) {
	case *ast.IndexExpr:
		receiver = generic.X
	case *ast.IndexListExpr:
		receiver = generic.X
	}
	name := "?"
	if id, ok := receiver.(*ast.Ident); ok {
		name = id.Name
	}
	if pointer {
		name = "(*" + name + ")"
	}
	return name + "." + fn.Name.Name
}

// A reader finds in one place, and only in one, what a package is for.
func TestPackagesSayWhatTheyAreFor(t *testing.T) {
	packages := readTree(t).packages()
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		var with []string
		for _, f := range packages[dir] {
			if f.ast.Doc != nil && strings.TrimSpace(f.ast.Doc.Text()) != "" {
				with = append(with, f.path)
			}
		}
		switch {
		case len(with) == 0:
			t.Errorf("package %s has no package comment: say in %s/doc.go what it is for and what it never does", dir, dir)
		case len(with) > 1:
			t.Errorf("package %s has %d package comments (%s): keep one, in doc.go", dir, len(with), strings.Join(with, ", "))
		}
	}
}

// words are not to be found in the tree, and why. They are put together here so that this file may hold them.
var words = []struct {
	word    *regexp.Regexp
	because string
}{
	{regexp.MustCompile(`\bTO` + `DO\b`), "what is left to do is done, or confessed in docs/rough-edges.md"},
	{regexp.MustCompile(`\bFIX` + `ME\b`), "what is broken is mended, or confessed in docs/rough-edges.md"},
	{regexp.MustCompile(`\bXX` + `X\b`), "say what is meant"},
	{regexp.MustCompile(`(?i)\bsuper` + `step`), "there is no global round: a task starts when its token is there"},
	{regexp.MustCompile(`(?m)^(<<<<<<<|>>>>>>>) `), "a merge was not finished"},
}

func TestWords(t *testing.T) {
	for _, f := range readTree(t).files {
		for _, w := range words {
			for _, at := range w.word.FindAllStringIndex(f.text, -1) {
				t.Errorf("%s:%d: %q: %s", f.path, f.line(at[0]), f.text[at[0]:at[1]], w.because)
			}
		}
	}
}

// The checks above see what they are there to see.
func TestLengthsAreMeasured(t *testing.T) {
	fset, f := parse(t, "package p\n\n// Doc\n// of f.\nfunc (x *m[T]) f() {\n\t_ = 1\n}\n\nfunc g() {}\n")
	w := &tree{fset: fset}
	var got []string
	for _, d := range f.Decls {
		fn := d.(*ast.FuncDecl)
		got = append(got, fmt.Sprintf("%s %d", functionName(fn), w.span(fn)))
	}
	if want := []string{"(*m).f 3", "g 1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func parse(t *testing.T, text string) (*token.FileSet, *ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "text.go", text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return fset, f
}
