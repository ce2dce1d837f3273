package printable

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Acts reports whether a character acts on a display, beyond being seen. Such are controls (with line ends and tabs),
// marks that turn the direction of text, breaks of lines and paragraphs, and annotations.
func Acts(r rune) bool {
	switch {
	case r < 0x80:
		return r < ' ' || r == 0x7f
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Bidi_Control, r):
		return true
	}
	return r == '\u2028' || r == '\u2029' || r >= '\ufff9' && r <= '\ufffb'
}

// Escape returns a text of any number of lines in a form that may be shown. Characters that act, but line ends and
// tabs, and invisible ones are written as JSON escapes them, and bytes that are not UTF-8 as U+FFFD. So JSON stays the
// same JSON. Joiners and selectors of variants that make an emoji or a letter of a script that needs them are left.
func Escape(text string) string {
	return escape(text, func(r rune) bool { return Acts(r) && r != '\n' && r != '\t' })
}

// Line is Escape for text within a line: line ends and tabs are escaped, too.
func Line(text string) string { return escape(text, Acts) }

// IsClean reports whether Escape leaves text as it is.
func IsClean[T string | []byte](text T) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			return Escape(string(text)) == string(text)
		}
	}
	return true
}

func escape(text string, acts func(rune) bool) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return acts(r) || unseen(r) }) < 0 {
		return text
	}
	var b strings.Builder
	last := rune(0)          // what was written last
	for i, r := range text { // U+FFFD for each byte that is none
		switch {
		case !acts(r) && (!unseen(r) || shapes(last, r, text[i+utf8.RuneLen(r):])):
			b.WriteRune(r)
			last = r
			continue
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		last = 'u'
	}
	return b.String()
}

// unseen reports whether nobody sees a character, which does not act either: texts that look alike would differ by it.
func unseen(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r == '\u00ad', r == '\u2800':
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// shapes reports whether a character that nobody sees has a part in what is seen, between what was written and what follows.
func shapes(last, r rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	selected := last >= '\ufe00' && last <= '\ufe0f'
	switch {
	case r == '\u200c', r == '\u200d': // joins emojis, and shapes letters from Arabic on
		return (last >= 0x600 && !unseen(last) || selected) && next >= 0x600 && !unseen(next) && !Acts(next)
	case r >= '\ufe00' && r <= '\ufe0f': // a variant of a sign
		return last >= 0x80 && !unseen(last) || next == '\u20e3'
	}
	return r >= 0xe0100 && r <= 0xe01ef && unicode.Is(unicode.Han, last) // a variant of an ideograph
}

// ErrControl is wrapped by all that Check says.
var ErrControl = errors.New("it would act on a terminal that shows it")

// Check refuses a name that has a character that acts. The argument what says in the error which name it is.
func Check(what, text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("%s is no UTF-8: %w", what, ErrControl)
	}
	if i := strings.IndexFunc(text, Acts); i >= 0 {
		r, _ := utf8.DecodeRuneInString(text[i:])
		return fmt.Errorf("%s has a control character (%U) at byte %d: %w; leave it out", what, r, i, ErrControl)
	}
	return nil
}
