package vet_test

import (
	"fmt"
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
		"./vet/testdata/bank", "./vet/testdata/effects", "./vet/testdata/values", "./vet/testdata/order",
		"./vet/testdata/clean", "./vet/testdata/parallel", "./vet/testdata/pauses", "./vet/testdata/ignored", "./vet/testdata/lost")
}

func TestJ5_N1_Fixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(quiet{t}, root(t), vet.Analyzer, "./vet/testdata/fixes")
}

// What the guide and the examples show is right, and so are this module's own nodes.
func TestN1_TheGuideAndTheExamplesAreClean(t *testing.T) {
	if err := vet.Analyzer.Flags.Set("advice", "true"); err != nil {
		t.Fatal(err)
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: root(t), Tests: true},
		"./docs/guide", "./examples/...", "./recipe", "./dialogue", "./mcp")
	if err != nil {
		t.Fatal(err)
	}
	found, err := checker.Analyze([]*analysis.Analyzer{vet.Analyzer}, loaded, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Roots) < 10 {
		t.Errorf("%d packages were looked at; expected more", len(found.Roots))
	}
	for _, action := range found.Roots {
		if action.Err != nil {
			t.Error(action.Err)
		}
		for _, d := range action.Diagnostics {
			t.Errorf("%s: %s", action.Package.Fset.Position(d.Pos), d.Message)
		}
	}
}
