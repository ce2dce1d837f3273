package phrase

import "strings"

// Word is a word of an utterance, for those who count words.
type Word struct {
	Text     string // as it is compared: without case, accents and apostrophes
	Stem     string // without the endings that the language has for any word; one for all words that are alike
	Small    bool   // every sentence has it: an article, a preposition, a pronoun
	Empty    bool   // it stands around what people mean: "please", "um"
	Negative bool   // "not"
	Known    bool   // it is a word of the language, and no slip for another one
}

// Words are the words and numbers of an utterance, in order. An utterance is looked at as far as [Matcher.Match] does.
func (l Locale) Words(text string) []Word {
	of := l.language()
	line := newLine(text)
	all := make([]Word, len(line.says))
	for k := range line.says {
		w := line.wordAt(k)
		class := of.class(w)
		all[k] = Word{
			Text: w, Stem: of.stem(w), Small: class == function, Empty: class == filler || class == hum, Negative: class == negation,
			Known: of.known[w],
		}
	}
	return all
}

// Forbids reports whether an utterance is a no to what it says: "please don't send it".
func (l Locale) Forbids(text string) bool {
	of, line := l.language(), newLine(text)
	k := 0
	for {
		mood, n := of.moods.at(line, k)
		if mood != around || n == 0 {
			break
		}
		k += n
	}
	words := make([]string, 0, of.moods.longest)
	for j := k; j < len(line.says) && len(words) < of.moods.longest; j++ { // also where it begins a longer no: "I don't want to"
		words = append(words, line.wordAt(j))
		if mood, ok := of.moods.of[strings.Join(words, " ")]; ok && mood == bars {
			return true
		}
	}
	return false
}

// shortestStem is the length in bytes that a word keeps without its endings.
const shortestStem = 3

// stemmer knows forms of one word.
type stemmer struct {
	alike    []map[string]bool // Language.Alike
	suffixes []string          // Language.Suffixes
	stems    map[string]string // by a word of Language.Alike, the stem of the first of its forms
}

// stem is a word without its endings, each of which is taken off once, in the order of the list. Words that are alike have
// the stem of the first of them.
func (s *stemmer) stem(word string) string {
	if of, ok := s.stems[word]; ok {
		return of
	}
	for _, end := range s.suffixes {
		if short, has := strings.CutSuffix(word, end); has && len(short) >= shortestStem {
			word = short
		}
	}
	return word
}

func newStemmer(of *Language) stemmer {
	s := stemmer{suffixes: strings.Fields(of.Suffixes)}
	all := make(map[string]string)
	for _, forms := range of.Alike {
		s.alike = append(s.alike, set(forms))
		words := strings.Fields(forms)
		for _, w := range words {
			all[w] = s.stem(words[0])
		}
	}
	s.stems = all
	return s
}

// OffTopic returns the sayings of Elsewhere.
func (l *Language) OffTopic() []string {
	var all []string
	for saying := range strings.SplitSeq(l.Elsewhere, "|") {
		if saying = strings.TrimSpace(saying); saying != "" {
			all = append(all, saying)
		}
	}
	return all
}
