package identity_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/internal/identity"
	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
)

// TestH6_OneNameInManyForms, and names that are others.
func TestH6_OneNameInManyForms(t *testing.T) {
	for _, same := range [][]string{
		{"José", "Jose\u0301", "Jos\u200bé", "JOSÉ", " José\u00a0", "\ufeffJosé", "Jo\u00adsé", "ＪＯＳÉ", "J\u2060o\u200dsé", "José\ufe0f", "José\U000e0061", "\u2066José\u2069", "José\u2800", "José\x00", "José\u3164"},
		{"Ada", "ada", "\u202eAda", "Ａｄａ", "\tADA\n", "𝐀𝐝𝐚", "Ⓐda"},
		{"Żofia", "żofia", "Z\u0307ofia"},
		{"ada lovelace", "Ada\u00a0Lovelace", "Ada\u2003Lovelace"},
		{"ﬁona", "Fiona"},
		{"ΣΟΦΟΣ", "σοφος", "σοφοσ"},
		{"K", "\u212a", "k"}, // the sign of the kelvin
		{"ᾳ", "ᾼ", "α\u0345", "αι"},
		{"\u01f0", "J\u030c", "j\u030c"},
		{"\u0390", "\u03aa\u0301", "\u03b9\u0308\u0301"},
		{"Straße", "STRASSE", "Strasse", "STRA\u1e9eE"},
		{"İlker", "ilker", "ILKER", "ılker", "i\u0307lker"},
		{"Ada", "A\U00016fe4da", "Ad\U0001d159a"},
		{"Ada Lovelace", "Ada  Lovelace", "ada \t\u2003 lovelace", "Ada \u200b Lovelace"},
	} {
		for _, a := range same {
			for _, b := range same {
				if !identity.Same(a, b) {
					t.Errorf("%q and %q are two people, expected one", a, b)
				}
			}
		}
	}
	others := []string{"Ada", "Adam", "Аda", "Ad\u0430", "Ada Lovelace", "AdaLovelace", "José", "Jose", "Jos\xe9", "", " ", "\u200b", "\u3164\u2800"}
	for i, a := range others {
		for j, b := range others {
			if i != j && identity.Same(a, b) {
				t.Errorf("%q and %q are one person, expected two", a, b)
			}
		}
	}
	for _, blank := range []string{"", " ", "\u200b", "\u3164\u2800", "\t\n\u00a0", "\ufeff"} {
		if !identity.IsBlank(blank) || identity.Same(blank, blank) {
			t.Errorf("%q is somebody", blank)
		}
	}
}

// forms are what is done to names on their way, and changes nobody.
var forms = map[string]func(string) string{
	"NFC": norm.NFC.String, "NFD": norm.NFD.String, "NFKC": norm.NFKC.String, "NFKD": norm.NFKD.String,
	"capitals": strings.ToUpper, "small letters": strings.ToLower, "titles": strings.ToTitle,
	"all capitals": func(s string) string { return cases.Upper(language.Und).String(s) },
	"all small":    func(s string) string { return cases.Lower(language.Und).String(s) },
	"a title":      func(s string) string { return cases.Title(language.Und).String(s) },
	"folded":       func(s string) string { return cases.Fold().String(s) },
}

// TestH6_EveryCharacterIsOneInAllItsForms: what upper case, lower case and normal forms make of a character is that character.
func TestH6_EveryCharacterIsOneInAllItsForms(t *testing.T) {
	seen := 0
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) && !unicode.IsSymbol(r) && !unicode.IsPunct(r) {
			continue
		}
		name, key := string(r), ""
		for form, of := range forms {
			other := of(name)
			if other == name {
				continue
			}
			if key == "" {
				key = identity.Key("a" + name + "b")
			}
			if seen++; identity.Key("a"+other+"b") != key {
				t.Errorf("%U %q is %+q, and in %s, %q, %+q", r, name, key, form, other, identity.Key("a"+other+"b"))
			}
		}
	}
	if seen < 10000 {
		t.Errorf("%d forms were compared, expected many more", seen)
	}
}

// name draws names of letters in which much can go wrong. The iota below is not among them: it is a mark in small letters and
// a letter among capitals, so that its place among other marks is lost.
func name(t *rapid.T, label string) string {
	letters := []rune("aiIİıßẞſsSJjKkéÉe\u0301\u0307\u0308\u030c\u0323ΐϊΪΣσςǰﬁＡａ가각ᄀ\u1161\u11a8ŉǅǆÅ\u212b \u00a0\t")
	any := rapid.Rune().Filter(func(r rune) bool { return !strings.ContainsRune(norm.NFKD.String(string(r)), '\u0345') })
	return rapid.StringOf(rapid.OneOf(rapid.SampledFrom(letters), any)).Draw(t, label)
}

// TestH6_OnePersonIsAnEquivalence, which nothing breaks that happens to names on their way.
func TestH6_OnePersonIsAnEquivalence(t *testing.T) {
	var ignored []rune
	for _, table := range []*unicode.RangeTable{unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector} {
		for _, r := range table.R16 {
			ignored = append(ignored, rune(r.Lo), rune(r.Hi))
		}
		for _, r := range table.R32 {
			ignored = append(ignored, rune(r.Lo), rune(r.Hi))
		}
	}
	ways := slices.Sorted(maps.Keys(forms))
	altered := func(t *rapid.T, s string) string {
		for range rapid.IntRange(0, 4).Draw(t, "times") {
			if rapid.Bool().Draw(t, "hides") {
				runes := []rune(s)
				at := rapid.IntRange(0, len(runes)).Draw(t, "at")
				s = string(slices.Insert(runes, at, rapid.SampledFrom(ignored).Draw(t, "what")))
				continue
			}
			s = forms[rapid.SampledFrom(ways).Draw(t, "form")](s)
		}
		return s
	}
	rapid.Check(t, func(t *rapid.T) {
		one := name(t, "one")
		a, b := altered(t, one), altered(t, one)
		if (identity.Same(a, b) || identity.IsBlank(one)) && identity.Same(a, b) == identity.Same(b, a) && identity.IsBlank(a) == identity.IsBlank(one) {
			return
		}
		t.Fatalf("%+q and %+q, both made of %+q, have the keys %+q and %+q", a, b, one, identity.Key(a), identity.Key(b))
	})
}

// TestH6_KeysAreSettled: a key is its own key, and no form of a name and nothing invisible within it makes another one.
func TestH6_KeysAreSettled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		key := identity.Key(name)
		if again := identity.Key(key); again != key {
			t.Fatalf("the key of %q is %q, and of that %q", name, key, again)
		}
		for _, form := range []norm.Form{norm.NFC, norm.NFD, norm.NFKC, norm.NFKD} {
			if other := identity.Key(form.String(name)); other != key {
				t.Fatalf("%q has the key %q, and in another form %q", name, key, other)
			}
		}
		runes := []rune(name)
		at := rapid.IntRange(0, len(runes)).Draw(t, "at")
		hidden := string(runes[:at]) + string(rapid.SampledFrom([]rune{'\u200b', '\u200d', '\u202e', '\u2066', 0x1b, '\ufeff', '\ufe0e', '\u180b', '\U000e0020'}).Draw(t, "what")) + string(runes[at:])
		if other := identity.Key(hidden); other != key {
			t.Fatalf("%q has the key %q, and %q has %q", name, key, hidden, other)
		}
	})
}
