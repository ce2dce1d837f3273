package dataflow_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/schema"
)

type asked struct {
	Message string
	Options []string
}

type decision struct {
	Choice string `json:"choice" jsonschema:"enum=approve,enum=edit"`
	Edited string `json:"edited,omitempty"`
}

// reviewed is a graph that asks for a decision, and does what it says.
func reviewed() []dataflow.Part {
	type drafted struct{ Draft string }
	type decided struct{ Decision decision }
	return []dataflow.Part{
		dataflow.Func("prepare", "question", func(_ node.Context, in drafted) (asked, error) {
			return asked{Message: "Is it good? " + in.Draft, Options: []string{"approve", "edit"}}, nil
		}),
		dataflow.Interrupt[asked, decision]("review", "question", "decision", node.Prompt("Please review."), node.Role("editor")),
		dataflow.Route("act", func(_ node.Context, in decided) (string, error) {
			if in.Decision.Choice == "approve" {
				return "publish", nil
			}
			return "edit", nil
		}, "publish", "edit"),
		dataflow.Func("publish", "text", func(_ node.Context, in drafted) (string, error) { return in.Draft, nil }),
		dataflow.Func("edit", "text", func(_ node.Context, in decided) (string, error) { return in.Decision.Edited, nil }),
	}
}

func answer(t *testing.T, rt *fermata.Runtime, q fermata.Interrupt, value any, opts ...fermata.AnswerOption) {
	t.Helper()
	if err := rt.Answer(timeLimit(t), q.ID, value, opts...); err != nil {
		t.Fatalf("answer: %v", err)
	}
}

// A run pauses where it asks, and says who asks what. The answer goes to whoever reads it, and the run ends in another
// process than the one that asked.
func TestH1_ARunPausesAndGoesOnElsewhere(t *testing.T) {
	g := graphOf(t, reviewed()...)
	d := onDisk(t)
	var id string
	d.process(t, func(rt *fermata.Runtime, store journal.Store) {
		run := start(t, rt, g, vals{"draft": "d"})
		id = run.ID()
		res := ends(t, run, fermata.Paused)
		q, err := dataflow.Question[asked](res.Pause)
		same(t, "pause", []any{"review", asked{"Is it good? d", []string{"approve", "edit"}}, nil, vals(nil)}, []any{res.Pause.Name, q, err, res.Outputs})
		same(t, "interrupt", []string{"review#1", "Please review.", "editor", res.Pause.ID}, []string{
			res.Interrupts[0].Task, res.Interrupts[0].Prompt, res.Interrupts[0].Role, res.Interrupts[0].ID,
		})
		same(t, "visits", []string{"prepare#1 draft<run", "review#1 question<prepare#1"}, visits(t, store, id))
	})
	d.process(t, func(rt *fermata.Runtime, store journal.Store) {
		run := resume(t, rt, g, id)
		res := ends(t, run, fermata.Paused)
		same(t, "pause", "review", res.Pause.Name)
		if err := run.Answer(timeLimit(t), decision{Choice: "edit", Edited: "better"}, fermata.AsRole("editor"), fermata.AsPerson("eve")); err != nil {
			t.Fatal(err)
		}
		res = ends(t, run, fermata.Completed)
		same(t, "outputs", vals{
			"question": asked{"Is it good? d", []string{"approve", "edit"}}, "decision": decision{"edit", "better"}, "text": "better",
		}, res.Outputs)
		if res.Pause != nil {
			t.Errorf("it has ended and is paused: %+v", res.Pause)
		}
		same(t, "visits", []string{
			"prepare#1 draft<run", "review#1 question<prepare#1", "act#1 decision<review#1", "edit#1 decision<review#1",
		}, visits(t, store, id))
	})
}

