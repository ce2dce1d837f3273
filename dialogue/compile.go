package dialogue

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/dialogue/internal/phrase"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/schema"
)

// compiler checks a definition and makes a dialogue of it. Problems are reported at paths: "flows.transfer.steps[2].next".
type compiler struct {
	d       *Dialogue // that is made
	opts    Options
	report  func(path string, offset int, message string) // takes a problem; offset -1 for all of the text
	actions map[string]*Action                            // by name
	context []*slot                                       // those of Definition.Context
	hints   *nearest.Hints                                // each name is proposed a few times only
	torn    func(path string) bool                        // whether a flow could not be read whole, so that its ways are not followed; nil for none
}

func (c *compiler) fault(path, format string, args ...any) {
	c.report(path, -1, fmt.Sprintf(format, args...))
}

// build makes the dialogue; it is of use only where nothing was reported.
func (c *compiler) build(def Definition) *Dialogue {
	c.d = &Dialogue{def: def, settings: def.Settings, slots: map[string]*slot{}, flows: map[string]*flow{}, patterns: map[PatternName]pattern{}}
	c.actions = make(map[string]*Action)
	for i := range c.opts.Actions {
		a := &c.opts.Actions[i]
		if c.actions[a.Name] != nil {
			c.fault("", "two actions are called %q", a.Name)
		}
		if a.Run == nil && a.Plan == nil {
			c.fault("", "the action %q does nothing: give it Run or Plan", a.Name)
		}
		c.actions[a.Name] = a
	}
	c.settings()
	for i, s := range def.Context {
		if sl := c.slot(s, index("context", s.Name, i)); sl != nil {
			c.context = append(c.context, sl)
		}
	}
	c.d.context = c.context
	for _, sl := range c.context { // it is checked before there is anything else
		c.validator(sl, c.contextNames(sl), "context."+sl.name)
	}
	c.labels(def.Labels)
	c.d.slots = c.slotsOf(def.Slots, "slots", nil)
	for _, name := range keysOf(c.d.slots) {
		c.validator(c.d.slots[name], c.names(nil), "slots."+name)
	}
	if len(def.Flows) == 0 {
		c.fault("flows", "there is no flow; a dialogue has at least one")
	}
	for i, f := range def.Flows {
		c.declare(f, index("flows", f.Name, i))
	}
	for _, f := range c.d.order {
		c.flow(f, "flows."+f.Name)
	}
	for _, f := range c.d.order { // what a flow that is called gives depends on all of its steps
		c.ways(f, "flows."+f.Name)
	}
	for _, f := range c.d.order {
		c.guard(f, "flows."+f.Name)
	}
	c.circles()
	c.renamed(def.Renamed)
	c.d.greeting = c.checked(c.d.settings.Greeting, "settings.greeting", c.names(nil))
	c.eventRules(def.Events)
	c.allPatterns(def.Patterns, "patterns", c.d.patterns, nil)
	c.d.private = c.d.hasPrivate()
	return c.d
}

func index(list, name string, i int) string {
	if name != "" {
		return list + "." + name
	}
	return document.Index(list, i)
}

func (c *compiler) settings() {
	s := &c.d.settings
	if c.d.language = languageOf(s.Language); c.d.language == nil { // a model understands it
		c.d.language = phrase.English
	}
	if s.Language == "" {
		s.Language = "en"
	}
	if s.Currency == "" {
		s.Currency = "EUR"
	}
	if s.MinConfidence == 0 {
		s.MinConfidence = 0.5
	}
	if s.Role == "" {
		s.Role = "agent"
	}
	if s.Ranker == "" {
		s.Ranker = rankerOn
	}
	if s.Ranker != rankerOn && s.Ranker != RankerOff {
		c.fault("settings.ranker", "expected on or off, found %q", s.Ranker)
	}
	if s.MinConfidence < 0 || s.MinConfidence > 1 {
		c.fault("settings.min_confidence", "expected a number from 0 to 1, found %v", s.MinConfidence)
	}
	if s.ModelTimeout < 0 {
		c.fault("settings.model_timeout_seconds", "expected a time above 0, found %v", s.ModelTimeout)
	}
	if s.SilentHandoff > 0 && s.Silences > 0 {
		c.fault("settings.silence", "a silence ends with close_after or with handoff_after, not with both")
	}
	if s.Misses < 0 || s.Silences < 0 || s.Silence < 0 || s.SilentHandoff < 0 {
		c.fault("settings", "misses, silences and silence cannot be below 0")
	}
	for i, name := range s.Holidays {
		if !slices.Contains(phrase.Calendars(), name) {
			c.fault(document.Index("settings.holidays", i), "there is no calendar %q%s", name, c.hints.Hint(name, phrase.Calendars()))
		}
	}
	zone := s.Zone
	if zone == "" {
		zone = "UTC"
	}
	var err error
	if c.d.zone, err = time.LoadLocation(zone); err != nil || zone == "Local" {
		c.d.zone = time.UTC
		c.fault("settings.zone", "%q is no time zone; expected a name such as Europe/Berlin", zone)
	}
}

