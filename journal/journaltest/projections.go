package journaltest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/journal"
)

// interrupt is an open interrupt, opened at a moment after the suite's.
func interrupt(id, run string, opened int64) journal.Interrupt {
	return journal.Interrupt{
		ID: id, Run: run, Task: "inner/review#2", Op: "interrupt:ask#1", Kind: "choice",
		Request: json.RawMessage(`{"amount":5}`), RequestSchema: json.RawMessage(`{"type":"object"}`),
		ResponseSchema: json.RawMessage(`{"type":"string"}`), Prompt: "Refund 5 €?", Options: []string{"yes", "no"},
		RequestSchemaID: "shop/refund", RequestSchemaVersion: "2", ResponseSchemaID: "Choice", ResponseSchemaVersion: "a1b2",
		Role: "manager", Assignee: "Ada", NotBy: []string{"Sam"}, NotByNodes: []string{"inner/draft", "first"}, Opened: moment + opened, Deadline: moment + 100, TokenHash: "abc", State: journal.Open,
		OverrideRole: "chief", NeedsToken: true, AssigneeName: "Ada L.",
		AtDeadline: &journal.Deadline{Do: "escalate", Role: "chief", Within: 5, Then: &journal.Deadline{Do: "fail"}},
	}
}

func testRuns(t *testing.T, s journal.Store) {
	status := []string{"running", "paused", "completed"}
	var all []journal.RunRow // newest first
	for i := range 12 {
		r := *row(fmt.Sprintf("run_%02d", i), int64(i/2)) // two each say they are as old: the later one comes first
		r.Status, r.Plan, r.Waiting = status[i%3], fmt.Sprint("plan", i%2), i
		if i == 5 || i == 10 {
			r.Kind = journal.KindDefinition
		}
		appendAll(t, s, journal.Batch{Run: r.ID, Row: &r, Entries: entries(0, i+1)})
		r.Head = uint64(i + 1)
		all = append([]journal.RunRow{r}, all...)
	}
	check := func(f journal.RunFilter) {
		t.Helper()
		var want []journal.RunRow
		for _, r := range all {
			if f.Match(&r) && (f.Limit == 0 || len(want) < f.Limit) {
				want = append(want, r)
			}
		}
		got, err := s.Runs(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("%+v", f), want, got)
	}
	filters := []journal.RunFilter{
		{},
		{Limit: 3},
		{Limit: 100},
		{ID: "run_03"},
		{ID: "run_05"},
		{ID: "run_05", Definition: true},
		{ID: "run_99"},
		{ID: "run_03", Status: "paused"},
		{Status: "paused"},
		{Status: "paused", Limit: 2},
		{Status: "paused", Plan: "plan1"},
		{Plan: "plan0"},
		{Plan: "plan'"},
		{Kind: "graph"},
		{Kind: "recipe"},
		{Definition: true},
		{Definition: true, Limit: 1},
	}
	for _, f := range filters {
		check(f)
	}
	changed := all[8] // run_03
	changed.Status, changed.Error, changed.Updated, changed.Head = "failed", "it broke", moment+99, 0
	appendAll(t, s, journal.Batch{Run: changed.ID, After: 4, Row: &changed, Entries: entries(4, 1)})
	changed.Head = 5
	all[8] = changed
	appendAll(t, s, journal.Batch{Run: "run_02", After: 3, Entries: entries(3, 1)}) // without a row, the head still moves
	all[9].Head = 4
	for _, f := range append(filters, journal.RunFilter{Status: "failed"}) {
		check(f)
	}
}

