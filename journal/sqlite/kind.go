package sqlite

import (
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/storekind"
)

// Kind is the kind of store of this package, whose addresses are paths, and sqlite:PATH.
type Kind struct{}

// About implements [storekind.Kind].
func (Kind) About() storekind.About {
	return storekind.About{Name: "sqlite", Schemes: []string{"file"}, Place: storekind.File, Address: "sqlite:PATH"}
}

// Open implements [storekind.Kind].
func (Kind) Open(path string, o storekind.Options) (journal.Store, error) {
	s, err := OpenWith(path, Options{ReadOnly: o.Looks && unwritable(path)})
	if err != nil {
		return nil, err
	}
	return s, nil
}
