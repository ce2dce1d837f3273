package dialogue

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// opened is the utterance without what people say before what they mean. turned reports whether that puts right what was
// said before: "oh wait, 50".
func (u *utterance) opened() (in *utterance, turned bool) {
	rest, turned := u.locale.Opened(u.text)
	if rest == "" || rest == u.text {
		return u, false
	}
	return u.within(rest), turned
}

// loosely reports whether words that put something right stand before a text that is asked for, and no mark parts them from it:
// they may belong to it. "Warten Sie kurz" says nothing but to wait.
func (u *utterance) loosely() bool {
	in, turned := u.opened()
	return u.asksText() && turned && !u.marked(phrase.Said{Before: strings.TrimSuffix(u.text, in.text)})
}

// putsRight is putRight of what stands behind such words. A text that is asked for is none where they may belong to it.
func (u *utterance) putsRight() []Command {
	in, _ := u.opened()
	in.turned = u.turned
	all := in.putRight()
	if u.loosely() && slices.ContainsFunc(all, func(c Command) bool { return c.Slot == u.Pending.Slot }) {
		return nil
	}
	return all
}

// opensText is a text with such words before it: the user is asked whether all of it is meant.
func (u *utterance) opensText() []Command {
	if !u.loosely() {
		return nil
	}
	all := u.textAnswered(u.asked())
	for i := range all {
		if all[i].Slot == u.Pending.Slot {
			all[i].Left = u.text
		}
	}
	return all
}

// offered is a quick reply, or a text in quotation marks, where any words are an answer: it is meant as it stands.
func (u *utterance) offered() []Command {
	if !u.asksText() || u.asked().traits().many {
		return nil
	}
	said, quoted := u.locale.Quoted(u.text)
	if !quoted {
		said = strings.TrimSpace(u.text)
		if !slices.ContainsFunc(u.Pending.Options, func(o string) bool { return strings.EqualFold(o, said) }) {
			return nil
		}
	}
	return []Command{{Type: SetSlot, Slot: u.Pending.Slot, Value: said, Confidence: 1}}
}

// stopped is a wish to stop, and what is wanted in place of it: "stop that, I want to see my balance first". One that
// takes back a value only, with another one behind it, stops nothing: "scratch that, make it 60".
func (u *utterance) stopped() []Command {
	if all := u.stopsNothing(); len(all) > 0 {
		return all
	}
	cuts := u.locale.Cuts(u.text)
	for _, cut := range append(cuts, [2]int{len(u.text), len(u.text)}) {
		flow, ok := u.stops(u.text[:cut[0]])
		if !ok {
			continue
		}
		stop := []Command{{Type: CancelFlow, Flow: flow, Confidence: surely}}
		rest := strings.TrimSpace(u.text[cut[1]:])
		if rest == "" {
			return stop
		}
		in, _ := u.within(rest).opened()
		if _, again := in.stops(in.text); again || phrase.Excuse(u.locale, in.text) { // "forget it, changed my mind"
			return stop
		}
		if more := in.instead(); len(more) > 0 {
			return append(stop, more...)
		}
		if more := in.saidInPlace(); len(more) > 0 {
			return more
		}
		if back := u.takenBack(in, rest); len(back) > 0 || u.unheard {
			return back
		}
		if u.asksText() && phrase.SaysCancel(u.locale, u.text[:cut[0]]) && u.locale.Beyond(nil, rest) != "" { // "Cancel, Ann"
			return u.wholeText()
		}
		return stop
	}
	if len(cuts) > 0 { // "John, no, forget it"
		last := cuts[len(cuts)-1]
		in, _ := u.within(u.text[last[1]:]).opened()
		linked := strings.Trim(u.text[last[0]:last[1]], marksAround) != "" // "I was told to cancel my account and start again"
		plain := !u.asksText() || u.answersBefore(u.text[:last[0]], linked) || u.recounts() && phrase.Excuse(u.locale, u.text[:last[0]])
		if flow, ok := in.stops(in.text); ok && plain {
			return []Command{{Type: CancelFlow, Flow: flow, Confidence: surely}}
		}
	}
	return nil
}

