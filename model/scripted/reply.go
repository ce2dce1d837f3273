package scripted

import (
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fermata-go/fermata/model"
)

// Calls is a reply that calls tools: their names, each with its arguments as JSON behind it. The calls have the ids "1",
// "2" and so on. With a name that has no arguments behind it, the reply is an error.
//
//	scripted.Calls("track", `{"order":"A-17"}`, "track", `{"order":"A-71"}`)
func Calls(namesAndArguments ...string) Reply {
	if n := len(namesAndArguments); n == 0 || n%2 != 0 {
		return Reply{Err: fmt.Errorf("scripted.Calls: expected names and arguments in turn, found %d texts: %q", n, namesAndArguments)}
	}
	var r Reply
	for i := 0; i < len(namesAndArguments); i += 2 {
		r.Calls = append(r.Calls, model.ToolCall{
			ID: strconv.Itoa(i/2 + 1), Name: namesAndArguments[i], Arguments: json.RawMessage(namesAndArguments[i+1]),
		})
	}
	return r
}

// chunks yields the reply to a request.
func (r *Reply) chunks(name string, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		said := r.said()
		for i := range said {
			if !yield(said[i], nil) {
				return
			}
		}
		if r.Err != nil {
			if r.Usage == nil || yield(model.Chunk{Usage: r.Usage, Model: name}, nil) {
				yield(model.Chunk{}, r.Err)
			}
			return
		}
		usage := r.Usage
		if usage == nil {
			usage = &model.Usage{Input: wordsIn(req), Output: wordsOut(said)}
		}
		if yield(model.Chunk{Usage: usage, Model: name}, nil) {
			yield(model.Chunk{Finish: r.finish()}, nil)
		}
	}
}

func (r *Reply) finish() model.Finish {
	switch {
	case r.Finish != "":
		return r.Finish
	case len(r.Calls) > 0:
		return model.FinishCalls
	}
	return model.FinishStop
}

// said is what is said, in pieces as a model's own words come.
func (r *Reply) said() []model.Chunk {
	if r.Chunks != nil {
		return r.Chunks
	}
	var said []model.Chunk
	for _, piece := range r.pieces(r.Reasoning) {
		said = append(said, model.Chunk{Reasoning: piece})
	}
	for _, piece := range r.pieces(r.Text) {
		said = append(said, model.Chunk{Text: piece})
	}
	for i, call := range r.Calls {
		said = append(said, model.Chunk{Call: &model.CallChunk{Index: i, ID: call.ID, Name: call.Name}})
		for _, piece := range r.pieces(string(call.Arguments)) {
			said = append(said, model.Chunk{Call: &model.CallChunk{Index: i, Arguments: piece}})
		}
	}
	return said
}

// pieces cuts a text behind its spaces, or as Every says; joined, they are the text.
func (r *Reply) pieces(text string) []string {
	switch {
	case text == "":
		return nil
	case r.Every <= 0:
		return strings.SplitAfter(text, " ")
	}
	var pieces []string
	begun, end := 0, 0
	for end < len(text) {
		_, size := utf8.DecodeRuneInString(text[end:])
		if end > begun && end+size-begun > r.Every {
			pieces, begun = append(pieces, text[begun:end]), end
		}
		end += size
	}
	return append(pieces, text[begun:])
}

func words(text string) int64 { return int64(len(strings.Fields(text))) }

func wordsIn(req *model.Request) int64 {
	n := words(req.System)
	for i := range req.Messages {
		for _, p := range req.Messages[i].Parts {
			n += words(partText(&p))
		}
	}
	return n
}

func wordsOut(said []model.Chunk) int64 {
	var text, reasoning, calls strings.Builder
	for i := range said {
		c := &said[i]
		text.WriteString(c.Text)
		reasoning.WriteString(c.Reasoning)
		if c.Call == nil {
			continue
		}
		if c.Call.Name != "" {
			calls.WriteString(" " + c.Call.Name + " ")
		}
		calls.WriteString(c.Call.Arguments)
	}
	return words(text.String()) + words(reasoning.String()) + words(calls.String())
}
