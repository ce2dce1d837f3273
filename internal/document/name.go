package document

import (
	"path/filepath"
	"strings"
)

// NameOf returns the name of a definition that gives itself none: that of its file or folder. It is the folder's if the
// file has the usual name of its kind in a folder of its own, and otherwise if neither makes a name.
func NameOf(file, inFolder, otherwise string) string {
	base := filepath.Base(file)
	if base == inFolder {
		if abs, err := filepath.Abs(file); err == nil {
			base = filepath.Base(filepath.Dir(abs))
		}
	}
	name := strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == 0xfffd {
			return -1
		}
		return c
	}, strings.TrimSuffix(base, filepath.Ext(base)))
	if name == "" || name == "." || name == string(filepath.Separator) {
		return otherwise
	}
	return name
}
