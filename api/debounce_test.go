package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/api"
)

// Of starts with one debounce key one run comes, with the last input, and each answer names it (law J21).
func TestJ21_StartsOverHTTPAreDebounced(t *testing.T) {
	w := newWorld(t, api.Options{})
	begin := func(amount, key string, status int) (run string, replaced bool) {
		t.Helper()
		r := w.request(t, "POST", "/api/runs", `{"definition":"asks","input":{"amount":`+amount+`},"debounce":{"key":"`+key+`","waitSeconds":3600}}`)
		var body struct {
			Run      string
			Replaced bool
		}
		if err := json.Unmarshal([]byte(r.body), &body); err != nil || r.status != status || body.Run == "" {
			t.Fatalf("%d %s (%v)", r.status, r.body, err)
		}
		return body.Run, body.Replaced
	}
	first, was := begin("1", "ann", 201)
	second, is := begin("2", "ann", 201)
	other, _ := begin("3", "bob", 201)
	if first != second || first == other || was || !is {
		t.Errorf("%s (%t), %s (%t), %s", first, was, second, is, other)
	}
	if r := w.request(t, "GET", "/api/runs/"+first+"/state", ""); !strings.Contains(r.body, `"amount":2`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	for body, want := range map[string]string{
		`"debounce":{"waitSeconds":1}`:                             "key",
		`"debounce":{"key":"k"}`:                                   "waitSeconds",
		`"debounce":{"key":"k","waitSeconds":-1}`:                  "",
		`"debounce":{"key":"k","waitSeconds":1},"dedup":"k"`:       "",
		`"debounce":{"key":"k","waitSeconds":9,"withinSeconds":1}`: "",
	} {
		r := w.request(t, "POST", "/api/runs", `{"definition":"asks","input":{"amount":1},`+body+`}`)
		if r.status != 400 && r.status != 422 || !strings.Contains(r.body, want) {
			t.Errorf("%s: %d %s", body, r.status, r.body)
		}
	}
}
