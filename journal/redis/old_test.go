package redis_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	driver "github.com/redis/go-redis/v9"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/redis"
)

// TestJ9_KeysOfFormat1 opens what a version wrote that did not say where runs and interrupts are found. They are found
// then, and what is written from then on changes where.
func TestJ9_KeysOfFormat1(t *testing.T) {
	p, c := prefix(t), raw(t)
	s := openWith(t, p, redis.Options{})
	var runs []journal.RunRow
	for _, id := range []string{"run_a", "run_b"} {
		r := journal.RunRow{ID: id, Plan: "plan", Kind: "graph", Status: "paused", Created: 1, Updated: 1, Waiting: 1}
		in := journal.Interrupt{ID: "int_" + id, Run: id, Role: "clerk", State: journal.Open, Opened: 1}
		b := journal.Batch{Run: id, Row: &r, Entries: []journal.Entry{{Seq: 1, At: 1, Kind: journal.RunStarted}}, Interrupts: []journal.Interrupt{in}}
		if err := s.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		r.Head = 1
		runs = append([]journal.RunRow{r}, runs...)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c.Del(t.Context(), p+"found", p+"asked", p+"asks")
	c.HDel(t.Context(), p+"{run_a}", "places")
	c.HDel(t.Context(), p+"{run_b}", "places")
	c.HSet(t.Context(), p+"meta", "format", "1")
	s = open(t, p)
	find := func(q journal.RunQuery, want ...journal.RunRow) {
		t.Helper()
		page, err := s.FindRuns(t.Context(), q)
		if diff := cmp.Diff(want, page.Runs); diff != "" || err != nil {
			t.Errorf("%+v: %v (-want +got):\n%s", q, err, diff)
		}
	}
	find(journal.RunQuery{}, runs...)
	find(journal.RunQuery{Statuses: []string{"paused"}}, runs...)
	asked, err := s.FindInterrupts(t.Context(), journal.InterruptQuery{Roles: []string{"clerk"}})
	if err != nil || len(asked.Interrupts) != 2 {
		t.Errorf("found %+v, %v", asked, err)
	}
	changed := runs[0]
	changed.Status, changed.Labels, changed.Head = "completed", map[string]string{"team": "red"}, 0
	b := journal.Batch{Run: changed.ID, After: 1, Row: &changed, Entries: []journal.Entry{{Seq: 2, At: 2, Kind: journal.RunFinished}}}
	if err := s.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	changed.Head = 2
	find(journal.RunQuery{Statuses: []string{"paused"}}, runs[1])
	find(journal.RunQuery{Labels: map[string]string{"team": "red"}}, changed)
	for _, r := range runs {
		if err := s.Delete(t.Context(), r.ID); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"found", "asked", "asks"} {
		if n := c.Exists(t.Context(), p+key).Val(); n != 0 {
			t.Errorf("%s is left behind", key)
		}
	}
}

// TestW8_KeysOfFormat3 opens what a version wrote that knew no feed, and has processes of that version go on beside this one: what they write is told.
func TestW8_KeysOfFormat3(t *testing.T) {
	p, c := prefix(t), raw(t)
	s := openWith(t, p, redis.Options{})
	create := func(id string) {
		t.Helper()
		r := journal.RunRow{ID: id, Plan: "plan", Kind: "graph", Status: "running", Created: 1, Updated: time.Now().UnixMicro()}
		if err := s.Append(t.Context(), journal.Batch{Run: id, Row: &r, Entries: []journal.Entry{{Seq: 1, At: 1, Kind: journal.RunStarted}}}); err != nil {
			t.Fatal(err)
		}
	}
	forget := func(id string) { // as one who knows no feed
		c.ZRem(t.Context(), p+"feed", id)
		c.HDel(t.Context(), p+"{"+id+"}", "fed")
	}
	create("run_a")
	create("run_b")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c.Del(t.Context(), p+"feed", p+"gone")
	c.HDel(t.Context(), p+"meta", "mark", "order")
	c.HDel(t.Context(), p+"{run_a}", "fed")
	c.HDel(t.Context(), p+"{run_b}", "fed")
	c.HSet(t.Context(), p+"meta", "format", "3")
	s = open(t, p)
	cursor := ""
	told := func(want ...string) {
		t.Helper()
		var got []string
		for until := time.Now().Add(10 * time.Second); len(got) < len(want) && time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
			page, err := s.Feed(t.Context(), journal.FeedQuery{After: cursor})
			if err != nil {
				t.Fatal(err)
			}
			cursor = page.Next
			for _, change := range page.Changes {
				text := change.Row.ID + " " + change.Row.Status
				if change.Gone {
					text = change.Row.ID + " gone"
				}
				got = append(got, text)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	}
	told("run_a running", "run_b running")
	create("run_c")
	forget("run_c")
	c.HSet(t.Context(), p+"{run_a}", "status", "completed", "token", "theirs")
	told("run_a completed", "run_c running")
	if err := s.Delete(t.Context(), "run_b"); err != nil {
		t.Fatal(err)
	}
	c.HDel(t.Context(), p+"gone", "run_b")
	c.ZAdd(t.Context(), p+"feed", driver.Z{Score: 1, Member: "run_b"})
	told("run_b gone")
}
