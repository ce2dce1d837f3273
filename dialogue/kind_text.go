package dialogue

import (
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// textKind is the type of texts: the words of the user.
var textKind = textValues{plainKind{facts{
	name: Text, aliases: []string{"string", "str", "any"}, said: phrase.Text, document: map[string]any{"type": "string"},
	traits: traits{words: true},
}}}

type textValues struct{ plainKind }

func (textValues) read(_ *Dialogue, _ *slot, text string, _ time.Time) (any, error) { return text, nil }
