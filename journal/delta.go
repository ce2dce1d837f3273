package journal

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fermata-go/fermata/internal/jsontext"
)

// A delta says how one JSON value became another (law J7). It is empty for no change, else one of
//
//	[0,value]                      it is now value
//	[1,{"name":delta,…}]           an object: its members changed so; a new member's delta is [0,value]
//	[1,{"name":delta,…},["gone",…]]  … and these members are gone
//	[2,keep,[value,…]]             a list: the first keep elements, then these values
//	[3,{"index":delta,…},keep,[value,…]]  a list: elements before keep changed so; the first keep, then these values
//	[4,keep,"tail"]                a string: its first keep bytes as UTF-8, which end with a rune, then tail
//
// A delta within a delta is never empty. Deltas are part of the stored format.
const (
	deltaReplace = '0'
	deltaObject  = '1'
	deltaAppend  = '2'
	deltaList    = '3'
	deltaString  = '4'
)

// Diff returns the delta that turns the JSON text old into the JSON text new.
//
// It is empty when they are equal, and never longer than [0,new]. The order of members is no difference, and numbers are equal when their texts are. An empty old is a
// value that there was not. The error is a *JSONError.
func Diff(old, new []byte) ([]byte, error) {
	to, err := compactText(new)
	if err != nil {
		return nil, err
	}
	if len(old) == 0 {
		return appendReplace(nil, to), nil
	}
	from, err := compactText(old)
	if err != nil {
		return nil, err
	}
	return appendDiff(nil, from, to, 0), nil
}

// maxDiffDepth is how deep Diff looks; what differs below is replaced.
const maxDiffDepth = 100

func appendReplace(dst []byte, to string) []byte {
	dst = append(dst, '[', deltaReplace, ',')
	dst = append(dst, to...)
	return append(dst, ']')
}

// appendDiff appends the delta from one compact text to another to dst: nothing when they are equal.
func appendDiff(dst []byte, from, to string, depth int) []byte {
	if from == to {
		return dst
	}
	start := len(dst)
	switch {
	case from[0] != to[0] || depth > maxDiffDepth:
		return appendReplace(dst, to)
	case to[0] == '{':
		dst = diffObjects(dst, from, to, depth)
	case to[0] == '[':
		dst = diffLists(dst, from, to, depth)
	case to[0] == '"':
		dst = diffStrings(dst, from, to)
	default:
		return appendReplace(dst, to)
	}
	if replace := len("[0,]") + len(to); len(dst)-start > replace {
		return appendReplace(dst[:start], to)
	}
	return dst
}

func diffObjects(dst []byte, from, to string, depth int) []byte {
	old, now := splitObject(from), splitObject(to)
	start, changed := len(dst), false
	dst = append(dst, '[', deltaObject, ',', '{')
	both := 0
	for i, name := range now.names {
		before := len(dst)
		if changed {
			dst = append(dst, ',')
		}
		dst = append(jsontext.Append(dst, name), ':')
		head := len(dst)
		if was, ok := old.get(name, i); ok {
			both++
			dst = appendDiff(dst, was, now.values[i], depth+1)
		} else {
			dst = appendReplace(dst, now.values[i])
		}
		if len(dst) == head {
			dst = dst[:before]
			continue
		}
		changed = true
	}
	dst = append(dst, '}')
	if both == len(old.names) {
		if !changed {
			return dst[:start]
		}
		return append(dst, ']')
	}
	dst = append(dst, ',', '[')
	for i, name := range old.names {
		if _, ok := now.get(name, i); !ok {
			dst = append(jsontext.Append(dst, name), ',')
		}
	}
	dst[len(dst)-1] = ']'
	return append(dst, ']')
}

// object is an object's members, each name once.
type object struct {
	names  []string
	values []string
	index  map[string]int // of a large one
}

// small is how many members are searched faster one by one.
const small = 12

func splitObject(text string) (o object) {
	for name, value := range members(text) {
		if at := o.find(name); at >= 0 { // the last of equal names counts, as in encoding/json
			o.values[at] = value
			continue
		}
		o.names, o.values = append(o.names, name), append(o.values, value)
		switch n := len(o.names); {
		case n == small:
			o.index = make(map[string]int, 2*small)
			for i, k := range o.names {
				o.index[k] = i
			}
		case n > small:
			o.index[name] = n - 1
		}
	}
	return o
}

