//go:build linux

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestTerminalDev sits at a recipe: a run is started and left, the recipe is changed, and the run goes on as it began.
func TestTerminalDev(t *testing.T) {
	dir := place(t, devRecipe)
	s := sit(t, dir, "dev", ".")
	s.sees("❯ run it")
	s.types(enter)
	s.sees("  approve")
	s.types(ctrlD) // for later
	s.sees("❯ run it")
	s.sees("go on with run_")

	// While it is asked what to do, the recipe changes. What is not valid is not taken over.
	file := filepath.Join(dir, "recipe.yaml")
	saved(t, file, strings.Replace(devRecipe, "first ", "second ' + broken + '", 1))
	s.sees("not taken over")
	saved(t, file, strings.Replace(devRecipe, "first ", "second ", 1))
	s.sees("texts, expressions or tests changed")
	s.sees("earlier version)")
	s.types(down)
	s.sees("❯ go on with")
	s.types(enter)
	s.sees(toChoose)
	s.sees("  approve")
	s.types("a", enter)
	s.sees("decision  first approve")

	// A new one begins with what there is now.
	s.sees("❯ run it")
	s.types(enter)
	s.sees(toChoose)
	s.sees("  approve")
	s.types("a", enter)
	s.sees("decision  second approve")
	s.sees("❯ run it")
	s.types(ctrlC)
	s.ends(exitCompleted)
}
