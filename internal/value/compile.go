package value

import (
	"encoding"
	"encoding/json"
	"net/netip"
	"reflect"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/jsonfield"
	"github.com/fermata-go/fermata/internal/persistent"
)

// compiler makes one codec for each type and each way in which encoding/json treats it.
type compiler struct {
	made map[variant]*link // codecs by type and treatment
	code bool              // there are types with methods that may do anything

	top     bool      // so are those of the struct itself that is compiled, and not those of its fields
	lossy   bool      // fields that encoding/json drops are transient
	records []*record // all struct types found
}

// variant is a type, and whether encoding/json can take the address of its values: in a map it cannot, and does not
// call methods that need it.
type variant struct {
	typ         reflect.Type // the type
	addressable bool         // encoding/json can take its address
	lossy       bool
}

// compile returns the codec of a type, or an *Error with the Go path of what cannot be kept.
func (c *compiler) compile(t reflect.Type, addressable bool, path string) (codec, error) {
	v := variant{t, addressable, c.lossy}
	if l, ok := c.made[v]; ok {
		if l.codec != nil {
			return l.codec, nil
		}
		return l, nil // it contains itself
	}
	l := &link{}
	c.made[v] = l
	made, err := c.codec(t, addressable, path)
	if err != nil {
		return nil, err
	}
	l.codec = made
	return made, nil
}

func (c *compiler) codec(t reflect.Type, addressable bool, path string) (codec, error) {
	switch t {
	case reflect.TypeFor[json.Number]():
		return numeral{}, nil
	case reflect.TypeFor[json.RawMessage]():
		return raw{}, nil
	case reflect.TypeFor[any]():
		return slot{}, nil
	}
	if plain, ok := persistent.Plain(t); ok {
		return c.persistent(t, plain, path)
	}
	if t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface {
		if own, err := c.methods(t, addressable, path); own != nil || err != nil {
			return own, err
		}
	}
	switch t.Kind() {
	case reflect.Bool:
		return boolean{}, nil
	case reflect.String:
		return str{}, nil
	case reflect.Struct:
		return c.record(t, addressable, path)
	case reflect.Slice:
		return c.list(t, path)
	case reflect.Array:
		elem, err := c.compile(t.Elem(), addressable, path+"[]")
		return &array{elem, t.Elem().Size(), t.Len()}, err
	case reflect.Map:
		return c.mapping(t, path)
	case reflect.Pointer:
		elem, err := c.compile(t.Elem(), true, path)
		return &pointer{typ: t.Elem(), elem: elem}, err
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return sealed{t}, nil
		}
		return slot{}, nil
	case reflect.Chan:
		return nil, &Error{path, "a channel has no JSON form"}
	case reflect.Func:
		return nil, &Error{path, "a function has no JSON form"}
	case reflect.Complex64, reflect.Complex128:
		return nil, &Error{path, "a complex number has no JSON form"}
	case reflect.UnsafePointer:
		return nil, &Error{path, "an unsafe pointer has no JSON form"}
	}
	return numbers(t.Kind(), t.Size()), nil
}

// numbers is the codec of an integer or a float.
func numbers(k reflect.Kind, size uintptr) codec {
	unsigned := k >= reflect.Uint && k <= reflect.Uintptr
	switch {
	case k == reflect.Float32:
		return number[float32]{}
	case k == reflect.Float64:
		return number[float64]{}
	case unsigned && size == 1:
		return number[uint8]{}
	case unsigned && size == 2:
		return number[uint16]{}
	case unsigned && size == 4:
		return number[uint32]{}
	case unsigned:
		return number[uint64]{}
	case size == 1:
		return number[int8]{}
	case size == 2:
		return number[int16]{}
	case size == 4:
		return number[int32]{}
	}
	return number[int64]{}
}

