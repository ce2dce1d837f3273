package phrase

import (
	"slices"
	"strings"
	"unicode"
)

// A question for a yes has a verb that says what is to be done: "Submit?", "Je réserve ?", "Den Vertrag kündigen?". The same verb as an order
// is a yes, where nothing else is said: "submit it, please". Verbs that ask to stop have rules of their own, see [Locale.Deed].

// Askings tell where the verb of a question for a yes stands, and how people say it as an order.
type Askings struct {
	Leads    string // sayings before the verb: "shall i", "je"
	Elided   string // such sayings that the verb swallows: "j"
	Last     bool   // an infinitive at the end is the verb
	Endings  string // of infinitives
	Orders   string // of verbs that order, and of infinitives
	Apart    string // beginnings of verbs that an order puts at the end: "ab"
	Acts     string // verbs that any such question may be about: "book"
	Softened string // a letter at the end of a stem that another one stands for in some forms: "yi"
}

var englishAskings = Askings{
	Leads: `shall i | should i | may i | can i | could i | do i | shall we | should we | may we | can we | do you want to | do you want me to | would you like to | would you like me to | do you wish to | want to | want me to | ready to | am i to | will you`,
	Acts:  "book order send submit buy purchase reserve pay ship confirm save place transfer schedule charge deliver rent hire create open register sign change accept take use continue proceed want",
}

var germanAskings = Askings{
	Last: true, Endings: "en n", Orders: "en n e", Apart: "ab an auf aus bei durch ein fest fort frei her hin los mit nach um vor weg weiter zu zuruck zusammen",
	Acts: "buchen bestellen reservieren senden schicken abschicken absenden versenden kaufen zahlen bezahlen bestatigen speichern ausfuhren uberweisen anlegen eintragen anmelden mieten liefern nehmen andern ubernehmen weitermachen",
}

var frenchAskings = Askings{
	Acts:   "reserver commander envoyer acheter payer confirmer valider enregistrer transferer virer livrer louer creer ouvrir inscrire changer accepter prendre continuer", //nolint:misspell // French
	Elided: "j", Leads: `je | on | nous | dois je | puis je | peux je | voulez vous | souhaitez vous | desirez vous | veux tu | souhaites tu | faut il`, Endings: "er ir re", Orders: "er ir re ez e es ons s is issez", Softened: "yi",
}

// Ordered is a yes or a no to a question in its own verb: "submit it", "please don't submit". There is nothing else in either.
func (l Locale) Ordered(q Question, text string) (yes, no bool) {
	r := l.readingTo(q, text)
	if r.asked == nil || r.asksCancel() || r.unsure() || r.asks(0) {
		return false, false
	}
	verb, apart, ok := r.verb()
	if !ok {
		return false, false
	}
	about := foldedSet(strings.Join(q.About, " "))
	known := func(k int) bool { // what the question is about
		word := r.wordAt(k)
		return (r.question[word] || about[word] || r.language.is(word, thing)) && r.language.class(word) == content && !r.ordersAt(k, verb, apart)
	}
	var does, barred, said, parted, values, object bool
	for k := 0; k < len(r.says); {
		word, of := r.wordAt(k), r.language
		m, n := r.mood(k)
		turn, _ := of.moods.at(r.line, k)
		opener, _ := of.openers.at(r.line, k)
		switch is, whole := r.orders(k, verb, apart); {
		case turn == turns && !of.is(word, ands), opener == turning, of.is(word, askword|lacking), of.is(word, amiss) && of.class(word) != negation && m != bars:
			return false, false
		case is:
			if does || k > 0 && of.is(r.wordAt(k-1), pronoun) && !of.is(r.wordAt(k-1), you|returned) { // "I submit"
				return false, false
			}
			object = object || r.verbAt(k) != word // "l'envoi"
			does, parted, n = true, parted || whole, 1
		case does && apart != "" && word == apart && k+1 == len(r.says):
			parted, n = true, 1
		case m == around && does && r.recipient(k, n):
			return false, false
		case of.is(word, returned):
			object, n = object || !does, 1
		case m == saysYes:
			said = true
		case m == saysNo && n > 1 && k+n < len(r.says) && r.ordersAt(k+n, verb, apart): // "I don't want to submit"
			barred = true
		case m == bars, of.class(word) == negation && n <= 1:
			barred, n = true, max(n, 1)
		case m == around:
		case m != 0:
			return false, false
		case r.valueRun(k) > 0:
			if n = r.valueRun(k); !r.asked.holds(r.line, k, n) {
				return false, false
			}
			values = true
		case of.is(word, polite), of.class(word) == hum, does && of.is(word, you):
			n = 1
		case k+1 < len(r.says) && (of.is(word, owner) || of.class(word) == function && (!of.is(word, joint) || r.question[word])) && (known(k+1) || r.valueRun(k+1) > 0):
			n = 1
		case r.question[word] && known(k), k > 0 && r.leadsTo(k) && known(k):
			n = 1
		case !does && (of.class(word) == filler && !of.is(word, owner) || of.is(word, ands)):
			n = 1
		default:
			return false, false
		}
		k += n
	}
	if !does || apart != "" && !parted || barred && (said || values) || object && !barred && !r.language.Askings.Last {
		return false, false
	}
	return !barred && !r.amiss(len(r.says)), barred
}

