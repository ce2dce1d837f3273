package phrase

import "strings"

// Speech is what people say about the language of a conversation.
//
// A request is taken only where it is the whole of what is said: each list holds whole sentences, in which {language} stands
// for a name, [words] may be left out, and one of (several|others) is said.
type Speech struct {
	Names    map[string]string // of languages, by their tags, as sayings. People are told the first: "de": "German | Deutsch"
	Requests []string          // to change it: "can we speak {language}"
	Alone    []string          // a name with nothing else, which is a request beside a word of Please alone: "in {language}"
	Asks     []string          // questions which languages there are: "do you speak {language}", "which languages do you speak"
	Please   string            // sayings around a request that make one of a name: "please"
	Around   string            // sayings around a request that mean nothing: "hello"
}

// Wish is what a user says about the language of a conversation.
type Wish struct {
	Language string // the tag of the one that is named; "" for none, which only a question has
	Name     string // as it is compared: "german"
	Asks     bool   // it is a question which languages there are, and no request
	Bare     bool   // it is no more than the name with a word of politeness: "English, please" may be an answer, too
}

// Longer utterances are no wish.
const (
	mostWishWords = 16
	mostWishBytes = 200
)

// WishOf returns what an utterance says about the language of a conversation, and nothing else. It may be said in any of
// some languages. One that can be read as two wishes is none.
func WishOf(languages []*Language, text string) (w Wish, ok bool) {
	if len(text) > mostWishBytes {
		return w, false
	}
	words := foldedWords(text)
	if len(words) == 0 || len(words) > mostWishWords {
		return w, false
	}
	for _, l := range languages {
		found, is := l.compiled().wish(words)
		switch {
		case !is:
		case ok && (found.Language != w.Language || found.Asks != w.Asks):
			return Wish{}, false
		case ok:
			w.Bare = w.Bare || found.Bare
		default:
			w, ok = found, true
		}
	}
	return w, ok
}

// NameOf is what people call a language by its tag ("de-AT"); the tag itself where there is no name.
func (l *Language) NameOf(tag string) string {
	for _, key := range []string{strings.ToLower(tag), BaseOf(tag)} {
		if names, ok := l.Speech.Names[key]; ok {
			name, _, _ := strings.Cut(names, "|")
			return strings.TrimSpace(name)
		}
	}
	return tag
}

// BaseOf is the language of a tag without its region: "de" of "de-AT".
func BaseOf(tag string) string {
	base, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(tag), "_", "-"), "-")
	return base
}

// wishes is Speech, ready to be looked up.
type wishes struct {
	names          map[string]string // by the folded name, the tag
	longest        int               // words of a name
	sentences      map[string]Wish   // by their folded words, with nameMark for the name
	please, around phrases[bool]
}

// nameMark stands for the name of a language. It is a word that nobody says.
const nameMark = "xlanguagex"

func (l *Language) wishesOf() wishes {
	s := &l.Speech
	w := wishes{names: make(map[string]string), sentences: make(map[string]Wish)}
	for tag, names := range s.Names {
		for name := range strings.SplitSeq(names, "|") {
			words := foldedWords(name)
			w.names[strings.Join(words, " ")] = tag
			w.longest = max(w.longest, len(words))
		}
	}
	add := func(list []string, means Wish) {
		for _, text := range list {
			for _, way := range spellings(text) {
				way = strings.ReplaceAll(way, "{language}", " "+nameMark+" ")
				w.sentences[strings.Join(foldedWords(way), " ")] = means
			}
		}
	}
	add(s.Alone, Wish{Bare: true})
	add(s.Asks, Wish{Asks: true})
	add(s.Requests, Wish{})
	w.please.add(true, s.Please)
	w.around.add(true, s.Around)
	return w
}

// wish reads folded words.
func (l *language) wish(words []string) (Wish, bool) {
	words, polite := l.sayings.wishes.peeled(words)
	if means, ok := l.sayings.wishes.sentences[strings.Join(words, " ")]; ok && means.Asks {
		return means, true // it names no language
	}
	for from := range words {
		for to := from + 1; to <= min(from+l.sayings.wishes.longest, len(words)); to++ {
			tag, ok := l.sayings.wishes.names[strings.Join(words[from:to], " ")]
			if !ok {
				continue
			}
			sentence := append(append(append(make([]string, 0, len(words)), words[:from]...), nameMark), words[to:]...)
			means, ok := l.sayings.wishes.sentences[strings.Join(sentence, " ")]
			if ok && (!means.Bare || polite) {
				means.Language, means.Name = tag, strings.Join(words[from:to], " ")
				return means, true
			}
		}
	}
	return Wish{}, false
}

// peeled takes from both ends what stands around a wish, and tells whether a word of politeness was there.
func (w *wishes) peeled(words []string) (rest []string, polite bool) {
	for {
		n, fromEnd, please := w.outer(words)
		if n == 0 {
			return words, polite
		}
		polite = polite || please
		if fromEnd {
			words = words[:len(words)-n]
		} else {
			words = words[n:]
		}
	}
}

// outer is the longest saying at an end of some words, and leaves one word at least.
func (w *wishes) outer(words []string) (n int, fromEnd, please bool) {
	for n = min(max(w.please.longest, w.around.longest), len(words)-1); n > 0; n-- {
		for _, fromEnd := range []bool{true, false} {
			part := words[:n]
			if fromEnd {
				part = words[len(words)-n:]
			}
			saying := strings.Join(part, " ")
			if w.please.of[saying] {
				return n, fromEnd, true
			}
			if w.around.of[saying] {
				return n, fromEnd, false
			}
		}
	}
	return 0, false, false
}

// spellings are all ways to read a sentence with [words that may be left out] and (one|or|another).
func spellings(text string) []string {
	open := strings.IndexAny(text, "[(")
	if open < 0 {
		return []string{text}
	}
	depth, from, end := 0, open+1, len(text)
	var inner []string
	for i := open; i < len(text) && end == len(text); i++ {
		switch text[i] {
		case '[', '(':
			depth++
		case ']', ')':
			if depth--; depth == 0 {
				end = i
			}
		case '|':
			if depth == 1 {
				inner, from = append(inner, text[from:i]), i+1
			}
		}
	}
	inner = append(inner, text[from:end])
	var said []string
	for _, one := range inner {
		said = append(said, spellings(one)...)
	}
	if text[open] == '[' {
		said = append(said, "")
	}
	var all []string
	for _, rest := range spellings(text[min(end+1, len(text)):]) {
		for _, one := range said {
			all = append(all, text[:open]+" "+one+" "+rest)
		}
	}
	return all
}
