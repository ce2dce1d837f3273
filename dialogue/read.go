package dialogue

import (
	"encoding/json"
	"fmt"
	"time"
)

// read brings a value into the form that a slot keeps: what was said, or what is of the slot's type already. A value
// that cannot be is a *rejection.
func (d *Dialogue) read(sl *slot, raw any, now time.Time) (any, error) {
	v, err := plainValue(raw)
	if err != nil {
		return nil, fmt.Errorf("slot %q: %w", sl.name, err)
	}
	if v == nil && (sl.Optional || sl.Type == "") {
		return nil, nil
	}
	if text, ok := v.(string); ok {
		if v, err = sl.Type.kind().read(d, sl, text, now); err != nil {
			return text, err
		}
	}
	if sl.check == nil {
		return v, nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if err := sl.check.Check(data); err != nil {
		return v, &rejection{reason: d.notOfType(sl.Type, d.shownIn(showing{alone: true}, sl, v)), checked: len(sl.Schema) > 0}
	}
	if v == nil {
		return nil, nil
	}
	if reason := sl.Type.kind().wrong(d, sl.Slot, v); reason != "" {
		return v, &rejection{reason: reason}
	}
	return v, nil
}

// spoken is a value as it was said. One that has the form of the slot's values already stays as it is.
func (d *Dialogue) spoken(sl *slot, text string, now time.Time) (any, error) {
	if sl.check != nil && sl.check.Check(encoded(text)) == nil {
		return text, nil
	}
	return d.inWords(sl, text, now)
}

// inWords is a value in words.
func (d *Dialogue) inWords(sl *slot, text string, now time.Time) (any, error) {
	v, reason, ok := d.said(sl, text, now)
	switch {
	case ok:
		return plainValue(v)
	case reason != "":
		return nil, &rejection{reason: reason}
	}
	return nil, &rejection{reason: d.notOfType(sl.Type, d.language.Quote(text))}
}
