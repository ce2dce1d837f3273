package phrase

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Locale is how people of a place say things. The zero value is English in UTC with the month first and any currency.
type Locale struct {
	// Language is an ISO 639 code such as "en", or a tag that begins with one ("en-GB"). Defaults to "en"; one that is
	// not Supported is refused by Compile and read as English elsewhere.
	Language string
	// Zone is where dates and times are meant. Defaults to UTC.
	Zone *time.Location
	// Currency is the ISO 4217 code of the amounts that are asked for. Without one, whatever currency is said goes.
	Currency string
	// DayFirst says that 3/5 is the third of May, as it is in some languages anyway.
	DayFirst bool
}

// Supported reports whether there are words for a language ("en", "en-GB").
func Supported(tag string) bool {
	_, ok := languages[Base(tag)]
	return ok
}

// Languages are the supported languages, in alphabetic order.
func Languages() []string {
	var all []string
	for name := range languages {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// Base is the language of a tag: "de" of "de-AT".
func Base(tag string) string {
	tag = strings.ToLower(tag)
	if i := strings.IndexAny(tag, "-_"); i >= 0 {
		tag = tag[:i]
	}
	if tag == "" {
		return "en"
	}
	return tag
}

// languages are made when they are first needed.
var languages = map[string]func() *language{
	"de": sync.OnceValue(german),
	"en": sync.OnceValue(english),
}

func (l Locale) language() *language {
	if of, ok := languages[Base(l.Language)]; ok {
		return of()
	}
	return languages["en"]()
}

func (l Locale) zone() *time.Location {
	if l.Zone == nil {
		return time.UTC
	}
	return l.Zone
}

// class is what a word does in a sentence, for words that every sentence has.
type class uint8

const (
	content  class = iota
	function       // an article, a preposition, a pronoun
	filler         // what people say around what they mean: "please", "I'd like to"
	hum            // "um"
	negation       // "not"
)

// language is the words of a language.
type language struct {
	classes map[string]class
	known   map[string]bool // words that are themselves, and no slip for another

	units  map[string]int64 // number words below a hundred
	scales map[string]int   // "thousand": 3
	ands   map[string]bool  // between hundreds and tens, and between the members of a list

	ordinals     map[string]int // "first": 1
	lateOrdinals map[string]int // "thirteenth": 13
	currencies   map[string]coin
	adjectives   map[string]bool // "australian", before the name of a currency

	months   map[string]time.Month
	weekdays map[string]time.Weekday
	spans    map[string]span
	parts    map[string]part // of the day
	weekends map[string]bool
	days     phrases[int] // "tomorrow": 1
	feasts   phrases[day] // days of every year

	moods    phrases[mood]   // what yes and no are said with
	amiss    map[string]bool // words after which a yes is none: "if", "maybe", "what"
	stops    map[string]bool // "cancel", "wait": "don't stop" is no denial
	plainYes map[string]bool // "yes": other words that mean it are none when something follows at once
	longYes  []vocable       // words that mean yes and may be misspelt

	change   string // a word that begins a correction: "change"
	commands []commandSaying
	common   *Matcher // of the commands

	grammar      map[string]string                          // words that values are said with, and the English ones that they are read with
	spell        func(word string) (digits string, ok bool) // numbers in words, of languages that write them as one; nil for none
	numberWords  []string                                   // the commonest of those
	respell      func(word string) string                   // another way to write the letters of a word; nil for none
	dayFirst     bool                                       // 3/5 is the third of May
	halfTo       bool                                       // "half four" is 3:30
	names        *strings.Replacer                          // of days and months in them
	reasons      []rule                                     // how reasons why a value is none are said; nil for English
	valueWords   []vocable                                  // words of values that may be misspelt
	ordinalWords []vocable                                  // "third"
	politeWords  []vocable                                  // "please": may be, too

	booleans  map[string]bool
	fillers   phrases[bool]       // sayings that mean nothing by themselves, around a value
	intros    phrases[bool]       // what an answer in words begins with: "my name is"
	polite    map[string]bool     // what it ends with: "please"
	outros    phrases[bool]       // what it ends with: "I think"
	selves    phrases[bool]       // before a name: "I am"
	nameWords []string            // that ask for a name
	further   map[string]bool     // in questions whether there is more: "else"
	enough    phrases[bool]       // what then says no: "that is all"
	joints    map[string]bool     // prepositions between the parts of what is said
	present   map[string]bool     // "here": behind the name of who speaks
	owners    map[string]bool     // "my", "the": before what something is called
	copulas   map[string]bool     // "is": behind it
	leads     map[string][]string // prepositions that an answer begins with, by the words of the question: "where" -> "to", "at"
	skips     phrases[none]       // "none of them", "both", as answers to a choice
	without   map[string]bool     // "no", "without": none of what is counted
	sayings   [][]string          // of phrases, that are as good as each other: "what is", "whats"
	alike     [][]string          // forms of one word, and words that are as good as it
	point     rune                // between a number and its fraction
}

func (l *language) class(word string) class { return l.classes[word] }

func set[K comparable](words []K) map[K]bool {
	m := make(map[K]bool, len(words))
	for _, w := range words {
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

func (p *phrases[T]) add(means T, sayings ...string) {
	if p.of == nil {
		p.of = make(map[string]T)
	}
	for _, s := range sayings {
		l := newLine(s)
		words := make([]string, len(l.says))
		for i, t := range l.says {
			words[i] = l.tokens[t].fold
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
