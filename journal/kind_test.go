package journal_test

import (
	"testing"

	"github.com/fermata-go/fermata/journal"
)

// Every kind is found by its name, and nothing else is.
func TestJ9_KindsAreFoundByTheirNames(t *testing.T) {
	for n := range 256 {
		k := journal.Kind(n)
		if got, ok := journal.KindOf(k.String()); ok != k.Valid() || ok && got != k {
			t.Errorf("%v: found %v, %t", k, got, ok)
		}
	}
}
