package postgres_test

import (
	"context"
	"fmt"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/postgres"
)

// What a database keeps is read by whoever opens it. Without a server there is an error that says which one it is.
func ExampleOpen() {
	store, err := postgres.Open("postgres://fermata:secret@127.0.0.1:1/fermata")
	if err != nil {
		var at *journal.StoreError
		fmt.Printf("%T: cannot open %s\n", at, "postgres://127.0.0.1:1/fermata")
		return
	}
	defer store.Close()
	rows, err := store.Runs(context.Background(), journal.RunFilter{Status: "paused"})
	fmt.Println(rows, err)
	// Output: *journal.StoreError: cannot open postgres://127.0.0.1:1/fermata
}
