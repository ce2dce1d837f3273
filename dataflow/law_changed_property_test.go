package dataflow_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// drawnWriter writes a number, or a text, under a name, before the run asks.
type drawnWriter struct {
	node, name string
	text       bool
	value      int
}

// drawnReader reads a name once the question is answered, maybe with a default.
type drawnReader struct {
	name     string
	text     bool
	fallback bool
}

type drawnGraph struct {
	writers []drawnWriter
	readers []drawnReader

	prompt, answer int // types of the question and of its answer: places in drawnPrompts and drawnAnswers
	broken         *atomic.Bool
}

// drawnPrompt is a type of what is asked.
type drawnPrompt struct {
	name     string
	prepare  dataflow.Part
	question func(p *dataflow.Pause) (read any, err error)
}

type (
	promptAmount struct{ Amount int }
	promptTotal  struct{ Total int }
	promptMore   struct{ Amount, Tip int }
)

func prompts[P any](name string, v P) drawnPrompt {
	return drawnPrompt{name, writes("prepare", "question", v), func(p *dataflow.Pause) (any, error) { return dataflow.Question[P](p) }}
}

var drawnPrompts = []drawnPrompt{
	prompts("amount", promptAmount{7}), prompts("total", promptTotal{7}), prompts("more", promptMore{7, 0}), prompts("tip", promptMore{7, 2}),
	prompts("text", "7"), prompts("any", map[string]any{"Amount": 7}),
}

// drawnAnswer is a type that an answer is read into.
type drawnAnswer struct {
	name  string
	own   bool // with a schema of the author's
	parts func(prompt string, broken *atomic.Bool) []dataflow.Part
}

type (
	answerAmount struct {
		Ok     bool
		Amount int
	}
	answerTotal struct {
		Ok    bool
		Total int
	}
	heardAnswer struct {
		Approved bool
		Heard    string
	}
)

func answersOf[R any](name string, own bool) drawnAnswer {
	var opts []node.AskOption
	if own {
		opts = append(opts, node.ResponseSchema([]byte(`{"type":"object"}`)))
	}
	return drawnAnswer{name, own, func(prompt string, broken *atomic.Bool) []dataflow.Part {
		ask := map[string]dataflow.Part{
			"amount": dataflow.Interrupt[promptAmount, R]("ask", "question", "answer", opts...),
			"total":  dataflow.Interrupt[promptTotal, R]("ask", "question", "answer", opts...),
			"more":   dataflow.Interrupt[promptMore, R]("ask", "question", "answer", opts...),
			"tip":    dataflow.Interrupt[promptMore, R]("ask", "question", "answer", opts...),
			"text":   dataflow.Interrupt[string, R]("ask", "question", "answer", opts...),
			"any":    dataflow.Interrupt[map[string]any, R]("ask", "question", "answer", opts...),
		}
		return []dataflow.Part{ask[prompt], dataflow.Node("judge", func(_ node.Context, in struct{ Answer R }) (heardAnswer, error) {
			if broken.Load() {
				return heardAnswer{}, errors.New("broken")
			}
			heard, err := json.Marshal(in.Answer)
			return heardAnswer{true, string(heard)}, err
		})}
	}}
}

var drawnAnswers = []drawnAnswer{
	answersOf[answerAmount]("amount", false), answersOf[answerTotal]("total", false), answersOf[any]("any", false),
	answersOf[answerAmount]("amount", true), answersOf[answerTotal]("total", true), answersOf[any]("any", true),
}

var drawnNames = []string{"amount", "total", "limit"}

func (w drawnWriter) part() dataflow.Part {
	if w.text {
		return writes(w.node, w.name, fmt.Sprint(w.value))
	}
	return writes(w.node, w.name, w.value)
}

// reads makes a reader that tells what it was given.
func reads[In any](name string, of func(In) any) dataflow.Part {
	return dataflow.Func("tell_"+name, "told_"+name, dataflow.Plain(func(in In) string { return fmt.Sprint(of(in)) }))
}

