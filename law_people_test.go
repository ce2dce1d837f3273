package fermata_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/schema"
)

// decision is an answer with a schema of some substance.
type decision struct {
	Approve bool   `json:"approve"`
	Note    string `json:"note,omitempty"`
}

// review asks for a decision and notes it.
func review(opts ...node.AskOption) graph.Func[state] {
	return func(ctx node.Context, s state) (state, error) {
		d, err := node.Interrupt[decision](ctx, map[string]string{"draft": s.Text}, opts...)
		if err != nil {
			return s, err
		}
		if d.Approve {
			s.Log = append(s.Log, "approved "+d.Note)
		} else {
			s.Log = append(s.Log, "rejected "+d.Note)
		}
		return s, nil
	}
}

// openInbox lists what is open, the fields aside that differ from run to run.
func interruptNow(t *testing.T, rt *fermata.Runtime, id string) journal.Interrupt {
	t.Helper()
	found, err := rt.Inbox(t.Context(), journal.InboxFilter{ID: id, All: true})
	if err != nil || len(found) != 1 {
		t.Fatalf("%d interrupts, error %v", len(found), err)
	}
	return found[0].Interrupt
}

// An interrupt says all that is needed to answer it, in the store and for whoever asks.
func TestH1_AnInterruptIsADurableObject(t *testing.T) {
	clock, store := newClock(), memory.New()
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	inner := graph.New[state]("inner").
		Node("review", review(node.ID("draft"), node.Prompt("Publish it?"), node.Role("editor"), node.Within(time.Hour),
			node.OrEscalate("chief", 2*time.Hour), node.OrDefault(decision{Note: "nobody cared"})), graph.Human()).
		Edge(graph.Start, "review").MustCompile()
	g := graph.New[state]("outer").Sub("check", inner).Edge(graph.Start, "check").MustCompile()
	run := start(t, rt, g, state{Text: "Dear all"})
	q := question(t, run)
	want := journal.Interrupt{
		ID: q.ID, Run: run.ID(), Task: "check/review#1", Op: "interrupt:draft#1",
		Request: json.RawMessage(`{"draft":"Dear all"}`), ResponseSchema: schemaOf[decision](t), Prompt: "Publish it?", Role: "editor",
		ResponseSchemaID: "decision", ResponseSchemaVersion: "c18ceffe0552",
		Opened: epoch.UnixMicro(), Deadline: epoch.Add(time.Hour).UnixMicro(),
		AtDeadline: &journal.Deadline{Do: "escalate", Role: "chief", Within: (2 * time.Hour).Microseconds(), Then: &journal.Deadline{
			Do: "default", Answer: json.RawMessage(`{"approve":false,"note":"nobody cared"}`),
		}},
		State: journal.Open,
	}
	secrets := cmpopts.IgnoreFields(journal.Interrupt{}, "Digest", "TokenHash")
	if diff := cmp.Diff(want, q.Interrupt, secrets); diff != "" {
		t.Errorf("as the run shows it (-want +got):\n%s", diff)
	}
	if !q.DeadlineTime().Equal(epoch.Add(time.Hour)) {
		t.Errorf("the deadline is %s", q.DeadlineTime())
	}
	if diff := cmp.Diff(q.Interrupt, interruptNow(t, rt, q.ID)); diff != "" {
		t.Errorf("as the store has it (-run +store):\n%s", diff)
	}
	clock.Advance(30 * time.Minute)
	answer(t, rt, q.ID, decision{Approve: true}, fermata.AsPerson("Eve"), fermata.AsRole("editor"))
	want.State, want.Answer, want.AnsweredBy = journal.Answered, json.RawMessage(`{"approve":true}`), "Eve"
	want.Resolved = epoch.Add(30 * time.Minute).UnixMicro()
	if diff := cmp.Diff(want, interruptNow(t, rt, q.ID), secrets); diff != "" {
		t.Errorf("after its answer (-want +got):\n%s", diff)
	}
	ends(t, run, fermata.Completed)
}

