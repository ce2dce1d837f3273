package dialogue

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/document"
)

// The keys of each part of a file. Schema publishes the same ones.
var (
	fileKeys = []string{
		"$schema", "apiVersion", "kind", "metadata", "settings", "context", "slots", "flows", "patterns", "chitchat", "events", "synonyms", "renamed", "labels", "actions", "tests",
	}
	metadataKeys = []string{"name", "description"}
	settingsKeys = []string{
		"language", "zone", "currency", "day_first", "holidays", "model", "model_timeout_seconds", "embedder", "ranker", "min_confidence", "misses", "silence", "handoff", "greeting", "translations",
	}
	silenceKeys = []string{"after_seconds", "close_after", "handoff_after"}
	handoffKeys = []string{"role"}
	slotKeys    = []string{
		"type", "description", "choices", "items", "currency", "country", "schema", "validate", "error", "initial", "optional", "private",
	}
	choiceKeys  = []string{"value", "label", "synonyms"}
	flowKeys    = []string{"description", "trigger", "slots", "steps", "patterns", "if", "starts", "hidden"}
	patternKeys = []string{"message", "flow"}
	chatKeys    = []string{"trigger", "message"}
	renamedKeys = []string{"flows", "slots"}
)

// The one version and kind of file that is read.
const (
	apiVersion = "fermata/v1"
	fileKind   = "Dialogue"
)

// file is a dialogue as a file has it: what could not be read is reported and left out, or is there by its name alone.
type file struct {
	src    *document.Source
	report *document.Report
	opts   Options
	places places
	def    Definition
	// Of the key actions: what Options.ActionsFrom has made, and what it is made of again.
	actions []Action
	kept    map[string][]byte

	translations []document.TextPair // the key settings.translations: files by languages
}

// read reads all of it.
func (f *file) read() {
	at := document.Spot{Source: f.src, Node: f.src.Root}
	f.places = placesOf(at)
	o := document.NewObject(at, f.report, fileKeys)
	if at.Node.Kind != yaml.MappingNode {
		return
	}
	o.Text("$schema") // of use to editors only
	readKind(o, fileKind, map[string]string{"Recipe": "; a recipe is no dialogue, and a dialogue may call one as an action"})
	m := o.Object("metadata", metadataKeys)
	if f.def.Doc = m.Text("description").Text; m.Text("name").Text != "" {
		f.def.Name = m.Text("name").Text
	}
	f.settings(o.Object("settings", settingsKeys))
	if o.IsMapping("context") {
		f.def.Context = []Slot{}
	}
	f.def.Context = append(f.def.Context, f.slots(o, "context")...)
	f.def.Slots = f.slots(o, "slots")
	for _, p := range o.Pairs("flows") {
		f.def.Flows = append(f.def.Flows, f.flow(p))
	}
	f.def.Patterns = f.patterns(o)
	f.chitchat(o)
	f.events(o)
	for _, p := range o.Pairs("synonyms") {
		if f.def.Synonyms == nil {
			f.def.Synonyms = make(map[string][]string)
		}
		f.def.Synonyms[p.Key.Text] = words(p.Object(o.Report).Words(p.Key.Text))
	}
	if o.IsMapping("labels") {
		f.def.Labels = textsOf(o.Texts("labels"))
	}
	if o.IsMapping("renamed") {
		r := o.Object("renamed", renamedKeys)
		f.def.Renamed = Renamed{Flows: textsOf(r.Texts("flows")), Slots: textsOf(r.Texts("slots"))}
	}
	if f.actions == nil { // a translation has those of its dialogue
		f.readActions(o)
	}
	readTests(o)
}

// readKind reads what kind of file it is, which has to be the one that is wanted. Of some others there is more to say.
func readKind(o *document.Object, want string, others map[string]string) {
	if v := o.Text("apiVersion"); o.Has("apiVersion") && v.Text != apiVersion {
		o.Report.Add(v.Spot, "apiVersion is %s; expected %s", document.Quote(v.Text), apiVersion)
	}
	if kind := o.NeedText("kind", want); kind.Text != "" && kind.Text != want {
		hint, known := others[kind.Text]
		if !known {
			hint = o.Report.Hint(kind.Text, []string{want})
		}
		o.Report.Add(kind.Spot, "kind is %s; expected %s%s", document.Quote(kind.Text), want, hint)
	}
}

