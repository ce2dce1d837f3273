package recipe

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"

	"github.com/fermata-go/fermata/internal/document"
)

// TraceDiff is what two traces have not in common. Times, seqs and durations are no difference.
type TraceDiff struct {
	A     TraceSide  `json:"a"`
	B     TraceSide  `json:"b"`
	First string     `json:"first,omitempty"` // the step at which they part; "" where all steps are alike
	Steps []StepDiff `json:"steps"`           // that differ: those of A in its order, then those that only B has
}

// TraceSide is one of two traces.
type TraceSide struct {
	Run     string `json:"run"`
	Recipe  string `json:"recipe"`
	Outcome string `json:"outcome"`
}

// StepDiff is a step that is not the same, or that only one of the two has.
type StepDiff struct {
	ID      string        `json:"step_id"`
	Only    string        `json:"only,omitempty"` // "a" or "b": the other one has no such step
	Changes []TraceChange `json:"changes,omitempty"`
}

// TraceChange is a member of a step that differs. A side that does not have it is left out.
type TraceChange struct {
	What string          `json:"what"` // type, inputs, outputs, route, thought, action, observation or error
	A    json.RawMessage `json:"a,omitempty"`
	B    json.RawMessage `json:"b,omitempty"`
}

// Same reports whether nothing differs but ids of runs and times.
func (d *TraceDiff) Same() bool { return len(d.Steps) == 0 && d.A.Outcome == d.B.Outcome }

// DiffTraces compares two traces, step by step, by the ids of the steps.
func DiffTraces(a, b *Trace) *TraceDiff {
	d := &TraceDiff{
		A: TraceSide{Run: a.Run, Recipe: a.Recipe, Outcome: a.Outcome}, B: TraceSide{Run: b.Run, Recipe: b.Recipe, Outcome: b.Outcome},
		Steps: []StepDiff{},
	}
	find := func(t *Trace, id string) *TraceStep {
		i := slices.IndexFunc(t.Steps, func(s TraceStep) bool { return s.ID == id })
		if i < 0 {
			return nil
		}
		return &t.Steps[i]
	}
	for i := range a.Steps {
		s := &a.Steps[i]
		other := find(b, s.ID)
		if other == nil {
			d.Steps = append(d.Steps, StepDiff{ID: s.ID, Only: "a"})
		} else if changes := s.changes(other); len(changes) > 0 {
			d.Steps = append(d.Steps, StepDiff{ID: s.ID, Changes: changes})
		}
	}
	for i := range b.Steps {
		if find(a, b.Steps[i].ID) == nil {
			d.Steps = append(d.Steps, StepDiff{ID: b.Steps[i].ID, Only: "b"})
		}
	}
	if len(d.Steps) > 0 {
		d.First = d.first(a, b)
	}
	return d
}

// first is the step with the lowest place in either trace that differs.
func (d *TraceDiff) first(a, b *Trace) string {
	differs := make(map[string]bool, len(d.Steps))
	for _, s := range d.Steps {
		differs[s.ID] = true
	}
	for i := range max(len(a.Steps), len(b.Steps)) {
		for _, t := range []*Trace{a, b} {
			if i < len(t.Steps) && differs[t.Steps[i].ID] {
				return t.Steps[i].ID
			}
		}
	}
	return ""
}

// moments are times in what was observed, which differ from run to run.
var moments = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)

func (s *TraceStep) changes(t *TraceStep) (list []TraceChange) {
	values := func(what string, a, b json.RawMessage) {
		if !bytes.Equal(plainJSON(a), plainJSON(b)) {
			list = append(list, TraceChange{What: what, A: a, B: b})
		}
	}
	texts := func(what, a, b string) {
		if moments.ReplaceAllString(a, "") != moments.ReplaceAllString(b, "") {
			list = append(list, TraceChange{What: what, A: textJSON(a), B: textJSON(b)})
		}
	}
	texts("type", s.Type, t.Type)
	values("inputs", s.Inputs, t.Inputs)
	values("outputs", s.Outputs, t.Outputs)
	texts("route", s.Route, t.Route)
	texts("thought", s.Thought, t.Thought)
	texts("action", s.Action, t.Action)
	texts("observation", s.Observation, t.Observation)
	texts("error", s.Error, t.Error)
	return list
}

// plainJSON is a value without white space, and with its members in the order of the alphabet. Numbers keep their text.
func plainJSON(data json.RawMessage) []byte {
	v, err := document.Decode(data)
	if err != nil {
		return data
	}
	plain, err := document.Encode(v)
	if err != nil {
		return data
	}
	return plain
}

func textJSON(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return encoded(text)
}