func testInbox(t *testing.T, s journal.Store) {
	var all []journal.Interrupt
	for r := range 3 {
		run := fmt.Sprint("run_", r)
		b := first(run, 1)
		for i := range 4 {
			in := interrupt(fmt.Sprintf("int_%d%d", 3-i, r), run, int64(i/2))
			in.Role = []string{"manager", "clerk", ""}[r]
			in.State = []string{journal.Open, journal.Claimed, journal.Answered, journal.Withdrawn}[(i+r)%4]
			b.Interrupts = append(b.Interrupts, in)
			all = append(all, in.Clone())
		}
		appendAll(t, s, b)
	}
	// Of those that were opened together, the one that was stored first comes first.
	slices.SortStableFunc(all, func(a, b journal.Interrupt) int { return cmp.Compare(a.Opened, b.Opened) })
	check := func() {
		t.Helper()
		for _, f := range []journal.InboxFilter{
			{},
			{All: true},
			{Limit: 2},
			{All: true, Limit: 5},
			{ID: "int_00"},
			{ID: "int_20"},
			{ID: "int_20", All: true},
			{ID: "int_00", Run: "run_1"},
			{ID: "int_99"},
			{Run: "run_1"},
			{Run: "run_1", All: true},
			{Run: "run_1", All: true, Limit: 1},
			{Run: "run_9"},
			{Role: "manager"},
			{Role: "manager", Run: "run_0"},
			{Role: "nobody"},
		} {
			var want []journal.Interrupt
			for _, in := range all {
				if f.Match(&in) && (f.Limit == 0 || len(want) < f.Limit) {
					want = append(want, in)
				}
			}
			got, err := s.Inbox(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			same(t, fmt.Sprintf("%+v", f), want, got)
		}
	}
	check()
	heads := []uint64{1, 1, 1}
	for i, state := range []string{journal.Answered, journal.Open, journal.Claimed, journal.Open, journal.Expired, journal.Answered} {
		in := &all[i]
		r, _ := strconv.Atoi(strings.TrimPrefix(in.Run, "run_"))
		head := heads[r]
		in.State, in.AnsweredBy, in.Answer, in.Resolved = state, "anna", json.RawMessage(`"yes"`), moment+7
		in.Role, in.ClaimedBy, in.AtDeadline = "chief", "bert", nil
		b := journal.Batch{Run: in.Run, After: head, Interrupts: []journal.Interrupt{in.Clone()}}
		if i > 0 { // the first one without an entry
			b.Entries = entries(head, 1)
			heads[r]++
		}
		appendAll(t, s, b)
		check()
	}
	b := first("run_thief", 1)
	b.Interrupts = []journal.Interrupt{interrupt("int_00", "run_thief", 1)}
	fails(t, "an interrupt of another run", s.Append(t.Context(), b), nil, "run_thief")
	_, err := readErr(t.Context(), s, "run_thief", 0)
	fails(t, "the run that was to take it", err, journal.ErrNotFound, "run_thief")
	check()
}

func testTimers(t *testing.T, s journal.Store) {
	set := func(run, id string, due int64) journal.Timer { return journal.Timer{Run: run, ID: id, Due: due} }
	done := func(run, id string) journal.Timer { return journal.Timer{Run: run, ID: id, Done: true} }
	check := func(due int64, limit int, want ...journal.Timer) {
		t.Helper()
		got, err := s.Timers(t.Context(), due, limit)
		if err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("timers due at %d, at most %d", due, limit), want, got)
	}
	const ever = 1<<63 - 1
	check(ever, 1)
	a, b := first("run_a", 1), first("run_b", 1)
	a.Timers = []journal.Timer{set("run_a", "t1", 30), set("run_a", "t2", 10)}
	b.Timers = []journal.Timer{set("run_b", "t1", 20), set("run_b", "t0", 30), set("run_b", "gone", 1), done("run_b", "gone")}
	appendAll(t, s, a, b)
	all := []journal.Timer{set("run_a", "t2", 10), set("run_b", "t1", 20), set("run_a", "t1", 30), set("run_b", "t0", 30)}
	check(ever, 0, all...)
	check(ever, 1, all[0])
	check(9, 0)
	check(10, 0, all[0])
	check(20, 0, all[:2]...)
	check(30, 3, all[:3]...)
	// Another due for the same timer, one done, one done that is unknown.
	appendAll(t, s, journal.Batch{
		Run: "run_a", After: 1, Entries: entries(1, 1),
		Timers: []journal.Timer{set("run_a", "t1", 5), done("run_a", "t2"), done("run_a", "t9")},
	})
	check(ever, 0, set("run_a", "t1", 5), all[1], all[3])
	err := s.Append(t.Context(), journal.Batch{Run: "run_a", After: 9, Entries: entries(9, 1), Timers: []journal.Timer{done("run_a", "t1")}})
	fails(t, "append", err, journal.ErrConflict, "run_a")
	check(6, 0, set("run_a", "t1", 5))

	// A run that has ended has no timers, not even those of the batch that ends it.
	ended := row("run_a", 0)
	ended.Status = "cancelled"
	appendAll(t, s, journal.Batch{Run: "run_a", After: 2, Entries: entries(2, 1), Row: ended, Timers: []journal.Timer{set("run_a", "t3", 1)}})
	check(ever, 0, all[1], all[3])
	c := first("run_c", 1)
	c.Row.Status, c.Timers = "failed", []journal.Timer{set("run_c", "t1", 1)}
	appendAll(t, s, c)
	check(ever, 0, all[1], all[3])
}

