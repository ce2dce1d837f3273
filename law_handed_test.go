package fermata_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// hoarder is an observer that keeps all entries as it was given them.
type hoarder struct {
	mu      sync.Mutex
	entries []journal.Entry
}

func (h *hoarder) Follow(fermata.RunInfo) fermata.Follower { return h }

func (h *hoarder) Recall(*journal.Entry) {}

func (h *hoarder) Stored(entries []journal.Entry, _ time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.entries = append(h.entries, entries...)
}

func (h *hoarder) Context(ctx context.Context, _ fermata.Scope) context.Context { return ctx }

// texts is a state that gets a text in each of its rounds.
type texts struct {
	Texts []string `json:"texts"`
}

// rounds is a graph whose node adds a text that differs in each round, sometimes a long one and sometimes a short one.
func rounds(n int, o ...graph.NodeOption) *graph.Graph[texts] {
	return graph.New[texts]("rounds").
		Node("add", func(_ node.Context, s texts) (texts, error) {
			s.Texts = append(s.Texts, round(len(s.Texts)))
			return s, nil
		}, o...).
		Edge(graph.Start, "add").
		Route("add", func(_ node.Context, s texts) (string, error) {
			if len(s.Texts) < n {
				return "add", nil
			}
			return graph.End, nil
		}, "add", graph.End).
		MustCompile()
}

func round(i int) string { return strings.Repeat(string(rune('a'+i%26)), i*977%3000) }

// The memory of a change is used again once it is stored. Those who were given the entry have it as it was all the same: a
// reader of events, an observer and the journal (laws J1 and E1).
func TestE1_EntriesStayAsTheyWereGiven(t *testing.T) {
	const n = 200
	for _, c := range []struct {
		name     string
		o        []graph.NodeOption
		observed bool
		read     bool
	}{
		{name: "alone"},
		{name: "pure", o: []graph.NodeOption{graph.Pure()}}, // outcomes wait for the append of another entry
		{name: "observed", observed: true},
		{name: "read", read: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, store, kept := timeLimit(t), memory.New(), &hoarder{}
			o := fermata.Options{Store: store}
			if c.observed {
				o.Observer = kept
			}
			run, err := rounds(n, c.o...).Start(ctx, newRuntime(t, o), texts{})
			if err != nil {
				t.Fatal(err)
			}
			if c.read {
				for e, err := range run.Events(ctx, 0) {
					if err != nil {
						t.Fatal(err)
					}
					kept.entries = append(kept.entries, e.Entry)
				}
			}
			res, err := run.Wait(ctx)
			if err != nil || len(res.State.Texts) != n {
				t.Fatalf("%d texts, %v", len(res.State.Texts), err)
			}
			stored := make(map[uint64][]byte)
			for e, err := range store.Read(ctx, run.ID(), 0) {
				if err != nil {
					t.Fatal(err)
				}
				stored[e.Seq] = e.Value
			}
			for _, e := range kept.entries {
				if !bytes.Equal(e.Value, stored[e.Seq]) {
					t.Fatalf("entry %d was given as %.40q and is stored as %.40q", e.Seq, e.Value, stored[e.Seq])
				}
			}
			if (c.observed || c.read) && len(kept.entries) < n {
				t.Fatalf("%d entries were given, expected %d or more", len(kept.entries), n)
			}
			again, err := newRuntime(t, fermata.Options{Store: store}).Result(ctx, run.ID(), rounds(n, c.o...).Plan())
			if err != nil || !bytes.Equal(again.Output, res.Output) {
				t.Fatalf("the journal gives another result than the run: %v", err)
			}
			for i, text := range res.State.Texts {
				if text != round(i) {
					t.Fatalf("text %d is %.20q, expected %.20q", i, text, round(i))
				}
			}
		})
	}
}
