package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/schema"
)

// Object reads a mapping of known keys. A value that is not what was expected is reported and read as not there.
type Object struct {
	Spot
	Report *Report // where what is wrong goes
	known  []string
	Fields map[string]*yaml.Node // of the keys that are known, by key
}

// NewObject looks at a value that should be a mapping, and reports keys that are not known. known nil allows any.
func NewObject(at Spot, r *Report, known []string) *Object {
	o := &Object{Spot: at, Report: r, known: known, Fields: make(map[string]*yaml.Node)}
	if at.Node == nil || at.Node.Kind != yaml.MappingNode {
		if at.Node != nil {
			r.Add(at, "expected a mapping%s, found %s", ofKeys(known), Describe(at.Node))
		}
		return o
	}
	for key, value := range Entries(at.Node) {
		if known != nil && !slices.Contains(known, key.Value) {
			place := Spot{Source: at.Source, Node: key, Path: Join(at.Path, key.Value)}
			if at.Source.Foreign {
				r.Warn(place, "nothing reads the key %q%s", key.Value, r.Hint(key.Value, known))
				continue
			}
			r.Add(place, "unknown key %q%s", key.Value, r.NearestOr(key.Value, known))
			continue
		}
		o.Fields[key.Value] = value
	}
	return o
}

// NearestOr is the nearest known name, or all of them where none is near.
func (r *Report) NearestOr(found string, known []string) string {
	if r.Meant != nil {
		if hint := r.Meant(found, known); hint != "" {
			return hint
		}
	}
	return r.HintOr(found, known)
}

// HintOr returns the nearest known name as the end of a message, or the known ones where none is near.
func (r *Report) HintOr(found string, known []string) string {
	const most = 20
	hint := r.Hint(found, known)
	switch {
	case hint != "" || len(known) == 0:
		return hint
	case len(known) > most:
		return fmt.Sprintf("; known are %s and %d more", strings.Join(known[:most], ", "), len(known)-most)
	}
	return "; known are " + strings.Join(known, ", ")
}

func ofKeys(known []string) string {
	if len(known) == 0 {
		return " ({name: value, …})"
	}
	return " of " + strings.Join(known, ", ")
}

// Entries yields the keys and values of a mapping in written order.
func Entries(n *yaml.Node) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// Join is the path of a member of what is at a path; "" is the whole.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func Join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Index is the path of an element of the list at a path.
func Index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// IsNull says whether a value is null, or a key has none.
func IsNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// Has reports whether the key is there. A key without a value (null) is as good as none.
func (o *Object) Has(key string) bool {
	n, ok := o.Fields[key]
	return ok && !IsNull(n)
}

// IsMapping says whether the key is there with a mapping; anything else is reported where it is read.
func (o *Object) IsMapping(key string) bool {
	return o.Has(key) && o.Fields[key].Kind == yaml.MappingNode
}

// IsEmptyList says whether the key is there with a list of nothing.
func (o *Object) IsEmptyList(key string) bool {
	n := o.Fields[key]
	return n != nil && n.Kind == yaml.SequenceNode && len(n.Content) == 0
}

// At returns the place of a key's value, or the place of the whole object if the key is missing.
func (o *Object) At(key string) Spot {
	if n, ok := o.Fields[key]; ok {
		return Spot{Source: o.Source, Node: n, Path: Join(o.Path, key)}
	}
	return Spot{Source: o.Source, Node: o.Node, Path: Join(o.Path, key)}
}

// Word is a text and where it was written.
type Word struct {
	Spot
	Text string
}

// Text reads a scalar as text. Numbers and booleans are taken as they are written.
func (o *Object) Text(key string) Word {
	if !o.Has(key) {
		return Word{Spot: o.At(key)}
	}
	w, _ := o.wordAt(o.At(key))
	return w
}

// wordAt is the scalar at a place as text; not ok, and reported, where there is none.
func (o *Object) wordAt(at Spot) (w Word, ok bool) {
	if at.Node.Kind != yaml.ScalarNode || IsNull(at.Node) {
		o.Report.Add(at, "expected text, found %s", Describe(at.Node))
		return Word{Spot: at}, false
	}
	return Word{Spot: at, Text: at.Node.Value}, true
}

// NeedText reads a text that must be there and not be empty.
func (o *Object) NeedText(key, what string) Word {
	w := o.Text(key)
	switch {
	case w.Text != "":
	case o.Has(key) && w.Node.Kind == yaml.ScalarNode:
		o.Report.Add(w.Spot, "%s is empty; expected %s", key, what)
	case !o.Has(key):
		o.Need(key, what)
	}
	return w
}

// Need reports that a key is missing; what says what was expected. Where no list of keys says which are unknown, a key with
// a similar name is reported instead.
func (o *Object) Need(key, what string) {
	if o.Node != nil && o.Node.Kind == yaml.MappingNode {
		for found := range Entries(o.Node) {
			if o.known == nil && nearest.Name(found.Value, []string{key}) != "" {
				o.Report.Add(Spot{Source: o.Source, Node: found, Path: Join(o.Path, found.Value)}, "unknown key %q%s", found.Value, o.Report.Hint(found.Value, []string{key}))
				return
			}
		}
		o.Report.Add(Spot{Source: o.Source, Node: o.Node, Path: o.Path}, "%q is missing; expected %s", key, what)
	}
}

