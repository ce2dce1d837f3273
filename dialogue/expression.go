package dialogue

import (
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
	"github.com/fermata-go/fermata/internal/expression"
)

// A formula is an expression of a dialogue, and a template a text with expressions in it; nil is the empty text.
type (
	formula  = expression.Expression
	template = expression.Template
)

// scopeOf is what expressions read.
func scopeOf(names map[string]any) *expression.Scope { return expression.NewScope(names, nil) }

// render fills in a text that is said in a frame, or outside of all. Values of slots are shown as their types say; a text may have
// slots of its own.
func (d *Dialogue) render(t *template, f *Frame, names map[string]any, own ...*slot) (string, error) {
	if t == nil {
		return "", nil
	}
	today, _ := names[nameToday].(string)
	return t.RenderAs(scopeOf(names), func(in expression.Hole, v any) string {
		w := showing{today: today, before: in.Before, behind: in.Behind}
		switch name := nameIn(in.Names, names, v); name {
		case nameToday:
			return d.locale.ShowDate(today, today)
		case nameNow:
			return d.locale.ShowMoment(shown(v), today)
		default:
			return d.shownIn(w, d.named(f, name, own), v)
		}
	})
}

// nameIn is the one of some names that a value is of. A value of none of them is a literal: a text is shown as it stands, and
// anything else as a value of the first name.
func nameIn(all []string, names map[string]any, v any) string {
	at := slices.IndexFunc(all, func(name string) bool { return names[name] != nil && equal(names[name], v) })
	if _, text := v.(string); len(all) == 0 || at < 0 && text {
		return ""
	}
	return all[max(at, 0)]
}

// named is the slot of a name, also of the context. What has none is a variable.
func (d *Dialogue) named(f *Frame, name string, own []*slot) *slot {
	is := func(sl *slot) bool { return sl.name == name }
	if i := slices.IndexFunc(own, is); i >= 0 {
		return own[i]
	}
	if p, ok := d.find(f, name); ok {
		return p.slot
	}
	if i := slices.IndexFunc(d.context, is); i >= 0 {
		return d.context[i]
	}
	return &slot{name: name}
}

// showing is how a value is shown: in a language, on a day, and between the words of a text.
type showing struct {
	phrase.Locale
	today          string // the day on which it is shown, as slots hold days; "" for one that is not known
	before, behind string // the text beside it
	unnamed        bool   // nothing names a currency, and amounts are numbers alone
	alone          bool   // no text stands around it: a time says that it is one
}

// shown is a value of a slot as people are told it.
func (d *Dialogue) shown(s *State, sl *slot, v any) string {
	return d.shownIn(showing{today: d.clock(s.At).Format(time.DateOnly), alone: true}, sl, v)
}

// shownIn is shown among words of a text.
func (d *Dialogue) shownIn(w showing, sl *slot, v any) string {
	if v == nil {
		return "–"
	}
	w.Locale, w.unnamed = d.localeOf(sl), w.unnamed || sl.Currency == "" && d.def.Settings.Currency == ""
	return sl.Type.kind().show(w, sl.Slot, v)
}

// plain is a value of no known type as people are told it: no braces, and no words of programs.
func (w showing) plain(v any) string {
	var all []string
	switch v := v.(type) {
	case bool:
		if v {
			return w.Spoken().Say(phrase.Yes, nil)
		}
		return w.Spoken().Say(phrase.No, nil)
	case string:
		return v
	case []any:
		for _, one := range v {
			all = append(all, w.plain(one))
		}
		return w.Spoken().All(all)
	case map[string]any:
		for _, name := range keysOf(v) {
			all = append(all, name+": "+w.plain(v[name]))
		}
		return strings.Join(all, ", ")
	case nil:
		return "–"
	}
	return w.ShowNumber(shown(v))
}

// clock is a time with the word for it where it stands alone: "19:00 Uhr".
func (w showing) clock(text string) string {
	if w.alone {
		return w.Spoken().Say(phrase.ClockShown, phrase.Args{"time": text})
	}
	return text
}

// shown is a value as programs write it.
func shown(v any) string { return expression.Text(v) }

var textType = expression.Plain(expression.TextKind)

// faults reports what is wrong with an expression.
func (c *compiler) faults(path string, all ...expression.Fault) {
	for _, fault := range all {
		c.report(path, fault.Offset, fault.Message)
	}
}

