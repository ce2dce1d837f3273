package phrase

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Phrase is an example of what is said for something.
type Phrase struct {
	// ID is the caller's: what is said with the phrase. Several phrases may have one.
	ID int
	// Text is words with {placeholders}, [optional words] and (either|or) alternatives, which may hold each other.
	Text string
}

// What a phrase may have, so that no phrase takes long to compare.
const (
	maxElements = 32 // words and placeholders
	maxVariants = 64 // ways to read its options and alternatives
	maxPhrase   = 2000
)

// Error is a phrase that cannot be compiled.
type Error struct {
	ID     int
	Phrase string
	Offset int // in bytes, in Phrase
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("phrase %q, at offset %d: %s", e.Phrase, e.Offset, e.Reason)
}

// Matcher compares utterances with phrases. It does not change: any number of goroutines may use one.
type Matcher struct {
	locale   Locale
	language *language
	phrases  []Phrase
	slots    []Slot
	sources  []source // by slot
	literals []literal
	words    []vocable
	wordID   map[string]int32
	begins   [][]int32 // by word: the literals with a form that begins with it
	variants []variant
	known    map[string]bool // words of choices
	missing  float64         // what it costs to leave out a word that says what a phrase is about
}

// source is where the values of a slot come from.
type source struct {
	scan   scan // nil for texts and lists
	sameAs int  // the first slot that has the same values
}

// literal is a word of phrases, or alternatives that are all of words, with what may be said instead.
type literal struct {
	forms []form
}

// form is one way to say a literal.
type form struct {
	words []int32
	worth float64
}

type vocable struct {
	text  string
	shape uint32 // 0: never misspelt
}

// element is a word or a placeholder of a phrase.
type element struct {
	literal int // or -1
	slot    int // or -1
	weight  float64
	heavy   bool // a word that says what the phrase is about
	free    bool // it may be left out
}

// variant is one way to read a phrase.
type variant struct {
	phrase   int
	elements []element
	total    float64
	reach    float64 // the best score that it can have
	least    float64 // the part of its words that is said where a text is taken
	words    int     // literals
}

// What matching each part of a phrase is worth.
const (
	heavyWeight = 1.0
	lightWeight = 0.3
	typedWeight = 0.8
	textWeight  = 0.5
)

// Compile prepares phrases to be matched. Slots says what a placeholder stands for in a phrase of that ID; synonyms are
// words or sayings that stand for each other, each list together with its key. An error joins an *Error with the place for each phrase that is wrong: a
// placeholder that slots does not know, a bracket that is not closed, a phrase that has no words or would match
// anything, one with too many parts.
func Compile(texts []Phrase, slots func(id int, name string) (Slot, bool), synonyms map[string][]string, loc Locale) (*Matcher, error) {
	c := newCompiler(texts, slots, loc, loc.language())
	c.synonyms = sameWords(synonyms, loc.language().Sayings)
	return c.compile()
}

func newCompiler(texts []Phrase, slots func(int, string) (Slot, bool), loc Locale, of *language) *compiler {
	return &compiler{
		m:        &Matcher{locale: loc, language: of, phrases: texts, wordID: map[string]int32{}, known: map[string]bool{}, missing: costMissing},
		slots:    slots,
		slotOf:   map[slotKey]int{},
		literals: map[string]int{},
	}
}

