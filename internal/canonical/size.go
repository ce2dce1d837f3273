package canonical

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/fermata-go/fermata/internal/jsontext"
	"github.com/fermata-go/fermata/internal/persistent"
)

// Measure returns an Excess if the JSON of a value takes more than limit bytes, and nil otherwise. It builds no JSON,
// and stops at the limit. Values that write their JSON themselves, by methods, are not counted, nor is what
// encoding/json refuses.
func Measure(v reflect.Value, limit int) *Excess {
	if !v.IsValid() {
		return nil
	}
	return formOf(v.Type()).measure(v, limit)
}

func (f *form) measure(v reflect.Value, limit int) *Excess {
	if f.most >= 0 && f.most <= limit || f.is == formText && 6*v.Len()+2 <= limit {
		return nil
	}
	m := &meter{limit: limit}
	if m.value(f, v); m.n <= limit {
		return nil // what it may take at most is less
	}
	m = &meter{limit: limit, exact: true, starts: []int{0}}
	m.value(f, v)
	return m.over
}

// meter counts the bytes of JSON: at first as many as there can be, without a look at texts; exactly, and with the place,
// where those are too many. Once it is beyond the limit it stops.
type meter struct {
	limit int
	exact bool
	n     int
	depth int
	seen  map[visit]bool // what the walk is inside of, where that is deep
	over  *Excess
	ended bool // a cycle, which encoding/json refuses

	way    []Step
	starts []int // n where the whole began, and where each part on the way did
	heavy  *Excess
}

type visit struct {
	at  uintptr
	len int
	typ reflect.Type
}

// deep is from where on a walk looks for cycles, as that of encoding/json does.
const deep = 1000

// add counts, and reports whether the walk goes on.
func (m *meter) add(n int) bool {
	if m.n += n; m.n <= m.limit || m.over != nil {
		return m.goesOn()
	}
	m.over = &Excess{Limit: m.limit, Found: m.n}
	if m.exact {
		m.blame()
	}
	return false
}

func (m *meter) goesOn() bool { return m.over == nil && !m.ended }

// blame finds the smallest part that takes more than half of what was counted.
func (m *meter) blame() {
	if m.heavy != nil && m.heavy.Part > m.n/2 {
		m.over.Way, m.over.Part = m.heavy.Way, m.heavy.Part
		return
	}
	for i, start := range slices.Backward(m.starts) {
		if part := m.n - start; part > m.n/2 {
			m.over.Way, m.over.Part = slices.Clone(m.way[:i]), part
			return
		}
	}
}

// part counts a part of a value.
func (m *meter) part(s Step, f *form, v reflect.Value) {
	m.into(s)
	m.value(f, v)
	m.out()
}

// into goes to a part, and out goes back and notes the first that is large.
func (m *meter) into(s Step) {
	if m.exact {
		m.way, m.starts = append(m.way, s), append(m.starts, m.n)
	}
}

func (m *meter) out() {
	if !m.exact || m.over != nil {
		return
	}
	last := len(m.way) - 1
	if size := m.n - m.starts[last+1]; m.heavy == nil && size > m.limit/2 {
		m.heavy = &Excess{Way: slices.Clone(m.way), Part: size}
	}
	m.way, m.starts = m.way[:last], m.starts[:last+1]
}

// enter goes one level down; the caller leaves by lowering the depth.
func (m *meter) enter(v reflect.Value) bool {
	if m.depth++; m.depth <= deep {
		return m.goesOn()
	}
	this := visit{typ: v.Type()}
	switch v.Kind() {
	case reflect.Slice:
		this.len = v.Len()
		fallthrough
	case reflect.Map, reflect.Pointer:
		this.at = v.Pointer()
	default:
		return m.goesOn()
	}
	if m.seen == nil {
		m.seen = make(map[visit]bool)
	}
	if m.ended = m.ended || m.seen[this] || m.depth > 10*deep; m.ended {
		return false
	}
	m.seen[this] = true
	return m.goesOn()
}