// wordRule is what names of flows, slots and steps look like.
var wordRule = regexp.MustCompile(`^[\pL_][\pL\pN_-]*$`)

func (c *compiler) name(name, what, path string) bool {
	switch {
	case name == "":
		c.fault(path, "%s has no name", what)
	case !wordRule.MatchString(name):
		c.fault(path, "%q is no name for %s; expected a letter, and then letters, digits and _", name, what)
	default:
		return true
	}
	return false
}

func (c *compiler) slotsOf(list []Slot, at string, of *flow) map[string]*slot {
	all := make(map[string]*slot, len(list))
	for i, s := range list {
		path := index(at, s.Name, i)
		sl := c.slot(s, path)
		if sl == nil {
			continue
		}
		if all[s.Name] != nil {
			c.fault(path, "two slots are called %q", s.Name)
			continue
		}
		all[s.Name] = sl
		if of != nil {
			of.order = append(of.order, sl)
		}
	}
	return all
}

// reservedNames are names that expressions know anyway.
var reservedNames = []string{nameToday, nameNow, flowSlot}

func (c *compiler) slot(s Slot, path string) *slot {
	if !c.name(s.Name, "a slot", path) {
		return nil
	}
	if slices.Contains(reservedNames, s.Name) {
		c.fault(path, "%q cannot be the name of a slot: it means something else in messages", s.Name)
	}
	if s.Type == "" {
		s.Type = Text
	}
	unknown := &slot{Slot: Slot{Name: s.Name, Type: Text, Optional: s.Optional}, name: s.Name, values: expression.Anything}
	if !slices.Contains(SlotTypes(), s.Type) {
		c.fault(path+".type", "%q is no type of slots; expected %s%s", s.Type, listed(SlotTypes()), typeHint(s.Type))
		return unknown
	}
	k := s.Type.kind()
	if !k.complete(c, &s, path) {
		return unknown
	}
	needs := k.is().choices || s.Items.kind().is().choices
	switch {
	case needs && len(s.Choices) == 0:
		c.fault(path, "a slot of type choice needs choices, such as choices: [small, large]")
		return unknown
	case !needs && len(s.Choices) > 0:
		c.fault(path+".choices", "only slots of type choice have choices, and lists of them; this one is of type %s", s.Type)
	}
	for i, o := range s.Choices {
		if slices.ContainsFunc(s.Choices[:i], func(b Option) bool { return strings.EqualFold(b.Value, o.Value) }) {
			c.fault(document.Index(path+".choices", i), "the choice %q stands there twice", o.Value)
		}
	}
	if s.Currency != "" && !k.is().currency {
		c.fault(path+".currency", "only slots of type money have a currency; this one is of type %s", s.Type)
	}
	if s.Country != "" && !k.is().country {
		c.fault(path+".country", "only slots of type phone have a country; this one is of type %s", s.Type)
	}
	if k.is().schema && len(s.Schema) == 0 {
		c.fault(path, "a slot of type %s needs a schema", s.Type)
		return unknown
	}
	sl := &slot{Slot: s, name: s.Name}
	doc, err := s.schema()
	if err == nil {
		sl.check, err = schema.Parse(doc)
	}
	if err != nil {
		c.fault(path+".schema", "not a JSON Schema: %v", err)
		return unknown
	}
	sl.values = typeOfSchema(sl.check.JSON())
	if s.Validate != "" {
		sl.validate, sl.invalid = expression.Compile(s.Validate)
	}
	if s.Initial != nil {
		if sl.initial, err = c.d.read(sl, s.Initial, time.Time{}); err != nil {
			c.fault(path+".initial", "the slot cannot begin with this: %s", strings.TrimSuffix(err.Error(), "."))
		}
		if sl.alone() {
			sl.always = sl.initial
		}
	}
	return sl
}

// typeHint is the end of a message about a type of slots that there is not.
func typeHint(found SlotType) string {
	if here, ok := isAliasOf(found); ok {
		return fmt.Sprintf("; did you mean %q?", here)
	}
	return nearest.Hint(string(found), texts(SlotTypes()))
}

