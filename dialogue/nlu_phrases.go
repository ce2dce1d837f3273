package dialogue

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
	"github.com/fermata-go/fermata/node"
)

// phrases is the NLU of dialogues without a model: it compares what is said with the triggers of flows, and reads values
// as people say them. It needs no key and no network, and understands equal turns alike.
type phrases struct {
	dialogue *Dialogue
	locale   phrase.Locale
	triggers *phrase.Matcher
	meant    []meaning                  // of the triggers, by their ids
	parts    map[string]*phrase.Matcher // of the triggers of a flow: "to {payee}"; said while it is active
}

// meaning is what a trigger stands for.
type meaning struct {
	flow string
	chat string // what is answered to small talk, where it is that
}

// How sure it has to be.
const (
	surely  = 0.9  // what it can be nothing else than
	likely  = 0.55 // for a trigger
	nearly  = 0.05 // how near two triggers are of which the user has to choose one
	certain = 0.7  // for a word that everybody says, such as stop
)

// newPhrases compiles what flows are begun by.
func (c *compiler) newPhrases() *phrases {
	d := c.d
	p := &phrases{dialogue: d, parts: make(map[string]*phrase.Matcher), locale: phrase.Locale{
		Language: languageOf(d.settings.Language), Zone: d.zone, Currency: d.settings.Currency, DayFirst: d.settings.DayFirst,
	}}
	if p.locale.Language == nil && d.settings.Model == "" && c.opts.NLU == nil {
		c.fault("settings.language", "phrases are understood in %s, not in %q; name a model for other languages",
			listed(languageTags()), d.settings.Language)
	}
	var all []phrase.Phrase
	var paths []string
	for _, f := range d.order {
		for i, text := range f.Trigger {
			all = append(all, phrase.Phrase{ID: len(p.meant), Text: text})
			paths = append(paths, "flows."+f.Name+".trigger"+bracket(i))
			p.meant = append(p.meant, meaning{flow: f.Name})
		}
	}
	for i, chat := range d.def.Chitchat {
		for j, text := range chat.Trigger {
			all = append(all, phrase.Phrase{ID: len(p.meant), Text: text})
			paths = append(paths, "chitchat"+bracket(i)+".trigger"+bracket(j))
			p.meant = append(p.meant, meaning{chat: chat.Message})
		}
	}
	slots := func(id int, name string) (phrase.Slot, bool) { return p.slot(p.meant[id].flow, name) }
	wrong := false
	for i, one := range all { // one by one: every mistake is told
		missing := ""
		known := func(id int, name string) (phrase.Slot, bool) {
			sl, ok := slots(id, name)
			if !ok {
				missing = name
			}
			return sl, ok
		}
		if _, err := phrase.Compile([]phrase.Phrase{one}, known, d.def.Synonyms, p.locale); err != nil {
			wrong = true
			c.phraseFault(paths[i], err, missing, p.meant[one.ID].flow)
		}
	}
	if wrong {
		return p
	}
	var err error
	if p.triggers, err = phrase.Compile(all, slots, d.def.Synonyms, p.locale); err != nil {
		c.phraseFault("flows", err, "", "")
	}
	for _, f := range d.order {
		p.parts[f.Name] = p.partsOf(f)
	}
	return p
}

// phraseFault reports what is wrong with a trigger; missing is a slot that it names and the flow does not have.
func (c *compiler) phraseFault(path string, err error, missing, flow string) {
	if pe, ok := errors.AsType[*phrase.Error](err); ok {
		reason := pe.Reason
		if missing != "" {
			known := keysOf(c.d.slots)
			if f := c.d.flows[flow]; f != nil {
				known = append(keysOf(f.slots), known...)
			}
			reason = fmt.Sprintf("there is no slot %q%s", missing, hintOr(missing, known))
		}
		c.report(path, len([]rune(pe.Phrase[:min(pe.Offset, len(pe.Phrase))])), reason)
		return
	}
	c.fault(path, "%v", err)
}

// slot is a slot as phrases know it.
func (p *phrases) slot(flow, name string) (phrase.Slot, bool) {
	sl, ok := p.dialogue.Slot(flow, name)
	if !ok {
		return phrase.Slot{}, false
	}
	return spoken(sl), true
}

func spoken(sl Slot) phrase.Slot {
	s := sl.Type.kind().spoken(sl)
	s.Names = []string{strings.ReplaceAll(sl.Name, "_", " ")}
	if sl.Description != "" {
		s.Names = append(s.Names, sl.Description)
	}
	return s
}