func (m *meter) leave(v reflect.Value) {
	if m.depth--; m.depth >= deep && m.seen != nil {
		switch v.Kind() {
		case reflect.Slice:
			delete(m.seen, visit{v.Pointer(), v.Len(), v.Type()})
		case reflect.Map, reflect.Pointer:
			delete(m.seen, visit{v.Pointer(), 0, v.Type()})
		}
	}
}

// value counts a value of a form.
func (m *meter) value(f *form, v reflect.Value) {
	if !m.exact && f.most >= 0 {
		m.add(f.most)
		return
	}
	switch f.is {
	case formOwn, formNone:
	case formFixed:
		m.add(exactSize(v))
	case formText:
		m.text(v.String())
	case formQuoted:
		m.quoted(f, v)
	case formNumber:
		m.add(max(1, v.Len()))
	case formRaw:
		m.raw(v.Bytes())
	case formBytes:
		if v.IsNil() {
			m.add(4)
		} else {
			m.add(base64.StdEncoding.EncodedLen(v.Len()) + 2)
		}
	case formAny:
		m.any(v)
	default:
		if m.enter(v) {
			m.parts(f, v)
		}
		m.leave(v)
	}
}

func (m *meter) parts(f *form, v reflect.Value) {
	switch f.is {
	case formPointer:
		if v.IsNil() {
			m.add(4)
		} else {
			m.value(f.elem, v.Elem())
		}
	case formList:
		m.list(f, v)
	case formMap:
		m.mapping(f, v)
	case formStruct:
		m.record(f, v)
	case formHeld:
		m.held(f, v)
	}
}

func (m *meter) text(s string) {
	n := len(s) + 2
	switch {
	case !m.exact:
		n = 6*len(s) + 2
	case n+m.n <= m.limit:
		n = jsontext.GoLength(s, m.limit-m.n) + 2
	}
	m.add(n)
}

// quoted counts what is written inside a string; of texts, it does not count what is escaped twice.
func (m *meter) quoted(f *form, v reflect.Value) {
	if f.elem.is != formText {
		m.value(f.elem, v)
		m.add(2)
		return
	}
	if m.text(v.String()); m.exact {
		m.add(4)
	} else {
		m.add(6*v.Len() + 4)
	}
}

// raw counts JSON that is there already, which encoding/json writes without white space.
func (m *meter) raw(text []byte) {
	if !m.exact {
		m.add(max(4, 6*len(text)))
		return
	}
	m.add(max(Compact(text), 1))
}

// Compact is how long a JSON text is without white space, at least.
func Compact(text []byte) (n int) {
	for _, b := range text {
		if b > ' ' {
			n++
		}
	}
	return n
}

func (m *meter) any(v reflect.Value) {
	if v.IsNil() {
		m.add(4)
		return
	}
	if v.CanInterface() {
		m.dynamic(v.Interface())
		return
	}
	inner := v.Elem()
	m.value(formOf(inner.Type()), inner)
}

// dynamic counts a value in an interface; what JSON gives without reflection.
func (m *meter) dynamic(x any) {
	switch v := x.(type) {
	case nil:
		m.add(4)
	case bool:
		m.add(len("false"))
		if m.exact && v {
			m.n--
		}
	case string:
		m.text(v)
	case json.Number:
		m.add(max(1, len(v)))
	case map[string]any:
		at := reflect.ValueOf(x)
		if m.enter(at) {
			m.object(v)
		}
		m.leave(at)
	case []any:
		at := reflect.ValueOf(x)
		if m.enter(at) {
			m.items(v)
		}
		m.leave(at)
	default:
		inner := reflect.ValueOf(x)
		m.value(formOf(inner.Type()), inner)
	}
}

func (m *meter) object(o map[string]any) {
	if o == nil {
		m.add(len("null"))
		return
	}
	m.add(2 + max(0, len(o)-1))
	for name, x := range o {
		m.into(Step{Name: name, Index: -1})
		m.dynamic(x) // before its name: the part that is too much is the value
		m.out()
		m.text(name)
		if !m.add(1) {
			return
		}
	}
}

func (m *meter) items(list []any) {
	if list == nil {
		m.add(len("null"))
		return
	}
	m.add(2 + max(0, len(list)-1))
	for i, x := range list {
		m.into(Step{Index: i})
		m.dynamic(x)
		if m.out(); !m.goesOn() {
			return
		}
	}
}

