package phrase

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
)

// epoch is a time for readings that need none.
var epoch = time.Unix(0, 0)

// Read takes an utterance as the answer to the question for a slot: "fifty bucks please". Politeness around an answer does
// not matter. A value beside which words were left over has them in Left: the user has to be asked whether it is meant. The
// score of a value that other words surround is lower, as those may have meant something else. It reports false when the
// utterance holds no such value, or several. A value that cannot be (31 February, another currency, none of the choices) is
// reported with its Reason.
func (l Locale) Read(slot Slot, text string, now time.Time) (Value, bool) {
	r := l.reading(text, now)
	if kept := r.withoutRefused(slot); kept != text {
		if r = l.reading(kept, now); len(r.says) == 0 {
			return Value{}, false
		}
	}
	r.after, r.was = slot.After, slot.Was
	if slot.Asked != "" {
		r.question = foldedSet(slot.Asked)
	}
	return r.answer(slot)
}

// Kept is an utterance without the values of a slot that a no behind them refuses.
//
// Of "Monday not, Tuesday" it is Tuesday, with blanks before it. It is "" where nothing else is said. It reports whether any is refused.
func (l Locale) Kept(slot Slot, text string, now time.Time) (kept string, refused bool) {
	if slot.inWords() {
		return text, false
	}
	kept = l.reading(text, now).withoutRefused(slot)
	if refused = kept != text; refused && len(newLine(kept).says) == 0 {
		return "", true
	}
	return kept, refused
}

// withoutRefused is an utterance with blanks for the clauses that refuse a value behind it: of "Monday does not work, Tuesday" it
// leaves Tuesday where it stands.
func (r *reading) withoutRefused(s Slot) string {
	if !slices.ContainsFunc(r.says, func(t int) bool { return r.language.class(r.tokens[t].fold) == negation }) {
		return r.text
	}
	kept := []byte(r.text)
	for _, v := range r.all(s.scanner(r.language)) {
		n := r.deniedBehind(v.j)
		if n == 0 {
			continue
		}
		end := r.tokens[r.says[n-1]].end
		if n < len(r.says) {
			end = r.tokens[r.says[r.afterTurn(n)-1]].end
		}
		for at := r.tokens[v.i].start; at < end; at++ {
			kept[at] = ' '
		}
	}
	return string(kept)
}

func (r *reading) answer(s Slot) (Value, bool) {
	kind := s.kind()
	if kind.answer != nil {
		return kind.answer(r, s)
	}
	one := s.scanner(r.language)
	values := r.all(one)
	if len(values) == 0 && kind.bare {
		r.bare = true
		values = r.all(one)
	}
	if len(values) == 0 {
		if kind.none != nil {
			return kind.none(r, s)
		}
		return Value{}, false
	}
	if kind.several == nil {
		values = slices.DeleteFunc(values, r.refused)
	}
	if len(values) == 0 {
		return Value{}, false
	}
	first := values[0]
	for _, v := range values[1:] {
		if !sameValue(v.Value, first.Value) {
			if kind.several != nil {
				return kind.several(r, values)
			}
			return r.asksWhich(s, values)
		}
	}
	if v, ok := r.asksWhich(s, values); ok {
		return v, true
	}
	v := first.Value
	score, ok := r.around(first.i, values[len(values)-1].j)
	if !ok || r.refused(first) {
		return Value{}, false
	}
	if kind.money && v.Reason == "" && r.isThing(first) {
		return r.refusal(because(NoMoney, Args{"said": r.said(first.i, first.j+1)}), first.i, first.j+1).Value, true
	}
	if kind.counts && r.isSomething(first.j) && !r.isCounted(s, first.j) || r.bare && score < 1 {
		score = min(score, 0.4)
	}
	v.Score *= score
	if kind.exact && v.Reason == "" && v.Left == "" {
		v.Left = r.left(s, values)
	}
	return v, true
}

// asksWhich are values of which one is meant, where little else was said.
func (r *reading) asksWhich(s Slot, values []found) (Value, bool) {
	const little = 0.6
	run, ok := r.rivals(s, values)
	if !ok {
		return Value{}, false
	}
	score, ok := r.around(run[0].i, run[len(run)-1].j)
	return r.whichOf(run), ok && score >= little
}

