package dialoguetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// Exchange is a message of a test and all its results.
type Exchange struct {
	Line     *dialogue.TestLine `json:"-"` // nil for what was said unasked
	Commands []dialogue.Command `json:"commands,omitempty"`
	Said     []dialogue.Said    `json:"said,omitempty"`
	Calls    []Call             `json:"calls,omitempty"`
	after    *dialogue.State
	frames   map[int]dialogue.Frame // all that there were, as they were last
	told     []string               // diagnostics: what an operator is told
}

// happened reads from the journal what came of each line, and which nodes were visited.
func happened(ctx context.Context, rt *fermata.Runtime, run string, s *stage) (all []*Exchange, visited map[string]bool, err error) {
	messages := make(map[uint64]json.RawMessage)
	for e, err := range rt.Events(ctx, run, 0, false) {
		if err != nil {
			return nil, nil, err
		}
		if e.Sub == 0 && (e.Type() == node.EventMessage || e.Type() == node.EventDiagnostic) {
			if messages[e.Seq()], err = e.Data(); err != nil {
				return nil, nil, err
			}
		}
	}
	now := &Exchange{frames: make(map[int]dialogue.Frame)}
	all, visited = []*Exchange{now}, make(map[string]bool)
	for m, err := range rt.History(ctx, run) {
		if err != nil {
			return nil, nil, err
		}
		e := &m.Entry
		if e.Node != "" {
			visited[node.NodeOf(e.Node)] = true
		}
		if e.Kind == journal.NodeFinished && e.Node == "gate" {
			now = &Exchange{frames: make(map[int]dialogue.Frame)}
			if n := len(all); n <= len(s.lines) {
				now.Line = s.lines[n-1]
			}
			all = append(all, now)
		}
		if err := now.add(&m, messages[e.Seq]); err != nil {
			return nil, nil, fmt.Errorf("seq %d: %w", e.Seq, err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c.turn < len(all) {
			all[c.turn].Calls = append(all[c.turn].Calls, c)
		}
	}
	return all, visited, nil
}

func (x *Exchange) add(m *fermata.Moment, message json.RawMessage) error {
	switch {
	case message != nil && m.Entry.Kind == journal.Message:
		var said dialogue.Said
		if err := decode(message, &said); err != nil {
			return err
		}
		x.Said = append(x.Said, said)
	case message != nil:
		var told struct{ Message string }
		if err := decode(message, &told); err != nil {
			return err
		}
		x.told = append(x.told, told.Message)
	case m.Value != nil && m.Entry.Kind == journal.NodeFinished && ours(node.NodeOf(m.Entry.Node)):
		s := &dialogue.State{}
		if err := decode(m.Value, s); err != nil {
			return err
		}
		x.after = s
		for _, f := range s.Stack {
			x.frames[f.ID] = f
		}
		if m.Entry.Node == "nlu" {
			x.Commands = s.Commands
		}
	}
	return nil
}

// ours reports whether a node has the conversation as its state: those of plans that flows run have not.
func ours(path string) bool { return strings.Count(path, "/") <= 1 && !strings.Contains(path, "(") }

func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(v)
}

// texts are all that was said.
func (x *Exchange) texts() []string {
	all := []string{}
	for _, s := range x.Said {
		all = append(all, s.Prompt)
	}
	return all
}

// slot is what a slot holds after it: in the flows that go on, in the conversation, or in a flow that has ended.
func (x *Exchange) slot(name string) any {
	if x.after == nil {
		return nil
	}
	for _, f := range slices.Backward(x.after.Stack) {
		if v, ok := f.Slots[name]; ok {
			return v
		}
		delete(x.frames, f.ID)
	}
	if v, ok := x.after.Slots[name]; ok {
		return v
	}
	last, value := 0, any(nil)
	for id, f := range x.frames {
		if v, ok := f.Slots[name]; ok && id > last {
			last, value = id, v
		}
	}
	return value
}

// active is the flow that goes on after it; "" for none.
func (x *Exchange) active() string {
	if x.after == nil || len(x.after.Stack) == 0 {
		return ""
	}
	return x.after.Stack[len(x.after.Stack)-1].Flow
}
