package phrase

import "slices"

// At a question for a reason or a description, people tell what has happened, with words that stop a conversation or deny something
// anywhere else: "Why do you want to terminate?" "I don't need it any more."

// Tellings are the words of such questions, and of what is told.
type Tellings struct {
	Accounts string // in names of and questions for a reason or a description: "why", "happened"
	Done     string // behind which a verb says what a person has done and asks for nothing: "I've"
	Dropped  string // subjects behind a verb that begins a statement without its object: "habe ich vergessen"
	Returns  string // words for going back, which are none where something is before them: "I want it back"
	Objects  string // what may be before them: "it"
}

var englishTellings = Tellings{
	Accounts: `why reason reasons cause causes motive purpose happened happen occurred describe description explain explanation details detail circumstances incident story problem problems trouble issue issues matter concern concerns
		complaint feedback comment comments remark remarks note notes message wrong`,
	Done:    "i ive we weve he shes she hes they theyve have has had havent",
	Returns: "back", Objects: "it them this that these those money cash",
}

var englishExcuses = []string{
	"[i|i have|ive|we|we have|weve] changed (my mind|our minds)", "i dont want (this|that|it) (anymore|any more)", "not any more", "i give up", "enough",
	"i (dont|do not|no longer) want (to|it|this|that) [do it|do this|do that|go on|continue|it] [anymore|any more|any longer|after all]",
}

var germanTellings = Tellings{
	Accounts: `warum wieso weshalb weswegen wozu grund grunde grunden ursache anlass passiert geschehen vorgefallen beschreiben beschreibe beschreib beschreibung erklaren erklarung erlautern erlauterung schildern schilderung hergang details einzelheiten
		umstande vorfall problem probleme anliegen beschwerde ruckmeldung kommentar kommentare bemerkung bemerkungen anmerkung anmerkungen hinweis hinweise notiz nachricht mitteilung los`,
	Done:    "habe hab habs haben hat hatte hatten",
	Dropped: "ich wir", Returns: "zuruck", Objects: "es das ihn geld",
}

var germanExcuses = []string{
	"[ich habe|ich hab] es mir anders überlegt", "ich will nicht mehr", "ich (will|möchte) (das|es) (nicht mehr|doch nicht|nicht)", "ich brauche (das|es) nicht", "hat sich erledigt",
	"ich gebe auf", "das will ich [doch] nicht [mehr]", "ich habe (meine meinung geändert|mich anders entschieden)",
}

var frenchTellings = Tellings{
	Accounts: `pourquoi raison raisons motif motifs cause causes but passe arrive produit decrire decrivez decris description expliquer expliquez explique explication detail details precisions circonstances incident histoire probleme problemes
		souci soucis plainte reclamation avis commentaire commentaires remarque remarques observation observations note message`,
	Done:    "ai jai avons avez a ont avais avait tai lai",
	Returns: "retour arriere", Objects: "le la les",
}

var frenchExcuses = []string{"[j'ai|nous avons|on a] changé d'avis", "je ne veux plus", "je veux plus"}

// Recounts reports whether a slot or its question asks for what people tell in their own words.
//
// They tell a reason, what happened, or a remark.
func Recounts(l Locale, slot Slot) bool {
	of := l.language()
	return !l.AsksWho(slot) && slices.ContainsFunc(append(slices.Clone(slot.Names), slot.Asked), func(text string) bool {
		return slices.ContainsFunc(foldedWords(text), of.accounts)
	})
}

// accounts reports whether a word asks for a reason or a description, or ends with such a word: "Kündigungsgrund".
func (l *language) accounts(word string) bool {
	const least = 5 // letters
	if l.is(word, accounting) {
		return true
	}
	for at := 3; l.Values.Capitals && len(word)-at >= least; at++ {
		if l.is(word[at:], accounting) {
			return true
		}
	}
	return false
}

// Excuse reports whether an utterance tells why something is over, and does not ask to stop it.
//
// "I changed my mind" and "j'ai oublié" do, and "forget it" does not.
func Excuse(l Locale, text string) bool {
	const most = 0.7
	said, ok := l.Common(text)
	if !ok || said.Score < most || said.Command != Cancel && said.Command != Skip {
		return l.reading(text, epoch).tellsDone()
	}
	if said.About == Telling || said.About == Unneeded {
		return !SaysCancel(l, text)
	}
	return said.Command == Cancel && l.reading(text, epoch).tellsDone()
}

// tellsDone reports whether the words that may stop something stand behind one that makes them what somebody has done: "I quit".
func (r *reading) tellsDone() (tells bool) {
	for k := range r.says {
		word := r.wordAt(k)
		if stops := r.language.is(word, canceller|final); !stops && (!r.language.stopping[word] || r.language.class(word) != content) {
			continue
		} else if k > 0 && r.language.is(r.wordAt(k-1), done) {
			tells = true
		} else if stops {
			return false
		}
	}
	return tells
}

// returns reports whether an utterance asks to go back. Something before the word is wanted back, or is one's back.
func (r *reading) returns() bool {
	before := false
	for k := range r.says {
		word := r.wordAt(k)
		if r.language.is(word, returning) {
			return !before
		}
		before = before || r.language.is(word, owner|returned)
	}
	return true
}

// Reports reports whether an utterance denies that something has happened: "never arrived".
//
// "Habe ich vergessen" leaves out what it is about, and is no question.
func Reports(l Locale, text string) bool {
	r := l.reading(text, epoch)
	m, n := r.language.moods.at(r.line, 0)
	denies := (m == bars || m == saysNo) && n < len(r.says) && !r.parted(n)
	drops := len(r.says) > 2 && r.language.is(r.wordAt(1), dropped) && (r.language.is(r.wordAt(0), done) || l.Negated(text))
	if denies && r.language.is(r.wordAt(0), asking) && !r.language.is(r.wordAt(1), pronoun) { // "don't ring" asks for something
		return false
	}
	if r.unsure() || !denies && !drops || SaysCancel(l, text) || l.GoesOn(text) {
		return false
	}
	said, ok := l.Common(text)
	return !ok || said.Command != Cancel && said.Command != Skip
}

// Inquires reports whether an utterance is a question with a word such as "how" and a verb behind it.
func Inquires(l Locale, text string) bool {
	r := l.reading(text, epoch)
	i, _ := r.opened()
	return i+1 < len(r.says) && r.language.is(r.wordAt(i), askword) && r.asks(i)
}
