package phrase

import (
	"strings"
	"sync"
	"time"
)

// Locale is how people of a place say things. The zero value is English in UTC with the month first and any currency.
type Locale struct {
	// Language is what they speak. Defaults to English.
	Language *Language
	// Zone is where dates and times are meant. Defaults to UTC.
	Zone *time.Location
	// Currency is the ISO 4217 code of the amounts that are asked for. Without one, any currency is taken.
	Currency string
	// DayFirst says that 3/5 is the third of May, as it is in some languages anyway.
	DayFirst bool
}

// Spoken returns the language of the locale.
func (l Locale) Spoken() *Language {
	if l.Language == nil {
		return English
	}
	return l.Language
}

func (l Locale) language() *language { return l.Spoken().compiled() }

func (l Locale) zone() *time.Location {
	if l.Zone == nil {
		return time.UTC
	}
	return l.Zone
}

// Language is one language, as data: its messages, and the words by which people are understood.
//
// Each language is one file of this package, such as german.go, and its variable is listed once, in the package
// dialogue. Words are separated by blanks and sayings by "|". They are compared without case, accents and apostrophes, so
// they are written without them. A language without words is one in which people are told things: a model has to
// understand them.
//
// One struct: it is the one place where a language is described.
type Language struct {
	Tag      string // ISO 639: "de"
	Texts    Texts  // every message, by key
	And, Or  string // before the last element of a list, with blanks: " and "
	Months   string // names, as they are said, from January on
	Weekdays string // from Sunday on

	Classes  Classes
	Verdicts Verdicts
	Answers  Answers
	Skips    Skips
	Values   Values
	Alike    []string       // forms of one word, and words that are as good as it: "child children kid kids"
	Sayings  []string       // of phrases, that are as good as each other: "what is | whats"
	Change   string         // a word that begins a correction: "change"
	Commands []CommandWords // what people say in any conversation
	Common   string         // common words that are a slip or two away from others: they are taken for themselves

	once  sync.Once
	words *language // compiled, when they are first needed
}

// Classes are words that every sentence has. A word is in one class at most.
type Classes struct {
	Filler   string // around what people mean: "please", "want"
	Function string // articles, prepositions, pronouns
	Hum      string // "um"
	Negation string // "not"
}

// Verdicts are the sayings of a yes and a no. Of one that stands in two lists, the later list counts.
type Verdicts struct {
	Yes    string // "go ahead"
	No     string // "not really"
	Bars   string // "don't": a no to what is said behind it, up to the next clause
	WeakNo string // "I guess not"
	Doubts string // "not sure": neither
	Around string // "well": nothing
	Turns  string // "but": what follows is something else
	Amiss  string // words after which a yes is none: "if", "maybe", "what"
	Plain  string // "yes": other words that mean it are none when something follows at once
	Long   string // words of Yes that may be misspelt
	Stops  string // "cancel", "wait": "don't stop" is no denial
}

// Answers are the words around the answer to a question.
type Answers struct {
	Fillers   string            // sayings that mean nothing by themselves, around a value
	Intros    string            // begin an answer in words: "my name is"
	Outros    string            // end it: "I think"
	Selves    string            // before a name: "I am"
	NameWords string            // words of questions for a name
	Polite    string            // "please"
	Further   string            // in questions whether there is more: "else"
	Enough    string            // answers that say no to those: "that is all"
	Joints    string            // prepositions between the parts of what is said
	Present   string            // behind the name of the speaker: "here"
	Owners    string            // before the name of a slot: "my", "the"
	Copulas   string            // behind it: "is"
	Leads     map[string]string // prepositions that begin an answer, by the words of the question: "where": "to at"
}

// Skips are answers to a choice that choose nothing.
type Skips struct {
	None string // "none of them"
	Any  string // "you choose"
	All  string // "both"
}

