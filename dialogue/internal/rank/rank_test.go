package rank

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
)

// small are words that say little, for tests.
var small = strings.Fields("i my a the is to do how can what please of in it me you")

func split(text string) []Word {
	var all []Word
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		one := Word{Text: w, Stem: strings.TrimSuffix(w, "s"), Weight: 1, Turns: w == "not" || w == "dont"}
		if slices.Contains(small, w) {
			one.Weight = 0.3
		}
		all = append(all, one)
	}
	return all
}

// shop is what a shop does for people.
var shop = []Class{
	{Examples: []string{"where is my parcel", "track a delivery", "my parcel has not arrived", "when do you deliver my order"}, About: []string{"track parcels"}},
	{Examples: []string{"return an item", "send my shoes back", "how do i return a purchase", "i want my money back"}, About: []string{"return things"}},
	{Examples: []string{"change my address", "i moved to another street", "edit where i live", "update the address"}, About: []string{"addresses"}},
	{Examples: []string{"cancel my order", "stop the order", "i do not need it any more", "take the order back"}, About: []string{"cancel orders"}},
}

var elsewhere = []string{
	"will it rain tomorrow", "who won the match", "play some music", "how do you spell necessary", "what is ten times four", "where do penguins live",
	"tell me a joke", "turn the lights off", "i am tired today", "which wine goes with fish",
}

func newShop() *Ranker { return New(shop, Options{Words: split, Foreign: elsewhere}) }

func TestRank(t *testing.T) {
	r := newShop()
	for _, c := range []struct {
		text string
		sure Sureness
		want int // the first class; -1 for none
	}{
		{"where is my parcel", Plain, 0},
		{"can you track my parcel please", Plain, 0},
		{"the parcl has not arived", Plain, 0}, // slips of the pen
		{"aprcel where", Plain, 0},
		{"tarck a deliveri", Ahead, 0},
		{"i moved to a new street and changed address", Plain, 2},
		{"delivery to a bicycle", Near, 0},    // one word proves little
		{"order", Near, 3},                    // of several
		{"do not change my address", Near, 2}, // the contrary of every example
		{"is it true that penguins eat fish", Foreign, -1},
		{"", Foreign, -1},
		{"\xff\x00 ☃", Foreign, -1},
	} {
		got := r.Rank(c.text)
		first := -1
		if len(got.Classes) > 0 {
			first = got.Classes[0].Class
		}
		if got.Sure != c.sure || first != c.want {
			t.Errorf("%q: sure %d, first %d; expected %d and %d (%v)", c.text, got.Sure, first, c.sure, c.want, got.Classes)
		}
	}
}

func TestNoClassesAndNoTexts(t *testing.T) {
	for name, classes := range map[string][]Class{"none": nil, "an empty one": {{}}, "one": shop[:1], "equal ones": {shop[0], shop[0]}} {
		r := New(classes, Options{Words: split, Foreign: elsewhere})
		got := r.Rank("where is my parcel")
		if name == "equal ones" && (got.Sure != Near || len(got.Classes) != 2) {
			t.Errorf("%s: %+v; expected a question", name, got)
		}
		if len(r.Order("where is my parcel")) != len(classes) {
			t.Errorf("%s: not all classes are in order", name)
		}
	}
}

// texts are made of the words of the shop, words of elsewhere, and slips.
func texts(t *rapid.T) string {
	words := strings.Fields(strings.Join(elsewhere, " "))
	for _, c := range shop {
		words = append(words, strings.Fields(strings.Join(c.Examples, " "))...)
	}
	n := rapid.IntRange(0, 12).Draw(t, "words")
	var said []string
	for range n {
		w := rapid.SampledFrom(words).Draw(t, "word")
		if len(w) > 4 && rapid.Bool().Draw(t, "slip") {
			at := rapid.IntRange(0, len(w)-1).Draw(t, "at")
			w = w[:at] + w[at+1:]
		}
		said = append(said, w)
	}
	return strings.Join(said, " ")
}

// TestScoresAreThoseOfTheirDefinition compares the scores from lists with cosines that are calculated one by one, also
// where an example is left out.
func TestScoresAreThoseOfTheirDefinition(t *testing.T) {
	r := newShop()
	rapid.Check(t, func(t *rapid.T) {
		v := r.space.unit(r.space.features(split(texts(t)), false))
		without := rapid.IntRange(noText, len(r.vectors)-1).Draw(t, "without")
		if without != noText {
			v = r.vectors[without]
		}
		want := make([]float64, len(shop))
		for c := range shop {
			sum, nearest := make(map[int32]float64), 0.0
			for text, other := range r.vectors {
				if int(r.class[text]) != c || text == without {
					continue
				}
				for _, f := range other {
					sum[f.id] += f.weight
				}
				nearest = max(nearest, cosine(v, other))
			}
			length, dot := 0.0, 0.0
			for _, w := range sum {
				length += w * w
			}
			for _, f := range v {
				dot += f.weight * sum[f.id]
			}
			if want[c] = (1 - middle) * nearest; length > 0 {
				want[c] += middle * dot / math.Sqrt(length)
			}
		}
		if diff := cmp.Diff(want, r.scores(v, without), cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })); diff != "" {
			t.Error(diff)
		}
	})
}

// cosine is how near two texts are, feature by feature.
func cosine(a, b []feature) float64 {
	sum := 0.0
	for _, x := range a {
		for _, y := range b {
			if x.id == y.id {
				sum += x.weight * y.weight
			}
		}
	}
	return sum
}