func (r drawnReader) part() dataflow.Part {
	switch fmt.Sprintf("%s %t %t", r.name, r.text, r.fallback) {
	case "amount false false":
		return reads(r.name, func(in struct {
			Approved bool
			Amount   int
		},
		) any {
			return in.Amount
		})
	case "amount false true":
		return reads(r.name, func(in struct {
			Approved bool
			Amount   int `default:"99"`
		},
		) any {
			return in.Amount
		})
	case "total false false":
		return reads(r.name, func(in struct {
			Approved bool
			Total    int
		},
		) any {
			return in.Total
		})
	case "total false true":
		return reads(r.name, func(in struct {
			Approved bool
			Total    int `default:"99"`
		},
		) any {
			return in.Total
		})
	case "limit false false":
		return reads(r.name, func(in struct {
			Approved bool
			Limit    int
		},
		) any {
			return in.Limit
		})
	case "limit false true":
		return reads(r.name, func(in struct {
			Approved bool
			Limit    int `default:"99"`
		},
		) any {
			return in.Limit
		})
	case "amount true false":
		return reads(r.name, func(in struct {
			Approved bool
			Amount   string
		},
		) any {
			return in.Amount
		})
	case "total true false":
		return reads(r.name, func(in struct {
			Approved bool
			Total    string
		},
		) any {
			return in.Total
		})
	}
	return reads(r.name, func(in struct {
		Approved bool
		Limit    string
	},
	) any {
		return in.Limit
	})
}

// graph is nil for what is no graph: a reader of what nobody writes, or of another type.
func (d drawnGraph) graph() *dataflow.Graph {
	prompt := drawnPrompts[d.prompt]
	parts := append([]dataflow.Part{prompt.prepare}, drawnAnswers[d.answer].parts(prompt.name, d.broken)...)
	for _, w := range d.writers {
		parts = append(parts, w.part())
	}
	for _, r := range d.readers {
		parts = append(parts, r.part())
	}
	g, err := dataflow.New("test", parts...)
	if err != nil {
		return nil
	}
	return g
}

func drawGraph(t *rapid.T) (d drawnGraph) {
	d.broken = new(atomic.Bool)
	d.prompt, d.answer = rapid.IntRange(0, len(drawnPrompts)-1).Draw(t, "prompt"), rapid.IntRange(0, len(drawnAnswers)-1).Draw(t, "answer")
	names := rapid.Permutation(drawnNames).Draw(t, "names")
	for i := range rapid.IntRange(0, 3).Draw(t, "writers") {
		d.writers = append(d.writers, drawnWriter{node: fmt.Sprint("w", i), name: names[i], text: rapid.Bool().Draw(t, "text"), value: 5 + i})
	}
	for _, name := range drawnNames {
		if rapid.Bool().Draw(t, "reads "+name) {
			i := slices.IndexFunc(d.writers, func(w drawnWriter) bool { return w.name == name })
			text := i >= 0 && d.writers[i].text // what nobody writes has a default
			d.readers = append(d.readers, drawnReader{name, text, !text && (i < 0 || rapid.Bool().Draw(t, "default"))})
		}
	}
	return d
}

// changedGraph is what the author makes of it meanwhile.
func changedGraph(t *rapid.T, old drawnGraph) (now drawnGraph, renames map[string]string) {
	now.prompt, now.answer, now.broken = old.prompt, old.answer, new(atomic.Bool)
	renames = make(map[string]string)
	switch rapid.SampledFrom([]string{"keep", "prompt", "answer"}).Draw(t, "change of the question") {
	case "prompt":
		now.prompt = rapid.IntRange(0, len(drawnPrompts)-1).Draw(t, "prompt")
	case "answer":
		now.answer = rapid.IntRange(0, len(drawnAnswers)-1).Draw(t, "answer")
	}
	if len(old.writers) > 0 && len(old.writers) < len(drawnNames) && rapid.IntRange(0, 2).Draw(t, "rename one") == 0 {
		return old.renamedOne(t, now)
	}
	for _, w := range old.writers {
		switch rapid.SampledFrom([]string{"keep", "keep", "rename", "remove", "retype", "move"}).Draw(t, "change of "+w.node) {
		case "remove":
			continue
		case "rename":
			was := w.name
			if w.name = rapid.SampledFrom(drawnNames).Draw(t, "name"); w.name != was {
				renames[was] = w.name
			}
		case "retype":
			w.text = !w.text
		case "move":
			w.node, w.value = "other_"+w.node, w.value+20
		}
		if !slices.ContainsFunc(now.writers, func(other drawnWriter) bool { return other.name == w.name }) {
			now.writers = append(now.writers, w)
		}
	}
	for _, name := range drawnNames {
		i := slices.IndexFunc(old.readers, func(r drawnReader) bool { return r.name == name })
		switch rapid.SampledFrom([]string{"keep", "keep", "remove", "add", "default"}).Draw(t, "change of the reader of "+name) {
		case "keep":
			if i >= 0 {
				now.readers = append(now.readers, old.readers[i])
			}
		case "add", "default":
			text := slices.ContainsFunc(now.writers, func(w drawnWriter) bool { return w.name == name && w.text })
			now.readers = append(now.readers, drawnReader{name, text, !text && rapid.Bool().Draw(t, "default")})
		}
	}
	return now, renames
}

