package sqlite

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
	"github.com/fermata-go/fermata/journal"
)

func drawInterrupt(t *rapid.T) journal.Interrupt {
	text := func(label string) string { return rapid.StringN(0, 5, 20).Draw(t, label) }
	raw := func(label string) json.RawMessage {
		if b := rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, label); len(b) > 0 {
			return b
		}
		return nil
	}
	in := journal.Interrupt{
		ID: "int_1", Run: text("run"), Task: text("task"), Op: text("op"), Kind: text("kind"), Request: raw("request"),
		RequestSchema: raw("request schema"), ResponseSchema: raw("response schema"), Prompt: text("prompt"),
		Role: text("role"), Opened: rapid.Int64().Draw(t, "opened"), Deadline: rapid.Int64().Draw(t, "deadline"),
		TokenHash: rapid.SampledFrom([]string{"", "abc0", "ABC0", "abc", "9f86d081884c7d65"}).Draw(t, "hash"),
		State:     text("state"), ClaimedBy: text("claimed by"), Answer: raw("answer"), AnsweredBy: text("answered by"),
		Resolved: rapid.Int64().Draw(t, "resolved"),
	}
	for _, name := range schemaNames(&in) {
		*name = text("schema name")
	}
	for range rapid.IntRange(0, 3).Draw(t, "options") {
		in.Options = append(in.Options, text("option"))
	}
	if rapid.Bool().Draw(t, "for some people") {
		in.Assignee = text("assignee")
		for range rapid.IntRange(0, 2).Draw(t, "not by") {
			in.NotBy, in.NotByNodes = append(in.NotBy, text("person")), append(in.NotByNodes, text("path"))
		}
	}
	if rapid.Bool().Draw(t, "of version 4") {
		name := func(label string) string { return rapid.SampledFrom([]string{"", "Ada", "é\x00"}).Draw(t, label) }
		in.OverrideRole, in.NeedsToken = name("override"), rapid.Bool().Draw(t, "needs a token")
		in.AssigneeName, in.ClaimedByName, in.AnsweredByName = name("assignee"), name("claimer"), name("answerer")
	}
	if rapid.Bool().Draw(t, "at deadline") {
		in.AtDeadline = &journal.Deadline{Do: "escalate", Role: "chief", Within: 5, Then: &journal.Deadline{Do: "fail"}}
	}
	return in
}

func TestInterruptRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawInterrupt(t)
		data, err := appendInterrupt(nil, &want)
		if err != nil {
			t.Fatal(err)
		}
		got := journal.Interrupt{ID: want.ID}
		if err := decodeInterrupt(&got, data); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		for n := range data { // what is cut is damaged
			if err := decodeInterrupt(&got, data[:n]); !errors.Is(err, journal.ErrCorrupt) {
				t.Fatalf("the first %d of %d bytes: found %v, expected ErrCorrupt", n, len(data), err)
			}
		}
		data[0] = interruptVersion + 1
		if err := decodeInterrupt(&got, data); !errors.Is(err, journal.ErrNewer) {
			t.Fatalf("found %v, expected ErrNewer", err)
		}
	})
}

// What version 1 wrote has no names of schemas, and is read.
func TestInterruptOfVersion1(t *testing.T) {
	want := journal.Interrupt{ID: "int_1", Run: "run_1", State: journal.Open, Options: []string{"yes", "no"}}
	data, err := appendInterrupt(nil, &want)
	if err != nil {
		t.Fatal(err)
	}
	data[0] = 1
	got := journal.Interrupt{ID: want.ID}
	if err := decodeInterrupt(&got, data[:len(data)-4]); err != nil { // four empty names
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzDecodeInterrupt(f *testing.F) {
	data, err := appendInterrupt(nil, &journal.Interrupt{
		Run: "run_1", State: journal.Open, Options: []string{"yes", "no"}, AtDeadline: &journal.Deadline{Do: "fail"},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		in := journal.Interrupt{ID: "int_1"}
		err := decodeInterrupt(&in, data)
		if err != nil && !errors.Is(err, journal.ErrCorrupt) && !errors.Is(err, journal.ErrNewer) {
			t.Fatalf("untyped error %v", err)
		}
	})
}
