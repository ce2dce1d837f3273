package fermata_test

import (
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/internal/teststore"
	"github.com/fermata-go/fermata/journal"
)

// Likewise where the run is kept on a server, which has a form of its own for values.
func TestN10_ANodeIsGivenTheSameOnServers(t *testing.T) {
	t.Parallel()
	for _, name := range testserver.Kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := teststore.Open(t, name)
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