// distinctValues are the values of what was found, each once.
func distinctValues(all []found) (values []any) {
	for k, v := range all {
		if v.Reason == "" && !slices.ContainsFunc(all[:k], func(o found) bool { return sameValue(o.Value, v.Value) }) {
			values = append(values, v.Value.Value)
		}
	}
	return values
}

// sameValue reports whether two values are the same one said twice.
func sameValue(a, b Value) bool { return a.Value != nil && reflect.DeepEqual(a.Value, b.Value) }

// around is how sure a value is when the other words of the utterance are those outside some tokens: 1 when they are
// only what people say around an answer, less for each that means something.
func (r *reading) around(i, j int) (float64, bool) {
	if r.cut {
		return 0, false
	}
	others := 0
	for k := 0; k < len(r.says); {
		if t := r.says[k]; t >= i && t < j {
			k++
			continue
		}
		if n := max(r.filling(k), r.bound(k)); n > 0 {
			k += n
			continue
		}
		switch r.language.class(r.wordAt(k)) {
		case content, negation:
			others++
		}
		k++
	}
	switch {
	case others == 0:
		return 1, true
	case others > 6:
		return 0.3, true
	}
	return 0.8 - 0.08*float64(others), true
}

// denied reports whether a value that begins at a token is one that is not meant: "not 50", "anything but savings".
func (r *reading) denied(i int) bool {
	for left := 3; left > 0; left-- {
		for i--; i >= 0 && r.tokens[i].sort == mark; i-- {
			if r.isClauseEnd(i) {
				return false
			}
		}
		if i < 0 {
			return false
		}
		switch w := r.word(i); {
		case w == "than": // "no more than 50"
			return false
		case r.language.class(r.folded(i)) == negation, w == "but" && r.word(i-1) != "not", w == "except", w == "besides":
			return true
		case r.tokens[i].sort == digits || r.isValueTerm(i) || r.tokens[i].fold == strings.TrimSpace(r.language.Or): // "not on Tuesday at 10 or Wednesday"
			left++
		case r.language.class(r.folded(i)) == content:
			return false
		}
	}
	return false
}

// refused reports whether a value is one that is not meant, by a word before it or behind it.
func (r *reading) refused(v found) bool {
	return r.denied(v.i) || r.isPronoun(v) || r.deniedBehind(v.j) > 0
}

// isPronoun reports whether a value is the word "one" that stands for a thing: "the savings one", "one of my savings".
func (r *reading) isPronoun(v found) bool {
	if v.j != v.i+1 || r.word(v.i) != "one" {
		return false
	}
	return r.word(v.j) == "of" || r.isContent(v.i-1) && r.parted(r.spokenAt(v.i)+1) && !r.isValueTerm(v.i-1)
}

// deniedBehind is the spoken word behind the clause of a value that ends before a token, where a no behind it refuses the value:
// "Monday not", "Montag passt mir nicht", "lundi ce n'est pas possible". It is 0 where none does. The clause says nothing else: in
// "50 not 60" the no is one to 60.
func (r *reading) deniedBehind(j int) (end int) {
	const most = 8 // words
	k, _ := slices.BinarySearch(r.says, j)
	if k == 0 {
		return 0
	}
	denies := false
	for n := 0; k < len(r.says) && !r.parted(k); n++ {
		word := r.wordAt(k)
		m, _ := r.language.moods.at(r.line, k)
		if m == turns && !r.language.is(word, suiting) {
			break
		}
		class := r.language.class(word)
		switch {
		case n == most, m == doubts && !r.language.is(word, suiting), r.language.is(word, ands|lacking|changer|askword) && class != negation, r.language.is(word, lacking):
			return 0
		case class == negation:
			denies = true
		case r.tokens[r.says[k]].sort == digits, r.isValueTerm(r.says[k]) && class == content, r.saysDay(r.says[k]):
			return 0
		case class == content && !r.language.is(word, suiting|pronoun|asking):
			return 0
		}
		k++
	}
	if !denies {
		return 0
	}
	return k
}

