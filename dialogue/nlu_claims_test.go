package dialogue

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/node"
	"pgregory.net/rapid"
)

// stay is a flow in one language that has two slots of each of several kinds that are said alike.
type stay struct {
	language, currency string
	trigger            []string
	slots              []Slot
	ways               map[string]stayWays // by slot
}

// stayWays are the ways to say the value of a slot: those that name it, and those that say the value alone.
type stayWays struct {
	named, bare []string
	values      []int
	is          func(n int) []string // all that the value may be meant as
}

func clocks(n int) []string {
	if n > 12 {
		return []string{fmt.Sprintf("%02d:00", n)}
	}
	return []string{fmt.Sprintf("%02d:00", n), fmt.Sprintf("%02d:00", (n+12)%24)}
}

func december(n int) []string { return []string{fmt.Sprintf("2026-12-%02d", n)} }

func plainDigits(n int) []string { return []string{fmt.Sprint(n)} }

func phoneOf(n int) []string {
	return []string{fmt.Sprintf("0151234567%02d", n), fmt.Sprintf("+49151234567%02d", n)}
}

var (
	small = []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 19, 20}
	hours = []int{7, 8, 9, 10, 11, 14, 19, 20}
)

var stays = []stay{
	{
		language: "en", currency: "EUR",
		trigger: []string{
			"book a stay [for {adults} adults] [for {nights} nights]", "book a stay on {day} [at {start}]", "book a stay from {day} until {until}",
			"book a stay with a {rate} discount", "book a stay for under {price}", "book a stay and call {phone}",
		},
		slots: []Slot{
			{Name: "adults", Type: Integer},
			{Name: "nights", Type: Integer},
			{Name: "day", Type: Date},
			{Name: "until", Type: Date},
			{Name: "start", Type: Time},
			{Name: "dinner", Type: Time},
			{Name: "price", Type: Money},
			{Name: "deposit", Type: Money},
			{Name: "rate", Type: Percent},
			{Name: "phone", Type: Phone},
		},
		ways: map[string]stayWays{
			"adults":  {[]string{"%d adults", "for %d adults"}, []string{"%d"}, small, plainDigits},
			"nights":  {[]string{"%d nights", "for %d nights"}, []string{"%d"}, small, plainDigits},
			"day":     {[]string{"on %d December", "on the %dth of December"}, []string{"%d December", "December %d"}, small, december},
			"until":   {[]string{"until %d December", "until December %d"}, []string{"%d December"}, small, december},
			"start":   {[]string{"at %d", "at %d:00", "at %d o'clock"}, []string{"%d:00", "%d"}, hours, clocks},
			"dinner":  {[]string{"dinner at %d:00", "dinner %d:00"}, []string{"%d:00", "%d"}, hours, clocks},
			"price":   {[]string{"under €%d", "for under %d euros"}, []string{"%d", "€%d"}, small, plainDigits},
			"deposit": {[]string{"deposit %d", "deposit %d euros"}, []string{"%d"}, small, plainDigits},
			"rate":    {[]string{"with a %d%% discount", "%d%%", "rate %d%%"}, []string{"%d", "%d percent"}, small, plainDigits},
			"phone":   {[]string{"call 0151234567%02d", "phone 0151234567%02d"}, []string{"0151234567%02d"}, small, phoneOf},
		},
	},
	{
		language: "de", currency: "EUR",
		trigger: []string{
			"buche ein Zimmer [für {gäste} Gäste] [für {nächte} Nächte]", "buche ein Zimmer am {tag} [um {zeit}]", "buche ein Zimmer vom {tag} bis {ende}",
			"buche ein Zimmer mit {rabatt} Rabatt", "buche ein Zimmer unter {preis}", "buche ein Zimmer und ruf {telefon} an",
		},
		slots: []Slot{
			{Name: "gäste", Type: Integer},
			{Name: "nächte", Type: Integer},
			{Name: "tag", Type: Date},
			{Name: "ende", Type: Date},
			{Name: "zeit", Type: Time},
			{Name: "abendessen", Type: Time},
			{Name: "preis", Type: Money},
			{Name: "anzahlung", Type: Money},
			{Name: "rabatt", Type: Percent},
			{Name: "telefon", Type: Phone},
		},
		ways: map[string]stayWays{
			"gäste":      {[]string{"%d Gäste", "für %d Gäste"}, []string{"%d"}, small, plainDigits},
			"nächte":     {[]string{"%d Nächte", "für %d Nächte"}, []string{"%d"}, small, plainDigits},
			"tag":        {[]string{"am %d. Dezember", "vom %d. Dezember"}, []string{"%d. Dezember", "%d.12."}, small, december},
			"ende":       {[]string{"bis %d. Dezember", "bis zum %d. Dezember"}, []string{"%d. Dezember"}, small, december},
			"zeit":       {[]string{"um %d", "um %d:00", "um %d Uhr"}, []string{"%d Uhr", "%d"}, hours, clocks},
			"abendessen": {[]string{"Abendessen um %d Uhr", "Abendessen %d Uhr"}, []string{"%d Uhr", "%d"}, hours, clocks},
			"preis":      {[]string{"unter %d Euro", "unter %d €"}, []string{"%d", "%d Euro"}, small, plainDigits},
			"anzahlung":  {[]string{"Anzahlung %d", "Anzahlung %d Euro"}, []string{"%d"}, small, plainDigits},
			"rabatt":     {[]string{"mit %d%% Rabatt", "%d%%", "Rabatt %d%%"}, []string{"%d", "%d Prozent"}, small, plainDigits},
			"telefon":    {[]string{"ruf 0151234567%02d an", "Telefon 0151234567%02d"}, []string{"0151234567%02d"}, small, phoneOf},
		},
	},
}

