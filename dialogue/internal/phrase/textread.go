package phrase

import (
	"regexp"
	"slices"
	"strings"
)

// Text is the kind of texts: string, the words as they were said.
var Text = &Kind{name: "text", answer: (*reading).textAnswer}

// textAnswer is what was said, without the politeness around it.
func (r *reading) textAnswer(s Slot) (Value, bool) {
	whole := strings.TrimSpace(r.text)
	if len(r.says) == 0 {
		if whole == "" {
			return Value{}, false
		}
		start := strings.Index(r.text, whole)
		return r.checked(s, Value{Value: whole, Text: whole, Start: start, End: start + len(whole), Score: 0.5}), true
	}
	i, j := r.trimmed(s.Names)
	start, end := r.textSpan(i, j)
	v := Value{Value: r.text[start:end], Text: r.text[start:end], Start: start, End: end, Score: 1}
	if s.Pattern == nil {
		return v, true
	}
	if v = r.checked(s, v); v.Reason != "" {
		start = strings.Index(r.text, whole)
		raw := r.checked(s, Value{Value: whole, Text: whole, Start: start, End: start + len(whole), Score: 1})
		if raw.Reason == "" {
			return raw, true
		}
	}
	return v, true
}

// trimmed is the spoken words of an answer in words: from i to before j, without what is said around it. If that is
// all, nothing is taken away.
func (r *reading) trimmed(names []string) (i, j int) {
	i, j = 0, len(r.says)
	who := r.asksName(names)
	led := who || r.inquires(names, person|site)
	open := false // a verb may be at the end
	for i < j {
		n := r.introduction(i, j, who)
		if n == 0 {
			n = r.called(i, j, names)
			open = open || n > 0
		}
		for _, name := range names {
			if m := r.marked(i, foldedWords(name)); n == 0 && m < j-i {
				n = m
			}
		}
		if n == 0 {
			n = r.under(i, j, names)
		}
		if n == 0 && led {
			n = r.route(i, j)
			open = open || n > 0
		}
		if n == 0 {
			break
		}
		i += n
	}
	if i < j-1 && r.isLead(i) && j-i <= 6 {
		i++
	}
	for j > i+1 && !r.cut {
		n := r.ending(i, j, who)
		if n == 0 {
			break
		}
		j -= n
	}
	if open && j > i+1 && r.language.is(r.wordAt(j-1), ends) {
		j--
	}
	if i >= j {
		return 0, len(r.says)
	}
	return i, j
}

// introduction is how many spoken words from i on only introduce the answer that ends before j.
func (r *reading) introduction(i, j int, who bool) int {
	if r.language.class(r.wordAt(i)) == hum {
		return 1
	}
	_, n := r.language.intros.at(r.line, i)
	if n == 0 && who {
		_, n = r.language.selves.at(r.line, i)
	}
	if left := j - i - n; left <= 0 || left > 4 {
		return 0
	}
	return n
}

// ending is how many spoken words before j only end the answer that begins at i.
func (r *reading) ending(i, j int, who bool) int {
	for n := min(r.language.outros.longest, j-i-1); n > 0; n-- {
		if _, long := r.language.outros.at(r.line, j-n); long == n {
			return n
		}
	}
	if word := r.wordAt(j - 1); r.language.class(word) == hum || r.language.is(word, polite) || r.language.is(word, present) && who {
		return 1
	}
	return 0
}

// asksName reports whether somebody's name was asked for, by the question or by what the answer is called.
func (r *reading) asksName(names []string) bool { return r.inquires(names, asksName) }

// inquires reports whether the question, or what the answer is called, has a word with one of some roles.
func (r *reading) inquires(names []string, any role) bool {
	for word := range r.question {
		if r.language.is(word, any) {
			return true
		}
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(foldedWords(name), func(w string) bool { return r.language.is(w, any) })
	})
}

// route is how many spoken words from i on only lead to a person or a place: "it goes to", "the money is for".
func (r *reading) route(i, j int) int {
	k := i
	for k < j && r.language.is(r.wordAt(k), polite) {
		k++
	}
	_, n := r.language.routes.at(r.line, k)
	switch {
	case j-i < 2 || r.initial(i):
		return 0
	case n > 0:
	case r.language.is(r.wordAt(k), owner) && k+2 < j:
		k += 2
	case r.language.is(r.wordAt(k), pronoun):
		k++
	}
	const most = 8 // words
	if _, n := r.language.routes.at(r.line, k); n > 0 && k+n < j && j-k-n <= most {
		return k + n - i
	}
	return 0
}

// called is how many spoken words from i on only say what the answer is called: "my address is", "the recipient is".
func (r *reading) called(i, j int, names []string) int {
	at := i
	if r.language.is(r.wordAt(at), owner) {
		at++
	}
	for _, name := range names {
		words, k := foldedWords(name), at
		for n := 0; n < len(words) && k < j && r.alike(r.wordAt(k), words[n]); n++ {
			k++
		}
		if named := k; len(words) > 0 && k == at+len(words) {
			for k < j-1 && r.language.is(r.wordAt(k), copula) { // "should be"
				k++
			}
			if k > named {
				return k - i
			}
		}
	}
	return 0
}

