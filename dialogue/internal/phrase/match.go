package phrase

import (
	"cmp"
	"slices"
	sorting "sort"
	"strings"
	"time"
)

// Match is a phrase that an utterance is an example of.
type Match struct {
	ID     int    // of the phrase
	Phrase string // its text
	// Score is how much of the phrase was said and how much else was, from 0 to 1. Nearly all that is not quite the
	// phrase is below 0.9; less than 0.4 is no match.
	Score float64
	// Values are those of its placeholders that were said, by name.
	Values map[string]Value
}

// floor is the score of the worst match.
const floor = 0.4

// maxSaid is how many words of an utterance are compared with phrases. A text at the end takes the rest with it.
const maxSaid = 64

// What it costs when words were said that are not in the phrase, or were not said that are.
const (
	costFiller   = 0.02
	costFunction = 0.08
	costContent  = 0.35
	costNegation = 1.5
	costMissing  = 0.3   // a word of the phrase, in addition to its weight; nothing for light ones
	costText     = 0.02  // a text: a phrase without one is taken
	costInText   = 0.004 // each word of a text: the shorter one is taken
)

// What is left of a word's weight when it was not said quite so.
const (
	forSynonym = 0.97
	forNumber  = 0.95 // a plural for a singular
	forSlip    = 0.9
	forSlips   = 0.8
)

// Match is the phrases that an utterance is an example of, the best first and at most one of each ID. Words around a
// phrase cost a little when they are polite, and more when they mean something or deny it; a phrase may miss
// placeholders and, at a price, a word; one without placeholders may be said in another order. Of equals the one that
// explains more words is first, then the one that was given first. Words are compared without case, accents and
// punctuation, and one that no phrase has may be a slip: one letter added, left out, changed or swapped from four
// letters on, two from eight.
func (m *Matcher) Match(text string, now time.Time) []Match {
	t := m.turn(text, now)
	var all []scored
	for i := range m.variants {
		v := &m.variants[i]
		if t.reach(v) < floor {
			continue
		}
		if s := t.score(v); s >= floor {
			all = t.better(all, scored{variant: v, score: s})
		}
	}
	sorting.SliceStable(all, func(i, j int) bool { // slices.SortFunc would be compiled for the type (ADR 060)
		a, b := &all[i], &all[j]
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.variant.total, a.variant.total), cmp.Compare(a.variant.phrase, b.variant.phrase)) < 0
	})
	matches := make([]Match, 0, len(all))
	for _, s := range all {
		if values, said := t.values(s.variant); said {
			p := m.phrases[s.variant.phrase]
			matches = append(matches, Match{ID: p.ID, Phrase: p.Text, Score: s.score, Values: values})
		}
	}
	return matches
}

type scored struct {
	variant *variant
	score   float64
}

// better keeps the best variant of each ID.
func (t *turn) better(all []scored, s scored) []scored {
	id := t.m.phrases[s.variant.phrase].ID
	for i := range all {
		if t.m.phrases[all[i].variant.phrase].ID == id {
			if s.score > all[i].score || s.score == all[i].score && s.variant.total > all[i].variant.total {
				all[i] = s
			}
			return all
		}
	}
	return append(all, s)
}

// heard is a word of a phrase that a spoken word may be.
type heard struct {
	word  int32
	worth float64
}

// turn is one utterance while it is compared with all phrases.
type turn struct {
	*reading
	m     *Matcher
	said  int       // how many words are compared
	heard [][]heard // by spoken word
	there []bool    // by literal: it is said somewhere
	cost  []float64 // by spoken word, when it is in no phrase
	tail  []float64 // the cost of all words from one on
	found [][]typed // by slot, as they are needed
	ready []bool    // by slot: found is filled in
	cells []cell    // of the variant that is compared
}

// typed is a value, and the spoken words that say it: from to before to.
type typed struct {
	Value
	from, to int
}

func (m *Matcher) turn(text string, now time.Time) *turn {
	r := &reading{line: newLine(text), locale: m.locale, language: m.language, now: now.In(m.locale.zone())}
	r.mend(m.has)
	t := &turn{reading: r, m: m, said: min(len(r.says), maxSaid)}
	t.hear()
	t.cost = make([]float64, t.said)
	t.tail = make([]float64, t.said+1)
	for i := t.said - 1; i >= 0; i-- {
		switch m.language.class(r.wordAt(i)) {
		case filler, hum:
			t.cost[i] = costFiller
		case function:
			t.cost[i] = costFunction
		case negation:
			t.cost[i] = costNegation
		default:
			t.cost[i] = costContent
		}
		t.tail[i] = t.tail[i+1] + t.cost[i]
	}
	t.there = make([]bool, len(m.literals))
	t.look()
	t.found = make([][]typed, len(m.slots))
	t.ready = make([]bool, len(m.slots))
	return t
}

