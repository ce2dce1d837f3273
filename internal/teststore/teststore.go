package teststore

import (
	"testing"

	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/postgres"
	"github.com/fermata-go/fermata/journal/redis"
)

// Open opens a store on a server of a kind, see testserver.Kinds. The end of the test closes it. A test without the server is
// skipped.
func Open(t *testing.T, kind string) journal.Store {
	t.Helper()
	var store journal.Store
	var err error
	switch kind {
	case "postgres":
		store, err = postgres.OpenWith(testserver.Postgres(t), postgres.Options{Schema: testserver.Schema(t), Conns: 4})
	case "redis":
		o := redis.Options{Prefix: testserver.Prefix(t), Accept: redis.Memory, AcceptEviction: true}
		store, err = redis.OpenWith(testserver.Redis(t), o)
	default:
		t.Fatalf("no store is known for a server of the kind %q", kind)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}
