package api_test

import (
	"context"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/internal/runtype"
)

// noted are pauses in memory.
type noted struct {
	mu  sync.Mutex
	all map[string]*api.Pause
}

func (n *noted) Paused(_ context.Context, schedule string) (*api.Pause, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.all[schedule], nil
}

func (n *noted) Set(_ context.Context, schedule string, paused bool, by, why string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case !paused:
		delete(n.all, schedule)
	case n.all[schedule] == nil:
		n.all[schedule] = &api.Pause{By: by, Note: why}
	}
	return nil
}

// scheduled is a world whose definition asks has two schedules: one that its definition has paused, and one that it has not.
func scheduled(t *testing.T, o api.Options) *world {
	t.Helper()
	w := newWorld(t, o)
	one := func(name string, paused bool) api.Schedule {
		return api.Schedule{
			Name: name, Cron: "@hourly", Rule: "each hour", Overlap: "skip", CatchUp: "none", Paused: paused,
			Next: func(after time.Time, _ int) []api.Occurrence {
				return []api.Occurrence{{Time: after.Add(time.Hour), Run: "run_next"}}
			},
			Fire: func(ctx context.Context, run string, _ time.Time, opts ...fermata.StartOption) error {
				_, err := asks.Start(ctx, w.rt, order{Amount: 1}, append(opts, fermata.WithID(run), runtype.OfSchedule(name))...)
				return err
			},
		}
	}
	if err := w.api.Replace([]api.Definition{{Plan: asks.Plan(), Schedules: []api.Schedule{one("asks/hourly", false), one("asks/old", true), {Name: "asks/shown", Paused: true}}}}); err != nil {
		t.Fatal(err)
	}
	return w
}

// shownSchedule is what a list says of a schedule.
type shownSchedule struct {
	Schedule string
	Paused   bool
	PausedBy *struct{ By, Note string }
	Next     []struct{ Run string }
	Last     []struct{ Run string }
}

func (w *world) listed(t *testing.T, name string) (found shownSchedule) {
	t.Helper()
	var list struct{ Schedules []shownSchedule }
	w.get(t, "/api/schedules", &list)
	for _, s := range list.Schedules {
		if s.Schedule == name {
			found = s
		}
	}
	return found
}

// at is the path of what is done about a schedule, whose name has a slash.
func actOn(schedule, what string) string {
	return "/api/schedules/" + url.PathEscape(schedule) + "/" + what
}

// A schedule is paused for all who ask, with who and why, and goes on; to do it again changes nothing.
func TestW4_ASchedulePauses(t *testing.T) {
	w := scheduled(t, api.Options{Pauses: &noted{all: map[string]*api.Pause{}}})
	if s := w.listed(t, "asks/hourly"); s.Paused || len(s.Next) != 1 {
		t.Fatalf("at first: %+v", s)
	}
	for _, by := range []string{"ann", "bob"} {
		if r := w.request(t, "POST", actOn("asks/hourly", "pause"), `{"note":"stocktaking","by":"`+by+`"}`); r.status != 200 {
			t.Fatalf("pause: %d %s", r.status, r.body)
		}
	}
	want := shownSchedule{Schedule: "asks/hourly", Paused: true, PausedBy: &struct{ By, Note string }{"ann", "stocktaking"}, Next: []struct{ Run string }{}, Last: []struct{ Run string }{}}
	if diff := cmp.Diff(want, w.listed(t, "asks/hourly")); diff != "" {
		t.Errorf("paused (-want +got):\n%s", diff)
	}
	for range 2 {
		if r := w.request(t, "POST", actOn("asks/hourly", "resume"), ""); r.status != 200 {
			t.Fatalf("resume: %d %s", r.status, r.body)
		}
	}
	if s := w.listed(t, "asks/hourly"); s.Paused || s.PausedBy != nil || len(s.Next) != 1 {
		t.Errorf("resumed: %+v", s)
	}
	w.request(t, "POST", actOn("asks/old", "resume"), "").refuses(t, 409, "is paused where it is defined")
	w.request(t, "POST", actOn("asks/none", "pause"), "").refuses(t, 404, `there is no schedule "asks/none"`)
	w.request(t, "POST", actOn("asks/hourly", "pause"), `{"why":"x"}`).refuses(t, 400, "")
	scheduled(t, api.Options{}).request(t, "POST", actOn("asks/hourly", "pause"), "").refuses(t, 409, "keeps no pauses")
}

// A run of a schedule is started by hand once for each key, is on record with who did it, and is among the runs of the schedule.
func TestW2_ASchedulesRunIsStartedByHandOnce(t *testing.T) {
	w := scheduled(t, api.Options{Pauses: &noted{all: map[string]*api.Pause{}}})
	run := w.request(t, "POST", actOn("asks/old", "fire"), `{"by":"ann"}`, "Idempotency-Key", "k").started(t, 201)
	again := w.request(t, "POST", actOn("asks/old", "fire"), `{"by":"ann"}`, "Idempotency-Key", "k")
	if again.started(t, 200) != run || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("again: %d %s %v", again.status, again.body, again.header)
	}
	w.request(t, "POST", actOn("asks/hourly", "fire"), "", "Idempotency-Key", "k").refuses(t, 422, "of another request")
	if other := w.request(t, "POST", actOn("asks/old", "fire"), "").started(t, 201); other == run {
		t.Error("without a key it is the same run")
	}
	last := w.listed(t, "asks/old").Last
	if len(last) != 2 || last[1].Run != run {
		t.Errorf("newest runs %+v; expected %s among them", last, run)
	}
	info, err := w.rt.Info(t.Context(), run)
	if err != nil || info.Labels[runtype.ScheduleLabel] != "asks/old" {
		t.Errorf("labels %v, %v", info.Labels, err)
	}
	w.request(t, "POST", actOn("asks/shown", "fire"), "").refuses(t, 409, "cannot start its runs")
	w.request(t, "POST", actOn("asks", "fire"), "").refuses(t, 404, "")
}