// renamedOne is the graph with another name for one value, wherever it is written or read.
func (d drawnGraph) renamedOne(t *rapid.T, now drawnGraph) (drawnGraph, map[string]string) {
	was := rapid.SampledFrom(d.writers).Draw(t, "writer").name
	var free []string
	for _, name := range drawnNames {
		if !slices.ContainsFunc(d.writers, func(w drawnWriter) bool { return w.name == name }) {
			free = append(free, name)
		}
	}
	is := rapid.SampledFrom(free).Draw(t, "name")
	for _, w := range d.writers {
		if w.name == was {
			w.name = is
		}
		now.writers = append(now.writers, w)
	}
	for _, r := range d.readers {
		if r.name == is { // there is another one now
			continue
		}
		if r.name == was {
			r.name = is
		}
		now.readers = append(now.readers, r)
	}
	return now, map[string]string{was: is}
}

// may lists what a reader may be told: what the old plan has written under the name; else what a node that is new writes; else
// its default. Nothing else, and a zero least of all.
func (d drawnGraph) may(old drawnGraph, moves map[string]string, r drawnReader) string {
	for _, w := range old.writers {
		if to, moved := moves[w.name]; moved {
			w.name = to
		}
		if w.name == r.name && slices.ContainsFunc(d.writers, func(now drawnWriter) bool { return now.node == w.node && now.name == w.name }) {
			return fmt.Sprint(w.value)
		}
	}
	for _, w := range d.writers {
		if w.name == r.name && !slices.ContainsFunc(old.writers, func(before drawnWriter) bool { return before.node == w.node }) {
			return fmt.Sprint(w.value)
		}
	}
	return "99"
}

// Whatever becomes of a dataflow while a run waits, or after it has failed: each reader is told what was written under its name, or
// under the name that a migration says, what a new node writes, or a default that stands in for nothing; the question and its answer are
// read whole. Or the plan is refused with the name of a value before anything is written, and the run goes on with the plan as it was.
func TestJ8_NoChangeOfADataflowMakesAZero(t *testing.T) {
	seen := make(map[string]int)
	draw := func(r *rapid.T) {
		before := drawGraph(r)
		after, renames := changedGraph(r, before)
		old, now := before.graph(), after.graph()
		if old == nil || now == nil {
			return
		}
		store := memory.New()
		failed := rapid.Bool().Draw(r, "the run has failed")
		answer := json.RawMessage(`{"Ok":true,"Amount":120}`)
		if drawnAnswers[before.answer].name == "total" {
			answer = json.RawMessage(`{"Ok":true,"Total":120}`)
		}
		id, pause := before.takenTo(r, old, store, answer, failed)
		if id == "" {
			return // a reader needs what nobody writes
		}
		asked, err := drawnPrompts[after.prompt].question(pause)
		wholeOrNamed(r, "question", pause.Value, asked, err)
		rt, err := fermata.New(fermata.Options{Store: store})
		if err != nil {
			r.Fatal(err)
		}
		defer rt.Close()
		head := headOf(r, store, id)
		again := func(g *dataflow.Graph) (*dataflow.Run, error) {
			if failed {
				return g.Retry(t.Context(), rt, id)
			}
			return g.Resume(t.Context(), rt, id)
		}
		moves := map[string]string{}
		var run *dataflow.Run
		if len(renames) > 0 && rapid.Bool().Draw(r, "migrate") {
			moves = renames
			run, err = now.Migrate(t.Context(), rt, id, plan.Migration{Values: moves})
		} else {
			run, err = again(now)
		}
		shape := after
		if err != nil {
			seen[fmt.Sprintf("refused, failed %t", failed)]++
			var changed *fermata.PlanChangedError
			wrong := (*fermata.Error)(nil)
			invalid := len(moves) > 0 && errors.As(err, &wrong) && wrong.Code == fermata.CodeInvalid
			if !invalid && (!errors.As(err, &changed) || changed.Value == "" && !strings.Contains(changed.Reason, "node")) {
				r.Fatalf("the error is %v, want one that names a value", err)
			}
			if got := headOf(r, store, id); got != head {
				r.Errorf("the journal grew from %d to %d", head, got)
			}
			shape, moves = before, nil
			before.broken.Store(false)
			if run, err = again(old); err != nil {
				r.Fatal(err)
			}
		}
		res, err := run.Wait(t.Context())
		if err == nil && res.Status == fermata.Blocked {
			seen["blocked"]++
			if after.answer == before.answer || !errors.Is(res.Err, fermata.ErrPlanChanged) && !errors.Is(res.Err, fermata.ErrDiverged) {
				r.Fatalf("%+v became %+v: the run is blocked: %v", before, after, res.Err)
			}
			return
		}
		if err != nil || res.Status != fermata.Completed {
			r.Fatalf("%+v became %+v: the run is %s (%v), error %v", before, after, res.Status, res.Err, err)
		}
		seen[fmt.Sprintf("completed, failed %t, moved %t", failed, len(moves) > 0)]++
		for _, reader := range shape.readers {
			if got, want := fmt.Sprint(res.Outputs["told_"+reader.name]), shape.may(before, moves, reader); got != want {
				r.Errorf("%+v became %+v by %v: the reader of %s was told %s, want %s", before, after, moves, reader.name, got, want)
			}
		}
		wholeOrNamed(r, "answer", answer, json.RawMessage(res.Outputs["heard"].(string)), nil)
	}
	lawtest.CheckUntilSeen(t, draw, seen,
		"refused, failed true", "refused, failed false", "blocked", "completed, failed true, moved true", "completed, failed false, moved false")
}