var (
	jsonMarshaler   = reflect.TypeFor[json.Marshaler]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// methods is the codec of a type that writes its JSON by methods of its own, nil for others. Such a type must also read
// it, and must do both wherever it is.
func (c *compiler) methods(t reflect.Type, addressable bool, path string) (codec, error) {
	p := reflect.PointerTo(t)
	if !p.Implements(jsonMarshaler) && !p.Implements(textMarshaler) {
		if !p.Implements(jsonUnmarshaler) && !p.Implements(textUnmarshaler) {
			return nil, nil
		}
		c.code = true // what encoding/json writes of it need not be what its method reads
		return &coded{typ: t, frozen: frozen(t)}, nil
	}
	c.code = true
	byJSON := p.Implements(jsonMarshaler)
	method := "MarshalText"
	if byJSON {
		method = "MarshalJSON"
	}
	if !p.Implements(jsonUnmarshaler) && !p.Implements(textUnmarshaler) {
		return nil, &Error{path, t.String() + " has " + method + ", but no method to read back what it writes: add Unm" +
			method[1:]}
	}
	needsPointer := byJSON && !t.Implements(jsonMarshaler) || !byJSON && !t.Implements(textMarshaler)
	if needsPointer && !addressable {
		return nil, &Error{path, "encoding/json does not call " + method + " of a " + t.String() +
			" that is in a map: use *" + t.String()}
	}
	return &coded{typ: t, frozen: frozen(t)}, nil
}

// immutable are types of the standard library with pointers to what never changes.
var immutable = map[reflect.Type]bool{
	reflect.TypeFor[time.Time]():      true,
	reflect.TypeFor[netip.Addr]():     true,
	reflect.TypeFor[netip.AddrPort](): true,
	reflect.TypeFor[netip.Prefix]():   true,
}

// frozen reports whether assigning a value isolates it: nothing that can be changed is reached from two copies.
func frozen(t reflect.Type) bool {
	if immutable[t] {
		return true
	}
	if _, ok := persistent.Plain(t); ok {
		return true
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if !frozen(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Array:
		return t.Len() == 0 || frozen(t.Elem())
	case reflect.Map, reflect.Slice, reflect.Pointer, reflect.Interface, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return false
	}
	return true
}

// whole reports whether everything in a value is kept: it has no fields that encoding/json ignores.
func whole(t reflect.Type) bool {
	switch p := reflect.PointerTo(t); {
	case p.Implements(jsonMarshaler) || p.Implements(textMarshaler):
		return true
	case t.Kind() == reflect.Array:
		return whole(t.Elem())
	case t.Kind() != reflect.Struct:
		return true
	}
	fields := jsonfield.Of(t)
	if len(fields) != t.NumField() {
		return false
	}
	return !slices.ContainsFunc(fields, func(f jsonfield.Field) bool { return len(f.Index) > 1 || !whole(f.Go.Type) })
}

func (c *compiler) list(t reflect.Type, path string) (codec, error) {
	e := t.Elem()
	if isOctets(t) {
		return octets{}, nil
	}
	elem, err := c.compile(e, true, path+"[]")
	return &list{typ: t, elem: elem, size: e.Size(), plain: frozen(e) && whole(e)}, err
}

// isOctets reports whether encoding/json writes a slice as one string, in base64.
func isOctets(t reflect.Type) bool {
	p := reflect.PointerTo(t.Elem())
	return t.Elem().Kind() == reflect.Uint8 && !p.Implements(jsonMarshaler) && !p.Implements(textMarshaler)
}

func (c *compiler) mapping(t reflect.Type, path string) (codec, error) {
	key := t.Key()
	switch k := key.Kind(); {
	case k == reflect.String || k >= reflect.Int && k <= reflect.Uintptr:
		if reflect.PointerTo(key).Implements(textUnmarshaler) != key.Implements(textMarshaler) {
			return nil, &Error{path, "keys of type " + key.String() + " are not read as they are written: " +
				"give it both MarshalText, not through a pointer, and UnmarshalText, or neither"}
		}
	case !key.Implements(textMarshaler) || !reflect.PointerTo(key).Implements(textUnmarshaler):
		return nil, &Error{path, "a map with keys of type " + key.String() +
			" has no JSON form: keys are strings, integers, or types with MarshalText and UnmarshalText"}
	}
	c.code = c.code || key.Implements(textMarshaler)
	elem, err := c.compile(t.Elem(), false, path+"[]")
	if err != nil {
		return nil, err
	}
	if key == reflect.TypeFor[string]() {
		switch t.Elem() {
		case reflect.TypeFor[any]():
			return object{}, nil
		case reflect.TypeFor[string]():
			return table[string]{elem}, nil
		case reflect.TypeFor[bool]():
			return table[bool]{elem}, nil
		case reflect.TypeFor[int]():
			return table[int]{elem}, nil
		case reflect.TypeFor[int64]():
			return table[int64]{elem}, nil
		}
	}
	return newMapping(t, elem), nil
}

func (c *compiler) record(t reflect.Type, addressable bool, path string) (codec, error) {
	if err := misplacedRule(t, path); err != nil {
		return nil, err
	}
	r := &record{}
	c.records = append(c.records, r)
	var err error
	if r.transients, err = c.transients(t, path); err != nil {
		return nil, err
	}
	ways := make(map[string]bool)
	for _, jf := range jsonfield.Of(t) {
		inner := path + jf.GoPath()
		f := field{key: string(appendString(nil, jf.Name)) + ":"}
		reachable := addressable
		for i, step := range jf.Path {
			f.at += step.Offset
			if i == len(jf.Path)-1 || step.Type.Kind() != reflect.Pointer {
				continue
			}
			if !step.IsExported() {
				return nil, &Error{path + way(jf, i), "encoding/json cannot set an embedded pointer to an unexported struct: embed the struct itself"}
			}
			f.hops = append(slices.Clip(f.hops), hop{f.at, step.Type.Elem()})
			f.at, reachable = 0, true
			if to := way(jf, i); !ways[to] {
				ways[to] = true
				r.hops = append(r.hops, f.hops)
			}
		}
		made, err := c.member(jf, reachable, inner)
		if err != nil {
			return nil, err
		}
		if jf.Quoted {
			made = quote(made)
		}
		f.codec, f.absent, f.zero = made, absent(jf), isExactlyZero(jf.Go.Type)
		if f.merge, err = c.merging(jf, inner); err != nil {
			return nil, err
		}
		r.add(f)
	}
	return r, nil
}

// member is the codec of a field. Where the field, or a struct that leads to it, is declared transient, so is all that
// encoding/json drops inside of it.
func (c *compiler) member(jf jsonfield.Field, addressable bool, path string) (codec, error) {
	outer := c.lossy
	for _, step := range jf.Path {
		c.lossy = c.lossy || isTransient(step)
	}
	made, err := c.compile(jf.Go.Type, addressable, path)
	c.lossy = outer
	return made, err
}

// levels computes for all types how deep a look has to go, and whether they may share memory. Types may contain
// themselves, so one result may change others.
func (c *compiler) levels() {
	for changed := true; changed; {
		changed = false
		for _, r := range c.records {
			reach, leading := exact, len(r.hops) > 0
			if len(r.transients) > 0 || len(r.hops) > 0 {
				reach = loose
			}
			for i := range r.fields {
				f := &r.fields[i]
				if f.leaves = f.codec.level(); f.mayHide() {
					f.leaves = loose
				}
				reach = max(reach, f.leaves)
				f.leads = leads(f.codec)
				leading = leading || f.leads
			}
			changed = changed || r.reach != reach || r.leads != leading
			r.reach, r.leads = reach, leading
		}
		for _, l := range c.made {
			reach := max(texts, l.codec.level())
			changed = changed || l.reach != reach
			l.reach = reach
		}
	}
}

// mayHide reports whether a field may be left out although it holds something: an empty list, -0, or what its IsZero
// method takes for nothing.
func (f *field) mayHide() bool {
	if f.absent == nil {
		return false
	}
	t := f.merge.typ
	switch k := t.Kind(); {
	case isPersistent(f.codec):
		return false // nothing is in an empty one
	case t.Implements(zeroerType) || reflect.PointerTo(t).Implements(zeroerType):
		return true
	case k == reflect.String, k == reflect.Bool, k == reflect.Pointer, k == reflect.Interface, k >= reflect.Int && k <= reflect.Uintptr:
		return false
	}
	return true
}

// way is the Go path of the i-th of the structs that lead to a field.
func way(f jsonfield.Field, i int) string {
	f.Path = f.Path[:i+1]
	return f.GoPath()
}

func (r *record) add(f field) {
	r.fields = append(r.fields, f)
	if len(f.hops) == 0 && len(r.simple) < mostCells {
		if cells, all := f.codec.cells(f.at, r.simple); all {
			f.merge.simple, f.merge.cells = true, slices.Clone(cells[len(r.simple):])
			r.simple = cells
			return
		}
	}
	r.others = append(r.others, f)
}

// quote makes a scalar be written inside a string, also behind a pointer.
func quote(c codec) codec {
	switch c := c.(type) {
	case *pointer:
		return &pointer{typ: c.typ, elem: quote(c.elem)}
	case *coded:
		return c // encoding/json leaves the option aside
	}
	return quoted{c}
}
