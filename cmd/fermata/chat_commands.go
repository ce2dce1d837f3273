package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// slash are the commands of a chat.
var slash = []struct {
	name, does string
	do         func(c *chat, ctx context.Context) error
}{
	{"/state", "what is going on, and what is known", (*chat).showState},
	{"/trace", "what the last message has led to", (*chat).showTrace},
	{"/undo", "take the last message back; what actions have done outside stays done", (*chat).undo},
	{"/transcript", "all that was said", (*chat).showTranscript},
	{"/language", "which languages there are; /language de goes on in one", (*chat).showLanguages},
	{"/quit", "leave; so does Ctrl-D", func(*chat, context.Context) error { return errQuit }},
}

// command does what a line that begins with a slash says.
func (c *chat) command(ctx context.Context, line string) error {
	if tag, ok := strings.CutPrefix(line, "/language "); ok {
		return c.changeLanguage(ctx, strings.TrimSpace(tag))
	}
	names := []string{"/help"}
	for _, s := range slash {
		if s.name == line {
			return s.do(c, ctx)
		}
		names = append(names, s.name)
	}
	if line != "/help" {
		c.m.err.Println(fmt.Sprintf("there is no command %q%s; /help lists them, and a message that begins with / is written with //",
			line, nearest.Hint(line, names)))
		return nil
	}
	t := term.Table{Indent: 2}
	for _, s := range slash {
		t.Rows = append(t.Rows, []string{s.name, s.does})
	}
	c.area.Print(t.Lines(c.m.out)...)
	return nil
}

