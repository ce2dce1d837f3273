package canonical

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"sync"
	"time"
)

// Decode is json.Unmarshal with json.Number in interfaces and times that no local zone affects.
func Decode(data []byte, into any) error {
	switch into := into.(type) {
	case *bool:
		if text := string(data); text == "true" || text == "false" {
			*into = text == "true"
			return nil
		}
	case *string, *int, *int64, *float64: // without a time or an interface; where that fails, the way below says why
		if json.Unmarshal(data, into) == nil {
			return nil
		}
	}
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
	fix(v.Elem())
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

var (
	timeType        = reflect.TypeFor[time.Time]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
)

// timed is whether values of a type hold times that are looked for, and in which fields of a struct.
type timed struct {
	holds  bool
	fields []int
}

var timedTypes sync.Map // by type

func timedOf(t reflect.Type) timed {
	if known, ok := timedTypes.Load(t); ok {
		return known.(timed) //nolint:forcetypeassert // nothing else is put in
	}
	found := timed{holds: holdsTime(t, make(map[reflect.Type]bool))}
	if t.Kind() == reflect.Struct && t != timeType {
		for _, i := range looked(t) {
			if holdsTime(t.Field(i).Type, make(map[reflect.Type]bool)) {
				found.fields = append(found.fields, i)
			}
		}
	}
	timedTypes.Store(t, found)
	return found
}

// holdsTime reports whether a time is somewhere in values of a type.
func holdsTime(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == timeType {
		return true
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return holdsTime(t.Elem(), seen)
	case reflect.Map:
		return t.Key() == timeType || holdsTime(t.Elem(), seen)
	case reflect.Struct:
		return slices.ContainsFunc(looked(t), func(i int) bool { return holdsTime(t.Field(i).Type, seen) })
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

// fix gives the times in a value that can be set fixed offsets.
func fix(v reflect.Value) {
	times := timedOf(v.Type())
	switch {
	case !times.holds:
	case v.Type() == timeType:
		if !v.CanSet() {
			return
		}
		if t := v.Addr().Interface().(*time.Time); !IsTime(*t) { //nolint:forcetypeassert // it is one
			*t = Time(*t)
		}
	case v.Kind() == reflect.Pointer:
		if !v.IsNil() {
			fix(v.Elem())
		}
	case v.Kind() == reflect.Map:
		fixMap(v)
	case v.Kind() == reflect.Struct:
		for _, i := range times.fields {
			fix(v.Field(i))
		}
	default:
		for i := range v.Len() {
			fix(v.Index(i))
		}
	}
}

// fixMap fixes the keys and values of a map, which cannot be changed in place.
func fixMap(v reflect.Value) {
	for it := v.MapRange(); it.Next(); {
		key, value := it.Key(), reflect.New(v.Type().Elem()).Elem()
		value.Set(it.Value())
		fix(value)
		if key.Type() == timeType {
			if at := key.Interface().(time.Time); !IsTime(at) { //nolint:forcetypeassert // it is one
				v.SetMapIndex(key, reflect.Value{})
				key = reflect.ValueOf(Time(at))
			}
		}
		v.SetMapIndex(key, value)
	}
}
