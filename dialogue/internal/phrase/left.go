package phrase

import (
	"slices"
	"strings"
	"unicode"
)

// Nothing that means something is passed over. A value is certain when every word of the utterance belongs to it, is
// politeness around it, or belongs to a sentence that only carries it: "let's meet on friday". Any other word may make it
// another value ("2 weeks before christmas", "half of 50", "less than 50"), so it is left over, and the user is asked. That a
// word is unknown is reason enough.

// left is the words that are left over beside the values of a slot that say one and the same; "" for none.
func (r *reading) left(s Slot, values []found) string {
	inside := func(t int) bool {
		for _, v := range values {
			if t >= v.i && t < v.j {
				return true
			}
		}
		return false
	}
	var over []int
	for t := 0; t < len(r.tokens); {
		if inside(t) {
			t++
			continue
		}
		n, neutral := r.neutral(s, t, inside)
		if !neutral {
			for k := t; k < t+n; k++ {
				over = append(over, k)
			}
		}
		t += n
	}
	return r.quoted(over)
}

// quoted is some tokens as they were said, with blanks between those that do not follow each other.
func (r *reading) quoted(tokens []int) string {
	var b strings.Builder
	for n, t := range tokens {
		if n > 0 && (t != tokens[n-1]+1 || !r.isGlued(t)) {
			b.WriteByte(' ')
		}
		b.WriteString(r.text[r.tokens[t].start:r.tokens[t].end])
	}
	return strings.ToValidUTF8(clip(b.String()), "")
}

// neutral reports whether the tokens that begin at t, n of them, say nothing that could change a value.
func (r *reading) neutral(s Slot, t int, inside func(int) bool) (n int, neutral bool) {
	if r.tokens[t].sort == mark {
		return 1, !r.marksValue(s, t, inside)
	}
	if r.isOneOf(t, inside) {
		return 1, false
	}
	k := r.spokenAt(t)
	if n := r.bound(k); n > 0 {
		starts := n == 1 && r.word(t) == "from" && s.kind().days && r.wants(s, starting) // "ab Freitag"
		return r.says[k+n-1] + 1 - t, starts || r.asksLimit() || r.asksFor(k, n)
	}
	if r.measures(s, t, inside) {
		return 1, false
	}
	n = r.filling(k)
	if n == 0 && r.isValueWord(t) {
		return 1, false
	}
	if n = max(n, r.carrying(s, k)); n > 0 && !r.changes(k, n) {
		end := r.says[k+n-1] + 1
		for at := t; at < end; at++ {
			if inside(at) {
				return 1, true
			}
		}
		return end - t, true
	}
	word := r.tokens[t].fold
	switch {
	case r.language.is(word, bounding) && r.asksLimit():
		return 1, true
	case r.language.is(word, ands) && r.within(t, inside):
		return 1, s.kind().many // "15 euros and 15"
	case s.kind() == Duration && r.language.is(word, lasting) && inside(t+1): // "pendant dix jours"
		return 1, true
	case r.language.is(word, changer):
		return 1, false
	case r.tokens[t].sort == digits:
		return 1, false
	case r.question[word], r.names(s, word), r.chooses(s, t, word):
		return 1, true
	}
	switch r.language.class(word) {
	case filler, function, hum:
		return 1, true
	}
	return 1, false
}

// within reports whether values stand on both sides of a token.
func (r *reading) within(t int, inside func(int) bool) bool {
	before, behind := t-1, t+1
	for before >= 0 && r.tokens[before].sort == mark {
		before--
	}
	return inside(before) && inside(behind)
}

// spokenAt is the index in says of a token that is no mark.
func (r *reading) spokenAt(t int) int {
	k := 0
	for k < len(r.says) && r.says[k] < t {
		k++
	}
	return k
}

// filling is how many spoken words from the k-th on only surround values.
func (r *reading) filling(k int) int {
	_, n := r.language.fillers.at(r.line, k)
	return n
}

// carrying is how many spoken words from the k-th on only say what a value of a slot is for. A subject of its own, such as "pay", is
// for another value, unless the slot or what goes on is called so.
func (r *reading) carrying(s Slot, k int) int {
	subject, n := r.language.carriers.at(r.line, k)
	if subject && s.isPlaced() && !s.kind().money && !slices.ContainsFunc(r.says[k:k+n], func(t int) bool { return r.isAbout(s, r.tokens[t].fold) }) {
		return 0
	}
	return n
}

// isPlaced reports whether it is known what a slot is called, and so what else a sentence may be about.
func (s Slot) isPlaced() bool { return len(s.Names) > 0 || len(s.About) > 0 }

// isAbout reports whether a word is one of the question, of what the slots are called, or of what goes on.
func (r *reading) isAbout(s Slot, word string) bool {
	return r.question[word] || r.names(s, word) || slices.ContainsFunc(s.About, func(w string) bool { return r.alike(w, word) })
}

