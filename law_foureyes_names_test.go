package fermata_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// chainOfSigners is a chain of nodes that ask one question each. A node may name others of the chain whose people may not
// answer its own.
type chainOfSigners struct {
	Names  []string // of the nodes, in their order
	NotBy  [][]int  // of each node: the places of those that it names
	Inside string   // the subgraph that they are in, "" for none
}

func (c chainOfSigners) graph() *graph.Graph[state] {
	b := graph.New[state]("signers").Edge(graph.Start, c.Names[0])
	for i, name := range c.Names {
		var others []string
		for _, j := range c.NotBy[i] {
			others = append(others, c.Names[j])
		}
		b.Node(name, func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, nil, node.ID("signs"), node.NotBy(others...))
			return s, err
		})
		if i > 0 {
			b.Edge(c.Names[i-1], name)
		}
	}
	g := b.MustCompile()
	if c.Inside == "" {
		return g
	}
	return graph.New[state]("outer").Sub(c.Inside, g).Edge(graph.Start, c.Inside).MustCompile()
}

// path is where a node of the chain is in the plan.
func (c chainOfSigners) path(i int) string { return strings.TrimPrefix(c.Inside+"/"+c.Names[i], "/") }

// to is the migration to the same chain under other names.
func (c chainOfSigners) to(other chainOfSigners) plan.Migration {
	m := plan.Migration{Nodes: map[string]string{}}
	if c.Inside != other.Inside {
		m.Nodes[c.Inside] = other.Inside
	}
	for i := range c.Names {
		if c.path(i) != other.path(i) {
			m.Nodes[c.path(i)] = other.path(i)
		}
	}
	return m
}

// apart reports whether one person may not answer at both places.
func (c chainOfSigners) apart(i, j int) bool {
	return slices.Contains(c.NotBy[i], j) || slices.Contains(c.NotBy[j], i)
}

// needsName reports whether an answer at a place needs a name: it names others, or one that was asked before names it.
func (c chainOfSigners) needsName(at int) bool {
	for i := range at {
		if slices.Contains(c.NotBy[i], at) {
			return true
		}
	}
	return len(c.NotBy[at]) > 0
}

// Whatever nodes are called from one moment to the next, wherever the run is taken, and in whichever order people answer: an
// answer is taken if, and only if, its person has answered no node that is to be another's.
func TestH6_FourEyesOutliveEveryRename(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := chainOfSigners{Names: []string{"a", "b", "c", "d"}}
		if rapid.Bool().Draw(r, "inside") {
			c.Inside = "s"
		}
		for i := range c.Names {
			c.NotBy = append(c.NotBy, nil)
			for j := range c.Names {
				if i != j && rapid.IntRange(0, 3).Draw(r, fmt.Sprint(i, " names ", j)) == 0 {
					c.NotBy[i] = append(c.NotBy[i], j)
				}
			}
		}
		store, g := memory.New(), c.graph()
		rt := newRuntime(t, fermata.Options{Store: store})
		id := start(t, rt, g, state{}).ID()
		signed := make([]string, len(c.Names))
		for at, steps := 0, 0; at < len(c.Names) && steps < 16; steps++ {
			res := wait(t, resume(t, rt, g, id))
			if res.Status == fermata.Failed {
				nameless := false
				for i := range at {
					nameless = nameless || c.apart(i, at) && signed[i] == ""
				}
				if !nameless || !strings.Contains(res.Err.Error(), "nobody knows who answered") {
					r.Fatalf("the run failed at %d: %v; answered by %q", at, res.Err, signed)
				}
				return
			}
			q := res.Interrupts[0]
			switch do := rapid.SampledFrom([]string{"answer", "answer", "migrate", "fork", "move"}).Draw(r, "do"); do {
			case "answer":
				by := rapid.SampledFrom([]string{"Ada", "Bob", "Fay", " FAY\u200b", ""}).Draw(r, "by")
				may := by != "" || !c.needsName(at)
				for i := range at {
					may = may && (!c.apart(i, at) || !fermata.SamePerson(signed[i], by))
				}
				err := rt.Answer(t.Context(), q.ID, true, fermata.AsPerson(by), fermata.Hold())
				if (err == nil) != may || err != nil && !errors.Is(err, fermata.ErrForbidden) {
					r.Fatalf("%q at %d (%s), expected to be taken: %t, is %v; answered by %q, kept apart %v",
						by, at, q.Task, may, err, signed, c.NotBy)
				}
				if err == nil {
					signed[at] = by
					at++
				}
			case "migrate", "fork":
				change := func(rt *fermata.Runtime, id string, p *plan.Plan, m plan.Migration) (*fermata.Run, error) {
					return rt.Migrate(t.Context(), id, p, m, "")
				}
				if do == "fork" {
					change = func(rt *fermata.Runtime, id string, p *plan.Plan, m plan.Migration) (*fermata.Run, error) {
						return rt.Fork(t.Context(), id, p, fermata.ForkOptions{Migration: m, Hold: true, By: "Gus"})
					}
				}
				now := c
				now.Names = rapid.Permutation([]string{"a", "b", "c", "d", "e", "f"}).Draw(r, "names")[:len(c.Names)]
				if c.Inside != "" {
					now.Inside = rapid.SampledFrom([]string{"s", "t"}).Draw(r, "inside")
				}
				moves := c.to(now)
				if err := rt.Close(); err != nil {
					r.Fatal(err)
				}
				rt = newRuntime(t, fermata.Options{Store: store})
				run, err := change(rt, id, now.graph().Plan(), moves)
				if errors.Is(err, fermata.ErrPlanChanged) { // a task would get the name of another one
					continue
				}
				if err != nil {
					r.Fatal(err)
				}
				id, c, g = run.ID(), now, now.graph()
			case "move":
				other := memory.New()
				o := fermata.ImportOptions{ID: rapid.SampledFrom([]string{"", "run_moved"}).Draw(r, "as")}
				home := newRuntime(t, fermata.Options{Store: other})
				info, err := home.Import(t.Context(), bytes.NewReader(exports(t, store, id)), o)
				if err != nil {
					r.Fatal(err)
				}
				_ = rt.Close()
				id, store, rt = info.ID, other, home
			}
		}
	})
}

