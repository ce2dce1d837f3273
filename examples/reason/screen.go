package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/patch"
)

// width is how much of a line is shown.
const width = 100

// screen is what people see: a line for all that a model says and does, and the form that it fills in.
type screen struct {
	out  io.Writer
	live bool                                         // draw over what was drawn
	draw func(value json.RawMessage) (lines []string) // nil: values that are streamed are not shown
	at   string                                       // where questions are answered over HTTP

	form  *patch.Document // the value that is streamed, as far as it has come
	drawn int             // lines of it on the screen
}

func (s *screen) say(format string, args ...any) { _, _ = fmt.Fprintf(s.out, format+"\n", args...) }

func (s *screen) prompt() { _, _ = fmt.Fprint(s.out, "  > ") }

func (s *screen) line(glyph, who, text string) {
	s.drawn = 0 // what is drawn next, stands below
	s.say("  %s %-9s %s", glyph, who, clip(text))
}

// clip is as much of a text as a line has room for.
func clip(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}

// event shows what a model says, what tools do, and what goes wrong.
func (s *screen) event(ev *fermata.Event) {
	e := &ev.Entry
	switch {
	case e.Kind == journal.StructuredData && s.draw != nil:
		s.data(ev)
	case e.Kind == journal.DataInvalidated && s.draw != nil:
		s.form = nil
		s.line("!", "", "that was not the answer yet")
	case ev.Type() == "tool.call":
		var body journal.ToolBody
		if json.Unmarshal(e.Body, &body) == nil {
			s.line("→", body.Name, string(body.Arguments))
		}
	case ev.Type() == "tool.result":
		s.result(e)
	case e.Kind == journal.StepFinished && strings.Contains(e.Op, "model:"):
		s.said(ev)
	case e.Kind == journal.Diagnostic:
		s.line("!", "", string(e.Body))
	case e.Kind == journal.NodeRetrying, e.Kind == journal.NodeFailed:
		var body journal.FailedBody
		if json.Unmarshal(e.Body, &body) == nil {
			s.line("✗", "", body.Error)
		}
	}
}

// result shows what a tool has told the model.
func (s *screen) result(e *journal.Entry) {
	var body journal.StepBody
	if json.Unmarshal(e.Body, &body) != nil {
		return
	}
	var text string
	if body.Error != "" {
		text = "failed: " + body.Error
	} else if json.Unmarshal(e.Value, &text) != nil {
		text = string(e.Value)
	}
	s.line("←", body.Name, text)
}

// said shows what a model has said: each such line is a call that was recorded, and is not made again.
func (s *screen) said(ev *fermata.Event) {
	who := "model"
	_, op, _ := strings.Cut(ev.OpID(), "/")
	if name, _, _ := strings.Cut(strings.TrimPrefix(op, "reason:"), "#"); name != "reason" {
		who = name
	}
	var body journal.StepBody
	if json.Unmarshal(ev.Entry.Body, &body) == nil && body.Error != "" {
		s.line("✗", who, body.Error)
		return
	}
	var reply model.Response
	if json.Unmarshal(ev.Entry.Value, &reply) != nil {
		return
	}
	for _, c := range reply.Calls() {
		s.line("✓", who, "calls "+c.Name+" "+string(c.Arguments))
	}
	if text := reply.Text(); text != "" && s.draw == nil { // a form shows itself
		s.line("✓", who, text)
	}
}

