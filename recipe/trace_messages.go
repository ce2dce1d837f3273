package recipe

import (
	"cmp"
	"strings"

	"github.com/fermata-go/fermata/journal"
)

// awaits notes that a step takes a message.
func (b *traceBuilder) awaits(s *TraceStep, e *journal.Entry) error {
	body, err := bodyOf[journal.AwaitedBody](e)
	if err != nil {
		return err
	}
	between := ", "
	if b.prompted[s.ID] { // the prompt has a line of its own
		between = "\n"
	}
	delete(b.prompted, s.ID)
	s.Action = strings.TrimPrefix(s.Action+between+"receive "+body.Name, ", ")
	return nil
}

// replies notes how a step has answered a message.
func (s *TraceStep) replies(e *journal.Entry) error {
	body, err := bodyOf[journal.RepliedBody](e)
	if err != nil {
		return err
	}
	which := strings.TrimSpace("message " + body.ID)
	if body.Error != "" {
		s.observe("refused " + which + ": " + body.Error)
	} else {
		s.observe("replied to " + which + ": " + string(e.Value))
	}
	return nil
}

// takeMail notes the messages that steps have taken by an entry, with their ids and senders, and ends their waits.
func (b *traceBuilder) takeMail(e *journal.Entry) {
	for _, c := range b.mail.Apply(e).Taken {
		i, ok := b.open[c.Task()]
		if !ok {
			continue
		}
		text := strings.TrimSpace("message " + cmp.Or(c.Message.ID, c.Name))
		if c.Message.By != "" {
			text += " from " + c.Message.By
		}
		b.trace.Steps[i].observe(text)
		b.waited(i, e)
	}
}
