package web_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/dialogue/web"
)

// The words of a person who has taken over answer no question of the user, where the conversation was given back before they came
// and they say so: a late yes buys nothing.
func TestALateYesOfAPersonIsNotTheUsers(t *testing.T) {
	bought := 0
	h := build(t, nil, shop(t, func(string) { bought++ }), web.Options{})
	h.open(t, "ada")
	for _, text := range []string{"order something", "tea"} {
		if _, err := h.talks.Send(t.Context(), "ada", dialogue.Message{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	res := request(t, http.MethodPost, h.url+"ada/messages", "desk", `{"id":"m1","text":"yes","question":"handoff"}`)
	if body, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(body), "not_taken_over") {
		t.Errorf("%s %s %v; expected 422 not_taken_over", res.Status, body, err)
	}
	if bought != 0 {
		t.Errorf("bought %d times", bought)
	}
	if _, err := h.talks.Send(t.Context(), "ada", dialogue.Message{Text: "yes"}); err != nil || bought != 1 {
		t.Errorf("the user's yes: bought %d times, %v", bought, err)
	}
}
