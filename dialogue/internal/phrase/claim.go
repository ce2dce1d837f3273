package phrase

import (
	"slices"
	sorting "sort"
	"time"
)

// Claim is a value that a slot could take of an utterance.
//
// Two slots may claim the same words, of which only one can be meant: the words around the value say which.
type Claim struct {
	Value
	// Number says that no more than a number was said: 3 in "for 3". A value of that form may belong to any kind.
	Number bool
	// Bounds says that it is a range of numbers or amounts of which only the numbers were said: "between 8 and 12" may be times.
	Bounds bool
	// Typed says that a word before it belongs to the kind: a time in "at 3".
	Typed bool
	// Mark says whether words beside the value name the slot.
	Mark Mark
}

// Mark is how plainly the words beside a value name a slot.
type Mark int

// Marks, from the weakest to the strongest.
const (
	Unmarked Mark = iota
	Followed      // a word of the slot's phrases stands behind it
	Led           // a word of its phrases stands before it
	Named         // its name stands before it
	Counted       // it stands before the name of what it counts
)

// Signs are the words beside a placeholder in phrases, folded: "for" before it, "people" behind it.
type Signs struct{ Before, Behind []string }

// Signs returns the words beside the placeholders of some phrases, by the names of their slots.
//
// Behind a placeholder only words count that mean something: "on" in "for {people} on {day}" belongs to the day.
func (m *Matcher) Signs(of func(id int) bool) map[string]Signs {
	all := make(map[string]Signs)
	for _, v := range m.variants {
		if !of(m.phrases[v.phrase].ID) {
			continue
		}
		for e, el := range v.elements {
			if el.slot < 0 {
				continue
			}
			name := m.slots[el.slot].Name
			signs := all[name]
			if e > 0 && v.elements[e-1].literal >= 0 {
				signs.Before = append(signs.Before, m.wordsOf(v.elements[e-1], func(f form) int32 { return f.words[len(f.words)-1] })...)
			}
			if e+1 < len(v.elements) && v.elements[e+1].heavy {
				signs.Behind = append(signs.Behind, m.wordsOf(v.elements[e+1], func(f form) int32 { return f.words[0] })...)
			}
			all[name] = signs
		}
	}
	return all
}

func (m *Matcher) wordsOf(e element, which func(form) int32) (words []string) {
	if e.literal < 0 {
		return nil
	}
	for _, f := range m.literals[e.literal].forms {
		words = append(words, m.words[which(f)].text)
	}
	return words
}

// Claims returns the values that each of some slots could take of an utterance, from left to right.
//
// They are those that Find has, and numbers by themselves where the kind has such values. Signs are the words beside the slots'
// placeholders in phrases.
func (l Locale) Claims(slots []Slot, signs map[string]Signs, text string, now time.Time) [][]Claim {
	r := l.reading(text, now)
	all := make([][]Claim, len(slots))
	at := make([][]found, len(slots))
	for k, s := range slots {
		if s.inWords() || s.kind().scan == nil {
			continue
		}
		r.after, r.was = s.After, s.Was
		at[k] = r.claimed(s)
	}
	names := make([][][]string, len(slots))
	for k, s := range slots {
		if len(at[k]) == 0 {
			continue
		}
		for _, name := range s.Names {
			names[k] = append(names[k], foldedWords(name))
		}
	}
	counted := r.countedTokens(slots, signs, names, at)
	leads := make(map[string]bool)
	for _, s := range signs {
		for _, w := range s.Before {
			leads[w] = true
		}
	}
	for k, s := range slots {
		for _, v := range at[k] {
			n, isNumber := r.number(v.i)
			c := Claim{Value: r.touched(s, v).Value, Number: s.kind().counts || isNumber && n.j == v.j && s.kind() != Phone}
			c.Bounds = r.isBareRange(s, v)
			c.Typed = s.kind().bare && s.kind() != Percent && (r.introduced(v.i) || r.introduced(v.i+1))
			switch {
			case counted[v.i] == k+1:
				c.Mark = Counted
			case r.isLabel(v.i, names[k], counted):
				c.Mark = Named
			case slices.Contains(signs[s.Name].Before, r.led(v.i, leads)):
				c.Mark = Led
			case slices.ContainsFunc(signs[s.Name].Behind, func(w string) bool { return r.alike(r.folded(v.j), w) }):
				c.Mark = Followed
			}
			all[k] = append(all[k], c)
		}
	}
	return all
}

