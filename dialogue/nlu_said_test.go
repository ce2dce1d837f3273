package dialogue

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// parcels is a flow whose triggers hold a slot of every type.
func parcels(tb testing.TB) *Dialogue {
	tb.Helper()
	slot := func(name string, t SlotType) Slot { return Slot{Name: name, Type: t} }
	slots := []Slot{
		slot("count", Integer), slot("receiver", Text), slot("day", Date), slot("hour", Time), slot("worth", Money), slot("moment", DateTime),
		{Name: "size", Type: Choice, Choices: []Option{{Value: "compact"}, {Value: "regular", Synonyms: []string{"ordinary"}}, {Value: "oversize"}}},
		slot("weight", Number), slot("insured", Boolean), slot("labels", List),
		{Name: "form", Type: Object, Schema: json.RawMessage(`{"type":"object","required":["lines"]}`)},
	}
	parcel := Flow{Name: "parcel", Slots: slots, Trigger: []string{
		"deliver {count} parcels to {receiver}",
		"courier for {receiver} on {day} at {hour}",
		"parcel insurance of {worth} for {receiver}",
		"schedule pickup {moment}",
		"parcel of size {size} weighing {weight} kilos",
		"parcel insurance {insured}",
		"parcel with labels {labels}",
	}}
	for _, s := range slots {
		parcel.Steps = append(parcel.Steps, Step{ID: "ask_" + s.Name, Type: CollectStep, Slot: s.Name, Message: "Which " + s.Name + "?"})
	}
	d, err := Compile(Definition{Name: "parcels", Flows: []Flow{
		parcel,
		{Name: "complaint", Trigger: []string{"complain about {subject}", "complaint"}, Slots: []Slot{{Name: "subject"}}, Steps: []Step{
			{ID: "ask", Type: CollectStep, Slot: "subject", Message: "About what?"},
		}},
		{Name: "opening", Trigger: []string{"opening hours"}, Steps: []Step{{ID: "tell", Type: InformStep, Message: "Always."}}},
	}}, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// saying is a value as it may be said, and what it is.
type saying struct {
	text string
	want any
}

// sayings draws values of a type, each said in one of several ways.
func sayings(t *rapid.T, kind SlotType, name string) saying {
	friday := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	n := rapid.IntRange(2, 99).Draw(t, name+" number")
	way := rapid.IntRange(0, 3).Draw(t, name+" way")
	clock := fmt.Sprintf("%02d:%02d", n%24, n%60)
	half := "a.m."
	if n%24 >= 12 {
		half = "pm"
	}
	half = fmt.Sprintf("%d:%02d %s", (n%24+11)%12+1, n%60, half)
	day := friday.AddDate(0, 0, n)
	switch kind {
	case Integer:
		return saying{[]string{strconv.Itoa(n), englishNumber(n), strconv.Itoa(n), englishNumber(n)}[way], json.Number(strconv.Itoa(n))}
	case Number:
		return saying{[]string{strconv.Itoa(n) + ".5", englishNumber(n) + " and a half", englishNumber(n) + " point five", strconv.Itoa(n) + ",50"}[way], json.Number(strconv.Itoa(n) + ".5")}
	case Money:
		return saying{[]string{fmt.Sprintf("€%d.20", n), fmt.Sprintf("%d.20 euros", n), englishNumber(n) + " euros and twenty cents", fmt.Sprintf("EUR %d.20", n)}[way], json.Number(fmt.Sprintf("%d.2", n))}
	case Date:
		return saying{[]string{day.Format("2006-01-02"), day.Format("January 2, 2006"), "the " + day.Format("2 January 2006"), day.Format("1/2/2006")}[way], day.Format(time.DateOnly)}
	case Time:
		return saying{[]string{clock, half, clock, half}[way], clock}
	case DateTime:
		at := day.Format("2006-01-02") + "T" + clock + ":00Z"
		return saying{[]string{day.Format("2006-01-02") + " " + clock, day.Format("January 2 2006") + " at " + half, day.Format("2 January 2006, ") + clock, half + " on " + day.Format("2 January 2006")}[way], at}
	case Choice:
		return saying{[]string{"compact", "regular", "ordinary", "oversize"}[way], []string{"compact", "regular", "regular", "oversize"}[way]}
	case Boolean:
		return saying{[]string{"yes", "no", "on", "off"}[way], way%2 == 0}
	case List:
		a, b, c := personName(t, name+" a"), personName(t, name+" b"), personName(t, name+" c")
		return []saying{{a, []any{a}}, {a + " and " + b, []any{a, b}}, {a + ", " + b + " and " + c, []any{a, b, c}}, {a + "; " + b, []any{a, b}}}[way]
	case Object:
		text := fmt.Sprintf(`{"lines": [%d, "x"]}`, n)
		return saying{text, text} // as it was said: what the slot keeps is made of it
	}
	text := personName(t, name)
	return saying{text, text}
}

// personName draws what no other word is like.
func personName(t *rapid.T, label string) string {
	return rapid.SampledFrom([]string{"Zoë Müller", "Bob", "Ada Lovelace", "O'Neill", "Grażyna", "Xi", "Nguyễn Văn An", "Umbo-Ruiz", "玉子", "Ольга", "Dr. Okafor"}).Draw(t, label)
}

func englishNumber(n int) string {
	ones := strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
	tens := strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety")
	switch {
	case n < 20:
		return ones[n]
	case n%10 == 0:
		return tens[n/10-2]
	}
	return tens[n/10-2] + "-" + ones[n%10]
}

// slipIn makes one slip in one word of five or more plain letters: two are swapped, or one is left out, doubled or
// changed. The first letter is the one that people get right.
func slipIn(t *rapid.T, text string) string {
	var starts [][2]int
	for at := 0; at < len(text); {
		end := at
		for end < len(text) && text[end] >= 'a' && text[end] <= 'z' {
			end++
		}
		if end-at >= 5 && (at == 0 || text[at-1] == ' ') && (end == len(text) || text[end] == ' ') {
			starts = append(starts, [2]int{at, end})
		}
		at = max(end, at+1)
	}
	if len(starts) == 0 {
		return text
	}
	at := rapid.SampledFrom(starts).Draw(t, "word")
	i := rapid.IntRange(at[0]+1, at[1]-2).Draw(t, "letter")
	slip := text[:i] + text[i+1:i+2] + text[i:i+1] + text[i+2:]
	switch rapid.IntRange(0, 3).Draw(t, "slip") {
	case 1:
		slip = text[:i] + text[i+1:]
	case 2:
		slip = text[:i+1] + text[i:]
	case 3:
		slip = text[:i] + rapid.SampledFrom([]string{"q", "x", "z"}).Draw(t, "other") + text[i+1:]
	}
	for _, word := range []string{"tree", "there", "seen", "even", "sever", "sixth", "forth", "weights", "six", "tent", "sown", "eighyt", "eighy", "niney"} { // words of their own, and what is as near to two
		if slices.Contains(strings.Fields(slip), word) {
			return text
		}
	}
	return slip
}

// TestWhatIsSaidInAFlowsOwnPhrases says the triggers of a flow with values for their placeholders, in any of the ways in
// which people say values: it is understood as that flow with those values, also where a word has a slip.
func TestWhatIsSaidInAFlowsOwnPhrases(t *testing.T) {
	d := parcels(t)
	f := d.flows["parcel"]
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(f.Trigger).Draw(t, "trigger")
		want := map[string]any{}
		for _, piece := range pieces.FindAllString(text, -1) {
			if name := strings.Trim(piece, "{}"); name != piece {
				s := sayings(t, f.slots[name].Type, name)
				text, want[name] = strings.Replace(text, piece, s.text, 1), s.want
			}
		}
		text = rapid.SampledFrom([]string{"", "please ", "hi, I'd like to "}).Draw(t, "before") + text + rapid.SampledFrom([]string{"", " please", ", thanks"}).Draw(t, "behind")
		slip := rapid.Bool().Draw(t, "slip?")
		if slip {
			text = slipIn(t, text)
		}
		expect(t, d, &Turn{Dialogue: d, Now: now, Text: text}, "parcel", want)
	})
}

