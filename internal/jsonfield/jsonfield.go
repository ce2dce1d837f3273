package jsonfield

import (
	"reflect"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// Field is a struct field that encoding/json writes as a member.
type Field struct {
	Name  string              // of the member
	Go    reflect.StructField // the field as declared, in the struct that declares it
	Path  []reflect.StructField
	Index []int // from the outermost struct, for reflect.Value.FieldByIndex

	OmitEmpty bool // left out when false, 0, nil, or empty
	OmitZero  bool // left out when zero, or when its IsZero method says so
	Quoted    bool // a number, boolean or string that is written inside a string (the option "string")
	Optional  bool // reached through an embedded pointer: left out when that is nil
}

// GoPath is the way to the field as Go code writes it: ".Base.Name".
func (f Field) GoPath() string {
	var b strings.Builder
	for _, step := range f.Path {
		b.WriteByte('.')
		b.WriteString(step.Name)
	}
	return b.String()
}

// Of lists the members of a struct type in the order in which encoding/json writes them.
func Of(t reflect.Type) []Field {
	byName := make(map[string][]candidate)
	seen := make(map[reflect.Type]bool)
	for level := []owner{{typ: t}}; len(level) > 0; {
		var next []owner
		for _, o := range level {
			if !seen[o.typ] {
				next = o.scan(next, byName)
			}
		}
		for _, o := range level {
			seen[o.typ] = true
		}
		level = next
	}
	var fields []Field
	for _, rivals := range byName {
		if f, ok := visible(rivals); ok {
			fields = append(fields, f)
		}
	}
	sort.Slice(fields, func(i, j int) bool { return slices.Compare(fields[i].Index, fields[j].Index) < 0 })
	return fields
}

// owner is a struct whose fields become members: the outermost one, or one that is embedded.
type owner struct {
	typ      reflect.Type
	path     []reflect.StructField
	index    []int
	optional bool
}

type candidate struct {
	Field
	tagged bool // the name comes from a tag
}

// scan notes the members that o's own fields give, and appends the structs embedded in o to next.
func (o owner) scan(next []owner, byName map[string][]candidate) []owner {
	for i := range o.typ.NumField() {
		sf := o.typ.Field(i)
		tag := sf.Tag.Get("json")
		if tag == "-" || !reachable(sf) {
			continue
		}
		name, options := parse(tag)
		path := append(slices.Clip(o.path), sf)
		index := append(slices.Clip(o.index), i)
		base := sf.Type
		if base.Kind() == reflect.Pointer && base.Name() == "" {
			base = base.Elem()
		}
		if sf.Anonymous && name == "" && base.Kind() == reflect.Struct {
			next = append(next, owner{base, path, index, o.optional || base != sf.Type})
			continue
		}
		c := candidate{tagged: name != "", Field: Field{
			Name: name, Go: sf, Path: path, Index: index, Optional: o.optional,
			OmitEmpty: slices.Contains(options, "omitempty"),
			OmitZero:  slices.Contains(options, "omitzero"),
			Quoted:    slices.Contains(options, "string") && quotable(base.Kind()),
		}}
		if name == "" {
			c.Name = sf.Name
		}
		byName[c.Name] = append(byName[c.Name], c)
	}
	return next
}

// reachable reports whether encoding/json looks at a field: exported ones, and embedded structs even of unexported
// types, for the sake of the exported fields in them.
func reachable(sf reflect.StructField) bool {
	if sf.IsExported() {
		return true
	}
	t := sf.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return sf.Anonymous && t.Kind() == reflect.Struct
}

// visible chooses among fields of one name: the one nearest the outermost struct, and of several at that depth the
// only one that is named by its tag. Where that does not decide, encoding/json writes none of them.
func visible(rivals []candidate) (Field, bool) {
	depth := len(rivals[0].Index)
	for _, c := range rivals {
		depth = min(depth, len(c.Index))
	}
	var plain, tagged []candidate
	for _, c := range rivals {
		switch {
		case len(c.Index) > depth:
		case c.tagged:
			tagged = append(tagged, c)
		default:
			plain = append(plain, c)
		}
	}
	if len(tagged) > 0 {
		plain = tagged
	}
	return plain[0].Field, len(plain) == 1
}

// parse splits a tag into the member's name, "" where it names none or one that encoding/json does not take, and
// its options.
func parse(tag string) (name string, options []string) {
	parts := strings.Split(tag, ",")
	for _, r := range parts[0] {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) {
			return "", parts[1:]
		}
	}
	return parts[0], parts[1:]
}

func quotable(k reflect.Kind) bool {
	return k == reflect.String || k == reflect.Bool || (k >= reflect.Int && k <= reflect.Float64)
}
