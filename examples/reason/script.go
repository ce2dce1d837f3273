package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
)

// script is what the scripted model says: by the beginning of the system text, one turn after the other. It goes by the
// request alone, so that it says the same to whoever asks again after a crash.
type script map[string][]turn

// turn makes a reply of what the model was told: by tools and people, in the turn before.
type turn func(told string) scripted.Reply

// says is a turn of text.
func says(text string) turn {
	return func(string) scripted.Reply { return scripted.Reply{Text: text, Every: 24} }
}

// call is a call of a tool by a model.
func call(id, name, arguments string) model.ToolCall {
	return model.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(arguments)}
}

// calls is a turn with calls of tools, made together.
func calls(wanted ...model.ToolCall) turn {
	return func(string) scripted.Reply { return scripted.Reply{Calls: wanted} }
}

func (s script) model() model.Model { return scripted.New(scripted.Script{Func: s.reply}) }

func (s script) reply(r *model.Request) (scripted.Reply, error) {
	for beginning, turns := range s {
		if !strings.HasPrefix(r.System, beginning) {
			continue
		}
		said := 0
		for i := range r.Messages {
			if r.Messages[i].Role == model.Assistant {
				said++
			}
		}
		if said >= len(turns) {
			return scripted.Reply{}, fmt.Errorf("the script of %q has %d turns, and this is one more", beginning, len(turns))
		}
		return turns[said](told(r)), nil
	}
	return scripted.Reply{}, scripted.ErrNoReply
}

// told is what the last message says, results of tools among it, one a line.
func told(r *model.Request) string {
	var lines []string
	for _, p := range r.Messages[len(r.Messages)-1].Parts {
		if p.Result != nil {
			lines = append(lines, p.Result.Text)
			continue
		}
		lines = append(lines, p.Text)
	}
	return strings.Join(lines, "\n")
}

// paced is a model that takes its time, so that people see how it writes.
func paced(m model.Model) model.Model {
	const pause = 40 * time.Millisecond
	return model.Func(func(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
		return func(yield func(model.Chunk, error) bool) {
			for chunk, err := range m.Generate(ctx, req) {
				select {
				case <-time.After(pause):
				case <-ctx.Done():
				}
				if !yield(chunk, err) {
					return
				}
			}
		}
	})
}

// awaiting is a model that is asked once somebody watches. What a fast one says would else be over before that, and
// shown in one piece.
func awaiting(m model.Model, watched <-chan struct{}) model.Model {
	return model.Func(func(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
		select {
		case <-watched:
		case <-ctx.Done():
		}
		return m.Generate(ctx, req)
	})
}
