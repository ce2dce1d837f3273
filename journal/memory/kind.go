package memory

import (
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/storekind"
)

// Kind is the kind of store of this package, whose address is memory:.
type Kind struct{}

// About implements [storekind.Kind].
func (Kind) About() storekind.About {
	return storekind.About{Name: "memory", Place: storekind.Memory, Address: "memory:"}
}

// Open implements [storekind.Kind].
func (Kind) Open(string, storekind.Options) (journal.Store, error) { return New(), nil }