// stops reports whether some words ask to stop, and which flow where it is not the active one.
func (u *utterance) stops(text string) (flow string, ok bool) {
	if u.flow == "" {
		return "", false
	}
	if u.stopsOther(text) || u.recounts() && phrase.Excuse(u.locale, text) {
		return "", false
	}
	if yes, _, unclear := u.locale.Deed(u.question(), text); u.Pending.confirms() && (yes || unclear) {
		return "", false
	}
	said, is := u.locale.Common(text)
	if (u.asksText() || is && u.isWider(said, text)) && !u.stopsOnly(text) {
		return "", false
	}
	if what, names := u.locale.CancelsWhat(text); names && u.stopsStrange(what) {
		is = false
	}
	if is && said.Command == phrase.Cancel && said.Score >= certain && (said.Score >= surely || !u.asksText() && begunBy(u.within(text).begins()) == "") {
		return "", true
	}
	if other := begunBy(u.within(text).begins()); other != "" { // "cancel my appointment" is what another flow does
		return "", false
	}
	what, stops := u.locale.CancelsWhat(text)
	if !stops && !u.Pending.confirms() && !u.recounts() {
		what, stops = u.locale.Refuses(text)
	}
	words := u.locale.Content(what)
	if !stops || len(words) == 0 {
		return "", false
	}
	for i, name := range u.Active {
		if u.callsIt(name, words) {
			if i == 0 {
				name = ""
			}
			return name, true
		}
	}
	return "", false
}

// confirms reports whether a task asks for a yes.
func (t *PendingTask) confirms() bool { return t != nil && t.IsConfirm() }

// vocabulary are the words that a flow is called by: those of its description and triggers, and what is as good as them.
func (p *phrases) vocabulary(f *flow) map[string]bool {
	known := make(map[string]bool)
	add := func(text string) {
		for _, w := range phrase.Words(text) {
			known[w] = true
		}
	}
	add(f.title())
	for _, text := range f.Trigger {
		for _, piece := range pieces.FindAllString(text, -1) {
			if !strings.HasPrefix(piece, "{") {
				add(piece)
			}
		}
	}
	for saying, others := range p.dialogue.def.Synonyms {
		group := append([]string{saying}, others...)
		if slices.ContainsFunc(group, func(s string) bool { w := phrase.Words(s); return len(w) == 1 && known[w[0]] }) {
			for _, s := range group {
				add(s)
			}
		}
	}
	return known
}

// callsIt reports whether words mean a flow, or what goes on without saying what it is: "the transfer", "my order".
func (u *utterance) callsIt(flow string, words []string) bool { return u.callsFlow(flow, words, false) }

// saidInPlace are values of the active flow that are said with a word that takes them back.
func (u *utterance) saidInPlace() []Command {
	said, ok := u.locale.Common(u.text)
	if !ok || said.Command != phrase.Correct || said.Score < certain {
		return nil
	}
	return u.correction(said)
}

// several are things that a message says one after the other, each of them plainly: two flows that begin, or a value and
// a flow: "show my transactions and send money", "John, and what is my balance?"
func (u *utterance) several() []Command {
	for _, cut := range u.locale.Cuts(u.text) {
		right, _ := u.within(u.text[cut[1]:]).opened()
		left, _ := u.within(strings.TrimRight(u.text[:cut[0]], " ,;.!")).opened()
		more, before := right.several(), left.begins()
		if more == nil {
			more = right.begins()
		}
		if more == nil && before != nil {
			more = right.wish(begunBy(before), u.locale.InOrder(u.text))
		}
		if more == nil {
			continue
		}
		if before == nil {
			before = left.wish(begunBy(more), u.locale.InOrder(u.text))
		}
		if before == nil && u.collects() {
			before = left.value()
		}
		if before == nil || begunBy(before) == begunBy(more) {
			continue
		}
		before, more = left.ownedIn(begunBy(before), before), right.ownedIn(begunBy(more), more)
		flow := begunBy(before)
		if flow == "" {
			flow = u.flow
		}
		for i, c := range before {
			if c.Type == SetSlot || c.Type == CorrectSlot {
				before[i].Flow = flow
			}
		}
		for i, c := range more {
			if (c.Type == SetSlot || c.Type == CorrectSlot) && c.Flow == "" {
				more[i].Flow = begunBy(more)
			}
		}
		if phrase.ComesFirst(u.locale, right.text) && !phrase.ComesFirst(u.locale, left.text) && begunBy(before) != "" && begunBy(more) != "" { // "but first your prices"
			return append(more, before...)
		}
		return append(before, more...)
	}
	return nil
}