// sideBySide asks in two nodes at once; only the second says that it is for another person than the first.
func sideBySide() *graph.Graph[state] {
	asks := func(opts ...node.AskOption) graph.Func[state] {
		return func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, nil, opts...)
			return s, err
		}
	}
	return graph.New[state]("side by side").
		Node("first", asks()).Node("second", asks(node.NotBy("first"))).Node("join", logged, graph.All()).
		Edge(graph.Start, "first").Edge(graph.Start, "second").Edge("first", "join").Edge("second", "join").MustCompile()
}

// openOf finds the question that a node has open.
func openOf(t *testing.T, rt *fermata.Runtime, run, path string) fermata.Interrupt {
	t.Helper()
	list, err := rt.Inbox(t.Context(), journal.InboxFilter{Run: run})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(q fermata.Interrupt) bool { return nodeOf(q.Task) == path })
	if i < 0 {
		t.Fatalf("%s asks nothing: %+v", path, list)
	}
	return list[i]
}

// NotBy holds both ways, whichever is answered first: one after the other, at once, in the same moment by two processes, and
// after a move to another store.
func TestH6_NotByHoldsBothWays(t *testing.T) { onStores(t, bothWays) }

func bothWays(t *testing.T, store journal.Store) {
	no := refusal{fermata.CodeForbidden, fermata.ErrForbidden}
	rt, g := newRuntime(t, fermata.Options{Store: store}), sideBySide()
	for _, order := range [][2]string{{"first", "second"}, {"second", "first"}} {
		run := start(t, rt, g, state{})
		ends(t, run, fermata.Paused)
		one, other := openOf(t, rt, run.ID(), order[0]), openOf(t, rt, run.ID(), order[1])
		refused(t, rt.AnswerAll(t.Context(), map[string]any{one.ID: true, other.ID: true}, fermata.AsPerson("Fay")), no)
		refused(t, rt.Answer(t.Context(), one.ID, true, fermata.Hold()), no) // nobody in particular
		answer(t, rt, one.ID, true, fermata.AsPerson("Fay"))
		moved := imports(t, memory.New(), exports(t, store, run.ID()), fermata.ImportOptions{})
		if moved.Waiting != 1 {
			t.Errorf("%d questions are open after the move, expected 1", moved.Waiting)
		}
		refused(t, rt.Answer(t.Context(), other.ID, true, fermata.AsPerson("fay")), no)
		refused(t, rt.Claim(t.Context(), other.ID, "FAY", ""), no)
		answer(t, rt, one.ID, true, fermata.AsPerson("Fay")) // again
		answer(t, rt, other.ID, true, fermata.AsPerson("Ada"))
		ends(t, run, fermata.Completed)

		run = start(t, rt, g, state{})
		ends(t, run, fermata.Paused)
		one, other = openOf(t, rt, run.ID(), order[0]), openOf(t, rt, run.ID(), order[1])
		between := &meddling{Store: store, what: func() {
			_ = rt.Answer(t.Context(), other.ID, true, fermata.AsPerson("Fay"), fermata.Hold())
		}}
		door := newRuntime(t, fermata.Options{Store: between})
		refused(t, door.Answer(t.Context(), one.ID, true, fermata.AsPerson("Fay"), fermata.Hold()), no)
		if q := interruptNow(t, rt, other.ID); q.AnsweredBy != "Fay" {
			t.Errorf("%s is %s, answered by %q; expected Fay", order[1], q.State, q.AnsweredBy)
		}
		_ = run.Stop(0)
	}
}

