package phrase_test

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

var (
	ones = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens = strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety")
)

// inWords is a number as people say it.
func inWords(n int, and, hyphen string) string {
	switch {
	case n < 20:
		return ones[n]
	case n < 100:
		if n%10 == 0 {
			return tens[n/10-2]
		}
		return tens[n/10-2] + hyphen + ones[n%10]
	case n < 1000:
		return above(n, 100, "hundred", and, hyphen)
	case n < 1_000_000:
		return above(n, 1000, "thousand", and, hyphen)
	case n < 1_000_000_000:
		return above(n, 1_000_000, "million", and, hyphen)
	}
	return above(n, 1_000_000_000, "billion", and, hyphen)
}

func above(n, unit int, name, and, hyphen string) string {
	said := inWords(n/unit, and, hyphen) + " " + name
	switch rest := n % unit; {
	case rest == 0:
		return said
	case rest < 100:
		return said + and + inWords(rest, and, hyphen)
	default:
		return said + " " + inWords(rest, and, hyphen)
	}
}

// inGroups is a number with a separator before every third digit.
func inGroups(digits, separator string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + separator + digits[i:]
	}
	return digits
}

// A number is the same however it is said: in words with and without "and" and hyphens, in digits with and without
// groups, with a sign, a fraction and a currency.
func TestNumbersAreReadBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	numbers := make([]int, 0, 8000)
	for n := range 3000 {
		numbers = append(numbers, n)
	}
	for range 5000 {
		numbers = append(numbers, rng.IntN(1_000_000_000_000)>>rng.IntN(40))
	}
	check := func(kind *phrase.Kind, said, want string) {
		t.Helper()
		v, ok := euros.Read(phrase.Slot{Kind: kind}, said, now)
		if !ok || v.Value != json.Number(want) || v.Text != said {
			t.Fatalf("%s %q is %+v, want %s", kind, said, v, want)
		}
	}
	for _, n := range numbers {
		want := strconv.Itoa(n)
		check(phrase.Integer, inWords(n, " and ", "-"), want)
		check(phrase.Integer, inWords(n, " ", " "), want)
		check(phrase.Integer, want, want)
		check(phrase.Integer, inGroups(want, ","), want)
		check(phrase.Integer, inGroups(want, "'"), want)
		check(phrase.Integer, inGroups(want, "\u00a0"), want)
		check(phrase.Money, "€"+inGroups(want, ","), want)
		check(phrase.Money, inWords(n, " and ", " ")+" euros", want)
		if n == 0 {
			continue
		}
		check(phrase.Integer, "-"+want, "-"+want)
		check(phrase.Integer, "minus "+inWords(n, " and ", "-"), "-"+want)
		cents := 1 + rng.IntN(99)
		fraction := strconv.Itoa(100 + cents)[1:]
		whole := want + "." + strings.TrimRight(fraction, "0")
		check(phrase.Number, inGroups(want, ",")+"."+fraction, whole)
		check(phrase.Number, inGroups(want, ".")+","+fraction, whole)
		check(phrase.Money, inGroups(want, ",")+"."+fraction+" €", whole)
		check(phrase.Money, inWords(n, " and ", " ")+" euros and "+inWords(cents, " and ", " ")+" cents", whole)
	}
}
