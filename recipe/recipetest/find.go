package recipetest

import (
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/definitiontest"
)

// Find lists the recipes under files and folders, sorted by name. A recipe is a file of YAML or JSON with an entry
// point and nodes. A named file is always listed. Folders that begin with a dot, those called testdata, vendor or
// node_modules, and JSON Schemas (*.schema.json) are left out.
func Find(paths ...string) ([]string, error) {
	var all, folders []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if info.IsDir() {
			folders = append(folders, path)
		} else {
			all = append(all, path)
		}
	}
	found, err := definitiontest.Find(holdsRecipe, folders...)
	if err != nil {
		return nil, err
	}
	all = append(all, found...)
	slices.Sort(all)
	return slices.Compact(all), nil
}

var (
	entryPoint = regexp.MustCompile(`(?m)^[\s{,]*"?entry_point"?\s*:|[{,]\s*"?entry_point"?\s*:`)
	nodeList   = regexp.MustCompile(`(?m)^[\s{,]*"?nodes"?\s*:|[{,]\s*"?nodes"?\s*:`)
)

func holdsRecipe(file string) (bool, error) {
	if strings.HasSuffix(file, ".schema.json") {
		return false, nil
	}
	return definitiontest.Holds(file, "recipes", func(data []byte) bool {
		return entryPoint.Match(data) && nodeList.Match(data)
	})
}