// asksAfter is a chain of a node that asks anybody and one that asks with the given options.
func asksAfter(opts ...node.AskOption) *graph.Graph[state] {
	return compile(func(b *graph.Builder[state]) *graph.Builder[state] {
		return b.Node("a", func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, nil)
			return s, err
		}).Node("b", func(ctx node.Context, s state) (state, error) {
			_, err := node.Interrupt[bool](ctx, nil, opts...)
			return s, err
		}).Node("approval", logged).Edge("a", "b").Edge("b", "approval")
	})
}

// An open question names the nodes that it is kept apart from as the plan calls them that the run is on.
func TestH6_AnOpenQuestionNamesNodesAsTheyAreNow(t *testing.T) {
	store := memory.New()
	c := chainOfSigners{Names: []string{"a", "b", "c"}, NotBy: [][]int{nil, {0}, {1}}}
	first := newRuntime(t, fermata.Options{Store: store})
	run := start(t, first, c.graph(), state{})
	answer(t, first, question(t, run).ID, true, fermata.AsPerson("Ada"))
	q := question(t, run)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	now := c
	now.Names = []string{"x", "y", "z"}
	rt := newRuntime(t, fermata.Options{Store: store})
	if _, err := rt.Migrate(t.Context(), run.ID(), now.graph().Plan(), c.to(now), ""); err != nil {
		t.Fatal(err)
	}
	if got := interruptNow(t, rt, q.ID).NotByNodes; !slices.Equal(got, []string{"x"}) {
		t.Errorf("the question of y is kept apart from %q, expected x", got)
	}
}

// A question that nobody could answer, or of which nobody knows who else may, is refused when it opens, in words that name
// nobody; and so is one that is apart from a node that is not there.
func TestH6_WhatCannotBeKeptApartIsNotAsked(t *testing.T) {
	const forOne = "for one person, who may not answer it"
	for name, tt := range map[string]struct {
		by   string
		opts []node.AskOption
		want string
	}{
		"no such node": {
			"Fay",
			[]node.AskOption{node.NotBy("aproval")},
			`NotBy names "aproval", and the plan has no such node; did you mean "approval"?`,
		},
		"answered by nobody":               {"", []node.AskOption{node.NotBy("a")}, "nobody knows who answered a"},
		"for the one who answered":         {"Fay", []node.AskOption{node.NotBy("a"), node.Assignee("fay"), node.Role("clerk")}, forOne},
		"for the one who started the run":  {"Ada", []node.AskOption{node.FourEyes(), node.Assignee("SAM")}, forOne},
		"for another person":               {"Fay", []node.AskOption{node.NotBy("a"), node.FourEyes(), node.Assignee("Ada")}, ""},
		"apart from one who has not asked": {"Fay", []node.AskOption{node.NotBy("b")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			rt, _ := inMemory(t)
			run := start(t, rt, asksAfter(tt.opts...), state{}, fermata.StartedBy("Sam"))
			answer(t, rt, question(t, run).ID, true, fermata.AsPerson(tt.by))
			if tt.want == "" {
				ends(t, run, fermata.Paused)
				return
			}
			err := ends(t, run, fermata.Failed).Err
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, expected: %s", err, tt.want)
			}
			for _, name := range []string{"Fay", "fay", "Sam", "SAM"} {
				if strings.Contains(err.Error(), name) {
					t.Errorf("the error names %s: %v", name, err)
				}
			}
		})
	}
}

// Nobody forks a run whose open question is for them alone, and needs a second person.
func TestH6_NoForkByTheOneWhoIsAsked(t *testing.T) {
	rt, _ := inMemory(t)
	g := asksAfter(node.FourEyes(), node.Assignee("Ada"), node.Override("chief"))
	run := start(t, rt, g, state{}, fermata.StartedBy("Sam"))
	answer(t, rt, question(t, run).ID, true)
	q := question(t, run)
	_, err := g.Fork(t.Context(), rt, run.ID(), graph.ForkOptions[state]{By: "ada"})
	refused(t, err, refusal{code: fermata.CodeInvalid})
	bob := fermata.Assignment{Person: "Bob"}
	if err := rt.Reassign(t.Context(), q.ID, bob, fermata.AsPerson("Cy"), fermata.AsRole("chief")); err != nil {
		t.Fatal(err)
	}
	fork, err := g.Fork(t.Context(), rt, run.ID(), graph.ForkOptions[state]{By: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	refused(t, rt.Answer(t.Context(), question(t, fork).ID, true, fermata.AsPerson("Ada")), refusal{fermata.CodeForbidden, fermata.ErrForbidden})
	answer(t, rt, question(t, fork).ID, true, fermata.AsPerson("Bob"))
	ends(t, fork, fermata.Completed)
}
