package dialogue

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// rental is a flow in a language, with a slot for each kind of value that what people say beside it may change.
func rental(tb testing.TB, language string) *Dialogue {
	tb.Helper()
	d, err := Compile(Definition{Name: "rental", Settings: Settings{Language: language}, Flows: []Flow{{
		Name: "rent", Trigger: []string{map[string]string{"en": "rent bikes", "de": "Räder mieten", "fr": "louer des vélos"}[language]},
		Slots: []Slot{
			{Name: "day", Type: Date},
			{Name: "bikes", Type: Integer, Description: map[string]string{"en": "bikes", "de": "Räder", "fr": "vélos"}[language]},
			{Name: "helmet", Type: Boolean, Description: map[string]string{"en": "helmet", "de": "Helm", "fr": "casque"}[language]},
			{Name: "phone", Type: Phone},
			{Name: "name", Type: Text, Description: map[string]string{"en": "name", "de": "Name", "fr": "nom"}[language]},
		},
		Steps: []Step{
			{ID: "day", Type: CollectStep, Slot: "day", Message: "?"},
			{ID: "bikes", Type: CollectStep, Slot: "bikes", Message: "?"},
			{ID: "helmet", Type: CollectStep, Slot: "helmet", Message: "?"},
			{ID: "phone", Type: CollectStep, Slot: "phone", Message: "?"},
			{ID: "name", Type: CollectStep, Slot: "name", Message: "?"},
			{ID: "sure", Type: ConfirmStep, Message: "?"},
		},
	}}}, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// guessNow is the moment of the tables below, a Friday.
var guessNow = time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)

// guess is what is made of a message at the question for a slot, or at the confirmation for "": commands in short, "" where the user
// is asked again. A value that the user is asked about has a question mark.
func guess(tb testing.TB, d *Dialogue, slot, text string) string {
	tb.Helper()
	turn := &Turn{Dialogue: d, Now: guessNow, Text: text, Active: []string{"rent"}, Filled: map[string]any{}}
	task := NewCollect("?", slot)
	if slot == "" {
		task = NewConfirm("?")
		turn.Filled = map[string]any{"day": "2026-11-30", "bikes": json.Number("3"), "helmet": true, "phone": "0151234567", "name": "Ada"}
	}
	turn.Pending = &task
	all, err := d.phrases.understand(turn)
	if err != nil {
		tb.Fatal(err)
	}
	var short []string
	var deltas []Delta
	for _, c := range d.known(all) {
		deltas = append(deltas, own[c.Type](c))
	}
	delta := MergeDeltas(deltas...)
	d.guard(&State{At: guessNow.UnixMicro(), Pending: &task, Frames: 1, Stack: []Frame{{ID: 1, Flow: "rent", Slots: turn.Filled}}}, &Message{Text: text}, &delta)
	for _, c := range all {
		if at := slices.IndexFunc(delta.Set, func(set Change) bool { return set.Slot == c.Slot }); at >= 0 && c.Value != nil {
			if c.Value, c.Left = delta.Set[at].Value, delta.Set[at].Left; delta.Set[at].Confidence < 0 {
				continue
			}
		}
		switch {
		case c.Type == SetSlot || c.Type == CorrectSlot:
			value, reason, ok := c.Value, "", true
			if said, isText := c.Value.(string); isText && d.slotOf(d.flows["rent"], c.Slot).Type != Text {
				value, reason, ok = d.said(d.slotOf(d.flows["rent"], c.Slot), said, guessNow)
			}
			if !ok || reason != "" { // what was said is refused with a reason, and asked for again
				continue
			}
			short = append(short, fmt.Sprintf("%s=%v", c.Slot, value))
			if c.Left != "" || c.sure() < d.settings.MinConfidence {
				short[len(short)-1] += "?"
			}
		case c.SlotToChange != "":
			short = append(short, string(c.Type)+" "+c.SlotToChange)
		default:
			short = append(short, string(c.Type))
		}
	}
	return strings.Join(short, " ")
}

// checkGuesses holds tables of what is made of messages, by language.
func checkGuesses(t *testing.T, slot string, tables map[string]map[string]string) {
	t.Helper()
	for _, language := range slices.Sorted(maps.Keys(tables)) {
		d, table := rental(t, language), tables[language]
		for _, text := range slices.Sorted(maps.Keys(table)) {
			if got, want := guess(t, d, slot, text), table[text]; got != want {
				t.Errorf("%s, %s: %q is %q, want %q", language, slot, text, got, want)
			}
		}
	}
}

// A no right behind a value refuses it, as one before it does: the other day is taken, or the user is asked.
func TestRefusedValuesAreNotTaken(t *testing.T) {
	const monday, tuesday, later = "day=2026-11-30", "day=2026-12-01", "day=2026-11-29"
	checkGuesses(t, "day", map[string]map[string]string{
		"en": {
			"not tomorrow": "", "please not tomorrow": "", "Monday not": "", "Monday won't work": "", "not Monday": "", "Monday doesn't work": "",
			"Monday I can't": "", "Monday not, Tuesday": tuesday, "Monday doesn't work, Tuesday": tuesday, "Monday is not possible, Tuesday": tuesday,
			"tomorrow not, Monday": monday, "Monday": monday, "Monday, not Tuesday": monday,
		},
		"de": {
			"nicht morgen": "", "bitte nicht morgen": "", "nicht heute": "", "Montag nicht": "", "Montag passt nicht": "", "Montag passt mir leider gar nicht": "",
			"Montag nicht, Dienstag": tuesday, "Montag geht nicht, Dienstag": tuesday, "Montag nicht, sondern Dienstag": tuesday,
			"nicht Montag, sondern Dienstag": tuesday, "Montag passt mir nicht, Dienstag": tuesday, "morgen nicht, übermorgen": later,
			"Montag habe ich keine Zeit": "", "Montag": monday, "Montag passt": monday,
		},
		"fr": {
			"pas demain": "", "lundi non": "", "lundi pas": "", "s'il vous plaît pas demain": "", "lundi ça ne va pas": "", "lundi non, mardi": tuesday,
			"lundi pas possible, mardi": tuesday, "lundi ne va pas, mardi": tuesday, "pas lundi, mardi": tuesday, "lundi": monday,
		},
	})
}

// A part of the day is no day: "am Morgen" is not tomorrow.
func TestAPartOfTheDayIsNoDay(t *testing.T) {
	checkGuesses(t, "day", map[string]map[string]string{
		"en": {"in the morning": "", "in the morning I pick them up": "", "tomorrow": "day=2026-11-28"},
		"de": {"am Morgen": "", "am Morgen hole ich sie ab": "", "morgen": "day=2026-11-28", "morgen hole ich sie ab": "day=2026-11-28?"},
		"fr": {"le matin": "", "le matin je les prends": "", "demain": "day=2026-11-28"},
	})
}

// Two contrary words are asked about, and so is a no to going without.
func TestContraryWordsAreAskedAbout(t *testing.T) {
	checkGuesses(t, "helmet", map[string]map[string]string{
		"en": {"no yes": "", "yes no": "", "never without": "", "under no circumstances without": "", "no": "helmet=false", "yes": "helmet=true", "never": "helmet=false"},
		"de": {"nein ja": "", "ja nein": "", "auf keinen Fall ohne": "", "nicht ohne": "", "auf keinen Fall": "helmet=false", "nein": "helmet=false", "ja": "helmet=true"},
		"fr": {"non oui": "", "oui non": "", "en aucun cas sans": "", "surtout pas sans": "", "jamais sans": "", "surtout pas": "helmet=false", "non": "helmet=false", "oui": "helmet=true"},
	})
}

// How long something takes is no way to count from the day it begins on: that day is taken, or asked about.
func TestADurationIsNotAddedToItsFirstDay(t *testing.T) {
	const monday, later, fourth = "day=2026-11-30", "day=2026-12-03", "day=2026-12-04"
	checkGuesses(t, "day", map[string]map[string]string{
		"en": {
			"2 bikes for 3 days from the 4th": fourth + "? bikes=2", "for 3 days from Monday": monday + "?", "for about 3 days from Monday": monday + "?",
			"in 3 days": monday, "3 days after Monday": later, "3 days from Monday": later, "a week from Monday": "day=2026-12-07",
		},
		"de": {
			"2 Räder für 3 Tage ab dem 4.": fourth + "? bikes=2", "zwei Tage ab Montag": monday + "?", "für 3 Tage ab Montag": monday + "?",
			"in 3 Tagen": monday, "drei Tage nach Montag": later,
		},
		"fr": {
			"pour 3 jours depuis lundi": monday + "?", "pour 3 jours à partir de lundi": monday + "?", "dans 3 jours": monday, "3 jours après lundi": later,
		},
	})
}

// An ordinal before a noun that is no word of a date counts that noun.
func TestAnOrdinalBeforeANounIsNoDay(t *testing.T) {
	const third = "day=2026-12-03"
	checkGuesses(t, "day", map[string]map[string]string{
		"en": {
			"it's my 3rd time here": "", "this is the 2nd time I ask": "", "on the 3rd floor": "", "the third time": "",
			"the 3rd": third, "the 3rd please": third, "the 3rd works": third, "on the 3rd, Ida": third + "?", "the 3rd of May": "day=2027-05-03", "the 3rd May": "day=2027-05-03",
		},
		"de": {
			"es ist das dritte Mal": "", "das dritte mal": "", "im 3. Stock": "", "am 3.": third, "am 3. bitte": third, "am 3. hole ich sie ab": third + "?", "am 3. Mai": "day=2027-05-03",
		},
		"fr": {"c'est la 3e fois": "", "au 3e étage": "", "c'est la deuxième fois que je demande": "", "le 3": third, "le 3 mai": "day=2027-05-03", "le 1er": "day=2026-12-01"},
	})
}

// A date in digits is no telephone number, and does not go to another slot unasked.
func TestADateIsNoTelephoneNumber(t *testing.T) {
	const phone = "phone=01512345678"
	checkGuesses(t, "phone", map[string]map[string]string{
		"en": {"27.11.2026": "", "2026-12-04": "", "on 4.12.2026": "", "4/12/2026": "", "0151 2345678": phone, "030.12.3456": "phone=030123456", "99.99.2026": "phone=99992026"},
		"de": {"27.11.2026": "", "2026-12-04": "", "am 4.12.2026": "", "0151-2345678": phone},
		"fr": {"27.11.2026": "", "2026-12-04": "", "le 4.12.2026": "", "01.51.23.45.67.8": phone},
	})
}

// A question stops nothing, and a wish to stop a part of what goes on stops that alone.
func TestAQuestionOrAPartStopsNothing(t *testing.T) {
	const stop = "cancel_flow"
	checkGuesses(t, "", map[string]map[string]string{
		"en": {
			"is 2 enough?": "", "can I cancel later?": "", "cancel it?": "", "cancel one bike": "", "cancel a bike": "", "cancel the bikes": stop, "cancel the helmet": "helmet=false",
			"cancel": stop, "cancel it": stop, "can you cancel it?": stop, "cancel the rental": stop,
		},
		"de": {
			"sind 2 genug?": "", "kann ich später stornieren?": "", "abbrechen?": "", "storniere ein Rad": "", "storniere den Helm": "helmet=false",
			"abbrechen": stop, "brich ab": stop,
		},
		"fr": {
			"est-ce que 2 suffisent ?": "", "puis-je annuler plus tard ?": "", "annuler ?": "", "annulez le casque": "helmet=false", "annuler un vélo": "", "annulez un vélo": "",
			"annuler": stop, "annulez tout": stop,
		},
	})
}

// A value that is refused at a confirmation opens its slot again, and ends nothing. One that no slot holds is asked about.
func TestARefusedValueOpensItsSlot(t *testing.T) {
	checkGuesses(t, "", map[string]map[string]string{
		"en": {"not on Monday": "deny day", "not tomorrow": "", "not Ada, Ida": "name=Ida", "not three bikes": "deny bikes", "no": "deny"},
		"de": {
			"nicht am Montag": "deny day", "nicht am 30. November": "deny day", "nicht am 1. Dezember": "", "nicht morgen": "", "Nicht Ada, Ida": "", "nicht drei Räder": "deny bikes",
			"nein": "deny", "bitte nicht": "deny", "nicht buchen": "deny", "auf keinen Fall": "deny",
		},
		"fr": {"pas lundi": "deny day", "pas le 30 novembre": "deny day", "pas le 1er décembre": "", "pas trois vélos": "deny bikes", "pas demain": "", "Pas Ada, Ida": "name=Ida", "non": "deny"},
	})
}

// A number or a day in a sentence about something else is not taken for a slot: the user is asked whether it is meant.
func TestSentencesAboutSomethingElseAreAskedAbout(t *testing.T) {
	const monday, three = "day=2026-11-30", "bikes=3"
	tables := map[string]map[string]string{
		"en": {
			"we come at 3": three + "?", "my friend has 3 bikes": three + "?", "I'll pay on Monday": monday + "?", "my birthday is on Monday": monday + "?",
			"I am 9 years old": "bikes=9?", "how much are 3 bikes?": three + "?", "how much are 3 bikes": three + "?", "rent a bike for 3 days": three + "?", "one more bike": "bikes=1?",
			"we need 3": three, "3 bikes please": three, "we come on Monday": monday, "how about 3?": three,
		},
		"de": {
			"um drei": three + "?", "wir kommen um 3": three + "?", "mein Freund hat 3 Räder": three + "?", "ich zahle am Montag": monday + "?", "mein Geburtstag ist am Montag": monday + "?",
			"ich bin 9 Jahre alt": "bikes=9?", "was kosten 3 Räder?": three + "?", "ein Rad für 3 Tage mieten": three + "?", "wir brauchen 3": three, "3 Räder bitte": three, "wir kommen am Montag": monday,
		},
		"fr": {
			"à trois heures": three + "?", "nous venons à 3 heures": three + "?", "mon ami a 3 vélos": three + "?", "je paie lundi": monday + "?", "mon anniversaire est lundi": monday + "?",
			"j'ai 9 ans": "bikes=9?", "combien coûtent 3 vélos ?": three + "?", "louer un vélo pour 3 jours": three + "?", "3 vélos": three, "nous venons lundi": monday,
		},
	}
	checkGuesses(t, "bikes", tables)
	for _, language := range slices.Sorted(maps.Keys(tables)) { // nor for another slot than the one that is asked for
		d, table := rental(t, language), tables[language]
		for _, text := range slices.Sorted(maps.Keys(table)) {
			want := table[text]
			for _, slot := range []string{"day", "helmet", "phone", ""} {
				if got := guess(t, d, slot, text); strings.HasSuffix(want, "?") && unasked(got) != "" {
					t.Errorf("%s, %s: %q is %q", language, slot, text, got)
				}
			}
		}
	}
}

// unasked is the first value of a guess that is taken unasked; "" for none.
func unasked(guess string) string {
	for one := range strings.FieldsSeq(guess) {
		if strings.Contains(one, "=") && !strings.HasSuffix(one, "?") {
			return one
		}
	}
	return ""
}

// No value beside a saying about another topic is taken unasked, whatever its kind, wherever it stands and whatever was asked. Its own
// name beside it explains it: "what lovely weather today, 3 bikes" is asked about today alone.
func TestNoValueBesideAForeignSayingIsTaken(t *testing.T) {
	const stride = 43 // each saying meets each value and each slot in some order, not in all
	values := map[string][]string{
		"en": {"3", "on Monday", "3 bikes", "at 3", "tomorrow", "for 3 days", "0151 2345678", "4.12.2026"},
		"de": {"3", "am Montag", "3 Räder", "um drei", "morgen", "für 3 Tage", "0151 2345678", "4.12.2026"},
		"fr": {"3", "lundi", "3 vélos", "à 3 heures", "demain", "pour 3 jours", "0151 2345678", "4.12.2026"},
	}
	n := 0
	for _, language := range slices.Sorted(maps.Keys(values)) {
		d := rental(t, language)
		for _, saying := range d.locale.Language.OffTopic() {
			for i, v := range values[language] {
				for _, slot := range []string{"day", "bikes", "helmet", "phone", ""} {
					for _, text := range []string{saying + " " + v, v + " " + saying, saying + ", " + v} {
						if n++; n%stride != 0 {
							continue
						}
						got := guess(t, d, slot, text)
						if plain := unasked(got); plain != "" && !(strings.HasPrefix(got, "name=") && strings.HasSuffix(got, "?")) && !(i == 2 && plain == "bikes=3" && strings.Contains(got, "?")) {
							t.Errorf("%s, %s: %q is %q", language, slot, text, got)
						}
					}
				}
			}
		}
	}
}

// A sentence, a refusal and the value of another slot are no name: the user is asked, or what was meant as the name is taken.
func TestASentenceIsNoName(t *testing.T) {
	checkGuesses(t, "name", map[string]map[string]string{
		"en": {
			"Ada and my phone is 0151 2345678": "name=Ada phone=01512345678", "Ada and my number is 555 0100": "name=Ada phone=5550100", "Ada and my number is 3": "name=Ada and my number is 3?",
			"Ada and two helmets": "name=Ada and two helmets?", "that's private": "skip", "none of your business": "skip", "I won't tell you": "skip", "no comment": "skip",
			"not Ada but Ida": "name=Ida?", "Ida, not Ada": "name=Ida?", "I told you already": "name=I told you already?", "my friend has 3 bikes": "name=my friend has 3 bikes?",
			"the weather is nice": "name=the weather is nice?", "I'll pay on Monday": "name=I'll pay? day=2026-11-30?", "we come at 3": "name=we come at 3?", "I am 9 years old": "name=9 years old?",
			"under the name Smith": "name=Smith", "in the name of Smith": "name=Smith", "I'm Ada": "name=Ada", "Ada here": "name=Ada", "my name is Ada": "name=Ada",
			"my sister": "name=my sister", "Stop & Shop": "name=Stop & Shop", "Mark Twain": "name=Mark Twain", "Parcel Street 5": "name=Parcel Street 5", "Anna-Maria von der Leyen": "name=Anna-Maria von der Leyen",
		},
		"de": {
			"Ada und meine Nummer ist 0151 2345678": "name=Ada phone=01512345678", "das ist privat": "skip", "geht dich nichts an": "skip", "das sage ich Ihnen nicht": "skip",
			"nicht Ada sondern Ida": "", "mein Freund hat 3 Räder": "name=mein Freund hat 3 Räder?", "ich zahle am Montag": "name=ich zahle? day=2026-11-30?", "um drei": "name=um drei?",
			"auf den Namen Schmidt": "name=Schmidt", "unter dem Namen Schmidt": "name=Schmidt", "ich heiße Schmidt": "name=Schmidt", "von der Leyen": "name=von der Leyen", "meine Schwester": "name=meine Schwester",
		},
		"fr": {
			"Ada et mon numéro est 0151 2345678": "name=Ada phone=01512345678", "c'est privé": "skip", "ça ne vous regarde pas": "skip", "pas Ada mais Ida": "name=Ida?",
			"à trois heures": "name=à trois heures?", "mon anniversaire est mardi": "name=mon anniversaire est mardi?", "au nom de Schmidt": "name=Schmidt", "je m'appelle Schmidt": "name=Schmidt", "de la Cruz": "name=de la Cruz",
		},
	})
}

// A value that its own clause says whole, with the name of its slot, is kept beside a remark that holds another value: the user is asked
// about that one alone.
func TestAValueBesideARemarkIsKept(t *testing.T) {
	const kept = "bikes=3 day=2026-11-27?"
	checkGuesses(t, "bikes", map[string]map[string]string{
		"en": {"lovely weather today, 3 bikes": kept, "3 bikes, lovely weather today": kept, "my friend has 3 bikes, on Monday": "bikes=3? day=2026-11-30?"},
		"de": {"schönes Wetter heute, 3 Räder": kept},
		"fr": {"beau temps aujourd'hui, 3 vélos": kept},
	})
}

// A yes-or-no slot is answered by what it is called, with and without.
func TestAThingIsWantedOrNot(t *testing.T) {
	const yes, no = "helmet=true", "helmet=false"
	checkGuesses(t, "helmet", map[string]map[string]string{
		"en": {
			"no helmet": no, "no helmets, please": no, "without a helmet": no, "a helmet, please": yes, "with helmet": yes, "helmet": yes,
			"I have a helmet": "", "not without a helmet": "clear_slot", "how much is a helmet?": "", "helmet?": "", "maybe a helmet": "",
		},
		"de": {"ohne Helm": no, "kein Helm": no, "keinen Helm bitte": no, "mit Helm": yes, "einen Helm bitte": yes, "nicht ohne Helm": "clear_slot", "ich habe einen Helm": "", "Helm?": ""},
		"fr": {"sans casque": no, "pas de casque": no, "avec casque": yes, "un casque, svp": yes, "j'ai un casque": "", "un casque ?": ""},
	})
	for _, language := range []string{"en", "de", "fr"} {
		d := rental(t, language)
		for _, said := range map[string][]string{
			"en": {"rent bikes with a helmet", "rent bikes with helmets tomorrow", "rent bikes with a helmet on Monday"}, "de": {"Räder mieten mit Helm"}, "fr": {"louer des vélos avec un casque"},
		}[language] {
			turn := &Turn{Dialogue: d, Now: guessNow, Text: said, Filled: map[string]any{}}
			if got := understoodAs(t, d, turn); !strings.Contains(got, yes+", start rent") {
				t.Errorf("%q is %s", said, got)
			}
		}
	}
	checkGuesses(t, "phone", map[string]map[string]string{"en": {
		"is it with a helmet?": "", "is it without a helmet?": "", "maybe with a helmet": "", "not with a helmet": "clear_slot", "with a helmet camera": "", "with a helmet": yes,
	}})
	checkGuesses(t, "", map[string]map[string]string{"en": {"no helmet": no, "without a helmet": no}, "de": {"ohne Helm": no}, "fr": {"sans casque": no}})
}

// A date with points is not read month first: the user is asked where both orders are days.
func TestPointsAreNotMonthFirst(t *testing.T) {
	checkGuesses(t, "day", map[string]map[string]string{
		"en": {"04.12.": "", "on 4.12.": "", "04.12.2026": "", "13.12.": "day=2026-12-13", "31.12.2026": "day=2026-12-31", "4.4.2027": "day=2027-04-04", "4/12/2026": "day=2026-04-12"},
		"de": {"04.12.": "day=2026-12-04"}, "fr": {"04.12.2026": "day=2026-12-04"},
	})
}

// Values that came with a wish are kept while the user is asked whether that is meant.
func TestValuesAreKeptBehindAClarification(t *testing.T) {
	talks := map[string][2]string{"en": {"3 bikes for Monday without helmet please", "yes"}, "de": {"am Montag 3 Räder ohne Helm", "ja"}, "fr": {"3 vélos pour lundi sans casque", "oui"}}
	for _, language := range slices.Sorted(maps.Keys(talks)) {
		d, talk := rental(t, language), talks[language]
		all, err := d.phrases.understand(&Turn{Dialogue: d, Now: guessNow, Text: talk[0]})
		if err != nil || len(all) != 1 || all[0].Type != Clarify {
			t.Fatalf("%s: %v %v, want a clarification", talk[0], all, err)
		}
		all, err = d.phrases.understand(&Turn{Dialogue: d, Now: guessNow, Text: talk[1], Clarify: all[0].Options, Lines: []Line{{By: byUser, Text: talk[0]}, {By: string(byBot), Text: "?"}, {By: byUser, Text: talk[1]}}})
		got := map[string]any{}
		for _, c := range all {
			got[cmp.Or(c.Slot, c.Flow)] = c.Value
		}
		if want := map[string]any{"rent": nil, "day": "2026-11-30", "bikes": json.Number("3"), "helmet": false}; err != nil || !maps.Equal(got, want) {
			t.Errorf("%s, %s: %v %v, want %v", talk[0], talk[1], got, err, want)
		}
	}
}

// Of two people or two sums in one wish none is taken: the user is asked.
func TestTwoInOneWishAreAskedAbout(t *testing.T) {
	d, err := Compile(Definition{Name: "bank", Flows: []Flow{{
		Name: "transfer", Trigger: []string{"send {amount} to {payee}", "send money to {payee}", "send money"},
		Slots: []Slot{{Name: "amount", Type: Money}, {Name: "payee", Type: Text}},
		Steps: []Step{{ID: "who", Type: CollectStep, Slot: "payee", Message: "To whom?"}, {ID: "much", Type: CollectStep, Slot: "amount", Message: "How much?"}, {ID: "ok", Type: ConfirmStep, Message: "?"}},
	}}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	asks := map[string]bool{
		"send money to Bob and 60 to Ada": true, "send 50 to Bob, not 60 to Ada": true, "send 50 to Bob and 60 to Ada": true, "send 50 to Bob, 60 to Ada": true, "send 50 to Bob or Ada": true,
		"send money to Bob but not to Ada": true, "send 50 to Bob": false, "send 50 to Bob & Sons": false, "send money to Bob and Ada": false,
	}
	for _, text := range slices.Sorted(maps.Keys(asks)) {
		all, err := d.phrases.understand(&Turn{Dialogue: d, Now: guessNow, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		var deltas []Delta
		for _, c := range d.known(all) {
			deltas = append(deltas, own[c.Type](c))
		}
		delta := MergeDeltas(deltas...)
		d.guard(&State{At: guessNow.UnixMicro()}, &Message{Text: text}, &delta)
		if got := slices.ContainsFunc(delta.Set, func(c Change) bool { return c.Left != "" }); got != asks[text] || len(delta.Set) == 0 {
			t.Errorf("%q sets %v, asked is %v", text, delta.Set, asks[text])
		}
	}
}
