package release_test

import (
	"testing"

	"github.com/fermata-go/fermata/recipe/recipetest"
)

// TestRecipe runs the tests that the recipe holds: without git, and without its programs.
func TestRecipe(t *testing.T) { recipetest.Run(t, recipetest.Options{}, "recipe.yaml") }

// TestJ5_RecipeSurvivesCrashes runs them with a crash at every append.
func TestJ5_RecipeSurvivesCrashes(t *testing.T) {
	recipetest.Run(t, recipetest.Options{Crash: true}, "recipe.yaml")
}
