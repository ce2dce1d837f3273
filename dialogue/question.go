package dialogue

import (
	"slices"

	"github.com/fermata-go/fermata/node"
)

// ask says the pending question, with a name.
func (d *Dialogue) ask(ctx node.Context, s *State) error {
	s.name()
	return say(ctx, s, *s.Pending, byBot)
}

// name gives the pending question an id that says what it asks, and of which visit of which flow: an answer counts for a
// question of the same id alone.
func (s *State) name() {
	by, p := s.Asked, s.Pending
	if by == nil {
		by = &asked{}
	}
	p.ID = "q_" + sum([]any{by.Frame, by.Step, by.Sum, p.Type, p.Prompt, p.Slot, p.Options})
}

// isOld reports whether a message answers another question than the one that stands. Clients that do not say which
// question they answer, and questions that an earlier version has asked, are taken to fit.
func (s *State) isOld(m *Message) bool {
	return m.Question != "" && (s.Pending == nil || s.Pending.ID != "" && s.Pending.ID != m.Question)
}

// independent leaves of commands those that mean the same whatever is asked: nothing of them answers a question.
func independent(commands []Command) []Command {
	begun := ""
	return slices.DeleteFunc(slices.Clone(commands), func(c Command) bool {
		switch c.Type {
		case StartFlow:
			begun = c.Flow
			return false
		case SetSlot, CorrectSlot:
			return begun == "" || c.Flow != "" && c.Flow != begun
		case Handoff, Help, Repeat, Pause, Chitchat:
			return false
		}
		return true
	})
}
