package dialogue

import (
	"slices"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// listKind is the type of lists of values of another type.
var listKind = listValues{plainKind{facts{
	name: List, aliases: []string{"array"}, said: phrase.List,
	traits: traits{many: true, whole: true},
}}}

type listValues struct{ plainKind }

func (listValues) complete(c *compiler, s *Slot, path string) bool {
	if s.Items == "" {
		if s.Items = Text; len(s.Choices) > 0 {
			s.Items = Choice
		}
	}
	if s.Items.kind().is().whole || !slices.Contains(SlotTypes(), s.Items) {
		c.fault(path+".items", "a list cannot hold %q; expected another type of slots", s.Items)
		return false
	}
	return true
}

func (listValues) document(s Slot) any {
	return map[string]any{"type": "array", "items": s.Items.kind().document(s.member())}
}

func (listValues) spoken(s Slot) phrase.Slot {
	member := s.Items.kind().spoken(s.member())
	return phrase.Slot{Name: s.Name, Kind: phrase.List, Items: &member}
}

func (listValues) anyWords(s Slot) bool { return s.Items.kind().anyWords(s.member()) }

// show enumerates the members in the language of the dialogue: "salt, pepper and sugar".
func (listValues) show(w showing, s Slot, v any) string {
	values, ok := v.([]any)
	if !ok {
		return w.plain(v)
	}
	member := s.member()
	texts := make([]string, len(values))
	for i, one := range values {
		texts[i] = member.Type.kind().show(w, member, one)
	}
	return w.Spoken().All(texts)
}

// member is a slot for one element of a list.
func (s Slot) member() Slot {
	return Slot{Name: s.Name, Type: s.Items, Choices: s.Choices, Currency: s.Currency}
}