func (m *meter) list(f *form, v reflect.Value) {
	if v.Kind() == reflect.Slice && v.IsNil() {
		m.add(4)
		return
	}
	n := v.Len()
	if !m.exact && f.elem.most >= 0 {
		m.add(2 + n*(f.elem.most+1))
		return
	}
	m.add(2 + max(0, n-1))
	if !m.exact && f.elem.is == formText {
		for i := range n {
			m.add(6*v.Index(i).Len() + 2)
		}
		return
	}
	for i := 0; i < n && m.goesOn(); i++ {
		m.part(Step{Index: i}, f.elem, v.Index(i))
	}
}

// held counts a list or map of package state.
func (m *meter) held(f *form, v reflect.Value) {
	m.add(2)
	comma := 0
	for x := range persistent.Parts(v, f.plain) {
		m.part(Step{Name: x.Key, Index: x.Index}, f.elem, x.Value)
		if x.Index < 0 {
			m.text(x.Key)
			m.add(1)
		}
		if !m.add(comma) {
			return
		}
		comma = 1
	}
}

func (m *meter) mapping(f *form, v reflect.Value) {
	if v.IsNil() {
		m.add(4)
		return
	}
	m.add(2 + max(0, v.Len()-1))
	key, value := reflect.New(f.typ.Key()).Elem(), reflect.New(f.typ.Elem()).Elem()
	for it := v.MapRange(); m.goesOn() && it.Next(); {
		key.SetIterKey(it)
		value.SetIterValue(it)
		step := Step{Index: -1}
		if key.Kind() == reflect.String {
			step.Name = key.String()
		} else if m.exact {
			step.Name = fmt.Sprint(key)
		}
		m.part(step, f.elem, value) // before its name, as above
		switch {
		case f.key == nil: // by its own method
			m.add(3)
		case f.key.is == formText:
			m.text(key.String())
			m.add(1)
		default:
			m.value(f.key, key)
			m.add(3)
		}
	}
}

func (m *meter) record(f *form, v reflect.Value) {
	if !m.exact {
		m.add(f.least)
		for i := range f.varying {
			x := &f.varying[i]
			if len(x.index) == 1 {
				m.value(x.form, v.Field(x.index[0]))
			} else if at, err := v.FieldByIndexErr(x.index); err == nil {
				m.value(x.form, at)
			}
		}
		return
	}
	m.add(2)
	comma := 0
	for i := range f.members {
		x := &f.members[i]
		at, err := v.FieldByIndexErr(x.index)
		if err != nil || x.absent(at) {
			continue
		}
		if m.part(x.step, x.form, at); !m.goesOn() {
			return
		}
		m.add(comma + x.name)
		comma = 1
	}
}

// exactSize is how long a boolean, a number or a time is; a time at least.
func exactSize(v reflect.Value) int {
	var small [32]byte
	switch k := v.Kind(); {
	case k == reflect.Bool && v.Bool():
		return len("true")
	case k == reflect.Bool:
		return len("false")
	case k <= reflect.Int64:
		return len(strconv.AppendInt(small[:0], v.Int(), 10))
	case k <= reflect.Uintptr:
		return len(strconv.AppendUint(small[:0], v.Uint(), 10))
	case k == reflect.Float32:
		return len(AppendFloat(small[:0], v.Float(), 32))
	case k == reflect.Float64:
		return len(AppendFloat(small[:0], v.Float(), 64))
	}
	return len(`"2006-01-02T15:04:05Z"`)
}

// AppendFloat appends f in the shortest form that encoding/json writes. It has an exponent only if f is very small or
// large. f is finite.
func AppendFloat(dst []byte, f float64, size int) []byte {
	form := byte('f')
	if abs := math.Abs(f); abs != 0 {
		tiny, vast := abs < 1e-6, abs >= 1e21
		if size == 32 {
			tiny, vast = float32(abs) < 1e-6, float32(abs) >= 1e21
		}
		if tiny || vast {
			form = 'e'
		}
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, form, -1, size)
	if n := len(dst); form == 'e' && n-start >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 is written e-9
		dst = dst[:n-1]
	}
	return dst
}
