package journaltest

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/journal"
)

// feeding makes a test one of a store that tells what has changed.
func feeding(test func(t *testing.T, s journal.Store)) func(t *testing.T, s journal.Store) {
	return func(t *testing.T, s journal.Store) {
		if _, ok := journal.As[journal.Feeder](s); !ok {
			t.Skipf("%T tells no changes", s)
		}
		test(t, s)
	}
}

// tester is a *testing.T or a *rapid.T.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// follower keeps what it is told of.
type follower struct {
	cursor string
	runs   map[string]journal.RunRow // that are there
	gone   map[string]bool           // that it was told are not
	early  bool                      // the last page may be told again
}

func newFollower(cursor string) *follower {
	return &follower{cursor: cursor, runs: make(map[string]journal.RunRow), gone: make(map[string]bool)}
}

// page reads a page.
func (f *follower) page(t tester, s journal.Store, limit int) (told []journal.RunChange, more bool) {
	t.Helper()
	feeder, _ := journal.As[journal.Feeder](s)
	p, err := feeder.Feed(context.Background(), journal.FeedQuery{After: f.cursor, Limit: limit})
	if err != nil {
		t.Fatalf("feed behind %q: %v", f.cursor, err)
	}
	if len(p.Changes) > limit || p.Next == "" || p.Began == "" || p.Early > len(p.Changes) {
		t.Fatalf("a page of %d, %d of them early, more %t, the next %q, limit %d", len(p.Changes), p.Early, p.More, p.Next, limit)
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		if i > 0 && c.Mark < p.Changes[i-1].Mark {
			t.Fatalf("change %d is told behind %d", c.Mark, p.Changes[i-1].Mark)
		}
		if c.Gone {
			delete(f.runs, c.Row.ID)
		} else {
			f.runs[c.Row.ID] = c.Row
		}
		f.gone[c.Row.ID] = c.Gone
	}
	f.cursor, f.early = p.Next, p.Early > 0
	return p.Changes, p.More
}

// read reads all that there is. Some of it may be told more than once, while somebody else has a transaction on its way.
func (f *follower) read(t tester, s journal.Store, limit int) (told []journal.RunChange) {
	t.Helper()
	for until, more := time.Now().Add(20*time.Second), true; more || f.early; {
		var page []journal.RunChange
		page, more = f.page(t, s, limit)
		told = append(told, page...)
		if time.Now().After(until) {
			t.Fatalf("changes are early for 20 seconds: a transaction has not ended")
		}
	}
	return told
}

// testFeed compares what followers know, each behind a cursor of its own, with what there is.
func testFeed(t *testing.T, s journal.Store) {
	modelled(t, s, func(t *rapid.T, m *model) {
		followers := []*follower{newFollower(""), newFollower("")}
		changed := make([]map[string]bool, 8) // since a follower has read all
		for i := range changed {
			changed[i] = make(map[string]bool)
			for _, r := range m.runs {
				changed[i][r.ID] = true
			}
		}
		for range rapid.IntRange(1, 12).Draw(t, "turns") {
			clear(m.touched)
			m.step(t)
			for i := range changed {
				for id := range m.touched {
					changed[i][m.runOf(id)] = true
				}
			}
			i := rapid.IntRange(0, len(followers)-1).Draw(t, "follower")
			f, certain := followers[i], !followers[i].early
			limit := rapid.IntRange(1, 4).Draw(t, "limit")
			if rapid.IntRange(0, 3).Draw(t, "whether all") == 0 { // a page, and more changes before the next one
				f.page(t, s, limit)
				continue
			}
			for _, c := range f.read(t, s, limit) {
				if certain && !changed[i][c.Row.ID] {
					t.Fatalf("told of %s, which has not changed", c.Row.ID)
				}
			}
			m.knows(t, f)
			if rest := f.read(t, s, limit); len(rest) > 0 && !f.early {
				t.Fatalf("told again: %+v", rest)
			}
			clear(changed[i])
			if len(followers) < len(changed) && rapid.IntRange(0, 3).Draw(t, "one more") == 0 { // which begins where this one is
				clear(changed[len(followers)])
				followers = append(followers, &follower{cursor: f.cursor, runs: maps.Clone(f.runs), gone: maps.Clone(f.gone)})
			}
		}
		for _, f := range followers {
			f.read(t, s, 3)
			m.knows(t, f)
		}
	})
}

// runOf is the run of what has an id.
func (m *model) runOf(id string) string {
	for i := range m.questions {
		if m.questions[i].ID == id {
			return m.questions[i].Run
		}
	}
	return id
}

// knows compares what a follower was told with the runs that there are.
func (m *model) knows(t tester, f *follower) {
	t.Helper()
	want := make(map[string]journal.RunRow)
	for _, r := range m.runs {
		if r.Kind != journal.KindDefinition {
			want[r.ID] = r
		}
	}
	if diff := cmp.Diff(want, f.runs, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("what a follower knows (-want +got):\n%s", diff)
	}
}