func testDelete(t *testing.T, s journal.Store) {
	whole := func(run, id string) journal.Batch {
		b := first(run, 3)
		b.Interrupts = []journal.Interrupt{interrupt(id, run, 1)}
		b.Timers = []journal.Timer{{Run: run, ID: "t", Due: 1}}
		b.Checkpoint = &journal.Checkpoint{Seq: 2, Data: []byte("check")}
		return b
	}
	appendAll(t, s, whole("run_a", "int_a"), whole("run_b", "int_b"))
	for range 2 {
		if err := s.Delete(t.Context(), "run_a"); err != nil {
			t.Fatal(err)
		}
	}
	_, err := readErr(t.Context(), s, "run_a", 0)
	fails(t, "read", err, journal.ErrNotFound, "run_a")
	fails(t, "append", s.Append(t.Context(), journal.Batch{Run: "run_a", After: 3, Entries: entries(3, 1)}), journal.ErrConflict, "run_a")
	state := func() []any {
		rows, err1 := s.Runs(t.Context(), journal.RunFilter{})
		inbox, err2 := s.Inbox(t.Context(), journal.InboxFilter{All: true})
		timers, err3 := s.Timers(t.Context(), 1<<62, 0)
		a, err4 := s.Checkpoint(t.Context(), "run_a")
		b, err5 := s.Checkpoint(t.Context(), "run_b")
		if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
			t.Fatal(err)
		}
		return []any{rows, inbox, timers, a, b}
	}
	left := *whole("run_b", "int_b").Row
	left.Head = 3
	same(t, "what is left", []any{
		[]journal.RunRow{left},
		[]journal.Interrupt{interrupt("int_b", "run_b", 1)},
		[]journal.Timer{{Run: "run_b", ID: "t", Due: 1}},
		journal.Checkpoint{},
		journal.Checkpoint{Seq: 2, Data: []byte("check")},
	}, state())
	same(t, "run_b", entries(0, 3), read(t, s, "run_b", 0))

	appendAll(t, s, first("run_a", 1)) // the same id, a new run
	same(t, "run_a again", entries(0, 1), read(t, s, "run_a", 0))
	check, err := s.Checkpoint(t.Context(), "run_a")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "its checkpoint", journal.Checkpoint{}, check)
}

