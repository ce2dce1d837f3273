package phrase_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// exact are the kinds of which a value is certain only when every word beside it is explained.
var exact = []string{"number", "integer", "money", "date", "time", "datetime"}

// certain reports whether a value fills a slot without a question.
func certain(v phrase.Value, ok bool) bool {
	return ok && v.Reason == "" && v.Left == "" && v.Score >= 0.5
}

// german is the locale of the tables in German.
var german = phrase.Locale{Language: phrase.German, Currency: "EUR"}

// No text of the tables is a certain value when a word that nobody knows is added anywhere: it may change the value.
func TestAnUnknownWordIsAskedAbout(t *testing.T) {
	for path, loc := range map[string]phrase.Locale{"testdata/read.txt": euros, "testdata/dates.txt": euros, "testdata/german.txt": german} {
		for _, row := range lines(t, path) {
			if !isExact(row.kind) {
				continue
			}
			for _, unknown := range []string{"zorbl", "zorbls", "qxy", "Überzorb"} {
				checkUnknown(t, loc, row.kind, row.said, unknown)
			}
		}
	}
}

func isExact(kind string) bool {
	return slices.Contains(exact, kind)
}

// checkUnknown adds a word at every place of a text.
func checkUnknown(t *testing.T, loc phrase.Locale, kind, said, unknown string) {
	t.Helper()
	words := strings.Fields(said)
	for n := range len(words) + 1 {
		text := strings.Join(append(append(append([]string{}, words[:n]...), unknown), words[n:]...), " ")
		if v, ok := loc.Read(slots[kind], text, now); certain(v, ok) {
			t.Errorf("%s %q is certainly %v", kind, text, v.Value)
		}
	}
}

// FuzzLeft checks that nothing that means something is passed over: a certain value is uncertain beside a word that nobody
// knows, and no number comes from within another token.
func FuzzLeft(f *testing.F) {
	for _, s := range utterances {
		f.Add(s)
	}
	for _, s := range []string{
		"EUR49.90", "v2.0", "3.14.15", "2 weeks before christmas", "third tuesday of september 2014", "half of my balance", "50%", "a quarter to noon",
		"übernächsten Freitag", "october, 1st", "monday of last week", "less than 50", "10.10", "12:30", "x7", "7x", "1.2.3.4", "15'", "in 1/4 h", "4pm CET",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, said string) {
		if !utf8.ValidString(said) || len(said) > 400 {
			return
		}
		for _, kind := range exact {
			for _, loc := range []phrase.Locale{euros, german} {
				v, ok := loc.Read(slots[kind], said, now)
				if !certain(v, ok) {
					continue
				}
				for _, text := range []string{"zorbl " + said, said + " zorbl"} {
					if w, ok := loc.Read(slots[kind], text, now); certain(w, ok) {
						t.Fatalf("%s %q is certainly %v", kind, text, w.Value)
					}
				}
				if isNumeric := kind == "number" || kind == "integer" || kind == "money"; isNumeric && withinToken(said, v) {
					t.Fatalf("%s %q is %v, from within a token", kind, said, v.Value)
				}
			}
		}
	})
}

// withinToken reports whether the digits of a value go on beyond it.
func withinToken(said string, v phrase.Value) bool {
	before, _ := utf8.DecodeLastRuneInString(said[:v.Start])
	behind, _ := utf8.DecodeRuneInString(said[v.End:])
	first, _ := utf8.DecodeRuneInString(v.Text)
	last, _ := utf8.DecodeLastRuneInString(v.Text)
	return unicode.IsDigit(first) && v.Start > 0 && isWordRune(before) || unicode.IsDigit(last) && v.End < len(said) && isWordRune(behind)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// No number comes from within another token, whatever letters and signs the token is made of.
func TestNoNumberComesFromWithinAToken(t *testing.T) {
	for _, said := range []string{
		"v2.0", "3.14.15", "1.2.3.4", "A320", "x7", "7x", "COVID-19", "file_7", "7_files", "10.x", "a.10", "12:30:45", "b#7", "user@7", "1e5x", "ISO-8601", "5:4", "H2O",
	} {
		for _, kind := range []string{"number", "integer", "money"} {
			if v, ok := euros.Read(slots[kind], said, now); certain(v, ok) {
				t.Errorf("%s %q is certainly %v", kind, said, v.Value)
			}
		}
	}
	for said, want := range map[string]string{"EUR49.90": "49.9", "EUR3.14": "3.14", "eur115.5": "115.5", "-EUR5": "-5", "€49.90": "49.9", "49.90EUR": "49.9"} {
		if v, ok := euros.Read(slots["money"], said, now); !certain(v, ok) || marshal(t, v.Value) != want {
			t.Errorf("money %q is %+v, want %s", said, v, want)
		}
	}
}