func (of stay) compile(tb testing.TB) *Dialogue {
	tb.Helper()
	f := Flow{Name: "stay", Slots: of.slots, Trigger: of.trigger}
	for _, s := range of.slots {
		f.Steps = append(f.Steps, Step{ID: "ask_" + s.Name, Type: CollectStep, Slot: s.Name, Message: s.Name + "?"})
	}
	f.Steps = append(f.Steps, Step{ID: "ok", Type: ConfirmStep, Message: "Ok?"})
	d, err := Compile(Definition{Name: "stay", Settings: Settings{Language: of.language, Currency: of.currency}, Flows: []Flow{f}}, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// mayBeBare reports whether the value of a slot may be said alone beside those of others: of two slots whose values have the same form
// of their own, the second one is meant only where the first one has its value.
func (of stay) mayBeBare(slot string, chosen []string) bool {
	for _, s := range of.slots {
		if s.Name == slot {
			return true
		}
		if t := of.slotOf(slot).Type; s.Type == t && t != Integer && !slices.Contains(chosen, s.Name) {
			return false
		}
	}
	return false
}

func (of stay) slotOf(name string) Slot {
	return of.slots[slices.IndexFunc(of.slots, func(s Slot) bool { return s.Name == name })]
}

// joined are pieces one after the other. A comma stands between two that may be one value together: "at 8 19" is a time, "20 Uhr 19"
// is, and "2 until 4 December" is a period.
func joined(pieces []string, commas bool) string {
	var b strings.Builder
	for i, piece := range pieces {
		switch {
		case i > 0 && (commas || strings.ContainsAny(pieces[i-1][len(pieces[i-1])-1:], "0123456789") || !strings.ContainsAny(piece[:1], "abcdefghijklmnopqrstuvwxyzADRT")):
			b.WriteString(", ")
		case i > 0:
			b.WriteString(" ")
		}
		b.WriteString(piece)
	}
	return b.String()
}

// TestEachSlotGetsItsOwnValue says values for several slots, some of alike kinds, in every order, with and without words that name the
// slot. Each slot gets the value that was said for it, or is asked for: never the value of another one.
func TestEachSlotGetsItsOwnValue(t *testing.T) {
	for _, of := range stays {
		t.Run(of.language, func(t *testing.T) {
			d := of.compile(t)
			own, all := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				names := make([]string, len(of.slots))
				for i, s := range of.slots {
					names[i] = s.Name
				}
				chosen := rapid.Permutation(names).Draw(t, "slots")[:rapid.IntRange(2, 5).Draw(t, "how many")]
				want, pieces, used := make(map[string][]string), []string{}, make(map[int]bool)
				for _, name := range chosen {
					w := of.ways[name]
					list := w.named
					if rapid.IntRange(0, 2).Draw(t, name+" alone?") == 0 && of.mayBeBare(name, chosen) {
						list = w.bare
					}
					n := rapid.SampledFrom(w.values).Filter(func(n int) bool { return !used[n] }).Draw(t, name)
					used[n], want[name] = true, w.is(n)
					pieces = append(pieces, fmt.Sprintf(rapid.SampledFrom(list).Draw(t, "way of "+name), n))
				}
				said := joined(pieces, rapid.Bool().Draw(t, "commas"))
				begin, _, _ := strings.Cut(strings.NewReplacer("[", "{").Replace(of.trigger[0]), "{")
				turn := Turn{Dialogue: d, Now: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Filled: map[string]any{}, Text: begin + said}
				if asks := rapid.IntRange(-1, len(chosen)-1).Draw(t, "asks"); asks >= 0 {
					task := NewCollect(chosen[asks]+"?", chosen[asks])
					turn.Active, turn.Pending, turn.Text = []string{"stay"}, &task, said
				}
				found, err := d.defaults.NLU.Understand(node.Context{}, &turn)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range found {
					if c.Type != SetSlot && c.Type != CorrectSlot || c.Left != "" || c.sure() < d.settings.MinConfidence {
						continue
					}
					v, err := d.read(d.slotOf(d.flows["stay"], c.Slot), c.Value, turn.Now)
					if err != nil {
						continue // it is asked for
					}
					text := fmt.Sprint(v)
					if n, ok := v.(json.Number); ok {
						text = n.String()
					}
					if all++; slices.Contains(want[c.Slot], text) {
						own++
						continue
					}
					t.Errorf("%q (asks %v): %s is %s, and %v was said", turn.Text, turn.Pending, c.Slot, text, want[c.Slot])
				}
			})
			if own == 0 {
				t.Errorf("no value is understood of %d", all)
			}
			t.Logf("%d of %d values", own, all)
		})
	}
}

