package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// take takes a line: a command, or something that is said.
func (c *chat) take(ctx context.Context, line string) error {
	line = strings.TrimSpace(term.Typed(line))
	switch {
	case line == "":
		return nil
	case strings.HasPrefix(line, "//"):
		line = line[1:]
	case strings.HasPrefix(line, "/"):
		return c.command(ctx, line)
	}
	all := slices.Concat(c.kept, []string{c.chosen(line)})
	c.kept = nil
	for i, text := range all {
		err := c.turn(ctx, func(ctx context.Context) (dialogue.Reply, error) {
			return c.all.Send(ctx, c.id, dialogue.Message{Text: text, Question: c.asked()})
		})
		if errors.Is(err, dialogue.ErrBusy) {
			return c.refused(ctx, all[i:])
		}
		if err != nil || c.reply.Closed {
			return err
		}
	}
	return nil
}

// asked is the id of the question that the user sees: another client may have changed what is asked by now.
func (c *chat) asked() string {
	if c.reply.Pending == nil {
		return ""
	}
	return c.reply.Pending.ID
}

// refused keeps lines that were not taken: on a terminal in the line that is edited next, else until another line comes.
func (c *chat) refused(ctx context.Context, lines []string) error {
	c.area.Clear()
	if typed, ok := c.lines.(*typed); ok {
		typed.offer(lines[0])
	} else {
		c.kept = lines
	}
	if c.json {
		c.m.writeLine(struct {
			Type string `json:"type"`
			Code string `json:"code"`
			Text string `json:"text"`
		}{"refused", "busy", lines[len(lines)-1]})
	}
	c.note("that was not taken: the conversation waits for another person")
	return c.waits(ctx)
}

// sayKept says what was not taken up to the end.
func (c *chat) sayKept() {
	for _, line := range c.kept {
		c.m.err.Println(fmt.Sprintf("not taken, to be said again later: %q", line))
	}
}

// chosen is the quick reply that a number stands for, or what was typed: where a number is asked for, it is one.
func (c *chat) chosen(line string) string {
	p := c.reply.Pending
	n, err := strconv.Atoi(line)
	if err != nil || p == nil || n < 1 || n > len(p.Options) || !c.numbered(p) {
		return line
	}
	return p.Options[n-1]
}

// numbered reports whether quick replies are chosen by their numbers.
func (c *chat) numbered(p *dialogue.PendingTask) bool {
	if !p.IsCollect() {
		return true
	}
	for _, flow := range append(c.flows(), "") {
		if s, ok := c.dialogue.Slot(flow, p.Slot); ok {
			return s.Type == dialogue.Choice || s.Type == dialogue.Boolean
		}
	}
	return false
}

// flows are all flows of the dialogue.
func (c *chat) flows() []string {
	var all []string
	for _, f := range c.dialogue.Definition().Flows {
		all = append(all, f.Name)
	}
	return all
}

// turn does something to the conversation, and shows what happens until it rests.
func (c *chat) turn(ctx context.Context, do func(ctx context.Context) (dialogue.Reply, error)) error {
	ctx, stop := c.m.untilTold(ctx, func() {}, func() { c.area.Clear() })
	defer stop()
	c.busy, c.stream = "", ""
	type outcome struct {
		reply dialogue.Reply
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := do(ctx)
		done <- outcome{r, err}
	}()
	watching, cease := context.WithCancel(ctx)
	defer cease()
	events := c.house.follow(watching, c.id, c.seen)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	var head uint64
	for rests, frame := false, 0; !rests || c.seen < head && events != nil; {
		select {
		case o := <-done:
			if o.err != nil {
				if errors.Is(context.Cause(ctx), errInterrupted) {
					return errInterrupted
				}
				return o.err
			}
			rests, c.reply = true, o.reply
			info, err := c.house.Info(ctx, c.id)
			if err != nil {
				return err
			}
			head = info.Head
		case got, open := <-events:
			switch {
			case !open:
				events = nil
			case got.err != nil && watching.Err() == nil:
				return got.err
			case got.err == nil:
				c.show(&got.event)
			}
		case <-tick.C:
			frame++
			c.draw(frame)
		}
	}
	c.area.Clear() // the cursor, too, is there again for the next line
	if c.reply.Pending != nil {
		c.showOptions(c.reply.Pending)
	} else if !c.reply.Closed {
		return c.waits(ctx)
	}
	return nil
}