// Values are the words of numbers, dates and the like.
//
// One struct: each field is one list of words.
type Values struct {
	// Terms are the language's words by the terms of the grammar that they stand for: "week": "woche". Nil for English.
	Terms       map[string]string
	Units       map[string]int64                           // number words below a hundred that the grammar puts together
	Number      func(word string) (digits string, ok bool) // reads a number that is one word; nil for none
	NumberWords []string                                   // the commonest of those, which may be misspelt
	Respell     func(word string) string                   // another way to write a word; nil for none
	Ordinals    map[string]int                             // "first": 1, "last": -1
	DayOrdinals map[string]int                             // of days alone: "thirteenth": 13
	Days        map[int]string                             // sayings by how many days ahead they are: 1: "tomorrow"
	Feasts      map[string]string                          // sayings by month and day: "12-25": "christmas"
	True, False string                                     // words for truth values
	Ands        string                                     // between the members of a list
	Without     string                                     // none of what is counted: "no"
	DayFirst    bool                                       // 3/5 is the third of May
	HalfTo      bool                                       // "half four" is 3:30
	Point       rune                                       // between a number and its fraction; '.' where it is 0
}

// CommandWords are the phrases of a command, or of one of its sorts (see [Said]).
type CommandWords struct {
	Command Command
	About   string
	Phrases []string
}

// class is what a word does in a sentence, for words that every sentence has.
type class uint8

const (
	content  class = iota
	function       // an article, a preposition, a pronoun
	filler         // around what people mean: "please", "I'd like to"
	hum            // "um"
	negation       // "not"
)

// language is a Language whose words can be looked up: made once, and never changed. The comments stand at the lists of the
// same names in Language.
type language struct {
	*Language
	*terms

	classes map[string]class
	known   map[string]bool   // words that are themselves, and no slip for another
	meant   map[string]string // by a word, the term that it stands for; nil where the words are the terms
	valueTables
	verdictTables
	answerTables

	common *Matcher // of the commands
}

// valueTables are the words of Language.Values.
type valueTables struct {
	booleans map[string]bool
	ands     map[string]bool
	without  map[string]bool
	days     phrases[int] // "tomorrow": 1
	feasts   phrases[day] // days of every year

	valueWords   []vocable // words of values that may be misspelt
	ordinalWords []vocable // "third"
	politeWords  []vocable // "please"
}

// verdictTables are the words of Language.Verdicts.
type verdictTables struct {
	moods    phrases[mood] // the sayings of a yes and a no
	amiss    map[string]bool
	stops    map[string]bool
	plainYes map[string]bool
	longYes  []vocable
}

// answerTables are the words of Language.Answers, Skips and Alike.
type answerTables struct {
	fillers   phrases[bool]
	intros    phrases[bool]
	outros    phrases[bool]
	selves    phrases[bool]
	enough    phrases[bool]
	skips     phrases[Key] // the reason why nothing was chosen
	nameWords map[string]bool
	polite    map[string]bool
	further   map[string]bool
	joints    map[string]bool
	present   map[string]bool
	owners    map[string]bool
	copulas   map[string]bool
	leads     map[string]map[string]bool
	alike     []map[string]bool
}

// compiled makes the words of the language ready to be looked up.
func (l *Language) compiled() *language {
	l.once.Do(func() { l.words = newLanguage(l) })
	return l.words
}

func newLanguage(of *Language) *language {
	v, a := &of.Values, &of.Answers
	l := &language{
		Language: of, terms: grammarTerms(), classes: make(map[string]class), known: set(of.Common),
		valueTables: valueTables{booleans: make(map[string]bool), ands: set(v.Ands), without: set(v.Without)},
		answerTables: answerTables{
			nameWords: set(a.NameWords), polite: set(a.Polite), further: set(a.Further), joints: set(a.Joints),
			present: set(a.Present), owners: set(a.Owners), copulas: set(a.Copulas), leads: make(map[string]map[string]bool),
		},
	}
	for _, c := range []struct {
		words string
		class class
	}{{of.Classes.Filler, filler}, {of.Classes.Function, function}, {of.Classes.Hum, hum}, {of.Classes.Negation, negation}} {
		for w := range strings.FieldsSeq(c.words) {
			l.classes[w] = c.class
		}
	}
	l.verdicts()
	for p, sayings := range map[*phrases[bool]]string{&l.fillers: a.Fillers, &l.intros: a.Intros, &l.outros: a.Outros, &l.selves: a.Selves, &l.enough: a.Enough} {
		p.add(true, sayings)
	}
	l.skips.add(NoneTaken, of.Skips.None)
	l.skips.add(AnyTaken, of.Skips.Any)
	l.skips.add(AllTaken, of.Skips.All)
	for asked, words := range a.Leads {
		l.leads[asked] = set(words)
	}
	for _, forms := range of.Alike {
		l.alike = append(l.alike, set(forms))
	}
	l.values()
	for _, words := range []map[string]bool{l.amiss, l.stops, l.ands, l.polite, l.without} {
		for w := range words {
			l.known[w] = true
		}
	}
	for w := range l.classes {
		l.known[w] = true
	}
	l.findValueWords()
	l.common = commonMatcher(l)
	return l
}

