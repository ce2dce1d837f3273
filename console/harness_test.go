package console_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// catalogue reads the texts of a language.
func catalogue(t *testing.T, language string) map[string]string {
	t.Helper()
	data, err := os.ReadFile("web/i18n/" + language + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var texts map[string]string
	if err := json.Unmarshal(data, &texts); err != nil {
		t.Fatal(err)
	}
	return texts
}

// sources are the texts of all files below a folder, by their paths.
func sources(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		found[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