func listed[T ~string](words []T) string { return document.OneOf(texts(words)) }

func texts[T ~string](words []T) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return all
}

// reservedFlows are names that nodes of the plan have.
var reservedFlows = []string{gateNode, nluNode, orchestratorNode}

// declare makes a flow known, before any flow is looked into.
func (c *compiler) declare(f Flow, path string) {
	if !c.name(f.Name, "a flow", path) {
		return
	}
	if slices.Contains(reservedFlows, f.Name) {
		c.fault(path, "a flow cannot be called %q: every dialogue has a node of that name", f.Name)
	}
	if c.d.flows[f.Name] != nil {
		c.fault(path, "two flows are called %q", f.Name)
		return
	}
	fl := &flow{Flow: f, dialogue: c.d, steps: make(map[string]*step), patterns: make(map[PatternName]pattern)}
	fl.slots = c.slotsOf(f.Slots, path+".slots", fl)
	c.d.flows[f.Name] = fl
	c.d.order = append(c.d.order, fl)
}

func (c *compiler) allPatterns(given map[PatternName]Pattern, at string, into map[PatternName]pattern, f *flow) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		p, path := given[name], at+"."+string(name)
		if !slices.Contains(patternNames, name) {
			c.fault(path, "there is no pattern %q%s", name, hintOr(string(name), texts(PatternNames())))
			continue
		}
		if p.Flow != "" {
			if name == OnClose {
				c.fault(path+".flow", "the conversation is over then, so no flow can begin; give a message")
			}
			if p.Message != "" || len(p.Texts) > 0 {
				c.fault(path, "a pattern has a message or a flow, not both")
			}
			c.known(p.Flow, path+".flow")
		}
		known := c.names(f)
		for _, word := range patternWords {
			known.Set(word, textType)
		}
		into[name] = pattern{message: c.checkedMessage(p.Message, p.Texts, path+".message", known), flow: p.Flow}
	}
}

// known finds a flow by a name that the file holds.
func (c *compiler) known(name, path string) *flow {
	f := c.d.flows[name]
	if f == nil {
		c.fault(path, "there is no flow %q%s", name, hintOr(name, keysOf(c.d.flows)))
	}
	return f
}

// hintOr is the nearest name, or all of them where none is near.
func hintOr(found string, known []string) string {
	if hint := nearest.Hint(found, known); hint != "" {
		return hint
	}
	if len(known) == 0 {
		return "; there is none"
	}
	return "; known are " + strings.Join(known, ", ")
}

func keysOf[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// Compile checks a definition and makes a dialogue of it. Its error is a *definition.Error with all problems.
func Compile(def Definition, opts Options) (*Dialogue, error) {
	var problems []definition.Problem
	c := &compiler{opts: opts, hints: new(nearest.Hints)}
	c.report = func(path string, _ int, message string) {
		problems = append(problems, definition.Problem{File: def.Name, Path: path, Message: path + ": " + message})
	}
	d := c.build(def)
	nlu := c.newPhrases()
	if len(problems) > 0 {
		return nil, &definition.Error{Problems: problems}
	}
	return d, d.finish(opts, nlu)
}

// finish makes the plan.
func (d *Dialogue) finish(opts Options, nlu *phrases) error {
	d.locale, d.phrases = nlu.locale, nlu
	switch {
	case opts.NLU != nil:
		d.defaults.NLU = opts.NLU
	case d.settings.Model != "":
		d.defaults.NLU = NewModelNLU(ModelOptions{})
	default:
		d.defaults.NLU = NewPhraseNLU()
	}
	var err error
	d.plan, err = d.newPlan()
	return err
}

// renamed checks that new names are there, and old ones are not.
func (c *compiler) renamed(r Renamed) {
	slots := maps.Clone(c.d.slots)
	for _, f := range c.d.order {
		maps.Copy(slots, f.slots)
	}
	for _, old := range keysOf(r.Flows) {
		if c.d.flows[old] != nil {
			c.fault("renamed.flows."+old, "the flow %q is still there; renamed lists names that are gone", old)
		}
		if to := r.Flows[old]; c.d.flows[to] == nil {
			c.fault("renamed.flows."+old, "there is no flow %q%s", to, c.hints.Hint(to, keysOf(c.d.flows)))
		}
	}
	for _, old := range keysOf(r.Slots) {
		if to := r.Slots[old]; slots[to] == nil {
			c.fault("renamed.slots."+old, "there is no slot %q%s", to, c.hints.Hint(to, keysOf(slots)))
		}
	}
}
