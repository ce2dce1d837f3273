package dialogue

import (
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
	"github.com/fermata-go/fermata/node"
)

// A conversation begins in one language, which its definition says, and may change it: its user asks for another one, or a
// program says so with a message. The plans of all languages have the same nodes, so that the plan stays, and each node acts
// in the language that the state says. Slots, flows and what was said stay as they are; what stands is asked again.

// origin is the dialogue of which this one is a translation, or itself.
func (d *Dialogue) origin() *Dialogue {
	if d.base != nil {
		return d.base
	}
	return d
}

// family is the dialogue in each of its languages, its own first.
func (d *Dialogue) family() []*Dialogue {
	base := d.origin()
	all := make([]*Dialogue, 0, 1+len(base.translations))
	all = append(all, base)
	for _, tag := range keysOf(base.translations) {
		all = append(all, base.translations[tag])
	}
	return all
}

// several reports whether the dialogue has more than one language.
func (d *Dialogue) several() bool { return len(d.origin().translations) > 0 }

// tagged is the dialogue in the language of a tag, or in one of the same language: "de" is as good as "de-AT". It is nil where
// there is none.
func (d *Dialogue) tagged(tag string) *Dialogue {
	all := d.family()
	for _, in := range all {
		if strings.EqualFold(in.settings.Language, tag) {
			return in
		}
	}
	for _, in := range all {
		if tag != "" && phrase.BaseOf(in.settings.Language) == phrase.BaseOf(tag) {
			return in
		}
	}
	return nil
}

// accepted is the dialogue in the first of some languages that it has, which are written as in a header Accept-Language; nil
// for none.
func (d *Dialogue) accepted(languages string) *Dialogue {
	for _, in := range d.family() {
		if in.settings.Language == languages {
			return in
		}
	}
	tags, _, err := language.ParseAcceptLanguage(languages)
	if err != nil {
		return nil
	}
	for _, tag := range tags {
		base, _ := tag.Base()
		for _, in := range d.family() {
			if of, _ := language.Make(in.settings.Language).Base(); of == base {
				return in
			}
		}
	}
	return nil
}

// speaking is the dialogue in the language of a conversation. One that a later version of the dialogue does not have any more
// is the language in which the conversation was begun.
func (d *Dialogue) speaking(s *State) *Dialogue {
	if s.Language == "" {
		return d
	}
	if in := d.tagged(s.Language); in != nil {
		return in
	}
	return d
}

// spoken is the flow in the language of a conversation.
func (f *flow) spoken(s *State) *flow {
	if in := f.dialogue.speaking(s).flows[f.Name]; in != nil {
		return in
	}
	return f
}

// speaks takes the language that a message brings. A message that brings nothing else asks for it.
func (d *Dialogue) speaks(ctx node.Context, s *State, m *Message) error {
	in := d.accepted(m.Language)
	if in != nil {
		s.Language = in.settings.Language
	} else if err := d.tell(ctx, s, "a message has the language %q; the dialogue is held in %s", m.Language, strings.Join(d.Languages(), ", ")); err != nil {
		return err
	}
	if m.Text != "" || len(m.Commands) > 0 || m.Done {
		return nil
	}
	m.Commands = []Command{{Type: Speak, Language: m.Language}}
	if in != nil {
		m.Commands[0].Language = in.settings.Language
	}
	return nil
}

// turns makes what follows in the language that commands ask for, where the dialogue has it. A handler of the program for such
// commands acts in place of this.
func (d *Dialogue) turns(ctx node.Context, s *State) {
	if d.services(ctx).Handlers[Speak] != nil || s.Human {
		return
	}
	for _, c := range s.Commands {
		if in := d.tagged(c.Language); c.Type == Speak && in != nil {
			s.Language = in.settings.Language
		}
	}
}

// aside acts on what changes nothing of what stands: a wish for another language, and the wish to hear a question again that no
// step asks. It reports whether there was nothing else in the message.
func (d *Dialogue) aside(ctx node.Context, s *State) (done bool, err error) {
	if len(s.Commands) == 1 && s.Commands[0].Type == Repeat && d.services(ctx).Handlers[Repeat] == nil && (s.Doubt != nil || len(s.Clarify) > 0) {
		s.Silences, s.Commands = 0, nil
		s.dropYes()
		return true, d.askAgain(ctx, s, false)
	}
	return d.speak(ctx, s)
}

