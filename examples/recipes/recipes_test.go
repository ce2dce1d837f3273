package recipes_test

import (
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/recipe/recipetest"
)

func TestMain(m *testing.M) {
	lawtest.CollectLess()
	lawtest.KeepFilesInMemory()
	goleak.VerifyTestMain(m)
}

// TestRecipes runs the tests of all recipes here.
func TestRecipes(t *testing.T) { recipetest.Run(t, recipetest.Options{}, ".") }

// TestJ5_RecipesSurviveCrashes runs them again with crashes, at every append with FERMATA_EXPLORE and at every third
// without: nothing is lost, and no agent takes effect twice but for the one whose record was lost with its process.
func TestJ5_RecipesSurviveCrashes(t *testing.T) {
	if testing.Short() {
		t.Skip("runs each test some ten times")
	}
	o := recipetest.Options{Crash: true}
	if !exploring() {
		o.Every = 3
	}
	recipetest.Run(t, o, ".")
}

// TestGallery checks that every recipe is in the table of README.md, and that its tests visit all of it.
func TestGallery(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := recipetest.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.Contains(string(readme), "("+file+")") && strings.Count(file, "/") == 1 {
			t.Errorf("README.md does not list %s", file)
		}
		report, err := recipetest.Check(t.Context(), file, recipetest.Options{})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if c := report.Coverage; len(c.NodesMissed)+len(c.EdgesMissed) > 0 {
			t.Errorf("%s: its tests do not visit the nodes %v and the edges %v", file, c.NodesMissed, c.EdgesMissed)
		}
	}
}
