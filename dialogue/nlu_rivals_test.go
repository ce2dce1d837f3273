package dialogue

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// ofTwo is one language: the dialogue, headings of its tables, and how two values are said of which one is meant.
type ofTwo struct {
	dialogue          string
	day, time         string // the slots
	asksDay, asksTime string
	confirms, nothing string
	days, times       []string
	joined, begins    []string
	between           string // with both
	back              []string
}

var inEachLanguage = []ofTwo{
	{
		dialogue: "clinic", day: "day", time: "at",
		asksDay: "[book asks day] patient=Ada, doctor=Okafor", asksTime: "[book asks at] patient=Ada, doctor=Okafor, day=2026-11-24",
		confirms: "[book confirms] patient=Ada, doctor=Okafor, day=2026-11-27, at=15:00", nothing: "[nothing]",
		days: []string{"Tuesday", "Wednesday", "the 3rd", "5 December"}, times: []string{"at 10", "at 11:30", "at half past two"},
		joined: []string{"%s or %s", "%s, %s", "either %s or %s", "%s or maybe %s"}, begins: []string{"book an appointment on %s"}, between: "between %s and %s",
		back: []string{"%s, no, %s", "not %s, %s", "%s, sorry, %s", "not %s but %s"},
	},
	{
		dialogue: "praxis", day: "tag", time: "zeit",
		asksDay: "[buchen asks tag] name=Ada, arzt=Okafor", asksTime: "[buchen asks zeit] name=Ada, arzt=Okafor, tag=2026-11-24",
		confirms: "[buchen confirms] name=Ada, arzt=Okafor, tag=2026-11-27, zeit=15:00", nothing: "[nothing]",
		days: []string{"Dienstag", "Mittwoch", "den 3.", "5. Dezember"}, times: []string{"um 10", "um 11:30", "um halb drei"},
		joined: []string{"%s oder %s", "%s, %s", "entweder %s oder %s", "%s oder vielleicht %s"}, begins: []string{"buche einen Termin am %s"}, between: "zwischen %s und %s",
		back: []string{"%s, nein, %s", "nicht %s, %s", "%s, Entschuldigung, %s", "nicht %s sondern %s"},
	},
	{
		dialogue: "cabinet", day: "jour", time: "heure",
		asksDay: "[reserver asks jour] nom=Ada, medecin=Okafor", asksTime: "[reserver asks heure] nom=Ada, medecin=Okafor, jour=2026-11-24",
		confirms: "[reserver confirms] nom=Ada, medecin=Okafor, jour=2026-11-27, heure=15:00", nothing: "[nothing]",
		days: []string{"mardi", "mercredi", "le 3", "le 5 décembre"}, times: []string{"à 10 heures", "à 11h30", "à deux heures et demie"},
		joined: []string{"%s ou %s", "%s, %s", "soit %s ou %s", "%s ou peut-être %s"}, begins: []string{"prendre un rendez-vous le %s"}, between: "entre %s et %s",
		back: []string{"%s, non, %s", "pas %s, %s", "%s, pardon, %s", "pas %s mais %s"},
	},
}

// TestOfTwoValuesNoneIsTaken says two days, two times and two moments in the place of one, in every language, wherever the
// conversation stands: the slot gets neither of them without a question, and no other slot gets one of them.
func TestOfTwoValuesNoneIsTaken(t *testing.T) {
	for _, of := range inEachLanguage {
		d := example(t, of.dialogue)
		check := func(at, said string, slots ...string) {
			t.Helper()
			turn := turnAt(t, d, at)
			turn.Text = said
			commands, err := d.phrases.understand(turn)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range commands {
				if c.Type != SetSlot && c.Type != CorrectSlot || c.Left != "" || !slices.Contains(slots, c.Slot) {
					continue
				}
				if _, err := d.read(d.slotOf(d.flows[cmpFlow(turn, commands)], c.Slot), c.Value, turn.Now); err == nil {
					t.Errorf("%s %s %q gives %s the value %v", of.dialogue, at, said, c.Slot, c.Value)
				}
			}
		}
		pairs(of.days, func(a, b string) {
			for _, form := range append(of.joined, of.between) {
				said := fmt.Sprintf(form, a, b)
				check(of.asksDay, said, of.day)
				check(of.confirms, said, of.day)
				check(of.asksTime, said, of.day)
				for _, begin := range of.begins {
					check(of.nothing, fmt.Sprintf(begin, said), of.day)
				}
			}
		})
		pairs(of.times, func(a, b string) {
			for _, form := range append(of.joined, of.between) {
				said := fmt.Sprintf(form, a, b)
				check(of.asksTime, said, of.time)
				check(of.confirms, said, of.time)
				for _, begin := range of.begins {
					check(of.nothing, fmt.Sprintf(begin, of.days[0]+" "+said), of.time)
				}
			}
		})
		pairs(of.days, func(a, b string) {
			said := fmt.Sprintf(of.joined[0], a+" "+of.times[0], b+" "+of.times[1])
			check(of.asksDay, said, of.day, of.time)
			check(of.asksTime, said, of.day, of.time)
			check(of.confirms, said, of.day, of.time)
			for _, begin := range of.begins {
				check(of.nothing, fmt.Sprintf(begin, said), of.day, of.time)
			}
		})
	}
}

// TestAValueThatIsTakenBackIsNoRival says a value and another one in its place: the other one is taken, or the user is asked.
func TestAValueThatIsTakenBackIsNoRival(t *testing.T) {
	taken := 0
	for _, of := range inEachLanguage {
		d := example(t, of.dialogue)
		pairs(of.days, func(a, b string) {
			alone := turnAt(t, d, of.asksDay)
			alone.Text = b
			want := understoodAs(t, d, alone)
			for _, form := range of.back {
				turn := turnAt(t, d, of.asksDay)
				turn.Text = fmt.Sprintf(form, a, b)
				switch got := understoodAs(t, d, turn); {
				case got == want:
					taken++
				case got != "nothing" && !strings.Contains(got, "?"):
					t.Errorf("%s: %q gives %s, and %q gives %s", of.dialogue, turn.Text, got, b, want)
				}
			}
		})
	}
	if taken < 60 {
		t.Errorf("%d of these are understood without a question, and at least 60 were", taken)
	}
}

// cmpFlow is the flow whose slots commands are for.
func cmpFlow(t *Turn, commands []Command) string {
	if flow := begunBy(commands); flow != "" {
		return flow
	}
	return activeOf(t)
}

// pairs are two of some different texts, in either order.
func pairs(of []string, use func(a, b string)) {
	for _, a := range of {
		for _, b := range of {
			if a != b {
				use(a, b)
			}
		}
	}
}
