package web_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/dialogue/web"
	"github.com/fermata-go/fermata/journal/memory"
)

// TestH8_OnlyProgramsTellOfEvents tells of events over HTTP: as nobody, as the user of the conversation, and as a program. The
// same event again has no second effect, and what is no event is refused.
func TestH8_OnlyProgramsTellOfEvents(t *testing.T) {
	d, err := dialogue.Parse([]byte(`
kind: Dialogue
flows: {hello: {trigger: [hello], steps: [{type: say, message: Hello.}]}}
events: {arrived: {data: {number: text}, message: "{{ number }} has arrived."}}
`), "shop.yaml", dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const event = `{"id":"e1","name":"arrived","data":{"number":"A7"}}`
	operator := func(r *http.Request, _ string) error { return reviewer(r) }
	for name, o := range map[string]web.Options{"by default": {Authorize: own}, "a program is asked": {Authorize: own, Events: operator}} {
		h := build(t, memory.New(), d, o)
		h.open(t, "ada")
		for _, user := range []string{"", "ada", "bob"} {
			if res := request(t, "POST", h.url+"ada/events", user, event); res.StatusCode != http.StatusForbidden {
				t.Errorf("%s: %q: %s", name, user, res.Status)
			}
		}
	}
	h := build(t, memory.New(), d, web.Options{Authorize: own, Events: operator})
	h.open(t, "ada")
	for _, test := range []struct {
		id, body string
		status   int
		says     string
	}{
		{"ada", event, http.StatusOK, `{"seq":`},
		{"ada", event, http.StatusOK, `"again":true`},
		{"ada", `{"id":"e2","name":"arived"}`, http.StatusBadRequest, `did you mean`},
		{"ada", `{"name":"arrived"}`, http.StatusBadRequest, `it has no id`},
		{"ada", `[]`, http.StatusBadRequest, `expected {`},
		{"nobody", event, http.StatusNotFound, `no such conversation`},
	} {
		res := request(t, "POST", h.url+test.id+"/events", "operator", test.body)
		data, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != test.status || !strings.Contains(string(data), test.says) {
			t.Errorf("%s: %d %s %v, expected %d and %s", test.body, res.StatusCode, data, err, test.status, test.says)
		}
	}
	var said []string
	for d, err := range h.talks.Said(t.Context(), "ada", 0) {
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, d.Said.Prompt)
	}
	if diff := cmp.Diff([]string{"A7 has arrived."}, said); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}