func schemaOf[T any](t *testing.T) []byte {
	t.Helper()
	s, err := schema.For[T]()
	if err != nil {
		t.Fatal(err)
	}
	return s.JSON()
}

// refusal is what a refused answer says.
type refusal struct {
	code fermata.Code
	is   error
}

// Each way in which an answer can be wrong has an error of its own, and leaves the question as it was.
func TestH2_RefusedAnswersLeaveTheQuestionOpen(t *testing.T) {
	tests := []struct {
		name   string
		before func(t *testing.T, rt *fermata.Runtime, id string)
		value  any
		opts   []fermata.AnswerOption
		want   refusal
		state  string
	}{
		{
			"does not fit the schema", nil,
			map[string]any{"approve": "yes"},
			[]fermata.AnswerOption{fermata.AsRole("manager")},
			refusal{fermata.CodeInvalid, fermata.ErrInvalid},
			journal.Open,
		},
		{
			"not JSON", nil, json.RawMessage(`{"approve":`),
			[]fermata.AnswerOption{fermata.AsRole("manager")},
			refusal{fermata.CodeInvalid, fermata.ErrInvalid},
			journal.Open,
		},
		{
			"cannot be stored", nil, make(chan int),
			[]fermata.AnswerOption{fermata.AsRole("manager")},
			refusal{fermata.CodeInvalid, node.ErrNotStorable},
			journal.Open,
		},
		{
			"no role", nil,
			decision{Approve: true},
			nil,
			refusal{fermata.CodeForbidden, fermata.ErrForbidden},
			journal.Open,
		},
		{
			"the wrong role", nil,
			decision{Approve: true},
			[]fermata.AnswerOption{fermata.AsRole("clerk")},
			refusal{fermata.CodeForbidden, fermata.ErrForbidden},
			journal.Open,
		},
		{
			"the wrong token", nil,
			decision{Approve: true},
			[]fermata.AnswerOption{fermata.AsRole("manager"), fermata.WithToken("guess")},
			refusal{fermata.CodeForbidden, fermata.ErrForbidden},
			journal.Open,
		},
		{
			"claimed by another person",
			func(t *testing.T, rt *fermata.Runtime, id string) {
				if err := rt.Claim(t.Context(), id, "Ada", "manager"); err != nil {
					t.Fatal(err)
				}
			},
			decision{Approve: true},
			[]fermata.AnswerOption{fermata.AsRole("manager"), fermata.AsPerson("Bob")},
			refusal{fermata.CodeConflict, fermata.ErrClaimed},
			journal.Claimed,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rt, store := inMemory(t)
			run := start(t, rt, single(review(node.Role("manager"))), state{})
			q := question(t, run)
			if tt.before != nil {
				tt.before(t, rt, q.ID)
			}
			before := lines(t, store, run.ID())
			err := rt.Answer(t.Context(), q.ID, tt.value, tt.opts...)
			refused(t, err, tt.want)
			if diff := cmp.Diff(before, lines(t, store, run.ID())); diff != "" {
				t.Errorf("the journal changed:\n%s", diff)
			}
			if got := interruptNow(t, rt, q.ID).State; got != tt.state {
				t.Errorf("the question is %s, want %s", got, tt.state)
			}
			answer(t, rt, q.ID, decision{Approve: true, Note: "after all"}, fermata.AsRole("manager"), fermata.AsPerson("Ada"))
			if diff := cmp.Diff([]string{"approved after all"}, ends(t, run, fermata.Completed).State.Log); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func refused(t *testing.T, err error, want refusal) {
	t.Helper()
	var e *fermata.Error
	if !errors.As(err, &e) {
		t.Fatalf("the error is %T (%v), want a *fermata.Error", err, err)
	}
	if e.Code != want.code || want.is != nil && !errors.Is(err, want.is) {
		t.Errorf("the error is %s: %v, want %s: %v", e.Code, err, want.code, want.is)
	}
}

// An answer that does not fit says where.
func TestH2_AnInvalidAnswerNamesThePaths(t *testing.T) {
	rt, _ := inMemory(t)
	run := start(t, rt, single(review()), state{})
	err := rt.Answer(t.Context(), question(t, run).ID, map[string]any{"approve": "yes", "note": 1})
	var problems *schema.Error
	if !errors.As(err, &problems) {
		t.Fatalf("the error is %v, want a *schema.Error in it", err)
	}
	var paths []string
	for _, p := range problems.Problems {
		paths = append(paths, p.Path)
	}
	if diff := cmp.Diff([]string{"/approve", "/note"}, paths); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}

// The same answer again is accepted and has no effect; a different one is a conflict, while the run waits and after.
func TestH2_TheSameAnswerAgain(t *testing.T) {
	rt, store := inMemory(t)
	run := start(t, rt, single(review()), state{})
	q := question(t, run)
	answer(t, rt, q.ID, decision{Approve: true, Note: "ok"}, fermata.Hold())
	held := lines(t, store, run.ID())
	answer(t, rt, q.ID, json.RawMessage(`{"note": "ok", "approve": true}`), fermata.Hold())
	refused(t, rt.Answer(t.Context(), q.ID, decision{}), refusal{fermata.CodeConflict, fermata.ErrAnswered})
	if diff := cmp.Diff(held, lines(t, store, run.ID())); diff != "" {
		t.Errorf("the journal changed:\n%s", diff)
	}
	run = resume(t, rt, single(review()), run.ID())
	ends(t, run, fermata.Completed)
	answer(t, rt, q.ID, decision{Approve: true, Note: "ok"})
	refused(t, rt.Answer(t.Context(), q.ID, decision{}), refusal{fermata.CodeConflict, fermata.ErrAnswered})
	if got := count(lines(t, store, run.ID()), "interrupt.resolved"); got != 1 {
		t.Errorf("it was answered %d times", got)
	}
}

// Numbers that differ only beyond the precision of a float are different answers.
func TestH2_LargeNumbersAreComparedExactly(t *testing.T) {
	rt, _ := inMemory(t)
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		n, err := node.Interrupt[int64](ctx, nil)
		s.N = int(n)
		return s, err
	}), state{})
	q := question(t, run)
	answer(t, rt, q.ID, int64(9007199254740993))
	if got := ends(t, run, fermata.Completed).State.N; got != 9007199254740993 {
		t.Errorf("the node got %d", got)
	}
	refused(t, rt.Answer(t.Context(), q.ID, int64(9007199254740992)), refusal{fermata.CodeConflict, fermata.ErrAnswered})
}