func (f *file) settings(o *document.Object) {
	s := &f.def.Settings
	s.Language, s.Zone, s.Currency = o.Text("language").Text, o.Text("zone").Text, o.Text("currency").Text
	s.DayFirst, s.Model, s.Greeting = o.Flag("day_first"), o.Text("model").Text, o.Text("greeting").Text
	for _, at := range o.List("holidays") {
		s.Holidays = append(s.Holidays, at.Node.Value)
	}
	s.Embedder = o.Text("embedder").Text
	s.Ranker, s.ModelTimeout = o.Text("ranker").Text, o.SecondsOf("model_timeout_seconds")
	s.MinConfidence, s.Misses = o.Decimal("min_confidence", 0, 1), o.Number("misses", 0, 0)
	silence := o.Object("silence", silenceKeys)
	s.Silence, s.Silences = silence.SecondsOf("after_seconds"), silence.Number("close_after", 0, 0)
	s.SilentHandoff = silence.Number("handoff_after", 0, 0)
	if o.IsMapping("silence") && !silence.Has("after_seconds") {
		silence.Need("after_seconds", "a number of seconds without a word")
	}
	s.Role = o.Object("handoff", handoffKeys).Text("role").Text
	f.translations = o.Texts("translations")
}

// slots reads a mapping of names to slots, or to their types alone.
func (f *file) slots(o *document.Object, key string) []Slot {
	var all []Slot
	for _, p := range o.Pairs(key) {
		all = append(all, f.slot(p))
	}
	return all
}

func (f *file) slot(p document.Pair) Slot {
	s := Slot{Name: p.Key.Text}
	if n := p.Value.Node; n.Kind != yaml.MappingNode {
		if n.Kind == yaml.ScalarNode && !document.IsNull(n) {
			s.Type = SlotType(n.Value)
			return s
		}
		f.report.Add(p.Value, "expected a type of slots (%s) or a mapping such as {type: text}, found %s", listed(SlotTypes()), document.Describe(n))
		return s
	}
	o := document.NewObject(p.Value, f.report, slotKeys)
	s.Type, s.Items = SlotType(o.Text("type").Text), SlotType(o.Text("items").Text)
	s.Description, s.Currency, s.Country = o.Text("description").Text, o.Text("currency").Text, o.Text("country").Text
	s.Validate, s.Error = o.Text("validate").Text, o.Text("error").Text
	s.Initial, s.Optional, s.Private = o.Value("initial"), o.Flag("optional"), o.Flag("private")
	if shape := o.Shape("schema"); shape != nil {
		s.Schema = shape.Schema().JSON()
	}
	for _, at := range o.List("choices") {
		s.Choices = append(s.Choices, f.choice(at))
	}
	return s
}

// choice reads a value of a choice: a text, or one with other words for it.
func (f *file) choice(at document.Spot) Option {
	if at.Node.Kind == yaml.ScalarNode && !document.IsNull(at.Node) {
		return Option{Value: at.Node.Value}
	}
	if at.Node.Kind != yaml.MappingNode {
		f.report.Add(at, "expected a text or {value, label, synonyms}, found %s", document.Describe(at.Node))
		return Option{}
	}
	o := document.NewObject(at, f.report, choiceKeys)
	return Option{Value: o.NeedText("value", "what the slot holds").Text, Label: o.Text("label").Text, Synonyms: words(o.Words("synonyms"))}
}

func (f *file) flow(p document.Pair) Flow {
	fl := Flow{Name: p.Key.Text}
	if p.Value.Node.Kind != yaml.MappingNode {
		f.report.Add(p.Value, "expected a flow such as {trigger: […], steps: […]}, found %s", document.Describe(p.Value.Node))
		return fl
	}
	o := document.NewObject(p.Value, f.report, flowKeys)
	fl.Description, fl.Hidden = o.Text("description").Text, o.Flag("hidden")
	fl.If, fl.Starts = o.Text("if").Text, StartedBy(o.Text("starts").Text)
	fl.Trigger, fl.Slots = words(o.Words("trigger")), f.slots(o, "slots")
	fl.Steps, fl.Patterns = f.steps(o), f.patterns(o)
	return fl
}

