package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/server"
)

// Whoever may not answer is named to no reader of the question: not over HTTP, live or later, nor in a refusal, in JSON
// that a program makes of the question, or in a log. The journal has them, and keeps them from answering.
func TestH6_WhoMayNotAnswerIsNamedToNoReader(t *testing.T) {
	const starter, forker = "sam-who-started", "eve-who-forked"
	people := badge(map[string]server.Person{"ada": {ID: "ada", Roles: []string{"editor"}}, "sam": {ID: starter}, "eve": {ID: forker}})
	w := newWorld(t, fermata.Options{}, server.Options{Authorize: people})
	g := asks(node.FourEyes(), node.Override("chief"))
	first := w.start(t, g, fermata.StartedBy(starter))
	at := question(t, first)
	run, err := w.rt.Fork(t.Context(), first.ID(), g.Plan(), fermata.ForkOptions{By: forker})
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q := res.Interrupts[0]
	if len(q.NotBy) != 2 || q.ID == at {
		t.Fatalf("%q may not answer the fork's question, expected two people", q.NotBy)
	}
	names := func(text string) bool { return strings.Contains(text, starter) || strings.Contains(text, forker) }
	readers := map[string]string{}
	get := func(path string) {
		_, readers["GET "+path] = w.request(t, http.MethodGet, path, "", "Authorization", "ada")
	}
	get("/runs/" + run.ID())
	get("/interrupts")
	get("/runs/" + run.ID() + "/events?follow=false")
	for _, key := range []string{"sam", "eve"} {
		for verb, body := range map[string]string{
			"answer": `{"value":{"approve":true}}`, "claim": `{}`, "reassign": `{"to":"` + key + `-x"}`, "escalate": `{"toRole":"x"}`,
		} {
			status, reply := w.request(t, http.MethodPost, "/interrupts/"+q.ID+"/"+verb, body, "Authorization", key)
			if status != http.StatusForbidden {
				t.Errorf("%s may %s: %d %s", key, verb, status, reply)
			}
			readers[key+" "+verb] = reply
		}
	}
	_, readers["reassign to them"] = w.request(t, http.MethodPost, "/interrupts/"+q.ID+"/reassign", `{"to":"EVE-who-forked"}`, "Authorization", "ada")
	inbox, err := w.rt.Inbox(t.Context(), journal.InboxFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]any{"a result": res.Interrupts, "an inbox": inbox, "a pointer": &q} {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		readers[name] = string(data)
		if !strings.Contains(string(data), `"fourEyes":true`) || strings.Contains(string(data), "okenHash") || strings.Contains(string(data), "digest") {
			t.Errorf("%s does not say what is asked for, or too much: %s", name, data)
		}
	}
	readers["the log"] = w.log.String()
	for who, text := range readers {
		for line := range strings.SplitSeq(text, "\n") {
			history := strings.Contains(line, `"type":"run.started"`) || strings.Contains(line, `"type":"run.resumed"`)
			if names(line) && !history { // who may read the run may read who started it
				t.Errorf("%s names who may not answer: %s", who, line)
			}
		}
		if strings.Contains(text, "notBy\"") {
			t.Errorf("%s has notBy: %s", who, text)
		}
	}
	if !strings.Contains(readers["GET /interrupts"], `"fourEyes":true`) || !strings.Contains(readers["GET /runs/"+run.ID()+"/events?follow=false"], `"fourEyes":true`) {
		t.Errorf("nobody is told that it needs a second person: %q", readers)
	}
	if status, reply := w.request(t, http.MethodPost, "/interrupts/"+q.ID+"/answer", `{"value":{"approve":true}}`, "Authorization", "ada"); status != http.StatusOK {
		t.Errorf("a second person: %d %s", status, reply)
	}
	if res, err := run.Wait(t.Context()); err != nil || res.Status != fermata.Completed {
		t.Errorf("%s %v", res.Status, err)
	}
}
