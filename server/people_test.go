package server_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/server"
)

// Claimed, given back, reassigned and escalated: by whom, to whom and why is recorded, and who may not is told so (law H6).
func TestH6_TheStatusOfWhatPeopleDo(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{})
	run := w.start(t, asks(node.Role("editor"), node.FourEyes()), fermata.StartedBy("Sam"))
	id := question(t, run)
	for _, step := range []struct {
		do, body string
		status   int
		reply    string
	}{
		{"claim", `{"role":"editor"}`, 422, `{"error":"interrupt INT: a claim needs a name","code":"invalid"}`},
		{"claim", `{"by":"Ada","role":"author"}`, 403, ""},
		{"claim", `{"by":"Sam","role":"editor"}`, 403, ""},
		{"claim", `{"by":"Ada","rloe":"editor"}`, 400, `{"error":"unknown member \"rloe\" of the body; did you mean \"role\"?; expected note, by, role, token","code":"invalid"}`},
		{"claim", `[]`, 400, `{"error":"expected a body of the form {\"by\": …}: it is no object","code":"invalid"}`},
		{"claim", `{"by":"Ada","role":"editor"}`, 200, `{"requestId":"INT","run":"RUN","state":"claimed"}`},
		{"claim", `{"by":"Bob","role":"editor"}`, 409, ""},
		{"release", `{"by":"Bob"}`, 409, ""},
		{"release", `{"by":"Ada","note":"no time"}`, 200, `{"requestId":"INT","run":"RUN","state":"open"}`},
		{"reassign", `{"by":"Ada","role":"editor"}`, 422, ""},
		{"reassign", `{"to":"Bob","by":"Ada"}`, 403, ""},
		{"reassign", `{"to":"Sam","by":"Ada","role":"editor"}`, 403, ""},
		{"reassign", `{"to":"Bob","note":"on holiday","by":"Ada","role":"editor"}`, 200, `{"requestId":"INT","run":"RUN","state":"open"}`},
		{"escalate", ``, 422, ""},
		{"escalate", `{"toRole":"chief","by":"Bob","role":"editor"}`, 200, `{"requestId":"INT","run":"RUN","state":"open"}`},
		{"delegate", `{}`, 404, ""},
	} {
		status, reply := w.request(t, http.MethodPost, "/interrupts/"+id+"/"+step.do, step.body)
		reply = strings.NewReplacer(run.ID(), "RUN", id, "INT").Replace(strings.TrimSpace(reply))
		if status != step.status || step.reply != "" && reply != step.reply {
			t.Errorf("%s %s: %d %s\nwant %d %s", step.do, step.body, status, reply, step.status, step.reply)
		}
	}
	var did []journal.UpdatedBody
	for m, err := range w.rt.History(t.Context(), run.ID()) {
		if err != nil {
			t.Fatal(err)
		}
		var body journal.UpdatedBody
		if m.Entry.Kind == journal.InterruptUpdated && json.Unmarshal(m.Entry.Body, &body) == nil {
			did = append(did, body)
		}
	}
	want := []journal.UpdatedBody{
		{Do: "claim", By: "Ada"},
		{Do: "release", By: "Ada", Note: "no time"},
		{Do: "reassign", By: "Ada", Role: "editor", Assignee: "Bob", Note: "on holiday"},
		{Do: "escalate", By: "Bob", Role: "chief"},
	}
	if diff := cmp.Diff(want, did); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// With Authorize nobody acts in a name or a role that is not theirs.
func TestH6_PeopleActInTheirOwnName(t *testing.T) {
	people := map[string]server.Person{"ada": {Name: "Ada", Roles: []string{"editor"}}, "bob": {Name: "Bob"}}
	w := newWorld(t, fermata.Options{}, server.Options{Authorize: func(r *http.Request) (server.Person, error) {
		if p, ok := people[r.Header.Get("Authorization")]; ok {
			return p, nil
		}
		return server.Person{}, errors.New("not known")
	}})
	run := w.start(t, asks(node.Role("editor")))
	id := question(t, run)
	for _, step := range []struct {
		key, do, body string
		status        int
	}{
		{"", "claim", `{"by":"Ada","role":"editor"}`, 401},
		{"bob", "claim", `{"by":"Ada","role":"editor"}`, 403},
		{"bob", "reassign", `{"to":"Bob","by":"Ada","role":"editor"}`, 403},
		{"ada", "claim", `{"by":"Bob"}`, 200},
		{"bob", "release", `{"by":"Ada"}`, 409},
		{"ada", "release", ``, 200},
	} {
		if status, reply := w.request(t, http.MethodPost, "/interrupts/"+id+"/"+step.do, step.body, "Authorization", step.key); status != step.status {
			t.Errorf("%s: %s %s: %d %s, want %d", step.key, step.do, step.body, status, reply, step.status)
		}
	}
}