// patterns reads answers of one's own: a text, several, or {message, flow}.
func (f *file) patterns(o *document.Object) map[PatternName]Pattern {
	var all map[PatternName]Pattern
	for _, p := range o.Pairs("patterns") {
		if all == nil {
			all = make(map[PatternName]Pattern)
		}
		all[PatternName(p.Key.Text)] = f.pattern(p)
	}
	return all
}

func (f *file) pattern(p document.Pair) Pattern {
	switch n := p.Value.Node; {
	case n.Kind == yaml.MappingNode:
		o := document.NewObject(p.Value, f.report, patternKeys)
		p := Pattern{Flow: o.Text("flow").Text}
		p.Message, p.Texts = f.message(o, "message")
		return p
	case n.Kind == yaml.SequenceNode:
		return Pattern{Texts: readVariations(p.Value, p.Value.Path+".message", f.report, f.places)}
	case n.Kind == yaml.ScalarNode && !document.IsNull(n):
		return Pattern{Message: n.Value}
	default:
		f.report.Add(p.Value, `expected a message, a list of texts or {flow: name}, found %s; "" says nothing`, document.Describe(n))
		return Pattern{}
	}
}

func (f *file) chitchat(o *document.Object) {
	for _, at := range o.List("chitchat") {
		c := document.NewObject(at, f.report, chatKeys)
		chat := Chat{Trigger: words(c.Words("trigger"))}
		if at.Node.Kind == yaml.MappingNode {
			chat.Message = c.NeedText("message", "what is answered").Text
			if !c.Has("trigger") {
				c.Need("trigger", "a list of what the user may say")
			}
		}
		f.def.Chitchat = append(f.def.Chitchat, chat)
	}
}

func words(list []document.Word) []string {
	var all []string
	for _, w := range list {
		all = append(all, w.Text)
	}
	return all
}

// places are where everything stands in a file, by its path: "flows.transfer.steps[2].message".
type places map[string]written

// written is a value, and the key that it stands under; elements of lists have none.
type written struct{ value, key document.Spot }

func placesOf(root document.Spot) places {
	all := places{"": {value: root}}
	var walk func(at document.Spot)
	walk = func(at document.Spot) {
		switch at.Node.Kind {
		case yaml.MappingNode:
			for k, v := range document.Entries(at.Node) {
				path := document.Join(at.Path, k.Value)
				value := document.Spot{Source: at.Source, Node: v, Path: path}
				all[path] = written{value: value, key: document.Spot{Source: at.Source, Node: k, Path: path}}
				walk(value)
			}
		case yaml.SequenceNode:
			for i, v := range at.Node.Content {
				value := document.Spot{Source: at.Source, Node: v, Path: document.Index(at.Path, i)}
				all[value.Path] = written{value: value}
				walk(value)
			}
		}
	}
	walk(root)
	return all
}

// find is where a path stands, or the nearest thing around it that does, with its path; and of what is more than a text
// the key.
func (p places) find(path string) (at document.Spot, nearest string) {
	for nearest = path; ; nearest = nearest[:max(0, strings.LastIndexAny(nearest, ".["))] {
		found, ok := p[nearest]
		if !ok {
			continue
		}
		if at = found.value; found.key.Node != nil && at.Node.Kind != yaml.ScalarNode {
			at = found.key
		}
		at.Path = path
		return at, nearest
	}
}

// stepTypes are all types of steps, sorted, and the other word for inform.
func stepTypes() []string { return slices.Sorted(maps.Keys(stepKeys)) }

func textsOf(pairs []document.TextPair) map[string]string {
	all := make(map[string]string, len(pairs))
	for _, p := range pairs {
		all[p.Key.Text] = p.Value.Text
	}
	return all
}