// pieces are the words and placeholders of a trigger.
var pieces = regexp.MustCompile(`\{[^{}]*\}|[^{}\s]+`)

// partsOf are the ends of a flow's triggers that hold a placeholder and a word: people say them to add something.
func (p *phrases) partsOf(f *flow) *phrase.Matcher {
	var all []phrase.Phrase
	for _, text := range f.Trigger {
		if strings.ContainsAny(text, "[(|") {
			continue
		}
		list := pieces.FindAllString(text, -1)
		for i := 1; i < len(list); i++ {
			part := strings.Join(list[i:], " ")
			words := strings.Join(strings.Fields(regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(part, "")), "")
			if strings.Contains(part, "{") && words != "" && !slices.ContainsFunc(all, func(o phrase.Phrase) bool { return o.Text == part }) {
				all = append(all, phrase.Phrase{ID: len(all), Text: part})
			}
		}
	}
	m, err := phrase.Compile(all, func(_ int, name string) (phrase.Slot, bool) { return p.slot(f.Name, name) }, p.dialogue.def.Synonyms, p.locale)
	if err != nil {
		return nil // an end of a phrase need not be a phrase
	}
	return m
}

// Understand is the NLU.
func (p *phrases) Understand(_ node.Context, t *Turn) ([]Command, error) { return p.understand(t) }

