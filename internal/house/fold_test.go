package house

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

const machineDir = "internal/machine"

// pure are the standard packages that the fold may import: none has I/O, a clock, randomness or goroutines, but for
// the names in impure.
var pure = []string{
	"bytes", "cmp", "crypto/sha256", "encoding/binary", "encoding/json", "errors", "fmt", "hash/crc32", "iter", "maps", "math", "math/bits", "slices",
	"sort", "strconv", "strings", "time", "unicode", "unicode/utf8",
}

// impure are names of those packages that a fold may not use all the same.
var impure = map[string][]string{
	"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Local", "LoadLocation"},
	"fmt":  {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
}

// unordered are functions of the fold that range over a map, and why the order cannot be seen from outside.
var unordered = map[string]string{}

// A fold gives the same for the same journal: nothing in the package can be different the next time.
func TestJ1_TheFoldIsPure(t *testing.T) {
	w := readTree(t)
	var files []*ast.File
	for _, f := range w.goFiles(false) {
		if f.dir() != machineDir {
			continue
		}
		files = append(files, f.ast)
		for _, imported := range f.imports() {
			if _, ok := sibling(imported.what); !ok && !slices.Contains(pure, imported.what) {
				t.Errorf("%s: the fold may not import %s: no I/O, clock, randomness or goroutine (law J1)",
					w.at(imported.pos), imported.what)
			}
		}
		for _, fault := range impurities(f.ast) {
			t.Errorf("%s: the fold may not use %s (law J1)", w.at(fault.pos), fault.what)
		}
	}
	if len(files) == 0 {
		t.Fatalf("there is no package %s", machineDir)
	}
	for _, fault := range mapRanges(w.fset, files) {
		if unordered[fault.what] == "" {
			t.Errorf("%s: %s ranges over a map, whose order is another each time (law J1): sort its keys, or say "+
				"in internal/house/fold_test.go why the order cannot be seen", w.at(fault.pos), fault.what)
		}
	}
}

// impurities are goroutines, channels and clocks.
func impurities(f *ast.File) []found {
	var all []found
	add := func(n ast.Node, what string) { all = append(all, found{what, n.Pos()}) }
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			add(n, "a goroutine")
		case *ast.SelectStmt:
			add(n, "select")
		case *ast.SendStmt:
			add(n, "a send")
		case *ast.ChanType:
			add(n, "a channel")
		case *ast.SelectorExpr:
			if pkg, ok := n.X.(*ast.Ident); ok && slices.Contains(impure[pkg.Name], n.Sel.Name) {
				add(n, pkg.Name+"."+n.Sel.Name)
			}
		}
		return true
	})
	return all
}

// nothing is an importer that knows no package: what a package declares itself is typed all the same.
type nothing struct{}

func (nothing) Import(name string) (*types.Package, error) {
	p := types.NewPackage(name, name[strings.LastIndexByte(name, '/')+1:])
	p.MarkComplete()
	return p, nil
}

// mapRanges are the functions that range over a map of the package's own.
func mapRanges(fset *token.FileSet, files []*ast.File) []found {
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
	conf := types.Config{Importer: nothing{}, Error: func(error) {}}
	_, _ = conf.Check(machineDir, fset, files, info) // what is imported is unknown, so there are errors
	var all []found
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if r, ok := n.(*ast.RangeStmt); ok && isMap(info, r.X) {
					all = append(all, found{functionName(fn), r.Pos()})
				}
				return true
			})
		}
	}
	return all
}

// isMap reports whether an expression is a map, or its entries in the map's order.
func isMap(info *types.Info, x ast.Expr) bool {
	if call, ok := x.(*ast.CallExpr); ok {
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		pkg, ok := sel.X.(*ast.Ident)
		return ok && pkg.Name == "maps"
	}
	t := info.TypeOf(x)
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// The checks above see what they are there to see.
func TestImpuritiesAreSeen(t *testing.T) {
	const text = `package machine
import ("maps"; "time"; "slices")
type m struct{ by map[string]int }
func (x *m) clock() { _ = time.Now(); go x.clock(); c := make(chan int); c <- 1; select {} }
func (x *m) order() { for range x.by {}; for range maps.Keys(x.by) {}; for range slices.Sorted(maps.Keys(x.by)) {} }
`
	fset, f := parse(t, text)
	var got []string
	for _, fault := range impurities(f) {
		got = append(got, fault.what)
	}
	for _, fault := range mapRanges(fset, []*ast.File{f}) {
		got = append(got, fault.what)
	}
	want := []string{"time.Now", "a goroutine", "a channel", "a send", "select", "(*m).order", "(*m).order"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