// recipient reports whether one of some spoken words is a pronoun: "for me".
func (r *reading) recipient(k, n int) bool {
	for i := k; i < k+n; i++ {
		if word := r.wordAt(i); r.language.is(word, pronoun) && !r.language.is(word, you) {
			return true
		}
	}
	return false
}

// leadsTo reports whether an article or the like stands before a spoken word.
func (r *reading) leadsTo(k int) bool {
	word := r.wordAt(k - 1)
	return r.language.is(word, owner) || r.language.class(word) == function
}

// BarsElse reports whether an utterance forbids something that a question does not ask about.
//
// "Don't call" does at "Submit?".
func (l Locale) BarsElse(q Question, text string) bool {
	r := l.readingTo(q, text)
	if r.asked == nil || r.asksCancel() || r.unsure() {
		return false
	}
	k := 0
	for k < len(r.says) && r.language.is(r.wordAt(k), polite) {
		k++
	}
	m, n := r.language.moods.at(r.line, k)
	if said, ok := l.Common(text); m != bars || !r.denies(k) || ok && said.Command == Cancel {
		return false
	}
	verb, apart, _ := r.verb()
	about := foldedSet(strings.Join(append(slices.Clone(q.About), q.Names...), " "))
	for k += n; k < len(r.says) && !r.parted(k); k += max(n, 1) {
		word := r.wordAt(k)
		m, n = r.mood(k)
		switch {
		case m == around:
		case m != 0, verb != "" && r.ordersAt(k, verb, apart), r.valueRun(k) > 0, r.acts(k), r.language.is(word, thing|stops|canceller|final|lacking|suiting):
			return false
		case r.language.class(word) == content && !r.language.is(word, polite|pronoun|vague|ands):
			return !r.question[word] && !about[word]
		}
	}
	return false
}

// acts reports whether a spoken word is a verb that any question for a yes may be about: "book".
func (r *reading) acts(k int) bool {
	a := &r.language.Askings
	for act := range strings.FieldsSeq(a.Acts) {
		if stem, ok := r.stemOf(act, a, true); ok {
			if is, _ := r.orders(k, stem, ""); is {
				return true
			}
		}
	}
	return false
}

// denies reports whether an order not to do something begins at a spoken word: "don't", "do not", and not "I don't want".
func (r *reading) denies(k int) bool {
	return r.language.class(r.wordAt(k)) == negation || k+1 < len(r.says) && !r.language.is(r.wordAt(k), pronoun) && r.language.class(r.wordAt(k+1)) == negation
}

