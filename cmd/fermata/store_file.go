package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/fermata-go/fermata/internal/nearest"
)

// checkFile checks a store that is a file before it is opened: what somebody has named is there, or may be made where it is,
// and is no text and no folder. The file in the state folder, which nobody named, is made with its folder.
func (d dsn) checkFile(mayMake bool) error {
	if !d.isFile() {
		return nil
	}
	info, err := os.Stat(d.at)
	switch {
	case errors.Is(err, fs.ErrNotExist) && d.from == "":
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return d.missing(mayMake)
	case err != nil:
		return nil //nolint:nilerr // opening it says why
	case info.IsDir():
		return usagef("%s %s is a folder, and no store: expected a file, such as %s", d.from, d.at, filepath.Join(d.at, "runs.db"))
	case info.Mode().IsRegular() && isText(d.at):
		return usagef("%s %s is a text, and no store: expected the file that runs are kept in, such as runs.db; "+
			"without --store and FERMATA_STORE it is a file in the state folder", d.from, d.at)
	}
	return nil
}

// missing is the error of a file that is not there; nil where it may be made.
func (d dsn) missing(mayMake bool) error {
	folder := filepath.Dir(d.at)
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usagef("%s %s: there is no folder %s; make it first, or name another file", d.from, d.at, folder)
	case mayMake:
		return nil
	}
	var names []string
	for _, e := range entries {
		if path := filepath.Join(folder, e.Name()); e.Type().IsRegular() && isStore(path) {
			names = append(names, path)
		}
	}
	hint := "; a run makes it"
	if near := nearest.Name(d.at, names); near != "" {
		hint = "; did you mean " + near + "?"
	} else if len(names) > 0 {
		hint = "; there is " + names[0]
	}
	return usagef("there is no store %s%s", d.at, hint)
}

// headOf is the beginning of a file.
func headOf(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head)
	return head[:n]
}

// isStore reports whether a file begins as stores do.
func isStore(path string) bool { return bytes.HasPrefix(headOf(path), []byte("SQLite format 3\x00")) }

// isText reports whether a file holds text.
func isText(path string) bool {
	head := headOf(path)
	for i := 0; i < utf8.UTFMax && len(head) > 0 && !utf8.Valid(head); i++ { // the last letter may be cut off
		head = head[:len(head)-1]
	}
	return len(head) > 0 && utf8.Valid(head) && !bytes.ContainsRune(head, 0)
}
