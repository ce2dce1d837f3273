package journaltest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/journal"
)

// modelled gives each case that is drawn a model of the store, which is empty before and after.
func modelled(t *testing.T, s journal.Store, test func(t *rapid.T, m *model)) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{store: s, touched: make(map[string]bool)}
		defer func() {
			for len(m.runs) > 0 {
				m.drop(rt, 0)
			}
		}()
		for range rapid.IntRange(0, 16).Draw(rt, "steps") {
			m.step(rt)
		}
		test(rt, m)
	})
}

func differ(t *rapid.T, what string, query, want, got any) {
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s of %+v (-want +got):\n%s", what, query, diff)
	}
}

// testFindRuns compares the pages of queries with what a loop over all runs finds.
func testFindRuns(t *testing.T, s journal.Store) {
	find, ctx := journal.Find(s), t.Context()
	modelled(t, s, func(t *rapid.T, m *model) {
		for range 4 {
			q := runQuery(t)
			var got []journal.RunRow
			for more := true; more; more = q.After != "" && len(got) < 1000 {
				page, err := find.FindRuns(ctx, q)
				if err != nil {
					t.Fatalf("%+v: %v", q, err)
				}
				if len(page.Runs) > q.Limit || page.Next != "" && len(page.Runs) < q.Limit {
					t.Fatalf("a page of %d, and the next %q: %+v", len(page.Runs), page.Next, q)
				}
				got, q.After = append(got, page.Runs...), page.Next
			}
			differ(t, "all pages", q, m.wanted(&q), got)
			by := draw(t, "by", []string{journal.CountStatus, journal.CountPlan, journal.LabelPrefix + "team"})
			most := rapid.IntRange(1, 4).Draw(t, "most")
			var values []string
			for _, r := range m.wanted(&q) {
				if v, ok := map[string]string{journal.CountStatus: r.Status, journal.CountPlan: r.Plan}[by]; ok {
					values = append(values, v)
				} else if v, ok := r.Labels["team"]; ok {
					values = append(values, v)
				}
			}
			counts, err := find.CountRuns(ctx, q, by, most)
			if err != nil {
				t.Fatalf("counts by %s of %+v: %v", by, q, err)
			}
			differ(t, "counts by "+by, q, tally(values, most), counts)
		}
	})
}

// testFindInterrupts compares the pages of queries with what a loop over all questions finds.
func testFindInterrupts(t *testing.T, s journal.Store) {
	find, ctx := journal.Find(s), t.Context()
	modelled(t, s, func(t *rapid.T, m *model) {
		for range 4 {
			q := interruptQuery(t, m)
			want := m.asked(&q)
			q.Brief = rapid.Bool().Draw(t, "brief")
			var got []journal.Interrupt
			for more := true; more; more = q.After != "" && len(got) < 1000 {
				page, err := find.FindInterrupts(ctx, q)
				if err != nil {
					t.Fatalf("%+v: %v", q, err)
				}
				got, q.After = append(got, page.Interrupts...), page.Next
			}
			var states, plans, roles []string
			for i := range want {
				states, plans, roles = append(states, want[i].State), append(plans, m.planOf(want[i].Run)), append(roles, want[i].Role)
				if q.Brief {
					want[i].Request, want[i].RequestSchema, want[i].ResponseSchema = nil, nil, nil
				}
			}
			differ(t, "all pages", q, want, got)
			most := rapid.IntRange(1, 4).Draw(t, "most")
			for by, values := range map[string][]string{journal.CountState: states, journal.CountPlan: plans, journal.CountRole: roles} {
				counts, err := find.CountInterrupts(ctx, q, by, most)
				if err != nil {
					t.Fatalf("counts by %s of %+v: %v", by, q, err)
				}
				differ(t, "counts by "+by, q, tally(values, most), counts)
			}
		}
	})
}

