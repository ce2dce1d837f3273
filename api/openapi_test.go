package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/dialogue/web"
)

// TestTheDocumentHasConversations compares the routes of the document, once a dialogue is served, with those of package dialogue/web, and
// asks for each: it is served, and those who may not are told by a problem document.
func TestTheDocumentHasConversations(t *testing.T) {
	w := newWorld(t, api.Options{})
	d, err := dialogue.Compile(dialogue.Definition{
		Name: "shop", Flows: []dialogue.Flow{{Name: "hello", Trigger: []string{"hello"}, Steps: []dialogue.Step{{ID: "say", Type: dialogue.InformStep, Message: "Hello."}}}},
	}, dialogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	talks := dialogue.NewConversations(w.rt, d, dialogue.ConversationOptions{})
	if err := w.api.Replace([]api.Definition{{Plan: d.Plan(), Name: "shop", Talks: web.New(talks, web.Options{})}}); err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, route := range web.Routes() {
		method, path, _ := strings.Cut(route, " ")
		want = append(want, method+" /api/dialogues/{name}"+path)
	}
	for _, route := range w.routes(t) {
		method, path, _ := strings.Cut(route, " ")
		if !strings.HasPrefix(path, "/api/dialogues/") {
			continue
		}
		got = append(got, route)
		at := strings.NewReplacer("{name}", "shop", "{id}", "c1").Replace(path)
		w.request(t, method, at, "").refuses(t, 403, "see web.Options")
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("routes of package dialogue/web, and of the document (-want +got):\n%s", diff)
	}
	if err := w.api.Replace([]api.Definition{{Plan: asks.Plan()}}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(w.request(t, "GET", "/openapi.json", "").body, "/api/dialogues") {
		t.Error("the document has routes of conversations, and the dialogue is gone")
	}
}