func (p *phrases) understand(t *Turn) ([]Command, error) {
	if strings.TrimSpace(t.Text) == "" {
		return nil, nil
	}
	u := &utterance{phrases: p, Turn: t, text: t.Text}
	if p.triggers != nil {
		u.matches = p.triggers.Match(t.Text, t.Now)
	}
	if len(t.Active) > 0 {
		u.flow = t.Active[0]
	}
	for _, try := range []func() []Command{u.chosen, u.verdict, u.exactly, u.common, u.begun, u.added, u.answered, u.corrected} {
		if found := try(); len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}

// utterance is a message that is being understood.
type utterance struct {
	*phrases
	*Turn
	text    string
	flow    string // the active one, "" for none
	matches []phrase.Match
}

// chosen is one of the flows that the user was asked to choose from.
func (u *utterance) chosen() []Command {
	if len(u.Clarify) == 0 {
		return nil
	}
	s := phrase.Slot{Kind: phrase.Single}
	for _, name := range u.Clarify {
		if f := u.dialogue.flows[name]; f != nil {
			s.Choices = append(s.Choices, phrase.Choice{Value: name, Synonyms: []string{f.title()}})
		}
	}
	v, ok := u.locale.Read(s, u.text, u.Now)
	if name, isText := v.Value.(string); ok && isText && v.Reason == "" {
		return []Command{{Type: StartFlow, Flow: name, Confidence: v.Score}}
	}
	return nil
}

// exactly is a trigger that it can be nothing else than.
func (u *utterance) exactly() []Command {
	if len(u.matches) == 0 || u.matches[0].Score < surely {
		return nil
	}
	return u.begin()
}

// begun is a trigger that it may be, where no text was asked for.
func (u *utterance) begun() []Command {
	if len(u.matches) == 0 || u.matches[0].Score < likely || u.asksText() {
		return nil
	}
	return u.begin()
}

// asksText reports whether any words are an answer.
func (u *utterance) asksText() bool {
	if u.Pending == nil || !u.Pending.IsCollect() {
		return false
	}
	sl, ok := u.dialogue.Slot(u.flow, u.Pending.Slot)
	return ok && sl.Type.kind().anyWords(sl)
}

// begin is the flow of the best trigger and what was said with it, or a question where several are as good.
func (u *utterance) begin() []Command {
	best := u.matches[0]
	meant := u.meant[best.ID]
	if meant.flow == "" {
		return []Command{{Type: Chitchat, Text: meant.chat, Confidence: best.Score}}
	}
	if u.dialogue.flows[meant.flow].Hidden && u.flow != meant.flow {
		return nil
	}
	options := []string{meant.flow}
	for _, m := range u.matches[1:] {
		flow := u.meant[m.ID].flow
		if flow != "" && m.Score >= best.Score-nearly && len(m.Values) >= len(best.Values) && !slices.Contains(options, flow) {
			options = append(options, flow)
		}
	}
	if len(options) > 1 && !slices.Contains(options, u.flow) {
		return []Command{{Type: Clarify, Options: options}}
	}
	var all []Command
	if u.flow != meant.flow {
		all = append(all, Command{Type: StartFlow, Flow: meant.flow, Confidence: best.Score})
	}
	in := *u
	if in.flow != meant.flow {
		in.flow, in.Turn = meant.flow, &Turn{Dialogue: u.dialogue, Now: u.Now, Filled: map[string]any{}}
	}
	return append(all, in.with(best.Values, best.Phrase)...)
}

// with are the commands for the values of a phrase, and for others that were said with them. Words of the phrase are none.
func (u *utterance) with(values map[string]phrase.Value, of string) []Command {
	known := *u.Turn
	known.Filled = maps.Clone(u.Filled)
	in := &utterance{phrases: u.phrases, Turn: &known, text: u.text, flow: u.flow}
	if known.Filled == nil {
		known.Filled = make(map[string]any)
	}
	for name, v := range values {
		known.Filled[name] = v.Value
	}
	var all, more []found
	for _, name := range keysOf(values) {
		v := values[name]
		if text, ok := v.Value.(string); ok && v.Reason == "" {
			sl, _ := u.dialogue.Slot(u.flow, name)
			if v = in.likelier(sl, v, text); sl.traits().words {
				rest, others := in.peeled(name, text)
				v.Value, more = rest, append(more, others...)
			}
		}
		all = append(all, found{v, name})
	}
	for _, v := range in.beside("", without(u.text, all)) {
		if _, taken := values[v.slot]; !taken && v.Score >= surely && !strings.Contains(strings.ToLower(of), strings.ToLower(v.Text)) {
			more = append(more, v)
		}
	}
	var sets []Command
	for _, v := range append(all, more...) {
		sets = append(sets, v.command())
	}
	return sets
}

// common is what people say in any conversation.
func (u *utterance) common() []Command {
	said, ok := u.locale.Common(u.text)
	if !ok || (said.Command == phrase.Skip || said.Command == phrase.Chitchat) && u.isValue() || len(u.matches) > 0 && u.matches[0].Score > said.Score {
		return nil
	}
	if u.asksText() && said.Score < surely {
		return nil
	}
	sure := Command{Confidence: said.Score}
	switch said.Command {
	case phrase.Cancel:
		sure.Type = CancelFlow
	case phrase.Repeat:
		sure.Type = Repeat
	case phrase.Skip:
		sure.Type = Skip
		if u.Pending == nil || !u.Pending.IsCollect() {
			return nil
		}
	case phrase.Handoff:
		sure.Type = Handoff
	case phrase.Chitchat:
		sure.Type = Chitchat
	case phrase.Clear:
		sure.Type, sure.Slot = ClearSlot, u.named(said.About)
		if sure.Slot == "" {
			return nil
		}
	case phrase.Correct:
		return u.correction(said)
	case phrase.Wrong:
		return u.wrong(u.named(said.About))
	default:
		return nil
	}
	if (said.Command == phrase.Skip || said.Command == phrase.Repeat) && said.Score < certain {
		return nil // "anything but that", "what does it cost"
	}
	return []Command{sure}
}

// isValue reports whether all that was said is a value of what was asked, which is no text: "next tuesday" skips nothing.
func (u *utterance) isValue() bool {
	if u.Pending == nil || !u.Pending.IsCollect() || u.asksText() {
		return false
	}
	sl, ok := u.dialogue.Slot(u.flow, u.Pending.Slot)
	if !ok {
		return false
	}
	_, ok = u.read(sl, u.text)
	return ok
}

// added is something more about the active flow: "to Ada".
func (u *utterance) added() []Command {
	m := u.parts[u.flow]
	if m == nil {
		return nil
	}
	found := m.Match(u.text, u.Now)
	if len(found) == 0 || len(found[0].Values) == 0 || found[0].Score < certain {
		return nil
	}
	if u.asksText() && len(found[0].Values) == 1 && found[0].Values[u.Pending.Slot].Value == nil && found[0].Score < surely {
		return nil
	}
	if sl, ok := u.asked(); ok && sl.Type.family() == numbers && u.someNumber(found[0]) { // "50 to 60"
		return nil
	} else if v, read := u.read(sl, u.text); ok && read && !u.asksText() && v.Reason == "" && v.Score >= whole && found[0].Values[sl.Name].Value == nil {
		return nil // it is the answer
	}
	return u.with(found[0].Values, found[0].Phrase)
}

// said reads a value in words for a slot. reason says why it is none.
func (d *Dialogue) said(sl *slot, text string, now time.Time) (value any, reason string, ok bool) {
	v, ok := d.localeOf(sl.Slot).Read(spoken(sl.Slot), text, now)
	return v.Value, v.Reason, ok && v.Reason == ""
}
