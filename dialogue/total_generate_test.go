package dialogue_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/dialogue"
)

// sort is what expressions make of the values of a slot.
type sort string

const (
	numbers  sort = "numbers"
	texts    sort = "texts"
	truths   sort = "truths"
	lists    sort = "lists"
	objects  sort = "objects"
	anything sort = "anything" // what an action without a schema gives
)

// checked is a validator, and the same in Go; nil where it hangs on other slots or on the time.
type checked struct {
	text string // NAME is the slot's name
	good func(v any) bool
}

// sortOfSlot is a type of slots in the dialogues that are drawn: values that may be said for it, and what may check it.
type sortOfSlot struct {
	doc    map[string]any // the keys of the slot in the file
	sort   sort
	values []any // that the slot holds
	said   []any // others that may be said for it, good or not
	checks []checked
}

func float(v any) float64 {
	n, _ := v.(json.Number)
	f, _ := n.Float64()
	return f
}

var (
	numberChecks = []checked{
		{"NAME >= 0", func(v any) bool { return float(v) >= 0 }},
		{"NAME < 100 and NAME != 7", func(v any) bool { return float(v) < 100 && float(v) != 7 }},
		{"NAME <= balance", func(v any) bool { return float(v) <= balance }},
		{"NAME <= limit", nil},
		{"NAME < 1000 / (count - 3)", nil}, // which nothing can be checked by where count is 3
	}
	textChecks = []checked{
		{"len(NAME) < 9", func(v any) bool { s, _ := v.(string); return len(s) < 9 }},
		{"NAME != 'Bob'", func(v any) bool { return v != "Bob" }},
		{"NAME != who", nil},
	}
	listChecks = []checked{{"len(NAME) < 3", func(v any) bool { l, _ := v.([]any); return len(l) < 3 }}}
)

// balance is in the context of every conversation.
const balance = 50

// slotSorts are the slots that flows may have, by their names.
var slotSorts = map[string]sortOfSlot{
	"num":    {map[string]any{"type": "number"}, numbers, []any{0, 2.5, -1, 7, 1000}, []any{"three and a half", "x", true, nil}, numberChecks},
	"count":  {map[string]any{"type": "integer"}, numbers, []any{0, 3, 7, 12}, []any{"seven", 2.5, "none", []any{1}}, numberChecks},
	"cash":   {map[string]any{"type": "money"}, numbers, []any{0, 5, 50.25, 200}, []any{"5 euros", "5 of some", "-3"}, numberChecks},
	"word":   {map[string]any{"type": "text"}, texts, []any{"Ada", "Bob", "", "a long long text"}, []any{5, nil, "{{ count }}"}, textChecks},
	"day":    {map[string]any{"type": "date"}, texts, []any{"2026-11-25", "2000-01-03"}, []any{"tomorrow", "31 february", "Ada"}, []checked{{"NAME >= today", nil}}},
	"hour":   {map[string]any{"type": "time"}, texts, []any{"15:30", "00:00"}, []any{"half past nine", "25:00"}, nil},
	"moment": {map[string]any{"type": "datetime"}, texts, []any{"2026-11-25T15:30:00Z"}, []any{"tomorrow at nine", "nine"}, nil},
	"size":   {map[string]any{"type": "choice", "choices": []any{"small", map[string]any{"value": "large", "synonyms": []any{"big"}}}}, texts, []any{"small", "large"}, []any{"big", "huge", 1}, []checked{{"NAME != 'large'", func(v any) bool { return v != "large" }}}},
	"flag":   {map[string]any{"type": "boolean"}, truths, []any{true, false}, []any{"yes", "no", "perhaps", 0}, []checked{{"NAME or balance > 10", func(v any) bool { return v == true || balance > 10 }}}},
	"things": {map[string]any{"type": "list"}, lists, []any{[]any{}, []any{"salt"}, []any{"a", "b", "c", "d"}}, []any{"salt and pepper", []any{1}, "x"}, listChecks},
	"sizes":  {map[string]any{"type": "list", "choices": []any{"small", "large"}}, lists, []any{[]any{"small"}, []any{}}, []any{"large and small", []any{"huge"}}, listChecks},
	"thing": {
		map[string]any{"type": "object", "schema": map[string]any{"type": "object", "required": []any{"a"}, "properties": map[string]any{"a": map[string]any{"type": "integer"}, "b": map[string]any{"type": "string"}}}},
		objects,
		[]any{map[string]any{"a": 1}, map[string]any{"a": -1, "b": "x"}},
		[]any{map[string]any{"b": 1}, "a thing"},
		[]checked{{"NAME.a > 0", func(v any) bool { m, _ := v.(map[string]any); return float(m["a"]) > 0 }}, {"NAME.b == nil or len(NAME.b) < 5", nil}},
	},
	"limit": {map[string]any{"type": "integer"}, numbers, []any{0, 10, 100}, []any{"ten", "much"}, numberChecks[:2]},
	"who":   {map[string]any{"type": "text"}, texts, []any{"Ada", "Bob"}, []any{"", 3}, textChecks[:2]},
	"ready": {map[string]any{"type": "boolean"}, truths, []any{true, false}, []any{"yes", "ready"}, nil},
}

