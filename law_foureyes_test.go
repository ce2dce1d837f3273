package fermata_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// signatures asks for two signatures, which are open at once and need two people, neither of them the starter.
func signatures() *graph.Graph[state] {
	return single(func(ctx node.Context, s state) (state, error) {
		first, err := node.Ask[bool](ctx, nil, node.ID("first"), node.FourEyes(), node.NotBy("a"))
		if err != nil {
			return s, err
		}
		second, err := node.Ask[bool](ctx, nil, node.ID("second"), node.FourEyes(), node.NotBy("a"))
		if err != nil {
			return s, err
		}
		for _, q := range []*node.Asked[bool]{first, second} {
			if _, err := q.Wait(); err != nil {
				return s, err
			}
			s.Log = append(s.Log, q.By())
		}
		return s, nil
	})
}

// questions are the ids of the questions that a run has open, in the order in which they were asked.
func questions(t *testing.T, run *graph.Run[state]) []string {
	t.Helper()
	var list []string
	for _, q := range ends(t, run, fermata.Paused).Interrupts {
		list = append(list, q.ID)
	}
	return list
}

// Who started the run, who answered the other question, and who gives no name may neither answer nor claim.
func TestH6_ASecondPersonAnswers(t *testing.T) { onStores(t, secondPerson) }

func secondPerson(t *testing.T, store journal.Store) {
	rt := newRuntime(t, fermata.Options{Store: store})
	run := start(t, rt, signatures(), state{}, fermata.StartedBy("Sam"))
	q := questions(t, run)
	ctx := t.Context()
	no := refusal{fermata.CodeForbidden, fermata.ErrForbidden}
	before := lines(t, store, run.ID())
	for _, name := range []string{"Sam", "sam", " SAM ", "", " "} {
		refused(t, rt.Answer(ctx, q[0], true, fermata.AsPerson(name)), no)
		if strings.TrimSpace(name) != "" {
			refused(t, rt.Claim(ctx, q[0], name, ""), no)
			refused(t, rt.Reassign(ctx, q[0], fermata.Assignment{Person: name}, fermata.AsPerson("Ada")), no)
		}
	}
	refused(t, rt.AnswerAll(ctx, map[string]any{q[0]: true, q[1]: true}, fermata.AsPerson("Ada")), no)
	if diff := cmp.Diff(before, lines(t, store, run.ID())); diff != "" {
		t.Errorf("refused answers are in the journal:\n%s", diff)
	}
	answer(t, rt, q[0], true, fermata.AsPerson("Ada"))
	refused(t, rt.Answer(ctx, q[1], true, fermata.AsPerson("ada")), no)
	answer(t, rt, q[0], true, fermata.AsPerson("Ada")) // again
	answer(t, rt, q[1], true, fermata.AsPerson("Bob"))
	if diff := cmp.Diff([]string{"Ada", "Bob"}, ends(t, run, fermata.Completed).State.Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// One rule tells whether two names are of one person.
func TestH6_NamesOfOnePerson(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"Ada", "Ada", true},
		{"Ada", "ada", true},
		{" Ada\t", "ADA", true},
		{"Żofia", "żofia", true},
		{"Ada", "Adam", false},
		{"Ada Lovelace", "Ada  Lovelace", true},
		{"Ada Lovelace", "AdaLovelace", false},
		{"Straße", "STRASSE", true},
		{"", "", false},
		{" ", "", false},
		{"Ada", "", false},
	} {
		if got, back := fermata.SamePerson(tt.a, tt.b), fermata.SamePerson(tt.b, tt.a); got != tt.want || back != tt.want {
			t.Errorf("%q and %q: %t, and %t the other way round; expected %t", tt.a, tt.b, got, back, tt.want)
		}
	}
}

