package dialogue

import (
	"slices"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// kind is a type of slots: everything that the package knows about it. Each is a value in a file of its own, which embeds
// plainKind for all that it has in common with others, and is listed in kinds. No other code asks which type a slot has.
type kind interface {
	// is returns the facts about the type.
	is() facts
	// complete fills in what the definition of a slot leaves out. It reports what is wrong at the path, and false where
	// the slot is of no use.
	complete(c *compiler, s *Slot, path string) bool
	// document is the JSON Schema of its values.
	document(s Slot) any
	// spoken is how people say a value.
	spoken(s Slot) phrase.Slot
	// anyWords reports whether any words at all are a value.
	anyWords(s Slot) bool
	// read makes a value of a text. One that is none is a *rejection. The schema is checked afterwards.
	read(d *Dialogue, sl *slot, text string, now time.Time) (any, error)
	// wrong says why a value that fits the schema is none after all; "" where it is one.
	wrong(d *Dialogue, s Slot, v any) string
	// show is a value as people are told it.
	show(w showing, s Slot, v any) string
	// few are all values of a slot that has few; nil for others.
	few(s Slot) []any
	// about names the type to a model.
	about(s Slot) string
}

// kinds are all types of slots, in the order in which they are documented.
var kinds = []kind{
	textKind, numberKind, integerKind, moneyKind, dateKind, timeKind, dateTimeKind, choiceKind, booleanKind, listKind, objectKind,
	durationKind, percentKind, phoneKind, emailKind, fractionKind, rangeKind, timeZoneKind, holidayKind,
}

// facts are what is always so of a type of slots.
type facts struct {
	name     SlotType       // as definitions have it
	aliases  []string       // names that it has elsewhere: a definition that uses one is told the right name
	said     *phrase.Kind   // how people say a value
	document map[string]any // the JSON Schema of its values, where it depends on no slot
	// shows is a value as people are told it; nil where it is told as it is kept.
	shows func(w showing, v any) string
	traits
}

// SlotTypes returns all types of slots.
func SlotTypes() []SlotType {
	all := make([]SlotType, len(kinds))
	for i, k := range kinds {
		all[i] = k.is().name
	}
	return all
}

// Composite reports whether values of the type consist of other values. They are written as JSON; those of other types are
// texts.
func (t SlotType) Composite() bool { return t.kind().is().whole }

// kind returns the kind of a type. One that is not listed, such as that of a variable of a flow, holds anything.
func (t SlotType) kind() kind {
	if k, ok := kindOf[t]; ok {
		return k
	}
	return anyKind
}

// kindOf are the kinds by their names.
var kindOf = byName(kinds)

func byName(kinds []kind) map[SlotType]kind {
	all := make(map[SlotType]kind, len(kinds))
	for _, k := range kinds {
		all[k.is().name] = k
	}
	return all
}

// traits tell the values of a type from others in what users say. Each is named after an observation about values, so that
// a type says all that holds for it.
//
// One struct: a kind is written down as the traits that it has.
type traits struct {
	// family names types whose values are said alike. Defaults to the type alone.
	family string
	// words: any words are a value.
	words bool
	// many: a value is several ones, and "none" is an empty one.
	many bool
	// verdict: a yes or a no is a value.
	verdict bool
	// zero: a no is the value 0: "How many children?" "No children."
	zero bool
	// counts: a value may stand before the name of the slot: "two adults".
	counts bool
	// day: a value is a day. Two of them may be said as a period, and others counted from it. moment: it is a day and a
	// time, and may be said as either.
	day, moment bool
	// labelled: a value may stand behind the name of the slot: "back on the 10th".
	labelled bool
	// distinct: a value is known when it is met, as words do not hold one by chance.
	distinct bool
	// named: values have names of their own, and are distinct beside others of their family.
	named bool
	// loose: a number by itself may be a value of another slot.
	loose bool
	// choices, currency, country, schema: the definition of a slot has to have choices; may have a currency, or a country; has to have a schema,
	// which is that of its values.
	choices, currency, country, schema bool
	// ordered: of two values one is less, so that they can be the ends of a range.
	ordered bool
	// whole: a value consists of others, and cannot be a member of a list.
	whole bool
}

// Families of types.
const (
	numbers = "numbers"
	days    = "days"
	times   = "times"
)

func (s Slot) traits() traits { return s.Type.kind().is().traits }

// isVerdict reports whether a yes or a no is a value of a slot.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (s *slot) isVerdict() bool {
	of := s.traits()
	return of.verdict
}

// inWords reports whether any words are a value of a slot.
//
//go:noinline // likewise
func (s *slot) inWords() bool {
	of := s.traits()
	return of.words
}

// family is the family of a type.
func (t SlotType) family() string {
	if of := t.kind().is().family; of != "" {
		return of
	}
	return string(t)
}

// alike reports whether a value of one type may be said as one of another is.
func (t SlotType) alike(other SlotType) bool {
	moment := t.kind().is().moment || other.kind().is().moment
	return t.family() == other.family() || moment && (t.family() == times || other.family() == times)
}

// isAliasOf finds the type that has another name elsewhere.
func isAliasOf(name SlotType) (SlotType, bool) {
	for _, k := range kinds {
		if slices.Contains(k.is().aliases, string(name)) {
			return k.is().name, true
		}
	}
	return "", false
}

// plainKind is a type of slots of which the facts say everything. Others embed it.
type plainKind struct{ facts }

func (k plainKind) is() facts                              { return k.facts }
func (k plainKind) complete(*compiler, *Slot, string) bool { return true }
func (k plainKind) document(Slot) any                      { return k.facts.document }
func (k plainKind) anyWords(Slot) bool                     { return k.words }
func (k plainKind) few(Slot) []any                         { return nil }
func (k plainKind) wrong(*Dialogue, Slot, any) string      { return "" }
func (k plainKind) about(Slot) string                      { return string(k.name) }

//go:noinline // called in many places, for the weight of the command (ADR 060)
func (k plainKind) spoken(s Slot) phrase.Slot {
	out := phrase.Slot{Name: s.Name, Kind: k.said}
	for _, c := range s.Choices {
		out.Choices = append(out.Choices, phrase.Choice{Value: c.Value, Synonyms: c.called()})
	}
	return out
}

func (k plainKind) read(d *Dialogue, sl *slot, text string, now time.Time) (any, error) {
	return d.spoken(sl, text, now)
}

func (k plainKind) show(w showing, _ Slot, v any) string {
	if k.shows != nil {
		return k.shows(w, v)
	}
	return w.plain(v)
}

// anyKind is the type of variables of flows: they hold anything, and users cannot give them a value.
var anyKind = textValues{plainKind{facts{said: phrase.Text, traits: traits{labelled: true}}}}
