package dialogue

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/internal/lawtest"
)

// turnsOf are turns at which something can be said: at nothing, at every question of every flow, with nothing known and
// with a value in every slot, and where it was asked which flow is meant.
func turnsOf(d *Dialogue) []Turn {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC).In(d.zone)
	names := d.FlowNames()
	all := []Turn{{Dialogue: d, Now: now}, {Dialogue: d, Now: now, Clarify: names[:min(3, len(names))]}}
	for _, f := range d.order {
		filled := map[string]any{}
		for _, sl := range f.order {
			filled[sl.name] = map[SlotType]any{
				Text: "Ada", Number: 2.5, Integer: 2, Money: 50, Date: "2026-12-03", Time: "15:30", DateTime: "2026-12-03T15:30:00Z", Boolean: true,
				List: []any{"a"}, Object: map[string]any{"a": 1},
			}[sl.Type]
			if sl.Type == Choice {
				filled[sl.name] = sl.Choices[0].Value
			}
		}
		for _, st := range f.list {
			task := PendingTask{Type: InformTask, Prompt: st.Message, WaitForAck: true}
			switch st.Type {
			case CollectStep:
				task = NewCollect(st.Message, st.Slot, st.Options...)
			case ConfirmStep:
				task = NewConfirm(st.Message, st.Options...)
			case InformStep:
			default:
				continue
			}
			for _, known := range []map[string]any{{}, filled} {
				all = append(all, Turn{Dialogue: d, Now: now, Active: []string{f.Name}, Pending: &task, Filled: known})
			}
		}
	}
	return all
}

// FuzzUnderstand says anything at any point of some dialogues. Nothing panics; what is understood is the same each time; it
// names flows and slots that there are; it is as sure as numbers from 0 to 1 can say; and it takes work that is bounded,
// counted in allocations, however long the message is.
func FuzzUnderstand(f *testing.F) {
	type place struct {
		nlu, again *phrases
		turn       Turn
	}
	var places []place
	made := func() []*Dialogue {
		w, err := world()
		if err != nil {
			f.Fatal(err)
		}
		all := []*Dialogue{w, parcels(f)}
		for _, name := range []string{"bank", "clinic", "restaurant", "support", "travel", "german"} {
			all = append(all, example(f, name))
		}
		return all
	}
	first, second := made(), made()
	for i, d := range first {
		for _, turn := range turnsOf(d) {
			places = append(places, place{d.phrases, second[i].phrases, turn})
		}
	}
	n := 0
	tables, _ := filepath.Glob("testdata/understood/*.txt")
	for _, table := range tables {
		data, err := os.ReadFile(table)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if said, _, ok := strings.Cut(line, " -> "); ok {
				n += 7
				f.Add(uint(n), said)
			}
		}
	}
	for i, said := range []string{
		"", " ", "\x00", "\xff\xfe", "yes\xc3no", strings.Repeat("no ", 5000), strings.Repeat("make it 5 and ", 900), strings.Repeat("1,", 4000), strings.Repeat("monday ", 3000),
		strings.Repeat("a@b.c ", 3000), "\u202e50\u202c to Bob", "٥٠ euros", "make it make it make it 5", "no no not yes", "change the change to change", "from to to from", "the the the",
		"{amount}", "{{ amount }}", strings.Repeat("🎉", 900), strings.Repeat("no, make it ", 900) + "60", "1e400", "-0", "--5", "in 99999999999 days", "the 0th of never",
		strings.Repeat("change the amount to 5 and the payee to Bob and ", 300), "x" + strings.Repeat("y", 20000), strings.Repeat("from 3 to 4 december ", 800),
	} {
		f.Add(uint(i*13), said)
		f.Add(uint(i*29+5), said)
	}
	f.Fuzz(func(t *testing.T, at uint, said string) {
		p := places[at%uint(len(places))]
		turn := p.turn
		turn.Text = said
		var got []Command
		work := testing.AllocsPerRun(1, func() { got, _ = p.nlu.understand(&turn) })
		most := 90_000.0 // 15,000 bytes that are no answer to a question for a text
		if lawtest.Racing {
			most *= 1.1 // a sync.Pool drops a part of what it is given then
		}
		if work > most {
			t.Errorf("%.200q takes %v allocations, and at most %.0f are promised", said, work, most)
		}
		other := turn
		other.Dialogue = p.again.dialogue
		again, _ := p.again.understand(&other)
		if a, b := fmt.Sprint(got), fmt.Sprint(again); a != b {
			t.Errorf("%q is\n%s, and in a dialogue made of the same\n%s", said, a, b)
		}
		checkCommands(t, p.nlu.dialogue, &turn, got)
	})
}

// checkCommands is what holds for whatever was understood.
func checkCommands(t *testing.T, d *Dialogue, turn *Turn, got []Command) {
	t.Helper()
	flow := ""
	if len(turn.Active) > 0 {
		flow = turn.Active[0]
	}
	for _, c := range got {
		if c.Type == StartFlow {
			flow = c.Flow
		}
	}
	for _, c := range got {
		if math.IsNaN(c.Confidence) || c.Confidence < 0 || c.Confidence > 1 {
			t.Errorf("%q: as sure as %v: %v", turn.Text, c.Confidence, c)
		}
		for _, name := range append([]string{c.Flow}, c.Options...) {
			if _, ok := d.Flow(name); !ok && name != "" {
				t.Errorf("%q: there is no flow %q: %v", turn.Text, name, c)
			}
		}
		for _, name := range []string{c.Slot, c.SlotToChange} {
			in := cmp.Or(c.Flow, flow) // an answer beside a wish belongs to the flow that asked
			if _, ok := d.Slot(in, name); !ok && name != "" {
				t.Errorf("%q: %q has no slot %q: %v", turn.Text, in, name, c)
			}
		}
		switch needs := c.Type; needs {
		case SetSlot, CorrectSlot, ClearSlot:
			sl, _ := d.Slot(cmp.Or(c.Flow, flow), c.Slot)
			leftOut := needs == CorrectSlot && sl.Optional // "no budget", where there is one
			if c.Slot == "" || needs != ClearSlot && c.Value == nil && !leftOut {
				t.Errorf("%q: %v says too little", turn.Text, c)
			}
		case StartFlow:
			if f, _ := d.Flow(c.Flow); f.Hidden && len(turn.Clarify) == 0 {
				t.Errorf("%q begins %q, which users do not", turn.Text, c.Flow)
			}
		}
	}
	if _, err := encodedAll(got); err != nil {
		t.Errorf("%q: %v", turn.Text, err)
	}
}

// encodedAll is commands as they are kept.
func encodedAll(got []Command) (values []any, err error) {
	for _, c := range got {
		v, err := plainValue(c.Value)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}