// show shows one event: what is said, and what is being done.
func (c *chat) show(ev *fermata.Event) {
	if ev.Sub == 0 {
		c.seen = ev.Seq()
	}
	if c.json {
		c.m.writeLine(ev)
		return
	}
	switch {
	case ev.Entry.Kind == journal.TextDelta:
		var piece struct{ SoFar bool }
		if data, err := ev.Data(); err == nil && json.Unmarshal(data, &piece) == nil && piece.SoFar {
			c.stream = ""
		}
		c.stream += ev.Entry.To
	case ev.Entry.Kind == journal.TextStart, ev.Entry.Kind == journal.DataInvalidated:
		c.stream = ""
	case ev.Type() == node.EventMessage && ev.Sub == 0:
		var said dialogue.Said
		if data, err := ev.Data(); err == nil && json.Unmarshal(data, &said) == nil {
			c.stream = ""
			c.showLine(dialogue.Line{By: said.By, Text: said.Prompt})
		}
	case ev.Entry.Kind == journal.NodeStarted:
		if c.busy = ""; strings.Contains(ev.Task(), "/") {
			c.busy = placeOf(ev.Task())
		}
	default:
	}
}

// draw shows that something is being done, and the text that a model is writing.
func (c *chat) draw(frame int) {
	if c.json || c.busy == "" && c.stream == "" {
		return
	}
	s := c.m.out
	spinner := s.Glyphs().Spinner
	lines := []string{s.Styles().Busy.Apply(spinner[frame%len(spinner)]) + " " + s.Styles().Faint.Apply(c.busy)}
	if c.stream != "" {
		lines = append(term.Wrap(term.Plain(c.stream), c.width()), lines...)
	}
	c.area.Draw(lines)
}

func (c *chat) width() int { return min(c.m.out.Width(), 100) - 4 }

// showLine shows something that was said.
func (c *chat) showLine(l dialogue.Line) {
	s, styles := c.m.out, c.m.out.Styles()
	text := term.Wrap(term.Plain(strings.TrimSpace(l.Text)), c.width())
	if !s.TTY {
		text = strings.Split(term.Plain(strings.TrimSpace(l.Text)), "\n")
	}
	for i, line := range text {
		switch {
		case l.By == "user":
			line = "> " + line
		case l.By == byAgent && i == 0:
			line = styles.Wait.Apply("agent: ") + line
		}
		text[i] = line
	}
	c.area.Print(text...)
}

// note tells something that is not part of the conversation.
func (c *chat) note(lines ...string) {
	for _, line := range lines {
		if c.json {
			continue
		}
		c.area.Print(c.m.out.Styles().Faint.Apply(line))
	}
}

// showOptions shows quick replies.
func (c *chat) showOptions(p *dialogue.PendingTask) {
	if c.json || p == nil || len(p.Options) == 0 {
		return
	}
	list := slices.Clone(p.Options)
	if c.numbered(p) {
		for i, option := range list {
			list[i] = strconv.Itoa(i+1) + ") " + option
		}
	}
	c.note("  " + strings.Join(list, "   "))
}

// waits says who is waited for where it is not the user: a person who has taken over, or one whom a recipe asks.
func (c *chat) waits(ctx context.Context) error {
	asked, err := c.house.Inbox(ctx, journal.InboxFilter{Run: c.id})
	if err != nil {
		return err
	}
	for i := range asked {
		q := &asked[i].Interrupt
		w, own := waitingOf(q)
		switch {
		case own && w.Handoff && !c.handed:
			c.handed = true
			c.note("a person has to take over, who answers with", "  "+c.m.answerCommand(q, q.ID, "", true))
		case !own:
			c.note(term.OneLine(q.Prompt), "  "+c.m.answerCommand(q, q.ID, "", true))
		}
	}
	return nil
}
