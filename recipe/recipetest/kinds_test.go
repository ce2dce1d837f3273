package recipetest_test

import (
	"testing"

	"github.com/fermata-go/fermata/recipe"
	"github.com/fermata-go/fermata/recipe/recipetest"
)

// TestJ5_TestsOfEveryKind runs the tests of models, tools, nested recipes, elements, branches, reviews and delays, each
// with a crash at every append.
func TestJ5_TestsOfEveryKind(t *testing.T) {
	for _, file := range []string{"letters.yaml", "delays.yaml", "orders.yaml"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			report, err := recipetest.Check(t.Context(), "testdata/good/"+file, recipetest.Options{Crash: true, Recipe: recipe.Options{Env: noEnv}})
			if err != nil {
				t.Fatal(err)
			}
			crashes := 0
			for i := range report.Results {
				r := &report.Results[i]
				crashes += r.Crashes
				if !r.OK() || r.Crashes == 0 && r.Trace != nil {
					t.Errorf("%s: %d crashes; %v %v", r.Test.Name, r.Crashes, r.Failures, r.Broken)
				}
			}
			t.Logf("%d tests, %d crashes", len(report.Results), crashes)
		})
	}
}
