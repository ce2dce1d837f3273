package dialogue

import (
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// objectKind is the type of values that fit the slot's own schema. They are said as JSON.
var objectKind = objectValues{plainKind{facts{
	name: Object, aliases: []string{"json", "dict"}, said: phrase.Text,
	traits: traits{labelled: true, schema: true, whole: true},
}}}

type objectValues struct{ plainKind }

func (objectValues) document(Slot) any { return true }

func (objectValues) read(_ *Dialogue, _ *slot, text string, _ time.Time) (any, error) {
	if object, err := decoded([]byte(text)); err == nil {
		return object, nil
	}
	return text, nil
}