// Flag reads a boolean.
func (o *Object) Flag(key string) bool {
	if !o.Has(key) {
		return false
	}
	n := o.Fields[key]
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		o.Report.Add(o.At(key), "expected true or false, found %s", Describe(n))
		return false
	}
	return strings.EqualFold(n.Value, "true")
}

// Number reads a whole number of at least least, or returns def if it is missing.
func (o *Object) Number(key string, least, def int) int {
	return numberAt(o, key, fmt.Sprintf("a whole number from %d to %d", least, MaxCount), wholeTags, def, func(n json.Number) (int, bool) {
		i, err := strconv.Atoi(n.String())
		return i, err == nil && i >= least && i <= MaxCount
	})
}

// MaxCount is the highest number that [Object.Number] takes.
const MaxCount = 1_000_000

// Seconds reads timeout_seconds; it is 0 if it is missing.
func (o *Object) Seconds() time.Duration { return o.SecondsOf("timeout_seconds") }

// SecondsOf reads a number of seconds; it is 0 if it is missing.
func (o *Object) SecondsOf(key string) time.Duration {
	what := fmt.Sprintf("a number of seconds, more than 0 and at most %d (ten years)", int(maxSeconds))
	return numberAt(o, key, what, numberTags, 0, func(n json.Number) (time.Duration, bool) {
		f, err := n.Float64()
		return time.Duration(f * float64(time.Second)), err == nil && f >= minSeconds && f <= maxSeconds
	})
}

// The tags of numbers in YAML.
var (
	wholeTags  = []string{"!!int"}
	numberTags = []string{"!!int", "!!float"}
)

// numberAt reads a number with one of the tags, that read takes; def where it is not there, or is reported. what says which numbers are taken.
func numberAt[T any](o *Object, key, what string, tags []string, def T, read func(json.Number) (T, bool)) T {
	if !o.Has(key) {
		return def
	}
	n := o.Fields[key]
	if n.Kind == yaml.ScalarNode && slices.Contains(tags, n.ShortTag()) {
		number, err := numberOf(n)
		if err != nil {
			o.Report.Add(o.At(key), "expected %s: %v", what, err)
			return def
		}
		if v, ok := read(number); ok {
			return v
		}
	}
	o.Report.Add(o.At(key), "expected %s, found %s", what, Describe(n))
	return def
}

// Bounds of times, in seconds: a millisecond and ten years.
const (
	minSeconds = 0.001
	maxSeconds = 10 * 365 * 24 * 3600
)

// Choice reads one of a few words; it is the first if it is missing.
func (o *Object) Choice(key string, words ...string) string {
	w := o.Text(key)
	if w.Text == "" && !o.Has(key) {
		return words[0]
	}
	if !slices.Contains(words, w.Text) {
		if w.Node.Kind == yaml.ScalarNode {
			o.Report.Add(w.Spot, "%s is %s; expected %s%s", key, Quote(w.Text), OneOf(words), o.Report.Hint(w.Text, words))
		}
		return words[0]
	}
	return w.Text
}

