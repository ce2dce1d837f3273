package channels

import (
	"context"
	"slices"
	"time"

	"github.com/fermata-go/fermata/dialogue"
)

// The provider's word for the language of a user is a hint: a conversation begins in it, and follows it when it changes. A
// language that the user has asked for counts more, also in the user's later conversations.

const (
	longestHint = 100             // bytes of Message.Language
	longestAsk  = 3 * time.Second // that a Localizer may take
)

// tag is the dialogue's language that a hint means; "" where the dialogue has only one, or none that the hint names.
func (d *Driver) tag(hint string) string {
	own := d.o.Dialogue
	all := own.Languages()
	if hint == "" || len(all) < 2 {
		return ""
	}
	in := own.In(hint)
	if in != own.In(all[1]).In(hint) { // each stands in for what it does not have
		return ""
	}
	return in.Settings().Language
}

// begins is the language in which the conversation begins; "" for the dialogue's own.
func (s *session) begins(ctx context.Context, m *Message) string {
	if s.m.Tongue.Chosen {
		return s.m.Tongue.Language
	}
	if hint := s.d.tag(m.Language); hint != "" {
		return hint
	}
	asks, ok := s.ch.(Localizer)
	if !ok || len(s.d.o.Dialogue.Languages()) < 2 {
		return s.m.Tongue.Hint
	}
	hint, err := ask(ctx, asks, m)
	if err != nil {
		s.d.o.Logger.WarnContext(ctx, "the language of a user is not known", "mailbox", s.b.id, "error", err)
	}
	return s.d.tag(hint)
}

func ask(ctx context.Context, of Localizer, m *Message) (hint string, err error) {
	ctx, stop := context.WithTimeout(ctx, longestAsk)
	defer stop()
	defer panicked(&err)
	return of.Language(ctx, m)
}

// follows is the language that a message brings: the provider's word, where that has changed and nobody has changed the
// conversation's language otherwise.
func (s *session) follows(took *tongue) string {
	known := s.m.Tongue.Language == "" || s.m.Tongue.Language == s.state.Language
	if took.Language != "" || s.m.Tongue.Chosen || !known || took.Hint == s.m.Tongue.Hint || took.Hint == s.state.Language { // "" for one that has just begun
		return ""
	}
	return took.Hint
}

// heard is what a reply tells of the language. The user has asked for it where the conversation says so, or has changed it.
func (s *session) heard(took *tongue, followed string, r *dialogue.Reply) tongue {
	was := s.state.Language
	if took.Language != "" {
		was = took.Language
	}
	if followed != "" {
		was = followed
	}
	asked := slices.ContainsFunc(r.Said, func(said dialogue.Said) bool { return said.Pattern == dialogue.OnLanguage })
	return tongue{Language: r.Language, Chosen: r.Language != "" && (asked || was != "" && r.Language != was)}
}
