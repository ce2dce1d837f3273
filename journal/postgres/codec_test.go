package postgres

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
	"github.com/fermata-go/fermata/journal"
)

// TestInterruptsAreKeptAsTheyAre, with every field, and with JSON whose spaces and signs are its own.
func TestInterruptsAreKeptAsTheyAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string { return rapid.String().Draw(t, name) }
		value := func(name string) json.RawMessage { return json.RawMessage(` {"<` + name + `>" : "` + "é&" + `"} `) }
		in := journal.Interrupt{
			ID: text("id"), Run: text("run"), Task: text("task"), Op: text("op"), Kind: text("kind"), Request: value("request"),
			RequestSchema: value("schema"), ResponseSchema: value("response"), RequestSchemaID: text("schemaID"),
			RequestSchemaVersion: text("version"), ResponseSchemaID: text("responseID"), ResponseSchemaVersion: text("responseVersion"),
			Prompt: text("prompt"), Options: rapid.SliceOf(rapid.String()).Draw(t, "options"), Role: text("role"),
			Opened: rapid.Int64().Draw(t, "opened"), Deadline: rapid.Int64().Draw(t, "deadline"),
			AtDeadline: &journal.Deadline{Do: "escalate", Answer: json.RawMessage(`1`), Role: text("chief"), Then: &journal.Deadline{Do: "fail"}},
			Digest:     text("digest"), TokenHash: text("hash"), State: text("state"), ClaimedBy: text("claimed"),
			Answer: value("answer"), AnsweredBy: text("answered"), Resolved: rapid.Int64().Draw(t, "resolved"),
		}
		data, err := encodeInterrupt(&in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeInterrupt(in.ID, data)
		if diff := cmp.Diff(in, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
	})
}

// FuzzInterrupt decodes anything: what is no interrupt is a typed error.
func FuzzInterrupt(f *testing.F) {
	data, err := encodeInterrupt(&journal.Interrupt{ID: "int_1", Request: json.RawMessage(`{}`), Options: []string{"a"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:9])
	f.Add([]byte{9})
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := decodeInterrupt("int_1", data)
		switch {
		case err == nil && in.ID != "int_1":
			t.Errorf("decoded interrupt %q, expected int_1", in.ID)
		case err != nil && !errors.Is(err, journal.ErrCorrupt) && !errors.Is(err, journal.ErrNewer):
			t.Errorf("found %v, expected %v or %v", err, journal.ErrCorrupt, journal.ErrNewer)
		}
	})
}
