package dialogue

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/node"
)

// NewPhraseNLU returns an NLU that compares messages with the triggers of flows, without a model. Dialogues that name none
// use it. An NLU of a program may ask it about what it has not understood itself.
func NewPhraseNLU() NLU { return phraseNLU{} }

type phraseNLU struct{}

// Understand is the NLU.
func (phraseNLU) Understand(_ node.Context, t *Turn) ([]Command, error) {
	return t.Dialogue.phrases.understand(t)
}

// phrases understands the messages of a dialogue: it compares what is said with the triggers of flows, and reads values as
// people say them. It needs no key and no network, and understands equal turns alike.
type phrases struct {
	dialogue *Dialogue
	locale   phrase.Locale
	triggers *phrase.Matcher
	meant    []meaning                          // of the triggers, by their ids
	parts    map[string]*phrase.Matcher         // of the triggers of a flow: "to {payee}"; said while it is active
	vocab    map[string]map[string]bool         // the words that each flow is called by
	called   map[string][]string                // the same, in order
	signs    map[string]map[string]phrase.Signs // by flow and slot: the words beside its placeholder in triggers
	ranker   *flowRanker                        // for what is no trigger
	embedded sync.Map                           // by *Services, the *embedded vectors of its embedder
	guarded  guardedRankers                     // the same, where some flows cannot be begun
}

// guardedRankers keeps the rankers for the sets of flows that could not be begun so far.
type guardedRankers struct {
	mu     sync.Mutex
	byShut map[string]*flowRanker // by the names of the flows that are left out
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
	p := &phrases{dialogue: d, parts: make(map[string]*phrase.Matcher), vocab: make(map[string]map[string]bool), called: make(map[string][]string), signs: make(map[string]map[string]phrase.Signs), locale: phrase.Locale{
		Language: languageOf(d.settings.Language), Zone: d.zone, Currency: d.settings.Currency, DayFirst: d.settings.DayFirst, Calendars: d.settings.Holidays,
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
			paths = append(paths, document.Index("flows."+f.Name+".trigger", i))
			p.meant = append(p.meant, meaning{flow: f.Name})
		}
	}
	for i, chat := range d.def.Chitchat {
		for j, text := range chat.Trigger {
			all = append(all, phrase.Phrase{ID: len(p.meant), Text: text})
			paths = append(paths, document.Index(document.Index("chitchat", i)+".trigger", j))
			p.meant = append(p.meant, meaning{chat: chat.Message})
		}
	}
	missing := make(map[int]string) // by the ids of triggers: a slot that one names and its flow does not have
	slots := func(id int, name string) (phrase.Slot, bool) {
		sl, ok := p.slot(p.meant[id].flow, name)
		if !ok {
			missing[id] = name
		}
		return sl, ok
	}
	var err error
	if p.triggers, err = phrase.Compile(all, slots, d.def.Synonyms, p.locale); err != nil {
		several, _ := err.(interface{ Unwrap() []error })
		for _, one := range several.Unwrap() {
			if wrong, ok := errors.AsType[*phrase.Error](one); ok {
				c.phraseFault(paths[wrong.ID], wrong, missing[wrong.ID], p.meant[wrong.ID].flow)
			}
		}
		return p
	}
	for _, f := range d.order {
		p.parts[f.Name], p.vocab[f.Name] = p.partsOf(f), p.vocabulary(f)
		p.called[f.Name] = keysOf(p.vocab[f.Name])
		p.signs[f.Name] = p.triggers.Signs(func(id int) bool { return p.meant[id].flow == f.Name })
	}
	p.ranker = d.newFlowRanker(p.locale, nil)
	return p
}

// phraseFault reports what is wrong with a trigger; missing is a slot that it names and the flow does not have.
func (c *compiler) phraseFault(path string, wrong *phrase.Error, missing, flow string) {
	reason := wrong.Reason
	if missing != "" {
		known := keysOf(c.d.slots)
		if f := c.d.flows[flow]; f != nil {
			known = append(keysOf(f.slots), known...)
		}
		reason = fmt.Sprintf("there is no slot %q%s", missing, hintOr(missing, known))
	}
	c.report(path, len([]rune(wrong.Phrase[:min(wrong.Offset, len(wrong.Phrase))])), reason)
}