// testFindWhileChanging walks through pages while runs and questions change. Whatever has not changed since the walk
// began is told once, and nothing else is told that was never meant (law J14).
func testFindWhileChanging(t *testing.T, s journal.Store) {
	find, ctx := journal.Find(s), t.Context()
	modelled(t, s, func(t *rapid.T, m *model) {
		q, asks := runQuery(t), interruptQuery(t, m)
		q.Limit, asks.Limit = rapid.IntRange(1, 3).Draw(t, "few"), rapid.IntRange(1, 3).Draw(t, "few")
		var before []string
		for _, r := range m.wanted(&q) {
			before = append(before, r.ID)
		}
		for _, a := range m.asked(&asks) {
			before = append(before, a.ID)
		}
		clear(m.touched)
		told := make(map[string]int)
		for turns, runs, questions := 0, true, true; (runs || questions) && turns < 1000; turns++ {
			if runs {
				page, err := find.FindRuns(ctx, q)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range page.Runs {
					told[r.ID]++
				}
				q.After, runs = page.Next, page.Next != ""
			}
			if questions {
				page, err := find.FindInterrupts(ctx, asks)
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range page.Interrupts {
					told[a.ID]++
				}
				asks.After, questions = page.Next, page.Next != ""
			}
			if len(told) < 64 { // else the walk might never end: new rows may come behind the cursor
				m.step(t)
			}
		}
		meant := make(map[string]bool)
		for _, id := range before {
			meant[id] = true
			if !m.touched[id] && told[id] != 1 {
				t.Fatalf("%s has not changed and was told %d times", id, told[id])
			}
		}
		for id, n := range told {
			if !m.touched[id] && (!meant[id] || n != 1) {
				t.Fatalf("%s has not changed, was meant %t and told %d times", id, meant[id], n)
			}
		}
	})
}

// testFindRefuses asks what cannot be answered, and goes on with cursors of other queries.
func testFindRefuses(t *testing.T, s journal.Store) {
	find, ctx := journal.Find(s), t.Context()
	for _, id := range []string{"run_a", "run_b", "run_c"} {
		b := first(id, 1)
		b.Interrupts = []journal.Interrupt{interrupt("int_"+id, id, 1)}
		appendAll(t, s, b)
	}
	page, err1 := find.FindRuns(ctx, journal.RunQuery{Limit: 1, Statuses: []string{"running", "paused"}})
	asked, err2 := find.FindInterrupts(ctx, journal.InterruptQuery{Limit: 1})
	if err := errors.Join(err1, err2); err != nil || page.Next == "" || asked.Next == "" {
		t.Fatalf("no second page: %+v, %+v, %v", page, asked, err)
	}
	same := journal.RunQuery{Limit: 2, Statuses: []string{"paused", "running", "running"}, Order: journal.ByCreated, After: page.Next}
	if p, err := find.FindRuns(ctx, same); err != nil || len(p.Runs) != 2 || p.Next != "" {
		t.Errorf("the same query in other words, and a larger page: %+v, %v", p, err)
	}
	for text, q := range map[string]journal.RunQuery{
		"another filter or order": {After: page.Next}, `order "size"`: {Order: "size"}, "limit 1001": {Limit: 1001}, "limit -1": {Limit: -1},
		`status "pasued"`: {Statuses: []string{"pasued"}}, `label "Team"`: {Labels: map[string]string{"Team": "x"}},
		"since 1970": {Created: journal.Span{From: 5, To: 4}}, "is no cursor": {After: "x"}, "is damaged": {After: page.Next[:len(page.Next)-2]},
		"version 2": {After: "2" + page.Next[1:]},
	} {
		_, err := find.FindRuns(ctx, q)
		refusedQuery(t, text, err)
	}
	for text, q := range map[string]journal.InterruptQuery{
		"another filter or order": {After: page.Next}, `state "opne"`: {States: []string{"opne"}}, `order "created"`: {Order: journal.ByCreated},
		"limit 1001": {Limit: 1001},
	} {
		_, err := find.FindInterrupts(ctx, q)
		refusedQuery(t, text, err)
	}
	_, err1 = find.CountRuns(ctx, journal.RunQuery{}, "colour", 0)
	_, err2 = find.CountInterrupts(ctx, journal.InterruptQuery{}, "label:team", 0)
	refusedQuery(t, `"colour"`, err1)
	refusedQuery(t, `"label:team"`, err2)
}

func refusedQuery(t *testing.T, text string, err error) {
	t.Helper()
	if !errors.Is(err, journal.ErrQuery) || !strings.Contains(err.Error(), text) {
		t.Errorf("found %v, expected %v that says %q", err, journal.ErrQuery, text)
	}
}

// testFindContext asks with a context that is done, and then a store that is closed.
func testFindContext(t *testing.T, s journal.Store) {
	find := journal.Find(s)
	appendAll(t, s, first("run_a", 1))
	all := func(ctx context.Context) []error {
		_, err1 := find.FindRuns(ctx, journal.RunQuery{})
		_, err2 := find.CountRuns(ctx, journal.RunQuery{}, journal.CountStatus, 0)
		_, err3 := find.FindInterrupts(ctx, journal.InterruptQuery{})
		_, err4 := find.CountInterrupts(ctx, journal.InterruptQuery{}, journal.CountState, 0)
		return []error{err1, err2, err3, err4}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range all(ctx) {
		fails(t, "with a context that is done", err, context.Canceled, "")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, err := range all(t.Context()) {
		fails(t, "of a closed store", err, journal.ErrClosed, "")
	}
}
