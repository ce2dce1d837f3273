package recipetest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Find lists the recipes under files and folders, sorted by name. A recipe is a file of YAML or JSON with an entry
// point and nodes. A named file is always listed. Folders that begin with a dot, those called testdata, vendor or
// node_modules, and JSON Schemas (*.schema.json) are left out.
func Find(paths ...string) ([]string, error) {
	var all []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			all = append(all, path)
			continue
		}
		found, err := under(path)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

var (
	entryPoint = regexp.MustCompile(`(?m)^[\s{,]*"?entry_point"?\s*:|[{,]\s*"?entry_point"?\s*:`)
	nodeList   = regexp.MustCompile(`(?m)^[\s{,]*"?nodes"?\s*:|[{,]\s*"?nodes"?\s*:`)
)

func under(folder string) ([]string, error) {
	var all []string
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		switch name := e.Name(); {
		case err != nil:
			return err
		case e.IsDir() && path != folder && (strings.HasPrefix(name, ".") || slices.Contains([]string{"testdata", "vendor", "node_modules"}, name)):
			return filepath.SkipDir
		case e.IsDir() || !e.Type().IsRegular() || strings.HasSuffix(name, ".schema.json") || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)):
			return nil
		}
		is, err := holdsRecipe(path)
		if is {
			all = append(all, path)
		}
		return err
	})
	return all, err
}

// largest is how many bytes a file may have to be looked at.
const largest = 4 << 20

func holdsRecipe(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil || info.Size() > largest {
		return false, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return false, fmt.Errorf("looking for recipes: %w", err)
	}
	return entryPoint.Match(data) && nodeList.Match(data), nil
}
