package dialogue

import (
	"math/big"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// rangeKind is the type of ranges: {"from": 50, "to": 100}. Both ends belong to a range, and one of them may be missing.
var rangeKind = rangeValues{plainKind{facts{
	name: Range, aliases: []string{"interval", "between"}, said: phrase.Range,
	traits: traits{labelled: true, distinct: true, currency: true, whole: true},
}}}

type rangeValues struct{ plainKind }

// The ends of a range.
const (
	rangeFrom = "from"
	rangeTo   = "to"
)

func (rangeValues) complete(c *compiler, s *Slot, path string) bool {
	if s.Items == "" {
		s.Items = Number
	}
	if !s.Items.kind().is().ordered {
		var ordered []SlotType
		for _, k := range kinds {
			if k.is().ordered {
				ordered = append(ordered, k.is().name)
			}
		}
		c.fault(path+".items", "a range cannot have %q as its ends; expected %s", s.Items, listed(ordered))
		return false
	}
	if s.Currency != "" && !s.Items.kind().is().currency {
		c.fault(path+".currency", "only ranges of money have a currency; this one is of %s", s.Items)
	}
	return true
}

func (rangeValues) document(s Slot) any {
	end := s.Items.kind().document(s.member())
	return map[string]any{
		"type": "object", "properties": map[string]any{rangeFrom: end, rangeTo: end}, "additionalProperties": false, "minProperties": 1,
	}
}

func (rangeValues) spoken(s Slot) phrase.Slot {
	end := s.Items.kind().spoken(s.member())
	return phrase.Slot{Name: s.Name, Kind: phrase.Range, Items: &end}
}

// read reads what was said, or a range as JSON.
func (rangeValues) read(d *Dialogue, sl *slot, text string, now time.Time) (any, error) {
	return readObject(d, sl, text, now)
}

// wrong finds a range that ends before it begins.
func (k rangeValues) wrong(d *Dialogue, s Slot, v any) string {
	ends, _ := v.(map[string]any)
	from, to := ends[rangeFrom], ends[rangeTo]
	if from == nil || to == nil {
		return ""
	}
	a, aIs := new(big.Rat).SetString(shown(from))
	b, bIs := new(big.Rat).SetString(shown(to))
	if aIs && bIs && a.Cmp(b) > 0 || !(aIs && bIs) && shown(from) > shown(to) {
		return d.language.Say(phrase.Backwards, phrase.Args{"said": k.show(showing{Locale: d.locale}, s, v)})
	}
	return ""
}

// show is the range in the words of the language: "50 to 100", "at least 50".
func (rangeValues) show(w showing, s Slot, v any) string {
	ends, ok := v.(map[string]any)
	if !ok {
		return w.plain(v)
	}
	end := s.member()
	args := phrase.Args{}
	for _, which := range []string{rangeFrom, rangeTo} {
		if one, has := ends[which]; has {
			args[which] = end.Type.kind().show(w, end, one)
		}
	}
	least, most := phrase.RangeLeast, phrase.RangeMost
	if end.traits().day {
		least, most = phrase.RangeSince, phrase.RangeUntil
	}
	switch {
	case len(args) == 2:
		return w.Spoken().Say(phrase.RangeBoth, args)
	case args[rangeFrom] != nil:
		return w.Spoken().Say(least, args)
	}
	return w.Spoken().Say(most, args)
}

func (rangeValues) about(s Slot) string {
	return "range of " + s.Items.kind().about(s.member()) + `: {"from": …, "to": …}, of which one may be missing`
}