// Having the one asked again who is asked already changes nothing, however the name is written.
func TestH6_ReassigningToTheSamePerson(t *testing.T) {
	rt, store := inMemory(t)
	run := start(t, rt, single(review()), state{})
	q := question(t, run)
	for _, name := range []string{"Ada", "ada ", "ADA"} {
		if err := rt.Reassign(t.Context(), q.ID, fermata.Assignment{Person: name}, fermata.AsPerson("Bob")); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"interrupt.updated a#1 reassign"}, lines(t, store, run.ID())[5:]); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
}

// Where nobody knows who started the run, nobody could say who is the second person.
func TestH6_FourEyesNeedAStarter(t *testing.T) {
	rt, _ := inMemory(t)
	err := ends(t, start(t, rt, signatures(), state{}), fermata.Failed).Err
	if err == nil || !strings.Contains(err.Error(), "nobody knows who started the run") {
		t.Errorf("the error is %v", err)
	}
}

// A fork is started by whoever forks; that one may not answer there, and neither may who started the first run. Answers
// that the fork has taken over count.
func TestH6_Forks(t *testing.T) {
	rt, _ := inMemory(t)
	g := signatures()
	run := start(t, rt, g, state{}, fermata.StartedBy("Sam"))
	answer(t, rt, questions(t, run)[0], true, fermata.AsPerson("Ada"))
	ends(t, run, fermata.Paused)
	fork, err := g.Fork(t.Context(), rt, run.ID(), graph.ForkOptions[state]{By: "Fay"})
	if err != nil {
		t.Fatal(err)
	}
	q := questions(t, fork)
	for _, name := range []string{"Sam", "Fay", "Ada"} {
		refused(t, rt.Answer(t.Context(), q[0], true, fermata.AsPerson(name)), refusal{fermata.CodeForbidden, fermata.ErrForbidden})
	}
	answer(t, rt, q[0], true, fermata.AsPerson("Bob"))
	ends(t, fork, fermata.Completed)
}

// A fork by nobody has no second person: it is refused where such a question is open, and asks none later.
func TestH6_ForksByNobody(t *testing.T) {
	rt, _ := inMemory(t)
	later := make(chan struct{}, 1)
	g := single(func(ctx node.Context, s state) (state, error) {
		if _, err := node.Interrupt[bool](ctx, nil, node.ID("plain")); err != nil {
			return s, err
		}
		later <- struct{}{}
		_, err := node.Interrupt[bool](ctx, nil, node.ID("signed"), node.FourEyes())
		return s, err
	})
	run := start(t, rt, g, state{}, fermata.StartedBy("Sam"))
	plain := question(t, run)
	for _, by := range []string{"", "\u200b"} {
		fork, err := g.Fork(t.Context(), rt, run.ID(), graph.ForkOptions[state]{By: by})
		if err != nil {
			t.Fatal(err)
		}
		answer(t, rt, question(t, fork).ID, true)
		<-later
		res := ends(t, fork, fermata.Failed)
		if res.Err == nil || !strings.Contains(res.Err.Error(), "nobody knows who forked the run") {
			t.Errorf("%+q: %v", by, res.Err)
		}
	}
	fork, err := g.Fork(t.Context(), rt, run.ID(), graph.ForkOptions[state]{By: "Fay"})
	if err != nil {
		t.Fatal(err)
	}
	answer(t, rt, question(t, fork).ID, true)
	<-later
	asked := question(t, fork) // after the fork, of somebody else than the two
	for _, name := range []string{"Sam", "Fay"} {
		refused(t, rt.Answer(t.Context(), asked.ID, true, fermata.AsPerson(name)), refusal{fermata.CodeForbidden, fermata.ErrForbidden})
	}
	answer(t, rt, asked.ID, true, fermata.AsPerson("Bob"))
	<-later
	ends(t, fork, fermata.Completed)
	answer(t, rt, plain.ID, true)
	<-later
	ends(t, run, fermata.Paused)
	for _, by := range []string{"", "\u200b"} {
		_, err := g.Fork(t.Context(), rt, run.ID(), graph.ForkOptions[state]{By: by})
		refused(t, err, refusal{code: fermata.CodeInvalid})
	}
}

