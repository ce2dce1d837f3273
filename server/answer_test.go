package server_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/server"
)

// Every way in which an answer can be wrong has a status of its own, and leaves the question as it was.
func TestH2_TheStatusOfAnAnswer(t *testing.T) {
	tests := []struct {
		name   string
		before func(t *testing.T, w *world, id string)
		body   string
		status int
		reply  string // with the ids of run and interrupt as RUN and INT; "" for any
		state  string
	}{
		{name: "taken", body: `{"value":{"approve":true},"by":"Ada","role":"editor"}`, status: 200, reply: `{"requestId":"INT","run":"RUN","state":"answered"}`, state: journal.Answered},
		{name: "it does not fit", body: `{"value":{"approve":"yes","not":1},"role":"editor"}`, status: 422, state: journal.Open},
		{
			name: "the wrong role", body: `{"value":{"approve":true},"role":"author"}`, status: 403, state: journal.Open,
			reply: `{"error":"run RUN, task ask#1: not allowed: interrupt INT: it asks for role \"editor\", found \"author\"","code":"forbidden"}`,
		},
		{
			name: "the wrong token", body: `{"value":{"approve":true},"role":"editor","token":"ABC"}`, status: 403, state: journal.Open,
			reply: `{"error":"run RUN, task ask#1: not allowed: interrupt INT: the resume token is not the one that was given out","code":"forbidden"}`,
		},
		{
			name: "again", before: answered, body: `{"by":"Ada","role":"editor","value":{ "approve":true }}`, status: 200, state: journal.Answered,
			reply: `{"requestId":"INT","run":"RUN","state":"answered"}`,
		},
		{
			name: "again, by another person", before: answered, body: `{"by":"Bob","role":"editor","value":{ "approve":true }}`, status: 200, state: journal.Answered,
			reply: `{"answeredBefore":true,"answeredBy":"Ada","requestId":"INT","run":"RUN","state":"answered"}`,
		},
		{
			name: "another answer", before: answered, body: `{"value":{"approve":false},"role":"editor"}`, status: 409, state: journal.Answered,
			reply: `{"error":"run RUN, task ask#1: already answered with a different value: interrupt INT, by Ada","code":"conflict"}`,
		},
		{name: "claimed", before: func(t *testing.T, w *world, id string) {
			if err := w.rt.Claim(t.Context(), id, "Ada", "editor"); err != nil {
				t.Fatal(err)
			}
		}, body: `{"value":{"approve":true},"role":"editor","by":"Bob"}`, status: 409, state: journal.Claimed},
		{name: "withdrawn", before: func(t *testing.T, w *world, id string) {
			q, err := w.rt.Inbox(t.Context(), journal.InboxFilter{ID: id})
			if err == nil {
				err = w.rt.Cancel(t.Context(), q[0].Run, "", "")
			}
			if err != nil {
				t.Fatal(err)
			}
		}, body: `{"value":{"approve":true},"role":"editor"}`, status: 410, state: journal.Withdrawn},
		{
			name: "no JSON", body: `{"value":`, status: 400, state: journal.Open,
			reply: `{"error":"expected a body of the form {\"value\": …}: it is no JSON at byte 9","code":"invalid"}`,
		},
		{
			name: "no object", body: `true`, status: 400, state: journal.Open,
			reply: `{"error":"expected a body of the form {\"value\": …}: it is no object","code":"invalid"}`,
		},
		{name: "null", body: `null`, status: 400, state: journal.Open},
		{name: "no value", body: `{"by":"Ada"}`, status: 400, state: journal.Open, reply: `{"error":"the body has no member \"value\"","code":"invalid"}`},
		{
			name: "a slip", body: `{"vlaue":true}`, status: 400, state: journal.Open,
			reply: `{"error":"unknown member \"vlaue\" of the body; did you mean \"value\"?; expected value, note, by, role, token","code":"invalid"}`,
		},
		{name: "no name", body: `{"value":true,"by":1}`, status: 400, state: journal.Open, reply: `{"error":"member \"by\" of the body: expected a text","code":"invalid"}`},
		{
			name: "too large", body: `{"value":"` + strings.Repeat("x", 1<<20) + `"}`, status: 413, state: journal.Open,
			reply: `{"error":"the body is larger than 1048576 bytes","code":"invalid"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, fermata.Options{}, server.Options{})
			run := w.start(t, asks(node.Role("editor")))
			id := question(t, run)
			if tt.before != nil {
				tt.before(t, w, id)
			}
			status, reply := w.request(t, http.MethodPost, "/interrupts/"+id+"/answer", tt.body)
			reply = strings.NewReplacer(run.ID(), "RUN", id, "INT").Replace(strings.TrimSpace(reply))
			if status != tt.status || tt.reply != "" && reply != tt.reply {
				t.Errorf("%d %s\nwant %d %s", status, reply, tt.status, tt.reply)
			}
			if state := w.state(t, id); state != tt.state {
				t.Errorf("the question is %s, want %s", state, tt.state)
			}
		})
	}
}

// A form of a page, or what somebody has put together by hand, is told that JSON is wanted; JSON is taken whatever it
// says that it is.
func TestH2_AnswersOfOtherTypes(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{})
	for _, tt := range []struct {
		kind, body string
		status     int
		reply      string
	}{
		{"application/x-www-form-urlencoded", "value=approve&by=Ada", 415, `found \"application/x-www-form-urlencoded\"","code":"invalid"}`},
		{"multipart/form-data; boundary=x", "--x\r\n\r\napprove\r\n--x--", 415, `expected a body of the form {\"value\": …}, as application/json; found \"multipart/form-data; boundary=x\"`},
		{"text/plain", "approve", 415, `found \"text/plain\"`},
		{"application/json; charset=utf-8", "approve", 400, "it is no JSON at byte 1"},
		{"", "approve", 400, "it is no JSON at byte 1"},
		{"application/json", `{"value":{"approve":true,"nte":"x"}}`, 422, `"problems":[{"path":"/nte",`},
		{"application/x-www-form-urlencoded", `{"value":{"approve":true}}`, 200, `"state":"answered"`}, // as curl sends it
	} {
		id := question(t, w.start(t, asks()))
		status, reply := w.request(t, http.MethodPost, "/interrupts/"+id+"/answer", tt.body, "Content-Type", tt.kind)
		if status != tt.status || !strings.Contains(reply, tt.reply) {
			t.Errorf("%s %q: %d %s\nexpected %d, and %s", tt.kind, tt.body, status, reply, tt.status, tt.reply)
		}
		if state := w.state(t, id); (state == journal.Answered) != (tt.status == http.StatusOK) {
			t.Errorf("%s %q: the question is %s", tt.kind, tt.body, state)
		}
	}
}

func answered(t *testing.T, w *world, id string) {
	w.accepts(t, id, `{"value":{"approve":true},"role":"editor","by":"Ada"}`)
}

func (w *world) state(t *testing.T, id string) string {
	t.Helper()
	list, err := w.rt.Inbox(t.Context(), journal.InboxFilter{ID: id, All: true})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d interrupts, %v", len(list), err)
	}
	return list[0].State
}

