package definitiontest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Find lists the files of YAML and JSON under files and folders for which is holds, sorted by name. It leaves out folders
// that begin with a dot and those called testdata, vendor or node_modules, unless they are named.
func Find(is func(file string) (bool, error), paths ...string) ([]string, error) {
	var all []string
	for _, path := range paths {
		err := filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case e.IsDir() && file != path && (strings.HasPrefix(e.Name(), ".") || slices.Contains([]string{"testdata", "vendor", "node_modules"}, e.Name())):
				return filepath.SkipDir
			case !e.Type().IsRegular() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)):
				return nil
			}
			found, err := is(file)
			if found {
				all = append(all, file)
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

// Holds reports whether is holds for the content of a file. It is false for folders and for large files. The kind
// ("recipes") is for errors.
func Holds(file, kind string, is func(data []byte) bool) (bool, error) {
	info, err := os.Stat(file)
	if err != nil || info.Size() > largest || !info.Mode().IsRegular() {
		return false, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return false, fmt.Errorf("looking for %s: %w", kind, err)
	}
	return is(data), nil
}