// isSomething reports whether a thing that is counted stands right behind a number: "fifty bananas".
func (r *reading) isSomething(j int) bool {
	if j >= len(r.tokens) || r.tokens[j].sort == mark {
		return false
	}
	k, _ := slices.BinarySearch(r.says, j)
	if _, n := r.language.fillers.at(r.line, k); n > 0 {
		return false
	}
	return r.language.class(r.tokens[j].fold) == content
}

// isThing reports whether an amount without a currency is a number of something else: "fifty bananas".
func (r *reading) isThing(v found) bool {
	if !r.isSomething(v.j) || r.language.class(r.folded(v.j)) != content {
		return false
	}
	if _, ok := r.coin(v.j - 1); ok {
		return false
	}
	if _, ok := r.coin(v.i); ok {
		return false
	}
	if _, ok := r.date(v.j); ok {
		return false
	}
	return true
}

// isCounted reports whether what a slot counts stands behind a number: "2 adults".
func (r *reading) isCounted(s Slot, j int) bool {
	return slices.ContainsFunc(s.Names, func(name string) bool { return r.counts(foldedWords(name), j) })
}

// counts reports whether a name ends with a token, which says what is counted. Of "tablets per day" those are the tablets.
func (r *reading) counts(name []string, j int) bool {
	if at := slices.IndexFunc(name, func(w string) bool { return r.language.is(w, rate) }); at > 0 {
		name = name[:at]
	}
	return len(name) > 0 && r.alike(r.folded(j), name[len(name)-1])
}

// alike reports whether two words are forms of one: the singular and the plural, or of those that the language lists.
func (r *reading) alike(a, b string) bool {
	if a == b || a == b+"s" || b == a+"s" {
		return a != ""
	}
	return slices.ContainsFunc(r.language.alike, func(forms map[string]bool) bool { return forms[a] && forms[b] })
}

// zero is a number that was said as none.
const zero = json.Number("0")

// noneAtAll is an answer in words that says zero: "none", "no children", "we have none", "nothing at all".
func (r *reading) noneAtAll(s Slot) (Value, bool) {
	for k := range r.says {
		why, n := r.language.skips.at(r.line, k)
		switch next := k + 1; {
		case n > 0 && why == NoneTaken:
		case r.language.is(r.wordAt(k), without) && next < len(r.says) && r.isCounted(s, r.says[next]):
			n = 2
		default:
			continue
		}
		i, j := r.says[k], r.says[k+n-1]+1
		score, ok := r.around(i, j)
		if !ok || score < 0.7 {
			return Value{}, false
		}
		v := r.value(zero, i, j, score*0.9)
		v.Left = r.left(s, []found{v})
		return v.Value, true
	}
	return Value{}, false
}

// noChoice is an answer to a choice that chooses nothing.
func (r *reading) noChoice(Slot) (Value, bool) {
	for k := range r.says {
		if why, n := r.language.skips.at(r.line, k); n > 0 {
			i, j := r.says[k], r.says[k+n-1]+1
			if score, ok := r.around(i, j); !ok || score < 0.7 {
				return Value{}, false
			}
			return r.refusal(because(why, nil), i, j).Value, true
		}
	}
	return Value{}, false
}

// several is an answer that names more than one choice.
func (r *reading) several(values []found) (Value, bool) {
	kept := values[:0:0]
	for _, v := range values {
		if !r.refused(v) {
			kept = append(kept, v)
		}
	}
	if len(kept) == 0 {
		return Value{}, false
	}
	first := kept[0]
	for _, v := range kept[1:] {
		if !sameValue(v.Value, first.Value) {
			last := kept[len(kept)-1]
			which := r.refusal(because(SeveralTaken, Args{"said": r.said(first.i, last.j)}), first.i, last.j).Value
			which.Among = distinctValues(kept)
			return which, true
		}
	}
	score, ok := r.around(values[0].i, values[len(values)-1].j)
	first.Score *= score
	return first.Value, ok
}
