package phrase

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxTokens is how much of an utterance is looked at: nobody says more than that to be understood word by word.
const maxTokens = 160

// maxBytes is how much of it is looked at when that much holds fewer tokens.
const maxBytes = 16 << 10

// maxFold is the length in bytes up to which a word is folded; a longer one is no word of any language.
const maxFold = 256

type sort uint8

const (
	letters sort = iota
	digits
	mark // a punctuation mark, a sign, an emoji or the end of a line
)

// token is a word, a run of digits or a mark.
type token struct {
	start, end int
	sort       sort
	glued      bool   // nothing stands between it and the token before
	fold       string // of letters and digits: what is compared
	right      string // the word without a slip, see mend
	means      string // what it is in values: the word of the grammar, see mend
	spelled    bool   // a number that was said in words
	sign       rune   // of a mark
}

// line is an utterance as it is read: once for all questions about it.
type line struct {
	text   string
	seen   string // as much of it as is looked at
	tokens []token
	says   []int // the tokens that are no marks
	cut    bool  // there is more than is looked at
}

func newLine(text string) *line {
	l := &line{text: text, seen: text}
	if len(text) > maxBytes {
		l.seen, l.cut = text[:maxBytes], true
	}
	l.tokens = make([]token, 0, min(maxTokens, len(text)/4+4))
	l.read()
	l.says = make([]int, 0, len(l.tokens))
	l.findWords()
	return l
}

// findWords notes the tokens that are no marks.
func (l *line) findWords() {
	l.says = l.says[:0]
	for i, t := range l.tokens {
		if t.sort != mark {
			l.says = append(l.says, i)
		}
	}
}

func (l *line) read() {
	for at, last := 0, -1; at < len(l.seen); {
		r, size := utf8.DecodeRuneInString(l.seen[at:])
		if unicode.IsSpace(r) && r != '\n' || isIgnored(r) {
			at += size
			continue
		}
		if len(l.tokens) == maxTokens {
			l.cut = true
			return
		}
		t := token{start: at, end: at + size, glued: at == last}
		switch {
		case unicode.IsDigit(r):
			t.sort, t.end = digits, l.run(at, unicode.IsDigit)
			t.fold = foldDigits(l.text[t.start:t.end])
			t.right, t.means = t.fold, t.fold
		case isLetter(r):
			t.sort, t.end = letters, l.run(at, isLetter)
			t.fold = fold(l.text[t.start:t.end])
			t.right, t.means = t.fold, t.fold
		default:
			t.sort, t.sign = mark, r
		}
		at, last = t.end, t.end
		if n := len(l.tokens); t.sort == mark && n > 0 && l.tokens[n-1].sign == t.sign {
			l.tokens[n-1].end = t.end // "!!!" is one
			continue
		}
		if t.sort != mark && t.fold == "" {
			continue
		}
		l.tokens = append(l.tokens, t)
	}
}

// run is the end of the run of such runes that begins at a place. Apostrophes inside a word belong to it.
func (l *line) run(at int, is func(rune) bool) int {
	end := at
	for end < len(l.seen) {
		r, size := utf8.DecodeRuneInString(l.seen[end:])
		if isApostrophe(r) && end > at {
			after, _ := utf8.DecodeRuneInString(l.seen[end+size:])
			if !unicode.IsLetter(after) || !is(after) {
				break
			}
		} else if !is(r) && !isIgnored(r) {
			break
		}
		end += size
	}
	return end
}

func isLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return unicode.IsLetter(r) || unicode.IsMark(r)
}

// isIgnored reports characters that are not seen: soft hyphens, joiners, direction marks, variation selectors.
func isIgnored(r rune) bool {
	return r >= utf8.RuneSelf && (unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r))
}

func isApostrophe(r rune) bool {
	switch r {
	case '\'', '’', '‘', 'ʼ', '′', '`', '´', '＇', '‛':
		return true
	}
	return false
}

