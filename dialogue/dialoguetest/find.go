package dialoguetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/internal/definitiontest"
)

// Find lists the dialogues under files and folders, sorted by name. A dialogue is a file of YAML or JSON of the kind
// Dialogue. Folders that begin with a dot and those called testdata, vendor or node_modules are left out, unless they
// are named.
func Find(paths ...string) ([]string, error) { return definitiontest.Find(Is, paths...) }

// Is reports whether a file holds a dialogue, as far as its kind says.
func Is(file string) (bool, error) { return definitiontest.Holds(file, "dialogues", dialogue.Is) }

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
