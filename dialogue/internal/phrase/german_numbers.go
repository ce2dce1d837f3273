package phrase

import (
	"strconv"
	"strings"
)

var (
	germanOnes = strings.Fields("null ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn")
	germanTens = strings.Fields("zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig")
)

// germanNumber reads a number that is one word: "einundzwanzig", "zweihundertfünfzig", "dreitausend".
func germanNumber(word string) (string, bool) {
	switch word {
	case "eins":
		return "1", true
	case "zwo":
		return "2", true
	case "ein", "hundert", "tausend", "":
		return "", false // an article, and scales
	}
	if len(word) > 60 {
		return "", false
	}
	n, ok := germanBelowMillion(word)
	return strconv.Itoa(n), ok
}

// germanApart reads a number below a hundred that was written in three words: "ein und zwanzig".
func germanApart(word func(i int) string) (n, words int) {
	if word(1) != "und" || word(2) == "" {
		return 0, 0
	}
	n, ok := germanBelowHundred(word(0) + "und" + word(2))
	if !ok {
		return 0, 0
	}
	return n, 3
}

func germanBelowMillion(word string) (int, bool) {
	return germanScaled(word, "tausend", 1000, germanBelowThousand)
}

func germanBelowThousand(word string) (int, bool) {
	n, ok := germanScaled(word, "hundert", 100, germanBelowHundred)
	return n, ok && n < 2000 // neunzehnhundert
}

// germanScaled reads what is said before and behind a scale, of which there is one where nothing is said before it.
func germanScaled(word, scale string, by int, below func(string) (int, bool)) (int, bool) {
	before, behind, scaled := strings.Cut(word, scale)
	if !scaled {
		return below(word)
	}
	n, rest, ok := 1, 0, true
	if before != "" {
		n, ok = below(before)
	}
	if behind = strings.TrimPrefix(behind, "und"); behind != "" && ok {
		rest, ok = below(behind)
	}
	return n*by + rest, ok && n > 0
}

func germanBelowHundred(word string) (int, bool) {
	for n, w := range germanOnes {
		if word == w || n == 1 && word == "eins" {
			return n, true
		}
	}
	for n, w := range germanTens {
		ones, ok := strings.CutSuffix(word, w)
		if !ok {
			continue
		}
		if ones == "" {
			return 20 + 10*n, true
		}
		if ones, ok = strings.CutSuffix(ones, "und"); !ok {
			return 0, false
		}
		for k, one := range germanOnes[1:10] {
			if ones == one {
				return 20 + 10*n + k + 1, true
			}
		}
	}
	return 0, false
}

// germanOrdinals are "erster" to "einunddreißigster", and "letzter".
func germanOrdinals() map[string]int {
	all := map[string]int{"last": -1, "erstere": 1, "ersteres": 1, "ersterer": 1, "ersteren": 1, "letztere": -1, "letzteres": -1, "letzterer": -1, "letzteren": -1}
	for n := 1; n <= 31; n++ {
		var stem string
		switch {
		case n == 1:
			stem = "erst"
		case n == 3:
			stem = "dritt"
		case n == 7:
			stem = "siebt"
		case n == 8:
			stem = "acht"
		case n < 20:
			stem = germanOnes[n] + "t"
		case n%10 == 0:
			stem = germanTens[n/10-2] + "st"
		default:
			stem = germanOnes[n%10] + "und" + germanTens[n/10-2] + "st"
		}
		for ending := range strings.FieldsSeq("e er es en em") {
			all[stem+ending] = n
		}
	}
	return all
}

// germanParts are "drittel" to "hundertstel" and "tausendstel", by what they divide by.
func germanParts() map[string]int64 {
	all := map[string]int64{"halbe": 2, "halben": 2, "drittel": 3, "siebtel": 7, "achtel": 8, "hundertstel": 100, "tausendstel": 1000}
	for n := 4; n < 20; n++ {
		if n != 7 && n != 8 {
			all[germanOnes[n]+"tel"] = int64(n)
		}
	}
	for n, tens := range germanTens {
		all[tens+"stel"] = int64(20 + 10*n)
	}
	return all
}

// germanFractions are words such as "anderthalb", "dreiviertel" and "zweieinhalb".
func germanFractions() map[string][2]int64 {
	all := map[string][2]int64{
		"halb": {1, 2}, "halbe": {1, 2}, "halbes": {1, 2}, "halber": {1, 2}, "halben": {1, 2}, "halfte": {1, 2}, "einhalb": {1, 2}, "viertel": {1, 4}, "dreiviertel": {3, 4}, "zweidrittel": {2, 3}, "anderthalb": {3, 2},
	}
	for n := int64(1); n < 20; n++ {
		all[germanOnes[n]+"einhalb"] = [2]int64{2*n + 1, 2}
	}
	return all
}
