package server_test

import (
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/server"
)

// bodies are what an attacker sends to each route that there is. A new route needs a row.
var bodies = map[string][]string{
	"GET /runs":                        {""},
	"GET /runs/counts":                 {""},
	"GET /interrupts/counts":           {""},
	"GET /runs/{run}":                  {""},
	"GET /runs/{run}/events":           {""},
	"POST /runs/{run}/messages/{name}": {`1`, `{`, ``},
	"GET /feed":                        {""},
	"GET /interrupts":                  {""},
	"POST /interrupts/{id}/answer":     {`{"value":{"approve":true}}`, `{"value":{"approve":true},"by":"Bob","role":"chief","token":"guess"}`, `{"value":7}`, `{`, ``},
	"POST /interrupts/{id}/claim":      {``, `{"by":"Bob","role":"chief"}`, `{"who":1}`},
	"POST /interrupts/{id}/release":    {``, `{"by":"Bob","role":"chief"}`},
	"POST /interrupts/{id}/reassign":   {`{"to":"Eve"}`, `{"to":"Eve","toRole":"x","by":"Bob","role":"chief"}`, ``},
	"POST /interrupts/{id}/escalate":   {`{"toRole":"x"}`, `{"to":"Eve","toRole":"x","by":"Bob","role":"chief"}`, ``},
}

// sealedCursors are cursors of the feed that say nothing.
var sealedCursors = regexp.MustCompile(`s[A-Za-z0-9_-]{200,}`)

// Every route is asked by somebody without a login, with a login and no rights, and with rights on another run only, by
// every method. Nobody is told whether the run and its question exist, nothing of them is shown, and nothing happens.
func TestH8_NoRouteServesAStranger(t *testing.T) {
	reads := func(run string) func(fermata.RunInfo, *journal.Interrupt) bool {
		return func(info fermata.RunInfo, _ *journal.Interrupt) bool { return info.ID == run }
	}
	people := map[string]server.Person{
		"none": {ID: "Eve", Roles: []string{"chief"}, Reads: reads("")},
		"one":  {ID: "Eve", Roles: []string{"chief"}, Reads: reads("run_mine")},
	}
	w := newWorld(t, fermata.Options{}, server.Options{Authorize: badge(people)})
	mine := question(t, w.start(t, asks(), fermata.WithID("run_mine")))
	theirs := w.start(t, asks(node.Role("chief"), node.Prompt("SECRETPROMPT")), fermata.WithID("run_theirs"))
	id := question(t, theirs)
	before := history(t, w, "run_theirs")
	calls := 0
	for _, pattern := range server.Routes() {
		list, known := bodies[pattern]
		if !known {
			t.Errorf("the route %s has no row in this test: who may use it?", pattern)
			continue
		}
		method, path, _ := strings.Cut(pattern, " ")
		for who := range map[string]bool{"": true, "none": true, "one": true} {
			for _, method := range []string{method, "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
				for _, body := range list {
					for _, query := range []string{"", "?follow=false", "?run=RUN&role=chief", "?after=999"} {
						if path == "/feed" && query != "?run=RUN&role=chief" { // which is refused; else it would not end
							query = "?follow=false&" + strings.TrimPrefix(strings.ReplaceAll(query, "999", fermata.FeedNow), "?")
						}
						ask := func(run, id string) (int, string, string) {
							url := strings.NewReplacer("{run}", run, "{id}", id).Replace(path) + strings.ReplaceAll(query, "RUN", run)
							res := w.do(t, method, url, body, "Authorization", who)
							defer res.Body.Close()
							data, err := io.ReadAll(res.Body)
							if err != nil {
								t.Fatal(err)
							}
							calls++
							return res.StatusCode, strings.NewReplacer(run, "RUN", id, "INT").Replace(sealedCursors.ReplaceAllString(string(data), "CURSOR")), string(data)
						}
						status, reply, raw := ask("run_theirs", id)
						never, expected, _ := ask("run_never", "int_never")
						what := who + ": " + method + " " + path + query + " " + body
						if status != never || reply != expected {
							t.Errorf("%s: %d %s, and for what never was %d %s", what, status, raw, never, expected)
						}
						if strings.Contains(raw, "SECRETPROMPT") || strings.Contains(raw, "chief") {
							t.Errorf("%s: it shows %s", what, raw)
						}
						if path == "/feed" && (strings.Contains(raw, "theirs") || sealedCursors.ReplaceAllString(raw, "") == raw && status == http.StatusOK && method == "GET") {
							t.Errorf("%s: it shows %s", what, raw)
						}
						if who == "" && status < 400 {
							t.Errorf("%s: %d without a login", what, status)
						}
						if status < 300 && !strings.HasPrefix(path, "/interrupts") && path != "/runs" && path != "/runs/counts" && path != "/feed" {
							t.Errorf("%s: %d %s", what, status, raw)
						}
					}
				}
			}
		}
	}
	if calls < 2000 {
		t.Errorf("%d calls: the test asks too little", calls)
	}
	if diff := cmp.Diff(before, history(t, w, "run_theirs")); diff != "" {
		t.Errorf("something has happened (-before +after):\n%s", diff)
	}
	if status, reply := w.request(t, http.MethodPost, "/interrupts/"+mine+"/answer", `{"value":{"approve":true}}`, "Authorization", "one"); status != http.StatusOK {
		t.Errorf("their own question: %d %s", status, reply)
	}
}

// history is the kinds of the entries of a run.
func history(t *testing.T, w *world, run string) (list []string) {
	t.Helper()
	for m, err := range w.rt.History(t.Context(), run) {
		if err != nil {
			t.Fatal(errors.Join(err))
		}
		list = append(list, m.Entry.Kind.String())
	}
	return list
}