// verb is the stem of the verb that a question asks about, and its beginning that an order puts at the end.
func (r *reading) verb() (stem, apart string, ok bool) {
	q, a := r.asked, &r.language.Askings
	from := q.lastSentence()
	if from == len(q.says) {
		return "", "", false
	}
	at := -1
	for k := from; k < len(q.says) && at < 0; k++ {
		if _, n := r.language.asked.at(q.line, k); n > 0 {
			at = k + n
			for a.Endings != "" && at < len(q.says) && !q.parted(at) && r.language.class(q.verbAt(at)) != content { // "je vous l'envoie"
				at++
			}
		} else if said := q.uttered(k); Unelided(said) != said && slices.Contains(strings.Fields(a.Elided), fold(said[:1])) {
			at = k
		}
	}
	infinitive := false
	switch last := len(q.says) - 1; {
	case a.Last && (last == from || !q.isUpper(last)):
		at, infinitive = last, true
	case a.Last:
		return "", "", false
	case at < 0 && a.Endings != "":
		at, infinitive = from, true
	case at < 0 && (from == last || q.takesObject(from+1)):
		at = from
	}
	if at < 0 || at >= len(q.says) {
		return "", "", false
	}
	word := q.verbAt(at)
	if m, _ := r.language.moods.at(q.line, at); m != 0 && at == len(q.says)-1 || r.language.class(word) != content || q.valueRun(at) > 0 || r.titled(word) || r.language.is(word, canceller|final|amiss) {
		return "", "", false
	}
	if stem, ok = r.stemOf(word, a, infinitive); !ok {
		return "", "", false
	}
	for part := range strings.FieldsSeq(a.Apart) {
		if rest, is := strings.CutPrefix(stem, part); is && len(rest) > 2 && len(part) > len(apart) {
			apart = part
		}
	}
	return strings.TrimPrefix(stem, apart), apart, true
}

// stemOf is a verb without its ending.
func (r *reading) stemOf(word string, a *Askings, infinitive bool) (stem string, ok bool) {
	const least = 3 // letters
	endings := a.Orders
	if infinitive {
		endings = a.Endings
	}
	if endings == "" {
		return word, len(word) >= least
	}
	for ending := range strings.FieldsSeq(endings) {
		if rest, is := strings.CutSuffix(word, ending); is && len(rest) >= least && (stem == "" || len(rest) < len(stem)) {
			stem = rest
		}
	}
	return r.soft(stem, a), stem != ""
}

// soft is a stem as it is in all forms: "envoi" of "envoyez".
func (r *reading) soft(stem string, a *Askings) string {
	if a.Softened != "" && strings.HasSuffix(stem, a.Softened[:1]) {
		return stem[:len(stem)-1] + a.Softened[1:]
	}
	return stem
}

// orders reports whether a spoken word is a form of a verb that orders; whole says that it has the beginning that may stand apart.
func (r *reading) orders(k int, stem, apart string) (is, whole bool) {
	a := &r.language.Askings
	word, said := r.verbAt(k), r.uttered(k)
	if strings.HasSuffix(said, "é") || strings.HasSuffix(said, "\u0301") { // "réservé"
		return false, false
	}
	if apart != "" {
		word, whole = strings.CutPrefix(word, apart)
	}
	if word == stem {
		return true, whole
	}
	for ending := range strings.FieldsSeq(a.Orders) {
		rest, ends := strings.CutSuffix(word, ending)
		if ends && r.soft(rest, a) == stem && (!r.language.is(r.wordAt(k), afresh|further|vague) || said[0] > unicode.MaxASCII) {
			return true, whole
		}
	}
	return false, false
}

// ordersAt reports whether a spoken word is a form of a verb that orders.
func (r *reading) ordersAt(k int, stem, apart string) bool {
	is, _ := r.orders(k, stem, apart)
	return is
}

// uttered is a spoken word as it was said.
func (r *reading) uttered(k int) string {
	t := r.tokens[r.says[k]]
	return r.text[t.start:t.end]
}

// verbAt is a spoken word without a pronoun that it swallows: "envoie" of "j'envoie".
func (r *reading) verbAt(k int) string {
	if bare := Unelided(r.uttered(k)); bare != r.uttered(k) {
		return fold(bare)
	}
	return r.wordAt(k)
}

// lastSentence is the spoken word that the last sentence begins with.
func (r *reading) lastSentence() int {
	const least = 3 // letters of a word before a point that ends a sentence
	for k := len(r.says) - 1; k > 0; k-- {
		for t := r.says[k-1] + 1; t < r.says[k]; t++ {
			sign := r.tokens[t].sign
			if sign == '!' || sign == '?' || sign == '\n' || sign == '.' && !r.abbreviates(t) && !r.isInNumber(t) && (len(r.wordAt(k-1)) >= least || r.tokens[r.says[k-1]].sort == digits) {
				return k
			}
		}
	}
	return 0
}

// takesObject reports whether a spoken word may be the object of a verb before it: an article, a pronoun or a value.
func (r *reading) takesObject(k int) bool {
	word := r.wordAt(k)
	if r.parted(k) {
		return false
	}
	return r.valueRun(k) > 0 || r.language.is(word, owner|pronoun) || r.language.class(word) == function && !r.language.is(word, joint|link|amiss)
}