// takenTo takes a run to where its answer is there and nobody has read it, or to where it has failed behind that; "" where the graph needs
// more than it is given.
func (d drawnGraph) takenTo(r *rapid.T, g *dataflow.Graph, store journal.Store, answer json.RawMessage, failed bool) (string, *dataflow.Pause) {
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		r.Fatal(err)
	}
	defer rt.Close()
	run, err := g.Start(context.Background(), rt, vals{"topic": "x"})
	if errors.As(err, new(*dataflow.InputError)) {
		return "", nil
	}
	if err != nil {
		r.Fatal(err)
	}
	res, err := run.Wait(context.Background())
	if err != nil || res.Status != fermata.Paused {
		r.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
	}
	pause := res.Pause
	var opts []fermata.AnswerOption
	if d.broken.Store(failed); !failed {
		opts = append(opts, fermata.Hold())
	}
	if err := rt.Answer(context.Background(), pause.ID, answer, opts...); err != nil {
		r.Fatal(err)
	}
	if failed {
		if res, err = run.Wait(context.Background()); err != nil || res.Status != fermata.Failed {
			r.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
		}
	}
	return run.ID(), pause
}

// wholeOrNamed checks that what was read holds all that was there, or that the error names a part of it.
func wholeOrNamed(t *rapid.T, what string, was json.RawMessage, read any, err error) {
	var members map[string]any
	if json.Unmarshal(was, &members) != nil {
		members = map[string]any{"": string(was)}
	}
	if err != nil {
		var changed *fermata.PlanChangedError
		if !errors.As(err, &changed) || !errors.Is(err, fermata.ErrPlanChanged) {
			t.Fatalf("the %s: %v", what, err)
		}
		if _, there := members[changed.Value]; !there && changed.Value != "" {
			t.Errorf("the %s is %s, and the refusal names %q", what, was, changed.Value)
		}
		return
	}
	got, err := json.Marshal(read)
	if err != nil {
		t.Fatal(err)
	}
	var kept map[string]any
	if json.Unmarshal(got, &kept) != nil {
		kept = map[string]any{"": string(got)}
	}
	for name, v := range members {
		if v != 0.0 && !cmp.Equal(v, kept[name]) {
			t.Errorf("the %s was %s and is read as %s", what, was, got)
		}
	}
}

func headOf(t rapid.TB, store journal.Store, run string) uint64 {
	rows, err := store.Runs(context.Background(), journal.RunFilter{ID: run})
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	return rows[0].Head
}