// Of many answers at once one is taken; those that say the same are accepted, the others are told who was first.
func TestH2_ManyAnswersAtOnce(t *testing.T) {
	rt, store := inMemory(t)
	run := start(t, rt, single(review()), state{})
	q := question(t, run)
	const each = 50
	errs := make([]error, 2*each)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = rt.Answer(t.Context(), q.ID, decision{Approve: i%2 == 0}) })
	}
	wg.Wait()
	accepted := [2]int{}
	for i, err := range errs {
		switch {
		case err == nil:
			accepted[i%2]++
		case !errors.Is(err, fermata.ErrAnswered):
			t.Errorf("answer %d: %v", i, err)
		}
	}
	if accepted != [2]int{each, 0} && accepted != [2]int{0, each} {
		t.Errorf("%d who approve and %d who reject were accepted, want all of one kind", accepted[0], accepted[1])
	}
	ends(t, run, fermata.Completed)
	if got := count(lines(t, store, run.ID()), "interrupt.resolved"); got != 1 {
		t.Errorf("it was answered %d times", got)
	}
}

// An answer that comes after the deadline is late, also when nobody has noticed the deadline yet.
func TestH2_LateAnswersAreExpired(t *testing.T) {
	clock, store := newClock(), memory.New()
	g := single(review(node.Within(time.Hour)))
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	run := start(t, rt, g, state{})
	q := question(t, run)
	if err := rt.Close(); err != nil { // nobody is there when the deadline passes
		t.Fatal(err)
	}
	clock.Advance(time.Hour)
	later := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	refused(t, later.Answer(t.Context(), q.ID, decision{}), refusal{fermata.CodeExpired, fermata.ErrExpired})
	refused(t, later.Claim(t.Context(), q.ID, "Ada", ""), refusal{fermata.CodeExpired, fermata.ErrExpired})
	ends(t, resume(t, later, g, run.ID()), fermata.Expired)
	refused(t, later.Answer(t.Context(), q.ID, decision{}), refusal{fermata.CodeExpired, fermata.ErrExpired})
}