// testFeedTells checks one thing that changes a run after the other, and those that do not.
func testFeedTells(t *testing.T, s journal.Store) {
	f := newFollower("")
	appendAll(t, s, first("run_0", 1))
	f.read(t, s, 10)
	asked := interrupt("int_1", "run_1", 1)
	begun, ended, labelled := first("run_1", 2), row("run_1", 0), row("run_1", 0)
	begun.Row.Labels = map[string]string{"team": "red"}
	labelled.Labels = map[string]string{"team": "blue"}
	ended.Status, ended.Labels = "completed", labelled.Labels
	answered := asked.Clone()
	answered.State = journal.Answered
	setting := first("set_1", 1)
	setting.Row.Kind = journal.KindDefinition
	for _, tc := range []struct {
		what string
		do   func() error
		told []string
	}{
		{"a start", func() error { return s.Append(t.Context(), begun) }, []string{"run_1 running"}},
		{"an entry", func() error {
			return s.Append(t.Context(), journal.Batch{Run: "run_1", After: 2, Entries: entries(2, 1)})
		}, nil},
		{"a question", func() error {
			return s.Append(t.Context(), journal.Batch{Run: "run_1", After: 3, Entries: entries(3, 1), Interrupts: []journal.Interrupt{asked}})
		}, []string{"run_1 running"}},
		{"an answer without an entry", func() error {
			return s.Append(t.Context(), journal.Batch{Run: "run_1", After: 4, Interrupts: []journal.Interrupt{answered}})
		}, []string{"run_1 running"}},
		{"another run", func() error { return s.Append(t.Context(), first("run_2", 1)) }, []string{"run_2 running"}},
		{"a row without an entry", func() error {
			return s.Append(t.Context(), journal.Batch{Run: "run_1", After: 4, Row: labelled})
		}, []string{"run_1 running"}},
		{"an end", func() error {
			return s.Append(t.Context(), journal.Batch{Run: "run_1", After: 4, Row: ended, Entries: entries(4, 1)})
		}, []string{"run_1 completed"}},
		{"a definition", func() error { return s.Append(t.Context(), setting) }, nil},
		{"a batch that is refused", func() error {
			if err := s.Append(t.Context(), journal.Batch{Run: "run_1", After: 1, Row: labelled, Entries: entries(1, 1)}); !errors.Is(err, journal.ErrConflict) {
				return fmt.Errorf("found %w, expected a conflict", err)
			}
			return nil
		}, nil},
		{"a deletion", func() error { return s.Delete(t.Context(), "run_1") }, []string{"run_1 gone graph plan blue"}},
		{"the deletion of a definition", func() error { return s.Delete(t.Context(), "set_1") }, nil},
		{"the deletion of no run", func() error { return s.Delete(t.Context(), "run_1") }, nil},
		{"the same run again", func() error { return s.Append(t.Context(), begun) }, []string{"run_1 running"}},
	} {
		if err := tc.do(); err != nil {
			t.Fatalf("%s: %v", tc.what, err)
		}
		var told []string
		for _, c := range f.read(t, s, 10) {
			told = slices.DeleteFunc(told, func(text string) bool { return strings.HasPrefix(text, c.Row.ID+" ") }) // it was early
			if c.Gone {
				told = append(told, c.Row.ID+" gone "+c.Row.Kind+" "+c.Row.Plan+" "+c.Row.Labels["team"])
			} else {
				told = append(told, c.Row.ID+" "+c.Row.Status)
			}
		}
		same(t, tc.what, tc.told, told)
	}
	late := newFollower("")
	late.read(t, s, 2)
	same(t, "what one knows who begins at the start", map[string]bool{"run_0": false, "run_1": false, "run_2": false}, late.gone)
}

// testFeedNow begins at the present.
func testFeedNow(t *testing.T, s journal.Store) {
	appendAll(t, s, first("run_1", 1))
	f := newFollower(journal.FeedNow)
	for until := time.Now().Add(10 * time.Second); ; { // an earlier transaction of somebody else may be on its way
		if told := f.read(t, s, 10); len(told) == 0 {
			break
		} else if time.Now().After(until) {
			t.Fatalf("told of the past: %+v", told)
		}
		f.cursor = journal.FeedNow
	}
	appendAll(t, s, first("run_2", 1))
	told := f.read(t, s, 10)
	if len(told) != 1 || told[0].Row.ID != "run_2" {
		t.Errorf("told %+v, expected run_2", told)
	}
}