// speak answers commands about the language, and takes them out of those that the message brings. It reports whether there was
// nothing else in it: then what stood is asked again.
func (d *Dialogue) speak(ctx node.Context, s *State) (done bool, err error) {
	isSpeak := func(c Command) bool { return c.Type == Speak }
	if !slices.ContainsFunc(s.Commands, isSpeak) || d.services(ctx).Handlers[Speak] != nil {
		return false, nil
	}
	name, frames := OnLanguages, s.Frames
	for _, c := range s.Commands {
		if isSpeak(c) && d.tagged(c.Language) == d {
			name = OnLanguage
		}
	}
	s.Commands = slices.DeleteFunc(s.Commands, isSpeak)
	var all []string
	for _, in := range d.family() {
		all = append(all, d.language.NameOf(in.settings.Language))
	}
	known := map[string]any{"language": d.language.NameOf(d.settings.Language), "languages": d.language.All(all)}
	if err := d.pattern(ctx, s, name, s.top(), known); err != nil || len(s.Commands) > 0 {
		return false, err
	}
	s.Misses, s.Silences, s.Commands = 0, 0, nil
	s.dropYes()
	return true, d.askAgain(ctx, s, s.Frames > frames)
}

// askAgain asks what stands once more. A step asks by itself when its flow goes on.
func (d *Dialogue) askAgain(ctx node.Context, s *State, begun bool) error {
	doubt, clarify := s.Doubt, s.Clarify
	s.Pending, s.Asked, s.Clarify, s.Doubt = nil, nil, nil, nil
	switch {
	case begun: // a flow comes first
	case doubt != nil:
		if p, ok := d.owner(s, "", doubt.Slot); ok {
			err := d.doubts(ctx, s, p, doubt.change())
			if s.Doubt != nil {
				s.Doubt.Then = doubt.Then
			}
			return err
		}
	case len(clarify) > 0:
		s.Misses-- // it is the question that was counted
		return d.clarify(ctx, s, clarify)
	case len(s.Stack) == 0 && d.askedForMore(s):
		s.Done = true
	}
	return nil
}

// askedForMore reports whether the user was asked last, in any language, whether there is more.
func (d *Dialogue) askedForMore(s *State) bool {
	for i, l := range slices.Backward(s.Lines) {
		if l.By == byBot && i < len(s.Lines)-s.Said {
			return slices.ContainsFunc(d.family(), func(in *Dialogue) bool { return in.locale.AsksMore(l.Text) })
		}
	}
	return false
}

// wished is what a message says about the language of the conversation, where it plainly says that and nothing else. What may
// be an answer, a trigger or a choice is none.
func (d *Dialogue) wished(t *Turn) []Command {
	w, ok := phrase.WishOf(languages, t.Text)
	if !ok {
		return nil
	}
	u := &utterance{phrases: d.phrases, locale: d.locale.Hearing(), Turn: t, text: t.Text, flow: activeOf(t)}
	if best := u.match(); len(best) > 0 && best[0].Score >= surely || u.answersWith(w) {
		return nil
	}
	if w.Asks { // whether the one that is named is spoken, the answer says
		w.Language = ""
	}
	return []Command{{Type: Speak, Language: w.Language, Source: FromPhrase}}
}

// mayWish reports whether a text may be a request for a language.
func (d *Dialogue) mayWish(text string) bool {
	_, ok := phrase.WishOf(languages, text)
	return ok && d.several()
}

// answersWith reports whether a request for a language may be something else where it is said: an answer to what was asked, or
// the value of a slot, or one of the things that the dialogue is about.
func (u *utterance) answersWith(w phrase.Wish) bool {
	if u.Pending != nil && slices.ContainsFunc(u.Pending.Options, func(o string) bool { return strings.EqualFold(o, strings.TrimSpace(u.text)) }) {
		return true
	}
	asked := u.asked()
	if u.asksText() && (w.Bare || u.dialogue.ownValue(asked, u.text)) {
		return true
	}
	takes := func(sl *slot) bool {
		if sl == nil || sl.Type.kind().anyWords(sl.Slot) {
			return false
		}
		v, ok := u.read(sl, u.text)
		return ok && v.Reason == ""
	}
	if takes(asked) {
		return true
	}
	if !w.Bare {
		return false
	}
	if len(u.chosen())+len(u.chooses()) > 0 || slices.ContainsFunc(u.places(), takes) {
		return true
	}
	return slices.ContainsFunc(u.dialogue.order, func(f *flow) bool { return f.named() && u.vocab[f.Name][w.Name] })
}
