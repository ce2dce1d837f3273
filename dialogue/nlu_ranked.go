package dialogue

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
	"github.com/fermata-go/fermata/dialogue/internal/rank"
)

// flowRanker finds the flows and the small talk that a message is near to, where no trigger is what was said.
type flowRanker struct {
	*rank.Ranker
	meant []meaning // by class
}

// mostOptions is among how many flows users choose.
const mostOptions = 3

// rankerOn is the default of Settings.Ranker.
const rankerOn = "on"

// How much the small words of a sentence say beside those with a meaning of their own.
const (
	smallWeight = 0.5 // "how", "from"
	emptyWeight = 0.2 // "please", "want"
)

// newFlowRanker compiles the triggers, names and descriptions of the flows that users can begin, but for some.
func (d *Dialogue) newFlowRanker(locale phrase.Locale, without []string) *flowRanker {
	r := &flowRanker{}
	for _, f := range d.order {
		if f.named() && !slices.Contains(without, f.Name) {
			r.meant = append(r.meant, meaning{flow: f.Name})
		}
	}
	for _, chat := range d.def.Chitchat {
		r.meant = append(r.meant, meaning{chat: chat.Message})
	}
	r.Ranker = rank.New(d.rankedClasses(without), rank.Options{Foreign: locale.Spoken().OffTopic(), Words: d.rankedWords(locale)})
	return r
}

// rankedClasses are the flows and the small talk as a ranker compares them.
func (d *Dialogue) rankedClasses(without []string) []rank.Class {
	var classes []rank.Class
	for _, f := range d.order {
		if !f.named() || slices.Contains(without, f.Name) {
			continue
		}
		c := rank.Class{Examples: plainTexts(f.Trigger), About: []string{f.Name}}
		if f.Description != "" {
			c.About = append(c.About, f.Description)
		}
		if slots := f.slotWords(); slots != "" {
			c.About = append(c.About, slots)
		}
		classes = append(classes, c)
	}
	for _, chat := range d.def.Chitchat {
		classes = append(classes, rank.Class{Examples: plainTexts(chat.Trigger)})
	}
	return classes
}

// rankedWords splits texts for a ranker.
func (d *Dialogue) rankedWords(locale phrase.Locale) func(text string) []rank.Word {
	same := synonymStems(locale, d.def.Synonyms)
	return func(text string) []rank.Word {
		said := locale.Words(text)
		all := make([]rank.Word, len(said))
		for i, w := range said {
			all[i] = rank.Word{Text: w.Text, Stem: w.Stem, Weight: 1, Turns: w.Negative, Known: w.Known}
			switch {
			case w.Small:
				all[i].Weight = smallWeight
			case w.Empty:
				all[i].Weight = emptyWeight
			}
			if stem, ok := same[w.Text]; ok {
				all[i].Stem = stem
			}
		}
		return all
	}
}

// flows are the names of all flows that users can begin, the nearest to a text first.
func (r *flowRanker) flows(text string) []string {
	var names []string
	for _, class := range r.Order(text) {
		if flow := r.meant[class].flow; flow != "" {
			names = append(names, flow)
		}
	}
	return names
}

// options are the flows of a ranking, in its order.
func (r *flowRanker) options(found rank.Ranking) (flows []string) {
	for _, c := range found.Classes {
		if flow := r.meant[c.Class].flow; flow != "" && !slices.Contains(flows, flow) {
			flows = append(flows, flow)
		}
	}
	return flows
}

// plainTexts are phrases without their placeholders, which say nothing by themselves.
func plainTexts(phrases []string) []string {
	all := make([]string, len(phrases))
	for i, text := range phrases {
		words := slices.DeleteFunc(pieces.FindAllString(text, -1), func(p string) bool { return strings.HasPrefix(p, "{") })
		all[i] = strings.Join(words, " ")
	}
	return all
}

