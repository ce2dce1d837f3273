package server_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/server"
)

// fed reads a stream of changes.
type fed struct {
	t     *testing.T
	res   *http.Response
	lines *bufio.Scanner
	id    string // of the last event
}

func (w *world) feed(t *testing.T, query string, header ...string) *fed {
	t.Helper()
	res := w.do(t, http.MethodGet, "/feed"+query, "", header...)
	t.Cleanup(func() { _ = res.Body.Close() })
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("status %d %v", res.StatusCode, res.Header)
	}
	return &fed{t: t, res: res, lines: bufio.NewScanner(res.Body)}
}

// next is the next event: its name and its data; "" at the end.
func (f *fed) next() (name string, data map[string]any) {
	f.t.Helper()
	for f.lines.Scan() {
		field, value, _ := strings.Cut(f.lines.Text(), ": ")
		switch {
		case field == "id":
			f.id = value
		case field == "event":
			name = value
		case field == "data":
			if err := json.Unmarshal([]byte(value), &data); err != nil {
				f.t.Fatal(err)
			}
		case field == "" && value == "" && data != nil:
			if name != "error" && data["cursor"] != f.id {
				f.t.Errorf("the id is %q, and the cursor %v", f.id, data["cursor"])
			}
			return name, data
		}
	}
	return "", nil
}

// change is the next change, in short.
func (f *fed) change() string {
	f.t.Helper()
	for {
		switch name, data := f.next(); {
		case name == "changed" && data["gone"] == true:
			return fmt.Sprint(data["run"], " gone ", data["plan"])
		case name == "changed":
			return fmt.Sprint(data["run"], " ", data["status"], " ", data["plan"])
		case name != "cursor":
			return fmt.Sprint(name, data)
		}
	}
}

// until is the changes up to one.
func (f *fed) until(last string) (all []string) {
	f.t.Helper()
	for {
		change := f.change()
		if len(all) == 0 || all[len(all)-1] != change {
			all = append(all, change)
		}
		if change == last || change == "map[]" {
			return all
		}
	}
}

// A client is told of the runs that there are and of what changes. It comes back by the id that it saw last, and has missed nothing.
func TestW8_TheFeedOverHTTP(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{})
	question(t, w.start(t, asks(), fermata.WithID("run_a")))
	f := w.feed(t, "")
	if got := f.change(); got != "run_a paused asks" {
		t.Errorf("told of %s", got)
	}
	if err := w.rt.Cancel(t.Context(), "run_a", "", ""); err != nil {
		t.Fatal(err)
	}
	f.until("run_a cancelled asks")
	_ = f.res.Body.Close()
	question(t, w.start(t, asks(), fermata.WithID("run_b")))
	if _, err := w.rt.Prune(t.Context(), fermata.PruneOptions{Runs: []string{"run_a"}}); err != nil {
		t.Fatal(err)
	}
	again := w.feed(t, "?follow=false", "Last-Event-ID", f.id)
	got := []string{again.change(), again.change(), again.change()}
	if diff := cmp.Diff([]string{"run_b paused asks", "run_a gone asks", "map[]"}, got); diff != "" {
		t.Errorf("after coming back (-want +got):\n%s", diff)
	}
	now := w.feed(t, "?follow=false&after=now")
	if got := now.change(); got != "map[]" || now.id == "" {
		t.Errorf("from now on: %s, id %q", got, now.id)
	}
	for query, text := range map[string]string{
		"?after=x": `"x" is no cursor of a feed`, "?follow=7": "expected true or false", "?since=1": "expected after, follow",
	} {
		if status, body := w.request(t, http.MethodGet, "/feed"+query, ""); status != http.StatusBadRequest || !strings.Contains(body, strings.ReplaceAll(text, `"`, `\"`)) || strings.Contains(body, "store") {
			t.Errorf("%s: %d %s", query, status, body)
		}
	}
}

// Who may read some plans alone is told of these, and what they are told does not depend on the others: not by ids that count them, nor by
// events between.
func TestW5_TheFeedHidesWhatIsBeyondTheScope(t *testing.T) {
	reads := func(info fermata.RunInfo, _ *journal.Interrupt) bool { return strings.HasPrefix(info.ID, "run_mine") }
	people := map[string]server.Person{"eve": {ID: "Eve", Reads: reads}, "ada": {ID: "Ada"}}
	w := newWorld(t, fermata.Options{}, server.Options{Authorize: badge(people), Heartbeat: 50 * time.Millisecond})
	question(t, w.start(t, asks(), fermata.WithID("run_mine_1")))
	f, all := w.feed(t, "", "Authorization", "eve"), w.feed(t, "", "Authorization", "ada")
	if got := f.change(); got != "run_mine_1 paused asks" {
		t.Errorf("told of %s", got)
	}
	first := f.id
	for i := range 5 {
		id := fmt.Sprint("run_theirs_", i)
		question(t, w.start(t, asks(), fermata.WithID(id)))
		if err := w.rt.Cancel(t.Context(), id, "", ""); err != nil {
			t.Fatal(err)
		}
		if _, err := w.rt.Prune(t.Context(), fermata.PruneOptions{Runs: []string{id}}); err != nil {
			t.Fatal(err)
		}
	}
	all.until("run_theirs_4 gone asks")
	question(t, w.start(t, asks(), fermata.WithID("run_mine_2")))
	told := f.until("run_mine_2 paused asks")
	if slices.ContainsFunc(told, func(text string) bool { return strings.Contains(text, "theirs") }) {
		t.Errorf("told of %v", told)
	}
	for _, id := range []string{first, f.id} {
		raw, err := base64.RawURLEncoding.DecodeString(id[1:])
		if err != nil || len(id) != len(first) || strings.Contains(string(raw), "run_") {
			t.Errorf("the id %q", id)
		}
		if _, err := journal.FeedPlaceOf(id); err == nil {
			t.Errorf("the id %q can be read", id)
		}
	}
	again := w.feed(t, "?follow=false", "Authorization", "eve", "Last-Event-ID", first)
	if got := again.until("map[]"); !slices.Equal(got, []string{"run_mine_2 paused asks", "map[]"}) {
		t.Errorf("after coming back: told of %v", got)
	}
}

// A stream ends soon after its reader has lost the right.
func TestW5_TheFeedEndsWithTheRight(t *testing.T) {
	var lost atomic.Bool
	people := func(*http.Request) (server.Person, error) {
		return server.Person{ID: "Eve", May: func(identity.Right, string) bool { return !lost.Load() }}, nil
	}
	w := newWorld(t, fermata.Options{}, server.Options{Authorize: people, Recheck: 20 * time.Millisecond})
	f := w.feed(t, "")
	lost.Store(true)
	if got := f.change(); !strings.HasPrefix(got, "error") || !strings.Contains(got, "not allowed") {
		t.Errorf("the stream ends with %s", got)
	}
	if got := f.change(); got != "map[]" {
		t.Errorf("and goes on with %s", got)
	}
}
