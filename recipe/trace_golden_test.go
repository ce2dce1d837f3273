package recipe_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/recipe"
)

// A trace is stable: of a run under a clock that stands still every byte is pinned. The run is thought about, claimed, given
// back, reassigned, escalated and answered in a role, fails, waits for its next try, and completes.
func TestJ1_TraceToTheByte(t *testing.T) {
	const text = `
policy: {max_retries: 1}
topology:
  entry_point: draft
  nodes:
    - {type: agent, id: draft, agent_ref: draft}
    - {type: human, id: review, prompt: "Send {{ draft }}?", required_role: clerk, options: ["yes", "no"], timeout_seconds: 60,
       on_timeout: {escalate: boss, timeout_seconds: 600}}
    - {type: router, id: gate, input_key: review, routes: {"yes": send}, default_route: drop}
    - {type: agent, id: send, agent_ref: send}
    - {type: agent, id: drop, agent_ref: draft}
  edges: [{source: draft, target: review}, {source: review, target: gate}]
`
	tries := 0
	lib := &recipe.Library{Agents: map[string]recipe.AgentFunc{
		"draft": func(ctx node.Context, _ map[string]any) (any, error) {
			c, err := ctx.LLM().Complete(ctx, "write", node.CallID("write"))
			if err != nil {
				return nil, err
			}
			return c.Text, nil
		},
		"send": func(ctx node.Context, _ map[string]any) (any, error) {
			if tries++; tries == 1 {
				return nil, node.RetryAfter(errors.New("no line"), time.Minute)
			}
			return node.Step(ctx, "mail", func(node.Context) (map[string]any, error) { return map[string]any{"sent": true}, nil })
		},
	}}
	r, err := recipe.Parse([]byte(text), "letter.yaml", recipe.Options{Library: lib})
	if err != nil {
		t.Fatal(err)
	}
	clock := fermatatest.NewClock(time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC))
	m := scripted.New(scripted.Script{Replies: []scripted.Reply{{Reasoning: "Short is best.", Text: "Dear Ann"}}})
	rt, err := fermata.New(fermata.Options{Clock: clock, Services: []any{m}})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	run, err := rt.Start(t.Context(), r.Plan(), map[string]any{}, fermata.WithID("run_letter"), fermata.StartedBy("ann"))
	if err != nil {
		t.Fatal(err)
	}
	question := func() string {
		t.Helper()
		if _, err := run.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		asked, err := rt.Inbox(t.Context(), journal.InboxFilter{})
		if err != nil || len(asked) != 1 {
			t.Fatalf("%d questions, %v", len(asked), err)
		}
		return asked[0].ID
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	id := question()
	must(rt.Claim(t.Context(), id, "bob", "clerk"))
	must(rt.Release(t.Context(), id, "bob"))
	must(rt.Reassign(t.Context(), id, fermata.Assignment{Person: "dan", Note: "on holiday"}, fermata.AsPerson("bob"), fermata.AsRole("clerk")))
	clock.Advance(61 * time.Second)
	for role := ""; role != "boss"; {
		asked, err := rt.Inbox(t.Context(), journal.InboxFilter{ID: question()})
		must(err)
		role = asked[0].Role
	}
	clock.Advance(2 * time.Minute)
	must(rt.Answer(t.Context(), id, "yes", fermata.AsPerson("carol"), fermata.AsRole("boss")))
	ended := make(chan error)
	go func() {
		_, err := run.Wait(t.Context())
		ended <- err
	}()
	for over := false; !over; runtime.Gosched() {
		select {
		case err := <-ended:
			must(err)
			over = true
		default:
			if at, ok := clock.Next(); ok && at.Sub(clock.Now()) <= time.Minute { // the next try
				clock.AdvanceTo(at)
			}
		}
	}
	data, err := json.Marshal(trace(t, rt, run.ID()))
	must(err)
	var got bytes.Buffer
	must(json.Indent(&got, data, "", "  "))
	got.WriteByte('\n')
	golden.File(t, "testdata/trace.golden.json", got.String())
}