// under is how many spoken words from i on only say that a name follows: "under the name", "in the name of".
func (r *reading) under(i, j int, names []string) int {
	k := i + 1
	if r.language.class(r.wordAt(i)) == negation { // "No Name Hotels"
		return 0
	}
	for k < j && k < i+3 && r.language.class(r.wordAt(k)) != content {
		k++
	}
	if k >= j-1 || k == i+1 && r.language.class(r.wordAt(i)) == content || !r.language.is(r.wordAt(k), asksName) && !slices.ContainsFunc(names, func(name string) bool { return r.alike(r.wordAt(k), fold(name)) }) {
		return 0
	}
	if k++; k < j-1 && (r.is(r.says[k], "of") || r.language.is(r.wordAt(k), joint|copula)) { // "her name is Ida"
		k++
	}
	return k - i
}

// Tells reports whether a text that is to be a name is a sentence.
//
// Such are "I told you already", "we come at 3", "not Ada but Ida" and "Ada and two helmets". It is false where no name was asked for.
// Of what begins with an unknown word, such as a name, only what follows an "and" tells.
func (l Locale) Tells(slot Slot, text string) bool {
	r := l.reading(text, epoch)
	if r.cut || len(r.says) < 2 || r.inQuotes() || !l.AsksWho(slot) {
		return false
	}
	first := r.wordAt(0)
	if r.language.is(first, pronoun|askword) && !r.language.is(first, owner) {
		return true
	}
	open := r.tokens[r.says[0]].sort == digits || r.language.known[first] || r.language.class(first) != content
	for k, t := range r.says {
		word := r.wordAt(k)
		_, month := r.language.months[r.word(t)]
		subject, _ := r.language.carriers.at(r.line, k)
		tells := k > 0 && (subject || r.language.is(word, asking)) || r.tokens[t].sort == digits && !r.isGlued(t) || r.isValueTerm(t) && !month
		if open && tells || (r.parted(k) || open && k > 1) && r.language.class(word) == negation && !r.language.is(word, stops) {
			return true
		}
		m, _ := r.language.moods.at(r.line, k)
		open = open || m == turns || r.language.is(word, link|ands)
	}
	return false
}

// AsksWho reports whether a slot or the question for it asks for a name.
func (l Locale) AsksWho(slot Slot) bool {
	of := l.language()
	if slices.ContainsFunc(foldedWords(slot.Asked), func(w string) bool { // "Any note for the driver?" asks for no name
		return of.is(w, asksName) || of.is(w, person) && of.class(w) != content
	}) {
		return true
	}
	return slices.ContainsFunc(slot.Names, func(name string) bool {
		for i, w := range foldedWords(name) {
			if i > 0 && of.class(w) == function { // "note for the driver"
				return false
			}
			if of.is(w, asksName|person) {
				return true
			}
		}
		return false
	})
}

// Points reports whether an answer has no words of its own: it points to another one, or puts it off.
//
// Such are "same as before", "I don't know yet" and "let me ask my wife".
func (l Locale) Points(slot Slot, text string) (points bool) {
	r := l.reading(text, epoch)
	for k, t := range r.says {
		switch w := r.wordAt(k); {
		case r.language.is(w, pointing):
			points = true
		case r.tokens[t].sort == digits:
			return false
		case r.language.class(w) != content, r.language.is(w, pronoun|further|changer), r.isValueTerm(t), slices.Contains(slot.Names, w):
		case k == 0 || k+1 < len(r.says) || !r.language.is(r.wordAt(k-1), owner): // "my wife"
			return false
		}
	}
	return points && !r.cut
}

// BareName is a name without what is said behind it: "please", "instead".
func (l Locale) BareName(text string) string {
	r := l.reading(text, epoch)
	j := len(r.says)
	for j > 1 && !r.cut {
		n := r.ending(0, j, false)
		if m, turn := r.language.moods.at(r.line, j-1); n == 0 && turn > 0 && m == turns {
			n = 1
		}
		if n == 0 {
			break
		}
		j -= n
	}
	if j == 0 || j == len(r.says) {
		return text
	}
	return strings.TrimRight(r.text[:r.tokens[r.says[j-1]].end], " ,;")
}

// Routed is what stands behind words that lead to a person or a place: "Tim" of "it goes to Tim".
func (l Locale) Routed(text string) (rest string, ok bool) {
	r := l.reading(text, epoch)
	if n := r.route(0, len(r.says)); n > 0 && !r.cut {
		return l.BareName(r.toVerb(n)), true
	}
	return text, false
}

// toVerb is the text from a spoken word on, without a verb at its end: "Ada" of "der Name soll Ada sein".
func (r *reading) toVerb(k int) string {
	start, _ := r.wide(r.says[k], r.says[k]+1)
	end := len(r.text)
	if last := len(r.says) - 1; last > k && r.language.is(r.wordAt(last), ends) {
		end, _ = r.wide(r.says[last], r.says[last]+1)
	}
	return strings.TrimSpace(r.text[start:end])
}