// state is the conversation as it waits: what the gate was given last.
func (c *chat) state(ctx context.Context) (s dialogue.State, err error) {
	for at, err := range c.house.History(ctx, c.id) {
		if err != nil {
			return s, err
		}
		if at.Entry.Kind == journal.NodeStarted && at.Entry.Node == "gate" && at.Input != nil {
			s = dialogue.State{}
			if err := json.Unmarshal(at.Input, &s); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

// showState shows the flows that are going on, the active one first, and all values.
func (c *chat) showState(ctx context.Context) error {
	s, err := c.state(ctx)
	if err != nil {
		return err
	}
	if c.json {
		c.m.writeLine(s)
		return nil
	}
	t := term.Table{Indent: 2}
	row := func(name, value string) { t.Rows = append(t.Rows, []string{name, value}) }
	values := func(of map[string]any) {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			if data, err := json.Marshal(of[name]); err == nil { // it was JSON before
				row("  "+name, string(data))
			}
		}
	}
	if s.Language != "" {
		row("language", s.Language)
	}
	for _, f := range slices.Backward(s.Stack) {
		step := f.Step
		if step == "" {
			step = "its beginning"
		}
		row(f.Flow, "at "+step)
		values(f.Slots)
	}
	if len(s.Stack) == 0 {
		row("no flow", "is going on")
	}
	if len(s.Slots) > 0 {
		row("conversation", "")
		values(s.Slots)
	}
	if len(s.Context) > 0 {
		row("context", "")
		values(s.Context)
	}
	c.area.Print(c.m.out.Fit(t.Lines(c.m.out))...)
	return nil
}

// said is all that was said, in order.
func (c *chat) said(ctx context.Context) ([]dialogue.Line, error) {
	messages, err := c.messages(ctx)
	if err != nil {
		return nil, err
	}
	var lines []dialogue.Line
	for ev, err := range c.house.Events(ctx, c.id, 0, false) {
		if err != nil {
			return nil, err
		}
		if m, ok := messages[ev.Entry.Op]; ok && ev.Entry.Kind == journal.InterruptResolved && m.From != byAgent {
			lines = append(lines, dialogue.Line{By: "user", Text: typedLine(&m)})
		}
		if ev.Type() != node.EventMessage {
			continue
		}
		var said dialogue.Said
		data, err := ev.Data()
		if err == nil {
			err = json.Unmarshal(data, &said)
		}
		if err != nil {
			return nil, err
		}
		lines = append(lines, dialogue.Line{By: said.By, Text: said.Prompt})
	}
	return lines, nil
}

// messages are what people have said to the conversation, by the questions that they answered.
func (c *chat) messages(ctx context.Context) (map[string]dialogue.Message, error) {
	asked, err := c.house.Inbox(ctx, journal.InboxFilter{Run: c.id, All: true})
	if err != nil {
		return nil, err
	}
	all := make(map[string]dialogue.Message)
	for i := range asked {
		q := &asked[i].Interrupt
		var m dialogue.Message
		if q.Kind == dialogueKind && q.State == journal.Answered && json.Unmarshal(q.Answer, &m) == nil && !m.Silence && m.Event == "" {
			all[q.ID] = m
		}
	}
	return all, nil
}

func (c *chat) showTranscript(ctx context.Context) error {
	lines, err := c.said(ctx)
	for _, l := range lines {
		c.showLine(l)
	}
	return err
}

// lastMessage is the question that the user's last message answered, and the seq of that; "" for none.
func (c *chat) lastMessage(ctx context.Context, messages map[string]dialogue.Message) (id string, seq uint64, err error) {
	for ev, err := range c.house.Events(ctx, c.id, 0, false) {
		if err != nil {
			return "", 0, err
		}
		if m, ok := messages[ev.Entry.Op]; ok && ev.Entry.Kind == journal.InterruptResolved && m.From != byAgent {
			id, seq = ev.Entry.Op, ev.Seq()
		}
	}
	return id, seq, nil
}

// undo goes on in a fork of the run from before the last message, which the thread then means.
func (c *chat) undo(ctx context.Context) error {
	messages, err := c.messages(ctx)
	if err != nil {
		return err
	}
	last, since, err := c.lastMessage(ctx, messages)
	if err != nil {
		return err
	}
	if last == "" {
		c.note("nothing has been said yet")
		return nil
	}
	n := 2
	for _, err := c.house.Info(ctx, undone(c.thread, n)); err == nil; _, err = c.house.Info(ctx, undone(c.thread, n)) {
		n++ // until one is free, or making it says what is wrong
	}
	made, err := c.made(ctx, since)
	if err != nil {
		return err
	}
	id := undone(c.thread, n)
	run, err := c.house.Fork(ctx, c.id, c.dialogue.Plan(), fermata.ForkOptions{ID: id, AskAgain: []string{last}, By: c.m.user()})
	if err != nil {
		return err
	}
	if _, err := run.Wait(ctx); err != nil {
		return err
	}
	info, err := c.house.Info(ctx, id)
	if err != nil {
		return err
	}
	c.id, c.seen = id, info.Head
	m := messages[last]
	c.note(fmt.Sprintf("took back %q", typedLine(&m)))
	if len(made) > 0 {
		c.note("what was done stays done: " + strings.Join(made, ", "))
	}
	if c.reply, err = c.standing(ctx); err != nil {
		return err
	}
	if p := c.reply.Pending; p != nil && !c.json {
		c.showLine(dialogue.Line{By: "bot", Text: p.Prompt})
		c.showOptions(p)
	}
	return nil
}

// made are the actions that were made since an event, in order.
func (c *chat) made(ctx context.Context, since uint64) ([]string, error) {
	var all []string
	for ev, err := range c.house.Events(ctx, c.id, since, false) {
		if err != nil {
			return nil, err
		}
		name, step, nested := strings.Cut(ev.Entry.Node, "/")
		f, known := c.dialogue.Flow(name)
		if ev.Entry.Kind != journal.NodeFinished || !nested || !known {
			continue
		}
		if call := calledIn(f.Steps, strings.TrimSuffix(strings.TrimPrefix(step, "("), ")")); call != "" && !slices.Contains(all, call) {
			all = append(all, call)
		}
	}
	return all, nil
}

// calledIn is the action that a step calls; "" for another step.
func calledIn(steps []dialogue.Step, id string) string {
	for i := range steps {
		if steps[i].ID == id {
			return steps[i].Call
		}
		if call := calledIn(steps[i].Steps, id); call != "" {
			return call
		}
	}
	return ""
}

// showTrace shows what the last message has led to: how it was understood, the steps that were made, what was said.
func (c *chat) showTrace(ctx context.Context) error {
	messages, err := c.messages(ctx)
	if err != nil {
		return err
	}
	_, from, err := c.lastMessage(ctx, messages)
	if err != nil {
		return err
	}
	t := term.Table{Indent: 2}
	row := func(name, value string) {
		t.Rows = append(t.Rows, []string{c.m.out.Styles().Faint.Apply(name), term.OneLine(value)})
	}
	for at, err := range c.house.History(ctx, c.id) {
		if err != nil {
			return err
		}
		e := &at.Entry
		if e.Seq < from {
			continue
		}
		task := placeOf(e.Node)
		switch e.Kind {
		case journal.InterruptResolved:
			if m, ok := messages[e.Op]; ok {
				row("message", typedLine(&m))
			}
		case journal.NodeFinished:
			var s dialogue.State
			switch {
			case task == "nlu" && json.Unmarshal(at.Value, &s) == nil:
				for _, command := range s.Commands {
					row("command", commandText(command))
				}
			case strings.Contains(task, "/") && !strings.Contains(task, "("): // what has brackets is no step of the author's
				row("step", task)
			}
		case journal.Message:
			var said dialogue.Said
			if json.Unmarshal(e.Body, &said) == nil {
				row("said", said.Prompt)
			}
		case journal.Diagnostic, journal.NodeFailed:
			var told struct{ Message, Error string }
			if json.Unmarshal(e.Body, &told) == nil {
				row("trouble", cmp.Or(told.Message, task+": "+told.Error))
			}
		default:
		}
	}
	c.area.Print(c.m.out.Fit(t.Lines(c.m.out))...)
	return nil
}

// commandText is a command as people read it: set_slot amount 50.
func commandText(c dialogue.Command) string {
	parts := []string{string(c.Type)}
	for _, part := range []string{c.Flow, c.Slot, c.SlotToChange, strings.Join(c.Options, ", "), c.Text, c.Language} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if c.Value != nil {
		if data, err := json.Marshal(c.Value); err == nil {
			parts = append(parts, string(data))
		}
	}
	return strings.Join(parts, " ")
}