// sharedNames are slots of the whole conversation; the others are of flows.
var sharedNames = []string{"limit", "ready", "who"}

// variables are names that steps write and that are no slots.
var variables = map[string]sort{"total": numbers, "note": texts, "fine": truths, "raw": anything}

// drawnSlot is a slot of a dialogue that was drawn.
type drawnSlot struct {
	sortOfSlot
	check    checked
	optional bool
	initial  bool
	doc      map[string]any
}

// drawnFlow is a flow of a dialogue that was drawn.
type drawnFlow struct {
	name  string
	slots map[string]*drawnSlot
	doc   map[string]any
}

// dialogueDraw draws a dialogue: most of what it writes is right, and all of it where right is set.
type dialogueDraw struct {
	t      *rapid.T
	right  bool
	shared map[string]*drawnSlot
	flows  []*drawnFlow
	hidden []string
	silent bool // some pattern says nothing
	wait   bool // the conversation speaks when nobody does
	used   map[string]bool
	doc    map[string]any

	// of the flow that is being drawn
	flow     *drawnFlow
	sure     map[string]bool
	arrivals []map[string]bool // what is filled on every way to a step; nil where none leads to it
	nested   string            // what ids begin with
	loop     bool
	last     string // the type of the step before
}

func (g *dialogueDraw) below(n int) int        { return rapid.IntRange(0, n-1).Draw(g.t, "n") }
func (g *dialogueDraw) often(percent int) bool { return g.below(100) >= 100-percent }
func (g *dialogueDraw) slip(percent int) bool  { return !g.right && g.often(percent) }
func (g *dialogueDraw) use(what string)        { g.used[what] = true }

func drawOne[T any](g *dialogueDraw, list []T) T { return list[g.below(len(list))] }

