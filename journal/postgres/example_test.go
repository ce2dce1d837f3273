package postgres_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/postgres"
)

// Where there is no server, the error says which address it was, and keeps the password to itself.
func ExampleOpen() {
	store, err := postgres.Open("postgres://fermata:secret@127.0.0.1:1/fermata")
	if at, ok := errors.AsType[*journal.StoreError](err); ok {
		fmt.Println("cannot", at.Op, at.File)
		return
	}
	defer store.Close()
	rows, err := store.Runs(context.Background(), journal.RunFilter{Status: "paused"})
	fmt.Println(rows, err)
	// Output: cannot open postgres://127.0.0.1:1/fermata, schema fermata
}