func (o *object) find(name string) int {
	if o.index != nil {
		if at, ok := o.index[name]; ok {
			return at
		}
		return -1
	}
	for i, k := range o.names {
		if k == name {
			return i
		}
	}
	return -1
}

// get is the member of that name, which is likely at the place.
func (o *object) get(name string, likely int) (string, bool) {
	if likely < len(o.names) && o.names[likely] == name {
		return o.values[likely], true
	}
	if at := o.find(name); at >= 0 {
		return o.values[at], true
	}
	return "", false
}

// diffLists keeps as many elements as make the delta shortest: those before keep are edited, the others sent.
func diffLists(dst []byte, from, to string, depth int) []byte {
	var old, now []string
	for v := range elements(from) {
		old = append(old, v)
	}
	for v := range elements(to) {
		now = append(now, v)
	}
	type edit struct{ at, end int } // of an element; where its delta ends in edits
	var (
		edits        []byte
		changed      []edit
		keep         int
		saved, worth int // bytes saved by keeping up to here, and up to keep
		equal        = true
	)
	for i := range min(len(old), len(now)) {
		before := len(edits)
		edits = appendDiff(edits, old[i], now[i], depth+1)
		if size := len(edits) - before; size > 0 {
			saved -= size + len(`"":,`) + decimals(i)
			changed = append(changed, edit{i, len(edits)})
			equal = false
		}
		if saved += len(now[i]) + 1; saved > worth {
			keep, worth = i+1, saved
		}
	}
	if equal && len(old) == len(now) {
		return dst
	}
	dst = append(dst, '[')
	if len(changed) > 0 && changed[0].at < keep {
		dst = append(dst, deltaList, ',', '{')
		begin := 0
		for _, e := range changed {
			if e.at >= keep {
				break
			}
			dst = append(strconv.AppendInt(append(dst, '"'), int64(e.at), 10), '"', ':')
			dst = append(append(dst, edits[begin:e.end]...), ',')
			begin = e.end
		}
		dst[len(dst)-1] = '}'
	} else {
		dst = append(dst, deltaAppend)
	}
	dst = append(strconv.AppendInt(append(dst, ','), int64(keep), 10), ',', '[')
	for _, v := range now[keep:] {
		dst = append(append(dst, v...), ',')
	}
	if dst[len(dst)-1] == ',' {
		dst = dst[:len(dst)-1]
	}
	return append(dst, ']', ']')
}

// decimals is how many digits i has.
func decimals(i int) int {
	n := 1
	for ; i >= 10; i /= 10 {
		n++
	}
	return n
}

func diffStrings(dst []byte, from, to string) []byte {
	old, now := unquote(from), unquote(to)
	if old == now {
		return dst
	}
	keep := 0
	for keep < len(old) && keep < len(now) && old[keep] == now[keep] {
		keep++
	}
	for keep > 0 && !(runeEnd(old, keep) && runeEnd(now, keep)) {
		keep--
	}
	if keep == 0 {
		return appendReplace(dst, to)
	}
	dst = append(dst, '[', deltaString, ',')
	dst = append(strconv.AppendInt(dst, int64(keep), 10), ',')
	return append(jsontext.Append(dst, now[keep:]), ']')
}

// runeEnd reports whether the first n bytes of s are whole runes.
func runeEnd[T string | []byte](s T, n int) bool { return n == len(s) || utf8.RuneStart(s[n]) }

// DeltaError says that a delta does not fit the value it is applied to, or is no delta. It is an ErrCorrupt: deltas
// are stored together with what they fit.
type DeltaError struct {
	Path   string // where, as a JSON pointer; "" is the whole value
	Reason string
}

func (e *DeltaError) Error() string {
	if e.Path == "" {
		return "delta: " + e.Reason
	}
	return "delta at " + e.Path + ": " + e.Reason
}

// Unwrap is ErrCorrupt.
func (e *DeltaError) Unwrap() error { return ErrCorrupt }

// pointer is a path from the root to a value, built where an error needs it.
type pointer struct {
	up   *pointer
	name string
}

func (p *pointer) String() string {
	if p == nil {
		return ""
	}
	return p.up.String() + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(p.name)
}
