package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
)

// screen is what people see: a line for all that happens, and questions with their evidence.
type screen struct{ out io.Writer }

func (s screen) say(format string, args ...any) { _, _ = fmt.Fprintf(s.out, format+"\n", args...) }

func (s screen) begin(run, store, how string) { s.say("  %s %s, in %s\n", run, how, store) }

func (s screen) line(glyph, task, text string) {
	node, visit, _ := strings.Cut(task, "#")
	if visit != "1" {
		node += " " + visit
	}
	s.say("  %s %-10s %s", glyph, node, text)
}

// event shows what a node says of itself, and what goes wrong.
func (s screen) event(ev *fermata.Event) {
	e := &ev.Entry
	switch e.Kind {
	case journal.Status:
		var text string
		if json.Unmarshal(e.Body, &text) == nil {
			s.line("✓", ev.Task(), text)
		}
	case journal.NodeRetrying, journal.NodeFailed:
		var body journal.FailedBody
		if json.Unmarshal(e.Body, &body) != nil {
			return
		}
		text := body.Error
		if e.Kind == journal.NodeRetrying {
			text += fmt.Sprintf("; once more in %s", time.UnixMicro(body.RetryAt).Sub(e.Time()).Round(time.Millisecond))
		}
		s.line("✗", ev.Task(), text)
	case journal.InterruptOpened:
		var q journal.Interrupt
		if json.Unmarshal(e.Body, &q) == nil {
			s.line("?", ev.Task(), "waits for a "+q.Role)
		}
	case journal.InterruptUpdated:
		var body journal.UpdatedBody
		if json.Unmarshal(e.Body, &body) == nil && body.Do == "escalate" {
			s.line("?", ev.Task(), "nobody decided in time: waits for a "+body.Role)
		}
	case journal.InterruptResolved:
		var body journal.ResolvedBody
		if json.Unmarshal(e.Body, &body) == nil && body.State == journal.Expired {
			s.line("✗", ev.Task(), "nobody decided in time")
		}
	default:
	}
}

// question shows a question and its evidence.
func (s screen) question(q *fermata.Interrupt) {
	s.say("")
	var proposal Proposal
	if json.Unmarshal(q.Request, &proposal) == nil && proposal.Reply != "" {
		s.say("    %s writes", proposal.Customer)
		s.indent(proposal.Wrote)
		s.say("    The reply")
		s.indent(proposal.Reply)
		s.say("")
		s.say("  %s Enter sends it; anything else is what to change; Ctrl-D leaves it for later.", q.Prompt)
		return
	}
	var problem struct{ Customer, Problem string }
	if json.Unmarshal(q.Request, &problem) == nil {
		s.say("    %s", problem.Problem)
	}
	s.say("")
	s.say("  %s yes or no; Ctrl-D leaves it for later.", q.Prompt)
}

func (s screen) indent(text string) {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		s.say("%s", strings.TrimRight("      "+line, " "))
	}
}

func (s screen) prompt() { _, _ = fmt.Fprint(s.out, "  > ") }

// later says how to go on with a run that rests.
func (s screen) later(run string, in settings) {
	s.say("  %s waits: start this again to go on. From another terminal:", run)
	s.say("  fermata tasks --store %s", in.store)
}

// end shows how a run ended.
func (s screen) end(res graph.Result[Ticket]) int {
	if res.Status != fermata.Completed {
		s.say("\n  %s: %v", res.Status, res.Err)
		return exitFailed
	}
	s.say("\n  closed: %s", res.State.Outcome)
	return exitDone
}