// data shows a value that is streamed: drawn anew on a terminal, or what each patch says.
func (s *screen) data(ev *fermata.Event) {
	body, err := ev.Data()
	var shown struct {
		Mode  string          `json:"mode"`
		Patch patch.Patch     `json:"patch"`
		Data  json.RawMessage `json:"data"`
	}
	if err != nil || json.Unmarshal(body, &shown) != nil {
		return
	}
	switch shown.Mode {
	case node.DataPatch:
		if s.form == nil || shown.Patch[0].Path == "" && shown.Patch[0].Op == patch.Add {
			s.form = patch.New()
		}
		if err := s.form.Apply(shown.Patch); err != nil {
			s.line("!", "", err.Error())
			return
		}
		if s.live {
			s.redraw(s.form.JSON(), "╰ …")
			return
		}
		ops := make([]string, len(shown.Patch))
		for i, op := range shown.Patch {
			ops[i] = strings.TrimSpace(op.Op + " " + op.Path + " " + string(op.Value))
		}
		s.line("·", "patch", strings.Join(ops, "; "))
	case node.DataFinal:
		s.redraw(shown.Data, "╰ final")
		s.form, s.drawn = nil, 0
	}
}

// redraw draws a value over what was drawn of it before. A line that wraps would be two to draw over, so a terminal is
// told to cut them off meanwhile.
func (s *screen) redraw(value json.RawMessage, foot string) {
	if s.drawn > 0 {
		_, _ = fmt.Fprintf(s.out, "\x1b[%dA\x1b[J", s.drawn)
	}
	if s.live {
		_, _ = fmt.Fprint(s.out, "\x1b[?7l")
		defer func() { _, _ = fmt.Fprint(s.out, "\x1b[?7h") }()
	}
	lines := append(append([]string{"╭"}, s.draw(value)...), foot)
	for _, line := range lines {
		if utf8.RuneCountInString(line) > width-24 {
			line = string([]rune(line)[:width-25]) + "…"
		}
		s.say("  %s", strings.TrimRight(line, " "))
	}
	if s.drawn = 0; s.live {
		s.drawn = len(lines)
	}
}

// question shows a question, and how it is answered.
func (s *screen) question(q *fermata.Interrupt) {
	s.say("")
	var asked Question
	var tool node.ApprovalRequest
	switch {
	case q.Kind == node.KindApproval && json.Unmarshal(q.Request, &tool) == nil:
		s.say("  ╭ %s\n  │ %s %s\n  ╰ yes; no, and why; or other arguments, as {…}. Ctrl-D leaves it open.", q.Prompt, tool.Tool, tool.Arguments)
	case json.Unmarshal(q.Request, &asked) == nil:
		s.say("  ╭ %s", asked.Question)
		for i, choice := range asked.Choices {
			s.say("  │ %d %s", i+1, choice)
		}
		s.say("  ╰ A number, or anything else. Ctrl-D leaves it open.")
	default:
		s.say("  ╭ %s\n  ╰ Ctrl-D leaves it open.", q.Prompt)
	}
}

// sample is an answer to q, to be changed by whoever gives it.
func sample(q *fermata.Interrupt) string {
	answer := reading(q, "1")
	switch {
	case q.Kind == node.KindApproval:
		answer = node.Verdict{Action: node.Approve}
	case answer == "1": // a text, and no choice
		answer = "…"
	}
	data, _ := json.Marshal(answer) //nolint:errchkjson // texts always encode
	return string(data)
}

// later says how a question that is left open is answered.
func (s *screen) later(q *fermata.Interrupt, store string) {
	s.say("  %s waits. Here, or in another terminal:", q.Run)
	s.say("  go run ./examples/reason resume --id %s --store %s", q.Run, store)
	s.say("  fermata tasks answer %s --value '%s' --store %s   # and then resume", q.ID, sample(q), store)
}

// elsewhere says how a question is answered over HTTP.
func (s *screen) elsewhere(q *fermata.Interrupt) {
	s.say("\n  curl %s/interrupts/%s/answer -d '{\"value\":%s}'\n", s.at, q.ID, sample(q))
}

// end shows how a run ended, and how often it has asked a model.
func (s *screen) end(res *fermata.Result, p *part) int {
	if code := codeOf(res.Status); code != exitDone {
		s.say("\n  %s: %v", res.Status, res.Err)
		return code
	}
	s.say("\n  %s", strings.ReplaceAll(p.end(res.Output), "\n", "\n  "))
	s.say("\n  completed; calls of the model: %d", res.Usage.Calls)
	return exitDone
}
