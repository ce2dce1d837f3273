package teststore

import (
	"testing"

	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/journal"
)

// There is a store for every kind of server, and nobody else has written to it.
func TestOpen(t *testing.T) {
	for _, kind := range testserver.Kinds() {
		t.Run(kind, func(t *testing.T) {
			rows, err := Open(t, kind).Runs(t.Context(), journal.RunFilter{})
			if err != nil || len(rows) > 0 {
				t.Errorf("%d runs, %v", len(rows), err)
			}
		})
	}
}
