package phrase

import (
	"errors"
	"slices"
	sorting "sort"
	"strings"
)

// Single is the kind of one of the slot's choices: string, the Value of a Choice.
var Single = &Kind{
	name: "choice",
	scan: func(s Slot, of *language) scan { return newChooser(s.Choices, of).at },
	none: (*reading).noChoice, several: (*reading).several, exact: true,
	check: func(s Slot) error {
		if len(s.Choices) == 0 {
			return errors.New("a choice needs choices")
		}
		return nil
	},
}

// chooser finds choices in utterances.
type chooser struct {
	choices  []Choice
	owner    map[string]int // the choice that a word is of; -1 for several
	names    []name         // longest first
	numbered bool           // some choice is a number: an ordinal is then only said as one ("the second")
}

// name is one way to call a choice.
type name struct {
	choice int
	words  []string
	shapes []uint32 // 0 for words that are not misspelt
	number string   // the number that it is, if it is one
	joined bool     // two words that are said as one
}

// What a choice is worth that was not called by its name.
const (
	bySlip    = 0.85
	byPrefix  = 0.8
	byOrdinal = 0.85
)

func newChooser(choices []Choice, of *language) *chooser {
	c := &chooser{choices: choices, owner: make(map[string]int)}
	for i, choice := range choices {
		for _, saying := range append([]string{choice.Value}, choice.Synonyms...) {
			n := name{choice: i, words: foldedWords(strings.ReplaceAll(saying, "_", " "))}
			if len(n.words) == 0 {
				continue
			}
			for _, w := range n.words {
				if of, ok := c.owner[w]; ok && of != i {
					c.owner[w] = -1
				} else {
					c.owner[w] = i
				}
				s := uint32(0)
				if misspellable(w) {
					s = shape(w)
				}
				n.shapes = append(n.shapes, s)
			}
			r := &reading{line: newLine(saying), language: of}
			if d, ok := r.number(0); ok && d.j == len(r.tokens) && !d.long {
				n.number = d.String()
				c.numbered = true
			}
			c.names = append(c.names, n)
			if joined := strings.Join(n.words, ""); len(n.words) == 2 && misspellable(joined) { // "oneway"
				c.names = append(c.names, name{choice: i, words: []string{joined}, shapes: []uint32{shape(joined)}, joined: true})
			}
		}
	}
	sorting.SliceStable(c.names, func(i, j int) bool { return len(c.names[i].words) > len(c.names[j].words) }) // slices.SortFunc would be compiled for the type (ADR 060)
	return c
}

// shared reports whether a word beside a choice is one that choices have in common: "account" of "current account" and "savings".
func (c *chooser) shared(word string) bool {
	of, known := c.owner[word]
	if !known {
		return false
	}
	if of < 0 {
		return true
	}
	for _, n := range c.names { // a further word of a name: "account" of "current account"
		if n.choice == of && len(n.words) > 1 && n.words[0] != word && slices.Contains(n.words, word) {
			return true
		}
	}
	return false
}

// at reads a choice that begins at a token: by a name, misspelt or shortened, or by its number in the order.
func (c *chooser) at(r *reading, i int) (found, bool) {
	if f, ok := c.named(r, i); ok {
		return f, true
	}
	return c.ordinal(r, i)
}

// named reads a choice by one of its names. The longest and then the least misspelt one is meant; several that are
// equally near are a question of which.
func (c *chooser) named(r *reading, i int) (found, bool) {
	best, end, meant := 0.0, 0, []int(nil)
	for _, n := range c.names {
		j, worth := c.nameAt(r, i, n)
		if worth == 0 || worth < best || worth == best && j < end {
			continue
		}
		if worth > best || j > end {
			best, end, meant = worth, j, meant[:0]
		}
		if !slices.Contains(meant, n.choice) {
			meant = append(meant, n.choice)
		}
	}
	switch len(meant) {
	case 0:
		return found{}, false
	case 1:
		return r.value(c.choices[meant[0]].Value, i, end, best), true
	}
	names := make([]string, len(meant))
	for k, one := range meant {
		names[k] = c.choices[one].Value
	}
	why := because(SeveralMeanings, Args{"said": r.said(i, end), "choices": r.language.Any(names)})
	which := r.refusal(why, i, end)
	for _, one := range meant {
		which.Among = append(which.Among, c.choices[one].Value)
	}
	return which, true
}

// said quotes some tokens for a message.
func (r *reading) said(i, j int) string {
	start, end := r.span(i, j)
	return r.language.Quote(clip(r.text[start:end]))
}

// clip shortens what was said for a message.
func clip(s string) string {
	const longest = 60
	n := 0
	for at := range s {
		if n++; n > longest {
			return s[:at] + "…"
		}
	}
	return s
}

