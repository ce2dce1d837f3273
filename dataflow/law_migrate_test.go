package dataflow_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// asksAloud asks, and writes what it asked together with the answer: what it is given is seen in the result.
func asksAloud(name, value string) *dataflow.NodeDef {
	return dataflow.Unary(name, value, "said", func(ctx node.Context, prompt string) (string, error) {
		ok, err := node.Interrupt[string](ctx, nil, node.ID("ok"))
		return prompt + ok, err
	})
}

// A migration renames values and nodes, and converts what was written: each reader is given what was written. What it made
// of values is in the journal: another process goes on without it.
func TestJ8_AMigrationCarriesValues(t *testing.T) {
	old := graphOf(t, writes("prepare", "approval_prompt", "may I? "), writes("price", "amount", 12), asksAloud("ask", "approval_prompt"),
		reader(func(in struct {
			Said   string
			Amount int
		},
		) string {
			return in.Said + string(rune('0'+in.Amount/4))
		}))
	now := graphOf(t, writes("prepare", "prompt_data", "?"), writes("price", "total", struct{ Euro int }{}), asksAloud("question", "prompt_data"),
		reader(func(in struct {
			Said  string
			Total struct{ Euro int }
		},
		) string {
			return in.Said + string(rune('0'+in.Total.Euro/4))
		}))
	moves := plan.Migration{
		Nodes:  map[string]string{"ask": "question"},
		Values: map[string]string{"approval_prompt": "prompt_data", "amount": "total"},
		State: func(data json.RawMessage) (json.RawMessage, error) {
			var record map[string]json.RawMessage
			if err := json.Unmarshal(data, &record); err != nil || record["total"] == nil {
				return data, err
			}
			return json.RawMessage(`{"total":{"Euro":` + string(record["total"]) + `}}`), nil
		},
	}
	store := memory.New()
	first := newRuntime(t, fermata.Options{Store: store})
	run := start(t, first, old, vals{"topic": "x"})
	question := ends(t, run, fermata.Paused).Interrupts[0].ID
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := newRuntime(t, fermata.Options{Store: store})
	if _, err := now.Migrate(timeLimit(t), second, run.ID(), plan.Migration{Nodes: moves.Nodes, Values: moves.Values}); err == nil {
		t.Fatal("a value of another type was taken")
	} else {
		same(t, "the value", "total", asError[*fermata.PlanChangedError](t, err).Value)
	}
	moved, err := now.Migrate(timeLimit(t), second, run.ID(), moves)
	if err != nil {
		t.Fatal(err)
	}
	ends(t, moved, fermata.Paused)
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	third := newRuntime(t, fermata.Options{Store: store})
	run = resume(t, third, now, run.ID())
	if err := third.Answer(timeLimit(t), question, "yes"); err != nil {
		t.Fatal(err)
	}
	same(t, "outputs", vals{"prompt_data": "may I? ", "total": struct{ Euro int }{12}, "said": "may I? yes", "published": "may I? yes3"},
		ends(t, run, fermata.Completed).Outputs)
}

// Names of values that a plan does not have are refused with the nearest one, and nothing is written; so is what State
// cannot convert.
func TestJ8_AMigrationOfValuesIsChecked(t *testing.T) {
	old := graphOf(t, writes("prepare", "prompt", "?"), asksAloud("ask", "prompt"))
	now := graphOf(t, writes("prepare", "question", "?"), asksAloud("ask", "question"))
	rt, store := inMemory(t)
	run := start(t, rt, old, vals{"topic": "x"})
	ends(t, run, fermata.Paused)
	before := lines(t, store, run.ID())
	for _, tt := range []struct {
		name  string
		moves plan.Migration
		want  string
	}{
		{"an unknown old value", plan.Migration{Values: map[string]string{"promt": "question"}}, `value promt -> question: the old plan has no value "promt"; did you mean "prompt"?`},
		{"an unknown new value", plan.Migration{Values: map[string]string{"prompt": "questoin"}}, `value prompt -> questoin: the new plan has no value "questoin"; did you mean "question"?`},
		{"State fails", plan.Migration{
			Values: map[string]string{"prompt": "question"},
			State:  func(json.RawMessage) (json.RawMessage, error) { return nil, errors.New("no") },
		}, "no"},
		{"State panics", plan.Migration{State: func(json.RawMessage) (json.RawMessage, error) { panic("no") }}, "no"},
		{"State returns no JSON", plan.Migration{State: func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage("{"), nil }}, "State returned no JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := now.Migrate(timeLimit(t), rt, run.ID(), tt.moves)
			if e := asError[*fermata.Error](t, err); e.Code != fermata.CodeInvalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: %v, want %q", e.Code, err, tt.want)
			}
			same(t, "the journal", before, lines(t, store, run.ID()))
		})
	}
}

// A migration is one append: a process that ends at any append of it leaves the run as it was, or wholly moved.
func TestJ8_AMigrationIsOneAppend(t *testing.T) {
	old := graphOf(t, writes("a", "x", "1"), writes("b", "y", "2"), asksAloud("ask", "x"), reader(func(in struct{ Said, Y string }) string { return in.Said + in.Y }))
	now := graphOf(t, writes("a", "x2", "1"), writes("b", "y2", "2"), asksAloud("ask", "x2"), reader(func(in struct{ Said, Y2 string }) string { return in.Said + in.Y2 }))
	moves := plan.Migration{Values: map[string]string{"x": "x2", "y": "y2"}}
	for at := 1; ; at++ {
		store := memory.New()
		first := newRuntime(t, fermata.Options{Store: store})
		run := start(t, first, old, vals{"topic": "t"})
		question := ends(t, run, fermata.Paused).Interrupts[0].ID
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		broken := &failingStore{Store: store, at: at}
		second := newRuntime(t, fermata.Options{Store: broken})
		moved, err := now.Migrate(timeLimit(t), second, run.ID(), moves)
		if err == nil {
			_, err = moved.Wait(timeLimit(t))
		}
		_ = second.Close() // it cannot give its lease back where the store fails
		done := broken.appends < at
		third := newRuntime(t, fermata.Options{Store: store})
		again, resumed := now.Resume(timeLimit(t), third, run.ID())
		if resumed != nil {
			_ = asError[*fermata.PlanChangedError](t, resumed)
			if again, resumed = now.Migrate(timeLimit(t), third, run.ID(), moves); resumed != nil {
				t.Fatalf("append %d: %v", at, resumed)
			}
		}
		if err := third.Answer(timeLimit(t), question, "!"); err != nil {
			t.Fatal(err)
		}
		same(t, "outputs", vals{"x2": "1", "y2": "2", "said": "1!", "published": "1!2"}, ends(t, again, fermata.Completed).Outputs)
		if done {
			if err != nil {
				t.Fatal(err)
			}
			if at < 2 {
				t.Fatal("no append of the migration failed")
			}
			return
		}
	}
}

// failingStore refuses one append, and all that come after it, as the store of a process that is gone.
type failingStore struct {
	journal.Store
	mu      sync.Mutex
	at      int
	appends int
}

func (s *failingStore) Append(ctx context.Context, b journal.Batch) error {
	s.mu.Lock()
	s.appends++
	gone := s.appends >= s.at
	s.mu.Unlock()
	if gone {
		return errors.New("the store is gone")
	}
	return s.Store.Append(ctx, b)
}
