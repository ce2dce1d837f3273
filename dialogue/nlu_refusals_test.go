package dialogue

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/fermata-go/fermata/node"
)

// restKind is what stands behind a yes or a no.
type restKind string

const (
	restValue   restKind = "value"   // of a slot, by its form
	restText    restKind = "text"    // that two slots may mean
	restPlace   restKind = "place"   // among things that were never named
	restOther   restKind = "other"   // the other one, of no two things
	restWish    restKind = "wish"    // for another flow
	restUnknown restKind = "unknown" // words that nothing knows
	restNone    restKind = "none"    // that what was said is not meant, and no more
	restPolite  restKind = "polite"
)

// rest is one of them, and the value that it may have.
type rest struct {
	kind       restKind
	said       string
	slot, want string
}

// verdictWords are the ways to say yes and no in a language, and what may follow.
type verdictWords struct {
	yes, no []string
	joins   []string
	rests   []rest
}

var verdictLanguages = map[string]verdictWords{
	"wishes_en": {
		yes: []string{"yes", "yeah", "ok", "sure"}, no: []string{"no", "nope", "no thanks", "not really"}, joins: []string{", ", ". ", ", but ", "; ", ", rather "},
		rests: []rest{
			{restValue, "on Friday", "day", "2026-11-27"},
			{restValue, "tomorrow", "day", "2026-11-21"},
			{restValue, "small", "size", "small"},
			{restValue, "the small one", "size", "small"},
			{restValue, "60 euros", "amount", "60"},
			{restValue, "3 December", "day", "2026-12-03"},
			{restText, "Ida", "", ""},
			{restText, "in Oslo", "", ""},
			{restText, "Ada Lovelace", "", ""},
			{restText, "just Ida", "", ""},
			{restText, "it's Ida", "", ""},
			{restPlace, "the first", "", ""},
			{restPlace, "the second one", "", ""},
			{restPlace, "the last one", "", ""},
			{restOther, "the other one", "", ""},
			{restOther, "the other", "", ""},
			{restWish, "order a pizza", "pizza", ""},
			{restWish, "cancel my order", "withdraw", ""},
			{restUnknown, "zorg blub", "", ""},
			{restUnknown, "my cat is ill", "", ""},
			{restUnknown, "because it is too much", "", ""},
			{restNone, "something else", "", ""},
			{restUnknown, "a check-up", "", ""},
			{restPolite, "thanks", "", ""},
			{restPolite, "thank you very much", "", ""},
			{restPolite, "please", "", ""},
			{restPolite, "thanks a lot", "", ""},
		},
	},
	"wishes_de": {
		yes: []string{"ja", "jo", "ok", "klar"}, no: []string{"nein", "ne", "nein danke", "lieber nicht"}, joins: []string{", ", ". ", ", aber ", "; ", ", lieber "},
		rests: []rest{
			{restValue, "am Freitag", "day", "2026-11-27"},
			{restValue, "morgen", "day", "2026-11-21"},
			{restValue, "klein", "size", "small"},
			{restValue, "60 Euro", "amount", "60"},
			{restValue, "3. Dezember", "day", "2026-12-03"},
			{restText, "Ida", "", ""},
			{restText, "in Oslo", "", ""},
			{restText, "Ada Lovelace", "", ""},
			{restText, "nur Ida", "", ""},
			{restPlace, "der erste", "", ""},
			{restPlace, "das zweite", "", ""},
			{restPlace, "der letzte", "", ""},
			{restOther, "der andere", "", ""},
			{restOther, "das andere", "", ""},
			{restOther, "die andere", "", ""},
			{restWish, "eine Pizza bestellen", "pizza", ""},
			{restWish, "meine Bestellung stornieren", "withdraw", ""},
			{restUnknown, "Zorg blub", "", ""},
			{restUnknown, "meine Katze ist krank", "", ""},
			{restNone, "etwas anderes", "", ""},
			{restUnknown, "eine Vorsorge", "", ""},
			{restPolite, "danke", "", ""},
			{restPolite, "vielen Dank", "", ""},
			{restPolite, "bitte", "", ""},
		},
	},
	"wishes_fr": {
		yes: []string{"oui", "ouais", "ok", "d'accord"}, no: []string{"non", "nan", "non merci", "pas vraiment"}, joins: []string{", ", ". ", ", mais ", "; ", ", plutôt "},
		rests: []rest{
			{restValue, "vendredi", "day", "2026-11-27"},
			{restValue, "demain", "day", "2026-11-21"},
			{restValue, "petit", "size", "small"},
			{restValue, "60 euros", "amount", "60"},
			{restValue, "le 3 décembre", "day", "2026-12-03"},
			{restText, "Ida", "", ""},
			{restText, "à Oslo", "", ""},
			{restText, "Ada Lovelace", "", ""},
			{restPlace, "le premier", "", ""},
			{restPlace, "le deuxième", "", ""},
			{restPlace, "le dernier", "", ""},
			{restOther, "l'autre", "", ""},
			{restWish, "commander une pizza", "pizza", ""},
			{restWish, "annuler ma commande", "withdraw", ""},
			{restUnknown, "zorg blub", "", ""},
			{restUnknown, "mon chat est malade", "", ""},
			{restNone, "autre chose", "", ""},
			{restPolite, "merci", "", ""},
			{restPolite, "merci beaucoup", "", ""},
			{restPolite, "s'il vous plaît", "", ""},
		},
	},
}

