package phrase_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// utterances are where fuzzing begins.
var utterances = []string{
	"", "transfer 50 to Bob", "please transfer fifty euros to Zoë Müller, thanks", "no, make it 60", "yes but to Bob", "31 Feb at 25:00",
	"tomorrow at half past three", "two hundred and fifty point five million", "1.234.567,89 €", "\xff\xfe transfer \xc3", "se\u00adnd mo\u200bney 👍🏽",
	"the second one", "1,2,3 and 4", "3/5/2027", "in 99999 years", "٥٠ ｅｕｒｏｓ", "-€-5", "a a a a a", "don't don't don't", "((((", "can't 'n' won't",
	"2027-05-03T10:15:30+02:00", "the 31st of next month", "quarter to 1", "p.m. a.m. 3 p.m", "$ 5 USD cents", "12345678901234567890123456789012345",
}

func FuzzMatch(f *testing.F) {
	for _, s := range utterances {
		f.Add(s)
	}
	m := compiled(f)
	f.Fuzz(func(t *testing.T, said string) {
		last := 1.0
		for _, match := range m.Match(said, now) {
			if match.Score < 0 || match.Score > last {
				t.Fatalf("%q: a score of %v behind %v", said, match.Score, last)
			}
			last = match.Score
			for name, v := range match.Values {
				checkValue(t, said, name, v)
			}
		}
		if s, ok := euros.Common(said); ok && (s.Score <= 0 || s.Score > 1) {
			t.Fatalf("%q: %+v", said, s)
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, s := range utterances {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, said string) {
		for name, slot := range slots {
			if v, ok := euros.Read(slot, said, now); ok {
				checkValue(t, said, name, v)
			}
			for _, v := range euros.Find(slot, said, now) {
				checkValue(t, said, name, v)
			}
		}
	})
}

func FuzzAssent(f *testing.F) {
	for _, s := range utterances {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, said string) {
		yes, no, rest, score := phrase.Locale{}.Assent(said)
		if yes && no || (yes || no) != (score > 0) || score > 1 || rest != "" && !strings.Contains(said, rest) {
			t.Fatalf("%q is %v, %v, %q, %v", said, yes, no, rest, score)
		}
		for _, doubt := range []string{"?", " maybe", ", no", " if"} {
			if yes, _, _, _ := (phrase.Locale{}).Assent(said + doubt); yes {
				t.Fatalf("%q is a yes", said+doubt)
			}
		}
	})
}

func FuzzCompile(f *testing.F) {
	for _, p := range bank {
		f.Add(p.Text)
	}
	f.Add("(a|[b|{payee}]|(c d|e)) [f]")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := phrase.Compile([]phrase.Phrase{{Text: text}}, bankSlot, synonyms, euros)
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error that says nothing")
			}
			return
		}
		m.Match(text, now)
	})
}

// checkValue is what holds for every value.
func checkValue(t *testing.T, said, name string, v phrase.Value) {
	t.Helper()
	if v.Start < 0 || v.End > len(said) || v.Start > v.End || said[v.Start:v.End] != v.Text {
		t.Fatalf("%q: %s is not at %d to %d: %+v", said, name, v.Start, v.End, v)
	}
	if (v.Value == nil) != (v.Reason != "") || v.Score <= 0 || v.Score > 1 {
		t.Fatalf("%q: %s is %+v", said, name, v)
	}
}

// However long an utterance is, and whatever it is made of, it is looked at for a short time only: what is behind the
// first words changes nothing but the end of a text.
func TestLongUtterances(t *testing.T) {
	const size = 1 << 20
	m := compiled(t)
	for _, part := range []string{"a", "a ", "transfer 50 to ", "yes ", "1", "1,", "1 ", "one ", "and ", "\xff", "\u0301", "\u00ad", " ", "?", "🎉", "'", "the ", "in ", "3/"} {
		said := strings.Repeat(part, size/len(part))
		for _, match := range m.Match(said, now) {
			for name, v := range match.Values {
				checkValue(t, said, name, v)
			}
		}
		for name, slot := range slots {
			if v, ok := euros.Read(slot, said, now); ok {
				checkValue(t, said, name, v)
			}
			euros.Find(slot, said, now)
		}
		if yes, _, _, _ := euros.Assent(said); yes {
			t.Errorf("a megabyte of %q is a yes", part)
		}
		euros.Common(said)
	}
	long := "transfer 50 to " + strings.Repeat("Bob ", size/4) + "Ross  "
	if v := m.Match(long, now)[0].Values["payee"]; v.Text != strings.TrimSpace(long[len("transfer 50 to "):]) {
		t.Errorf("a long text ends at %d of %d", v.End, len(long))
	}
}

// What is said does not depend on who says what else at the time, nor on what was said before.
func TestMatchIsDeterministic(t *testing.T) {
	m, other := compiled(t), compiled(t)
	words := strings.Fields("transfer 50 to Bob and send money please how much is in my savings account not the second book a table for two help")
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var said []string
		for range 1 + rng.IntN(8) {
			said = append(said, words[rng.IntN(len(words))])
		}
		text := strings.Join(said, " ")
		a, b := fmt.Sprint(m.Match(text, now)), fmt.Sprint(other.Match(text, now))
		if a != b {
			t.Fatalf("%q is %s and %s", text, a, b)
		}
	}
}
