package phrase_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// francais is the locale of the tables in French.
var francais = phrase.Locale{Language: phrase.French, Zone: euros.Zone, Currency: "EUR"}

func TestReadFrench(t *testing.T) {
	for _, row := range lines(t, "testdata/french.txt") {
		checkRead(t, francais, row)
	}
}

func TestAssentFrench(t *testing.T) {
	checkAssents(t, francais, map[string]string{
		"yes": "oui|Oui, s'il vous plaît !|ouais|bien sûr|d'accord|c'est ça|parfait|allez-y|tout à fait|je confirme|oui oui|ok|très bien|ça marche|avec plaisir",
		"no":  "non|non merci|surtout pas|pas maintenant|je ne crois pas|c'est faux|pas du tout|hors de question|jamais",
		"neither": "peut-être|oui ?|oui, si c'est gratuit|je ne sais pas|oui et non|ça dépend|un instant|oui mais|je crois que oui|oui ou non|bonjour|" +
			"oui, mais demain|aucune idée|peu importe|combien ça coûte",
	})
}

func TestCommonFrench(t *testing.T) {
	checkCommon(t, francais, map[string]phrase.Said{
		"annulez":                            {Command: phrase.Cancel},
		"laissez tomber":                     {Command: phrase.Cancel},
		"oubliez ça":                         {Command: phrase.Cancel},
		"pardon ?":                           {Command: phrase.Repeat},
		"je n'ai pas compris":                {Command: phrase.Repeat},
		"je ne sais pas":                     {Command: phrase.Skip},
		"je voudrais parler à un conseiller": {Command: phrase.Handoff},
		"changez le montant en 60":           {Command: phrase.Correct, About: "montant", Rest: "60"},
		"pas 50 mais 60":                     {Command: phrase.Correct, About: "50", Rest: "60"},
		"en fait à Bob":                      {Command: phrase.Correct, Rest: "à Bob"},
		"le montant n'est pas bon":           {Command: phrase.Wrong, About: "montant"},
		"oubliez le montant":                 {Command: phrase.Clear, About: "montant"},
		"bonjour":                            {Command: phrase.Chitchat, About: "greeting"},
		"merci beaucoup":                     {Command: phrase.Chitchat, About: "thanks"},
	})
}

// Numbers are read back as France, Belgium and Switzerland say them, with hyphens and without.
func TestFrenchNumbersAreReadBack(t *testing.T) {
	ones := strings.Fields("zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf")
	tens := strings.Fields("vingt trente quarante cinquante soixante")
	var say func(n int) string
	belowHundred := func(n int, belgian bool) string {
		switch {
		case n < 20:
			return ones[n]
		case n >= 70 && n < 80 && belgian, n >= 90 && belgian:
			name := "septante"
			if n >= 90 {
				name = "nonante"
			}
			if n%10 == 0 {
				return name
			}
			return strings.Replace(name+"-"+ones[n%10], "-un", " et un", 1)
		case n == 80:
			return "quatre-vingts"
		case n > 80:
			return "quatre-vingt-" + ones[n-80]
		case n > 70:
			if n == 71 {
				return "soixante et onze"
			}
			return "soixante-" + ones[n-60]
		case n == 70:
			return "soixante-dix"
		case n%10 == 0:
			return tens[n/10-2]
		case n%10 == 1:
			return tens[n/10-2] + " et un"
		}
		return tens[n/10-2] + "-" + ones[n%10]
	}
	belgian := false
	say = func(n int) string {
		switch {
		case n < 100:
			return belowHundred(n, belgian)
		case n < 1000:
			said := "cent"
			if n >= 200 {
				said = ones[n/100] + " cent"
				if n%100 == 0 {
					return said + "s"
				}
			}
			if n%100 == 0 {
				return said
			}
			return said + " " + say(n%100)
		}
		said := "mille"
		if n >= 2000 {
			said = strings.TrimSuffix(say(n/1000), "s") + " mille"
			if n/1000%10 == 3 { // "trois" keeps its s
				said = say(n/1000) + " mille"
			}
		}
		if n%1000 == 0 {
			return said
		}
		return said + " " + say(n%1000)
	}
	for n := range 3000 {
		for _, belgian = range []bool{false, true} {
			for _, said := range []string{say(n), strings.ReplaceAll(say(n), "-", " "), strings.ToUpper(say(n))} {
				checkRead(t, francais, line{"integer", said, strconv.Itoa(n)})
			}
		}
	}
}