// has reports whether a word is one of the phrases or of choices.
func (m *Matcher) has(word string) bool {
	_, ok := m.wordID[word]
	return ok || m.known[word]
}

// hear finds which words of phrases each spoken word may be: itself, or else those that it is the smallest slip for.
func (t *turn) hear() {
	t.heard = make([][]heard, t.said)
	flat := make([]heard, 0, t.said)
	for i := range t.said {
		word := t.wordAt(i)
		begin := len(flat)
		if id, ok := t.m.wordID[word]; ok {
			flat = append(flat, heard{id, 1})
		} else if id, ok := t.m.number(word); ok {
			flat = append(flat, heard{id, forNumber})
		} else if misspellable(word) && !t.m.known[word] && !t.language.known[word] {
			flat = t.m.slips(flat, word)
		}
		t.heard[i] = flat[begin:len(flat):len(flat)]
	}
}

// number is the word of phrases that a word is the plural or the singular of.
func (m *Matcher) number(word string) (int32, bool) {
	if len(word) < 4 || len(word) > maxFold {
		return 0, false
	}
	if one, ok := strings.CutSuffix(word, "s"); ok {
		id, ok := m.wordID[one]
		return id, ok && m.language.class(one) == content
	}
	var buffer [maxFold + 1]byte
	many := append(append(buffer[:0], word...), 's')
	id, ok := m.wordID[string(many)]
	return id, ok
}

// slips adds the words that a word may be a slip for: those that are nearest to it.
func (m *Matcher) slips(to []heard, said string) []heard {
	begin, best, form := len(to), 3, shape(said)
	for id, w := range m.words {
		if w.shape == 0 {
			continue
		}
		d, ok := slipped(said, form, w.text, w.shape)
		if !ok || d > best {
			continue
		}
		if d < best {
			to, best = to[:begin], d
		}
		worth := forSlip
		if d > 1 {
			worth = forSlips
		}
		to = append(to, heard{int32(id), worth})
	}
	return to
}

// look finds which literals are said somewhere.
func (t *turn) look() {
	for i, words := range t.heard {
		for _, h := range words {
			for _, at := range t.m.begins[h.word] {
				if !t.there[at] {
					_, worth := t.literalAt(t.m.literals[at], i)
					t.there[at] = worth > 0
				}
			}
		}
	}
}

// literalAt is how many words say a literal at a spoken word, and what that is worth; 0 if they do not.
func (t *turn) literalAt(lit literal, i int) (n int, worth float64) {
	for _, f := range lit.forms {
		if i+len(f.words) > t.said || f.worth < worth {
			continue
		}
		w := f.worth
		for k, id := range f.words {
			w = min(w, t.worth(i+k, id))
		}
		if w > worth || w == worth && w > 0 && len(f.words) > n {
			n, worth = len(f.words), w
		}
	}
	return n, worth
}

func (t *turn) worth(i int, id int32) float64 {
	for _, h := range t.heard[i] {
		if h.word == id {
			return h.worth
		}
	}
	return 0
}

// reach is the best score that a variant can have, from which of its words are there at all.
func (t *turn) reach(v *variant) float64 {
	gain := v.total
	for _, e := range v.elements {
		if e.literal >= 0 && !t.there[e.literal] {
			gain -= e.weight
			if e.heavy {
				gain -= t.m.missing
			}
		}
	}
	return v.reach * gain / v.total
}

// slot is the values of a slot's kind in the utterance.
func (t *turn) slot(at int) []typed {
	at = t.m.sources[at].sameAs
	if t.ready[at] {
		return t.found[at]
	}
	t.ready[at] = true
	for _, v := range t.all(t.m.sources[at].scan) {
		from, _ := slices.BinarySearch(t.says, v.i)
		to, _ := slices.BinarySearch(t.says, v.j)
		if to > from && to <= t.said {
			if v = t.touched(t.m.slots[at], v); t.m.has(v.Left) {
				v.Left = "" // a word of a phrase: "before {day}"
			}
			t.found[at] = append(t.found[at], typed{v.Value, from, to})
		}
	}
	return t.found[at]
}
