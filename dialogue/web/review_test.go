package web_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/dialogue/web"
	"github.com/fermata-go/fermata/journal/memory"
)

// reviewer lets the user "operator" review.
func reviewer(r *http.Request) error {
	if r.Header.Get("User") != "operator" {
		return errors.New("no")
	}
	return nil
}

func TestH8_OnlyOperatorsReview(t *testing.T) {
	everybody := func(*http.Request) error { return nil }
	for name, o := range map[string]web.Options{
		"by default":           {},
		"a desk and a user":    {Desk: everybody, Authorize: func(*http.Request, string) (bool, error) { return true, nil }},
		"an operator is asked": {Review: reviewer, Desk: everybody},
	} {
		h := build(t, nil, shop(t, func(string) {}), o)
		h.open(t, "ada")
		for _, path := range []string{"/review", "/review/ada", "/review/nobody"} {
			for _, user := range []string{"", "ada", "desk"} {
				res := request(t, "GET", h.http.URL+path, user, "")
				if res.StatusCode != http.StatusForbidden {
					t.Errorf("%s: GET %s of %q: %s", name, path, user, res.Status)
				}
			}
		}
	}
}

func TestReviewOverHTTP(t *testing.T) {
	h := build(t, memory.New(), shop(t, func(string) {}), web.Options{Review: reviewer})
	h.open(t, "ada", "bob")
	for _, text := range []string{"xyzzy", "order something"} {
		if _, err := h.talks.Send(t.Context(), "ada", dialogue.Message{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	get := func(path string, into any) int {
		t.Helper()
		res := request(t, "GET", h.http.URL+path, "operator", "")
		if err := json.NewDecoder(res.Body).Decode(into); err != nil {
			t.Fatal(path, err)
		}
		return res.StatusCode
	}
	var r dialogue.Review
	if status := get("/review?mark=miss&limit=5&since=2020-01-01T00:00:00Z&left=1h", &r); status != http.StatusOK {
		t.Fatal(status)
	}
	if r.Totals.Turns != 2 || r.Totals.Misses != 1 || len(r.Conversations) != 1 || r.Utterances[0].Text != "xyzzy" {
		t.Errorf("%+v", r)
	}
	var one struct{ Turns []dialogue.ReviewTurn }
	if status := get("/review/ada", &one); status != http.StatusOK || len(one.Turns) != 2 || !one.Turns[1].Has(dialogue.MarkStart) {
		t.Errorf("%d %+v", status, one)
	}
	for path, want := range map[string]string{
		"/review/nobody":              "there is no such conversation",
		"/review?since=yesterday":     `since: expected a time such as 2026-11-20T10:00:00Z, found "yesterday"`,
		"/review?mark=bad":            `mark: there is no "bad"; expected one of`,
		"/review?limit=0":             `limit: expected a number from 1 to 500, found "0"`,
		"/review?left=-1h":            `left: expected a time such as 24h, found "-1h"`,
		"/review?flows=order":         `there is no parameter "flows"; expected one of since, until`,
		"/review?flow=order&flow=pay": "the parameter flow is there 2 times",
	} {
		var no struct{ Error string }
		if status := get(path, &no); status < 400 || status >= 500 || !strings.HasPrefix(no.Error, want) {
			t.Errorf("%s: %d %q, expected %q", path, status, no.Error, want)
		}
	}
}