// drawDialogue draws a dialogue's file.
func drawDialogue(t *rapid.T, right bool) *dialogueDraw {
	g := &dialogueDraw{t: t, right: right, shared: make(map[string]*drawnSlot), used: make(map[string]bool)}
	settings := map[string]any{"zone": drawOne(g, []string{"UTC", "Europe/Berlin"}), "day_first": g.often(50)}
	if g.often(30) {
		settings["misses"] = 3
	}
	if g.often(30) {
		g.wait = true
		settings["silence"] = map[string]any{"after_seconds": 600, "close_after": g.below(3)}
	}
	g.doc = map[string]any{
		"kind": "Dialogue", "metadata": map[string]any{"name": "drawn"}, "settings": settings,
		"context":  map[string]any{"balance": "money", "user": map[string]any{"type": "text", "optional": true}, "vip": map[string]any{"type": "boolean", "initial": false}},
		"actions":  map[string]any{"own": map[string]any{"gives": "given"}},
		"chitchat": []any{map[string]any{"trigger": []any{"tell me a joke"}, "message": "Ha."}}, "synonyms": map[string]any{"do": []any{"make"}},
	}
	g.flow = &drawnFlow{}
	shared := make(map[string]any)
	for _, name := range sharedNames {
		g.shared[name] = g.slot(name)
		shared[name] = g.shared[name].doc
	}
	g.doc["slots"] = shared
	n := 1 + g.below(3)
	for i := range n + 1 {
		f := &drawnFlow{name: fmt.Sprint("f", i), slots: make(map[string]*drawnSlot), doc: make(map[string]any)}
		if i == n {
			f.name, f.doc["hidden"] = "aside", true
			g.hidden = append(g.hidden, f.name)
		}
		g.flow = f
		for _, name := range slices.Sorted(maps.Keys(slotSorts)) {
			if !slices.Contains(sharedNames, name) && g.often(35) {
				f.slots[name] = nil
			}
		}
		g.flows = append(g.flows, f)
	}
	flows := make(map[string]any)
	for _, f := range g.flows {
		g.flow = f
		slots := make(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(f.slots)) {
			f.slots[name] = g.slot(name)
			slots[name] = f.slots[name].doc
		}
		f.doc["slots"] = slots
	}
	for i, f := range g.flows {
		g.flow = f
		g.drawFlow(i)
		flows[f.name] = f.doc
	}
	g.doc["flows"] = flows
	g.flow, g.sure = &drawnFlow{}, nil
	g.doc["patterns"] = g.patterns()
	if g.often(30) {
		settings["greeting"] = "Hello " + g.message()
	}
	return g
}

