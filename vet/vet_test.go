package vet_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/fermata-go/fermata/vet"
)

// root is the folder of go.mod: the rules are tried on code that uses the packages themselves.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// quiet leaves out that facts are exported: what they say shows in other packages.
type quiet struct{ *testing.T }

func (q quiet) Errorf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !strings.Contains(text, "unexpected fact") {
		q.Error(text)
	}
}

// Each folder of testdata says by its "want" comments what is found in it, and nothing else is.
func TestN1_J5_N3_WhatIsFound(t *testing.T) {
	if err := vet.Analyzer.Flags.Set("advice", "true"); err != nil {
		t.Fatal(err)
	}
	analysistest.Run(quiet{t}, root(t), vet.Analyzer,
		"./vet/testdata/effects", "./vet/testdata/effects", "./vet/testdata/values", "./vet/testdata/order",
		"./vet/testdata/clean", "./vet/testdata/parallel", "./vet/testdata/pauses", "./vet/testdata/ignored", "./vet/testdata/lost")
}

func TestJ5_N1_Fixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(quiet{t}, root(t), vet.Analyzer, "./vet/testdata/fixes")
}

// outline reads the bodies of functions only in a folder, that of this module: the analyzer looks at no others, and checking
// their types takes most of the time.
func outline(folder string) func(*token.FileSet, string, []byte) (*ast.File, error) {
	return func(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
		file, err := parser.ParseFile(fset, name, text, parser.AllErrors|parser.ParseComments|parser.SkipObjectResolution)
		if file == nil || strings.HasPrefix(name, folder+string(filepath.Separator)) || !strings.HasSuffix(name, ".go") {
			return file, err // a test's main function is in the build cache, under the name of a sum
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				fn.Body = nil
			}
		}
		return file, err
	}
}

// What the guide and the examples show is right, and so are this module's own nodes.
func TestN1_TheGuideAndTheExamplesAreClean(t *testing.T) {
	if err := vet.Analyzer.Flags.Set("advice", "true"); err != nil {
		t.Fatal(err)
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: root(t), Tests: true, ParseFile: outline(root(t)),
	}, "./docs/guide", "./examples/...", "./recipe", "./dialogue", "./mcp", "./vet/testdata/effects")
	if err != nil {
		t.Fatal(err)
	}
	packages.Visit(loaded, nil, func(p *packages.Package) {
		if p.Module != nil && p.Module.Main && len(p.Errors) > 0 {
			t.Errorf("%s: %v", p.ID, p.Errors)
		}
		p.IllTyped = false // an import of others that only bodies use
	})
	found, err := checker.Analyze([]*analysis.Analyzer{vet.Analyzer}, loaded, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Roots) < 11 {
		t.Errorf("%d packages were looked at; expected more", len(found.Roots))
	}
	for _, action := range found.Roots {
		if action.Err != nil {
			t.Error(action.Err)
		}
		if strings.HasSuffix(action.Package.PkgPath, "/effects") {
			if len(action.Diagnostics) == 0 {
				t.Error("nothing was found in testdata/effects, where there is something to find")
			}
			continue
		}
		for _, d := range action.Diagnostics {
			t.Errorf("%s: %s", action.Package.Fset.Position(d.Pos), d.Message)
		}
	}
}
