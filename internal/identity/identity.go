package identity

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Same reports whether two names are of one person. A name of which nobody sees anything is nobody's.
func Same(a, b string) bool {
	if a == b {
		return !IsBlank(a)
	}
	key := Key(a)
	return key != "" && key == Key(b)
}

// IsBlank reports whether nobody sees anything of a name.
func IsBlank(name string) bool {
	if name != "" && name[0] > ' ' && name[0] < 0x7f {
		return false
	}
	return Key(name) == ""
}

// Shown returns a person as they are shown: the id, and the name in quotes if it differs. The id comes first, because
// people choose their names themselves.
func Shown(id, name string) string {
	if IsBlank(name) || Same(id, name) {
		return id
	}
	return strings.TrimSpace(id + " " + strconv.Quote(name))
}

// Key returns the form of a name that is compared. It is Unicode's NFKC_Casefold, without invisible characters. White
// space between words becomes one space, and there is none around them. An i is an i, with its dot and without: small
// letters and capitals of the Turkish alphabet would part ways otherwise.
func Key(name string) string {
	if key, ok := plain(name); ok {
		return key
	}
	name = strings.ToValidUTF8(name, "\uFFFD")
	for range 8 { // folding can undo a normal form; it is settled after the third time
		next := norm.NFKD.String(strings.Map(seen, norm.NFKD.String(name)))
		next = norm.NFKC.String(undotted(norm.NFKD.String(strings.Map(least, cases.Fold().String(next)))))
		if next == name {
			break
		}
		name = next
	}
	return strings.Join(strings.Fields(name), " ")
}

// plain is the key of a name in ASCII, which most ids are.
func plain(name string) (string, bool) {
	for i := range len(name) {
		if name[i] < ' ' || name[i] >= 0x7f {
			return "", false
		}
	}
	name = strings.ToUpper(strings.TrimSpace(name))
	if strings.Contains(name, "  ") {
		name = strings.Join(strings.Fields(name), " ")
	}
	return name, true
}

// seen is a character as it is seen: -1 for what nobody sees, and one space for all white space.
func seen(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case IsInvisible(r):
		return -1
	}
	return r
}

// least is one form for all cases of a letter, also of those that [cases.Fold] does not bring together.
func least(r rune) rune {
	first := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		first = min(first, other)
	}
	return first
}

// undotted is a folded name in NFKD whose letters I have no dot of their own.
func undotted(name string) string {
	if !strings.ContainsAny(name, "\u0131\u0307") {
		return name
	}
	dotted := false // the last letter is an I: what follows are its marks
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\u0131':
			r = 'I'
		case r == '\u0307' && dotted:
			return -1
		}
		if !unicode.Is(unicode.Mn, r) {
			dotted = r == 'I'
		}
		return r
	}, name)
}

// IsInvisible reports whether a character is never seen. Such are controls, formats (the zero-width ones, marks of
// direction, tags), fillers, selectors of variants, the blank of Braille, and a note without a head. White space is
// seen.
func IsInvisible(r rune) bool {
	return r == '\u2800' || r == '\U00016fe4' || r == '\U0001d159' || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.IsSpace(r)
}
