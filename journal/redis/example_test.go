package redis_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/alicebob/miniredis/v2"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/redis"
)

// A server that keeps nothing is used only by those who say that they know.
func Example() {
	server, err := miniredis.Run() // yours is at home somewhere else
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	address := "redis://" + server.Addr() + "/0"

	_, err = redis.Open(address)
	fmt.Println(errors.Is(err, redis.ErrPromise))

	store, err := redis.Open(address + "?accept=memory")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	fmt.Println(store.Promises())

	ctx := context.Background()
	start := journal.Batch{
		Run: "run_1", Row: &journal.RunRow{ID: "run_1", Plan: "triage", Status: "running"},
		Entries: []journal.Entry{{Seq: 1, Kind: journal.RunStarted, Value: []byte(`{"text":"It is broken"}`)}},
	}
	fmt.Println(store.Append(ctx, start) == nil)
	fmt.Println(errors.Is(store.Append(ctx, start), journal.ErrConflict)) // law J3
	for e, err := range store.Read(ctx, "run_1", 0) {
		fmt.Println(e.Seq, e.Kind, string(e.Value), err)
	}
	// Output:
	// true
	// The server does not say how it keeps data (CONFIG GET is not allowed): it is taken to keep nothing. Whether keys are thrown away when memory is full is not known.
	// true
	// true
	// 1 run.started {"text":"It is broken"} <nil>
}
