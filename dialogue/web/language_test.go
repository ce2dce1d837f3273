package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"testing/fstest"

	"github.com/coder/websocket"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/dialogue/web"
)

// TestAMessageChangesTheLanguage changes the language by POST and over a socket, alone and with a text, and shows in which one the
// conversation is.
func TestAMessageChangesTheLanguage(t *testing.T) {
	d, err := dialogue.Parse([]byte(`kind: Dialogue
settings: {translations: {de: de.yaml}}
flows: {visit: {description: visit, trigger: [visit], slots: {day: {type: date, description: day}}, steps: [{id: day, type: collect, slot: day, message: "Which day?"}, {id: ok, type: confirm, message: "Then?"}]}}
`), "visit.yaml", dialogue.Options{Files: fstest.MapFS{"de.yaml": {Data: []byte(`kind: Translation
language: de
flows: {visit: {description: Besuch, trigger: [besuchen], slots: {day: {description: Tag}}, steps: {day: {message: "Welcher Tag?"}, ok: {message: "Dann?"}}}}
`)}}})
	if err != nil {
		t.Fatal(err)
	}
	h := build(t, nil, d, web.Options{})
	h.open(t, "ada")
	for _, tt := range []struct{ body, want string }{
		{`{"text":"visit"}`, "200 en Which day?"},
		{`{"language":"de"}`, "200 de Welcher Tag?"},
		{`{"language":"it"}`, "400 invalid "},
		{`{"text":"tomorrow","language":"en-US"}`, "200 en Then?"},
		{`{}`, "400 invalid "},
	} {
		res := request(t, http.MethodPost, h.url+"ada/messages", "ada", tt.body)
		var r struct {
			Language, Code string
			Pending        struct{ Prompt string }
		}
		if err := json.NewDecoder(res.Body).Decode(&r); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(res.StatusCode, " ", r.Language, r.Code, " ", r.Pending.Prompt); got != tt.want {
			t.Errorf("%s: %s; expected %s", tt.body, got, tt.want)
		}
	}
	socket := connect(t, h.url+"ada", "ada", "")
	if err := socket.write(websocket.MessageText, `{"id":"s","language":"de"}`); err != nil {
		t.Fatal(err)
	}
	socket.until("reply")
	var r struct{ Language string }
	res := request(t, http.MethodGet, h.url+"ada", "ada", "")
	if err := json.NewDecoder(res.Body).Decode(&r); err != nil || r.Language != "de" {
		t.Errorf("the conversation is in %q, %v", r.Language, err)
	}
}
