package redis

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/internal/interrupt"
)

// The order of what is stored is the order of the numbers, from the least to the largest.
func TestSortable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		if cmp.Compare(a, b) != strings.Compare(sortable(a), sortable(b)) {
			t.Errorf("%d and %d are kept as %s and %s", a, b, sortable(a), sortable(b))
		}
		if back, err := unsortable(sortable(a)); err != nil || back != a {
			t.Errorf("%d comes back as %d: %v", a, back, err)
		}
	})
}

// place is what append.lua puts in front of an interrupt.
const place = "80000000000000010000000000000001" + "1" + "run_1" + "\x00"

// What others wrote as JSON stays as they wrote it, and need not be JSON.
func TestInterruptsAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := func(name string) json.RawMessage {
			if b := rapid.SliceOf(rapid.Byte()).Draw(t, name); len(b) > 0 {
				return b
			}
			return nil
		}
		text := rapid.StringOf(rapid.Rune())
		want := journal.Interrupt{
			ID: text.Draw(t, "id"), Run: "run_1", Task: text.Draw(t, "task"), Op: text.Draw(t, "op"), Prompt: text.Draw(t, "prompt"),
			Request: raw("request"), RequestSchema: raw("request schema"), ResponseSchema: raw("response schema"), Answer: raw("answer"),
			Opened: rapid.Int64().Draw(t, "opened"), State: journal.Answered, TokenHash: text.Draw(t, "hash"),
		}
		data, err := interrupt.Encode(&want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeInterrupt(want.ID, place+string(data))
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func FuzzDecodeInterrupt(f *testing.F) {
	whole, err := interrupt.Encode(&journal.Interrupt{ID: "int_1", Run: "run_1", Request: json.RawMessage(`{"a": 1}`), State: journal.Open})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", place, place + string(whole), place + "{}", "x", place + `{"requestId":"int_1","input":"?"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, kept string) {
		in, err := decodeInterrupt("int_1", kept)
		switch {
		case err != nil && !errors.Is(err, journal.ErrCorrupt):
			t.Errorf("found %v, expected ErrCorrupt", err)
		case err == nil && in.ID != "int_1":
			t.Errorf("another interrupt is taken for int_1: %+v", in)
		}
	})
}

// A batch is refused for its size before anything is sent, so this needs no server.
func TestABatchThatIsTooLarge(t *testing.T) {
	s := &Store{}
	b := journal.Batch{Run: "run_1", After: 4, Entries: []journal.Entry{{Seq: 5, Kind: journal.Message}}}
	b.Checkpoint = &journal.Checkpoint{Seq: 5, Data: make([]byte, MaxBatch-1000)}
	if _, err := s.arguments(&b); err != nil {
		t.Errorf("a batch that is just small enough: %v", err)
	}
	b.Checkpoint.Data = make([]byte, MaxBatch)
	if _, err := s.arguments(&b); err == nil || !strings.Contains(err.Error(), "at most 67108864 are written at once") {
		t.Errorf("found %v, expected that the batch is too large", err)
	}
}
