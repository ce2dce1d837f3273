package model

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Model is a language model. It must be safe for concurrent use.
type Model interface {
	// Generate asks the model and yields its reply as it comes. The request is not the model's to change or to keep.
	//
	// A reply ends with a chunk that has a Finish. An error is the last thing that is yielded, and is an [*Error] where
	// its kind is known. A caller that stops ranging has lost interest, and so has one whose ctx is done: the model
	// then gives up what it holds. Each range over the sequence asks once more.
	Generate(ctx context.Context, req *Request) iter.Seq2[Chunk, error]
}

// Func is a function that is a Model.
type Func func(ctx context.Context, req *Request) iter.Seq2[Chunk, error]

// Generate implements Model.
func (f Func) Generate(ctx context.Context, req *Request) iter.Seq2[Chunk, error] { return f(ctx, req) }

// Set is the models of a program, by the names that its nodes know them by: "fast", "careful". The name [Default] is
// for nodes that name none.
type Set map[string]Model

// Default is the name in a [Set] of the model for nodes that name none.
const Default = "default"

// Find is the model of that name. A name that no model has, and that has a colon, finds the model before the colon and
// binds it to the one behind it: "openai:gpt-5" is [Named] of "openai" and "gpt-5", so that one entry serves all models
// of a provider. The name "" finds the one called [Default], or the only one. It fails with [ErrNoModel], naming what
// there is.
func (s Set) Find(name string) (Model, error) {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(s)), func(name string) bool { return s[name] == nil })
	wanted := name
	if wanted == "" {
		if wanted = Default; len(names) == 1 {
			wanted = names[0]
		}
	}
	switch m := s[wanted]; {
	case m != nil:
		return m, nil
	case len(names) == 0:
		return nil, &Error{Kind: ErrNoModel, Message: "the set of models is empty"}
	case name == "":
		return nil, &Error{Kind: ErrNoModel, Message: "the set has " + strings.Join(names, ", ") +
			"; name one of them, or call one " + Default}
	}
	if m := s.bound(name); m != nil {
		return m, nil
	}
	return nil, &Error{
		Kind: ErrNoModel, Message: "none is called " + quote(name) + "; the set has " + strings.Join(names, ", ") + s.hint(name, names),
	}
}

func quote(s string) string {
	data, _ := json.Marshal(s) //nolint:errchkjson // a string always encodes
	return string(data)
}