func (c *compiler) compile() (*Matcher, error) {
	var wrong []error
	for i, p := range c.m.phrases {
		wrong = append(wrong, c.phrase(i, p))
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return c.m, nil
}

type slotKey struct {
	id   int
	name string
}

type compiler struct {
	m        *Matcher
	slots    func(id int, name string) (Slot, bool)
	slotOf   map[slotKey]int
	literals map[string]int
	synonyms map[string][][]string // a folded saying, and all that may be said for it

	strict bool // every word has to be said

	phraseAt int
	text     string
	at       int
}

// sameWords is each saying of the synonyms, folded, with all that stand for it, and those of the language.
func sameWords(synonyms map[string][]string, sayings []string) map[string][][]string {
	all := make(map[string][][]string)
	for _, group := range sayings {
		var forms [][]string
		for saying := range strings.SplitSeq(group, "|") {
			forms = append(forms, strings.Fields(saying))
		}
		for _, form := range forms {
			saying := strings.Join(form, " ")
			all[saying] = slices.Concat(all[saying], forms)
		}
	}
	for key, others := range synonyms {
		var group [][]string
		for _, saying := range append([]string{key}, others...) {
			if words := foldedWords(saying); len(words) > 0 {
				group = append(group, words)
			}
		}
		for _, words := range group {
			k := strings.Join(words, " ")
			all[k] = slices.Concat(all[k], group)
		}
	}
	for k, forms := range all {
		all[k] = sortForms(slices.Clone(forms))
	}
	return all
}

func foldedWords(text string) []string {
	l := newLine(text)
	words := make([]string, len(l.says))
	for i, t := range l.says {
		words[i] = l.tokens[t].fold
	}
	return words
}

// foldedSet is the words of a text.
func foldedSet(text string) map[string]bool { return set(strings.Join(foldedWords(text), " ")) }

func (c *compiler) fail(offset int, format string, args ...any) error {
	p := c.m.phrases[c.phraseAt]
	return &Error{ID: p.ID, Phrase: p.Text, Offset: offset, Reason: fmt.Sprintf(format, args...)}
}

func (c *compiler) phrase(i int, p Phrase) error {
	c.phraseAt, c.text, c.at = i, p.Text, 0
	if strings.TrimSpace(p.Text) == "" {
		return c.fail(0, "a phrase has words, and this one is empty")
	}
	if len(p.Text) > maxPhrase {
		return c.fail(maxPhrase, "it has %d bytes, and at most %d are compared; make it shorter", len(p.Text), maxPhrase)
	}
	ways, err := c.alternatives(0)
	if err != nil {
		return err
	}
	if c.at < len(c.text) {
		return c.fail(c.at, "%q closes nothing; leave it out, or open it before", c.text[c.at:c.at+1])
	}
	for _, elements := range ways {
		if err := c.variant(elements); err != nil {
			return err
		}
	}
	return nil
}

// variant adds one way to read the phrase, unless it is one that says nothing.
func (c *compiler) variant(elements []element) error {
	v := variant{phrase: c.phraseAt, elements: elements, reach: 1, least: 0.5}
	heavy, typed, must := false, false, false
	for _, e := range elements {
		v.total += e.weight
		heavy = heavy || e.heavy
		if e.literal >= 0 {
			v.words++
			must = must || !e.free
		} else if !c.m.slots[e.slot].inWords() {
			typed = true
		}
	}
	switch {
	case len(elements) > maxElements:
		return c.fail(0, "it has %d words and placeholders, and at most %d are compared; make it shorter", len(elements), maxElements)
	case !must && !typed:
		return c.fail(0, "it matches anything that is said, or nothing; give it a word that must be there")
	case !must:
		v.reach = 0.5 // the value alone says little about what is wanted
	case !heavy && v.words < len(elements):
		v.reach = 0.8
	}
	if !heavy {
		v.least = 1
	}
	c.m.variants = append(c.m.variants, v)
	return nil
}

// source finds a slot whose values are those of a new one, so that they are looked for once.
func (c *compiler) source(s Slot) source {
	for i, other := range c.m.slots {
		if other.kind() == s.kind() && slices.EqualFunc(other.Choices, s.Choices, func(a, b Choice) bool {
			return a.Value == b.Value && slices.Equal(a.Synonyms, b.Synonyms)
		}) {
			return source{c.m.sources[i].scan, c.m.sources[i].sameAs}
		}
	}
	return source{s.scanner(c.m.language), len(c.m.slots)}
}

// choices makes the words of a slot's choices known, so that none is taken for a misspelt word of a phrase.
func (c *compiler) choices(s Slot) {
	for _, choice := range s.Choices {
		for _, saying := range append([]string{choice.Value}, choice.Synonyms...) {
			for _, w := range foldedWords(saying) {
				c.m.known[w] = true
			}
		}
	}
}

// literalRun reads words up to the next bracket.
func (c *compiler) literalRun() []element {
	length := strings.IndexAny(c.text[c.at:], "{}[]()|")
	if length < 0 {
		length = len(c.text) - c.at
	}
	words := foldedWords(c.text[c.at : c.at+length])
	c.at += length
	var all []element
	for i := 0; i < len(words); {
		n, forms := c.longest(words[i:])
		all = append(all, c.literal(words[i:i+n], forms))
		i += n
	}
	return all
}

// longest is the longest saying with synonyms at the beginning of some words; one word without any otherwise.
func (c *compiler) longest(words []string) (int, [][]string) {
	for n := min(len(words), 6); n > 0; n-- {
		if forms, ok := c.synonyms[strings.Join(words[:n], " ")]; ok {
			return n, forms
		}
	}
	return 1, nil
}

func (c *compiler) literal(words []string, others [][]string) element {
	forms := []form{{c.ids(words), 1}}
	for _, other := range others {
		forms = append(forms, form{c.ids(other), forSynonym})
	}
	e := element{literal: c.add(forms), slot: -1, weight: lightWeight}
	for _, w := range words {
		if k := c.m.language.class(w); k == content || k == negation || c.strict {
			e.weight, e.heavy = heavyWeight, true
		}
	}
	return e
}

// add is the literal with these forms.
func (c *compiler) add(forms []form) int {
	key := fmt.Sprint(forms)
	at, ok := c.literals[key]
	if !ok {
		at = len(c.m.literals)
		c.literals[key] = at
		c.m.literals = append(c.m.literals, literal{forms})
		for _, f := range forms {
			c.m.begins[f.words[0]] = append(c.m.begins[f.words[0]], int32(at))
		}
	}
	return at
}

func (c *compiler) ids(words []string) []int32 {
	ids := make([]int32, len(words))
	for i, w := range words {
		ids[i] = c.word(w)
	}
	return ids
}

func (c *compiler) word(text string) int32 {
	if id, ok := c.m.wordID[text]; ok {
		return id
	}
	id := int32(len(c.m.words))
	v := vocable{text: text}
	if misspellable(text) {
		v.shape = shape(text)
	}
	c.m.words = append(c.m.words, v)
	c.m.begins = append(c.m.begins, nil)
	c.m.wordID[text] = id
	return id
}

// misspellable reports whether slips in a word are forgiven: it is of Latin letters, and long enough.
func misspellable(word string) bool {
	if len(word) < 4 || len(word) > longestTypo {
		return false
	}
	for _, r := range word {
		if r >= utf8.RuneSelf || !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}

// sortForms puts forms in an order that does not depend on that of a map, each once.
func sortForms(forms [][]string) [][]string {
	slices.SortFunc(forms, slices.Compare[[]string])
	return slices.CompactFunc(forms, slices.Equal[[]string])
}