// wish is a flow that an utterance is about, though no trigger of it was said, beside another one that was: "I want to see my
// balance first, then send 50 to Bob". Of "book a new one" the verb says which. Where an order is said, both are wishes, and
// the only flow that may be meant is enough.
func (u *utterance) wish(beside string, inOrder bool) []Command {
	in := *u
	in.Turn = &Turn{Dialogue: u.dialogue, Now: u.Now, Filled: map[string]any{}, Shut: u.Shut}
	in.flow, in.matched = "", false
	found := in.guessed()
	if inOrder {
		found = u.instead()
	}
	flow := begunBy(found)
	if inOrder && len(found) == 1 && found[0].Type == Clarify && len(found[0].Options) == 1 {
		flow = found[0].Options[0]
	}
	if verb := u.byVerb(beside); flow == "" || flow == beside {
		flow = verb
	}
	if flow == "" || flow == beside || slices.Contains(u.Active, flow) {
		return nil
	}
	in.flow = flow
	start := Command{Type: StartFlow, Flow: flow, Confidence: certain, Source: FromRanker}
	for _, m := range u.match() { // "table for two at seven": less than a trigger, with the values of one
		if u.meant[m.ID].flow == flow && m.Score >= likely {
			return append([]Command{start}, in.withOwn(in.with(m.Values, m.Phrase))...)
		}
	}
	return append([]Command{start}, in.withOwn(in.with(nil, u.text))...)
}

// byVerb is the only flow whose triggers begin with a word at the beginning of an utterance, where the rest of it says no more
// than that it is another such thing, and values of the flow: "make another one on Friday".
func (u *utterance) byVerb(beside string) string {
	const near = 3 // words
	said := phrase.Words(u.text)
	only := ""
	for _, f := range u.dialogue.order {
		if !f.named() || f.Name == beside || slices.Contains(u.Shut, f.Name) {
			continue
		}
		verbs := f.verbs()
		if !u.locale.Another(u.text) || !slices.ContainsFunc(said[:min(near, len(said))], func(w string) bool { return slices.Contains(verbs, w) }) {
			continue
		}
		in := *u
		in.flow, in.Turn = f.Name, &Turn{Dialogue: u.dialogue, Now: u.Now, Filled: map[string]any{}}
		rest := u.locale.Content(without(u.text, in.beside("", u.text)))
		if !u.callsIt(f.Name, slices.DeleteFunc(rest, u.locale.Another)) {
			continue
		}
		if only != "" {
			return ""
		}
		only = f.Name
	}
	return only
}

// verbs are the words that the triggers of a flow begin with.
func (f *flow) verbs() (all []string) {
	const least = 3 // letters
	for _, t := range f.Trigger {
		end := strings.IndexAny(t, " {[")
		if strings.HasPrefix(t, "(") {
			end = strings.IndexByte(t, ')')
		}
		if end < 0 {
			end = len(t)
		}
		for _, w := range phrase.Words(t[:end]) {
			if len(w) >= least {
				all = append(all, w)
			}
		}
	}
	return all
}

// leaves reports whether words beside a value were not understood.
func leaves(commands []Command) bool {
	return slices.ContainsFunc(commands, func(c Command) bool { return c.Left != "" })
}

// clause is the value of the last clause, where what is said before it holds no value, no question and no denial: "I thought
// I had more, then do 300".
func (u *utterance) clause() []Command {
	cuts := u.locale.Cuts(u.text)
	sl := u.asked()
	if len(cuts) == 0 || sl == nil || u.asksText() {
		return nil
	}
	cut := cuts[len(cuts)-1]
	before, last := u.text[:cut[0]], u.text[cut[1]:]
	if strings.Trim(u.text[cut[0]:cut[1]], marksAround) == "" { // no word says that it follows
		return nil
	}
	if u.locale.Negated(before) || u.locale.Act(before) != 0 || len(u.locale.Find(u.spoken(sl), before, u.Now)) > 0 {
		return nil
	}
	v, ok := u.read(sl, last)
	if !ok || v.Reason != "" || v.Left != "" {
		return nil
	}
	return []Command{found{v, sl.name}.command()}
}