// Receives reports whether a slot is called as people are who get something: "recipient".
func (l Locale) Receives(slot Slot) bool {
	of := l.language()
	return slices.ContainsFunc(slot.Names, func(name string) bool {
		return slices.ContainsFunc(foldedWords(name), func(w string) bool { return of.is(w, person) && !of.is(w, asksName) })
	})
}

// isLead reports whether a preposition stands before the answer that was in the question, too: "to Bob", asked "to whom?"
func (r *reading) isLead(i int) bool {
	word := r.wordAt(i)
	const short = 3                                                                                       // words: "De qui ?"
	if r.language.is(word, particle) && !(r.question[word] && len(r.question) <= short) || r.initial(i) { // "de Gaulle", "A. Dupont"
		return false
	}
	for asked, leads := range r.language.leads {
		if r.question[asked] && leads[word] {
			return true
		}
	}
	return false
}

// textSpan is where the spoken words from i to before j stand. Where nothing was taken away at an end, the marks there
// belong to the text.
func (r *reading) textSpan(i, j int) (start, end int) {
	start, end = r.wide(r.says[i], r.says[j-1]+1)
	if i == 0 {
		for start = 0; start < end && isBlank(r.text[start]); start++ {
		}
	}
	for at := r.says[i] - 1; i > 0 && at > r.says[i-1] && strings.ContainsRune("{[(<", r.tokens[at].sign); at-- {
		start = r.tokens[at].start // nothing is cut off in the middle: "{{ name }}"
	}
	if j == len(r.says) {
		for end = len(r.text); end > start && isBlank(r.text[end-1]); end-- {
		}
	}
	return start, end
}

// checked is a text with the reason why it is not what is asked for, if it is not.
func (r *reading) checked(s Slot, v Value) Value {
	if s.Pattern == nil {
		return v
	}
	text, _ := v.Value.(string)
	if !s.looksLike(text) {
		v.Value, v.Score, v.Reason = nil, 0.5, r.language.Say(WrongForm, Args{"said": r.language.Quote(clip(text))})
	}
	return v
}

// looksLike reports whether the pattern matches a text as a whole.
func (s Slot) looksLike(text string) bool {
	if len(text) > maxBytes {
		return false
	}
	at := s.Pattern.FindStringIndex(text)
	if at == nil || at[0] == 0 && at[1] == len(text) {
		return at != nil
	}
	whole, err := regexp.Compile(`\A(?:` + s.Pattern.String() + `)\z`) // the first of its alternatives may be too short
	return err == nil && whole.MatchString(text)
}

// TakenBack reports whether a text takes back a part of itself, or leaves open which of two is meant.
//
// Such are "Bob. No wait, to Ada", "Bob sorry Ada" and "Bob or Ada". The last is what it ends with, where that is plainly what is meant in place of what stands before it; "" where it is
// open.
func (l Locale) TakenBack(text string) (last string, ok bool) {
	const few, most = 4, 8 // words on a side, and of all
	r := l.reading(text, epoch)
	if r.cut || len(r.says) > most {
		return "", false
	}
	for k := 1; k < len(r.says); k++ {
		behind := len(r.says) - k
		does, n := r.language.openers.at(r.line, k)
		m, no := r.language.moods.at(r.line, k)
		switch {
		case does == turning && r.parted(k), m == saysNo && r.parted(k) && r.parted(k+no) && k+no < len(r.says):
			ok = true
			if last = r.inPlace(k); k > few || behind > few+max(n, no) {
				last = ""
			}
		case does == turning && behind > n && k <= few && behind <= few+n, r.isOr(k) && k <= 2 && behind <= 3 && behind > 1:
			last, ok = "", true
		}
		k += max(0, n-1)
	}
	return last, ok
}

// EitherOf returns the two parts of a text that leaves open which of them is meant.
//
// Of "Bob or Ada" they are "Bob" and "Ada".
func (l Locale) EitherOf(text string) []string {
	r := l.reading(text, epoch)
	for k := 1; k+1 < len(r.says) && !r.cut; k++ {
		if r.isOr(k) {
			start, _ := r.wide(r.says[k+1], r.says[k+1]+1)
			return []string{strings.TrimSpace(r.text[:r.tokens[r.says[k-1]].end]), strings.TrimSpace(r.text[start:])}
		}
	}
	return nil
}

// isOr reports whether a spoken word is the one between two things of which one is meant.
func (r *reading) isOr(k int) bool { return r.wordAt(k) == strings.TrimSpace(r.language.Or) }

// inPlace is what is said behind words that put something right, which begin with the k-th spoken word: of "no wait, to Ada" it
// is "Ada".
func (r *reading) inPlace(k int) string {
	start, _ := r.wide(r.says[k], r.says[k]+1)
	rest, _ := r.locale.Opened(r.text[start:])
	if _, denies, behind, _ := r.locale.Assent(rest); denies {
		rest = behind
	}
	return strings.Trim(r.locale.CutBegin(rest), " .,;!")
}