// slot is a slot as phrases know it.
func (p *phrases) slot(flow, name string) (phrase.Slot, bool) {
	sl := p.dialogue.slotOf(p.dialogue.flows[flow], name)
	if sl == nil {
		return phrase.Slot{}, false
	}
	return spoken(sl), true
}

func spoken(sl *slot) phrase.Slot {
	s := sl.Type.kind().spoken(sl.Slot)
	s.Names = []string{strings.ReplaceAll(sl.name, "_", " ")}
	if sl.Description != "" {
		s.Names = append(s.Names, sl.Description)
	}
	return s
}

// pieces are the words and placeholders of a trigger.
var pieces = regexp.MustCompile(`\{[^{}]*\}|[^{}\s]+`)

var placeholders = regexp.MustCompile(`\{[^}]*\}`)

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
			words := strings.Join(strings.Fields(placeholders.ReplaceAllString(part, "")), "")
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

func (p *phrases) understand(t *Turn) ([]Command, error) {
	if strings.TrimSpace(t.Text) == "" {
		return nil, nil
	}
	if t.Pending != nil && t.Pending.IsConfirm() && t.Pending.Slot != "" {
		return p.doubted(t)
	}
	u := &utterance{phrases: p, locale: p.locale.Hearing(), Turn: t, text: t.Text}
	if len(t.Active) > 0 {
		u.flow = t.Active[0]
	}
	const long = 1000 // bytes, of which nobody says one thing after another plainly
	in, turned := u.opened()
	u.turned, in.turned = turned, turned
	if u.again() {
		return nil, nil
	}
	if all, done, err := u.refusing(); done {
		return all, err
	}
	tries := []func() []Command{u.chosen, u.deeds, u.offered, u.told, u.pauses, u.pointed, u.either, u.secondThoughts, u.answersAndTells, u.together, u.wanted, u.takesOut, u.verdict, in.stopped, in.several, u.headed, u.exactly, in.exactly, in.asks, in.routed, in.judged, in.calledByName, in.common, in.begun, in.added, in.tail, u.putsRight, u.common, u.opensText, in.answered, in.corrected, u.begunInPart}
	if in == u {
		tries = []func() []Command{u.chosen, u.deeds, u.offered, u.told, u.pauses, u.pointed, u.either, u.secondThoughts, u.answersAndTells, u.together, u.wanted, u.takesOut, u.verdict, u.stopped, u.several, u.headed, u.exactly, u.asks, u.routed, u.judged, u.calledByName, u.common, u.begun, u.added, u.tail, u.answered, u.corrected, u.begunInPart}
	}
	if len(u.text) > long {
		tries = []func() []Command{u.chosen, u.deeds, u.offered, u.told, u.pauses, u.pointed, u.verdict, u.exactly, u.common, u.begun, u.added, u.answered, u.corrected}
	}
	for _, try := range tries {
		if found := try(); len(found) > 0 {
			if u.isLoose(found) {
				if guess := u.guessed(); len(guess) > 0 {
					return guess, nil
				}
			}
			if leaves(found) {
				if plain := u.clause(); len(plain) > 0 {
					return u.unambiguous(plain), nil
				}
			}
			return u.unambiguous(found), nil
		}
		if u.unheard {
			return nil, nil
		}
	}
	return u.unambiguous(u.guessed()), nil
}

// again reports whether a message at a question for a yes asks for more of what is going on: "yes, and book another one on
// Friday". Its values are not those of the question.
func (u *utterance) again() bool {
	if !u.Pending.confirms() || !u.locale.AsksMore(u.text) || !u.locale.Affirms(u.text) {
		return false
	}
	return slices.ContainsFunc(u.locale.Content(u.text), func(w string) bool { return u.vocab[u.flow][w] && !u.locale.AsksMore(w) })
}

// utterance is a message that is being understood.
type utterance struct {
	*phrases
	*Turn
	locale  phrase.Locale // of the phrases, which hears the message once
	text    string
	flow    string // the active one, "" for none
	turned  bool   // it was begun with words that put something right
	matches []phrase.Match
	matched bool // matches is filled in
	unheard bool // it is a no with more behind it, which nothing understands
}