func (g *dialogueDraw) text() string {
	data, err := yaml.Marshal(g.doc)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// slot draws what the file says of a slot.
func (g *dialogueDraw) slot(name string) *drawnSlot {
	s := &drawnSlot{sortOfSlot: slotSorts[name], doc: maps.Clone(slotSorts[name].doc)}
	s.optional = g.often(20)
	if s.optional {
		s.doc["optional"] = true
	}
	if len(s.checks) > 0 && g.often(40) {
		c := drawOne(g, s.checks)
		if g.known(c, name) {
			s.check = c
			s.doc["validate"] = strings.ReplaceAll(c.text, "NAME", name)
			g.use("validators")
		}
	}
	if g.often(30) {
		s.doc["error"] = "Not {{ " + name + " }}."
	}
	if g.often(20) {
		v := drawOne(g, s.values)
		if s.check.good == nil || s.check.good(plain(v)) || g.slip(30) {
			s.initial, s.doc["initial"] = true, v
		}
	}
	return s
}

// known reports whether the slots are there, and never null, that a validator reads.
func (g *dialogueDraw) known(c checked, of string) bool {
	for _, other := range []string{"count", "limit", "who"} {
		if !strings.Contains(c.text, other) {
			continue
		}
		s := g.shared[other]
		if other == "count" {
			s = g.flow.slots[other]
		}
		if s == nil || s.optional && !g.slip(10) || other == of {
			return false
		}
	}
	return true
}

func has[V any](m map[string]V, name string) bool {
	_, ok := m[name]
	return ok
}

// plain is a value as a conversation keeps it.
func plain(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

// sorts are the names that expressions know in the flow that is being drawn.
func (g *dialogueDraw) sorts() map[string]sort {
	all := map[string]sort{"balance": numbers, "vip": truths, "user": texts, "today": texts, "time_now": texts}
	for name, s := range g.shared {
		all[name] = s.sort
	}
	for name := range g.flow.slots {
		all[name] = slotSorts[name].sort
	}
	if g.flow.name != "" {
		for name := range g.sure {
			if v, ok := variables[name]; ok {
				all[name] = v
			}
		}
	}
	return all
}

// isSure reports whether a name is filled, and not null, where the step stands that is being drawn.
func (g *dialogueDraw) isSure(name string) bool {
	switch name {
	case "balance", "vip", "today", "time_now":
		return true
	case "user":
		return false
	}
	s := g.flow.slots[name]
	if s == nil {
		s = g.shared[name]
	}
	if s != nil && s.optional {
		return false
	}
	return g.sure[name]
}

var literals = map[sort]string{numbers: "2", texts: "'x'", truths: "true", lists: "['x']", objects: "{a: 1}", anything: "nil"}

// read is a name of a sort, with what holds where it is not filled.
func (g *dialogueDraw) read(want sort) (string, bool) {
	var found []string
	all := g.sorts()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name] == want {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return "", false
	}
	name := drawOne(g, found)
	if g.isSure(name) || g.slip(6) {
		return name, true
	}
	return fmt.Sprintf("(%s ?? %s)", name, literals[want]), true
}

// expression is one of a sort.
func (g *dialogueDraw) expression(want sort, depth int) string {
	if g.slip(2) {
		want = drawOne(g, []sort{numbers, texts, truths, lists})
	}
	if g.often(60) {
		if text, ok := g.read(want); ok {
			return text
		}
	}
	if depth > 2 {
		return literals[want]
	}
	switch want {
	case numbers:
		return drawOne(g, []func() string{
			func() string {
				return "(" + g.expression(numbers, depth+1) + drawOne(g, []string{" + ", " * ", " - "}) + g.expression(numbers, depth+1) + ")"
			},
			func() string { return "len(" + g.expression(drawOne(g, []sort{texts, lists}), depth+1) + ")" },
			func() string { return fmt.Sprint(g.below(9) - 1) },
		})()
	case texts:
		return drawOne(g, []func() string{
			func() string {
				return "(" + g.expression(texts, depth+1) + " + ' ' + " + g.expression(texts, depth+1) + ")"
			},
			func() string { return "string(" + g.expression(numbers, depth+1) + ")" },
			func() string { return literals[texts] },
		})()
	case truths:
		return g.condition(depth)
	case lists:
		return "[" + g.expression(texts, depth+1) + "]"
	}
	return literals[want]
}

func (g *dialogueDraw) condition(depth int) string {
	return "(" + drawOne(g, []func() string{
		func() string {
			return "(balance + " + g.expression(numbers, depth+1) + ")" + drawOne(g, []string{" < ", " >= ", " == "}) + g.expression(numbers, depth+1)
		},
		func() string {
			return "(today + " + g.expression(texts, depth+1) + ") == " + g.expression(texts, depth+1)
		},
		func() string {
			return "(" + g.expression(truths, depth+1) + " and " + g.expression(truths, depth+1) + ")"
		},
		func() string { return "not (" + g.expression(truths, depth+1) + ")" },
		func() string {
			return "(today + " + g.expression(texts, depth+1) + ") in " + g.expression(lists, depth+1)
		},
		func() string { return "vip == " + g.expression(truths, depth+1) },
	})() + ")"
}

// message is a text with an expression in it.
func (g *dialogueDraw) message() string {
	if g.often(30) {
		return "Well."
	}
	return "It is {{ " + g.expression(drawOne(g, []sort{numbers, texts, truths, lists, objects}), 1) + " }}."
}

// patterns draws answers of the dialogue's own, or of a flow's.
func (g *dialogueDraw) patterns() map[string]any {
	all := make(map[string]any)
	for _, name := range dialogue.PatternNames() {
		if !g.often(12) {
			continue
		}
		sure := g.sure
		g.sure = nil
		switch c := g.below(5); {
		case c == 0 && name != dialogue.OnClose || g.slip(2):
			all[string(name)] = map[string]any{"flow": g.hidden[0]}
			g.use("patterns that are flows")
		case c == 1:
			all[string(name)] = ""
			g.silent = true
		default:
			all[string(name)] = g.message() + drawOne(g, []string{"", " {{ flow }}", " {{ slot }} {{ value }}", " {{ reason }}"})
		}
		g.sure = sure
	}
	return all
}

func contains(text, part string) bool { return strings.Contains(text, part) }
