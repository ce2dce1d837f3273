package fermata_test

import (
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/postgres"
	"github.com/fermata-go/fermata/journal/redis"
)

// Likewise where the run is kept on a server, which has a form of its own for values.
func TestN10_ANodeIsGivenTheSameOnServers(t *testing.T) {
	opened := map[string]func(t *testing.T) (journal.Store, error){
		"postgres": func(t *testing.T) (journal.Store, error) {
			return postgres.OpenWith(testserver.Postgres(t), postgres.Options{Schema: testserver.Schema(t), Conns: 4})
		},
		"redis": func(t *testing.T) (journal.Store, error) {
			o := redis.Options{Prefix: testserver.Prefix(t), Accept: redis.Memory, AcceptEviction: true}
			return redis.OpenWith(testserver.Redis(t), o)
		},
	}
	for name, open := range opened {
		t.Run(name, func(t *testing.T) {
			store, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := store.Close(); err != nil {
					t.Error(err)
				}
			})
			kept := func(valuesTest) (journal.Store, func()) { return store, func() {} }
			async := []fermata.StartOption{fermata.WithDurability(fermata.Async)}
			checkHandsOn(t, []wayOf{
				{"unstored", "", nil, nil, "graph"},
				{name, "", kept, nil, "graph"},
				{name + ", immutable", "", kept, nil, "immutable"},
				{name + ", asleep", "sleep", kept, nil, "graph"},
				{name + ", crashed", "crash", kept, nil, "graph"},
				{name + ", async, crashed", "crash", kept, async, "graph"},
				{name + ", dataflow, asleep", "sleep", kept, nil, "dataflow"},
				{name + ", dataflow, crashed", "crash", kept, nil, "dataflow"},
				{name + ", dataflow, async, crashed", "crash", kept, async, "dataflow"},
			})
		})
	}
}