// meddling is a store in which something happens between the look at a question and the append of its answer.
type meddling struct {
	journal.Store
	once sync.Once
	what func()
}

func (m *meddling) Append(ctx context.Context, b journal.Batch) error {
	m.once.Do(m.what)
	return m.Store.Append(ctx, b)
}

// Whatever two people do at the same time, through doors of their own: no two signatures of one person, none of the
// starter, and none without a name is ever recorded.
func TestH6_NoInterleavingBreaksFourEyes(t *testing.T) {
	g := signatures()
	type attempt struct {
		Name  string
		Which int
		All   bool
	}
	try := func(ctx context.Context, rt *fermata.Runtime, q []string, a attempt) {
		if a.All {
			_ = rt.AnswerAll(ctx, map[string]any{q[0]: true, q[1]: true}, fermata.AsPerson(a.Name), fermata.Hold())
		} else {
			_ = rt.Answer(ctx, q[a.Which], true, fermata.AsPerson(a.Name), fermata.Hold())
		}
	}
	attempts := rapid.Custom(func(r *rapid.T) attempt {
		return attempt{
			rapid.SampledFrom([]string{"Ada", "Bob", "ADA", "Sam", ""}).Draw(r, "name"),
			rapid.IntRange(0, 1).Draw(r, "which"), rapid.IntRange(0, 3).Draw(r, "all") == 0,
		}
	})
	rapid.Check(t, func(r *rapid.T) {
		store := memory.New()
		home := newRuntime(t, fermata.Options{Store: store})
		run := start(t, home, g, state{}, fermata.StartedBy("Sam"))
		q := questions(t, run)
		for _, pair := range rapid.SliceOfN(rapid.Custom(func(r *rapid.T) [2]attempt {
			return [2]attempt{attempts.Draw(r, "one"), attempts.Draw(r, "other")}
		}), 1, 3).Draw(r, "pairs") {
			between := &meddling{Store: store, what: func() { try(t.Context(), home, q, pair[1]) }}
			door := newRuntime(t, fermata.Options{Store: between})
			try(t.Context(), door, q, pair[0])
		}
		signed := map[string]bool{}
		for _, e := range entries(t, store, run.ID()) {
			if e.Kind != journal.InterruptResolved {
				continue
			}
			name := strings.ToLower(interruptNow(t, home, e.Op).AnsweredBy)
			if name == "" || name == "sam" || signed[name] {
				r.Fatalf("%q signed; before: %v", name, signed)
			}
			signed[name] = true
		}
	})
}