// TestWordsOfTwoSlotsAreAskedAbout says values of which each may be meant for several slots: none goes where nobody meant it.
func TestWordsOfTwoSlotsAreAskedAbout(t *testing.T) {
	english, german := stays[0].compile(t), stays[1].compile(t)
	for _, tt := range []struct {
		of               *Dialogue
		asks, said, want string
	}{
		{english, "nights", "until December 20, 6, 2", "nothing"},
		{english, "rate", "20%, 8, 8 December", `day=2026-12-08, rate="20%, 8"`},
		{german, "rabatt", "4. Dezember, 9, 65", `rabatt="9, 65", tag=2026-12-04`},
		{german, "preis", "unter 4 €, 015123456772", "preis=4 (unter)?"},
	} {
		task := NewCollect("?", tt.asks)
		turn := Turn{Dialogue: tt.of, Now: guessNow, Active: []string{"stay"}, Pending: &task, Filled: map[string]any{}, Text: tt.said}
		if got := understoodAs(t, tt.of, &turn); got != tt.want {
			t.Errorf("%q for %s: expected %s, found %s", tt.said, tt.asks, tt.want, got)
		}
	}
	checkGuesses(t, "bikes", map[string]map[string]string{"fr": {"le 3, le 3": "bikes=3?"}})
}
