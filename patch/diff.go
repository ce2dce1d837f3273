package patch

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/internal/jsontext"
)

// Diff is a small patch that makes after of before. A string that grew at its end becomes an append. Of an object it
// says which members come, go and change; of an array likewise, where items in the middle are kept if those before and
// behind them are. Where what would be said of the parts of a value is twice as long as the value itself, the new
// one replaces the old one.
//
// Numbers are compared as they are written: 1.0 replaces 1. The order of members does not count. No before at all (nil)
// gives one operation that adds the whole. The error says which of the two is not JSON.
func Diff(before, after []byte) (Patch, error) {
	to, err := parse(after)
	if err != nil {
		return nil, fmt.Errorf("after: %w", err)
	}
	if before == nil {
		return Patch{{Op: Add, Path: "", Value: to.json(nil)}}, nil
	}
	from, err := parse(before)
	if err != nil {
		return nil, fmt.Errorf("before: %w", err)
	}
	var d differ
	d.value(from, to)
	return d.patch, nil
}

type differ struct {
	patch Patch
	path  []byte
	said  int // about how many bytes the patch takes as JSON
}

// bare is about what an operation takes beside its path and value.
const bare = len(`{"op":"replace","path":"","value":},`)

func (d *differ) say(op string, v []byte) {
	d.patch = append(d.patch, Op{Op: op, Path: string(d.path), Value: v})
	d.said += bare + len(d.path) + len(v)
}

// at does something one level down.
func (d *differ) at(token string, do func()) {
	n := len(d.path)
	d.path = append(d.path, '/')
	if strings.ContainsAny(token, "~/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
	}
	d.path = append(d.path, token...)
	do()
	d.path = d.path[:n]
}

func (d *differ) value(from, to *value) {
	if from.kind != to.kind {
		d.say(Replace, to.json(nil))
		return
	}
	ops, said := len(d.patch), d.said
	switch from.kind {
	case anObject:
		d.object(from.obj, to.obj)
	case anArray:
		d.array(from.items, to.items)
	case aString:
		if more, ok := bytes.CutPrefix(to.text, from.text); ok {
			if len(more) > 0 {
				d.say(Append, jsontext.Append(nil, more))
			}
			return
		}
		d.say(Replace, to.json(nil))
		return
	default:
		if !bytes.Equal(from.text, to.text) {
			d.say(Replace, to.json(nil))
		}
		return
	}
	if len(d.patch) > ops+1 && d.said-said > 2*(bare+len(d.path)+to.size) {
		clear(d.patch[ops:])
		d.patch, d.said = d.patch[:ops], said
		d.say(Replace, to.json(nil))
	}
}

func (d *differ) object(from, to *object) {
	for _, m := range from.members {
		if to.get(m.name) == nil {
			d.at(m.name, func() { d.say(Remove, nil) })
		}
	}
	for _, m := range to.members {
		d.at(m.name, func() {
			if old := from.get(m.name); old != nil {
				d.value(old, m.value)
			} else {
				d.say(Add, m.value.json(nil))
			}
		})
	}
}

// array compares item by item what lies between the items that are equal at both ends. Where items only came at the
// end, all before are compared item by item.
func (d *differ) array(from, to []*value) {
	first, last := 0, 0
	if len(from) != len(to) {
		for first < min(len(from), len(to)) && equal(from[first], to[first], true) {
			first++
		}
		for last < min(len(from), len(to))-first && equal(from[len(from)-1-last], to[len(to)-1-last], true) {
			last++
		}
	}
	old, now := from[first:len(from)-last], to[first:len(to)-last]
	both := min(len(old), len(now))
	for i := range both {
		d.at(strconv.Itoa(first+i), func() { d.value(old[i], now[i]) })
	}
	for i := len(old) - 1; i >= both; i-- {
		d.at(strconv.Itoa(first+i), func() { d.say(Remove, nil) })
	}
	for i := both; i < len(now); i++ {
		token := "-"
		if last > 0 {
			token = strconv.Itoa(first + i)
		}
		d.at(token, func() { d.say(Add, now[i].json(nil)) })
	}
}