func TestH2_UnknownAndWithdrawnQuestions(t *testing.T) {
	rt, _ := inMemory(t)
	refused(t, rt.Answer(t.Context(), "int_unknown", decision{}), refusal{code: fermata.CodeNotFound})
	run := start(t, rt, single(review()), state{})
	q := question(t, run)
	if err := rt.Cancel(t.Context(), run.ID(), "no need", "Ada"); err != nil {
		t.Fatal(err)
	}
	refused(t, rt.Answer(t.Context(), q.ID, decision{}), refusal{fermata.CodeConflict, node.ErrWithdrawn})
	want := journal.Interrupt{State: journal.Withdrawn, AnsweredBy: "Ada"}
	got := interruptNow(t, rt, q.ID)
	if diff := cmp.Diff(want, journal.Interrupt{State: got.State, AnsweredBy: got.AnsweredBy}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A claim keeps others out until it is released.
func TestH2_ClaimAndRelease(t *testing.T) {
	rt, store := inMemory(t)
	run := start(t, rt, single(review(node.Role("manager"))), state{})
	q := question(t, run)
	ctx := t.Context()
	steps := []struct {
		what string
		do   func() error
		want refusal
	}{
		{"a claim without a name", func() error { return rt.Claim(ctx, q.ID, "", "manager") }, refusal{code: fermata.CodeInvalid}},
		{"a claim with a blank name", func() error { return rt.Claim(ctx, q.ID, " ", "manager") }, refusal{code: fermata.CodeInvalid}},
		{"a claim in the wrong role", func() error { return rt.Claim(ctx, q.ID, "Ada", "clerk") }, refusal{fermata.CodeForbidden, fermata.ErrForbidden}},
		{"Ada claims", func() error { return rt.Claim(ctx, q.ID, "Ada", "manager") }, refusal{}},
		{"Ada claims again", func() error { return rt.Claim(ctx, q.ID, "Ada", "manager") }, refusal{}},
		{"ada claims again", func() error { return rt.Claim(ctx, q.ID, " ada", "manager") }, refusal{}},
		{"Bob claims", func() error { return rt.Claim(ctx, q.ID, "Bob", "manager") }, refusal{fermata.CodeConflict, fermata.ErrClaimed}},
		{"Bob releases", func() error { return rt.Release(ctx, q.ID, "Bob") }, refusal{fermata.CodeConflict, fermata.ErrClaimed}},
		{"nobody releases", func() error { return rt.Release(ctx, q.ID, " ") }, refusal{fermata.CodeConflict, fermata.ErrClaimed}},
		{"ADA releases", func() error { return rt.Release(ctx, q.ID, "ADA ") }, refusal{}},
		{"Ada releases again", func() error { return rt.Release(ctx, q.ID, "Ada") }, refusal{}},
		{"Bob claims what is free", func() error { return rt.Claim(ctx, q.ID, "Bob", "manager") }, refusal{}},
		{"nobody answers", func() error {
			return rt.Answer(ctx, q.ID, decision{Approve: true}, fermata.AsPerson(""), fermata.AsRole("manager"))
		}, refusal{fermata.CodeConflict, fermata.ErrClaimed}},
		{"bob answers", func() error {
			return rt.Answer(ctx, q.ID, decision{Approve: true}, fermata.AsPerson("bob"), fermata.AsRole("manager"), fermata.Hold())
		}, refusal{}},
		{"Ada claims what is answered", func() error { return rt.Claim(ctx, q.ID, "Ada", "manager") }, refusal{code: fermata.CodeConflict}},
		{"Bob releases what is answered", func() error { return rt.Release(ctx, q.ID, "Bob") }, refusal{code: fermata.CodeConflict}},
	}
	for _, s := range steps {
		err := s.do()
		var e *fermata.Error
		switch {
		case s.want.code == "" && err != nil:
			t.Errorf("%s: %v", s.what, err)
		case s.want.code != "" && (!errors.As(err, &e) || e.Code != s.want.code || s.want.is != nil && !errors.Is(err, s.want.is)):
			t.Errorf("%s: %v, want %s: %v", s.what, err, s.want.code, s.want.is)
		}
	}
	want := []string{
		"interrupt.updated a#1 claim", "interrupt.updated a#1 release", "interrupt.updated a#1 claim",
		`interrupt.resolved a#1 answered {"approve":true}`,
	}
	if diff := cmp.Diff(want, lines(t, store, run.ID())[5:]); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
}

// A run counts as paused only once nothing can run and something is awaited.
func TestH3_PausedMeansThatNothingCanRun(t *testing.T) {
	rt, _ := inMemory(t)
	gate := newGate()
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		q, err := node.Ask[bool](ctx, nil)
		if err != nil {
			return s, err
		}
		if err := gate.pass(ctx); err != nil {
			return s, err
		}
		_, err = q.Wait()
		return s, err
	}), state{})
	gate.waitEntered(t)
	info, err := rt.Info(t.Context(), run.ID())
	if err != nil {
		t.Fatal(err)
	}
	if info.Status != string(fermata.Running) || info.Waiting != 1 {
		t.Errorf("while its node works, the run is %s with %d questions, want running with 1", info.Status, info.Waiting)
	}
	open, err := rt.Inbox(t.Context(), journal.InboxFilter{Run: run.ID()})
	if err != nil || len(open) != 1 {
		t.Fatalf("%d open questions, error %v", len(open), err)
	}
	close(gate.open)
	question(t, run)
	answer(t, rt, open[0].ID, true)
	ends(t, run, fermata.Completed)
}

