package journal

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Swapper is a store with cells: small values that processes change by comparing (law J20).
//
// A cell belongs to no run. Its value spares work or bounds load, and never keeps a journal right (law J3). A
// [RunWatcher] reports a cell that another process has changed by its name, among the runs of a [Change].
type Swapper interface {
	// Cell returns the value of a cell; nil for none.
	Cell(ctx context.Context, name string) ([]byte, error)
	// Swap gives a cell the value next if its value is was, and reports whether it did. In both, nil is no cell: a next of
	// nil removes the cell. If it did not, now is the value that the cell had. A name that [CheckCell] refuses is
	// [ErrRefused]. Where the connection broke, a swap that took effect may be reported as one that did not, with a now
	// that equals next.
	Swap(ctx context.Context, name string, was, next []byte) (now []byte, swapped bool, err error)
	// Cells lists the cells whose names begin with a prefix, by name, at most limit of them (0: all).
	Cells(ctx context.Context, prefix string, limit int) ([]Cell, error)
}

// Cell is a cell of a store, see [Swapper].
type Cell struct {
	Name  string // unique in the store
	Value []byte // never nil
}

// longestCell limits names of cells, in bytes.
const longestCell = 1024

// CheckCell returns why no cell can have a name.
//
// It is empty, or has more than 1024 bytes or control characters.
func CheckCell(name string) error {
	if name == "" || len(name) > longestCell || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("%w: cell %q: expected 1 to %d bytes of text without control characters", ErrRefused, name, longestCell)
	}
	return nil
}
