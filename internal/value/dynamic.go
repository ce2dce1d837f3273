package value

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"unsafe"

	"github.com/fermata-go/fermata/internal/canonical"
)

// This file keeps values of any type: JSON values, plain Go numbers, and everything else through encoding/json.
// Snapshots and copies hold JSON values: nil, bool, string, json.Number, []any, map[string]any.

// slot keeps an any.
type slot struct{}

func (slot) write(p *pass, at unsafe.Pointer) { p.writeAny(*(*any)(at)) }

func (slot) delta(p *pass, old, new unsafe.Pointer) {
	at, is := (*any)(old), *(*any)(new)
	if !sameLeaf(*at, is) {
		p.deltaAt(place{slot: at}, *at, is)
	}
}

func (slot) copy(p *pass, dst, src unsafe.Pointer) {
	if p.share {
		*(*any)(dst) = *(*any)(src)
		return
	}
	*(*any)(dst) = p.copyAny(*(*any)(src))
}

func (slot) cells(uintptr, []cell) ([]cell, bool) { return nil, false }

// object keeps a map[string]any.
type object struct{}

func (object) write(p *pass, at unsafe.Pointer) { p.writeMap(*(*map[string]any)(at)) }

func (c object) delta(p *pass, old, new unsafe.Pointer) {
	at := (*map[string]any)(old)
	a, b := *at, *(*map[string]any)(new)
	if (a == nil) != (b == nil) {
		p.replace(c, old, new)
		return
	}
	p.objectAt(place{table: at}, a, b)
}

func (object) copy(p *pass, dst, src unsafe.Pointer) {
	if p.share {
		*(*map[string]any)(dst) = *(*map[string]any)(src)
		return
	}
	*(*map[string]any)(dst) = p.copyMap(*(*map[string]any)(src))
}

func (object) cells(uintptr, []cell) ([]cell, bool) { return nil, false }

// numberText appends the JSON of a number of any of Go's types.
func numberText(dst []byte, v any) (text []byte, isNumber bool) {
	switch v := v.(type) {
	case json.Number:
		text, _ := numeralText(v)
		return append(dst, text...), true
	case int:
		return strconv.AppendInt(dst, int64(v), 10), true
	case int64:
		return strconv.AppendInt(dst, v, 10), true
	case float64:
		return canonical.AppendFloat(dst, v, 64), true
	case int32:
		return strconv.AppendInt(dst, int64(v), 10), true
	case uint64:
		return strconv.AppendUint(dst, v, 10), true
	case uint:
		return strconv.AppendUint(dst, uint64(v), 10), true
	case uint32:
		return strconv.AppendUint(dst, uint64(v), 10), true
	case float32:
		return canonical.AppendFloat(dst, float64(v), 32), true
	case int16:
		return strconv.AppendInt(dst, int64(v), 10), true
	case int8:
		return strconv.AppendInt(dst, int64(v), 10), true
	case uint16:
		return strconv.AppendUint(dst, uint64(v), 10), true
	case uint8:
		return strconv.AppendUint(dst, uint64(v), 10), true
	}
	return dst, false
}

// badNumber says what is wrong with a number, "" if nothing is.
func badNumber(v any) string {
	switch v := v.(type) {
	case float64:
		if !isFinite(v) {
			return notFinite(v)
		}
	case float32:
		if !isFinite(float64(v)) {
			return notFinite(float64(v))
		}
	case json.Number:
		if _, ok := numeralText(v); !ok {
			return badNumeral(v)
		}
	}
	return ""
}

func (p *pass) writeAny(v any) {
	switch v := v.(type) {
	case nil:
		p.buf = append(p.buf, "null"...)
	case bool:
		p.buf = strconv.AppendBool(p.buf, v)
	case string:
		p.text(v)
	case map[string]any:
		p.writeMap(v)
	case []any:
		p.writeList(v)
	default:
		if bad := badNumber(v); bad != "" {
			p.fail(bad)
			return
		}
		var ok bool
		if p.buf, ok = numberText(p.buf, v); ok {
			return
		}
		if text, ok := p.foreign(v, p.limit-len(p.buf)); ok {
			p.buf = append(p.buf, text...)
		}
	}
}

