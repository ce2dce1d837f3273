package document

import (
	"path/filepath"
	"strings"
)

// NameOf is the name of a definition that gives itself none: its file's, or its folder's where the file is called as all
// of its kind are in folders of their own; otherwise where neither makes a name.
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
