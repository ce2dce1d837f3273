package rank

import "slices"

// leastLetters is how long a word is, in bytes, of which a slip is mended: shorter ones are too often other words.
const leastLetters = 5

// spelling is the words of all examples, by which slips are mended.
type spelling struct {
	known    map[string]bool // words and stems
	byLength map[int][]Word
}

func (s *spelling) learn(words []Word) {
	if s.known == nil {
		s.known, s.byLength = make(map[string]bool), make(map[int][]Word)
	}
	for _, w := range words {
		if n := len(w.Text); n >= leastLetters && !slices.ContainsFunc(s.byLength[n], func(o Word) bool { return o.Text == w.Text }) {
			s.byLength[n] = append(s.byLength[n], w)
		}
		s.known[w.Text], s.known[w.Stem] = true, true
	}
}

// mend puts the word that is meant in the place of one that nobody knows, where one alone is a slip away from it.
func (s *spelling) mend(words []Word) []Word {
	for i, w := range words {
		if len(w.Text) < leastLetters || w.Known || s.known[w.Text] || s.known[w.Stem] {
			continue
		}
		if meant, ok := s.nearest(w.Text); ok {
			words[i] = meant
		}
	}
	return words
}

// nearest is the one word that is a slip away; of several those with one stem count as one.
func (s *spelling) nearest(said string) (meant Word, ok bool) {
	for n := len(said) - 1; n <= len(said)+1; n++ {
		for _, w := range s.byLength[n] {
			if !oneSlip(said, w.Text) {
				continue
			}
			if ok && w.Stem != meant.Stem {
				return Word{}, false
			}
			meant, ok = w, true
		}
	}
	return meant, ok
}

// oneSlip reports whether one letter was added, left out, changed or swapped with its neighbour between two different words.
// Letters are bytes: what is compared is folded.
func oneSlip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	if i == len(a) {
		return false // one word
	}
	swapped := i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
	return swapped || a[i+1:] == b[i+1:]
}