// An answer that does not fit its schema leaves the question open; so does one in the wrong role.
func TestH2_AWrongAnswerLeavesTheQuestionOpen(t *testing.T) {
	g := graphOf(t, reviewed()...)
	rt, store := inMemory(t)
	run := start(t, rt, g, vals{"draft": "d"})
	first := ends(t, run, fermata.Paused)
	editor := fermata.AsRole("editor")
	for _, wrong := range []any{"approve", map[string]any{"choice": 3}, map[string]any{}, nil, json.RawMessage(`{"choice":`)} {
		err := run.Answer(timeLimit(t), wrong, editor)
		if !errors.Is(err, fermata.ErrInvalid) && !errors.As(err, new(*schema.Error)) && asError[*fermata.Error](t, err).Code != fermata.CodeInvalid {
			t.Errorf("%v: %v", wrong, err)
		}
	}
	if err := run.Answer(timeLimit(t), decision{Choice: "approve"}); !errors.Is(err, fermata.ErrForbidden) {
		t.Errorf("without a role: %v", err)
	}
	still := ends(t, run, fermata.Paused)
	same(t, "the question", first.Pause, still.Pause)
	same(t, "answers that were taken", 0, len(only(lines(t, store, run.ID()), "interrupt.resolved")))
	if err := run.Answer(timeLimit(t), decision{Choice: "approve"}, editor); err != nil {
		t.Fatal(err)
	}
	same(t, "text", "d", ends(t, run, fermata.Completed).Outputs["text"].(string))
	err := run.Answer(timeLimit(t), decision{Choice: "approve"}, editor)
	if !errors.Is(err, fermata.ErrConflict) && asError[*fermata.Error](t, err).Code != fermata.CodeConflict {
		t.Errorf("the run has ended: %v", err)
	}
}

// two asks two questions at once, beside a node that does not wait.
func two(t *testing.T) *dataflow.Graph {
	t.Helper()
	return graphOf(t, constant("ask", "question", "who?"), dataflow.Interrupt[string, string]("left", "question", "l"),
		dataflow.Interrupt[string, int]("right", "question", "r"), says("beside", "b"), follow("behind", "l", "after"),
		dataflow.Func("both", "all", func(_ node.Context, in struct {
			L string
			R int
		},
		) (string, error) {
			return fmt.Sprint(in.L, in.R), nil
		}))
}

// Two questions are open at once and answered in any order; what needs only one of them goes on meanwhile.
func TestN5_TwoQuestionsInAnyOrder(t *testing.T) {
	for _, order := range [][]string{{"left#1", "right#1"}, {"right#1", "left#1"}} {
		g := two(t)
		rt, store := inMemory(t)
		run := start(t, rt, g, vals{})
		res := ends(t, run, fermata.Paused)
		same(t, "open", []string{"left#1", "right#1"}, tasksOf(res.Interrupts))
		err := run.Answer(timeLimit(t), "l")
		if !errors.Is(err, fermata.ErrConflict) && asError[*fermata.Error](t, err).Code != fermata.CodeConflict {
			t.Errorf("an answer to one of two: %v", err)
		}
		for i, task := range order {
			at := slices.IndexFunc(res.Interrupts, func(q fermata.Interrupt) bool { return q.Task == task })
			value := any("l")
			if task == "right#1" {
				value = 7
			}
			answer(t, rt, res.Interrupts[at], value)
			if i == 0 {
				left := ends(t, run, fermata.Paused)
				same(t, "still open", []string{order[1]}, tasksOf(left.Interrupts))
				same(t, "goes on meanwhile", task == "left#1", slices.Contains(visits(t, store, run.ID()), "behind#1 l<left#1"))
			}
		}
		same(t, "outputs", vals{"question": "who?", "l": "l", "r": 7, "b": "beside", "after": "l behind", "all": "l7"}, ends(t, run, fermata.Completed).Outputs)
	}
}

func tasksOf(list []fermata.Interrupt) []string {
	var tasks []string
	for _, q := range list {
		tasks = append(tasks, q.Task)
	}
	slices.Sort(tasks)
	return tasks
}

// A loop that asks each round asks anew, and each answer goes to its own round.
func TestH1_ALoopAsksEachRound(t *testing.T) {
	draft := dataflow.Func("draft", "text", func(_ node.Context, in struct {
		Said string `json:"said,omitempty"`
		Text string `json:"text,omitempty"`
	},
	) (string, error) {
		return in.Text + "[" + in.Said + "]", nil
	})
	gate := dataflow.Branch("good", func(_ node.Context, in struct{ Said string }) (bool, error) { return in.Said == "good", nil }, dataflow.End, draft)
	g := graphOf(t, draft, dataflow.Interrupt[string, string]("ask", "text", "said"), gate)
	d := onDisk(t)
	id := ""
	for _, say := range []string{"", "more", "better", "good"} {
		d.process(t, func(rt *fermata.Runtime, store journal.Store) {
			if id == "" {
				id = start(t, rt, g, vals{}).ID()
				return
			}
			run := resume(t, rt, g, id)
			ends(t, run, fermata.Paused)
			if err := run.Answer(timeLimit(t), say); err != nil {
				t.Fatal(err)
			}
			if say != "good" {
				ends(t, run, fermata.Paused)
				return
			}
			same(t, "outputs", vals{"text": "[][more][better]", "said": "good"}, ends(t, run, fermata.Completed).Outputs)
			same(t, "asked", []string{`node.finished ask#1`, `node.finished ask#2`, `node.finished ask#3`}, only(lines(t, store, id), "node.finished ask"))
		})
	}
}

