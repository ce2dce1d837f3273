package dataflow_test

import (
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// changed is a graph that takes the place of another one while a run waits in it.
type changed struct {
	name     string
	old, now func(t *testing.T) *dataflow.Graph
	value    string // that the refusal names, "" where the run goes on
	reason   string
	hint     string
	want     vals // what comes out where the run goes on
}

type (
	drafted struct {
		Draft string
	}
	toned struct {
		Draft string
		Tone  int
	}
	publishes struct {
		Draft    string
		Approved bool
		Tone     int `default:"7"`
	}
	limited struct {
		Approved bool
		Limit    int
	}
	maybeLimited struct {
		Approved bool
		Limit    int `default:"9"`
	}
	said struct{ Approved bool }
)

func asksFor(value string) *dataflow.NodeDef {
	return dataflow.Interrupt[string, bool]("ask", value, "approved")
}

func writes[T any](name, output string, v T) *dataflow.NodeDef {
	return dataflow.Unary(name, "topic", output, func(node.Context, string) (T, error) { return v, nil })
}

func reader[In any](f func(In) string) *dataflow.NodeDef {
	return dataflow.Func("publish", "published", dataflow.Plain(f))
}

func changes() []changed {
	made := func(parts ...dataflow.Part) func(t *testing.T) *dataflow.Graph {
		return func(t *testing.T) *dataflow.Graph { return graphOf(t, parts...) }
	}
	publish := reader(func(in publishes) string {
		return in.Draft + string(rune('0'+in.Tone))
	})
	draft := dataflow.Node("draft", dataflow.Plain(func(struct{ Topic string }) drafted { return drafted{"d"} }))
	tone := dataflow.Node("draft", dataflow.Plain(func(struct{ Topic string }) toned { return toned{"d", 3} }))
	ends := reader(func(in said) string { return "done" })
	return []changed{
		{
			name:  "a value is renamed that an open task reads",
			old:   made(writes("prepare", "approval_prompt", "may I?"), asksFor("approval_prompt"), ends),
			now:   made(writes("prepare", "prompt_data", "may I?"), asksFor("prompt_data"), ends),
			value: "prompt_data", reason: `task ask#1 reads "prompt_data", which no node has written and the run was not given`,
			hint: "if approval_prompt is prompt_data now, a migration can say so",
		},
		{
			name: "a finished node gains a value that a reader has a default for",
			old: made(draft, asksFor("draft"), reader(func(in struct {
				Draft    string
				Approved bool
			},
			) string {
				return in.Draft
			})),
			now:   made(tone, asksFor("draft"), publish),
			value: "tone", reason: `node publish reads "tone", and node draft finished without it`,
		},
		{
			name:  "a required input is added",
			old:   made(writes("prepare", "question", "may I?"), asksFor("question"), ends),
			now:   made(writes("prepare", "question", "may I?"), asksFor("question"), reader(func(limited) string { return "" })),
			value: "limit", reason: `node publish reads "limit", which no node has written and the run was not given`,
		},
		{
			name: "an optional input is added",
			old:  made(writes("prepare", "question", "may I?"), asksFor("question"), ends),
			now: made(writes("prepare", "question", "may I?"), asksFor("question"), reader(func(in maybeLimited) string {
				return string(rune('0' + in.Limit))
			})),
			want: vals{"question": "may I?", "approved": true, "published": "9"},
		},
		{
			name:  "the type of a value changes",
			old:   made(writes("prepare", "limit", "12"), asksFor("limit"), ends),
			now:   made(writes("prepare", "limit", 12), dataflow.Interrupt[int, bool]("ask", "limit", "approved"), ends),
			value: "limit", reason: `what node prepare wrote holds "limit" as a string, and the plan reads it as int`,
		},
		{
			name:  "a field of a value is renamed",
			old:   made(writes("prepare", "order", struct{ Amount int }{12}), dataflow.Interrupt[struct{ Amount int }, bool]("ask", "order", "approved"), ends),
			now:   made(writes("prepare", "order", struct{ Total int }{12}), dataflow.Interrupt[struct{ Total int }, bool]("ask", "order", "approved"), ends),
			value: "order.Amount", reason: `what node prepare wrote holds "order.Amount", and the plan has no such field`,
			hint: "if order.Amount is Total now, a migration can say so",
		},
		{
			name: "a value of the run is renamed that has a default",
			old: made(writes("prepare", "question", "may I?"), asksFor("question"), reader(func(in struct {
				Approved bool
				Max      int `default:"1"`
			},
			) string {
				return ""
			})),
			now:    made(writes("prepare", "question", "may I?"), asksFor("question"), reader(func(maybeLimited) string { return "" })),
			value:  "max",
			reason: `node publish would take its default for "limit", which is new, and the plan has no place for "max", which the run holds`,
			hint:   "if max is limit now, a migration can say so",
		},
		{
			name:  "the node that has written a required value is removed",
			old:   made(writes("prepare", "question", "may I?"), writes("price", "limit", 3), asksFor("question"), reader(func(limited) string { return "" })),
			now:   made(writes("prepare", "question", "may I?"), asksFor("question"), reader(func(limited) string { return "" })),
			value: "limit", reason: `node publish reads "limit", which node price has written and the plan does not have`,
		},
		{
			name:  "the node that has written a value with a default is removed",
			old:   made(writes("prepare", "question", "may I?"), writes("price", "limit", 3), asksFor("question"), reader(func(maybeLimited) string { return "" })),
			now:   made(writes("prepare", "question", "may I?"), asksFor("question"), reader(func(maybeLimited) string { return "" })),
			value: "limit", reason: `node publish would take its default for "limit", which node price has written and the plan does not have`,
		},
		{
			name: "nobody reads the value any more",
			old:  made(writes("prepare", "question", "may I?"), writes("price", "limit", 3), asksFor("question"), ends),
			now:  made(writes("prepare", "question", "may I?"), asksFor("question"), ends),
			want: vals{"question": "may I?", "approved": true, "published": "done"},
		},
	}
}

// A changed graph is refused before anything is consumed, and the refusal names the value; or each reader gets what was
// written, given or declared.
func TestJ8_AChangedGraphNeverReadsZero(t *testing.T) {
	for _, tt := range changes() {
		for _, answered := range []bool{false, true} {
			name := tt.name + ", the question is open"
			if answered {
				name = tt.name + ", the question is answered"
			}
			t.Run(name, func(t *testing.T) { tt.run(t, answered) })
		}
	}
}

func (tt changed) run(t *testing.T, answered bool) {
	store := memory.New()
	first := newRuntime(t, fermata.Options{Store: store})
	input := vals{"topic": "x"}
	if tt.value == "max" {
		input["max"] = 5
	}
	run := start(t, first, tt.old(t), input)
	question := ends(t, run, fermata.Paused).Interrupts[0].ID
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	rt := newRuntime(t, fermata.Options{Store: store})
	if answered {
		if err := rt.Answer(timeLimit(t), question, true, fermata.Hold()); err != nil {
			t.Fatal(err)
		}
	}
	before := lines(t, store, run.ID())
	moved, err := tt.now(t).Resume(timeLimit(t), rt, run.ID())
	if tt.value == "" {
		if err != nil {
			t.Fatal(err)
		}
		if !answered {
			ends(t, moved, fermata.Paused)
			if err := rt.Answer(timeLimit(t), question, true); err != nil {
				t.Fatal(err)
			}
		}
		same(t, "outputs", tt.want, ends(t, moved, fermata.Completed).Outputs)
		return
	}
	if err == nil {
		t.Fatalf("the plan was taken")
	}
	refused := asError[*fermata.PlanChangedError](t, err)
	same(t, "the refusal", fermata.PlanChangedError{Reason: tt.reason, Value: tt.value, Diff: refused.Diff, Hint: tt.hint}, *refused)
	same(t, "the journal", before, lines(t, store, run.ID()))
	old := resume(t, rt, tt.old(t), run.ID()) // on its own plan it goes on, and the answer counts
	if !answered {
		ends(t, old, fermata.Paused)
		if err := rt.Answer(timeLimit(t), question, true); err != nil {
			t.Fatal(err)
		}
	}
	ends(t, old, fermata.Completed)
	for _, e := range entries(t, store, run.ID()) {
		if e.Kind == journal.NodeFailed {
			t.Errorf("task %s failed", e.Node)
		}
	}
}