// slotWords are the words that the flow's slots are written with.
func (f *flow) slotWords() string {
	var words []string
	for _, sl := range f.order {
		words = append(words, sl.name, sl.Description)
		for _, c := range sl.Choices {
			words = append(append(words, c.Value), c.Synonyms...)
		}
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

// synonymStems are the stems of words that the dialogue says are the same: that of the word they are listed for.
func synonymStems(locale phrase.Locale, synonyms map[string][]string) map[string]string {
	all := make(map[string]string)
	for _, key := range keysOf(synonyms) {
		words := locale.Words(key)
		if len(words) != 1 {
			continue
		}
		for _, other := range synonyms[key] {
			if one := locale.Words(other); len(one) == 1 {
				all[one[0].Text] = words[0].Stem
			}
		}
	}
	return all
}

// guessed is the flow that the message is near to, where it is clearly ahead of all others; otherwise the question which
// of the nearest ones is meant. In the middle of a flow, more is needed for either: the message was to answer something.
func (u *utterance) guessed() []Command {
	if u.dialogue.settings.Ranker == RankerOff || u.asksText() && !u.noText(u.text) || u.locale.Forbids(u.text) {
		return nil
	}
	ranker := u.rankedWithout(u.Shut)
	found := u.ranked(ranker, u.text)
	if found.Sure == rank.Foreign {
		return nil
	}
	begins, asks := rank.Ahead, rank.Near
	if u.flow != "" {
		begins, asks = rank.Plain, rank.Torn
	}
	best := found.Classes[0]
	first := ranker.meant[best.Class]
	if len(u.Clarify) > 0 && found.Sure < begins && u.decides(ranker, found) {
		found.Sure = begins
	}
	switch {
	case first.flow != "" && first.flow == u.flow:
		return nil // it is going on
	case found.Sure >= begins && first.flow == "":
		return []Command{{Type: Chitchat, Text: first.chat, Confidence: best.Score, Source: FromRanker}}
	case found.Sure >= begins && u.denies(first.flow):
		return nil
	case found.Sure >= begins:
		return u.starting(first.flow)
	case found.Sure < asks:
		return nil
	}
	options := ranker.options(found)
	if len(options) == 0 || slices.Contains(options, u.flow) {
		return nil
	}
	return []Command{{Type: Clarify, Options: options, Source: FromRanker}}
}

// checked asks which flow is meant where a trigger that was not said quite so begins one, and the ranker does not find it clearly ahead.
func (u *utterance) checked(all []Command) []Command {
	flow := begunBy(all)
	if flow == "" || u.flow != "" || u.dialogue.settings.Ranker == RankerOff || u.beginsPlainly(flow) {
		return all
	}
	ranker := u.rankedWithout(u.Shut)
	found := ranker.Rank(u.text) // words alone: an embedder is asked where nothing else was understood
	options := ranker.options(found)
	if len(options) > 0 && options[0] == flow && (found.Sure >= rank.Ahead || len(options) == 1) {
		return all
	}
	options = append([]string{flow}, slices.DeleteFunc(options, func(name string) bool { return name == flow })...)
	return []Command{{Type: Clarify, Options: options[:min(mostOptions, len(options))], Source: FromRanker}}
}

// denies reports whether a message denies what a flow is called by, and the flow does not begin with a denial.
func (u *utterance) denies(flow string) bool {
	f := u.dialogue.flows[flow]
	if f == nil {
		return false
	}
	word := u.locale.Denied(u.text, u.vocab[flow])
	return word != "" && !slices.ContainsFunc(f.Trigger, func(t string) bool { return u.locale.Denied(t, u.vocab[flow]) == word })
}

// isLoose reports whether what was found is a common saying beside which more was said: "what do I do if my card is lost". A
// wish for a person is none: it counts whatever it is about. In a flow, neither is what acts on the flow.
func (u *utterance) isLoose(found []Command) bool {
	if len(found) != 1 || found[0].sure() >= surely {
		return false
	}
	switch found[0].Type {
	case Help, Chitchat, Repeat:
		return true
	case CancelFlow, Skip:
		return u.flow == ""
	}
	return false
}

// decides reports whether a ranking begins with one of the flows that the user was asked to choose from, and no other one
// of those is about as near.
func (u *utterance) decides(ranker *flowRanker, found rank.Ranking) bool {
	const about = 0.8
	for i, c := range found.Classes {
		isOffered := slices.Contains(u.Clarify, ranker.meant[c.Class].flow)
		if i == 0 != isOffered && (i == 0 || c.Score > about*found.Classes[0].Score) {
			return false
		}
	}
	return true
}

// chosen is one of the flows that the user was asked to choose from, and the values that came with the wish for it.
func (u *utterance) chosen() []Command {
	all := u.chosenFlow()
	flow := begunBy(all)
	if flow == "" {
		return all
	}
	for at, line := range slices.Backward(u.Lines) {
		if line.By != byUser || line.Text == u.Text && at == len(u.Lines)-1 {
			continue
		}
		in := u.within(line.Text)
		in.Turn = &Turn{Dialogue: u.dialogue, Now: u.Now, Text: line.Text, Filled: map[string]any{}}
		in.flow = flow
		return append(all, in.withOwn(in.unambiguous(in.commands(in.doubted(line.Text, in.beside("", line.Text)))))...)
	}
	return all
}

// chosenFlow is the flow that is chosen, or a no to all of them.
func (u *utterance) chosenFlow() []Command {
	if len(u.Clarify) == 0 {
		return nil
	}
	s := phrase.Slot{Kind: phrase.Single}
	for _, name := range u.Clarify {
		if f := u.dialogue.flows[name]; f != nil {
			s.Choices = append(s.Choices, phrase.Choice{Value: name, Synonyms: []string{f.title()}})
		}
	}
	if found := u.chosenByVerdict(); len(found) > 0 {
		return found
	}
	in, _ := u.opened()
	if v, ok := u.locale.Read(s, in.text, u.Now); ok && v.Reason == "" {
		if name, isText := v.Value.(string); isText {
			return []Command{{Type: StartFlow, Flow: name, Confidence: v.Score}}
		}
	}
	said, ok := u.locale.Common(in.text)
	if !ok || said.Command != phrase.Wrong || len(s.Choices) != 2 { // "not the former"
		return nil
	}
	v, ok := u.locale.Read(s, said.About, u.Now)
	for i, c := range s.Choices {
		if ok && v.Reason == "" && v.Value == c.Value {
			return []Command{{Type: StartFlow, Flow: s.Choices[1-i].Value, Confidence: v.Score}}
		}
	}
	return nil
}

// chosenByVerdict is a no to all flows that the user was asked to choose from, or a yes to the only one.
func (u *utterance) chosenByVerdict() []Command {
	yes, no, rest, _ := u.locale.Assent(u.text)
	switch {
	case rest == "" && no, u.locale.None(u.text): // "neither"
		return []Command{{Type: Deny}}
	case rest == "" && yes && len(u.Clarify) == 1:
		return []Command{{Type: StartFlow, Flow: u.Clarify[0]}}
	}
	return nil
}

// starting begins a flow with the values that were said.
func (u *utterance) starting(flow string) []Command {
	in := *u
	in.flow, in.Turn = flow, &Turn{Dialogue: u.dialogue, Now: u.Now, Filled: map[string]any{}}
	all := []Command{{Type: StartFlow, Flow: flow, Source: FromRanker}}
	for _, m := range u.match() {
		if u.meant[m.ID].flow == flow {
			return append(all, in.withOwn(in.with(m.Values, m.Phrase))...)
		}
	}
	return append(all, in.withOwn(in.with(nil, ""))...)
}