// deadlines is a graph whose question has a deadline of one hour; late is where its deadline edge leads.
func deadlines(opts ...node.AskOption) *graph.Graph[state] {
	opts = append([]node.AskOption{node.Role("manager"), node.Within(time.Hour)}, opts...)
	return graph.New[state]("deadline").
		Node("a", review(opts...)).
		Node("b", logged).
		Node("late", logged).
		Edge(graph.Start, "a").Edge("a", "b").OnDeadline("a", "late").OnDeadline("a", graph.End).MustCompile()
}

// The four things that can happen when nobody has answered in time.
func TestH4_AtTheDeadline(t *testing.T) {
	opened := []string{"run.started", "node.started a#1", "interrupt a#1 interrupt:interrupt#1", "node.suspended a#1 interrupt:interrupt#1", "run.paused"}
	tests := []struct {
		name   string
		opts   []node.AskOption
		moves  int // how many hours pass
		status fermata.Status
		log    []string
		want   []string
	}{
		{
			"fail", nil, 1, fermata.Expired, nil,
			[]string{
				"interrupt.resolved a#1 expired", "run.resumed timer",
				"node.failed a#1 task a#1, interrupt:interrupt#1: nobody answered before the deadline",
				"run.finished expired task a#1, interrupt:interrupt#1: nobody answered before the deadline",
			},
		},
		{
			"default",
			[]node.AskOption{node.OrDefault(decision{Note: "by default"})},
			1, fermata.Completed,
			[]string{"rejected by default", "b#1"},
			[]string{
				`interrupt.resolved a#1 answered {"approve":false,"note":"by default"}`, "run.resumed timer",
				"node.finished a#1", "node.started b#1", "node.finished b#1", "run.finished completed",
			},
		},
		{
			"route",
			[]node.AskOption{node.OrRoute("late")},
			1, fermata.Completed,
			[]string{"late#1"},
			[]string{
				"interrupt.resolved a#1 expired", "route.taken a#1 -> late", "run.resumed timer",
				"node.started late#1", "node.finished late#1", "run.finished completed",
			},
		},
		{
			"route to the end",
			[]node.AskOption{node.OrRoute(graph.End)},
			1, fermata.Completed, nil,
			[]string{
				"interrupt.resolved a#1 expired", "route.taken a#1 -> END", "run.resumed timer", "run.finished completed",
			},
		},
		{
			"escalate and fail",
			[]node.AskOption{node.OrEscalate("chief", time.Hour)},
			2, fermata.Expired, nil,
			[]string{
				"interrupt.updated a#1 escalate", "interrupt.resolved a#1 expired", "run.resumed timer",
				"node.failed a#1 task a#1, interrupt:interrupt#1: nobody answered before the deadline",
				"run.finished expired task a#1, interrupt:interrupt#1: nobody answered before the deadline",
			},
		},
		{
			"escalate twice, and a default",
			[]node.AskOption{
				node.OrEscalate("chief", time.Hour), node.OrEscalate("owner", time.Hour), node.OrDefault(decision{Approve: true}),
			},
			3, fermata.Completed,
			[]string{"approved ", "b#1"},
			[]string{
				"interrupt.updated a#1 escalate", "interrupt.updated a#1 escalate",
				`interrupt.resolved a#1 answered {"approve":true}`, "run.resumed timer",
				"node.finished a#1", "node.started b#1", "node.finished b#1", "run.finished completed",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clock, store := newClock(), memory.New()
			rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
			run := start(t, rt, deadlines(tt.opts...), state{})
			question(t, run)
			clock.Advance(time.Hour - time.Second)
			if diff := cmp.Diff(opened, lines(t, store, run.ID())); diff != "" {
				t.Fatalf("before the deadline (-want +got):\n%s", diff)
			}
			clock.Advance(time.Second)
			for range tt.moves - 1 {
				question(t, run)
				clock.Advance(time.Hour)
			}
			res := ends(t, run, tt.status)
			if diff := cmp.Diff(tt.log, res.State.Log); diff != "" {
				t.Errorf("state (-want +got):\n%s", diff)
			}
			if tt.status == fermata.Expired {
				refused(t, res.Err, refusal{fermata.CodeExpired, fermata.ErrExpired})
			}
			if diff := cmp.Diff(append(append([]string(nil), opened...), tt.want...), lines(t, store, run.ID())); diff != "" {
				t.Errorf("journal (-want +got):\n%s", diff)
			}
			noTimers(t, store)
		})
	}
}

