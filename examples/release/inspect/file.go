package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// mark is the first line of a file that was written here. Only such a file is replaced.
const mark = "<!-- Written by the release gate, which replaces files with this line and no others. -->"

// replaceFile writes a file and returns its absolute path: all of it or nothing. A relative name is in the folder root
// and cannot lead out of it.
func replaceFile(root, name string, data []byte) (string, error) {
	if filepath.IsAbs(name) {
		root, name = filepath.Dir(name), filepath.Base(name)
	} else if !filepath.IsLocal(name) {
		return "", fmt.Errorf("out is %q, which leads out of %s; give an absolute path to write there", name, root)
	}
	path := filepath.Join(root, name)
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", err
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return "", err
	}
	defer func() { _ = dir.Close() }() // it was only looked up in
	if err := dir.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", fmt.Errorf("the folder of %s: %w", path, err)
	}
	before, err := dir.ReadFile(name)
	switch {
	case err == nil && bytes.Equal(before, data):
		return path, nil
	case err == nil && !bytes.HasPrefix(before, []byte(mark)):
		return "", fmt.Errorf("%s was not written here and is not replaced; give another path, as in --input out=PATH", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	temporary := name + ".new"
	if err := dir.WriteFile(temporary, data, 0o644); err != nil {
		return "", err
	}
	return path, dir.Rename(temporary, name)
}