func testCheckpoint(t *testing.T, s journal.Store) {
	appendAll(t, s, first("run_a", 3))
	check := func(want journal.Checkpoint) {
		t.Helper()
		got, err := s.Checkpoint(t.Context(), "run_a")
		if err != nil {
			t.Fatal(err)
		}
		same(t, "the checkpoint", want, got)
	}
	check(journal.Checkpoint{})
	put := func(after uint64, n int, c *journal.Checkpoint) {
		t.Helper()
		appendAll(t, s, journal.Batch{Run: "run_a", After: after, Entries: entries(after, n), Checkpoint: c})
	}
	put(3, 1, &journal.Checkpoint{Seq: 4, Data: []byte("four")})
	check(journal.Checkpoint{Seq: 4, Data: []byte("four")})
	put(4, 1, nil)
	check(journal.Checkpoint{Seq: 4, Data: []byte("four")})
	put(5, 0, &journal.Checkpoint{Seq: 5, Data: []byte("five")}) // without an entry
	check(journal.Checkpoint{Seq: 5, Data: []byte("five")})
	fails(t, "a checkpoint after a wrong head", s.Append(t.Context(), journal.Batch{
		Run: "run_a", After: 4, Checkpoint: &journal.Checkpoint{Seq: 4, Data: []byte("late")},
	}), journal.ErrConflict, "run_a")
	check(journal.Checkpoint{Seq: 5, Data: []byte("five")})
	same(t, "the journal", entries(0, 5), read(t, s, "run_a", 0))
}

func testReopen(t *testing.T, o Options) {
	s := o.Open(t)
	b := first("run_a", 3)
	b.Row.Status = "paused"
	b.Interrupts = []journal.Interrupt{interrupt("int_a", "run_a", 1)}
	b.Timers = []journal.Timer{{Run: "run_a", ID: "t", Due: 1}}
	b.Checkpoint = &journal.Checkpoint{Seq: 2, Data: []byte("check")}
	appendAll(t, s, b)
	for after := uint64(3); after < 20; after++ {
		appendAll(t, s, journal.Batch{Run: "run_a", After: after, Entries: entries(after, 1), Durability: journal.Async})
	}
	for range 2 {
		s = o.Reopen(t, s)
		same(t, "the journal", entries(0, 20), read(t, s, "run_a", 0))
		rows, err1 := s.Runs(t.Context(), journal.RunFilter{Status: "paused"})
		inbox, err2 := s.Inbox(t.Context(), journal.InboxFilter{})
		timers, err3 := s.Timers(t.Context(), 1, 0)
		check, err4 := s.Checkpoint(t.Context(), "run_a")
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			t.Fatal(err)
		}
		paused := *b.Row
		paused.Head = 20
		same(t, "the projections", []any{[]journal.RunRow{paused}, b.Interrupts, b.Timers, *b.Checkpoint}, []any{rows, inbox, timers, check})
		fails(t, "append after a wrong head", s.Append(t.Context(), journal.Batch{Run: "run_a", After: 3, Entries: entries(3, 1)}), journal.ErrConflict, "run_a")
	}
	appendAll(t, s, journal.Batch{Run: "run_a", After: 20, Entries: entries(20, 1)})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func testSecond(t *testing.T, o Options) {
	one := open(t, o)
	appendAll(t, one, first("run_a", 1))
	two := o.Second(t, one)
	t.Cleanup(func() { _ = two.Close() })
	stores := []journal.Store{one, two}
	for after := uint64(1); after < 20; after++ {
		b := journal.Batch{Run: "run_a", After: after, Entries: entries(after, 1)}
		appendAll(t, stores[after%2], b)
		fails(t, "the same batch through the other", stores[(after+1)%2].Append(t.Context(), b), journal.ErrConflict, "run_a")
		same(t, "the journal through the other", entries(0, int(after)+1), read(t, stores[(after+1)%2], "run_a", 0))
	}
	// A run that is created again elsewhere is not the run that this store knew.
	if err := two.Delete(t.Context(), "run_a"); err != nil {
		t.Fatal(err)
	}
	appendAll(t, two, first("run_b", 20))
	fails(t, "append to a run deleted elsewhere", one.Append(t.Context(), journal.Batch{Run: "run_a", After: 20, Entries: entries(20, 1)}), journal.ErrConflict, "run_a")
	appendAll(t, two, first("run_a", 20))
	appendAll(t, one, journal.Batch{Run: "run_a", After: 20, Entries: entries(20, 1)})
	same(t, "run_a", entries(0, 21), read(t, two, "run_a", 0))
	same(t, "run_b", entries(0, 20), read(t, one, "run_b", 0))
}
