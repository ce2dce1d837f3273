package dialogue

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
)

// Excerpt returns a part of a conversation as a test. It holds the messages since nothing was open, up to that of a turn.
// The test begins with the conversation's context, and its actions give what they gave. Each line has the commands that
// were understood. The last line is that of the turn; the caller says what is expected of it. The test is in the language that
// the conversation had then.
//
// It refuses a part in which a text is hidden, see Turns, and one in which a person spoke. Where there is no such
// conversation or turn, the error is an *fermata.Error of CodeNotFound.
func (c *Conversations) Excerpt(ctx context.Context, id string, turn int) (*Test, error) {
	if err := c.holds(ctx, id); err != nil {
		return nil, err
	}
	d, err := c.spoken(ctx, id)
	if err != nil {
		return nil, err
	}
	x := excerpt{teller: teller{d: c.dialogue, id: id, begun: d}, results: make(map[string][]TestResult), seen: make(map[string]bool)}
	for m, err := range c.rt.History(ctx, id) {
		if err == nil {
			err = x.take(&m.Entry, m.Value)
		}
		if err != nil {
			return nil, err
		}
		if n := len(x.turns); n > 0 && x.turns[n-1].Turn == turn && !x.turns[n-1].Has(MarkSilence) {
			return x.test()
		}
	}
	return nil, &fermata.Error{
		Code: fermata.CodeNotFound, Run: id, Err: fmt.Errorf("it has no answered message %d, but %d: %w", turn, len(x.turns), fermata.ErrNotFound),
	}
}

// excerpt makes a test of a conversation.
type excerpt struct {
	teller
	from    int         // the first turn of the part
	before  *State      // what it begins with
	lines   []Message   // of all turns, as they were said
	known   [][]Command // and understood
	results map[string][]TestResult
	seen    map[string]bool
}

func (x *excerpt) take(e *journal.Entry, value json.RawMessage) error {
	had := len(x.turns)
	if err := x.teller.take(e, value); err != nil {
		return err
	}
	switch {
	case e.Kind != journal.NodeFinished || value == nil:
	case e.Node == gateNode:
		if s := x.now; x.before == nil || len(s.Stack) == 0 && s.Pending == nil && !s.Human && (s.Message == nil || !s.Message.Silence) {
			x.from, x.before = had, s
			clear(x.results)
		}
		x.lines = append(x.lines, *x.now.Message)
	case e.Node == orchestratorNode && len(x.turns) > had:
		x.known = append(x.known, x.teller.known)
	case x.d.flows[e.Node] != nil:
		s, err := x.state(e.Seq, value)
		if err == nil {
			x.made(s)
		}
		return err
	}
	return nil
}

// made takes in what actions gave.
func (x *excerpt) made(s *State) {
	for i := range s.Stack {
		f := &s.Stack[i]
		fl := x.d.flows[f.Flow]
		if fl == nil {
			continue
		}
		for at, m := range f.Trail {
			st := fl.steps[m.Step]
			key := fmt.Sprint(f.ID, " ", at, " ", m.Step, " ", m.Sum)
			if st == nil || st.Type != ActionStep || x.seen[key] {
				continue
			}
			x.seen[key] = true
			x.results[st.Call] = append(x.results[st.Call], TestResult{Value: gave(st, m.Out)})
		}
	}
}

// gave is what an action must have given for a step to take some values of it.
func gave(st *step, outs map[string]any) any {
	result := make(map[string]any)
	for _, a := range st.outs {
		v, ok := outs[a.name]
		if !ok {
			continue
		}
		if a.path == "." {
			return v
		}
		in, path := result, strings.Split(a.path, ".")
		for _, name := range path[:len(path)-1] {
			inner, isObject := in[name].(map[string]any)
			if !isObject {
				inner = make(map[string]any)
				in[name] = inner
			}
			in = inner
		}
		in[path[len(path)-1]] = v
	}
	return result
}

// test is the part that was read.
func (x *excerpt) test() (*Test, error) {
	t := &Test{Now: time.UnixMicro(x.before.At).In(x.d.zone).Truncate(time.Second), Actions: x.results}
	if in := x.begun.speaking(x.before); in != x.d.origin() {
		t.Language = in.settings.Language
	}
	for _, name := range keysOf(x.before.Context) {
		if !slices.ContainsFunc(x.d.context, func(sl *slot) bool { return sl.name == name && sl.Private }) {
			if t.Context == nil {
				t.Context = make(map[string]any)
			}
			t.Context[name] = x.before.Context[name]
		}
	}
	for i := x.from; i < len(x.turns); i++ {
		turn, m := &x.turns[i], &x.lines[i]
		l := TestLine{Index: len(t.Talk)}
		switch {
		case turn.Hidden:
			return nil, fmt.Errorf("message %d of %s may hold the value of a private slot: no test can hold it", turn.Turn, x.id)
		case turn.Has(MarkHuman):
			return nil, fmt.Errorf("at message %d of %s a person had the conversation: there is nothing to be understood", turn.Turn, x.id)
		case turn.Has(MarkEvent):
			l.Event = &Event{Name: m.Event, Data: m.Data}
		case turn.Has(MarkSilence):
			l.Silence = true
		case m.Language != "" && m.Text == "" && turn.Has(MarkLanguage): // which the language of the line does
		case len(m.Commands) > 0:
			l.Press = x.known[i]
		default:
			l.User, l.Commands, l.HasCommands = m.Text, x.known[i], true
		}
		if in := x.d.accepted(m.Language); in != nil && m.Language != "" {
			l.Language = in.settings.Language
		}
		t.Talk = append(t.Talk, l)
	}
	return t, nil
}
