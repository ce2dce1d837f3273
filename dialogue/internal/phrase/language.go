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
	// Calendars are the holidays that users know by name, see [Calendars]. Defaults to those that have one day in all years.
	Calendars []string

	memo *memo // see Hearing; nil keeps nothing
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
	Ways     Ways
	Names    Names
	Beside   Beside
	Asides   Asides
	Evasions Evasions
	Clauses  Clauses
	Skips    Skips
	Tellings Tellings
	Askings  Askings
	Speech   Speech
	Values   Values

	Fractions Fractions
	Ranges    Ranges
	Zones     Zones
	Alike     []string // forms of one word, and words that are as good as it: "child children kid kids"
	Sayings   []string // of phrases, that are as good as each other: "what is | whats"
	Change    string   // a word that begins a correction: "change"
	Suffixes  string   // of words, in the order in which they are taken off to compare what is left: "s ing"
	// Elsewhere is a hundred sayings about everyday things that most dialogues are not about: what is as near to a dialogue
	// as they are is none of its business. Without them a fixed bound counts.
	Elsewhere string
	Commands  []CommandWords // what people say in any conversation
	Common    string         // common words that are a slip or two away from others: they are taken for themselves

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
//
// One struct: each field is a list, and their order says which counts.
type Verdicts struct {
	Yes     string // "go ahead"
	Pleased string // a yes at a confirmation only: "all good"
	No      string // "not really"
	Bars    string // "don't": a no to what is said behind it, up to the next clause
	WeakNo  string // "I guess not"
	Doubts  string // "not sure": neither
	Around  string // "well": nothing
	Turns   string // "but": what follows is something else
	Amiss   string // words after which a yes is none: "if", "maybe", "what"
	Plain   string // "yes": other words that mean it are none when something follows at once
	Long    string // words of Yes that may be misspelt
	Stops   string // "cancel", "wait": "don't stop" is no denial
	Kept    string // behind a no: all stays as it is, "keep it"
	Lacks   string // "without": a no to that is a yes, and refuses no value before it
	Has     string // "with": a yes to what is named behind it
	Suits   string // beside a no behind a value: Monday does not "work", is not "possible"
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
	Afresh    string            // words for another thing of a kind: "new"
	Orders    string            // words for the order in which things are wanted: "first", "then"
	Enough    string            // answers that say no to those: "that is all"
	Joints    string            // prepositions between the parts of what is said
	Present   string            // behind the name of the speaker: "here"
	Owners    string            // before the name of a slot: "my", "the"
	Copulas   string            // behind it: "is"
	Leads     map[string]string // prepositions that begin an answer, by the words of the question: "where": "to at"
}

// Ways are words of answers that lead to a person or a place, or to another answer.
type Ways struct {
	Points string // by which an answer points to another one, or is put off: "same", "later"
	Sites  string // for a place, in the questions for one: "address"
	Routes string // that lead to a person or a place: "goes to", "I live at"
	Ends   string // verbs that end an answer of which words before it say what it is: "sein" of "der Name soll Ada sein"
}