// An answer that does not fit says where, place by place.
func TestH2_TheProblemsOfAnAnswer(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{})
	id := question(t, w.start(t, asks()))
	_, reply := w.request(t, http.MethodPost, "/interrupts/"+id+"/answer", `{"value":{"approve":"yes","note":7}}`)
	for _, part := range []string{`"code":"invalid"`, `"problems":[{"path":"/approve","message":"`, `{"path":"/note","message":"`} {
		if !strings.Contains(reply, part) {
			t.Errorf("%s\nis not in %s", part, reply)
		}
	}
}

func TestAnswersToNobody(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{})
	status, reply := w.request(t, http.MethodPost, "/interrupts/int_x/answer", `{"value":true}`)
	if want := `{"error":"there is no interrupt \"int_x\"","code":"not_found"}` + "\n"; status != http.StatusNotFound || reply != want {
		t.Errorf("%d %s, want 404 %s", status, reply, want)
	}
}

// An answer that comes after the deadline is too late, also where the deadline was not noticed yet.
func TestH4_ALateAnswer(t *testing.T) {
	clock := fermatatest.NewClock(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	w := newWorld(t, fermata.Options{Clock: clock}, server.Options{})
	run := w.start(t, asks(node.Within(time.Hour)))
	id := question(t, run)
	clock.Advance(2 * time.Hour)
	ends(t, run, fermata.Expired)
	status, reply := w.request(t, http.MethodPost, "/interrupts/"+id+"/answer", `{"value":{"approve":true}}`)
	if status != http.StatusGone || !strings.Contains(reply, `"code":"expired"`) {
		t.Errorf("%d %s, want 410", status, reply)
	}
}

// With Hold an answer is recorded, and the run waits for whoever drives it.
func TestHold(t *testing.T) {
	for _, hold := range []bool{false, true} {
		w := newWorld(t, fermata.Options{}, server.Options{Hold: hold})
		g := asks()
		run := w.start(t, g)
		w.accepts(t, question(t, run), `{"value":{"approve":true}}`)
		if hold {
			info, err := w.rt.Info(t.Context(), run.ID())
			if err != nil || info.Status != string(fermata.Paused) {
				t.Fatalf("the run is %s, %v", info.Status, err)
			}
			if run, err = g.Resume(t.Context(), w.rt, run.ID()); err != nil {
				t.Fatal(err)
			}
		}
		if res := ends(t, run, fermata.Completed); !res.State.Approved {
			t.Errorf("with Hold %t the answer did not come", hold)
		}
	}
}

// Authorize decides who answers and in which role, whatever the body says, and what the inbox shows.
func TestAuthorize(t *testing.T) {
	people := map[string]server.Person{
		"ada-key": {Name: "Ada", Roles: []string{"author", "editor"}},
		"bob-key": {Name: "Bob", Roles: []string{"author"}},
		"cat-key": {Name: "Cat"},
	}
	w := newWorld(t, fermata.Options{}, server.Options{Authorize: func(r *http.Request) (server.Person, error) {
		key := r.Header.Get("Authorization")
		if key == "eve-key" {
			return server.Person{}, fermata.ErrForbidden
		}
		p, ok := people[key]
		if !ok {
			return p, errors.New("no such key: " + key)
		}
		return p, nil
	}})
	run := w.start(t, asks(node.Role("editor")))
	id := question(t, run)
	const asEditor = `{"value":{"approve":true},"by":"Ada","role":"editor"}`
	seen := func(key string) bool {
		_, list := w.request(t, http.MethodGet, "/interrupts", "", "Authorization", key)
		return strings.Contains(list, id)
	}
	if got, want := []bool{seen("ada-key"), seen("bob-key"), seen("cat-key")}, []bool{true, false, false}; !cmp.Equal(got, want) {
		t.Errorf("the inbox shows the question to %v, want %v", got, want)
	}
	for _, tt := range []struct {
		key    string
		status int
	}{{"", 401}, {"x-key", 401}, {"eve-key", 403}, {"bob-key", 403}, {"cat-key", 403}, {"ada-key", 200}} {
		status, reply := w.request(t, http.MethodPost, "/interrupts/"+id+"/answer", asEditor, "Authorization", tt.key)
		if status != tt.status || tt.key != "" && strings.Contains(reply, tt.key) {
			t.Errorf("%q: %d %s, want %d", tt.key, status, reply, tt.status)
		}
	}
	for _, path := range []string{"/runs/" + run.ID(), "/runs/" + run.ID() + "/events", "/interrupts"} {
		if status, _ := w.request(t, http.MethodGet, path, ""); status != http.StatusUnauthorized {
			t.Errorf("%s without a key: %d, want 401", path, status)
		}
	}
	ends(t, run, fermata.Completed)
	list, err := w.rt.Inbox(t.Context(), journal.InboxFilter{ID: id, All: true})
	if err != nil || list[0].AnsweredBy != "Ada" {
		t.Errorf("answered by %q, %v", list[0].AnsweredBy, err)
	}
	if strings.Contains(w.log.String(), "-key") {
		t.Errorf("the log holds a key:\n%s", w.log)
	}
}

// How a run stands, from its question to its end.
func TestShowRun(t *testing.T) {
	clock := fermatatest.NewClock(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	w := newWorld(t, fermata.Options{Clock: clock}, server.Options{})
	run := w.start(t, asks(node.Prompt("Print it?"), node.Role("editor"), node.ResponseSchema([]byte(`{"type":"object"}`))), fermata.WithID("run_s"))
	id := question(t, run)
	open := `{"requestId":"INT","run":"run_s","task":"ask#1","op":"interrupt:interrupt#1","input":{"draft":""},` +
		`"responseSchema":{"type":"object"},"responseSchemaId":"sha256:a2c799262a3ce3c19ef5cdd983bf3d12","responseSchemaVersion":"a2c799262a3c",` +
		`"prompt":"Print it?","requiredRole":"editor","opened":1772355600000000,"state":"open"}`
	shows := func(path, want string) {
		t.Helper()
		status, got := w.request(t, http.MethodGet, path, "")
		if got = strings.ReplaceAll(strings.TrimSpace(got), id, "INT"); status != http.StatusOK || got != want {
			t.Errorf("GET %s: %d (-want +got):\n%s", path, status, cmp.Diff(want, got))
		}
	}
	shows("/runs/run_s", `{"run":"run_s","plan":"asks","status":"paused","seq":5,"outputs":null,"interrupts":[`+open+`]}`)
	shows("/interrupts", `{"interrupts":[`+open+`]}`)
	shows("/interrupts?role=editor&run=run_s", `{"interrupts":[`+open+`]}`)
	shows("/interrupts?role=author", `{"interrupts":[]}`)
	shows("/interrupts?run=run_t", `{"interrupts":[]}`)
	w.accepts(t, id, `{"value":{"approve":true},"role":"editor"}`)
	ends(t, run, fermata.Completed)
	shows("/runs/run_s", `{"run":"run_s","plan":"asks","status":"completed","seq":9,"outputs":{"Text":"","Approved":true},"interrupts":[]}`)
	if status, reply := w.request(t, http.MethodGet, "/runs/run_t", ""); status != http.StatusNotFound ||
		reply != `{"error":"run run_t: no such run","code":"not_found"}`+"\n" {
		t.Errorf("an unknown run: %d %s", status, reply)
	}
}

func TestShowAFailedRun(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{})
	run := w.start(t, graph.New[draft]("fails").Node("a", func(_ node.Context, d draft) (draft, error) {
		return d, errors.New("out of ink")
	}).Edge(graph.Start, "a").MustCompile(), fermata.WithID("run_f"))
	ends(t, run, fermata.Failed)
	_, got := w.request(t, http.MethodGet, "/runs/run_f", "")
	want := `{"run":"run_f","plan":"fails","status":"failed","seq":4,"outputs":null,"error":"out of ink","code":"failed","interrupts":[]}` + "\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A store that fails is nobody's business outside.
func TestAFailingStoreIsNotShown(t *testing.T) {
	store := &failing{Store: memory.New()}
	w := newWorld(t, fermata.Options{Store: store}, server.Options{})
	run := w.start(t, asks())
	w.accepts(t, question(t, run), `{"value":{"approve":true}}`)
	ends(t, run, fermata.Completed)
	store.broken.Store(true)
	status, reply := w.request(t, http.MethodGet, "/runs/"+run.ID(), "")
	if want := `{"error":"the store failed","code":"store"}` + "\n"; status != http.StatusInternalServerError || reply != want {
		t.Errorf("%d %s, want 500 %s", status, reply, want)
	}
	if !strings.Contains(w.log.String(), "disk 7 is on fire") {
		t.Error("the log does not say what failed")
	}
}

// Pages of other origins neither read nor answer, unless their origin is listed.
func TestOrigins(t *testing.T) {
	const desk = "https://desk.example.com"
	w := newWorld(t, fermata.Options{}, server.Options{Origins: []string{desk}})
	id := question(t, w.start(t, asks()))
	path := "/interrupts/" + id + "/answer"
	tests := []struct {
		name, method, path, origin string
		status                     int
		allowed                    string
	}{
		{"a stranger reads", "GET", "/interrupts", "https://evil.example.com", 200, ""},
		{"a stranger answers", "POST", path, "https://evil.example.com", 403, ""},
		{"a stranger asks first", "OPTIONS", path, "https://evil.example.com", 405, ""},
		{"the desk asks first", "OPTIONS", path, desk, 204, desk},
		{"the desk reads", "GET", "/interrupts", desk, 200, desk},
		{"the desk is refused", "GET", "/runs/run_x", desk, 404, desk},
		{"the desk answers", "POST", path, desk, 200, desk},
	}
	for _, tt := range tests {
		res := w.do(t, tt.method, tt.path, `{"value":{"approve":true}}`, "Origin", tt.origin, "Sec-Fetch-Site", "cross-site",
			"Access-Control-Request-Method", "POST")
		_ = res.Body.Close()
		if got := res.Header.Get("Access-Control-Allow-Origin"); res.StatusCode != tt.status || got != tt.allowed {
			t.Errorf("%s: %d, allowed %q; want %d, %q", tt.name, res.StatusCode, got, tt.status, tt.allowed)
		}
		for _, name := range []string{"Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID"} { // the headers that routes read
			if res.StatusCode == http.StatusNoContent && !strings.Contains(res.Header.Get("Access-Control-Allow-Headers"), name) {
				t.Errorf("%s: the browser would not send %s", tt.name, name)
			}
		}
	}
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, `origin "desk"`) {
			t.Errorf("an origin that is none: %q", text)
		}
	}()
	server.New(w.rt, server.Options{Origins: []string{"desk"}})
}