// verdicts makes the words of a yes and a no ready.
func (l *language) verdicts() {
	v := &l.Language.Verdicts
	for _, m := range []struct {
		mood    mood
		sayings string
	}{
		{saysYes, v.Yes}, {saysNo, v.No}, {bars, v.Bars}, {weakNo, v.WeakNo}, {doubts, v.Doubts}, {around, v.Around}, {turns, v.Turns},
	} {
		l.moods.add(m.mood, m.sayings)
	}
	l.amiss, l.stops, l.plainYes = set(v.Amiss), set(v.Stops), set(v.Plain)
	for w := range strings.FieldsSeq(v.Long) {
		l.longYes = append(l.longYes, vocable{w, shape(w)})
	}
}

// values makes the words of values ready.
func (l *language) values() {
	v := &l.Values
	if v.Terms != nil {
		l.meant = make(map[string]string)
	}
	for term, words := range v.Terms {
		for w := range strings.FieldsSeq(words) {
			l.meant[w] = term
		}
	}
	for b, words := range map[bool]string{true: v.True, false: v.False} {
		for w := range strings.FieldsSeq(words) {
			l.booleans[w] = b
		}
	}
	for ahead, sayings := range v.Days {
		l.days.add(ahead, sayings)
	}
	for date, sayings := range v.Feasts {
		month, of, _ := strings.Cut(date, "-")
		l.feasts.add(day{month: time.Month(value(month)), day: value(of)}, sayings)
	}
}

func (l *language) class(word string) class { return l.classes[word] }

// point stands between a number and its fraction.
func (l *language) point() rune {
	if l.Values.Point == 0 {
		return '.'
	}
	return l.Values.Point
}

// set is the set of some words.
func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// phrases are fixed sayings of one or more folded words, and what each means.
type phrases[T any] struct {
	of      map[string]T
	longest int
	mended  bool // they are said in values: a slip is forgiven
}

// add adds sayings, which "|" parts.
func (p *phrases[T]) add(means T, sayings string) {
	if p.of == nil {
		p.of = make(map[string]T)
	}
	for s := range strings.SplitSeq(sayings, "|") {
		words := foldedWords(s)
		if len(words) == 0 {
			continue
		}
		p.of[strings.Join(words, " ")] = means
		p.longest = max(p.longest, len(words))
	}
}

// longestSaying is the length in bytes of a key that is put together without the heap.
const longestSaying = 64

// at is the longest saying that begins at a word (an index of says), and how many words it has. Marks do not part it,
// but for those that end a sentence or a clause.
func (p *phrases[T]) at(l *line, i int) (means T, n int) {
	var buffer [longestSaying]byte
	key := buffer[:0]
	for j := i; j < len(l.says) && j-i < p.longest; j++ {
		word := l.tokens[l.says[j]].fold
		if p.mended {
			word = l.tokens[l.says[j]].right
		}
		if j > i {
			if l.parted(j) {
				break
			}
			key = append(key, ' ')
		}
		if len(key)+len(word) > longestSaying {
			break
		}
		key = append(key, word...)
		if m, ok := p.of[string(key)]; ok {
			means, n = m, j-i+1
		}
	}
	return means, n
}

// parted reports whether a clause ends before a word (an index of says).
func (l *line) parted(j int) bool {
	if j == 0 || j >= len(l.says) {
		return true
	}
	for t := l.says[j-1] + 1; t < l.says[j]; t++ {
		switch l.tokens[t].sign {
		case ',', '.', ';', '!', '?', ':', '\n', '…', '—', '–', '(', ')':
			return true
		}
	}
	return false
}

func setOf(words []string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
