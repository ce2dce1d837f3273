package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/progress"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
)

// sendFlags are the flags of `runs send`.
type sendFlags struct {
	id, as  string
	wait    bool
	timeout time.Duration
	asJSON  bool
}

// sentLine is a message in `runs send --json`.
type sentLine struct {
	Type    string          `json:"type"` // sent, or replied
	Run     string          `json:"run"`
	Message string          `json:"message"` // its name
	ID      string          `json:"id,omitempty"`
	Already bool            `json:"already,omitempty"` // the run has had a message with this id: this one has no effect
	Reply   json.RawMessage `json:"reply,omitempty"`
}

func (m *Main) runsSendCommand() *cobra.Command {
	var f sendFlags
	c := &cobra.Command{
		Use:   "send RUN NAME [JSON|@FILE|-]",
		Short: "Send a message to a run, and wait for its reply if you like",
		Long: "Send a message to a run. It is stored, and the code of the run takes it when it asks for one of its NAME. " +
			"Without a value the message is null. A second message with the same --id has no effect.",
		Example: `fermata runs send order-7 payments '{"amount": 60}' --id evt_1
fermata runs send order-7 add 5 --wait --timeout 30s`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("expected RUN, the id of a run or the beginning of it, and NAME, the name of the message")
			}
			return moreThan(3, args)
		},
		ValidArgsFunction: m.completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			if f.timeout != 0 && !f.wait {
				return usagef("--timeout needs --wait")
			}
			value := json.RawMessage("null")
			if len(args) == 3 {
				var err error
				if value, err = m.messageValue(args[2]); err != nil {
					return err
				}
			}
			return m.withRun(c.Context(), args[0], func(ctx context.Context, h *house, info fermata.RunInfo) error {
				return m.send(ctx, h, &info, args[1], value, &f)
			})
		},
	}
	c.Flags().StringVar(&f.id, "id", "", "the sender's `id` of the message: a second one with it has no effect")
	c.Flags().StringVar(&f.as, "as", m.user(), "who sends it, for the record: a `name`")
	c.Flags().BoolVar(&f.wait, "wait", false, "wait for the reply, and print it")
	c.Flags().DurationVar(&f.timeout, "timeout", 0, "with --wait, for how long: a `duration` such as 30s; 0 for ever")
	c.Flags().BoolVar(&f.asJSON, "json", false, "write one line of JSON")
	return c
}

// messageValue reads the value of a message: JSON, @FILE, or - for stdin.
func (m *Main) messageValue(text string) (json.RawMessage, error) {
	data, where := []byte(text), "the message"
	if name, isFile := strings.CutPrefix(text, "@"); isFile || text == "-" {
		if where = name; text == "-" {
			name, where = "-", "stdin"
		}
		var err error
		if data, err = m.readFile(name); err != nil {
			return nil, err
		}
	}
	var value json.RawMessage
	err := json.Unmarshal(data, &value)
	if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
		before := data[:min(max(wrong.Offset-1, 0), int64(len(data)))]
		line := bytes.Count(before, []byte("\n")) + 1
		return nil, invalidf("%s:%d:%d: expected JSON: %s; a text needs quotes: '\"text\"'",
			where, line, len(before)-bytes.LastIndexByte(before, '\n'), wrong)
	}
	return bytes.TrimSpace(value), err
}

// send sends a message and says who goes on.
func (m *Main) send(ctx context.Context, h *house, info *fermata.RunInfo, name string, value json.RawMessage, f *sendFlags) error {
	opts := []fermata.SendOption{fermata.SentBy(f.as)}
	if f.id != "" {
		opts = append(opts, fermata.MessageID(f.id))
	}
	line := sentLine{Type: "sent", Run: info.ID, Message: name, ID: f.id}
	var err error
	if line.Already, err = h.sentBefore(ctx, info.ID, f.id); err != nil {
		return err
	}
	if !line.Already && !info.Ended() {
		m.warnUntaken(ctx, h, info, name)
	}
	if !f.wait {
		if err := h.Send(ctx, info.ID, name, value, opts...); err != nil {
			return m.explainSend(info, err)
		}
		if f.asJSON {
			m.writeLine(line)
			return nil
		}
		if !m.global.quiet {
			if line.Already {
				m.err.Println("sent already: " + info.ID + " has had a message with the id " + term.OneLine(f.id) + ", and this one has no effect")
				return nil
			}
			m.err.Println("sent " + term.OneLine(name) + " to " + info.ID)
			m.whoGoesOn(info)
		}
		return nil
	}
	if f.timeout > 0 {
		opts = append(opts, fermata.ReplyWithin(f.timeout))
	}
	if err := h.Call(ctx, info.ID, name, value, &line.Reply, opts...); err != nil {
		return m.explainSend(info, err)
	}
	if line.Type = "replied"; f.asJSON {
		m.writeLine(line)
		return nil
	}
	m.out.Println(term.Flat(string(line.Reply)))
	return nil
}

// whoGoesOn says how a run comes to take a message.
func (m *Main) whoGoesOn(info *fermata.RunInfo) {
	switch {
	case fermata.Status(info.Status) == fermata.Running && info.Driver != "":
	case resumable(info):
		m.hints(hintTo("resume the run", "resume", idFor(m.err, info.ID, nil)))
	default:
		m.err.Println("the message is stored: " + goesOnElsewhere(info))
	}
}

// explainSend adds to an error what the sender can do about it.
func (m *Main) explainSend(info *fermata.RunInfo, err error) error {
	door, ok := errors.AsType[*fermata.Error](err)
	if !ok {
		return err
	}
	if _, late := errors.AsType[*fermata.LateError](err); late {
		return m.adviseLate(info.ID, err)
	}
	show := m.command("runs", "show", info.ID)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &withAdvice{err, "the message is stored; how the run stands: " + show}
	case door.Code == fermata.CodeConflict, door.Code == fermata.CodeInvalid:
		return &withAdvice{err, "to see its state: " + show}
	}
	return err
}

// awaitedMessage is a call that waits for a message, in `runs show --json`.
type awaitedMessage struct {
	Message string     `json:"message"` // its name
	Task    string     `json:"task"`
	Until   *time.Time `json:"until,omitempty"`
}

func awaitedOf(tree *progress.Tree) (list []awaitedMessage) {
	for _, c := range tree.Awaits() {
		a := awaitedMessage{Message: c.Name, Task: c.Task()}
		if c.Due != 0 {
			due := time.UnixMicro(c.Due).UTC()
			a.Until = &due
		}
		list = append(list, a)
	}
	return list
}

// showAwaited shows which messages a run waits for, and how to send them.
func (m *Main) showAwaited(tree *progress.Tree, run string) {
	s, styles := m.out, m.out.Styles()
	for _, c := range tree.Awaits() {
		s.Println("", styles.Strong.Apply(term.Line(nodeOf(c.Task())))+"  "+term.OneLine(progress.AwaitsMessage(&c, m.Now())))
		s.Println(styles.Code.Apply(m.command("runs", "send", idFor(s, run, nil), c.Name, "JSON")))
	}
}