// At its deadline a question takes its default, or the run expires; behind a default the run goes on.
func TestH4_Deadlines(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts []node.AskOption
		want fermata.Status
		out  vals
	}{
		{"a default", []node.AskOption{node.Within(time.Hour), node.OrDefault("later")}, fermata.Completed, vals{"said": "later", "used": "later use"}},
		{"none", []node.AskOption{node.Within(time.Hour)}, fermata.Expired, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			clock := fermatatest.NewClock(fermatatest.Epoch)
			rt := newRuntime(t, fermata.Options{Clock: clock})
			run := start(t, rt, graphOf(t, dataflow.Interrupt[string, string]("ask", "q", "said", tt.opts...), follow("use", "said", "used")), vals{"q": "q"})
			ends(t, run, fermata.Paused)
			clock.Advance(time.Hour)
			res := ends(t, run, tt.want)
			same(t, "outputs", tt.out, res.Outputs)
			same(t, "it has expired", tt.want == fermata.Expired, errors.Is(res.Err, fermata.ErrExpired))
		})
	}
}

// Questions of a subgraph and of the items of a map bubble up with their path, and are answered alone.
func TestG6_QuestionsBubbleUpWithTheirPath(t *testing.T) {
	inner := graphOf(t, dataflow.Interrupt[string, string]("ask", "x", "said"), follow("use", "said", "used"))
	g := graphOf(t, inner.As("one", dataflow.RenameInput("x", "q")), inner.Map("each", []string{"x"}).
		With(dataflow.RenameOutput("said", "all_said"), dataflow.RenameOutput("used", "all_used")))
	rt, store := inMemory(t)
	run := start(t, rt, g, vals{"q": "why?", "x": []string{"a", "b"}})
	res := ends(t, run, fermata.Paused)
	same(t, "open", []string{"each#1.1/ask#1", "each#1.2/ask#1", "one/ask#1"}, tasksOf(res.Interrupts))
	for i, name := range []string{"each#1.2/ask#1", "one/ask#1", "each#1.1/ask#1"} {
		at := slices.IndexFunc(res.Interrupts, func(q fermata.Interrupt) bool { return q.Task == name })
		answer(t, rt, res.Interrupts[at], fmt.Sprint("answer ", i))
	}
	same(t, "outputs", vals{
		"said": "answer 1", "used": "answer 1 use", "all_said": []string{"answer 2", "answer 0"}, "all_used": []string{"answer 2 use", "answer 0 use"},
	}, ends(t, run, fermata.Completed).Outputs)
	same(t, "the subgraph ran once", 1, len(only(lines(t, store, run.ID()), "node.started one#1")))
	only1 := start(t, rt, graphOf(t, inner.As("one")), vals{"x": "q"})
	same(t, "the name", "one/ask", ends(t, only1, fermata.Paused).Pause.Name)
}

// A node may ask in the middle of its work; what it has recorded before is not done again (law J5).
func TestJ5_ANodeAsksInTheMiddle(t *testing.T) {
	var c calls
	work := dataflow.Func("work", "done", func(ctx node.Context, in struct{ X string }) (string, error) {
		c.add("pass")
		price, err := node.Step(ctx, "price", func(node.Context) (int, error) { return c.add("price"), nil })
		if err != nil {
			return "", err
		}
		said, err := node.Interrupt[string](ctx, price)
		return fmt.Sprint(in.X, price, said), err
	})
	g := graphOf(t, work)
	rt, _ := inMemory(t)
	run := start(t, rt, g, vals{"x": "x"})
	res := ends(t, run, fermata.Paused)
	same(t, "pause", []string{"work", "1"}, []string{res.Pause.Name, string(res.Pause.Value)})
	if err := run.Answer(timeLimit(t), "yes"); err != nil {
		t.Fatal(err)
	}
	same(t, "outputs", vals{"done": "x1yes"}, ends(t, run, fermata.Completed).Outputs)
	same(t, "calls", []string{"pass: 2", "price: 1"}, c.lines())
	for name, evaluate := range map[string]func() (dataflow.Result, error){
		"Run":  func() (dataflow.Result, error) { return g.Run(timeLimit(t), vals{"x": "x"}) },
		"Call": func() (dataflow.Result, error) { return g.Call(timeLimit(t), vals{"x": "x"}) },
	} {
		if res, err := evaluate(); !errors.Is(errors.Join(err, res.Err), fermata.ErrMustWait) {
			t.Errorf("%s: %v %v", name, err, res.Err)
		}
	}
}