// nameAt is where a name ends that begins at a token, and how well it was said; 0 if it was not.
func (c *chooser) nameAt(r *reading, i int, n name) (int, float64) {
	if n.number != "" {
		if d, ok := r.number(i); ok && !d.long && d.String() == n.number {
			return d.j, 1
		}
	}
	j, worth := i, 1.0
	for k, w := range n.words {
		end := j
		for k > 0 && j < len(r.tokens) && r.tokens[j].sort == mark && !r.isClauseEnd(j) {
			j++
		}
		said := r.folded(j)
		switch {
		case said == w:
		case k == len(n.words)-1 && !n.joined && r.shortens(said, w):
			worth = min(worth, byPrefix)
		case n.isSlip(r, said, k):
			worth = min(worth, bySlip)
		case k > 0 && r.language.class(r.folded(end-1)) == content && c.owner[n.words[0]] == n.choice: // "joint" for "joint checking"
			return end, byPrefix
		default:
			return i, 0
		}
		j++
	}
	return j, worth
}

// shortens reports whether a word is the beginning of another, and not a word of its own.
func (r *reading) shortens(said, word string) bool {
	return len(said) >= 3 && strings.HasPrefix(word, said) && r.language.class(said) == content &&
		(!r.language.known[said] || len(word)-len(said) <= 1)
}

// isSlip reports whether a word is a slip for the k-th of a name.
func (n *name) isSlip(r *reading, said string, k int) bool {
	if n.shapes[k] == 0 || !misspellable(said) || r.language.known[said] {
		return false
	}
	_, ok := slipped(said, shape(said), n.words[k], n.shapes[k])
	return ok
}

func (r *reading) isClauseEnd(i int) bool {
	switch r.sign(i) {
	case ',', ';', '!', '?', ':', '\n', '(', ')':
		return true
	}
	return false
}

// ordinal reads "the second one", "number 2", "option two", "the last one", "2".
func (c *chooser) ordinal(r *reading, i int) (found, bool) {
	at, marked := i, false
	at = r.past(at, "the")
	if r.is(at, "number", "option", "choice", "item") {
		at, marked = at+1, true
	}
	if r.sign(at) == '#' {
		at, marked = at+1, true
	}
	n, j := c.place(r, at, marked)
	if n == 0 || !marked && at == i && r.isContent(i-1) { // "the red one" is not the first
		return found{}, false
	}
	j = r.past(j, "one", "option", "choice", "item")
	if n < 0 {
		n = len(c.choices) + 1 + n
	}
	if n < 1 || n > len(c.choices) {
		return r.refusal(because(NoSuchChoice, Args{"count": len(c.choices), "said": r.said(i, j)}), i, j), true
	}
	v := r.value(c.choices[n-1].Value, i, j, byOrdinal)
	v.Place = true
	return v, true
}

// isContent reports whether a word at a token says what is meant, and no preposition or politeness.
func (r *reading) isContent(i int) bool {
	return i >= 0 && r.tokens[i].sort == letters && r.language.class(r.tokens[i].fold) == content && !r.language.is(r.tokens[i].fold, ands)
}

// onlyNumbers reports whether an utterance says numbers and nothing else but politeness: a number beside other words is no place.
func (r *reading) onlyNumbers() bool {
	for t := range r.tokens {
		if sign := r.tokens[t].sign; sign != 0 && !strings.ContainsRune(",.;:!?&+()/-", sign) {
			return false
		}
	}
	for k := 0; k < len(r.says); k++ {
		t, word := r.says[k], r.wordAt(k)
		_, ordinal := r.language.Values.Ordinals[r.word(t)]
		n := r.filling(k)
		switch {
		case n > 0:
			k += n - 1
		case r.tokens[t].sort == digits, r.isNumberWord(t), ordinal, r.language.endings[word] && r.isGlued(t):
		case r.language.is(word, polite|plain|ands|owner), r.language.class(word) == hum, r.is(t, "the", "one", "number", "option", "choice", "item"):
		default:
			return false
		}
	}
	return true
}

// place is a place in the order, from 1, or from -1 backwards; 0 if none was said.
func (c *chooser) place(r *reading, i int, marked bool) (n, j int) {
	if n, ok := r.language.Values.Ordinals[r.word(i)]; ok {
		return n, i + 1
	}
	if i >= len(r.tokens) || c.numbered && !marked {
		return 0, i
	}
	t := r.tokens[i]
	ordinal := t.sort == digits && r.isGlued(i+1) && r.tokens[i+1].sort == letters // "2nd"
	_, named := c.owner[t.fold]                                                    // "one wya", where there is "one way"
	if !marked && !ordinal && !named && !r.onlyNumbers() {
		return 0, i
	}
	if n, ok := r.language.Values.Units[t.fold]; ok && n > 0 && (marked || len(c.choices) > 1 && int(n) <= len(c.choices)) {
		return int(n), i + 1
	}
	if t.sort != digits || len(t.fold) > 2 || t.glued && !marked {
		return 0, i
	}
	d := value(t.fold)
	if r.isGlued(i+1) && r.tokens[i+1].sort == letters {
		switch r.tokens[i+1].fold {
		case "st", "nd", "rd", "th":
			return d, i + 2
		}
		return 0, i
	}
	if !marked && d > len(c.choices) {
		return 0, i
	}
	return d, i + 1
}