func noTimers(t *testing.T, store journal.Store) {
	t.Helper()
	left, err := store.Timers(t.Context(), 1<<62, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("timers are left behind: %+v", left)
	}
}

// After an escalation the new role is asked, and the old one is not any more.
func TestH4_EscalationChangesWhoIsAsked(t *testing.T) {
	clock, store := newClock(), memory.New()
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	run := start(t, rt, deadlines(node.OrEscalate("chief", 0)), state{})
	id := question(t, run).ID
	if err := rt.Claim(t.Context(), id, "Ada", "manager"); err != nil {
		t.Fatal(err)
	}
	clock.Advance(time.Hour)
	q := interruptNow(t, rt, id)
	got := journal.Interrupt{Role: q.Role, State: q.State, ClaimedBy: q.ClaimedBy, Deadline: q.Deadline, AtDeadline: q.AtDeadline}
	if diff := cmp.Diff(journal.Interrupt{Role: "chief", State: journal.Open}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	noTimers(t, store)
	clock.Advance(1000 * time.Hour)
	refused(t, rt.Answer(t.Context(), id, decision{}, fermata.AsPerson("Ada"), fermata.AsRole("manager")), refusal{fermata.CodeForbidden, fermata.ErrForbidden})
	answer(t, rt, id, decision{Approve: true}, fermata.AsRole("chief"))
	if diff := cmp.Diff([]string{"approved ", "b#1"}, ends(t, run, fermata.Completed).State.Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An expired question can be caught like any failure, and is not worth another attempt.
func TestH4_ExpiryTakesTheErrorEdge(t *testing.T) {
	clock, store := newClock(), memory.New()
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	g := graph.New[state]("caught").
		Node("a", review(node.Within(time.Hour)), graph.Retry(3, time.Second)).
		Node("rescue", logged).
		Edge(graph.Start, "a").OnError("a", "rescue").MustCompile()
	run := start(t, rt, g, state{})
	question(t, run)
	clock.Advance(time.Hour)
	if diff := cmp.Diff([]string{"rescue#1"}, ends(t, run, fermata.Completed).State.Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A deadline fires once, also when it passed while no process was there.
func TestH4_ADeadlineFiresOnceAfterTheProcessWasDown(t *testing.T) {
	clock, store := newClock(), memory.New()
	g := deadlines(node.OrDefault(decision{Note: "by default"}))
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	run := start(t, rt, g, state{})
	question(t, run)
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	clock.Advance(100 * time.Hour)
	plans := func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return g.Plan(), nil }
	first := newRuntime(t, fermata.Options{Store: store, Clock: clock, Plans: plans})
	second := newRuntime(t, fermata.Options{Store: store, Clock: clock, Plans: plans})
	eventually(t, "the run completes", func() bool {
		info, err := second.Info(t.Context(), run.ID())
		return err == nil && info.Status == string(fermata.Completed)
	})
	res, err := first.Result(timeLimit(t), run.ID(), g.Plan())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"rejected by default", "b#1"}, res.Value.(*state).Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := count(lines(t, store, run.ID()), "interrupt.resolved"); got != 1 {
		t.Errorf("the deadline fired %d times", got)
	}
	noTimers(t, store)
}

// A sleep is a timer in the store: nobody waits for it in memory, and it goes on in another process.
func TestH4_ASleepOutlivesTheProcess(t *testing.T) {
	clock, store := newClock(), memory.New()
	var passes calls
	g := single(func(ctx node.Context, s state) (state, error) {
		passes.add("pass")
		if err := node.Sleep(ctx, 24*time.Hour); err != nil {
			return s, err
		}
		now, err := node.Now(ctx)
		s.Text = now.Format(time.DateTime)
		return s, err
	})
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	run := start(t, rt, g, state{})
	eventually(t, "the run sleeps", func() bool { return count(lines(t, store, run.ID()), "run.paused") == 1 })
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	plans := func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return g.Plan(), nil }
	later := newRuntime(t, fermata.Options{Store: store, Clock: clock, Plans: plans})
	run = resume(t, later, g, run.ID())
	clock.Advance(23 * time.Hour)
	if got := passes.add("pass"); got != 2 {
		t.Errorf("the node ran %d times before its time", got-1)
	}
	clock.Advance(time.Hour)
	if got := ends(t, run, fermata.Completed).State.Text; got != "2026-03-02 09:00:00" {
		t.Errorf("it woke at %s", got)
	}
	want := []string{
		"run.started", "node.started a#1", "timer.set a#1 sleep:sleep#1", "node.suspended a#1 sleep:sleep#1", "run.paused",
		"timer.fired a#1 sleep:sleep#1", "run.resumed timer", `step.finished a#1 now:now#1 = "2026-03-02T09:00:00Z"`,
		"node.finished a#1", "run.finished completed",
	}
	if diff := cmp.Diff(want, lines(t, store, run.ID())); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
	noTimers(t, store)
}

// What a cancelled run was waiting for does not ring any more.
func TestH4_ACancelledRunLeavesNoTimer(t *testing.T) {
	tests := map[string]graph.Func[state]{
		"a deadline": review(node.Within(time.Hour)),
		"a sleep":    func(ctx node.Context, s state) (state, error) { return s, node.Sleep(ctx, time.Hour) },
		"a backoff":  func(_ node.Context, s state) (state, error) { return s, errors.New("not yet") },
	}
	for name, f := range tests {
		t.Run(name, func(t *testing.T) {
			clock, store := newClock(), memory.New()
			rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
			run := start(t, rt, single(f, graph.Retry(3, time.Hour)), state{})
			eventually(t, "the timer is set", func() bool {
				timers, err := store.Timers(t.Context(), 1<<62, 0)
				return err == nil && len(timers) == 1
			})
			if err := rt.Cancel(t.Context(), run.ID(), "", ""); err != nil {
				t.Fatal(err)
			}
			noTimers(t, store)
		})
	}
}

// A resume token is given to whoever opened the question; the store has its hash, and nothing else has it.
func TestH5_TokensAreSecret(t *testing.T) {
	store, book := memory.New(), &logBook{}
	rt := newRuntime(t, fermata.Options{Store: store, Logger: book.Logger()})
	g := single(review())
	run := start(t, rt, g, state{})
	q := question(t, run)
	if len(q.Token) < 20 {
		t.Fatalf("the token is %q, want one that nobody guesses", q.Token)
	}
	secret := []byte(q.Token)
	listed, err := rt.Inbox(t.Context(), journal.InboxFilter{})
	if err != nil || len(listed) != 1 {
		t.Fatalf("%d questions in the inbox, error %v", len(listed), err)
	}
	hides(t, "the inbox", listed, secret)
	hides(t, "the inbox", listed, []byte(q.TokenHash))
	hides(t, "the question", q, []byte(q.TokenHash))
	hides(t, "the journal", entries(t, store, run.ID()), secret)
	answer(t, rt, q.ID, decision{Approve: true}, fermata.WithToken(q.Token), fermata.AsPerson("Ada"))
	ends(t, run, fermata.Completed)
	for e, err := range rt.Events(t.Context(), run.ID(), 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		hides(t, "an event that was read from the store", &e, secret)
		hides(t, "an event that was read from the store", &e, []byte(q.TokenHash))
	}
	hides(t, "the log", book.String(), secret)
	hides(t, "the log", book.String(), []byte(q.TokenHash))
}

func hides(t *testing.T, what string, value any, secret []byte) {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if contains(data, secret) {
		t.Errorf("%s shows the token: %s", what, data)
	}
	if list, ok := value.([]journal.Entry); ok { // bytes are base64 in JSON
		for _, e := range list {
			if contains(e.Body, secret) || contains(e.Value, secret) {
				t.Errorf("%s shows the token at seq %d: %s", what, e.Seq, e.Body)
			}
		}
	}
}

// Tokens differ, and one question's token opens no other.
func TestH5_ATokenOpensItsQuestionOnly(t *testing.T) {
	rt, _ := inMemory(t)
	g := single(review())
	one, other := question(t, start(t, rt, g, state{})), question(t, start(t, rt, g, state{}))
	refused(t, rt.Answer(t.Context(), one.ID, decision{}, fermata.WithToken(other.Token)), refusal{fermata.CodeForbidden, fermata.ErrForbidden})
	refused(t, rt.Answer(t.Context(), one.ID, decision{}, fermata.WithToken(one.TokenHash)), refusal{fermata.CodeForbidden, fermata.ErrForbidden})
	answer(t, rt, one.ID, decision{}, fermata.WithToken(one.Token))
}

func contains(data, secret []byte) bool { return len(secret) > 0 && bytes.Contains(data, secret) }
