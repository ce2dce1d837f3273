package api_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/schema"
)

// Every answer conforms to the document, also to bodies that are made of pieces of good ones: what is refused is a problem document,
// and what is not has the schema of its operation.
func TestAnswersConformToTheDocument(t *testing.T) {
	w := newWorld(t, api.Options{})
	run, question := w.paused(t)
	var document struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct {
					Schema struct {
						Ref string `json:"$ref"`
					}
				}
			}
		}
		Components struct{ Schemas map[string]json.RawMessage }
	}
	w.get(t, "/openapi.json", &document)
	parsed := make(map[string]*schema.Schema)
	for name, text := range document.Components.Schemas {
		s, err := schema.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		parsed["#/components/schemas/"+name] = s
	}
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{
		`{`, `}`, `[`, `]`, `,`, `:`, `null`, `true`, `-1`, `1e400`, `"x"`, `"\ud800"`, `"definition"`, `"asks"`, `"input"`, `{"amount":1}`, `"at"`, `1`,
		`"set"`, `"dryRun"`, `"by"`, `"id"`, "\x00", `"askAgain"`, `"reason"`, `"until"`, `"2999-01-01T00:00:00Z"`,
	}
	bodies := []string{
		``, `{}`, `null`, `[]`, `{"definition":"asks","input":{"amount":1}}`, `{"dryRun":true}`, `{"at":1,"dryRun":true}`, `{"definition":"asks","until":"2000-01-01T00:00:00Z"}`,
		`{"definition":"asks","labels":{"A":"x"}}`, `{"value":7}`, `{"value":true}`, strings.Repeat("[", 100000),
	}
	for range 40 {
		text := ""
		for range 1 + r.IntN(8) {
			text += pieces[r.IntN(len(pieces))]
		}
		bodies = append(bodies, text)
	}
	answered := 0
	for path, methods := range document.Paths {
		if strings.HasSuffix(path, "/events") || path == "/api/feed" {
			continue // a stream
		}
		at := strings.NewReplacer("{run}", run, "{id}", question, "{name}", "asks").Replace(path)
		for method, op := range methods {
			list := bodies
			if method == "get" {
				list = []string{"", "?at=1", "?at=99", "?at=x", "?next=0", "?next=-1", "?withAt=1", "?with=none", "?limit=x&state=%00", "?at=%ff"}
			}
			for _, body := range list {
				target := at
				if method == "get" {
					target, body = at+body, ""
				}
				reply := w.request(t, strings.ToUpper(method), target, body)
				answer, kind := "2XX", reply.header.Get("Content-Type")
				if reply.status >= 400 {
					answer = "default"
				}
				if reply.status >= 500 || answer == "default" && kind != "application/problem+json" {
					t.Errorf("%s %s %.80q: %d %s %s", method, target, body, reply.status, kind, reply.body)
				}
				s := parsed[op.Responses[answer].Content[kind].Schema.Ref]
				if s == nil {
					continue // one that docs/formats.md alone describes, or no JSON
				}
				answered++
				if err := s.Check(json.RawMessage(reply.body)); err != nil {
					t.Errorf("%s %s %.80q: %d %s: %v", method, target, body, reply.status, reply.body, err)
				}
			}
		}
	}
	if answered < 200 {
		t.Errorf("%d answers were checked: the test shows little", answered)
	}
}