// testFeedRefuses asks with cursors that mean nothing.
func testFeedRefuses(t *testing.T, s journal.Store) {
	feeder, _ := journal.As[journal.Feeder](s)
	appendAll(t, s, first("run_1", 1))
	f := newFollower("")
	f.read(t, s, 10)
	raw, err := base64.RawURLEncoding.DecodeString(f.cursor[1:])
	if err != nil {
		t.Fatal(err)
	}
	_, n := binary.Uvarint(raw)
	signed := func(data []byte) string {
		return "1" + base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint32(slices.Clone(data), crc32.ChecksumIEEE(data)))
	}
	rest := raw[n : len(raw)-4]
	for text, q := range map[string]journal.FeedQuery{
		"the store only at":   {After: signed(append(binary.AppendUvarint(nil, 1<<60), rest...))},
		"of another store":    {After: signed(append(slices.Clone(raw[:len(raw)-4]), 'x'))},
		"is damaged":          {After: "1" + base64.RawURLEncoding.EncodeToString(append(raw[:len(raw)-1:len(raw)-1], raw[len(raw)-1]^1))},
		"is no cursor":        {After: "yesterday"},
		"version 2":           {After: "2" + f.cursor[1:]},
		"limit 1001":          {Limit: 1001},
		"limit -1":            {Limit: -1},
		`"1" is no cursor of`: {After: "1"},
	} {
		_, err := feeder.Feed(t.Context(), q)
		fails(t, text, err, journal.ErrQuery, "")
		if err != nil && !strings.Contains(err.Error(), text) {
			t.Errorf("found %v, expected one that says %q", err, text)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = feeder.Feed(ctx, journal.FeedQuery{})
	fails(t, "with a context that is done", err, context.Canceled, "")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = feeder.Feed(t.Context(), journal.FeedQuery{})
	fails(t, "of a closed store", err, journal.ErrClosed, "")
}

// testFeedBusy has many write at once, on several handles, while followers read, each by a cursor that it keeps as text.
// In the end each knows what there is: it has missed no last change of any run.
func testFeedBusy(t *testing.T, stores ...journal.Store) {
	var writers, readers sync.WaitGroup
	const each, changes = 6, 80
	for w := range 4 {
		s := stores[w%len(stores)]
		writers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 1)) //nolint:gosec // a test that repeats
			heads := make([]uint64, each)
			for n := range changes {
				k := r.IntN(each)
				id := fmt.Sprintf("run_%d_%d", w, k)
				given := row(id, int64(n))
				given.Waiting = n
				b := journal.Batch{Run: id, After: heads[k], Row: given, Entries: entries(heads[k], 1)}
				switch {
				case heads[k] > 0 && r.IntN(8) == 0:
					if err := s.Delete(t.Context(), id); err != nil {
						t.Error(err)
					}
					heads[k] = 0
					continue
				case heads[k] > 0 && r.IntN(3) == 0:
					b.Row = nil
				}
				if err := s.Append(t.Context(), b); err != nil {
					t.Error(err)
					return
				}
				heads[k]++
			}
		})
	}
	done := make(chan struct{})
	followers := make([]*follower, 6)
	for i := range followers {
		s := stores[i%len(stores)]
		followers[i] = newFollower("")
		readers.Go(func() {
			for {
				followers[i].page(t, s, 1+i*3)
				select {
				case <-done:
					return
				case <-time.After(time.Duration(i) * time.Millisecond):
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	if t.Failed() {
		return
	}
	want := make(map[string]journal.RunRow)
	rows, err := stores[0].Runs(t.Context(), journal.RunFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		r.Head = 0 // entries alone are not told
		want[r.ID] = r
	}
	for i, f := range followers {
		f.read(t, stores[i%len(stores)], 7)
		for id, r := range f.runs {
			r.Head = 0
			f.runs[id] = r
		}
		same(t, fmt.Sprintf("what follower %d knows", i), want, f.runs)
	}
}

// testFeedReopen keeps a cursor over the end of the process.
func testFeedReopen(t *testing.T, o Options) {
	s := o.Open(t)
	if _, ok := journal.As[journal.Feeder](s); !ok {
		t.Skipf("%T tells no changes", s)
	}
	appendAll(t, s, first("run_1", 1), first("run_2", 1), first("run_3", 1))
	f := newFollower("")
	f.read(t, s, 2)
	if err := s.Delete(t.Context(), "run_3"); err != nil {
		t.Fatal(err)
	}
	s = o.Reopen(t, s)
	defer s.Close() //nolint:errcheck // what it has said is what counts
	appendAll(t, s, first("run_4", 1))
	f.read(t, s, 1)
	got := make(map[string]bool)
	for id, gone := range f.gone {
		got[id] = !gone
	}
	same(t, "what is known", map[string]bool{"run_1": true, "run_2": true, "run_3": false, "run_4": true}, got)
	ended := row("run_1", 0)
	ended.Status = "completed"
	appendAll(t, s, journal.Batch{Run: "run_1", After: 1, Row: ended, Entries: entries(1, 1)})
	f.read(t, s, 1)
	same(t, "the status of run_1", "completed", f.runs["run_1"].Status)
}

func testFeedSecond(t *testing.T, o Options) {
	here := open(t, o)
	if _, ok := journal.As[journal.Feeder](here); !ok {
		t.Skipf("%T tells no changes", here)
	}
	there := o.Second(t, here)
	defer there.Close() //nolint:errcheck // what it has said is what counts
	testFeedBusy(t, here, there)
}
