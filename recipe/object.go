package recipe

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/schema"
)

// object reads a mapping of known keys. A value that is not what was expected is reported and read as not there.
type object struct {
	spot
	report *report
	known  []string
	fields map[string]*yaml.Node
}

// newObject looks at a value that should be a mapping, and reports keys that are not known. known nil allows any.
func newObject(at spot, r *report, known []string) *object {
	o := &object{spot: at, report: r, known: known, fields: make(map[string]*yaml.Node)}
	if at.node == nil || at.node.Kind != yaml.MappingNode {
		if at.node != nil {
			r.add(at, "expected a mapping%s, found %s", ofKeys(known), kindOf(at.node))
		}
		return o
	}
	for key, value := range entries(at.node) {
		if known != nil && !slices.Contains(known, key.Value) {
			place := spot{src: at.src, node: key, path: join(at.path, key.Value)}
			if at.src.foreign {
				r.warn(place, "nothing reads the key %q%s", key.Value, r.hint(key.Value, known))
				continue
			}
			r.add(place, "unknown key %q%s", key.Value, r.nearestOr(key.Value, known))
			continue
		}
		o.fields[key.Value] = value
	}
	return o
}

// otherWords are what other formats call a key, and what it is called here.
var otherWords = map[string][]string{
	"from": {"source"}, "to": {"target"}, "if": {"when"}, "timeout": {"timeout_seconds"}, "role": {"required_role"},
	"retries": {"max_retries"}, "steps": {"nodes", "max_steps"}, "concurrency": {"limit"}, "max_concurrency": {"limit"},
	"items": {"in"}, "default": {"default_route"}, "question": {"prompt"}, "message": {"prompt"}, "name": {"id"}, "agent": {"agent_ref"},
	"start": {"entry_point"}, "cmd": {"command"}, "args": {"command"}, "inputs": {"inputs_map"}, "outputs": {"outputs_map"},
}

// nearestOr is the nearest known name, or all of them where none is near.
func (r *report) nearestOr(found string, known []string) string {
	for _, meant := range otherWords[found] {
		if slices.Contains(known, meant) {
			return fmt.Sprintf("; did you mean %q?", meant)
		}
	}
	if hint := r.hint(found, known); hint != "" {
		return hint
	}
	if slices.Contains(known, "topology") && slices.Contains(topologyKeys, found) {
		return "; it belongs into topology"
	}
	return "; known are " + strings.Join(known, ", ")
}

func ofKeys(known []string) string {
	if len(known) == 0 {
		return " ({name: value, …})"
	}
	return " of " + strings.Join(known, ", ")
}

// entries yields the keys and values of a mapping in written order.
func entries(n *yaml.Node) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// has reports whether the key is there. A key without a value (null) is as good as none.
func (o *object) has(key string) bool {
	n, ok := o.fields[key]
	return ok && !isNull(n)
}

// isMapping says whether the key is there with a mapping; anything else is reported where it is read.
func (o *object) isMapping(key string) bool {
	return o.has(key) && o.fields[key].Kind == yaml.MappingNode
}

// at is the place of a key's value; the place of the whole object where the key is not there.
func (o *object) at(key string) spot {
	if n, ok := o.fields[key]; ok {
		return spot{src: o.src, node: n, path: join(o.path, key)}
	}
	return spot{src: o.src, node: o.node, path: join(o.path, key)}
}

// word is a text and where it was written.
type word struct {
	spot
	text string
}

// text reads a scalar as text. Numbers and booleans are taken as they are written.
func (o *object) text(key string) word {
	w := word{spot: o.at(key)}
	if !o.has(key) {
		return w
	}
	if w.node.Kind != yaml.ScalarNode {
		o.report.add(w.spot, "expected text, found %s", kindOf(w.node))
		return w
	}
	w.text = w.node.Value
	return w
}