// OneOf lists words that one may choose from: "a, b or c". There is at least one.
func OneOf(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// Object reads a mapping; it is empty if it is missing.
func (o *Object) Object(key string, known []string) *Object {
	if !o.Has(key) {
		return NewObject(Spot{Source: o.Source, Path: Join(o.Path, key)}, o.Report, known)
	}
	return NewObject(o.At(key), o.Report, known)
}

// Pairs yields the keys of a mapping of any keys, with the places of key and value, in written order.
func (o *Object) Pairs(key string) []Pair {
	if !o.Has(key) {
		return nil
	}
	sub := NewObject(o.At(key), o.Report, nil)
	if sub.Node.Kind != yaml.MappingNode {
		return nil
	}
	var all []Pair
	for k, v := range Entries(sub.Node) {
		at := Join(sub.Path, k.Value)
		all = append(all, Pair{
			Key:   Word{Spot: Spot{Source: o.Source, Node: k, Path: at}, Text: k.Value},
			Value: Spot{Source: o.Source, Node: v, Path: at},
		})
	}
	return all
}

// Pair is a key of a mapping and what stands under it.
type Pair struct {
	Key   Word
	Value Spot
}

// Texts reads a mapping to texts.
func (o *Object) Texts(key string) []TextPair {
	var all []TextPair
	for _, p := range o.Pairs(key) {
		if w, ok := o.wordAt(p.Value); ok {
			all = append(all, TextPair{Key: p.Key, Value: w})
		}
	}
	return all
}

// Object is the pair as a mapping of one key.
func (p Pair) Object(r *Report) *Object {
	return &Object{Spot: p.Value, Report: r, Fields: map[string]*yaml.Node{p.Key.Text: p.Value.Node}}
}

// TextPair is a key of a mapping and the text that stands under it.
type TextPair struct{ Key, Value Word }

// List reads the places of a list's elements.
func (o *Object) List(key string) []Spot {
	if !o.Has(key) {
		return nil
	}
	at := o.At(key)
	if at.Node.Kind != yaml.SequenceNode {
		o.Report.Add(at, "expected a list ([a, b, …]), found %s", Describe(at.Node))
		return nil
	}
	all := make([]Spot, len(at.Node.Content))
	for i, n := range at.Node.Content {
		all[i] = Spot{Source: o.Source, Node: n, Path: Index(at.Path, i)}
	}
	return all
}

// Words reads a list of texts.
func (o *Object) Words(key string) []Word {
	var all []Word
	for _, at := range o.List(key) {
		if w, ok := o.wordAt(at); ok {
			all = append(all, w)
		}
	}
	return all
}

// Value reads any JSON value.
func (o *Object) Value(key string) any {
	n, ok := o.Fields[key]
	if !ok {
		return nil
	}
	v, err := JSON(n)
	if err != nil {
		o.Report.Add(o.At(key), "%v", err)
	}
	return v
}

// Shape is a JSON Schema as a file has it.
type Shape struct {
	Spot
	Doc      map[string]any // the schema as values; nil for the schema true
	Compiled *schema.Schema
}

// ShapeAt compiles the JSON Schema at a place; nil, and reported, where it is not one.
func ShapeAt(at Spot, r *Report) *Shape {
	v, err := JSON(at.Node)
	if err != nil {
		r.Add(at, "%v", err)
		return nil
	}
	doc, isMap := v.(map[string]any)
	if _, isBool := v.(bool); !isMap && !isBool {
		r.Add(at, "expected a JSON Schema such as {type: string}, found %s", Describe(at.Node))
		return nil
	}
	s := &Shape{Spot: at, Doc: doc}
	if !isMap {
		err = s.parse(v)
	} else {
		err = s.Compile()
	}
	if err == nil {
		return s
	}
	faults, ok := errors.AsType[*schema.Error](err)
	if !ok {
		r.Add(at, "not a JSON Schema: %v", err)
		return nil
	}
	for _, p := range faults.Problems {
		r.Add(at.Follow(p.Path), "not a JSON Schema: %s", p.Message)
	}
	return nil
}

// Member returns the place of a key's value in a mapping. If the key is missing, it is the place of the mapping.
func (at Spot) Member(key string) Spot { return at.Follow("/" + key) }

// Follow is the place that a JSON pointer leads to, as far as it does.
func (at Spot) Follow(pointer string) Spot {
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		next, path := at.Node, at.Path
		switch at.Node.Kind {
		case yaml.MappingNode:
			for k, v := range Entries(at.Node) {
				if k.Value == part {
					next, path = v, Join(at.Path, part)
				}
			}
		case yaml.SequenceNode:
			if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(at.Node.Content) {
				next, path = at.Node.Content[i], Index(at.Path, i)
			}
		}
		if next == at.Node {
			return at
		}
		at.Node, at.Path = next, path
	}
	return at
}

// Compile compiles the schema's document.
func (s *Shape) Compile() error { return s.parse(s.Doc) }

func (s *Shape) parse(doc any) error {
	data, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	s.Compiled, err = schema.Parse(data)
	return err
}

// Shape reads a JSON Schema; it is nil if it is missing.
func (o *Object) Shape(key string) *Shape {
	if !o.Has(key) {
		return nil
	}
	return ShapeAt(o.At(key), o.Report)
}

// Check checks a value; nil allows everything.
func (s *Shape) Check(v any) error {
	if s == nil {
		return nil
	}
	data, err := Encode(v)
	if err != nil {
		return err
	}
	return s.Compiled.Check(data)
}

// Schema is the compiled schema, nil where there is none.
func (s *Shape) Schema() *schema.Schema {
	if s == nil {
		return nil
	}
	return s.Compiled
}

// Decimal reads a number from least to most; it is 0 if it is missing.
func (o *Object) Decimal(key string, least, most float64) float64 {
	return numberAt(o, key, fmt.Sprintf("a number from %.0f to %.0f", least, most), numberTags, 0, func(n json.Number) (float64, bool) {
		f, err := n.Float64()
		return f, err == nil && f >= least && f <= most
	})
}

// Mapping reads a mapping of any keys as a JSON value; it is nil if it is missing.
func (o *Object) Mapping(key string) map[string]any {
	if !o.Has(key) || o.Object(key, nil).Node.Kind != yaml.MappingNode {
		return nil
	}
	m, _ := o.Value(key).(map[string]any)
	return m
}

// HasKey says whether a mapping has a key, also one without a value.
func HasKey(n *yaml.Node, key string) bool {
	for k := range Entries(n) {
		if k.Value == key {
			return true
		}
	}
	return false
}
