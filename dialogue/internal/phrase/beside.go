package phrase

import (
	"slices"
	"time"
)

// Counted finds the number before the thing that a slot counts. For a slot that is called adults, it is 2 in "two adults
// and a child", and for one that is called children it is 0 in "no children".
func (l Locale) Counted(slot Slot, text string, now time.Time) (Value, bool) {
	r := l.reading(text, now)
	values := r.all(slot.scanner(r.language))
	for _, v := range values {
		if v.Reason == "" && r.isCounted(slot, v.j) && !r.refused(v) {
			return r.value(v.Value.Value, v.i, v.j+1, v.Score).Value, true
		}
	}
	for k := range r.says[:max(0, len(r.says)-1)] {
		if i, j := r.says[k], r.says[k+1]; r.language.is(r.wordAt(k), without) && r.isCounted(slot, j) {
			return r.value(zero, i, j+1, 0.9).Value, true
		}
	}
	return Value{}, false
}

// Names reports whether some words only call a slot by its name: "the recipient", "account".
func (l Locale) Names(slot Slot, text string) bool {
	r := l.reading(text, epoch)
	if len(r.says) == 0 {
		return false
	}
	for _, name := range slot.Names {
		words, k := foldedWords(name), 0
		if r.language.is(r.wordAt(0), owner) {
			k++
		}
		if len(words) == len(r.says)-k && slices.EqualFunc(words, r.says[k:], func(w string, t int) bool { return r.alike(r.tokens[t].fold, w) }) {
			return true
		}
	}
	return false
}

// None reports whether an utterance says only that there is nothing: "none", "nothing, thanks".
func (l Locale) None(text string) bool {
	r := l.reading(text, epoch)
	if r.cut || len(r.says) == 0 {
		return false
	}
	k := 0
	for k < len(r.says) {
		if why, n := r.language.skips.at(r.line, k); n > 0 && why == NoneTaken {
			k += n
			for k < len(r.says) && r.language.is(r.wordAt(k), polite) {
				k++
			}
			return k == len(r.says)
		}
		_, n := r.language.fillers.at(r.line, k)
		if n == 0 {
			return false
		}
		k += n
	}
	return false
}

// Enough reports whether an utterance answers that nothing more is wanted: "that's all". The question has to be whether
// there is more, such as "anything else?".
func (l Locale) Enough(question, text string) bool {
	of := l.language()
	if !slices.ContainsFunc(foldedWords(question), func(w string) bool { return of.is(w, further) }) {
		return false
	}
	r := l.reading(text, epoch)
	if r.unsure() {
		return false
	}
	for k := 0; k < len(r.says); k++ {
		if _, n := of.enough.at(r.line, k); n > 0 {
			for k += n; k < len(r.says) && of.is(r.wordAt(k), polite); k++ {
			}
			return k == len(r.says)
		}
		if m, n := r.mood(k); n != 1 || m != saysNo && m != around {
			return false
		}
	}
	return false
}

// CutEnd cuts words off the end of a text that only lead to the words behind it. It reports whether there were any:
// "Bob from my" becomes "Bob", and so does "Bob,".
func (l Locale) CutEnd(text string) (string, bool) {
	r := l.reading(text, epoch)
	j := len(r.tokens)
	for j > 0 && r.isJoint(j-1) {
		j--
	}
	if j == len(r.tokens) || j == 0 {
		return text, false
	}
	return text[:r.tokens[j-1].end], true
}

// CutBegin cuts words off the beginning of a text that only lead on from the words before it.
func (l Locale) CutBegin(text string) string {
	r := l.reading(text, epoch)
	for i := range r.tokens {
		if !r.isJoint(i) {
			return text[r.tokens[i].start:]
		}
	}
	return ""
}

// Leads reports whether words between a name and a value only lead to the value: "is", "on the".
func (l Locale) Leads(between string) bool {
	r := l.reading(between, epoch)
	for i := range r.tokens {
		if !r.isJoint(i) && !r.language.is(r.tokens[i].fold, copula) {
			return false
		}
	}
	return true
}

// isJoint reports whether a token only joins what stands on its sides: a preposition, "and", a comma.
func (r *reading) isJoint(i int) bool {
	t := r.tokens[i]
	if t.sort == mark {
		return t.sign == ',' || t.sign == ';' || t.sign == '-' || t.sign == '&'
	}
	return r.language.is(t.fold, joint|ands|owner)
}
