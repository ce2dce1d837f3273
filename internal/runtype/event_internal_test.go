package runtype

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
	"github.com/fermata-go/fermata/journal"
)

// What AppendJSON writes by hand is what encoding/json makes of the envelope.
func TestTheEnvelopeIsWhatEncodingJSONWrites(t *testing.T) {
	type envelope struct {
		V    int             `json:"v"`
		Seq  uint64          `json:"seq"`
		Sub  uint32          `json:"sub"`
		Time time.Time       `json:"ts"`
		Run  string          `json:"run"`
		Task string          `json:"task,omitempty"`
		OpID string          `json:"opId,omitempty"`
		Type string          `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	text := rapid.OneOf(rapid.String(), rapid.Just("</p> & \u2028 \x7f \xff \"quoted\\\""), rapid.StringMatching(`[a-z /#]{0,12}`))
	kinds := []journal.Kind{
		journal.TextDelta, journal.TextDelta, journal.TextStart, journal.TextEnd, journal.StepFinished, journal.Status,
		journal.InterruptOpened, journal.RunPaused,
	}
	rapid.Check(t, func(t *rapid.T) {
		e := Event{Run: text.Draw(t, "run"), Sub: rapid.Uint32().Draw(t, "sub"), SoFar: rapid.Bool().Draw(t, "soFar")}
		e.Entry = journal.Entry{
			Seq: rapid.Uint64().Draw(t, "seq"), At: rapid.Int64Range(0, 1<<52).Draw(t, "at"), Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
			Attempt: rapid.Uint16Range(0, 3).Draw(t, "attempt"), Visit: rapid.Uint32().Draw(t, "visit"),
			Node: text.Draw(t, "node"), Op: rapid.SampledFrom([]string{"", "stream:answer#1", "step:a#1\x1fmodel:b#1", "é\n"}).Draw(t, "op"),
			To: text.Draw(t, "to"),
		}
		data, err := e.Data()
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(envelope{
			V: EventVersion, Seq: e.Entry.Seq, Sub: e.Sub, Time: e.Time(), Run: e.Run,
			Task: e.Task(), OpID: e.OpID(), Type: e.Type(), Data: data,
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.AppendJSON([]byte("before "))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff("before "+string(want), string(got)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// An event that cannot be written leaves the buffer as it was.
func TestAppendJSONOfADamagedEvent(t *testing.T) {
	e := Event{Entry: journal.Entry{Kind: journal.RunFinished, Body: []byte("no JSON")}}
	if got, err := e.AppendJSON([]byte("before")); err == nil || string(got) != "before" {
		t.Errorf("%q, %v", got, err)
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	e := Event{Run: "run_01a1ffba-c993-74bc-bb12-d1e48b2d22ae", Sub: 7, Entry: journal.Entry{
		Kind: journal.TextDelta, Seq: 3, Node: "inner/write", Visit: 2, Attempt: 1, Op: "stream:answer#1", To: "tokens ",
	}}
	var buffer []byte
	b.ReportAllocs()
	for b.Loop() {
		buffer, _ = e.AppendJSON(buffer[:0])
	}
}
