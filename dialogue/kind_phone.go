package dialogue

import (
	"slices"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// phoneKind is the type of telephone numbers: "+49301234567".
var phoneKind = phoneValues{plainKind{facts{
	name: Phone, aliases: []string{"telephone", "tel"}, said: phrase.Phone, document: map[string]any{"type": "string", "pattern": `^\+?[0-9]{6,15}$`},
	traits: traits{labelled: true, country: true},
}}}

type phoneValues struct{ plainKind }

func (phoneValues) complete(c *compiler, s *Slot, path string) bool {
	if known := phrase.PhoneCountries(); s.Country != "" && !slices.Contains(known, s.Country) {
		c.fault(path+".country", "national numbers are read for %s, not for %q%s", listed(known), s.Country, hintOr(s.Country, known))
	}
	return true
}

func (k phoneValues) spoken(s Slot) phrase.Slot {
	out := k.plainKind.spoken(s)
	out.Country = s.Country
	return out
}

// document is an international number where the country is known.
func (k phoneValues) document(s Slot) any {
	if s.Country == "" {
		return k.facts.document
	}
	return map[string]any{"type": "string", "pattern": `^\+[0-9]{6,15}$`}
}

func (phoneValues) about(s Slot) string {
	if s.Country == "" {
		return string(Phone)
	}
	return string(Phone) + " of " + s.Country + ", with its country code"
}