// TestWhatIsAnswered answers the question for a slot of every type, in any of the ways in which people say values.
func TestWhatIsAnswered(t *testing.T) {
	d := parcels(t)
	f := d.flows["parcel"]
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		sl := rapid.SampledFrom(f.order).Draw(t, "slot")
		s := sayings(t, sl.Type, sl.name)
		task := NewCollect("Which "+sl.name+"?", sl.name)
		turn := &Turn{Dialogue: d, Now: now, Text: s.text, Active: []string{"parcel"}, Pending: &task, Filled: map[string]any{}}
		if sl.Type != Object && sl.Type != Text && sl.Type != List {
			turn.Text = rapid.SampledFrom([]string{"", "um, ", "let's say "}).Draw(t, "before") + s.text + rapid.SampledFrom([]string{"", " please", ", thanks"}).Draw(t, "behind")
			turn.Text = slipIn(t, turn.Text)
		}
		expect(t, d, turn, "", map[string]any{sl.name: s.want})
		v, err := d.read(sl, s.want, now)
		if err != nil || sl.check.Check(encoded(v)) != nil {
			t.Fatalf("%q is %v, %v: nothing that the slot keeps", s.text, v, err)
		}
	})
}

// expect fails unless a turn begins a flow ("" for none) and gives the slots these values, surely enough.
func expect(t *rapid.T, d *Dialogue, turn *Turn, flow string, want map[string]any) {
	commands, err := d.phrases.understand(turn)
	if err != nil {
		t.Fatal(err)
	}
	got, begun := map[string]any{}, ""
	for _, c := range commands {
		switch {
		case c.sure() < d.settings.MinConfidence:
			t.Fatalf("%q: %v is doubtful", turn.Text, c)
		case c.Type == StartFlow:
			begun = c.Flow
		case c.Type == SetSlot:
			got[c.Slot] = c.Value
		default:
			t.Fatalf("%q: %v", turn.Text, c)
		}
	}
	if begun != flow || !equal(got, want) {
		t.Fatalf("%q begins %q with %s, want %q with %s (slots %v)", turn.Text, begun, encoded(got), flow, encoded(want), slices.Sorted(maps.Keys(want)))
	}
}