// An assigned question is for one person; somebody else can be asked, by whoever is in the role, on record.
func TestH2_ReassignAndEscalate(t *testing.T) {
	clock, store := newClock(), memory.New()
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	run := start(t, rt, single(review(node.Role("clerk"), node.Assignee("Ada"), node.Override("lead"), node.Within(time.Hour))), state{})
	q := question(t, run)
	ctx := t.Context()
	as := func(name, role string) []fermata.AnswerOption {
		return []fermata.AnswerOption{fermata.AsPerson(name), fermata.AsRole(role), fermata.Hold()}
	}
	no := refusal{fermata.CodeForbidden, fermata.ErrForbidden}
	invalid := refusal{code: fermata.CodeInvalid}
	ok := decision{Approve: true}
	steps := []struct {
		what string
		err  error
		want refusal
	}{
		{"Bob answers what is for Ada", rt.Answer(ctx, q.ID, ok, as("Bob", "clerk")...), no},
		{"Bob claims what is for Ada", rt.Claim(ctx, q.ID, "Bob", "clerk"), no},
		{"Ada in another role", rt.Answer(ctx, q.ID, ok, as("Ada", "guest")...), no},
		{"Ada claims", rt.Claim(ctx, q.ID, "ada", "clerk"), refusal{}},
		{"somebody reassigns", rt.Reassign(ctx, q.ID, fermata.Assignment{Person: "Bob"}, as("", "clerk")...), invalid},
		{"to nobody", rt.Reassign(ctx, q.ID, fermata.Assignment{}, as("Bob", "clerk")...), invalid},
		{"in another role", rt.Reassign(ctx, q.ID, fermata.Assignment{Role: "guest"}, as("Eve", "guest")...), no},
		{"another clerk takes it", rt.Reassign(ctx, q.ID, fermata.Assignment{Person: "Cy"}, as("Cy", "clerk")...), no},
		{"another clerk gives it back", rt.Release(ctx, q.ID, "Cy", as("Cy", "clerk")...), no},
		{"to Bob", rt.Reassign(ctx, q.ID, fermata.Assignment{Person: "Bob", Note: "Ada is away"}, as("Cy", "lead")...), refusal{}},
		{"to Bob again", rt.Reassign(ctx, q.ID, fermata.Assignment{Person: "Bob"}, as("Cy", "lead")...), refusal{}},
		{"Ada answers what is for Bob now", rt.Answer(ctx, q.ID, ok, as("Ada", "clerk")...), no},
		{"an escalation to no role", rt.Escalate(ctx, q.ID, fermata.Assignment{}, as("Bob", "clerk")...), invalid},
		{"Bob escalates", rt.Escalate(ctx, q.ID, fermata.Assignment{Role: "chief", Note: "too much"}, as("Bob", "clerk")...), refusal{}},
		{"Bob answers what is for a chief", rt.Answer(ctx, q.ID, ok, as("Bob", "clerk")...), no},
		{"a chief answers", rt.Answer(ctx, q.ID, ok, as("Dee", "chief")...), refusal{}},
		{"to reassign what is answered", rt.Reassign(ctx, q.ID, fermata.Assignment{Person: "Bob"}, as("Dee", "chief")...), refusal{code: fermata.CodeConflict}},
	}
	for _, s := range steps {
		var e *fermata.Error
		switch {
		case s.want.code == "" && s.err != nil:
			t.Errorf("%s: %v", s.what, s.err)
		case s.want.code != "" && (!errors.As(s.err, &e) || e.Code != s.want.code || s.want.is != nil && !errors.Is(s.err, s.want.is)):
			t.Errorf("%s: %v, want %s: %v", s.what, s.err, s.want.code, s.want.is)
		}
	}
	deadline := epoch.Add(time.Hour).UnixMicro()
	want := []journal.UpdatedBody{
		{Do: "claim", By: "ada"},
		{Do: "reassign", By: "Cy", Role: "clerk", Assignee: "Bob", Deadline: deadline, Note: "Ada is away", Override: "lead"},
		{Do: "escalate", By: "Bob", Role: "chief", Deadline: deadline, Note: "too much"},
	}
	var got []journal.UpdatedBody
	for _, e := range entries(t, store, run.ID()) {
		if e.Kind == journal.InterruptUpdated {
			got = append(got, bodyOf[journal.UpdatedBody](t, &e))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("on record (-want +got):\n%s", diff)
	}
}

// A reassigned question expires when it would have (law H4), in a process that comes later too.
func TestH4_TheDeadlineOutlivesAReassignment(t *testing.T) {
	clock, store := newClock(), memory.New()
	g := single(review(node.Within(time.Hour), node.OrDefault(decision{Note: "late"})))
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	run := start(t, rt, g, state{})
	q := question(t, run)
	if err := rt.Reassign(t.Context(), q.ID, fermata.Assignment{Person: "Ada", Role: "clerk"}, fermata.AsPerson("Bob")); err != nil {
		t.Fatal(err)
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	rt = newRuntime(t, fermata.Options{Store: store, Clock: clock})
	run = resume(t, rt, g, run.ID())
	ends(t, run, fermata.Paused)
	clock.Advance(2 * time.Hour)
	if diff := cmp.Diff([]string{"rejected late"}, ends(t, run, fermata.Completed).State.Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
