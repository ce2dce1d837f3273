package dialogue

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode"
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
	if text, ok := v.(string); ok && sl.Type != "" && sl.Type != Text && sl.Type != Object {
		if v, err = d.spoken(sl, text, now); err != nil {
			return text, err
		}
	}
	if text, ok := v.(string); ok && sl.Type == Object { // said as JSON
		if object, err := decoded([]byte(text)); err == nil {
			v = object
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
		return v, &rejection{reason: d.isNo(sl.Type, shown(v))}
	}
	return v, nil
}

// spoken is a value in words. One that has the form of the slot's values already stays as it is.
func (d *Dialogue) spoken(sl *slot, text string, now time.Time) (any, error) {
	if sl.check != nil && sl.check.Check(encoded(text)) == nil && sl.Type != List {
		return text, nil
	}
	v, reason, ok := d.said(sl, text, now)
	switch {
	case ok:
		return plainValue(v)
	case reason != "":
		return nil, &rejection{reason: sentence(reason)}
	}
	return nil, &rejection{reason: d.isNo(sl.Type, strconv.Quote(text))}
}

// sentence is a reason as it is said.
func sentence(reason string) string {
	r := []rune(reason)
	r[0] = unicode.ToUpper(r[0])
	if last := r[len(r)-1]; last != '.' && last != '?' && last != '!' {
		r = append(r, '.')
	}
	return string(r)
}

// described names the type in a sentence.
func (t SlotType) described() string {
	words := map[SlotType]string{
		Text: "a text", Number: "a number", Integer: "a whole number", Money: "an amount of money", Date: "a date", Time: "a time",
		DateTime: "a date and time", Choice: "one of the choices", Boolean: "a yes or a no", List: "a list", Object: "what is needed here",
	}
	return words[t]
}
