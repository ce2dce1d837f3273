package dialogue

import (
	"fmt"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// Begin is the input of a conversation's run: what the conversation begins with. A name that the dialogue does not know,
// or a value of another type, is an error.
func (d *Dialogue) Begin(context map[string]any) (*State, error) {
	s := &State{}
	known := make(map[string]*slot, len(d.context))
	for _, sl := range d.context {
		known[sl.name] = sl
	}
	for _, name := range keysOf(context) {
		sl := known[name]
		if sl == nil && d.def.Context != nil {
			return nil, fmt.Errorf("context: there is no %q%s", name, hintOr(name, keysOf(known)))
		}
		v, err := plainValue(context[name])
		if sl != nil && err == nil {
			v, err = d.read(sl, v, time.Time{})
		}
		if err != nil {
			return nil, fmt.Errorf("context: %s: %w", name, err)
		}
		if s.Context == nil {
			s.Context = make(map[string]any, len(context))
		}
		s.Context[name] = v
	}
	for _, sl := range d.context {
		if _, ok := s.Context[sl.name]; ok || sl.Optional {
			continue
		}
		if sl.Initial == nil {
			return nil, fmt.Errorf("context: %q is missing; expected %s", sl.name, typeText(phrase.English, sl.Type))
		}
		if s.Context == nil {
			s.Context = make(map[string]any)
		}
		s.Context[sl.name] = sl.initial
	}
	for _, sl := range d.context {
		if err := d.validContext(s, sl); err != nil {
			return nil, fmt.Errorf("context: %s: %w", sl.name, err)
		}
	}
	if _, err := d.labelsOf(s); err != nil {
		return nil, err
	}
	for _, name := range keysOf(d.slots) {
		if sl := d.slots[name]; sl.Initial != nil {
			_ = d.fill(s, place{slot: sl}, sl.initial) // one that is not good here leaves it empty
		}
	}
	return s, nil
}

// validContext checks what was brought by the slot's own check, once all that this reads was brought.
func (d *Dialogue) validContext(s *State, sl *slot) error {
	if sl.validate == nil {
		return nil
	}
	for _, name := range sl.validate.Names() {
		if s.Context[name] == nil {
			return nil
		}
	}
	return d.valid(s, place{slot: sl}, s.Context[sl.name])
}