// measures reports whether a token makes of the number beside it a time or a length of time, which is no count: "at" in "at 3", "years"
// in "9 years old". A slot may count just that: "nights", "age".
func (r *reading) measures(s Slot, t int, inside func(int) bool) bool {
	if (s.kind().money || s.kind() == Percent) && inside(t-1) && (r.isTimeUnit(t) || r.oclock(t) > t) { // 29 years
		return true
	}
	if !s.kind().counts || !s.isPlaced() || r.question[r.tokens[t].fold] || r.isCounted(s, t) {
		return false
	}
	if r.is(t, "at") && inside(t+1) {
		return true
	}
	if !inside(t - 1) {
		return false
	}
	return r.oclock(t) > t || r.isTimeUnit(t) && !r.wants(s, aging)
}

// isTimeUnit reports whether a token is a unit of time: "years".
func (r *reading) isTimeUnit(t int) bool {
	_, unit := r.language.spans[r.word(t)]
	return unit
}

// wants reports whether a word of some role stands in the question for a slot or in its name: "old" where it counts years.
func (r *reading) wants(s Slot, role role) bool {
	is := func(word string) bool { return r.language.is(word, role) }
	for word := range r.question {
		if is(word) {
			return true
		}
	}
	return slices.ContainsFunc(s.Names, func(name string) bool { return slices.ContainsFunc(foldedWords(name), is) })
}

// isOneOf reports whether a token is the one that makes a part of the number behind it: "one in three", "ein und zehn".
func (r *reading) isOneOf(t int, inside func(int) bool) bool {
	at := r.past(t+1, "out")
	return r.means(t, 1) && (r.word(at) == "and" || r.language.is(r.folded(at), dividing)) && inside(at+1) && (r.tokens[at+1].sort == digits || r.isNumberWord(at+1))
}

// means reports whether a word is a number, or the article that is one.
func (r *reading) means(t int, n int64) bool {
	units, ok := r.language.Values.Units[r.word(t)]
	return ok && units == n || n == 1 && r.language.meant != nil && r.word(t) == "a"
}

// bound is how many spoken words from the k-th on make a limit of a value: "less than".
func (r *reading) bound(k int) int {
	_, n := r.language.bounds.at(r.line, k)
	return n
}

// changes reports whether one of some spoken words changes values.
func (r *reading) changes(k, n int) bool {
	for _, t := range r.says[k : k+n] {
		if r.language.is(r.tokens[t].fold, changer) && n == 1 {
			return true
		}
	}
	return false
}

// asksLimit reports whether the question is for a limit, of which "at most" is a part: "What is your budget?"
func (r *reading) asksLimit() bool {
	for word := range r.question {
		if r.language.is(word, limit) {
			return true
		}
	}
	return false
}

// asksFor reports whether spoken words are words of the question: "At most?" "At most 50."
func (r *reading) asksFor(k, n int) bool {
	asked := false
	for _, t := range r.says[k : k+n] {
		word := r.tokens[t].fold
		if !r.question[word] && r.language.class(word) == content {
			return false
		}
		asked = asked || r.question[word]
	}
	return asked
}

// names reports whether a word is one of those that a slot, or one beside it, is called by.
func (r *reading) names(s Slot, word string) bool {
	for _, name := range slices.Concat(s.Names, s.Beside) {
		for _, w := range foldedWords(name) {
			if r.alike(word, w) {
				return true
			}
		}
	}
	return false
}

// chooses reports whether a word beside one of the slot's choices says no more than the choice: it is a word of several
// choices, a form of the slot's name, or the currency of choices that are numbers.
func (r *reading) chooses(s Slot, t int, word string) bool {
	if s.Items != nil {
		s.Choices = append(slices.Clip(s.Choices), s.Items.Choices...)
	}
	if len(s.Choices) == 0 {
		return false
	}
	if _, money := r.coin(t); money {
		return true
	}
	const form = 6 // letters that "allergic" and "allergies" have in common
	for _, name := range s.Names {
		for _, w := range foldedWords(name) {
			if len(w) >= form && len(word) >= form && w[:form] == word[:form] {
				return true
			}
		}
	}
	return newChooser(s.Choices, r.language).shared(word)
}

// isValueWord reports whether a word is one that values are made of, whatever else it may be: a part of the day, a unit of
// time, a number. Words of every sentence are not ("may"), nor those of a greeting ("good evening").
func (r *reading) isValueWord(t int) bool {
	token := r.tokens[t]
	if token.spelled {
		return true
	}
	class := r.language.class(token.fold)
	if class == function || class == filler && r.greets(t) {
		return false
	}
	return r.isValueTerm(t)
}

// isValueTerm reports whether a word is one of numbers, days and times, in whatever sentence.
func (r *reading) isValueTerm(t int) bool {
	word, l := r.word(t), r.language
	_, unit := l.Values.Units[word]
	_, ordinal := l.Values.Ordinals[word]
	_, weekday := l.weekdays[word]
	_, month := l.months[word]
	_, span := l.spans[word]
	_, part := l.parts[word]
	return unit || ordinal || weekday || month || span || part
}