func (p *pass) writeMap(m map[string]any) {
	if m == nil {
		p.buf = append(p.buf, "null"...)
		return
	}
	if p.enter() {
		p.buf = append(p.buf, '{')
		first := len(p.names)
		for k := range m {
			p.names = append(p.names, k)
		}
		keys := p.names[first:]
		slices.Sort(keys)
		p.distinct(keys)
		for i, k := range keys {
			if i > 0 {
				p.buf = append(p.buf, ',')
			}
			p.text(k)
			p.buf = append(p.buf, ':')
			if p.writeAny(m[k]); !p.goesOn() {
				break
			}
		}
		clear(p.names[first:])
		p.names = p.names[:first]
		p.buf = append(p.buf, '}')
	}
	p.leave()
}

func (p *pass) writeList(list []any) {
	if list == nil {
		p.buf = append(p.buf, "null"...)
		return
	}
	if p.enter() {
		p.buf = append(p.buf, '[')
		p.writeItems(list)
		p.buf = append(p.buf, ']')
	}
	p.leave()
}

func (p *pass) writeItems(list []any) {
	for i, v := range list {
		if !p.goesOn() {
			return
		}
		if i > 0 {
			p.buf = append(p.buf, ',')
		}
		p.writeAny(v)
	}
}

// copyAny copies a value into the form that JSON gives it.
func (p *pass) copyAny(v any) any {
	switch is := v.(type) {
	case nil, bool, string:
		return v
	case map[string]any:
		return p.copyMapAny(is)
	case []any:
		return p.copyListAny(is)
	case json.Number:
		if text, ok := numeralText(is); ok {
			if text == string(is) {
				return v // as it is in its interface: numbers are most of many values
			}
			return json.Number(text)
		}
	}
	if bad := badNumber(v); bad != "" {
		p.fail(bad)
		return nil
	}
	var small [32]byte
	if text, ok := numberText(small[:0], v); ok {
		return json.Number(text)
	}
	return p.throughJSON(v)
}

// throughJSON turns a value of another type into what its JSON gives.
func (p *pass) throughJSON(v any) any {
	text, ok := p.foreign(v, p.limit)
	if !ok {
		return nil
	}
	var back any
	if err := decodeJSON(text, &back); err != nil {
		p.fail(err.Error())
	}
	return back
}

// foreign is the JSON of a value of another type, in limit bytes at most.
func (p *pass) foreign(v any, limit int) (text []byte, ok bool) {
	text, err := canonical.Marshal(v, max(limit, 1))
	if _, large := errors.AsType[*canonical.Excess](err); large {
		p.tooLarge()
	} else if err != nil {
		p.fail(err.Error())
	}
	return text, err == nil
}

// decodeJSON reads JSON as a replay does.
func decodeJSON(data []byte, into any) error { return canonical.Decode(data, into) }

func (p *pass) copyMap(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	var made map[string]any
	if p.enter() {
		made = make(map[string]any, len(m))
		for k, v := range m {
			made[k] = p.copyAny(v)
		}
	}
	p.leave()
	return made
}

// copyMapAny is copyMap for a map in an interface; a nil one is null.
func (p *pass) copyMapAny(m map[string]any) any {
	if made := p.copyMap(m); made != nil {
		return made
	}
	return nil
}

// copyListAny is copyList for a list in an interface; a nil one is null.
func (p *pass) copyListAny(list []any) any {
	if made := p.copyList(list); made != nil {
		return made
	}
	return nil
}

func (p *pass) copyList(list []any) []any {
	if list == nil {
		return nil
	}
	var made []any
	if p.enter() {
		made = make([]any, len(list))
		copy(made, list)
		for i, v := range made { // most elements are as they have to be
			switch v := v.(type) {
			case nil, bool, string:
			case json.Number:
				if !isDigits(string(v)) {
					made[i] = p.copyAny(v)
				}
			case map[string]any:
				made[i] = p.copyMapAny(v)
			case []any:
				made[i] = p.copyListAny(v)
			default:
				made[i] = p.copyAny(v)
			}
		}
	}
	p.leave()
	return made
}
