package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/server"
)

// page is a page of runs or of questions, as it is answered.
type page struct {
	Runs []struct {
		Run    string            `json:"run"`
		Labels map[string]string `json:"labels"`
	} `json:"runs"`
	Interrupts []struct {
		Run string `json:"run"`
	} `json:"interrupts"`
	Next string `json:"next"`
}

// walk reads all pages of a list, and returns the runs of each.
func walk(t *testing.T, w *world, path, who string) (pages []string) {
	t.Helper()
	for cursor := ""; len(pages) < 100; {
		status, body := w.request(t, http.MethodGet, path+cursor, "", "Authorization", who)
		var p page
		if err := json.Unmarshal([]byte(body), &p); err != nil || status != http.StatusOK {
			t.Fatalf("%s%s: %d %s", path, cursor, status, body)
		}
		var runs []string
		for _, r := range p.Runs {
			runs = append(runs, r.Run)
		}
		for _, q := range p.Interrupts {
			runs = append(runs, q.Run)
		}
		if pages = append(pages, strings.Join(runs, " ")); p.Next == "" {
			return pages
		}
		cursor = "&cursor=" + p.Next
	}
	return pages
}

// A person walks through the runs and questions that they may read, as if there were no others.
func TestH8_PagesHoldWhatAPersonMayRead(t *testing.T) {
	mine := func(info fermata.RunInfo, _ *journal.Interrupt) bool { return strings.HasPrefix(info.ID, "mine") }
	people := map[string]server.Person{"some": {ID: "Eve", Reads: mine}, "all": {ID: "Ada"}}
	w := newWorld(t, fermata.Options{}, server.Options{Authorize: badge(people)})
	for n, id := range []string{"mine1", "yours1", "mine2", "mine3", "yours2", "yours3", "mine4", "yours4"} {
		question(t, w.start(t, asks(node.Prompt("?")), fermata.WithID(id), fermata.WithLabel("half", fmt.Sprint(n/4))))
	}
	for _, tt := range []struct {
		path, who string
		want      []string
	}{
		{"/runs?limit=3", "all", []string{"yours4 mine4 yours3", "yours2 mine3 mine2", "yours1 mine1"}},
		{"/runs?limit=1", "some", []string{"mine4", "mine3", "mine2", "mine1"}},
		{"/runs?limit=2", "some", []string{"mine4 mine3", "mine2 mine1"}},
		{"/runs?limit=4", "some", []string{"mine4 mine3 mine2 mine1"}},
		{"/runs?label=half:0&status=paused,running", "some", []string{"mine3 mine2 mine1"}},
		{"/runs?prefix=yours", "some", []string{""}},
		{"/interrupts?limit=3", "some", []string{"mine1 mine2 mine3", "mine4"}},
		{"/interrupts?run=mine1,yours1", "some", []string{"mine1"}},
	} {
		if diff := cmp.Diff(tt.want, walk(t, w, tt.path, tt.who)); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", tt.path, tt.who, diff)
		}
	}
	for path, want := range map[string]string{
		"/runs/counts?by=label:half": `{"by":[{"value":"0","n":3},{"value":"1","n":1}]}`,
		"/runs/counts?by=status":     `{"by":[{"value":"paused","n":4}]}`,
		"/interrupts/counts?by=role": `{"by":[{"value":"","n":4}]}`,
	} {
		if status, body := w.request(t, http.MethodGet, path, "", "Authorization", "some"); status != http.StatusOK || strings.TrimSpace(body) != want {
			t.Errorf("%s: %d %s, expected %s", path, status, body, want)
		}
	}
}

// What conversations ask their users is left out of lists and counts for people; what they ask a role stays.
func TestJ14_ListsWithoutWhatConversationsAsk(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{})
	question(t, w.start(t, asks(node.ShownAs("dialogue")), fermata.WithID("user")))
	question(t, w.start(t, asks(node.ShownAs("dialogue"), node.Role("desk")), fermata.WithID("desk")))
	question(t, w.start(t, asks(), fermata.WithID("plain")))
	if diff := cmp.Diff([]string{"desk plain"}, walk(t, w, "/interrupts?skip=dialogue&limit=10", "")); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
	status, body := w.request(t, http.MethodGet, "/interrupts/counts?by=state&skip=dialogue", "")
	if want := `{"by":[{"value":"open","n":2}]}`; status != http.StatusOK || strings.TrimSpace(body) != want {
		t.Errorf("counts: %d %s, expected %s", status, body, want)
	}
}

// A list that cannot be told is status 400, with what is wrong.
func TestJ14_ListsThatCannotBeTold(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{})
	for query, want := range map[string]string{
		"/runs?stauts=paused":    `did you mean`,
		"/runs?status=pasued":    `expected running`,
		"/runs?limit=0":          `expected 1 to 1000`,
		"/runs?label=team":       `expected KEY:VALUE`,
		"/runs?createdFrom=soon": `expected a time such as`,
		"/runs?cursor=x":         `is no cursor`,
		"/runs/counts":           `expected status, plan or label:KEY`,
		"/interrupts?limit=x":    `expected 1 to 1000`,
		"/interrupts?state=opne": `expected open`,
	} {
		if status, body := w.request(t, http.MethodGet, query, ""); status != http.StatusBadRequest || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s, expected 400 and %q", query, status, body, want)
		}
	}
}