// verdictAt is a question to which a yes or a no is said.
type verdictAt struct {
	name string
	task func(d *Dialogue) PendingTask
	open string // the slot that has no value yet
}

var verdictPlaces = []verdictAt{
	{"confirms", func(*Dialogue) PendingTask { return NewConfirm("Open it?") }, ""},
	{"asks for a yes", func(d *Dialogue) PendingTask { return NewCollect(slotStep(d, "letters").Message, "letters") }, "letters"},
	{"doubts a text", func(*Dialogue) PendingTask { return doubtTask("name") }, "name"},
	{"doubts another text", func(*Dialogue) PendingTask { return doubtTask("name") }, ""},
	{"doubts a choice", func(*Dialogue) PendingTask { return doubtTask("size") }, "size"},
	{"doubts an amount that is told", func(*Dialogue) PendingTask { return doubtTask("amount") }, ""},
}

func doubtTask(slot string) PendingTask {
	task := NewConfirm("Is this meant?")
	task.Slot = slot
	return task
}

// TestTheRestOfAYesOrANoIsNeverLost says more behind a yes or a no, at each question that takes one. The rest takes effect, or it is
// politeness, or the user is asked: never is the yes or the no taken and the rest gone, and no slot gets a value that was not said for it.
func TestTheRestOfAYesOrANoIsNeverLost(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(verdictLanguages)) {
		words := verdictLanguages[name]
		d := example(t, name)
		for _, at := range verdictPlaces {
			t.Run(name+"/"+at.name, func(t *testing.T) {
				effects, all := map[restKind]int{}, map[restKind]int{}
				for _, isNo := range []bool{false, true} {
					for _, verdict := range map[bool][]string{false: words.yes, true: words.no}[isNo] {
						for _, join := range words.joins {
							for _, r := range words.rests {
								if r.kind == restPolite && join != ", " && join != ". " { // "no, but please" is a wish for something
									continue
								}
								text := verdict + join + r.said
								delta := d.verdictDelta(t, at, text)
								all[r.kind]++
								effect, wrong := at.judge(d, r, isNo, delta)
								if effect {
									effects[r.kind]++
								}
								if wrong != "" {
									t.Errorf("%q: %s", text, wrong)
								}
							}
						}
					}
				}
				if effects[restValue] == 0 && at.open != "name" && at.name != "doubts another text" || effects[restWish] == 0 || effects[restPolite] != all[restPolite] {
					t.Errorf("what takes effect is %v of %v", effects, all)
				}
			})
		}
	}
}

// verdictDelta is what a message changes at a question.
func (d *Dialogue) verdictDelta(t *testing.T, at verdictAt, text string) Delta {
	t.Helper()
	filled := map[string]any{"name": "Grace", "city": "Rome", "size": "large", "amount": "99", "day": "2026-12-01", "letters": false}
	delete(filled, at.open)
	task := at.task(d)
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	commands, err := d.defaults.NLU.Understand(node.Context{}, &Turn{Dialogue: d, Now: now, Text: text, Active: []string{"account"}, Pending: &task, Filled: filled})
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

// judge says whether the rest took effect, and what is wrong.
func (at verdictAt) judge(d *Dialogue, r rest, isNo bool, delta Delta) (effect bool, wrong string) {
	taken := delta.Yes || delta.No && delta.Wrong == ""
	doubtsText := at.name == "doubts a text" || at.name == "doubts another text"
	for _, c := range delta.Set {
		v, err := d.read(d.slotOf(d.flows["account"], c.Slot), c.Value, time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC))
		switch {
		case c.Left != "" || c.Confidence < d.settings.MinConfidence || err != nil: // the user is asked
			if c.Slot == at.open {
				taken = false
			}
		case at.open == "letters" && c.Slot == "letters" && v == !isNo:
			taken = true
		case r.slot != "" && c.Slot == r.slot && fmt.Sprint(v) == r.want:
			effect = true
		case at.open == "size" && c.Slot == "size" && r.kind == restPlace: // among its choices
			effect = true
		case doubtsText && isNo && c.Slot == "name" && (r.kind == restText || r.kind == restUnknown || r.kind == restNone):
			effect = true
		default:
			return false, fmt.Sprintf("%s is %v", c.Slot, v)
		}
	}
	for _, st := range delta.Start {
		if r.kind != restWish || st.Flow != r.slot {
			return false, "the flow " + st.Flow + " begins"
		}
		effect = true
	}
	if r.kind == restPolite {
		if !taken {
			return false, "a plain yes or no is not taken"
		}
		return true, ""
	}
	if r.kind == restNone && delta.No && at.open != "" { // what was asked before is asked again
		return true, ""
	}
	effect = effect || r.slot == "withdraw" && delta.Cancel // "no, cancel my order"
	if taken && !effect {
		return false, "the rest is lost"
	}
	return effect, ""
}
