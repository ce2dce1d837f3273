package rank

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// deeds and things are what the classes of an agency are about: each list has words that mean the same.
var (
	deeds = []string{"show see list", "cancel delete remove", "change edit modify", "book reserve order", "rate review judge"}

	things = []string{
		"flight plane", "room hotel", "table restaurant", "ticket seat", "car vehicle", "parcel package", "alarm wakeup", "meeting appointment", "course lesson",
		"invoice bill", "subscription plan", "address residence",
	}
)

// saying is how somebody says a class: in one word of each list, and around them words that say nothing.
func saying(r *rand.Rand, class int, unseen bool) string {
	around := []string{"%s my %s", "i want to %s the %s", "%s a %s please", "how can i %s my %s", "%s %s"}
	if unseen {
		around = []string{"could somebody %s this %s now", "i need you to %s that %s", "is it possible to %s every %s i have", "now %s the %s"}
	}
	one := func(words string) string { return pickOne(r, strings.Fields(words)) }
	return fmt.Sprintf(pickOne(r, around), one(deeds[class%len(deeds)]), one(things[class/len(deeds)]))
}

func pickOne(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// TestBoundsHoldAtAnySize draws an agency with few and many classes, of few and many examples, and says things to it that no example is. At
// each size few texts are taken for another class, and few foreign ones for any; classes that have some examples are found or asked about.
func TestBoundsHoldAtAnySize(t *testing.T) {
	for _, size := range []struct{ classes, examples, helped int }{{3, 2, 60}, {3, 6, 85}, {10, 2, 60}, {10, 6, 85}, {20, 6, 85}, {60, 2, 60}, {60, 6, 85}, {60, 20, 85}} {
		r := rand.New(rand.NewPCG(uint64(size.classes), uint64(size.examples)))
		var classes []Class
		of := r.Perm(len(deeds) * len(things))[:size.classes]
		for _, class := range of {
			var c Class
			for range size.examples {
				c.Examples = append(c.Examples, saying(r, class, false))
			}
			classes = append(classes, c)
		}
		ranker := New(classes, Options{Words: split, Foreign: elsewhere})
		const said = 1000
		helped, wrong, foreign := 0, 0, 0
		for range said {
			want := r.IntN(size.classes)
			got := ranker.Rank(saying(r, of[want], true))
			isNamed := slices.ContainsFunc(got.Classes, func(c Ranked) bool { return c.Class == want })
			switch {
			case got.Sure >= Ahead && got.Classes[0].Class != want:
				wrong++
			case isNamed:
				helped++
			}
			if ranker.Rank(pickOne(r, elsewhere)+" and "+pickOne(r, elsewhere)).Sure >= Ahead {
				foreign++
			}
		}
		t.Logf("%d classes of %d examples: %d of %d texts are helped, %d wrong, %d foreign", size.classes, size.examples, helped, said, wrong, foreign)
		if helped*100 < size.helped*said || wrong*100 > 3*said || foreign*100 > 3*said {
			t.Errorf("%d classes of %d examples: of %d texts %d are helped, %d are wrong and %d foreign ones are none", size.classes, size.examples, said, helped, wrong, foreign)
		}
	}
}

// TestAWordThatSpeaksForAnotherClass says a deed that examples of another class have beside a thing that those of the first have: nothing
// is ahead, unless the first is by far. A word that no example has speaks for none.
func TestAWordThatSpeaksForAnotherClass(t *testing.T) {
	r := New([]Class{
		{Examples: []string{"show all my alarms", "list my alarms", "which alarms are set", "see every alarm"}},
		{Examples: []string{"delete my reminder", "delete all reminders", "delete what you remind me of"}},
		{Examples: []string{"book a table", "reserve a table"}},
	}, Options{Words: split, Foreign: elsewhere})
	for text, want := range map[string]Sureness{"delete list of alarms": Torn, "paint list of alarms": Plain, "delete which alarms are set": Plain} {
		if got := r.Rank(text); got.Sure != want || got.Classes[0].Class != 0 {
			t.Errorf("%q: sure %d, %v; expected %d", text, got.Sure, got.Classes, want)
		}
	}
}
