package phrase

import (
	"slices"
	"strings"
)

var (
	frenchOnes = strings.Fields("zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize")
	frenchTens = map[string]int{
		"vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60, "septante": 70, "huitante": 80, "octante": 80, "nonante": 90,
	}
)

// frenchNumber reads a number below a million: "quatre-vingt-dix-sept", "deux mille trois cent vingt et un", "mille".
func frenchNumber(word func(i int) string) (n, words int) {
	n, words = frenchBelowThousand(word)
	switch {
	case word(words) != "mille" || n == 0 && words > 0 || n == 1:
		return n, words
	case words == 0:
		n = 1
	}
	words++
	rest, more := frenchBelowThousand(behind(word, words))
	if rest == 0 {
		more = 0
	}
	return n*1000 + rest, words + more
}

// behind are the words behind the first ones.
func behind(word func(i int) string, n int) func(i int) string {
	return func(i int) string { return word(n + i) }
}

func frenchBelowThousand(word func(i int) string) (n, words int) {
	if word(0) == "cent" {
		n, words = 100, 1
	} else {
		n, words = frenchBelowHundred(word)
		if next := word(words); n < 2 || n > 9 || next != "cent" && next != "cents" {
			return n, words
		}
		n, words = n*100, words+1
	}
	rest, more := frenchBelowHundred(behind(word, words))
	if rest == 0 {
		more = 0
	}
	return n + rest, words + more
}

func frenchBelowHundred(word func(i int) string) (n, words int) {
	tens, ok := frenchTens[word(0)]
	switch {
	case word(0) == "quatre" && (word(1) == "vingt" || word(1) == "vingts"):
		n, words = 80, 2
	case ok:
		n, words = tens, 1
	default:
		return frenchBelowTwenty(word)
	}
	and := word(words) == "et"
	rest := behind(word, words)
	if and {
		rest = behind(word, words+1)
	}
	ones, more := frenchBelowTwenty(rest)
	switch {
	case more == 0 || ones == 0 || ones > 9 && n != 60 && n != 80: // "trente douze" are two numbers
		return n, words
	case and && ones != 1 && ones != 11: // "vingt et trois", too
		return n, words
	case and:
		more++
	}
	return n + ones, words + more
}

// frenchBelowTwenty reads "zero" to "dix-neuf".
func frenchBelowTwenty(word func(i int) string) (n, words int) {
	if word(0) == "une" {
		return 1, 1
	}
	n = slices.Index(frenchOnes, word(0))
	if n < 0 {
		return 0, 0
	}
	if ones := slices.Index(frenchOnes, word(1)); n == 10 && ones >= 7 && ones <= 9 {
		return 10 + ones, 2
	}
	return n, 1
}

// frenchOrdinals are "premier" to "trentième" as far as they are one word, and the last.
func frenchOrdinals() map[string]int {
	all := map[string]int{"last": -1, "premier": 1, "premiere": 1, "second": 2, "seconde": 2, "vingtieme": 20, "trentieme": 30}
	stems := map[int]string{5: "cinqu", 9: "neuv"}
	for n := 2; n <= 16; n++ {
		stem, ok := stems[n]
		if !ok {
			stem = strings.TrimSuffix(frenchOnes[n], "e")
		}
		all[stem+"ieme"] = n
	}
	return all
}

// frenchParts are "tiers", "quart" and "cinquième" to "centième" as far as they are one word, by what they divide by.
func frenchParts() map[string]int64 {
	all := map[string]int64{"demi": 2, "demis": 2, "tiers": 3, "quart": 4, "quarts": 4, "centieme": 100, "centiemes": 100, "millieme": 1000, "milliemes": 1000}
	for word, n := range frenchOrdinals() {
		if n > 4 {
			all[word], all[word+"s"] = int64(n), int64(n)
		}
	}
	return all
}