// needText reads a text that must be there and not be empty.
func (o *object) needText(key, what string) word {
	w := o.text(key)
	switch {
	case w.text != "":
	case o.has(key) && w.node.Kind == yaml.ScalarNode:
		o.report.add(w.spot, "%s is empty; expected %s", key, what)
	case !o.has(key):
		o.need(key, what)
	}
	return w
}

func (o *object) need(key, what string) {
	if o.node != nil && o.node.Kind == yaml.MappingNode {
		o.report.add(spot{src: o.src, node: o.node, path: o.path}, "%q is missing; expected %s", key, what)
	}
}

// flag reads a boolean.
func (o *object) flag(key string) bool {
	if !o.has(key) {
		return false
	}
	n := o.fields[key]
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		o.report.add(o.at(key), "expected true or false, found %s", kindOf(n))
		return false
	}
	return strings.EqualFold(n.Value, "true")
}

// number reads a whole number of at least least; def where it is not there.
func (o *object) number(key string, least, def int) int {
	if !o.has(key) {
		return def
	}
	n := o.fields[key]
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!int" {
		if number, err := numberOf(n); err == nil {
			if i, err := strconv.Atoi(number.String()); err == nil && i >= least && i <= maxCount {
				return i
			}
		}
	}
	o.report.add(o.at(key), "expected a whole number from %d to %d, found %s", least, maxCount, kindOf(n))
	return def
}

const maxCount = 1_000_000

// seconds reads timeout_seconds; 0 where it is not there.
func (o *object) seconds() time.Duration { return o.secondsOf("timeout_seconds") }

// secondsOf reads a number of seconds; 0 where it is not there.
func (o *object) secondsOf(key string) time.Duration {
	if !o.has(key) {
		return 0
	}
	n := o.fields[key]
	if tag := n.ShortTag(); n.Kind == yaml.ScalarNode && (tag == "!!int" || tag == "!!float") {
		if number, err := numberOf(n); err == nil {
			if f, err := number.Float64(); err == nil && f >= minSeconds && f <= maxSeconds {
				return time.Duration(f * float64(time.Second))
			}
		}
	}
	o.report.add(o.at(key), "expected a number of seconds, more than 0 and at most %d (ten years), found %s", int(maxSeconds), kindOf(n))
	return 0
}

// Bounds of times, in seconds: a millisecond and ten years.
const (
	minSeconds = 0.001
	maxSeconds = 10 * 365 * 24 * 3600
)

// choice reads one of a few words; the first where it is not there.
func (o *object) choice(key string, words ...string) string {
	w := o.text(key)
	if w.text == "" && !o.has(key) {
		return words[0]
	}
	if !slices.Contains(words, w.text) {
		if w.node.Kind == yaml.ScalarNode {
			o.report.add(w.spot, "%s is %s; expected %s%s", key, quote(w.text), oneOf(words), o.report.hint(w.text, words))
		}
		return words[0]
	}
	return w.text
}