// match are the triggers that it may be, the best first.
func (u *utterance) match() []phrase.Match {
	if !u.matched {
		if u.matched = true; u.triggers != nil {
			u.matches = u.triggers.Match(u.text, u.Now)
		}
	}
	return u.matches
}

// exactly is a trigger that it can be nothing else than.
func (u *utterance) exactly() []Command {
	if len(u.match()) == 0 || u.match()[0].Score < surely {
		return nil
	}
	return u.begin()
}

// begun is a trigger that it may be, where no text was asked for.
func (u *utterance) begun() []Command {
	if len(u.match()) == 0 || u.match()[0].Score < likely || u.asksText() {
		return nil
	}
	return u.checked(u.begin())
}

// asksText reports whether any words are an answer.
func (u *utterance) asksText() bool {
	sl := u.asked()
	return sl != nil && sl.Type.kind().anyWords(sl.Slot)
}

// begin is the flow of the best trigger and what was said with it, or a question where several are as good.
func (u *utterance) begin() []Command {
	best := u.match()[0]
	meant := u.meant[best.ID]
	if meant.flow == "" {
		return []Command{{Type: Chitchat, Text: meant.chat, Confidence: best.Score}}
	}
	if u.dialogue.flows[meant.flow].Hidden && u.flow != meant.flow || u.negates(best, meant.flow) {
		return nil
	}
	options := []string{meant.flow}
	for _, m := range u.match()[1:] {
		flow := u.meant[m.ID].flow
		if flow != "" && m.Score >= best.Score-nearly && len(m.Values) >= len(best.Values) && !slices.Contains(options, flow) {
			options = append(options, flow)
		}
	}
	if slices.Contains(u.Shut, meant.flow) && u.flow != meant.flow { // it is refused by name
		return []Command{{Type: StartFlow, Flow: meant.flow, Confidence: best.Score}}
	}
	options = slices.DeleteFunc(options, func(name string) bool { return slices.Contains(u.Shut, name) })
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
	return append(all, in.withOwn(in.with(best.Values, best.Phrase))...)
}

// withOwn adds to values the first word that only a slot's own check takes: "cancel my booking C2409".
func (u *utterance) withOwn(values []Command) []Command {
	const most = 150 // bytes
	for _, sl := range u.places() {
		if sl.validate == nil || !sl.inWords() || len(u.text) > most || setsSlot(values, sl.name) {
			continue
		}
		for word := range strings.FieldsSeq(u.text) {
			if word = strings.Trim(word, marksAround+"?)"); strings.ContainsAny(word, "0123456789") && u.dialogue.ownValue(sl, word) {
				for i := range values {
					if values[i].Left == word { // it is understood now
						values[i].Left = ""
					}
				}
				values = append(values, sure(SetSlot, sl.name, word)...)
				break
			}
		}
	}
	return values
}

// setsSlot reports whether one of some commands is about a slot.
func setsSlot(all []Command, slot string) bool {
	for i := range all {
		if all[i].Slot == slot {
			return true
		}
	}
	return false
}

// negates reports whether words deny what begins a flow: "don't cancel my appointment". A trigger may be a denial itself.
func (u *utterance) negates(best phrase.Match, flow string) bool {
	var values []found
	for name, v := range best.Values {
		values = append(values, found{v, name})
	}
	text := without(u.text, values) // a no may be a value
	if !u.locale.Negated(text) || u.locale.Negated(best.Phrase) {
		return false
	}
	from := 0
	for _, cut := range append(u.locale.Cuts(text), [2]int{len(text), len(text)}) {
		clause := text[from:cut[0]]
		from = cut[1]
		if slices.ContainsFunc(u.triggers.Match(clause, u.Now), func(m phrase.Match) bool { return m.Score >= likely && u.meant[m.ID].flow == flow }) {
			return false
		}
	}
	return true
}

// with are the commands for the values of a phrase, and for others that were said with them. Words of the phrase are none.
func (u *utterance) with(values map[string]phrase.Value, of string) []Command {
	known := *u.Turn
	known.Filled = maps.Clone(u.Filled)
	in := &utterance{phrases: u.phrases, locale: u.locale, Turn: &known, text: u.text, flow: u.flow}
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
			sl := u.slotOf(name)
			if v = in.likelier(sl, v, text); sl.inWords() {
				rest, others := in.peeled(name, text)
				v.Value, more = rest, append(more, others...)
			}
		}
		all = append(all, found{u.unjoined(name, v), name})
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
	return u.parted(u.owned(sets, true))
}

