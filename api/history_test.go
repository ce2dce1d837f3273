package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/server"
)

// paused starts a run that asks, and returns it with its question.
func (w *world) paused(t *testing.T, header ...string) (run, question string) {
	t.Helper()
	run = w.request(t, "POST", "/api/runs", `{"definition":"asks","input":{"amount":7}}`, header...).started(t, 201)
	w.stands(t, run, fermata.Paused)
	list, err := w.rt.Inbox(t.Context(), journal.InboxFilter{Run: run})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d questions (%v)", len(list), err)
	}
	return run, list[0].ID
}

// get asks for JSON.
func (w *world) get(t *testing.T, path string, to any) {
	t.Helper()
	r := w.request(t, "GET", path, "")
	if err := json.Unmarshal([]byte(r.body), to); r.status != 200 || err != nil {
		t.Fatalf("GET %s: %d %s (%v)", path, r.status, r.body, err)
	}
}

// Each seq of a run has its state, its drawing, and what differs from the end (laws J1 and W1).
func TestW1_ARunIsShownAtEachSeq(t *testing.T) {
	w := newWorld(t, api.Options{})
	run, question := w.paused(t)
	if r := w.request(t, "POST", "/api/interrupts/"+question+"/answer", `{"value":true}`); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	w.stands(t, run, fermata.Completed)
	info, err := w.rt.Info(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	for seq := range info.Head + 1 {
		at := ""
		if seq > 0 {
			at = fmt.Sprint("?at=", seq)
		}
		var shown struct {
			Run   string
			Seq   uint64
			State order
		}
		w.get(t, "/api/runs/"+run+"/state"+at, &shown)
		if want := (order{Amount: 7, Paid: seq == 0 || seq == info.Head || shown.State.Paid}); shown.State != want || shown.Run != run || seq > 0 && shown.Seq != seq || seq == 0 && shown.Seq != info.Head {
			t.Errorf("at %d: %+v, want %+v", seq, shown, want)
		}
		svg := w.request(t, "GET", "/api/runs/"+run+"/graph.svg"+at, "")
		if done := strings.Contains(svg.body, "completed"); svg.header.Get("Content-Type") != "image/svg+xml" || (seq == 0) && !done || seq == 1 && done {
			t.Errorf("at %d: %v %s", seq, svg.header, svg.body)
		}
		if seq == 0 {
			continue
		}
		var d fermata.Difference
		w.get(t, fmt.Sprintf("/api/runs/%s/diff?at=%d&withAt=%d", run, seq, info.Head), &d)
		if d.A.Seq != seq || d.B.Seq != info.Head || d.Same() != (seq == info.Head) {
			t.Errorf("at %d: %+v", seq, d)
		}
	}
	for path, detail := range map[string]string{
		"/state?at=99": "its last one is", "/graph.svg?at=99": "its last one is", "/diff?at=99": "its last one is", "/diff?withAt=99": "found 99",
	} {
		w.request(t, "GET", "/api/runs/"+run+path, "").refuses(t, 422, detail)
	}
	w.request(t, "GET", "/api/runs/"+run+"/state?at=x", "").refuses(t, 400, `at="x": expected the seq of an entry`)
	w.request(t, "GET", "/api/runs/"+run+"/diff", "").refuses(t, 400, "is no fork")
	w.request(t, "GET", "/api/runs/"+run+"/diff?with=none", "").refuses(t, 404, `there is no run "none"`)
}

// A dry run says what a fork would change, and stores nothing. A key makes one fork (law W2).
func TestW2_ARunIsForkedOnceForAKey(t *testing.T) {
	w := newWorld(t, api.Options{})
	run, question := w.paused(t)
	if r := w.request(t, "POST", "/api/interrupts/"+question+"/answer", `{"value":true,"by":"Ada"}`); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	w.stands(t, run, fermata.Completed)
	at := "/api/runs/" + run + "/fork"
	const body = `{"askAgain":["ask#1"],"set":{"amount":8}`
	var tried struct {
		Run, From  string
		Difference fermata.Difference
	}
	r := w.request(t, "POST", at, body+`,"dryRun":true}`)
	if err := json.Unmarshal([]byte(r.body), &tried); err != nil || r.status != 200 || tried.Run != "" || tried.From != run {
		t.Fatalf("%d %s (%v)", r.status, r.body, err)
	}
	if d := tried.Difference; len(d.Answers) != 1 || d.Answers[0].A.State != journal.Answered || string(d.A.Status) != "completed" || string(d.B.Status) != "running" {
		t.Errorf("%s", r.body)
	}
	if page, err := w.rt.FindRuns(t.Context(), journal.RunQuery{}); err != nil || len(page.Runs) != 1 {
		t.Fatalf("%d runs (%v), want 1", len(page.Runs), err)
	}
	fork := w.request(t, "POST", at, body+`}`, "Idempotency-Key", "f")
	again := w.request(t, "POST", at, body+`}`, "Idempotency-Key", "f")
	if fork.status != 201 || again.status != 200 || again.header.Get("Idempotency-Replayed") != "true" || fork.header.Get("Location") != again.header.Get("Location") {
		t.Fatalf("%d %s; %d %s", fork.status, fork.body, again.status, again.body)
	}
	id := api.RunID("", "f")
	w.stands(t, id, fermata.Paused)
	var d fermata.Difference
	w.get(t, "/api/runs/"+id+"/diff", &d)
	if d.A.Run != run || d.B.Run != id || len(d.Answers) != 1 {
		t.Errorf("%+v", d)
	}
	var shown struct{ State order }
	if w.get(t, "/api/runs/"+id+"/state", &shown); shown.State.Amount != 8 {
		t.Errorf("%+v", shown)
	}
	w.request(t, "POST", "/api/runs/"+id+"/fork", `{}`, "Idempotency-Key", "f").refuses(t, 422, "another request")
	w.request(t, "POST", at, `{"id":"x"}`, "Idempotency-Key", "f").refuses(t, 400, "found both")
	w.request(t, "POST", at, `{"at":99}`).refuses(t, 422, "expected a seq from 1")
	w.request(t, "POST", at, `{"askAgain":["asc"]}`).refuses(t, 422, "asc")
	w.request(t, "POST", at, `{"sett":{}}`).refuses(t, 400, `did you mean "set"?`)
	w.request(t, "POST", at, `{"set":{"amount":"much"},"dryRun":true,"at":1}`).refuses(t, 422, "amount")
}

func TestJ9_ARunIsExported(t *testing.T) {
	w := newWorld(t, api.Options{})
	run, _ := w.paused(t)
	file := w.request(t, "GET", "/api/runs/"+run+"/export", "")
	if file.status != 200 || file.header.Get("Content-Type") != "application/x-ndjson" || !strings.Contains(file.header.Get("Content-Disposition"), run+".jsonl") {
		t.Fatalf("%d %v", file.status, file.header)
	}
	other := fermata.MustNew(fermata.Options{Store: memory.New()})
	defer func() { _ = other.Close() }()
	if info, err := other.Import(t.Context(), strings.NewReader(file.body+"\n"), fermata.ImportOptions{}); err != nil || info.ID != run {
		t.Errorf("%+v (%v)", info, err)
	}
	w.request(t, "GET", "/api/runs/none/export", "").refuses(t, 404, `there is no run "none"`)
}

// What shows all questions of a run is not for those who may not read each of them; and what this process cannot execute is
// neither retried nor forked.
func TestH8_HistoryIsForThoseWhoReadIt(t *testing.T) {
	w := newWorld(t, api.Options{
		Executes: func(_ context.Context, run fermata.RunInfo) error { return fmt.Errorf("%s needs a model", run.Plan) },
		Server: server.Options{Authorize: func(r *http.Request) (server.Person, error) {
			p := server.Person{ID: r.Header.Get("X-User")}
			p.May = func(right identity.Right, plan string) bool {
				return p.ID != "reader" || right != identity.Start && (right != identity.Operate || plan == "")
			}
			switch p.ID {
			case "blind":
				p.Reads = func(_ fermata.RunInfo, q *journal.Interrupt) bool { return q == nil }
			case "stranger":
				p.Reads = func(fermata.RunInfo, *journal.Interrupt) bool { return false }
			case "":
				return p, errors.New("unknown")
			}
			return p, nil
		}},
	})
	run, _ := w.paused(t, "X-User", "clerk")
	at := "/api/runs/" + run
	for _, path := range []string{"/state", "/graph.svg", "/diff?withAt=1", "/export"} {
		w.request(t, "GET", at+path, "").refuses(t, 401, "not known")
		w.request(t, "GET", at+path, "", "X-User", "stranger").refuses(t, 404, "there is no run")
		if r := w.request(t, "GET", at+path, "", "X-User", "reader"); r.status != 200 {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	w.request(t, "GET", at+"/diff?withAt=1", "", "X-User", "blind").refuses(t, 403, "not allowed")
	w.request(t, "GET", at+"/export", "", "X-User", "blind").refuses(t, 403, "not allowed")
	w.request(t, "POST", at+"/fork", "{}").refuses(t, 401, "not known")
	w.request(t, "POST", at+"/fork", "{}", "X-User", "reader").refuses(t, 403, "not allowed")
	w.request(t, "POST", at+"/fork", "{}", "X-User", "blind").refuses(t, 403, "not allowed")
	w.request(t, "POST", at+"/fork", "{}", "X-User", "stranger").refuses(t, 404, "there is no run")
	w.request(t, "POST", at+"/fork", "{}", "X-User", "clerk").refuses(t, 409, "asks needs a model")
	if r := w.request(t, "POST", at+"/fork", `{"hold":true}`, "X-User", "clerk"); r.status != 201 {
		t.Errorf("%d %s", r.status, r.body)
	}
}
