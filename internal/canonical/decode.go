package canonical

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"sync"
	"time"
)

// Decode is json.Unmarshal with json.Number in interfaces and times that no local zone affects.
func Decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if len(bytes.TrimLeft(data[d.InputOffset():], " \t\r\n")) > 0 {
		return errors.New("expected one JSON value, found more behind it")
	}
	Read(into)
	return nil
}

// Read removes the local zone from times that encoding/json has just read behind a pointer. A time whose offset happens
// to be the local one gets the local zone from encoding/json, with its daylight saving.
func Read(into any) {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return
	}
	if fix := fixerOf(v.Type().Elem()); fix != nil {
		fix(v.Elem())
	}
}

// Time is a time as JSON returns it: without a monotonic clock, in UTC or with a fixed offset.
func Time(t time.Time) time.Time {
	t = t.Round(0)
	if _, offset := t.Zone(); offset != 0 {
		return t.In(zone(offset))
	}
	return t.UTC()
}

// IsTime reports whether a time is as it is read back from JSON. Such times are equal to == when they are the same
// instant with the same offset.
func IsTime(t time.Time) bool {
	if t != t.Round(0) { //nolint:revive // the monotonic clock counts
		return false
	}
	loc := t.Location()
	if loc == time.UTC {
		return true
	}
	_, offset := t.Zone()
	return offset != 0 && offset%60 == 0 && loc == zone(offset)
}

// zones are the fixed zones that were needed so far, by their offset in seconds.
var zones sync.Map

func zone(offset int) *time.Location {
	if z, ok := zones.Load(offset); ok {
		return z.(*time.Location) //nolint:forcetypeassert // nothing else is put in
	}
	z, _ := zones.LoadOrStore(offset, time.FixedZone("", offset))
	return z.(*time.Location) //nolint:forcetypeassert // as above
}

// fixer gives the times in a value that can be set fixed offsets.
type fixer func(v reflect.Value)

var fixers sync.Map // by type; nil for types without times

func fixerOf(t reflect.Type) fixer {
	if f, ok := fixers.Load(t); ok {
		return f.(fixer) //nolint:forcetypeassert // nothing else is put in
	}
	c := &compiler{made: make(map[reflect.Type]*fixer)}
	var f fixer
	if c.holds(t, make(map[reflect.Type]bool)) {
		f = c.compile(t)
	}
	fixers.Store(t, f)
	return f
}

type compiler struct {
	made map[reflect.Type]*fixer
}

var (
	timeType        = reflect.TypeFor[time.Time]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
)

// holds reports whether a time is somewhere in values of a type.
func (c *compiler) holds(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == timeType {
		return true
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return c.holds(t.Elem(), seen)
	case reflect.Map:
		return t.Key() == timeType || c.holds(t.Elem(), seen)
	case reflect.Struct:
		for _, i := range looked(t) {
			if c.holds(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

// looked are the fields of a struct in which times are looked for: those that encoding/json sets. Of a type that reads
// its JSON itself, these are the times that it embeds, by which it may do so.
func looked(t reflect.Type) []int {
	own := reflect.PointerTo(t).Implements(jsonUnmarshaler)
	var fields []int
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case !f.IsExported() && !(f.Anonymous && f.Type.Kind() == reflect.Struct):
		case own && !(f.Anonymous && (f.Type == timeType || f.Type == reflect.PointerTo(timeType))):
		default:
			fields = append(fields, i)
		}
	}
	return fields
}

// compile is the fixer of a type, for a type that contains itself one that is filled in later.
func (c *compiler) compile(t reflect.Type) fixer {
	if f, ok := c.made[t]; ok {
		return func(v reflect.Value) {
			if *f != nil {
				(*f)(v)
			}
		}
	}
	made := new(fixer)
	c.made[t] = made
	*made = c.fixer(t)
	return *made
}

func (c *compiler) fixer(t reflect.Type) fixer {
	if t == timeType {
		return fixTime
	}
	if !c.holds(t, make(map[reflect.Type]bool)) {
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		elem := c.compile(t.Elem())
		return func(v reflect.Value) {
			if !v.IsNil() {
				elem(v.Elem())
			}
		}
	case reflect.Slice, reflect.Array:
		elem := c.compile(t.Elem())
		return func(v reflect.Value) {
			for i := range v.Len() {
				elem(v.Index(i))
			}
		}
	case reflect.Map:
		return c.mapping(t)
	case reflect.Struct:
		type part struct {
			at  int
			fix fixer
		}
		var parts []part
		for _, i := range looked(t) {
			if fix := c.compile(t.Field(i).Type); fix != nil {
				parts = append(parts, part{i, fix})
			}
		}
		return func(v reflect.Value) {
			for _, p := range parts {
				p.fix(v.Field(p.at))
			}
		}
	}
	return nil
}

// mapping fixes the keys and values of a map, which cannot be changed in place.
func (c *compiler) mapping(t reflect.Type) fixer {
	var elem fixer
	if c.holds(t.Elem(), make(map[reflect.Type]bool)) {
		elem = c.compile(t.Elem())
	}
	return func(v reflect.Value) {
		for it := v.MapRange(); it.Next(); {
			key, value := it.Key(), reflect.New(t.Elem()).Elem()
			if value.Set(it.Value()); elem != nil {
				elem(value)
			}
			if t.Key() == timeType {
				at := key.Interface().(time.Time) //nolint:forcetypeassert // it is one
				if fixed := reflect.ValueOf(Time(at)); !IsTime(at) {
					v.SetMapIndex(key, reflect.Value{})
					key = fixed
				}
			}
			v.SetMapIndex(key, value)
		}
	}
}

func fixTime(v reflect.Value) {
	if !v.CanSet() {
		return
	}
	t := v.Addr().Interface().(*time.Time) //nolint:forcetypeassert // it is one
	if !IsTime(*t) {
		*t = Time(*t)
	}
}