// Beside are the words beside a value that say whether it is the value that is meant.
type Beside struct {
	Bounds    string // around a value that is only a limit: "less than"
	Changers  string // words beside a value that make it another one: "before", "of", "half"
	Limits    string // in questions for a limit: "budget"
	Carriers  string // of sentences that say what a value is for, and never change it: "meet | go back"
	Subjects  string // likewise, but of sentences that may be about something that was not asked: "pay | birthday"
	Persons   string // in names of and questions for people: "whom", "recipient"
	Starts    string // in names of and questions for the day on which something begins: "start"
	Ages      string // in names of and questions for what is counted in years: "age"
	Greetings string // before a part of the day: "good" morning
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
	// Compound reads a whole number that is said in one or more words, of which word returns the one at a place. It returns
	// how many there are; 0 for no number. Nil where Number, or Units and the grammar, do it.
	Compound      func(word func(i int) string) (n, words int)
	Ordinals      map[string]int    // "first": 1, "last": -1
	DayOrdinals   map[string]int    // of days alone: "thirteenth": 13
	Called        map[string]string // by kind: words for its values, "my number is": "number | phone number"
	Endings       string            // of ordinals in digits: "st nd rd th"
	Cardinals     bool              // days of a month have plain numbers: "le 3"
	Days          map[int]string    // sayings by how many days ahead they are: 1: "tomorrow"
	DayParts      string            // words of Days that are a part of the day behind an article or a weekday: "morgen"
	Feasts        map[string]string // sayings by month and day: "12-25": "christmas"
	Parties       map[string]int    // sayings of how many people there are together: "zu dritt": 3
	PartsOfDays   string            // that are written behind a weekday as one word with it: "abend"
	ShortWeekdays string            // from Sunday on, as they are written before a point or where a day is asked for: "so mo di"
	Now           string            // sayings of the present moment: "right now"
	Ago           string            // sayings before a time that has passed: "il y a"
	Since         string            // words between how long something takes and when it begins, and never between a day and how far it is from one: "ab"
	Lasting       string            // words before how long something takes: "for"
	Rates         string            // words before what something is counted by: "per" of "tablets per day"
	Sharp         string            // words around a time that do not change it: "exactly"
	Times         string            // words behind an ordinal that say how often: "the third time"
	Capitals      bool              // nouns begin with a capital letter
	True, False   string            // words for truth values
	Ands          string            // between the members of a list
	Without       string            // none of what is counted: "no"
	DayFirst      bool              // 3/5 is the third of May
	HalfTo        bool              // "half four" is 3:30
	Point         rune              // between a number and its fraction; '.' where it is 0
	ScalesAlone   bool              // "hundred" is one hundred
	SpaceGroups   bool              // plain spaces part the digits of a number: 1 000
	HoursNamed    bool              // "hours" stands behind the hour, and its minutes behind that: "3 heures et quart"
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

// language is a Language whose words can be looked up: made once, and never changed.
type language struct {
	*Language
	*terms
	sayings
	stemmer

	classes map[string]class
	roles   map[string]role
	known   map[string]bool            // words that are themselves, and no slip for another
	meant   map[string]string          // by a word, the term that it stands for; nil where the words are the terms
	leads   map[string]map[string]bool // Answers.Leads

	// Words that may be misspelt: of values, of places in an order, "please", and of a long yes.
	valueWords, ordinalWords, politeWords, longYes []vocable
	endings                                        map[string]bool // Values.Endings

	common *Matcher // of the commands
}

// sayings are the lists of Language that hold sayings.
//
// One struct: each field is a list, compiled.
type sayings struct {
	timeSayings

	moods  phrases[mood] // of a yes and a no
	skips  phrases[Key]  // by the reason why nothing was chosen
	wholes phrases[bool] // Fractions.Wholes
	ranges rangeWords

	openers phrases[opener]
	wishes  wishes // for another language

	stopping map[string]bool // of the sayings of Cancel

	carriers phrases[bool] // true: of a subject of its own

	kept, fillers, bounds, intros, outros, routes, selves, presents, enough, requests, joins, pauses, asked, introduces, wants, hedges, alls, excepts, alones, nobodies, people, onwards phrases[bool]
}

// timeSayings are those of days and moments.
type timeSayings struct {
	days   phrases[int] // "tomorrow": 1
	feasts phrases[day] // of every year

	nows, ago phrases[bool]
}

// compiled makes the words of the language ready to be looked up.
func (l *Language) compiled() *language {
	l.once.Do(func() { l.words = newLanguage(l) })
	return l.words
}

func newLanguage(of *Language) *language {
	l := &language{
		Language: of, terms: grammarTerms(), stemmer: newStemmer(of), sayings: of.sayings(), known: set(of.Common),
		classes: make(map[string]class), roles: make(map[string]role), leads: make(map[string]map[string]bool),
	}
	for class, words := range map[class]string{filler: of.Classes.Filler, function: of.Classes.Function, hum: of.Classes.Hum, negation: of.Classes.Negation} {
		for w := range strings.FieldsSeq(words) {
			l.classes[w], l.known[w] = class, true
		}
	}
	for role, words := range of.wordRoles() {
		for w := range strings.FieldsSeq(words) {
			l.roles[w] |= role
			l.known[w] = l.known[w] || role&(amiss|stops|ands|polite|without) != 0
		}
	}
	for asked, words := range of.Answers.Leads {
		l.leads[asked] = set(words)
	}
	if of.Values.Terms != nil {
		l.meant = make(map[string]string)
	}
	for term, words := range of.Values.Terms {
		for w := range strings.FieldsSeq(words) {
			l.meant[w] = term
		}
	}
	for w := range set(of.Common) {
		if _, means := l.meant[w]; l.meant != nil && !means && l.isTerm(w) {
			l.meant[w] = "" // "ich tue" is no Tuesday, and "un grand" no thousand
		}
	}
	l.endings = set(of.Values.Endings)
	l.findValueWords()
	l.common = commonMatcher(l)
	return l
}

// sayings makes the sayings of a language ready.
func (l *Language) sayings() (s sayings) {
	v, a, b := &l.Verdicts, &l.Answers, &l.Beside
	for m, list := range []string{saysYes: v.Yes, pleased: v.Pleased, saysNo: v.No, weakNo: v.WeakNo, bars: v.Bars, doubts: v.Doubts, around: v.Around, turns: v.Turns} {
		s.moods.add(mood(m), list)
	}
	s.skips.add(NoneTaken, l.Skips.None)
	s.skips.add(AnyTaken, l.Skips.Any)
	s.skips.add(AllTaken, l.Skips.All)
	for ahead, list := range l.Values.Days {
		s.days.add(ahead, list)
	}
	for date, list := range l.Values.Feasts {
		month, of, _ := strings.Cut(date, "-")
		s.feasts.add(day{month: time.Month(value(month)), day: value(of)}, list)
	}
	for p, list := range map[*phrases[bool]]string{&s.nows: l.Values.Now, &s.kept: v.Kept, &s.fillers: a.Fillers, &s.bounds: b.Bounds, &s.intros: a.Intros, &s.outros: a.Outros, &s.routes: l.Ways.Routes, &s.selves: a.Selves, &s.presents: l.Names.Selves, &s.enough: a.Enough, &s.requests: l.Asides.Requests, &s.joins: l.Asides.Joins, &s.pauses: l.Asides.Pauses, &s.ago: l.Values.Ago, &s.asked: l.Askings.Leads, &s.wholes: l.Fractions.Wholes, &s.introduces: l.Clauses.Names, &s.wants: l.Clauses.Wants, &s.hedges: l.Clauses.Hedges, &s.alls: l.Clauses.Alls, &s.excepts: l.Clauses.Except, &s.alones: l.Clauses.Alone, &s.nobodies: l.Clauses.Nobody, &s.people: l.Clauses.People, &s.onwards: l.Clauses.Onward} {
		p.add(true, list)
	}
	s.carriers.add(false, b.Carriers)
	s.carriers.add(true, b.Subjects)
	s.ranges, s.wishes, s.stopping = l.rangeWords(), l.wishesOf(), l.stopWords()
	s.openers.add(opens, l.Asides.Openers)
	s.openers.add(softly, l.Asides.Soft)
	s.openers.add(turning, l.Asides.Turning)
	s.days.mended, s.feasts.mended = true, true
	return s
}

//go:noinline // called in many places, for the weight of the command (ADR 060)
func (l *language) class(word string) class { return l.classes[word] }

// is reports whether a word has one of some roles.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (l *language) is(word string, any role) bool { return l.roles[word]&any != 0 }

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
		word := l.wordAt(j)
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
		switch sign := l.tokens[t].sign; {
		case sign == '.' && l.abbreviates(t), l.isInNumber(t):
		case strings.ContainsRune(",.;!?:\n…—–()", sign) && sign != 0:
			return true
		}
	}
	return false
}

// isInNumber reports whether a mark stands between digits: "11:00", "1,234.50", "3.12.".
func (l *line) isInNumber(t int) bool {
	return l.isGlued(t) && l.isGlued(t+1) && l.tokens[t-1].sort == digits && l.tokens[t+1].sort == digits
}

// abbreviations are short words that a point belongs to.
var abbreviations = set("st ste dr mr mrs jr sr")

// abbreviates reports whether a point belongs to the word or the number before it, and more follows: "St. Martin", "1. Advent".
func (l *line) abbreviates(t int) bool {
	return l.isGlued(t) && t+1 < len(l.tokens) && !l.isGlued(t+1) && (abbreviations[l.tokens[t-1].fold] || l.tokens[t-1].sort == digits && len(l.tokens[t-1].fold) == 1)
}