// isNumberWord reports whether a word is a number.
func (r *reading) isNumberWord(t int) bool {
	_, unit := r.language.Values.Units[r.word(t)]
	return unit || r.tokens[t].spelled
}

// saysDay reports whether a day that has a name of its own stands at a token, of which there are not several: "tomorrow".
func (r *reading) saysDay(t int) bool {
	k, at := slices.BinarySearch(r.says, t)
	if !at {
		return false
	}
	_, n := r.language.days.at(r.line, k)
	return n > 0
}

// isDayWord reports whether a word names a day or a month, which changes no time of day.
func (r *reading) isDayWord(t int) bool {
	_, weekday := r.language.weekdays[r.word(t)]
	_, month := r.language.months[r.word(t)]
	return weekday || month
}

// greets reports whether a part of the day is a greeting: "good evening".
func (r *reading) greets(t int) bool {
	if _, part := r.language.parts[r.word(t)]; !part {
		return true
	}
	k := r.spokenAt(t)
	return k > 0 && r.language.class(r.wordAt(k-1)) == filler && r.language.is(r.wordAt(k-1), greeting)
}

// marksValue reports whether a mark may change a value: "%", "/", a sign of a currency, a minus before a number.
func (r *reading) marksValue(s Slot, t int, inside func(int) bool) bool {
	sign := r.tokens[t].sign
	switch sign {
	case '%', '‰', '/', '+', '*', '=', '<', '>', '^', '°', '|', '\\', '§', '×', '÷', '±', '≤', '≥':
		return true
	case '\'', '"', '′', '″', '’', '”':
		return r.isGlued(t) && inside(t-1) && r.tokens[t-1].sort == digits && !r.opens(t)
	}
	if _, _, part := vulgar(sign); part {
		return true
	}
	if unicode.Is(unicode.Sc, sign) {
		return true
	}
	if (sign == ',' || sign == '.') && !r.isGlued(t) && r.isGlued(t+1) && inside(t+1) { // ",77"
		return true
	}
	if isMinus(sign) && inside(t+1) && (!s.kind().days || s.kind() == Duration && r.isGlued(t+1) && !r.isGlued(t)) {
		return true
	}
	return false
}

// opens reports whether a quote stands before a token, too.
func (r *reading) opens(t int) bool {
	for i := range t {
		switch r.tokens[i].sign {
		case '\'', '"', '′', '″', '‘', '’', '“', '”', '„':
			return true
		}
	}
	return false
}

// touched is a value that was found in a longer utterance. A word that touches it and changes it is left over. Of the other
// words of the utterance nobody knows here what they say.
func (r *reading) touched(s Slot, v found) found {
	k := s.kind()
	if !k.exact || v.Reason != "" || v.Left != "" {
		return v
	}
	var over []int
	at := func(t int) bool { return t >= v.i && t < v.j }
	if t := r.touchingBefore(k, v.i); t >= 0 {
		over = append(over, t)
	} else if v.i > 0 && r.measures(s, v.i-1, at) {
		over = append(over, v.i-1)
	}
	if t := r.touchingBehind(k, v.j); t >= 0 {
		over = append(over, t)
	} else if v.j < len(r.tokens) && r.measures(s, v.j, at) {
		over = append(over, v.j)
	}
	v.Left = r.quoted(over)
	return v
}

// touchingBefore is a token before a value that changes it; -1 for none.
func (r *reading) touchingBefore(k *Kind, i int) int {
	t := i - 1
	if t >= 0 && r.tokens[t].sort == mark && r.isGlued(i) && r.marksValue(Slot{Kind: k}, t, func(at int) bool { return at == i }) {
		return t
	}
	for t >= 0 && r.tokens[t].sort != mark && r.language.is(r.tokens[t].fold, owner) {
		t--
	}
	if t < 0 || r.tokens[t].sort == mark {
		return -1
	}
	at := r.spokenAt(t)
	for n := min(r.language.bounds.longest, at+1); n > 0; n-- {
		if r.bound(at+1-n) == n {
			if r.asksLimit() {
				return -1
			}
			return t
		}
	}
	if r.language.is(r.tokens[t].fold, changer) && k.days || r.isGlued(i) {
		return t
	}
	if k.days && r.isValueWord(t) && !(k.clock && r.isDayWord(t)) && !(r.isNumberWord(t) && r.saysDay(i)) {
		return t
	}
	return -1
}

// touchingBehind is a token behind a value that changes it; -1 for none.
func (r *reading) touchingBehind(k *Kind, j int) int {
	if j >= len(r.tokens) {
		return -1
	}
	if r.tokens[j].sort == mark {
		if r.isGlued(j) && r.marksValue(Slot{Kind: k}, j, func(at int) bool { return at == j-1 }) {
			return j
		}
		return -1
	}
	word := r.word(j)
	if word == "of" || word == "percent" || r.isGlued(j) || k.days && (r.is(j, "ago", "before", "after") || r.isValueWord(j) && r.tokens[j].sort == letters && !r.tokens[j].spelled && !(k.clock && r.isDayWord(j))) {
		return j
	}
	return -1
}