// alike are letters that decomposition does not make plain, and letters of other scripts that look like Latin ones.
// They are folded in phrases and in utterances alike, so that no word of those scripts is lost by it.
var alike = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i", 'ħ': "h", 'ŧ': "t",
	'а': "a", 'е': "e", 'о': "o", 'р': "p", 'с': "c", 'у': "y", 'х': "x", 'і': "i", 'ј': "j", 'ѕ': "s", 'ԁ': "d",
	'һ': "h", 'ԛ': "q", 'ԝ': "w", 'ӏ': "l", 'к': "k", 'м': "m", 'т': "t", 'в': "b", 'н': "h",
	'α': "a", 'ε': "e", 'ι': "i", 'κ': "k", 'ν': "v", 'ο': "o", 'ρ': "p", 'τ': "t", 'υ': "u", 'χ': "x", 'ɡ': "g", 'ɑ': "a",
}

// fold is a word as it is compared: in lower case, without accents and apostrophes, with Latin letters for those that
// look like them.
func fold(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = 'a' <= s[i] && s[i] <= 'z'
	}
	if plain || len(s) > maxFold {
		return s
	}
	if isASCII(s) {
		return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(s, "'", ""), "`", ""))
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(s) {
		if unicode.IsMark(r) || isIgnored(r) || isApostrophe(r) {
			continue
		}
		r = unicode.ToLower(r)
		if like, ok := alike[r]; ok {
			b.WriteString(like)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foldDigits is a run of digits of any script in the digits 0 to 9.
func foldDigits(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case isIgnored(r) || isApostrophe(r):
		default:
			b.WriteByte('0' + digitOf(r))
		}
	}
	return b.String()
}

// digitOf is what a decimal digit stands for. Unicode has them in rows of ten that begin with the zero.
func digitOf(r rune) byte {
	zero := r
	for unicode.IsDigit(zero - 1) {
		zero--
	}
	return byte((r - zero) % 10)
}

// folded is the word at a token as it is compared, or "" where none is.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (l *line) folded(i int) string {
	if i < 0 || i >= len(l.tokens) {
		return ""
	}
	return l.tokens[i].fold
}

// wordAt is the k-th spoken word as it is compared.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (l *line) wordAt(k int) string { return l.tokens[l.says[k]].fold }

// spokenIndex is the index in says of a token, if it is no mark.
func (l *line) spokenIndex(i int) (k int, ok bool) { return slices.BinarySearch(l.says, i) }

// sign is the mark at a token, or 0.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (l *line) sign(i int) rune {
	if i < 0 || i >= len(l.tokens) {
		return 0
	}
	return l.tokens[i].sign
}

// isGlued reports whether a token follows the one before it without a space.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (l *line) isGlued(i int) bool { return i > 0 && i < len(l.tokens) && l.tokens[i].glued }

// span is where the tokens from i to before j stand, without quotes, commas and the like around them.
func (l *line) span(i, j int) (start, end int) {
	for i < j && l.tokens[i].sort == mark && !isPrefix(l.tokens[i].sign) {
		i++
	}
	for j > i && l.tokens[j-1].sort == mark && !isSuffix(l.tokens[j-1].sign) {
		j--
	}
	if i >= j {
		return 0, 0
	}
	return l.tokens[i].start, l.tokens[j-1].end
}

// wide is the span of a text: with the signs that are glued to its ends.
func (l *line) wide(i, j int) (start, end int) {
	if start, end = l.span(i, j); start == end {
		return start, end
	}
	for ; i > 0 && l.isGlued(i) && isPrefix(l.sign(i-1)); i-- {
		start = l.tokens[i-1].start
	}
	for ; l.isGlued(j) && isSuffix(l.sign(j)); j++ {
		end = l.tokens[j].end
	}
	return start, end
}

func isPrefix(r rune) bool { return strings.ContainsRune("+-@#$€£¥~", r) && r != 0 }

func isSuffix(r rune) bool { return strings.ContainsRune("%€$£¥°+#", r) && r != 0 }