// common is what people say in any conversation.
func (u *utterance) common() []Command {
	said, ok := u.locale.Common(u.text)
	if !ok || (said.Command == phrase.Skip || said.Command == phrase.Chitchat) && u.isValue() || len(u.match()) > 0 && u.match()[0].Score > said.Score {
		return nil
	}
	if u.asksText() && said.Score < surely || u.tellsMore(said) {
		return nil
	}
	if u.Pending.confirms() && said.Command == phrase.Chitchat && said.Score < certain { // "ça me va si c'est gratuit"
		return nil
	}
	if u.Pending.confirms() && said.Command == phrase.Back && said.Score < surely { // "yes, when I am back"
		return nil
	}
	switch said.Command {
	case phrase.Cancel:
		if u.flow != "" && (u.stopsOther(u.text) || (u.asksText() || u.isWider(said, u.text)) && !u.stopsOnly(u.text)) {
			return nil
		}
	case phrase.Correct:
		return u.correction(said)
	case phrase.Wrong:
		return u.orTells(said, u.isWrong(said))
	case phrase.Back:
		return u.back()
	case phrase.Opposite:
		return u.orTells(said, u.opposite(said.About))
	case phrase.Clear:
		if slot := u.named(said.About); slot != "" {
			return []Command{{Type: ClearSlot, Slot: slot, Confidence: said.Score}}
		}
		return nil
	case phrase.Skip, phrase.Repeat: // "anything but that", "what does it cost"
		if said.Score < certain || said.Command == phrase.Skip && !u.collects() {
			return nil
		}
	}
	return []Command{{Type: commonCommands[said.Command], Confidence: said.Score}}
}

// commonCommands are the commands for what people say in any conversation, where nothing more is to be known.
var commonCommands = map[phrase.Command]CommandType{
	phrase.Cancel: CancelFlow, phrase.Repeat: Repeat, phrase.Skip: Skip, phrase.Handoff: Handoff, phrase.Chitchat: Chitchat,
	phrase.Help: Help,
}

// isValue reports whether all that was said is a value of what was asked, which is no text: "next tuesday" skips nothing.
func (u *utterance) isValue() bool {
	sl := u.asked()
	if sl == nil || u.asksText() {
		return false
	}
	_, ok := u.read(sl, u.text)
	return ok
}

// added is something more about the active flow: "to Ada".
func (u *utterance) added() []Command {
	m := u.parts[u.flow]
	if m == nil || u.asksText() && u.locale.Question(u.text) || u.locale.Initial(u.text) {
		return nil
	}
	found := m.Match(u.text, u.Now)
	if len(found) == 0 || len(found[0].Values) == 0 || found[0].Score < certain {
		return nil
	}
	if u.asksText() && len(found[0].Values) == 1 && found[0].Values[u.Pending.Slot].Value == nil && found[0].Score < surely {
		return nil
	}
	for _, v := range found[0].Values {
		if v.Start <= len(u.text) && u.locale.Negated(u.text[:v.Start]) { // "not on Tuesday at 10"
			return nil
		}
	}
	if sl := u.asked(); sl != nil {
		if sl.Type.family() == numbers && u.someNumber(found[0]) { // "50 to 60"
			return nil
		}
		if v, ok := u.read(sl, u.text); ok && !u.asksText() && v.Reason == "" && v.Score >= whole && found[0].Values[sl.name].Value == nil {
			return nil // it is the answer
		}
	}
	return u.with(found[0].Values, found[0].Phrase)
}

// said reads a value in words for a slot. reason says why it is none.
func (d *Dialogue) said(sl *slot, text string, now time.Time) (value any, reason string, ok bool) {
	v, ok := d.localeOf(sl).Read(spoken(sl), text, now)
	return v.Value, v.Reason, ok && v.Reason == ""
}

// activeOf is the flow that is going on; "" for none.
func activeOf(t *Turn) string {
	if len(t.Active) == 0 {
		return ""
	}
	return t.Active[0]
}
