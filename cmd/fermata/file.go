package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/nearest"
)

// recipeNames are the files that a folder is searched for.
var recipeNames = []string{"recipe.yaml", "recipe.yml", "recipe.json", "dialogue.yaml", "dialogue.yml", "dialogue.json"}

// recipeFile finds the recipe or dialogue that FILE means: a file, or a folder that holds a recipe.yaml or dialogue.yaml.
func recipeFile(name string) (string, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", invalidf("there is no file %s%s", name, nearbyFile(name))
	case err != nil:
		return "", err
	case !info.IsDir():
		return name, nil
	}
	for _, candidate := range recipeNames {
		path := filepath.Join(name, candidate)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
	}
	return "", invalidf("%s is a folder without a recipe.yaml%s", name, filesIn(name))
}

// nearbyFile ends a message about a file that is not there: the nearest name, or the recipe in its folder.
func nearbyFile(name string) string {
	folder := filepath.Dir(name)
	files := recipesIn(folder)
	if near := nearest.Name(filepath.Base(name), files); near != "" {
		return "; did you mean " + filepath.Join(folder, near) + "?"
	}
	for _, candidate := range recipeNames {
		if slices.Contains(files, candidate) {
			return "; there is " + filepath.Join(folder, candidate)
		}
	}
	return ""
}

func filesIn(folder string) string {
	files := recipesIn(folder)
	if len(files) == 0 {
		return ""
	}
	for i, file := range files {
		files[i] = filepath.Join(folder, file)
	}
	if len(files) > shown {
		files = append(files[:shown], "…")
	}
	return "; there is " + strings.Join(files, ", ")
}

// recipesIn are the files of a folder that may be recipes, and the folders that hold one.
func recipesIn(folder string) []string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		switch ext := filepath.Ext(e.Name()); {
		case e.IsDir():
			if _, err := os.Stat(filepath.Join(folder, e.Name(), recipeNames[0])); err == nil {
				names = append(names, e.Name())
			}
		case ext == ".yaml" || ext == ".yml" || ext == ".json":
			names = append(names, e.Name())
		}
	}
	return names
}

// needFile says what to do when a command was called without its FILE.
func (m *Main) needFile(command string) error {
	for _, candidate := range recipeNames {
		if _, err := os.Stat(candidate); err == nil {
			return usagef("expected a FILE; there is one here: %s", m.command(command, candidate))
		}
	}
	return usagef("expected a FILE: a recipe, or a folder that holds a recipe.yaml")
}
