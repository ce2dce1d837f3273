package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// unwritable reports whether a file is there that this process may not write: that nobody may, by its mode or that of its folder,
// which holds for a superuser as well, or that the system does not let it write.
func unwritable(path string) bool {
	for _, name := range []string{path, filepath.Dir(path)} {
		info, err := os.Stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == path:
			return false
		case err != nil:
			continue
		case info.Mode().Perm()&0o222 == 0 || isDenied(name):
			return true
		}
	}
	return false
}

// isQuiet reports whether no process has written to a file and not yet closed it: there is no log beside it.
func isQuiet(path string) bool {
	info, err := os.Stat(path + "-wal")
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
}
