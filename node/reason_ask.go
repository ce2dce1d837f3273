package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/schema"
)

// Asking lets a model ask a person, in the middle of its reasoning. [AskPerson] makes one of Go types.
type Asking struct {
	// Request is what the model may ask for: it is checked before anybody sees it. Defaults to a text. Response is what a
	// person may answer. Defaults to a text, or to one of Options where Ask has them.
	Request, Response *schema.Schema

	Required    bool        // the model may not answer before a person has answered it
	Name        string      // under which the model knows it. Defaults to "ask_person"
	Description string      // for the model: when to ask, and whom it reaches. There is a general one by default
	Ask         []AskOption // who is asked, for how long: Role, Prompt, Within, OrDefault, …
}

// AskPerson lets a model ask a person with a Request, and gives it their Response. The schemas of the question are
// those of the types. It panics where one of them has none; types do not change, so this shows with the first test.
func AskPerson[Request, Response any](opts ...AskOption) *Asking {
	request, err := schema.For[Request]()
	response, failed := schema.For[Response]()
	if err := errors.Join(err, failed); err != nil {
		panic(fmt.Sprintf("node.AskPerson: %v", err))
	}
	return &Asking{Request: request, Response: response, Ask: opts}
}

const (
	askName        = "ask_person"
	askDescription = "Ask a person, and wait for the answer. Call it when you need a decision or something that you cannot know; " +
		"do not guess. Nothing else is done before the answer is there."
)

func (a *Asking) name() string {
	if a.Name != "" {
		return a.Name
	}
	return askName
}

// texts is the schema of any text.
func texts() *schema.Schema {
	s, _ := schema.For[string]()
	return s
}

func (a *Asking) request() *schema.Schema {
	if a.Request != nil {
		return a.Request
	}
	return texts()
}

func (a *Asking) response() (*schema.Schema, error) {
	if a.Response != nil {
		return a.Response, nil
	}
	return texts(), nil
}

// offer is the ask as the model sees it. What tools are given is an object; another request is a member of one.
func (a *Asking) offer() model.Tool {
	offer := model.Tool{Name: a.name(), Description: a.Description, Input: a.request().JSON()}
	if offer.Description == "" {
		offer.Description = askDescription
	}
	if !ofObject(offer.Input) {
		offer.Input = wrapped("request", offer.Input)
	}
	return offer
}

// ofObject reports whether a schema is of objects.
func ofObject(doc []byte) bool {
	var root struct {
		Type any `json:"type"`
	}
	return json.Unmarshal(doc, &root) == nil && root.Type == "object"
}

// wrapped is the schema of an object with one member. The member's schema keeps a root of its own, for its references.
func wrapped(member string, doc []byte) []byte {
	data, _ := json.Marshal(map[string]any{ //nolint:errchkjson // a schema is JSON
		"type": "object", "properties": map[string]any{member: rooted(member, doc)},
		"required": []string{member}, "additionalProperties": false,
	})
	return data
}

// rooted is a schema that can stand inside of another one: its references lead into itself.
func rooted(id string, doc []byte) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(doc, &members) != nil || members["$defs"] == nil || members["$id"] != nil {
		return doc
	}
	members["$id"], _ = json.Marshal("fermata:" + id) //nolint:errchkjson // a string always encodes
	data, _ := json.Marshal(members)                  //nolint:errchkjson // a schema is JSON
	return data
}

// open asks the person what the model wants to know. What does not fit the request's schema, nobody sees: the model is
// told what is wrong.
func (a *Asking) open(ctx Context, op nodehost.Op, call *model.ToolCall, about []byte) (asked *Asked[json.RawMessage], wrong, err error) {
	request := call.Arguments
	if !ofObject(a.request().JSON()) {
		s, err := schema.Parse(a.offer().Input)
		if err != nil {
			return nil, nil, fmt.Errorf("the schema of the request: %w", err)
		}
		if wrong := s.Check(request); wrong != nil {
			return nil, wrong, nil
		}
		var outer struct {
			Request json.RawMessage `json:"request"`
		}
		if err := json.Unmarshal(request, &outer); err != nil {
			return nil, err, nil
		}
		request = outer.Request
	}
	if wrong := a.request().Check(request); wrong != nil {
		return nil, wrong, nil
	}
	opts := slices.Concat(a.Ask, []AskOption{func(q *ask) {
		RequestSchema(a.request())(q)
		q.key, q.op, q.About = a.name(), &op, slices.Concat(about, request)
		var text string
		if q.Prompt == "" && json.Unmarshal(request, &text) == nil {
			q.Prompt = text
		}
	}})
	asked, err = newAsked(openFor[json.RawMessage](ctx, request, false, a.response, opts))
	return asked, nil, err
}
