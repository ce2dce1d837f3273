package dialogue

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/node"
	"pgregory.net/rapid"
)

// wishWords are the ways to answer and to wish for something else in one message, in one language.
type wishWords struct {
	joins  []string             // between an answer and a wish
	wishes []string             // triggers and what is near to one
	texts  []string             // values of text slots
	others map[string][2]string // of the other slots a value as it is said, and what it is
}

var wishLanguages = map[string]wishWords{
	"wishes_en": {
		joins: []string{
			", ", " and ", ", and ", ". ", "; ", " and then ", ", then ", ", also ", ", and also ", " plus ", ", besides ", " as well as ", " please ", ", please ", ". And please ", ", oh and ", ", but first ", " & ", " - ", " — ", "... ", "\n",
			", after that ", ", on top of that ", ", by the way ", " ", ", and could you ", ", and I want to ", ", and I would like to ",
		},
		wishes: []string{"order a pizza", "cancel my order", "get a pizza delivered", "order a pizza please", "cancel an order"},
		texts:  []string{"Ada", "Ada Lovelace", "Zoë Müller", "Dr. Okafor", "Bob", "Grażyna", "O'Neill"},
		others: map[string][2]string{"size": {"small", "small"}, "amount": {"50", "50"}, "letters": {"yes", "true"}},
	},
	"wishes_de": {
		joins: []string{
			", ", " und ", ", und ", ". ", "; ", " und dann ", ", dann ", ", außerdem ", ", und außerdem ", " plus ", ", zusätzlich ", " sowie ", " bitte ", ", bitte ", ". Und bitte ", ", ach und ", ", aber zuerst ", " & ", " - ", " – ", "... ", "\n",
			", danach ", ", darüber hinaus ", ", übrigens ", " ", ", und ich möchte ",
		},
		wishes: []string{"eine Pizza bestellen", "bestelle eine Pizza", "meine Bestellung stornieren", "storniere meine Bestellung", "bestelle bitte eine Pizza"},
		texts:  []string{"Ada", "Ada Lovelace", "Zoë Müller", "Dr. Okafor", "Bob", "Köln"},
		others: map[string][2]string{"size": {"klein", "small"}, "amount": {"50", "50"}, "letters": {"ja", "true"}},
	},
	"wishes_fr": {
		joins: []string{
			", ", " et ", ", et ", ". ", "; ", " et puis ", ", puis ", ", aussi ", ", et aussi ", " ainsi que ", ", en plus ", ", s'il vous plaît ", ", mais d'abord ", " & ", " - ", "... ", "\n", ", ensuite ", " ", ", et je voudrais ",
		},
		wishes: []string{"commander une pizza", "commandez une pizza", "annuler ma commande", "annulez ma commande"},
		texts:  []string{"Ada", "Ada Lovelace", "Zoë Müller", "Paris", "Bob"},
		others: map[string][2]string{"size": {"petit", "small"}, "amount": {"50", "50"}, "letters": {"oui", "true"}},
	},
}

// heardAs is what a message changes, as the orchestrator has it before it acts.
func heardAs(t interface{ Fatal(args ...any) }, d *Dialogue, slot, text string) Delta {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	filled := map[string]any{}
	task := NewConfirm("Open it?")
	if slot != "" {
		task = NewCollect(slotStep(d, slot).Message, slot)
	}
	for _, st := range d.flows["account"].list {
		if st.Type == CollectStep && st.Slot == slot {
			break
		}
		if v, ok := map[string]any{"name": "Grace", "city": "Rome", "size": "large", "amount": "99", "day": "2026-12-01", "letters": false}[st.Slot]; ok {
			filled[st.Slot] = v
		}
	}
	turn := &Turn{Dialogue: d, Now: now, Text: text, Active: []string{"account"}, Pending: &task, Filled: filled}
	commands, err := d.defaults.NLU.Understand(node.Context{}, turn)
	if err != nil {
		t.Fatal(err)
	}
	s := &State{At: now.UnixMicro(), Pending: &task, Frames: 1, Stack: []Frame{{ID: 1, Flow: "account", Slots: filled}}}
	m := &Message{Text: text}
	var deltas []Delta
	for _, c := range d.known(commands) {
		deltas = append(deltas, own[c.Type](c))
	}
	d.afterYes(s, m, deltas)
	delta := MergeDeltas(deltas...)
	d.guard(s, m, &delta)
	return delta
}

func slotStep(d *Dialogue, slot string) *step {
	list := d.flows["account"].list
	return list[slices.IndexFunc(list, func(st *step) bool { return st.Type == CollectStep && st.Slot == slot })]
}