// A graph that asks people is refused where nobody can wait, before anything runs; so is one with such a graph in it.
func TestH3_NobodyWaitsWhereNothingIsKept(t *testing.T) {
	var c calls
	first := unary("first", "x", "question", func(s string) string { c.add("first"); return s })
	inner := graphOf(t, first, dataflow.Interrupt[string, string]("ask", "question", "said"))
	outer := graphOf(t, inner.As("deep"), inner.Map("each", []string{"x"}).With(dataflow.RenameInput("x", "list"),
		dataflow.RenameOutput("said", "all"), dataflow.RenameOutput("question", "questions")), dataflow.Interrupt[string, string]("top", "x", "last"))
	for _, tt := range []struct {
		g     *dataflow.Graph
		v     vals
		nodes []string
	}{
		{inner, vals{"x": "x"}, []string{"ask"}},
		{inner, vals{}, []string{"ask"}},
		{outer, vals{"x": "x", "list": []string{"a"}}, []string{"deep/ask", "each/ask", "top"}},
	} {
		for name, evaluate := range map[string]func() (dataflow.Result, error){
			"Run":  func() (dataflow.Result, error) { return tt.g.Run(timeLimit(t), tt.v) },
			"Call": func() (dataflow.Result, error) { return tt.g.Call(timeLimit(t), tt.v) },
		} {
			_, err := evaluate()
			same(t, name, &dataflow.IncompatibleRunnerError{Graph: "test", Nodes: tt.nodes}, asError[*dataflow.IncompatibleRunnerError](t, err))
			if !errors.Is(err, dataflow.ErrIncompatibleRunner) || !errors.Is(err, fermata.ErrMustWait) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	same(t, "what has run", []string(nil), c.lines())
}

// A handler answers in the place of people, by the interrupt's name; it is recorded as a step, and nothing pauses.
func TestJ5_AHandlerAnswers(t *testing.T) {
	var c calls
	handle := dataflow.Handle("review", func(_ node.Context, q asked) (decision, error) {
		c.add(q.Message)
		return decision{Choice: "edit", Edited: "handled"}, nil
	})
	g := graphOf(t, append(reviewed(), handle)...)
	got, _, told := outcome(t, g, vals{"draft": "d"})
	same(t, "text", "handled", got["text"].(string))
	same(t, "steps", []string{"step.finished review#1"}, only(told, "step.finished"))
	res, err := g.Call(timeLimit(t), vals{"draft": "d"})
	same(t, "Call", []any{"handled", nil}, []any{res.Outputs["text"], err})
	same(t, "calls", []string{"Is it good? d: 2"}, c.lines())
	renamed := reviewed()
	renamed[0] = renamed[0].(*dataflow.NodeDef).With(dataflow.RenameOutput("question", "other"))
	renamed[1] = renamed[1].(*dataflow.NodeDef).With(dataflow.RenameInput("question", "other"))
	res, err = graphOf(t, append(renamed, handle)...).Call(timeLimit(t), vals{"draft": "d"})
	same(t, "its values have other names", []any{"handled", nil}, []any{res.Outputs["text"], err})
	failing := dataflow.Handle("review", func(node.Context, asked) (decision, error) { return decision{}, errors.New("nobody is in") })
	res, err = graphOf(t, append(reviewed(), failing)...).Call(timeLimit(t), vals{"draft": "d"})
	if err = errors.Join(err, res.Err); err == nil || !strings.Contains(err.Error(), "nobody is in") {
		t.Errorf("a handler that fails: %v", err)
	}
}

// Handlers are checked when the graph is made.
func TestF7_HandlersAreCheckedWhenTheGraphIsMade(t *testing.T) {
	wrong := dataflow.Handle("review", func(node.Context, string) (decision, error) { return decision{}, nil })
	same(t, "types", []dataflow.Problem{{
		Code: dataflow.TypeMismatch, Node: "review",
		Message: "its handler is a func(node.Context, string) (dataflow_test.decision, error); " +
			"expected func(node.Context, dataflow_test.asked) (dataflow_test.decision, error)",
	}}, problemsOf(t, append(reviewed(), wrong)...))
	slip := dataflow.Handle("reveiw", func(node.Context, asked) (decision, error) { return decision{}, nil })
	same(t, "a slip", []dataflow.Problem{{
		Code: plan.UnknownNode, Found: "reveiw", Nearest: "review",
		Message: `there is a handler for "reveiw", and no interrupt of that name; did you mean "review"?`,
	}}, problemsOf(t, append(reviewed(), slip)...))
}
