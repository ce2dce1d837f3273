package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/cmd/fermata/internal/form"
	"github.com/fermata-go/fermata/cmd/fermata/internal/ordered"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/recipe"
)

// reviewed is a review as its question has it.
type reviewed struct {
	actions []string
	edit    ordered.Object // schema of an edited value, with the value as it is for a default
}

// reviewOf reads the question of a review; not ok where it is another one.
func reviewOf(q *journal.Interrupt) (r reviewed, ok bool) {
	if q.Kind != recipe.KindReview {
		return r, false
	}
	doc, err := ordered.Decode(q.ResponseSchema)
	if err != nil {
		return r, false
	}
	root, _ := doc.(ordered.Object)
	properties, _ := root.Get("properties").(ordered.Object)
	action, _ := properties.Get("action").(ordered.Object)
	actions, _ := action.Get("enum").(ordered.Array)
	for _, a := range actions {
		if text, isText := a.(string); isText {
			r.actions = append(r.actions, text)
		}
	}
	if value, isObject := properties.Get("value").(ordered.Object); isObject {
		request, _ := ordered.Decode(q.Request)
		shown, _ := request.(ordered.Object)
		r.edit = slices.Clone(value).Set("default", shown.Get("value"))
		if defs := root.Get("$defs"); defs != nil {
			r.edit = r.edit.Set("$defs", defs)
		}
	}
	return r, len(r.actions) > 0
}

// askReview asks first what is to be done, and then what that needs: the edited value, or a note.
func askReview(ctx context.Context, asker form.Asker, q *journal.Interrupt, r reviewed) (json.RawMessage, error) {
	choice, err := form.New(nil, r.actions)
	if err != nil {
		return nil, err
	}
	said, err := form.Ask(ctx, asker, choice, nil)
	if err != nil {
		return nil, err
	}
	member, schema := "note", ordered.Object{{Name: "type", Value: "string"}, {Name: "contentMediaType", Value: "text/plain"}}
	answer := ordered.Object{{Name: "action", Value: said}}
	check := checkAnswer(q)
	switch string(said) {
	case `"edit"`:
		member, schema = "value", r.edit
	case `"approve"`:
		return ordered.Encode(answer)
	case `"reject"`:
		return askWhy(ctx, asker, answer)
	}
	doc, err := ordered.Encode(schema)
	if err != nil {
		return nil, err
	}
	f, err := form.New(doc, nil)
	if err != nil {
		return nil, err
	}
	if f.Single() && member == "note" {
		f.Fields[0].Title = "note: what is to be done"
	}
	var whole json.RawMessage
	_, err = form.Ask(ctx, asker, f, func(value json.RawMessage) error {
		whole, err = ordered.Encode(answer.Set(member, value))
		if err == nil && check != nil {
			err = check(whole)
		}
		return err
	})
	return whole, err
}

// askWhy asks for the note of a rejection, which may be left out.
func askWhy(ctx context.Context, asker form.Asker, answer ordered.Object) (json.RawMessage, error) {
	f, err := form.New(json.RawMessage(`{"type": "object", "properties": {"note": {"type": "string", "title": "note: why"}}}`), nil)
	if err != nil {
		return nil, err
	}
	said, err := form.Ask(ctx, asker, f, nil)
	if err != nil {
		return nil, err
	}
	var given struct{ Note string }
	if err := json.Unmarshal(said, &given); err != nil {
		return nil, err
	}
	if strings.TrimSpace(given.Note) != "" {
		answer = answer.Set("note", given.Note)
	}
	return ordered.Encode(answer)
}

// reviewAnswer is an answer as it was written, in full: a review may be answered with the action alone. The note is a
// part of the answer to a review; beside other answers it is kept for the record.
func reviewAnswer(q *journal.Interrupt, value json.RawMessage, note string) (json.RawMessage, error) {
	if q.Kind != recipe.KindReview {
		return value, nil
	}
	given, err := ordered.Decode(value)
	if err != nil {
		return value, nil //nolint:nilerr // it is refused where it is taken
	}
	answer, isObject := given.(ordered.Object)
	if action, isText := given.(string); isText {
		answer, isObject = ordered.Object{{Name: "action", Value: action}}, true
	}
	if !isObject {
		return value, nil
	}
	if note != "" {
		answer = answer.Set("note", note)
	}
	return ordered.Encode(answer)
}

// reviewLines say what an answer to a review consists of.
func reviewLines(s *term.Screen, r reviewed) []string {
	about := map[string]string{
		"approve": "it goes on as it is", "edit": "it goes on with another value", "reject": "it does not go on",
		"send_back": "it is done again; needs a note",
	}
	t := term.Table{Indent: 2}
	for _, action := range r.actions {
		t.Rows = append(t.Rows, []string{action, about[action]})
	}
	return s.Fit(t.Lines(s))
}
