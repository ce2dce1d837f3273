package dialoguetest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue"
)

// Find lists the dialogues under files and folders, sorted by name. A dialogue is a file of YAML or JSON of the kind
// Dialogue. Folders that begin with a dot and those called testdata, vendor or node_modules are left out, unless they
// are named.
func Find(paths ...string) ([]string, error) {
	var all []string
	for _, path := range paths {
		err := filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case e.IsDir() && name != path && (strings.HasPrefix(e.Name(), ".") || slices.Contains([]string{"testdata", "vendor", "node_modules"}, e.Name())):
				return filepath.SkipDir
			case e.IsDir() || !e.Type().IsRegular() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)):
				return nil
			}
			is, err := Is(name)
			if is {
				all = append(all, name)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// largest is how many bytes a file may have to be looked at.
const largest = 4 << 20

// Is reports whether a file holds a dialogue, as far as its kind says.
func Is(file string) (bool, error) {
	info, err := os.Stat(file)
	if err != nil || info.Size() > largest || !info.Mode().IsRegular() {
		return false, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return false, fmt.Errorf("looking for dialogues: %w", err)
	}
	return dialogue.Is(data), nil
}

// fileOf is the dialogue that a path means.
func fileOf(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path, err
	}
	file := filepath.Join(path, dialogue.FileName)
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("%s: the folder holds no %s: %w", path, dialogue.FileName, os.ErrNotExist)
	}
	return file, nil
}