// begins is a flow that an utterance plainly begins, and that does not go on already.
func (u *utterance) begins() []Command {
	if len(u.match()) == 0 {
		return nil
	}
	best := u.match()[0]
	need := surely
	if u.locale.Question(u.text) {
		need = certain
	}
	flow := u.meant[best.ID].flow
	if best.Score < need || flow == "" || slices.Contains(u.Active, flow) {
		return nil
	}
	if all := u.begin(); begunBy(all) != "" {
		return all
	}
	return nil
}

// begunBy is the flow that commands begin first; "" for none.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func begunBy(commands []Command) string {
	for _, c := range commands {
		if c.Type == StartFlow {
			return c.Flow
		}
	}
	return ""
}

// value is a plain answer to what was asked.
func (u *utterance) value() []Command {
	if all := u.collectVerdict(); len(all) > 0 {
		return all
	}
	all := u.answered()
	for _, c := range all {
		if c.sure() < certain || c.Slot != u.Pending.Slot {
			return nil
		}
	}
	return all
}

// asks is a question of the user: what it begins, also in the middle of a question for a text.
func (u *utterance) asks() []Command {
	if !u.asksText() || len(u.match()) == 0 || u.match()[0].Score < likely || !u.locale.Question(u.text) {
		return nil
	}
	return u.begin()
}

// noText reports whether words do something else than to be a text that is asked for.
func (u *utterance) noText(text string) bool { return u.dialogue.noText(u.asked(), text) }

// back is a wish to say the last answer again.
func (u *utterance) back() []Command {
	for _, name := range u.Told {
		if _, filled := u.Filled[name]; filled && (!u.collects() || u.Pending.Slot != name) {
			return []Command{{Type: ClearSlot, Slot: name, Confidence: surely}}
		}
	}
	return []Command{{Type: Repeat, Confidence: surely}}
}

// opposite is the other one of two: of the slot that is named, else of the one of few values that was told last. Where several slots
// have two, the user is asked whether the last one is meant.
func (u *utterance) opposite(about string) []Command {
	names := u.Told
	if slot := u.named(about); slot != "" {
		names = []string{slot}
	}
	choices := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return u.slotOf(name) == nil || u.slotOf(name).isVerdict() })
	var all []Command
	for _, name := range append(choices, names...) { // "the other one" is sooner one of two things than a no
		sl := u.slotOf(name)
		v, filled := u.Filled[name]
		if sl == nil || !filled || len(all) > 0 && (sl.isVerdict() || all[0].Slot == name) {
			continue
		}
		few := u.pair(sl)
		at := slices.IndexFunc(few, func(o any) bool { return equal(o, v) })
		switch {
		case at < 0, len(few) != 2 && len(all) > 0:
		case len(few) != 2:
			return u.wrong(name)
		case len(all) > 0:
			all[0].Left = u.text
			return all
		default:
			all = []Command{{Type: CorrectSlot, Slot: name, Value: few[1-at], Confidence: surely}}
		}
	}
	return all
}

// judged is a yes or no slot that words deny, or the opposite of what was said before: "my income is not that high".
func (u *utterance) judged() []Command {
	slot := u.named(u.text)
	if slot == "" {
		return nil
	}
	sl := u.slotOf(slot)
	if v, filled := u.Filled[slot]; sl == nil || !sl.isVerdict() || !filled || v != true || !u.locale.Negated(u.text) {
		return nil
	}
	return []Command{{Type: CorrectSlot, Slot: slot, Value: false, Confidence: surely}}
}

// tail is the end of a phrase of the active flow with a value, where the words before it are those of the flow: "I want
// to send it to James".
func (u *utterance) tail() []Command {
	m := u.parts[u.flow]
	if m == nil || u.locale.Question(u.text) {
		return nil
	}
	for i := range u.text {
		if i == 0 || u.text[i-1] != ' ' {
			continue
		}
		if u.locale.Negated(u.text[:i]) || !u.callsIt(u.flow, u.locale.Content(u.text[:i])) {
			return nil
		}
		best := m.Match(u.text[i:], u.Now)
		if len(best) == 0 || len(best[0].Values) == 0 || best[0].Score < surely {
			continue
		}
		in := u.within(u.text[i:])
		if in.someNumber(best[0]) {
			return nil
		}
		return in.with(best[0].Values, best[0].Phrase)
	}
	return nil
}