// TestRankingsKeepTheirPromises ranks anything: scores are from 0 to 1 and in order, a ranking is empty where the text is
// foreign and has at most three classes, and the answer is the same each time and from each ranker of the same classes.
func TestRankingsKeepTheirPromises(t *testing.T) {
	r, twin := newShop(), newShop()
	rapid.Check(t, func(t *rapid.T) {
		text := texts(t)
		if rapid.Bool().Draw(t, "anything") {
			text = rapid.String().Draw(t, "text")
		}
		got := r.Rank(text)
		if diff := cmp.Diff(got, twin.Rank(text)); diff != "" {
			t.Fatal(diff)
		}
		if (got.Sure == Foreign) != (len(got.Classes) == 0) || len(got.Classes) > most {
			t.Fatalf("%q: %+v", text, got)
		}
		last := 1.0 + 1e-9
		for _, c := range got.Classes {
			if !(c.Score > 0 && c.Score <= last) {
				t.Fatalf("%q: %+v", text, got)
			}
			last = c.Score
		}
		order := r.Order(text)
		if len(got.Classes) > 0 && got.Classes[0].Class != order[0] {
			t.Fatalf("%q: %+v, but in order %v", text, got, order)
		}
	})
}

// TestForeignTextsSettleWhatIsNear ranks with more and more foreign texts that share words with the examples: what is as
// near as most of them are is foreign.
func TestForeignTextsSettleWhatIsNear(t *testing.T) {
	const text = "how do i change the street"
	if got := newShop().Rank(text); got.Sure == Foreign {
		t.Errorf("%q is foreign to the shop", text)
	}
	var alike []string
	for i := range 20 {
		alike = append(alike, fmt.Sprintf("how do i change the street number %d in this game of cards", i))
	}
	r := New(shop, Options{Words: split, Foreign: alike})
	if r.bounds.near <= newShop().bounds.near {
		t.Errorf("the bound is %v with foreign texts of the same words, and %v without", r.bounds.near, newShop().bounds.near)
	}
}

// TestClassesThatAreAlikeAskMore takes classes that are confused when an example is left out: a text has to be further ahead.
func TestClassesThatAreAlikeAskMore(t *testing.T) {
	var apart, alike []Class
	things := strings.Fields("parcel bicycle garden piano kettle")
	for i, thing := range things {
		apart = append(apart, Class{Examples: []string{"mend a " + thing, "my " + thing + " is broken", "repair the " + thing}})
		next := things[(i+1)%len(things)]
		alike = append(alike, Class{Examples: []string{"mend a " + thing + " by hand", "mend the " + next + " by hand", "hand " + thing + " over"}})
	}
	far, near := New(alike, Options{Words: split}).bounds.ahead.ahead, New(apart, Options{Words: split}).bounds.ahead.ahead
	if far <= near {
		t.Errorf("classes that are alike need %v, and those that are apart %v", far, near)
	}
}

// FuzzRank ranks any bytes by any examples.
func FuzzRank(f *testing.F) {
	f.Add("where is my parcel", "track it\nmy parcel\n\ncancel", "weather")
	f.Add("\xff", "", "")
	f.Fuzz(func(t *testing.T, text, examples, foreign string) {
		var classes []Class
		for class := range strings.SplitSeq(examples, "\n\n") {
			classes = append(classes, Class{Examples: strings.Split(class, "\n")})
		}
		r := New(classes[:min(50, len(classes))], Options{Words: split, Foreign: strings.Split(foreign, "\n")})
		for _, c := range r.Rank(text).Classes {
			if !(c.Score > 0 && c.Score <= 1+1e-9) {
				t.Errorf("%q has the score %v", text, c.Score)
			}
		}
	})
}

// A word that an example has, that has its stem, that the language knows, that is short, or that may be two words, is no slip.
func TestSlipsThatAreNone(t *testing.T) {
	var s spelling
	s.learn([]Word{{Text: "transfer", Stem: "transfer"}, {Text: "light", Stem: "light"}, {Text: "night", Stem: "night"}, {Text: "card", Stem: "card"}, {Text: "paying", Stem: "pay"}})
	for said, want := range map[Word]string{
		{Text: "trasnfer"}: "transfer", {Text: "transfe"}: "transfer", {Text: "transsfer"}: "transfer", {Text: "trensfer"}: "transfer",
		{Text: "trasnfre"}: "trasnfre", {Text: "fight"}: "fight", {Text: "cadr"}: "cadr", {Text: "payign", Stem: "pay"}: "payign", {Text: "transfers", Known: true}: "transfers",
		{Text: "transfer"}: "transfer",
	} {
		if got := s.mend([]Word{said})[0].Text; got != want {
			t.Errorf("%q is %q, want %q", said.Text, got, want)
		}
	}
}

// One slip is an edit of one letter or a swap of two, whatever the words are.
func TestOneSlip(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"abc", "abc", false},
		{"", "", false},
		{"", "a", true},
		{"abc", "acb", true},
		{"abc", "ab", true},
		{"abc", "xabc", true},
		{"abc", "axc", true},
		{"abcd", "badc", false},
		{"abc", "cba", false},
		{"ab", "abcd", false},
		{"abcdef", "abdcef", true},
	} {
		if got, back := oneSlip(tt.a, tt.b), oneSlip(tt.b, tt.a); got != tt.want || back != tt.want {
			t.Errorf("%q and %q: %v, %v", tt.a, tt.b, got, back)
		}
	}
}