func oneOf(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// object reads a mapping; an empty one where it is not there.
func (o *object) object(key string, known []string) *object {
	if !o.has(key) {
		return newObject(spot{src: o.src, path: join(o.path, key)}, o.report, known)
	}
	return newObject(o.at(key), o.report, known)
}

// pairs yields the keys of a mapping of any keys, with the places of key and value, in written order.
func (o *object) pairs(key string) []pair {
	if !o.has(key) {
		return nil
	}
	sub := newObject(o.at(key), o.report, nil)
	if sub.node.Kind != yaml.MappingNode {
		return nil
	}
	var all []pair
	for k, v := range entries(sub.node) {
		at := join(sub.path, k.Value)
		all = append(all, pair{
			key:   word{spot: spot{src: o.src, node: k, path: at}, text: k.Value},
			value: spot{src: o.src, node: v, path: at},
		})
	}
	return all
}

type pair struct {
	key   word
	value spot
}

// texts reads a mapping to texts.
func (o *object) texts(key string) []textPair {
	var all []textPair
	for _, p := range o.pairs(key) {
		if p.value.node.Kind != yaml.ScalarNode || isNull(p.value.node) {
			o.report.add(p.value, "expected text, found %s", kindOf(p.value.node))
			continue
		}
		all = append(all, textPair{key: p.key, value: word{spot: p.value, text: p.value.node.Value}})
	}
	return all
}

type textPair struct{ key, value word }

// list reads the places of a list's elements.
func (o *object) list(key string) []spot {
	if !o.has(key) {
		return nil
	}
	at := o.at(key)
	if at.node.Kind != yaml.SequenceNode {
		o.report.add(at, "expected a list ([a, b, …]), found %s", kindOf(at.node))
		return nil
	}
	all := make([]spot, len(at.node.Content))
	for i, n := range at.node.Content {
		all[i] = spot{src: o.src, node: n, path: index(at.path, i)}
	}
	return all
}

// words reads a list of texts.
func (o *object) words(key string) []word {
	var all []word
	for _, at := range o.list(key) {
		if at.node.Kind != yaml.ScalarNode || isNull(at.node) {
			o.report.add(at, "expected text, found %s", kindOf(at.node))
			continue
		}
		all = append(all, word{spot: at, text: at.node.Value})
	}
	return all
}

// value reads any JSON value.
func (o *object) value(key string) any {
	n, ok := o.fields[key]
	if !ok {
		return nil
	}
	v, err := jsonOf(n)
	if err != nil {
		o.report.add(o.at(key), "%v", err)
	}
	return v
}

// shape is a JSON Schema as a recipe has it.
type shape struct {
	spot
	doc      map[string]any // the schema as values; nil for the schema true
	compiled *schema.Schema
}

// shapeAt compiles the JSON Schema at a place; nil, and reported, where it is not one.
func shapeAt(at spot, r *report) *shape {
	v, err := jsonOf(at.node)
	if err != nil {
		r.add(at, "%v", err)
		return nil
	}
	doc, isMap := v.(map[string]any)
	if _, isBool := v.(bool); !isMap && !isBool {
		r.add(at, "expected a JSON Schema such as {type: string}, found %s", kindOf(at.node))
		return nil
	}
	s := &shape{spot: at, doc: doc}
	if !isMap {
		err = s.parse(v)
	} else {
		err = s.compile()
	}
	if err == nil {
		return s
	}
	faults, ok := errors.AsType[*schema.Error](err)
	if !ok {
		r.add(at, "not a JSON Schema: %v", err)
		return nil
	}
	for _, p := range faults.Problems {
		r.add(at.follow(p.Path), "not a JSON Schema: %s", p.Message)
	}
	return nil
}

// follow is the place that a JSON pointer leads to, as far as it does.
func (at spot) follow(pointer string) spot {
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		next, path := at.node, at.path
		switch at.node.Kind {
		case yaml.MappingNode:
			for k, v := range entries(at.node) {
				if k.Value == part {
					next, path = v, join(at.path, part)
				}
			}
		case yaml.SequenceNode:
			if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(at.node.Content) {
				next, path = at.node.Content[i], index(at.path, i)
			}
		}
		if next == at.node {
			return at
		}
		at.node, at.path = next, path
	}
	return at
}

// compile compiles the schema's document.
func (s *shape) compile() error { return s.parse(s.doc) }

func (s *shape) parse(doc any) error {
	data, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	s.compiled, err = schema.Parse(data)
	return err
}

// shape reads a JSON Schema; nil where it is not there.
func (o *object) shape(key string) *shape {
	if !o.has(key) {
		return nil
	}
	return shapeAt(o.at(key), o.report)
}

// check checks a value; nil allows everything.
func (s *shape) check(v any) error {
	if s == nil {
		return nil
	}
	data, err := encodeJSON(v)
	if err != nil {
		return err
	}
	return s.compiled.Check(data)
}