// formula compiles an expression of a step.
func (c *compiler) formula(st *step, text, path string) *formula {
	code, fault := expression.Compile(text)
	if fault != nil {
		c.faults(path, *fault)
		return nil
	}
	st.reads = append(st.reads, code.Names()...)
	return code
}

// template compiles a text.
func (c *compiler) template(text, path string) *template {
	t, fault := expression.CompileTemplate(text)
	if fault != nil {
		c.faults(path, *fault)
		return nil
	}
	return t
}

// checked compiles a text and checks it against names.
func (c *compiler) checked(text, path string, known expression.Names) *template {
	t := c.template(text, path)
	c.checkTemplate(t, path, known)
	return t
}

// place is where an expression stands.
func (c *compiler) place(known expression.Names) expression.Place {
	return expression.Place{Names: known, Hints: c.hints, Remedy: "let every way here ask for it"}
}

func (c *compiler) checkTemplate(t *template, path string, known expression.Names) {
	if t != nil {
		c.faults(path, t.Check(c.place(known))...)
	}
}

// checkFormula checks an expression, and says of what type it is.
func (c *compiler) checkFormula(f *formula, path string, known expression.Names) *expression.Type {
	if f == nil {
		return expression.Anything
	}
	t, faults := f.Check(c.place(known))
	c.faults(path, faults...)
	return t
}

// checkCondition checks an expression that decides something.
func (c *compiler) checkCondition(f *formula, path string, known expression.Names) {
	if t := c.checkFormula(f, path, known); t.May(expression.BoolKind) {
		c.fault(path, "expected true or false, found %s", t)
	}
}

func typeOfSchema(doc []byte) *expression.Type {
	if doc == nil {
		return expression.Anything
	}
	v, err := decoded(doc)
	if m, ok := v.(map[string]any); ok && err == nil {
		return expression.TypeOfSchema(m)
	}
	return expression.Anything
}

// names are what expressions know in a flow, or outside of all, wherever it stands: slots may be empty.
func (c *compiler) names(f *flow) expression.Names {
	n := expression.NoNames()
	if c.d.def.Context == nil {
		n.Rest = expression.AnyInput
	}
	c.addContext(&n)
	n.Set(nameToday, textType)
	n.Set(nameNow, textType)
	for _, name := range keysOf(c.d.slots) {
		n.Set(name, open(c.d.slots[name]))
	}
	if f != nil {
		for _, sl := range f.order {
			n.Set(sl.name, open(sl))
		}
		for _, name := range f.variables() {
			if !slices.Contains(keysOf(f.slots), name) && c.d.slots[name] == nil {
				n.Set(name, optional(expression.Anything))
			}
		}
	}
	return n
}

// addContext adds the names that a conversation begins with.
func (c *compiler) addContext(n *expression.Names) {
	for _, sl := range c.context {
		t := sl.values
		if sl.Optional {
			t = optional(t)
		}
		n.Set(sl.name, t)
	}
}

// given is the type of a slot that holds something.
func (s *slot) given() *expression.Type {
	return s.values.With(func(t *expression.Type) { t.Kinds &^= expression.NullKind })
}

// contextNames is what there is when a conversation begins and a value that it begins with is checked: all that the check
// reads was brought, or it is left.
func (c *compiler) contextNames(sl *slot) expression.Names {
	n := expression.NoNames()
	c.addContext(&n)
	for _, other := range c.context {
		if sl.validate != nil && slices.Contains(sl.validate.Names(), other.name) {
			n.Set(other.name, other.given())
		}
	}
	return n
}

// open is the type of a slot that need not be filled. One whose first value is checked against others may not have it.
func open(sl *slot) *expression.Type {
	if sl.Initial != nil && sl.alone() {
		return sl.values
	}
	return optional(sl.values)
}

// alone reports whether a slot is checked by nothing else than itself, so that its first value is good or never is.
func (s *slot) alone() bool {
	return s.validate == nil || !slices.ContainsFunc(s.validate.Names(), func(name string) bool { return name != s.name })
}

func optional(t *expression.Type) *expression.Type {
	return t.With(func(u *expression.Type) { u.Missing = true })
}

// variables are the names that the flow's steps write.
func (f *flow) variables() []string {
	var all []string
	for _, st := range f.list {
		all = append(all, st.writes...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
