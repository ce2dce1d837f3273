// Package deposits_test checks the recipe of this folder, which waits for messages.
package deposits_test

import (
	"testing"

	"github.com/fermata-go/fermata/recipe/recipetest"
)

// TestM1_MessagesOfARecipeSurviveCrashes runs the recipe's tests, and repeats them with a crash at every append.
func TestM1_MessagesOfARecipeSurviveCrashes(t *testing.T) {
	recipetest.Run(t, recipetest.Options{Crash: true}, ".")
}
