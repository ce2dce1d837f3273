package value

import (
	"encoding/json"
	"unsafe"

	"github.com/fermata-go/fermata/internal/canonical"
)

// This file looks at interfaces, and at maps from texts.

func (slot) level() level { return loose }

func (slot) look(l *look, at unsafe.Pointer) {
	v := (*any)(at)
	switch is := (*v).(type) {
	case nil, bool:
		return
	case string:
		str{}.lookIn(l, v, is)
		return
	}
	own, free := l.away(), l.free
	l.free = false
	l.lookAny(*v)
	if number, ok := numberText(nil, *v); ok && own && l.free && l.err == nil {
		*v, l.free, l.dirty = json.Number(number), false, true
	}
	l.own, l.free = own, l.free || free
}

// lookIn is look for a text in an interface.
func (str) lookIn(l *look, at *any, s string) {
	switch {
	case !l.all || l.valid(s):
	case l.own:
		*at, l.dirty = canonical.Text(s), true
	default:
		l.odd = true
	}
}

func (l *look) lookAny(v any) {
	switch v := v.(type) {
	case nil, bool:
	case string:
		l.odd = l.odd || l.all && !l.valid(v)
	case json.Number:
		text, ok := numeralText(v)
		if !ok {
			l.fail(badNumeral(v))
		}
		l.free = l.free || text != string(v)
	case map[string]any:
		if l.free = l.free || v == nil; v != nil {
			l.lookMap(v)
		}
	case []any:
		if l.free = l.free || v == nil; v != nil {
			l.lookList(v)
		}
	default:
		if bad := badNumber(v); bad != "" {
			l.fail(bad)
		}
		l.free = true
	}
}

func (l *look) lookMap(m map[string]any) {
	if l.share && l.known.seen.skip(*(*unsafe.Pointer)(unsafe.Pointer(&m)), len(m)) == len(m) && len(m) > 0 {
		return
	}
	if l.enter() {
		for k, v := range m {
			if l.all && !l.valid(k) {
				l.odd = true
			}
			if l.lookAny(v); l.err != nil {
				break
			}
		}
	}
	l.leave()
}

func (l *look) lookList(list []any) {
	from := 0
	if l.share {
		from = l.known.seen.skip(unsafe.Pointer(unsafe.SliceData(list)), len(list))
	}
	if l.enter() {
		for _, v := range list[from:] {
			if l.lookAny(v); l.err != nil {
				break
			}
		}
	}
	l.leave()
}

func (object) level() level { return loose }

func (object) look(l *look, at unsafe.Pointer) {
	if m := *(*map[string]any)(at); m != nil {
		own := l.away()
		l.lookMap(m)
		l.own = own
	}
}

func (c table[V]) level() level { return texts }

func (c table[V]) look(l *look, at unsafe.Pointer) {
	own := l.away()
	var v V
	for k, x := range *(*map[string]V)(at) {
		if !l.valid(k) {
			l.odd = true
		}
		if v = x; c.elem.level() > exact {
			c.elem.look(l, unsafe.Pointer(&v))
		}
	}
	l.own = own
}
