package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/server"
)

// lines are the runs that an answer tells of, with why one was refused, and its last line.
type lines struct {
	runs    []string
	refused map[string]api.Problem
	total   string
}

// change asks to do something about many runs.
func (w *world) change(t *testing.T, body string, header ...string) (l lines) {
	t.Helper()
	r := w.request(t, "POST", "/api/runs/bulk", body, header...)
	if r.status != 200 || r.header.Get("Content-Type") != "application/x-ndjson" {
		t.Fatalf("%s: %d %s", body, r.status, r.body)
	}
	all := strings.Split(r.body, "\n")
	l.total, l.refused = all[len(all)-1], make(map[string]api.Problem)
	for _, text := range all[:len(all)-1] {
		var line struct {
			Run, Plan, Status string
			Error             *api.Problem
		}
		if err := json.Unmarshal([]byte(text), &line); err != nil || line.Run == "" || line.Plan == "" || line.Status == "" {
			t.Fatalf("%s: line %q: %v", body, text, err)
		}
		if l.runs = append(l.runs, line.Run); line.Error != nil {
			l.refused[line.Run] = *line.Error
		}
	}
	slices.Sort(l.runs)
	return l
}

// total is the last line of an answer.
func total(done, refused int, more bool) string {
	return fmt.Sprintf(`{"total":true,"done":%d,"refused":%d,"more":%t}`, done, refused, more)
}

func (w *world) statuses(t *testing.T, runs []string) (list []string) {
	t.Helper()
	for _, run := range runs {
		info, err := w.rt.Info(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, info.Status)
	}
	return list
}

