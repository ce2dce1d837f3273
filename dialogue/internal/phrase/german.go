package phrase

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// german is the words of German. Values are read by the grammar of English, see germanValues.
func german() *language {
	of := english()
	l := &language{
		classes: make(map[string]class), known: make(map[string]bool),
		units: map[string]int64{}, scales: of.scales, currencies: of.currencies, adjectives: of.adjectives, months: of.months, weekdays: of.weekdays,
		spans: of.spans, parts: of.parts, weekends: of.weekends,
		grammar: germanValues(), spell: germanNumber, respell: germanRespelled, dayFirst: true, halfTo: true, point: ',',
		ands:    set(strings.Fields("und sowie plus auch")),
		without: set(strings.Fields("kein keine keinen keinem keiner ohne null")),
		alike: [][]string{
			{"kind", "kinder", "kindern"},
			{"person", "personen", "leute", "leuten", "gast", "gaste"},
			{"erwachsene", "erwachsener", "erwachsenen"},
			{"mann", "manner"},
			{"frau", "frauen"},
			{"karte", "karten"},
			{"tag", "tage", "tagen"},
			{"nacht", "nachte"},
			{"zimmer", "zimmern"},
			{"platz", "platze"},
		},
		sayings:  [][]string{{"ich mochte", "ich will", "ich wurde gern", "ich hatte gern"}, {"was ist", "wie ist", "wie lautet"}, {"wie viel", "wieviel"}},
		booleans: map[string]bool{"ja": true, "nein": false, "wahr": true, "falsch": false, "an": true, "aus": false, "ein": true},
		polite:   set(strings.Fields("bitte danke dankeschon merci")),
	}
	for c, words := range map[class]string{
		filler: `ich mochte will wurde gern gerne hatte habe kann konnen konnte konnten bitte danke mal eben doch einfach hallo hi guten tag morgen abend also
			na gut okay ok jetzt nun mir mich mein meine meinen meiner meinem wir uns lass lassen sie du ihr ihnen brauche brauchen etwas hey schon ja nein so
			tut leid entschuldigung sorry es ware bin bis moin servus`,
		function: `der die das den dem des ein eine einen einem einer eines fur von vom zu zum zur in im an am auf aus bei mit nach uber um und oder ist sind
			war waren sein ihre ihr seine unser unsere dies diese dieser dieses diesen wer was wie wo wann warum welche welcher welches welchen als wenn dass
			bis er man sich hat haben wird werden alle per durch gegen vor`,
		hum:      "ah ahm ehm hm hmm mhm tja oh aeh aehm",
		negation: "nicht kein keine keinen keinem keiner nie niemals ohne weder nichts",
	} {
		for w := range strings.FieldsSeq(words) {
			l.classes[w] = c
		}
	}
	l.ordinals, l.lateOrdinals = germanOrdinals(), map[string]int{}
	germanDays(l)
	germanMoods(l)
	germanAround(l)
	for _, words := range []map[string]bool{set(strings.Fields(germanWords)), l.amiss, l.stops, l.ands, l.polite, l.without} {
		for w := range words {
			l.known[w] = true
		}
	}
	for w := range l.classes {
		l.known[w] = true
	}
	l.numberWords = slices.Concat(germanOnes[2:], germanTens)
	l.findValueWords()
	l.reasons, l.names = germanReasons, germanNames
	l.commands, l.change = germanCommands, "ändere "
	l.common = commonMatcher(l)
	return l
}

// germanRespelled writes umlauts that were written as two letters as they are compared.
func germanRespelled(word string) string {
	return strings.NewReplacer("ae", "a", "oe", "o", "ue", "u").Replace(word)
}

// germanValues are the words of values, folded, and those of the grammar that they stand for.
func germanValues() map[string]string {
	all := make(map[string]string)
	for english, words := range map[string]string{
		"the": "der die das den dem am", "a": "ein eine einen einem einer eines", "in": "im in", "of": "des von", "from": "vom ab", "to": "vor", "until": "bis",
		"past": "nach", "at": "um gegen", "on": "on", "and": "und", "but": "aber", "except": "ausser", "than": "als",
		"half": "halb halbe halben halber halbes", "quarter": "viertel", "oclock": "uhr", "point": "komma", "minus": "minus", "percent": "prozent",
		"dozen": "dutzend", "hundred": "hundert", "thousand": "tausend", "million": "million millionen", "billion": "milliarde milliarden",
		"this": "dieser diese dieses diesen diesem", "next": "nachster nachste nachstes nachsten nachstem", "coming": "kommender kommende kommendes kommenden kommendem",
		"last": "letzter letzte letztes letzten letztem", "week": "woche", "weeks": "wochen", "day": "tag", "days": "tage tagen", "month": "monat monats", "months": "monate monaten",
		"year": "jahr jahres", "years": "jahre jahren", "hour": "stunde", "hours": "stunden", "minute": "minute", "minutes": "minuten", "weekend": "wochenende",
		"later": "spater", "end": "ende", "beginning": "anfang", "noon": "mittag mittags", "midnight": "mitternacht", "now": "jetzt sofort",
		"morning": "morgens fruh vormittag vormittags", "afternoon": "nachmittag nachmittags", "evening": "abend abends", "night": "nacht nachts",
		"january": "januar janner", "february": "februar", "march": "marz", "april": "april", "may": "mai", "june": "juni", "july": "juli", "august": "august",
		"september": "september", "october": "oktober", "november": "november", "december": "dezember",
		"monday": "montag", "tuesday": "dienstag", "wednesday": "mittwoch", "thursday": "donnerstag", "friday": "freitag", "saturday": "samstag sonnabend", "sunday": "sonntag",
		"euro": "euro euros eur", "cent": "cent cents", "dollar": "dollar dollars", "pound": "pfund", "franc": "franken chf", "yen": "yen", "krona": "kronen krone", "zloty": "zloty",
		"option": "nummer option punkt",
	} {
		for w := range strings.FieldsSeq(words) {
			all[w] = english
		}
	}
	delete(all, "on")
	return all
}

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
	all := map[string]int{"last": -1}
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

func germanDays(l *language) {
	l.days.add(0, "heute", "heute abend", "heute morgen", "heute nachmittag", "heute vormittag", "heute mittag", "heute nacht")
	l.days.add(1, "morgen")
	l.days.add(2, "ubermorgen")
	l.days.add(-1, "gestern")
	l.days.add(-2, "vorgestern")
	for saying, d := range map[string]day{
		"weihnachten": {month: time.December, day: 25}, "heiligabend": {month: time.December, day: 24}, "heiliger abend": {month: time.December, day: 24},
		"silvester": {month: time.December, day: 31}, "neujahr": {month: time.January, day: 1}, "nikolaus": {month: time.December, day: 6},
	} {
		l.feasts.add(d, saying)
	}
}
