package phrase

import "strings"

// Of a question that asks whether to cancel something, the words that stop a conversation anywhere else say what was asked: "Shall I
// cancel your appointment?" "Cancel it, please." Alone they may mean either, and the user is asked.

// Deed is a yes or a no in the words of a question that asks to cancel something: "please cancel it".
//
// "Keep it" is a no. Unclear is what says no more than the question, and neither: "cancel".
func (l Locale) Deed(q Question, text string) (yes, no, unclear bool) {
	r := l.readingTo(q, text)
	if !r.asksCancel() {
		return false, false, false
	}
	if yes, no = r.deed(); yes || no {
		return yes, no, false
	}
	for i := 0; i < len(r.says); i++ {
		word := r.wordAt(i)
		_, n := r.language.kept.at(r.line, i)
		switch {
		case r.isDeed(word):
			unclear = true
		case n > 0:
			unclear, i = true, i+n-1
		case r.language.is(word, canceller), !r.question[word] && (r.language.is(word, thing) || r.language.class(word) == content && !r.language.is(word, polite|amiss)):
			return false, false, false
		}
	}
	return false, false, unclear
}

// isDeed reports whether a word is a form of the verb of a question that asks to cancel something.
func (r *reading) isDeed(word string) bool {
	const stem = 5                                                            // letters
	if bare := strings.TrimLeft(word, "ln"); r.language.is(bare, canceller) { // "l'annulez"
		word = bare
	}
	if !r.language.is(word, canceller) || len(word) < stem {
		return false
	}
	for verb, asked := range r.verbs {
		if asked && r.language.is(verb, canceller) && strings.HasPrefix(verb, word[:stem]) {
			return true
		}
	}
	return false
}

// asksCancel reports whether a question asks to cancel something.
func (r *reading) asksCancel() bool {
	for verb, asked := range r.verbs {
		if asked && r.language.is(verb, canceller) {
			return true
		}
	}
	return false
}

// deed is a yes or a no that is said with the words of a question that asks to cancel something: "please cancel it", "keep it".
func (r *reading) deed() (yes, no bool) {
	var said, refused, kept, deed, barred, object bool
	if r.unsure() {
		return false, false
	}
	for i := 0; i < len(r.says); {
		word := r.wordAt(i)
		if _, n := r.language.kept.at(r.line, i); n > 0 && !r.isDeed(word) {
			kept, i = true, i+n
			continue
		}
		m, n := r.mood(i)
		switch {
		case r.isDeed(word):
			deed, n = true, 1
		case m == saysYes:
			said = true
		case m == saysNo:
			refused = true
		case m == bars, n == 0 && r.language.class(word) == negation:
			barred, n = true, max(n, 1)
		case m == around, r.language.is(word, ands), r.language.is(word, polite):
			n = max(n, 1)
		case m != 0, r.valueRun(i) > 0, r.language.is(word, askword|amiss), !r.question[word] && (r.language.is(word, thing) || r.language.class(word) == content):
			return false, false
		default:
			object = object || deed && (!r.language.is(word, pronoun) || r.language.is(word, vague)) // not "cancel that"
			n = 1
		}
		i += n
	}
	switch {
	case said && (refused || barred), deed && (kept || refused && !barred):
		return false, false
	case kept, deed && barred:
		return false, deed || !barred
	}
	return deed && (said || object) && !r.amiss(len(r.says)), false
}