// A dry run tells of the runs that the real one tells of, and stores nothing; the limit and the filter hold, and each line is one run.
func TestF3_RunsThatAFilterSelectsAreChanged(t *testing.T) {
	w := newWorld(t, api.Options{})
	var red, blue []string
	for i := range 6 {
		color, list := "red", &red
		if i%2 == 1 {
			color, list = "blue", &blue
		}
		body := fmt.Sprintf(`{"definition":"asks","input":{"amount":1},"labels":{"team":%q}}`, color)
		run := w.request(t, "POST", "/api/runs", body).started(t, 201)
		w.questionOf(t, run)
		*list = append(*list, run)
	}
	slices.Sort(red)
	slices.Sort(blue)
	const filter = `"filter":{"label":{"team":"red"},"plan":["asks"],"createdFrom":"2020-01-01T00:00:00Z"}`
	for _, do := range []string{"hold", "release", "cancel"} {
		before := w.kinds(t, red[0])
		dry := w.change(t, `{"do":"`+do+`",`+filter+`,"dryRun":true}`)
		if diff := cmp.Diff(before, w.kinds(t, red[0])); diff != "" {
			t.Errorf("a dry run of %s stores (-before +after):\n%s", do, diff)
		}
		got := w.change(t, `{"do":"`+do+`",`+filter+`,"reason":"audit","by":"Ada"}`)
		if diff := cmp.Diff(red, got.runs); diff != "" || got.total != total(3, 0, false) || len(got.refused) > 0 {
			t.Errorf("%s (-want +got):\n%s%s %v", do, diff, got.total, got.refused)
		}
		if diff := cmp.Diff(dry, got, cmp.AllowUnexported(lines{})); diff != "" {
			t.Errorf("%s: the dry run differs (-dry +real):\n%s", do, diff)
		}
	}
	if got := fmt.Sprint(w.statuses(t, red), w.statuses(t, blue)); got != "[cancelled cancelled cancelled] [paused paused paused]" {
		t.Error(got)
	}
	if r, err := w.rt.Result(t.Context(), red[0], nil); err != nil || r.Err == nil || !strings.Contains(r.Err.Error(), "audit") {
		t.Errorf("the reason is not on record: %v, %v", r.Err, err)
	}
	first := w.change(t, `{"do":"cancel","filter":{},"limit":2}`)
	second := w.change(t, `{"do":"cancel","filter":{}}`)
	if len(first.runs) != 2 || first.total != total(2, 0, true) || second.total != total(1, 0, false) {
		t.Errorf("%v, then %v", first, second)
	}
	if diff := cmp.Diff(blue, slices.Sorted(slices.Values(append(first.runs, second.runs...)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Named runs are changed, each once, and none whose id begins like theirs.
func TestF3_RunsThatAreNamedAreChanged(t *testing.T) {
	w := newWorld(t, api.Options{})
	for _, id := range []string{"a", "a-1", "a-2", "b"} {
		run := w.request(t, "POST", "/api/runs", `{"definition":"asks","input":{"amount":1},"id":"`+id+`"}`).started(t, 201)
		w.questionOf(t, run)
	}
	const filter = `"filter":{"run":["b","a","b","nothing"]}`
	for range 2 {
		dry := w.change(t, `{"do":"cancel",`+filter+`,"dryRun":true}`)
		if diff := cmp.Diff([]string{"a", "b"}, dry.runs); diff != "" || dry.total != total(2, 0, false) {
			t.Errorf("(-want +got):\n%s%s", diff, dry.total)
		}
	}
	if got := w.change(t, `{"do":"cancel",`+filter+`,"limit":1}`); got.total != total(1, 0, true) || got.runs[0] != "a" {
		t.Error(got)
	}
	if got := w.change(t, `{"do":"cancel",`+filter+`}`); got.total != total(1, 0, false) || got.runs[0] != "b" {
		t.Error(got)
	}
	for kind, want := range map[string]int{"dialogue": 0, "graph": 2} {
		if got := w.change(t, `{"do":"cancel","filter":{"kind":["`+kind+`"]},"dryRun":true}`); len(got.runs) != want {
			t.Errorf("kind %s: %v; want %d runs", kind, got.runs, want)
		}
	}
	if got := fmt.Sprint(w.statuses(t, []string{"a", "a-1", "a-2", "b"})); got != "[cancelled paused paused cancelled]" {
		t.Error(got)
	}
	w.request(t, "POST", "/api/runs/bulk", `{"do":"cancel","filter":{"run":["a"],"prefix":"a"}}`).refuses(t, 400, "prefix")
}

// A retry that cannot be is told in the line of its run; the others go on.
func TestF2_RunsThatAFilterSelectsAreRetried(t *testing.T) {
	var off string // a run that this process does not execute
	w := newWorld(t, api.Options{Executes: func(_ context.Context, run fermata.RunInfo) error {
		if run.ID == off {
			return errors.New("its file is gone")
		}
		return nil
	}})
	var runs []string
	for range 3 {
		run := w.request(t, "POST", "/api/runs", `{"definition":"failing","input":{"amount":1}}`).started(t, 201)
		w.stands(t, run, fermata.Failed)
		runs = append(runs, run)
	}
	off, w.mended = runs[1], true
	got := w.change(t, `{"do":"retry","filter":{"plan":["fails"]}}`)
	if len(got.runs) != 3 || got.total != total(2, 1, false) || got.refused[off].Status != 409 || !strings.Contains(got.refused[off].Detail, "its file is gone") {
		t.Errorf("%+v", got)
	}
}

// refusedAs is the status of a body: 422 where its form is right, and the engine does not take it.
func refusedAs(body string) int {
	if strings.Contains(body, `"status"`) || strings.Contains(body, `"label"`) {
		return 422
	}
	return 400
}

// What is wrong with a request is said before anything is done.
func TestBulkRequestsThatAreRefused(t *testing.T) {
	w := newWorld(t, api.Options{})
	run, _ := w.paused(t)
	for body, want := range map[string]string{
		``:                                       `{"do": "retry"`,
		`{"filter":{}}`:                          "do",
		`{"do":"cancel"}`:                        "filter",
		`{"do":"delete","filter":{}}`:            "cancel",
		`{"do":"cancel","filter":{"plam":[]}}`:   "plan",
		`{"do":"cancel","filter":{},"limit":-1}`: "1 to 10000",
		`{"do":"cancel","filter":{},"limit":10001}`:          "1 to 10000",
		`{"do":"cancel","filter":{"status":["completed"]}}`:  "running, paused, blocked",
		`{"do":"retry","filter":{"status":["paused"]}}`:      "failed, expired, blocked",
		`{"do":"hold","filter":{},"deadline":"2h"}`:          "retry",
		`{"do":"retry","filter":{},"deadline":"soon"}`:       "2h",
		`{"do":"hold","filter":{"createdFrom":"yesterday"}}`: "createdFrom",
		`{"do":"hold","filter":{"label":{"Not a key":"x"}}}`: "label",
	} {
		r := w.request(t, "POST", "/api/runs/bulk", body)
		r.refuses(t, refusedAs(body), want)
	}
	if got := w.statuses(t, []string{run}); got[0] != "paused" {
		t.Error(got)
	}
}

// Runs beyond somebody's plans are not selected, and do not count.
func TestW5_ManyRunsAreChangedWithinTheScope(t *testing.T) {
	w := newWorld(t, api.Options{Definitions: []api.Definition{{Plan: secret.Plan()}}, Server: server.Options{Authorize: inRole}})
	own, _ := w.paused(t, "X-Role", "admin")
	hidden := w.request(t, "POST", "/api/runs", `{"definition":"payroll","input":{"amount":1}}`, "X-Role", "admin").started(t, 201)
	w.questionOf(t, hidden)
	got := w.change(t, `{"do":"cancel","filter":{},"limit":1,"by":"Eve"}`, "X-Role", "operator:asks")
	if diff := cmp.Diff([]string{own}, got.runs); diff != "" || got.total != total(1, 0, true) {
		t.Errorf("(-want +got):\n%s%s", diff, got.total)
	}
	if got := fmt.Sprint(w.statuses(t, []string{own, hidden})); got != "[cancelled paused]" {
		t.Error(got)
	}
}