// TestAWishIsNoPartOfAValue answers with any value, joined in any way to any wish, in either order. The slot gets exactly the value, or the
// user is asked: no slot gets words of the wish. Nearly always both are done.
func TestAWishIsNoPartOfAValue(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(wishLanguages)) {
		words := wishLanguages[name]
		t.Run(name, func(t *testing.T) {
			d := example(t, name)
			all, both := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				slot := rapid.SampledFrom([]string{"name", "city", "name", "city", "size", "amount", "letters"}).Draw(t, "slot")
				said := rapid.SampledFrom(words.texts).Draw(t, "text")
				want := said
				if other, ok := words.others[slot]; ok {
					said, want = other[0], other[1]
				}
				wish := rapid.SampledFrom(words.wishes).Draw(t, "wish")
				text := said + rapid.SampledFrom(words.joins).Draw(t, "join") + wish
				if rapid.IntRange(0, 3).Draw(t, "order") == 0 {
					text = wish + rapid.SampledFrom([]string{", ", ". ", "\n", "; "}).Draw(t, "mark") + said
				}
				if rapid.IntRange(0, 3).Draw(t, "end") == 0 {
					text += rapid.SampledFrom([]string{".", "!", " :)"}).Draw(t, "mark behind")
				}
				delta := heardAs(t, d, slot, text)
				all++
				done := len(delta.Start) > 0
				for _, c := range delta.Set {
					if c.Left != "" || c.Confidence < d.settings.MinConfidence {
						done = false
						continue // it is asked about
					}
					v, err := d.read(d.slotOf(d.flows["account"], c.Slot), c.Value, time.Now())
					if got := valueText(v); err != nil || c.Slot != slot || strings.Trim(got, `"`) != want {
						t.Errorf("%q at %s: %s is %v (%v), and %q was said", text, slot, c.Slot, c.Value, err, want)
					}
					if len(delta.Start)+len(delta.Clarify) == 0 && !delta.Cancel {
						t.Errorf("%q at %s: the wish is lost: %+v", text, slot, delta)
					}
				}
				if done && len(delta.Set) > 0 {
					both++
				}
			})
			t.Logf("%d of %d messages are done as a whole", both, all)
			if both*10 < all*6 {
				t.Errorf("only %d of %d messages are done as a whole", both, all)
			}
		})
	}
}

// TestATextWithAWishIsAskedAbout has an NLU take a whole message for a text, at whatever place.
func TestATextWithAWishIsAskedAbout(t *testing.T) {
	said := map[string][]string{
		"wishes_en": {"Ada, and order a pizza", "Ada order a pizza", "order a pizza Ada", "Ada, and help me", "Ada and pizza", "Ada; cancel", "Ada, I am hungry"},
		"wishes_de": {"Ada, übrigens will ich eine Pizza", "Ada eine Pizza bestellen", "eine Pizza bestellen Ada", "Ada und abbrechen"},
		"wishes_fr": {"Ada, et commander une pizza", "Ada commander une pizza", "commander une pizza Ada"},
	}
	for _, name := range slices.Sorted(maps.Keys(said)) {
		d, texts := example(t, name), said[name]
		asks := NewCollect("?", "name")
		for _, text := range texts {
			for _, pending := range []*PendingTask{nil, &asks} {
				for _, slot := range []string{"name", "city"} {
					s := &State{Pending: pending, Frames: 1, Stack: []Frame{{ID: 1, Flow: "account", Slots: map[string]any{}}}}
					delta := Delta{Set: []Change{{Slot: slot, Value: text, Confidence: 1}}}
					d.guard(s, &Message{Text: text}, &delta)
					if c := delta.Set[0]; c.Left == "" && c.Confidence >= d.settings.MinConfidence {
						t.Errorf("%s: %q is taken for %s", name, text, slot)
					}
				}
			}
		}
		for _, text := range []string{"Ada", "Ada Lovelace, Countess", "Ada and Bob", "Ada & Bob", "Dr. Okafor-Smith", "a, b"} {
			s := &State{Frames: 1, Stack: []Frame{{ID: 1, Flow: "account", Slots: map[string]any{}}}}
			delta := Delta{Set: []Change{{Slot: "name", Value: text, Confidence: 1}}}
			d.guard(s, &Message{Text: text}, &delta)
			if c := delta.Set[0]; c.Left != "" || c.Confidence != 1 {
				t.Errorf("%s: %q is asked about: %+v", name, text, c)
			}
		}
	}
}

// TestAYesAndAWish says a yes, and something else in the same message: the yes counts where all words are understood, and never else.
func TestAYesAndAWish(t *testing.T) {
	all := map[string]map[string]bool{
		"wishes_en": {
			"yes, and order a pizza": true, "yes. Order a pizza.": true, "yes please, and then order a pizza": true, "ok, and I am hungry": true,
			"yes, order a pizza first": false, "yes, and what are your opening hours?": false, "yes, and cancel my order": false, "yes, but order a pizza": false,
			"maybe, and order a pizza": false, "yes if I can order a pizza": false, "yes, and something else": false, "no, and order a pizza": false, "yes, and order a huge pizza": false,
			"yes, and don't order a pizza": false, "yes, wait, order a pizza": false, "yes, for Bob, and order a pizza": false,
		},
		"wishes_de": {
			"ja, und bestelle eine Pizza": true, "ja bitte, und dann bestelle eine Pizza": true,
			"ja, bestelle zuerst eine Pizza": false, "ja, aber bestelle eine Pizza": false, "ja, und storniere meine Bestellung": false, "vielleicht, und bestelle eine Pizza": false, "ja, und bestelle keine Pizza": false,
		},
		"wishes_fr": {"oui, et commandez une pizza": true, "oui, mais commandez une pizza": false, "non, et commandez une pizza": false, "oui, et annulez ma commande": false},
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		d, says := example(t, name), all[name]
		for _, text := range slices.Sorted(maps.Keys(says)) {
			counts := says[text]
			delta := heardAs(t, d, "", text)
			if delta.Yes != counts || counts && (len(delta.Start) != 1 || !delta.Start[0].After) {
				t.Errorf("%s: %q is %+v; the yes counts: %v", name, text, delta, counts)
			}
			if slices.ContainsFunc(delta.Set, func(c Change) bool { return c.Slot == "amount" }) {
				t.Errorf("%s: %q gives %+v", name, text, delta.Set)
			}
		}
	}
}