// isBareRange reports whether a range of numbers or amounts was said with numbers alone, which may be times: "between 8 and 12".
func (r *reading) isBareRange(s Slot, v found) bool {
	if end := s.ends().kind(); s.kind() != Range || end == Date || end == Percent {
		return false
	}
	for t := max(0, v.i-1); t <= v.j && t < len(r.tokens); t++ {
		if _, ok := r.coin(t); ok {
			return false
		}
	}
	return true
}

// claimed are the values of a slot's kind, and numbers by themselves where such are values.
func (r *reading) claimed(s Slot) []found {
	one := s.scanner(r.language)
	values := r.all(one)
	if s.kind().bare {
		r.bare = true
		for _, v := range r.all(one) {
			if !slices.ContainsFunc(values, func(o found) bool { return v.i < o.j && o.i < v.j }) {
				values = append(values, v)
			}
		}
		r.bare = false
		sorting.Slice(values, func(i, j int) bool { return values[i].i < values[j].i }) // slices.SortFunc would be compiled for the type (ADR 060)
	}
	return slices.DeleteFunc(values, func(v found) bool {
		return v.Reason != "" || r.refused(v)
	})
}

// countedTokens are the tokens of numbers behind which a name stands that counts them, with the slot (from 1). Of names between two
// numbers, each belongs to the one before it, unless that has a name already: "3 adults 2 children", "adults 3 children 2".
func (r *reading) countedTokens(slots []Slot, signs map[string]Signs, names [][][]string, at [][]found) map[int]int {
	counted, labelled := make(map[int]int), make(map[int]bool)
	for t := range r.tokens {
		for k, s := range slots {
			counts := s.kind().counts || slices.Contains(signs[s.Name].Behind, r.folded(t))
			for _, v := range at[k] {
				switch {
				case v.i == t && r.isLabel(t, names[k], counted):
					labelled[t] = true
				case v.j == t && counts && !labelled[v.i] && counted[v.i] == 0 && slices.ContainsFunc(names[k], func(name []string) bool { return r.counts(name, t) }):
					counted[v.i] = k + 1
				}
			}
		}
	}
	return counted
}

// isLabel reports whether one of some names stands before a token, with no more than small words between, that does not count a
// number before it.
func (r *reading) isLabel(i int, names [][]string, counted map[int]int) bool {
	at := r.leading(i)
	for _, words := range names {
		from := at - len(words) + 1
		if len(words) == 0 || from < 0 || !slices.EqualFunc(r.says[from:at+1], words, func(t int, w string) bool { return r.alike(r.tokens[t].fold, w) }) {
			continue
		}
		if from == 0 {
			return true
		}
		before := r.says[from-1]
		isCounting := false
		for t := range counted {
			if n, ok := r.number(t); ok && n.j-1 == before {
				isCounting = true
			}
		}
		return !isCounting
	}
	return false
}

// leading is the spoken word before a token that leads to it, without small words that only join: "is" in "the time is at 8"; -1
// for none, and where a mark such as a comma stands between.
func (r *reading) leading(i int) int {
	k, _ := slices.BinarySearch(r.says, i)
	for at := i; k > 0 && !r.isApart(k-1, at); k-- {
		at = r.says[k-1]
		if !r.language.is(r.wordAt(k-1), joint|owner) && r.filling(k-1) == 0 {
			return k - 1
		}
	}
	return -1
}

// isApart reports whether a mark that parts clauses stands between a spoken word and a token.
func (r *reading) isApart(k, i int) bool {
	return slices.ContainsFunc(r.tokens[r.says[k]+1:i], func(t token) bool {
		return t.sort == mark && t.sign != ':' && t.sign != '=' && t.sign != '(' && t.sign != '"'
	})
}

// led is the word of some phrases that leads to the value at a token: the nearest one, with nothing but small words in between; ""
// for none.
func (r *reading) led(i int, signs map[string]bool) string {
	k, _ := slices.BinarySearch(r.says, i)
	for at := i; k > 0 && !r.isApart(k-1, at); k-- {
		at = r.says[k-1]
		if w := r.wordAt(k - 1); signs[w] {
			return w
		} else if !r.language.is(w, joint|owner) {
			return ""
		}
	}
	return ""
}
