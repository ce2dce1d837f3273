package server_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/server"
)

// badge authorises by a header that names somebody in a book.
func badge(people map[string]server.Person) func(*http.Request) (server.Person, error) {
	return func(r *http.Request) (server.Person, error) {
		if p, ok := people[r.Header.Get("Authorization")]; ok {
			return p, nil
		}
		return server.Person{}, errors.New("not known")
	}
}

// A person without a right neither takes nor answers what somebody else holds, whatever the body says; the overriding role
// takes it and then answers in its own name.
func TestH7_AStrangerTakesNothingOverHTTP(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{Authorize: badge(map[string]server.Person{
		"ada": {Name: "Ada", Roles: []string{"editor"}}, "eve": {ID: "eve", Name: "Ada"}, "bob": {Name: "Bob", Roles: []string{"editor"}},
		"spoof": {Name: "Eve", Roles: []string{" editor", "EDITOR", "editor\u200b", "lead ", ""}},
		"lea":   {Name: "Lea", Roles: []string{"lead", "editor"}},
	})})
	for _, role := range []string{"", "editor"} {
		run := w.start(t, asks(node.Role(role), node.Assignee("Ada"), node.Override("lead")))
		id := question(t, run)
		for _, step := range []struct {
			key, do, body string
			status        int
		}{
			{"ada", "claim", ``, 200},
			{"eve", "reassign", `{"to":"Eve"}`, 403},
			{"eve", "reassign", `{"to":"Eve","by":"Ada","role":"editor"}`, 403},
			{"eve", "escalate", `{"to":"Eve","toRole":"guest"}`, 403},
			{"eve", "release", `{"by":"Ada"}`, 403},
			{"eve", "claim", ``, 403},
			{"eve", "answer", `{"value":{"approve":true}}`, 403},
			{"spoof", "reassign", `{"to":"Eve"}`, 403},
			{"spoof", "reassign", `{"to":"Eve","role":"lead"}`, 403},
			{"spoof", "answer", `{"value":{"approve":true},"by":"Ada"}`, 403},
			{"bob", "reassign", `{"to":"Bob"}`, 403},
			{"bob", "answer", `{"value":{"approve":true}}`, 403},
			{"lea", "answer", `{"value":{"approve":true}}`, 403},
			{"lea", "reassign", `{"to":"Lea"}`, 200},
			{"ada", "answer", `{"value":{"approve":true}}`, 403},
			{"lea", "answer", `{"value":{"approve":true}}`, 200},
		} {
			if status, reply := w.request(t, http.MethodPost, "/interrupts/"+id+"/"+step.do, step.body, "Authorization", step.key); status != step.status {
				t.Errorf("role %q: %s: %s %s: %d %s, want %d", role, step.key, step.do, step.body, status, reply, step.status)
			}
		}
		ends(t, run, fermata.Completed)
	}
}

// Runs and questions that a person may not read are not there for them: neither by address nor in lists, and no verb
// tells them from such as never were.
func TestH8_NobodyReadsWhatIsNotTheirs(t *testing.T) {
	mine := func(prefix string) func(fermata.RunInfo, *journal.Interrupt) bool {
		return func(run fermata.RunInfo, q *journal.Interrupt) bool {
			return strings.HasPrefix(run.ID, prefix) && (q == nil || q.Assignee != "Bob")
		}
	}
	w := newWorld(t, fermata.Options{}, server.Options{Authorize: badge(map[string]server.Person{
		"ada": {ID: "Ada", Reads: mine("run_a")}, "bob": {ID: "Bob", Reads: mine("run_b")}, "all": {ID: "Root"},
	})})
	ours := question(t, w.start(t, asks(), fermata.WithID("run_a1")))
	hidden := question(t, w.start(t, asks(node.Assignee("Bob")), fermata.WithID("run_a2")))
	theirs := question(t, w.start(t, asks(), fermata.WithID("run_b1")))
	get := func(path, key string) (int, string) {
		return w.request(t, http.MethodGet, path, "", "Authorization", key)
	}
	for _, path := range []string{"/runs/%s", "/runs/%s/events?follow=false", "/runs/%s/events?after=999"} {
		status, reply := get(fmt.Sprintf(path, "run_b1"), "ada")
		unknown, never := get(fmt.Sprintf(path, "run_x1"), "ada")
		if status != http.StatusNotFound || unknown != status || strings.ReplaceAll(never, "run_x1", "run_b1") != reply {
			t.Errorf("%s: %d %s, and for a run that never was %d %s", path, status, reply, unknown, never)
		}
		if status, reply := get(fmt.Sprintf(path, "run_b1"), "all"); status == http.StatusNotFound {
			t.Errorf("%s: %d %s for who reads all", path, status, reply)
		}
	}
	for _, verb := range []string{"answer", "claim", "release", "reassign", "escalate"} {
		for _, id := range []string{theirs, hidden} {
			post := func(id string) (int, string) {
				body := `{"to":"Ada","toRole":"x"}`
				switch verb {
				case "answer":
					body = `{"value":{"approve":true}}`
				case "claim", "release":
					body = `{}`
				}
				return w.request(t, http.MethodPost, "/interrupts/"+id+"/"+verb, body, "Authorization", "ada")
			}
			status, reply := post(id)
			unknown, never := post("int_x")
			if status != http.StatusNotFound || unknown != status || strings.ReplaceAll(never, "int_x", id) != reply {
				t.Errorf("%s: %d %s, and for a question that never was %d %s", verb, status, reply, unknown, never)
			}
		}
	}
	for _, tt := range []struct {
		path, key string
		want      []string
	}{
		{"/interrupts", "ada", []string{ours}},
		{"/interrupts?run=run_b1", "ada", nil},
		{"/interrupts", "bob", []string{theirs}},
		{"/interrupts", "all", []string{ours, hidden, theirs}},
		{"/runs/run_a2", "ada", nil},
		{"/runs/run_a2", "all", []string{hidden}},
	} {
		status, reply := get(tt.path, tt.key)
		for _, id := range []string{ours, hidden, theirs} {
			if strings.Contains(reply, id) != slices.Contains(tt.want, id) || status != http.StatusOK {
				t.Errorf("%s reads %s: %d %s, expected %q", tt.key, tt.path, status, reply, tt.want)
			}
		}
	}
}
