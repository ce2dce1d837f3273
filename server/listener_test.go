package server_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/server"
)

// A reader who loses the right to read a run gets nothing more of it: neither the event that took it from them, nor what
// follows, and a stream that is silent ends.
func TestH8_AStreamEndsWithTheRightToReadIt(t *testing.T) {
	for _, tt := range []struct {
		name    string
		recheck time.Duration
		lose    func(w *world, q string, gone *atomic.Bool) error
		code    string
	}{
		{"another is asked", time.Hour, func(w *world, q string, _ *atomic.Bool) error {
			return w.rt.Reassign(t.Context(), q, fermata.Assignment{Person: "Bob"}, fermata.AsPerson("Ada"))
		}, "not_found"},
		{"the login is void, and something happens", time.Hour, func(w *world, q string, gone *atomic.Bool) error {
			gone.Store(true)
			return w.rt.Claim(t.Context(), q, "Ada", "")
		}, "unauthenticated"},
		{"the login is void, and nothing happens", 5 * time.Millisecond, func(_ *world, _ string, gone *atomic.Bool) error {
			gone.Store(true)
			return nil
		}, "unauthenticated"},
		{"the run ends", time.Hour, func(w *world, q string, gone *atomic.Bool) error {
			gone.Store(true)
			list, err := w.rt.Inbox(t.Context(), journal.InboxFilter{ID: q})
			return errors.Join(err, w.rt.Cancel(t.Context(), list[0].Run, "no more", "Bob"))
		}, "unauthenticated"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var w *world
			var gone atomic.Bool
			w = newWorld(t, fermata.Options{}, server.Options{Recheck: tt.recheck, Authorize: func(*http.Request) (server.Person, error) {
				if gone.Load() {
					return server.Person{}, errors.New("void")
				}
				return server.Person{ID: "Ada", Reads: func(run fermata.RunInfo, _ *journal.Interrupt) bool { // who is asked reads the run
					list, err := w.rt.Inbox(t.Context(), journal.InboxFilter{Run: run.ID})
					return err == nil && len(list) == 1 && list[0].Assignee == "Ada"
				}}, nil
			}})
			run := w.start(t, asks(node.Assignee("Ada")))
			q := question(t, run)
			r := w.read(t, "/runs/"+run.ID()+"/events")
			for {
				s, err := r.next()
				if err != nil || s.Name != "" {
					t.Fatalf("the stream is not open: %+v %v", s, err)
				}
				if s.Envelope.Type == "run.paused" {
					break
				}
			}
			if err := tt.lose(w, q, &gone); err != nil {
				t.Fatal(err)
			}
			rest := r.all(t)
			if len(rest) != 1 || rest[0].Name != "error" || !strings.Contains(rest[0].Raw, `"code":"`+tt.code+`"`) {
				t.Errorf("after the right was lost comes %+v", rest)
			}
			if s, _ := r.next(); s.Name != "end of stream" {
				t.Errorf("the stream goes on: %+v", s)
			}
		})
	}
}

// Who reads a run and not all of its questions is shown no event of those, live or later.
func TestH8_AStreamLeavesOutQuestionsOfOthers(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{Authorize: badge(map[string]server.Person{
		"ada": {ID: "Ada", Reads: func(_ fermata.RunInfo, q *journal.Interrupt) bool { return q == nil || q.Role != "board" }},
		"all": {ID: "Root"},
	})})
	run := w.start(t, asks(node.Role("board"), node.Prompt("Fire Ada?")))
	q := question(t, run)
	r := w.read(t, "/runs/"+run.ID()+"/events", "Authorization", "ada")
	if _, err := r.next(); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		w.rt.Claim(t.Context(), q, "Bob", "board"),
		w.rt.Answer(t.Context(), q, decision{Approve: true}, fermata.AsPerson("Bob"), fermata.AsRole("board")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	ends(t, run, fermata.Completed)
	var live strings.Builder
	for _, s := range r.all(t) {
		live.WriteString(s.Raw + "\n")
	}
	_, later := w.request(t, http.MethodGet, "/runs/"+run.ID()+"/events?follow=false", "", "Authorization", "ada")
	_, whole := w.request(t, http.MethodGet, "/runs/"+run.ID()+"/events?follow=false", "", "Authorization", "all")
	for name, text := range map[string]string{"live": live.String(), "later": later} {
		tells := slices.ContainsFunc([]string{q, "Fire", "interrupt", "node.suspended", `"reason"`}, func(word string) bool { return strings.Contains(text, word) })
		if tells || !strings.Contains(text, `"status":"completed"`) {
			t.Errorf("%s: %s", name, text)
		}
	}
	if strings.Count(whole, q) < 3 || !strings.Contains(whole, "node.suspended") || !strings.Contains(whole, `"reason":"answer"`) {
		t.Errorf("who reads all is not shown the question: %s", whole)
	}
}
