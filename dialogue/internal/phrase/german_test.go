package phrase_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// deutsch is the locale of the tables in German.
var deutsch = phrase.Locale{Language: phrase.German, Zone: euros.Zone, Currency: "EUR"}

func TestReadGerman(t *testing.T) {
	for _, row := range lines(t, "testdata/german.txt") {
		checkRead(t, deutsch, row)
	}
}

func TestAssentGerman(t *testing.T) {
	checkAssents(t, deutsch, map[string]string{
		"yes": "ja|Ja, bitte!|jo|klar|na klar, gerne|in Ordnung|mach das|genau|ok, los|einverstanden|selbstverständlich|das stimmt|selbstverstaendlich|natürlich",
		"no":  "nein|nein danke|nee|lieber nicht|auf keinen Fall|das stimmt nicht|bitte nicht|nicht jetzt bitte|ich glaube nicht|falsch",
		"neither": "vielleicht|ja?|ja, wenn es nichts kostet|weiß nicht|ja und nein|kommt drauf an|moment|nicht abbrechen|ja aber|ich glaube schon|ja oder nein|hallo|" +
			"ja, aber erst morgen|keine Ahnung|egal|was kostet das",
	})
}

func TestCommonGerman(t *testing.T) {
	checkCommon(t, deutsch, map[string]phrase.Said{
		"abbrechen":                           {Command: phrase.Cancel},
		"brich das bitte ab":                  {Command: phrase.Cancel},
		"vergiss es":                          {Command: phrase.Cancel},
		"wie bitte?":                          {Command: phrase.Repeat},
		"das weiß ich nicht":                  {Command: phrase.Skip},
		"ich möchte mit einem Menschen reden": {Command: phrase.Handoff},
		"ändere den Betrag auf 60":            {Command: phrase.Correct, About: "Betrag", Rest: "60"},
		"nicht 50 sondern 60":                 {Command: phrase.Correct, About: "50", Rest: "60"},
		"eigentlich an Bob":                   {Command: phrase.Correct, Rest: "an Bob"},
		"der Betrag ist falsch":               {Command: phrase.Wrong, About: "Betrag"},
		"vergiss den Betrag":                  {Command: phrase.Clear, About: "Betrag"},
		"guten Tag":                           {Command: phrase.Chitchat, About: "greeting"},
		"vielen Dank":                         {Command: phrase.Chitchat, About: "thanks"},
	})
}

// Numbers that German writes as one word are read back, with umlauts and without.
func TestGermanNumbersAreReadBack(t *testing.T) {
	ones := strings.Fields("null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn")
	tens := strings.Fields("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
	var say func(n int) string
	say = func(n int) string {
		stem := func(k int) string {
			if k == 1 {
				return "ein"
			}
			return say(k)
		}
		switch {
		case n < 20:
			return ones[n]
		case n < 100:
			if n%10 == 0 {
				return tens[n/10-2]
			}
			return stem(n%10) + "und" + tens[n/10-2]
		case n < 1000:
			if n%100 == 0 {
				return stem(n/100) + "hundert"
			}
			return stem(n/100) + "hundert" + say(n%100)
		}
		if n%1000 == 0 {
			return stem(n/1000) + "tausend"
		}
		return stem(n/1000) + "tausend" + say(n%1000)
	}
	plain := strings.NewReplacer("ü", "ue", "ö", "oe", "ß", "ss")
	for n := range 3000 {
		for _, said := range []string{say(n), plain.Replace(say(n)), strings.ToUpper(say(n))} {
			checkRead(t, deutsch, line{"integer", said, strconv.Itoa(n)})
		}
	}
}
