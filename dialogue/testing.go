package dialogue

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/document"
)

// Test is a conversation as it must go: a transcript. Package dialoguetest runs it.
type Test struct {
	Name   string // unique within the dialogue
	File   string
	Line   int // from 1
	Column int
	// Language is the tag of the translation in which the conversation is held. Defaults to the dialogue's own language.
	Language string
	Context  map[string]any          // what the conversation is begun with
	Now      time.Time               // when it begins. Defaults to a time that is the same always
	Actions  map[string][]TestResult // by the names of actions: what they give, one call after the other, the last one always
	Texts    int                     // which of several texts of a message is said first, from 1. Defaults to 1
	Talk     []TestLine
}

// TestResult is what an action gives in a test.
type TestResult struct {
	Value any
	Error string // it fails with this
	// Transient says that another try may go better: the retries of the step make it again.
	Transient bool
}

// TestLine is a line of a test, with its expected results. The first line of a test may hold nothing but what the
// conversation says unasked.
//
// One struct: each field is a key that a line of a file may have.
type TestLine struct {
	Index  int // of the line in the test's talk
	Line   int // in the file, from 1
	Column int
	User   string
	Agent  string    // said by the person who has taken over
	Done   bool      // who gives the conversation back with it
	Press  []Command // a button: no NLU is asked
	// Language is the language of the message, and of the conversation from here on. Alone, a program changes it.
	Language string
	Silence  bool   // nobody says anything, until the conversation does
	Event    *Event // a program reports it
	Opening  bool   // nothing is said: the conversation has begun

	After time.Duration // how much later it is said than the line before. Defaults to a second

	Commands    []Command // what the NLU understands, and what a model answers in its place
	HasCommands bool
	Bot         []string   // all that is said, in order
	BotOr       [][]string // by the place in Bot: other texts that are as good
	HasBot      bool
	Slots       map[string]any // some of them; null for an empty one
	Calls       []TestCall     // the actions that are made, in order, where HasCalls
	HasCalls    bool
	Active      *string // the flow that is going on then; "" for none
	Closed      *bool
	Handoff     *bool
}

// Says reports whether texts are all that the line expects to be said.
func (l *TestLine) Says(texts []string) bool {
	for i, text := range texts {
		if !l.SaysAt(i, text) {
			return false
		}
	}
	return len(texts) == len(l.Bot)
}

// SaysAt reports whether a text is the one that the line expects at a place.
func (l *TestLine) SaysAt(i int, text string) bool {
	return i < len(l.Bot) && (l.Bot[i] == text || i < len(l.BotOr) && slices.Contains(l.BotOr[i], text))
}

// TestCall is a call of an action, and some of what it is given.
type TestCall struct {
	Action string
	With   map[string]any
}

// The keys of tests. Those who publish what a file may hold read them, too.
var (
	testFileKeys = []string{"apiVersion", "kind", "tests"}
	testKeys     = []string{"name", "description", "language", "context", "now", "actions", "texts", "talk"}
	lineKeys     = []string{"user", "agent", "done", "press", "silence", "event", "language", "after", "commands", "bot", "slots", "calls", "active", "closed", "handoff"}
	commandKeys  = []string{"type", "flow_name", "slot_name", "slot_value", "slot_to_change", "options", "text", "choice", "language", "confidence", "data"}
)

// LoadTests reads the tests of a dialogue's file, and of bank.test.yaml beside bank.yaml. Its error is a
// *definition.Error.
func LoadTests(file string) ([]Test, error) {
	r := &document.Report{Expected: "a dialogue"}
	all, err := testsOf(file, r, false)
	if err == nil {
		if beside := TestFile(file); beside != "" {
			var more []Test
			more, err = testsOf(beside, r, true)
			all = append(all, more...)
		}
	}
	if err == nil {
		err = r.Err()
	}
	if err != nil {
		return nil, err
	}
	return all, nil
}

// TestFile is the file of tests beside a dialogue; "" for none.
func TestFile(file string) string {
	for _, ext := range []string{".yaml", ".yml", ".json"} {
		name := strings.TrimSuffix(file, filepath.Ext(file)) + ".test" + ext
		if info, err := os.Stat(name); err == nil && !info.IsDir() {
			return name
		}
	}
	return ""
}

func testsOf(file string, r *document.Report, alone bool) ([]Test, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	src := document.Read(file, data, r)
	if src.Root == nil || src.Root.Kind != yaml.MappingNode {
		return nil, nil
	}
	known := testFileKeys
	if !alone { // its other keys are the loader's
		known = slices.Collect(func(yield func(string) bool) {
			for k := range document.Entries(src.Root) {
				if !yield(k.Value) {
					return
				}
			}
		})
	}
	return readTests(document.NewObject(document.Spot{Source: src, Node: src.Root}, r, known)), nil
}

// readTests reads the tests of a dialogue or of a file of tests.
func readTests(o *document.Object) []Test {
	var all []Test
	for _, at := range o.List("tests") {
		if at.Node.Kind != yaml.MappingNode {
			o.Report.Add(at, "expected a test such as {name: …, talk: […]}, found %s", document.Describe(at.Node))
			continue
		}
		t := readTest(document.NewObject(at, o.Report, testKeys))
		if i := slices.IndexFunc(all, func(u Test) bool { return u.Name == t.Name }); i >= 0 && t.Name != "" {
			o.Report.Add(at, "the name %s is taken: the test in line %d has it", document.Quote(t.Name), all[i].Line)
		}
		all = append(all, t)
	}
	return all
}

func readTest(o *document.Object) Test {
	name := o.NeedText("name", "what the test shows")
	t := Test{Name: name.Text, File: o.Spot.Source.File, Line: o.Spot.Node.Line, Column: o.Spot.Node.Column}
	if name.Node != nil {
		t.Line, t.Column = name.Node.Line, name.Node.Column
	}
	o.Text("description")
	t.Language = o.Text("language").Text
	t.Context, t.Texts = o.Mapping("context"), o.Number("texts", 1, 1)
	if o.Has("now") {
		now, err := time.Parse(time.RFC3339, o.Fields["now"].Value)
		if t.Now = now; err != nil {
			o.Report.Add(o.At("now"), "expected a time such as 2026-11-20T10:00:00Z, found %s", document.Describe(o.Fields["now"]))
		}
	}
	for _, p := range o.Pairs("actions") {
		if t.Actions == nil {
			t.Actions = make(map[string][]TestResult)
		}
		t.Actions[p.Key.Text] = readResults(p.Value, o.Report)
	}
	if !o.Has("talk") {
		o.Need("talk", "a list of what is said, such as [{user: …, bot: …}]")
	}
	for i, at := range o.List("talk") {
		if at.Node.Kind != yaml.MappingNode {
			o.Report.Add(at, "expected something that is said, such as {user: …, bot: …}, found %s", document.Describe(at.Node))
			continue
		}
		t.Talk = append(t.Talk, readLine(document.NewObject(at, o.Report, lineKeys), i))
	}
	return t
}

// readResults reads what an action gives: the same always, or one thing after the other.
func readResults(at document.Spot, r *document.Report) []TestResult {
	if at.Node.Kind != yaml.SequenceNode {
		return []TestResult{readResult(at, r)}
	}
	var all []TestResult
	for i, n := range at.Node.Content {
		all = append(all, readResult(document.Spot{Source: at.Source, Node: n, Path: document.Index(at.Path, i)}, r))
	}
	if len(all) == 0 {
		r.Add(at, "the list is empty; expected what the action gives at each call")
	}
	return all
}

// resultKeys are the keys of a result that is an error.
var resultKeys = []string{"error", "transient"}

func readResult(at document.Spot, r *document.Report) TestResult {
	if n := at.Node; n.Kind == yaml.MappingNode && isError(n) {
		o := document.NewObject(at, r, resultKeys)
		return TestResult{Error: o.NeedText("error", "what the action fails with").Text, Transient: o.Flag("transient")}
	}
	return TestResult{Value: jsonAt(at, r)}
}

// isError reports whether a mapping says that an action fails, and nothing else.
func isError(n *yaml.Node) bool {
	fails := false
	for k := range document.Entries(n) {
		if fails = fails || k.Value == "error"; !slices.Contains(resultKeys, k.Value) {
			return false
		}
	}
	return fails
}

func jsonAt(at document.Spot, r *document.Report) any {
	v, err := document.JSON(at.Node)
	if err != nil {
		r.Add(at, "%v", err)
	}
	return v
}

func readLine(o *document.Object, index int) TestLine {
	l := TestLine{
		Index: index, Line: o.Spot.Node.Line, Column: o.Spot.Node.Column,
		User: textAt(o, "user"), Agent: textAt(o, "agent"), Language: o.Text("language").Text, Done: o.Flag("done"), Silence: o.Flag("silence"), After: time.Second,
		HasCommands: o.Has("commands"), HasBot: o.Has("bot"), HasCalls: o.Has("calls"), Slots: o.Mapping("slots"),
	}
	said := 0
	for _, key := range []string{"user", "agent", "press", "silence", "event"} {
		if o.Has(key) {
			said++
		}
	}
	switch {
	case said == 0 && index == 0 && o.Has("bot"):
		l.Opening = true
	case said == 0 && l.Language != "":
	case said != 1:
		o.Report.Add(o.Spot, "expected one of user, agent, press, silence and event, found %d of them", said)
	case l.Language != "" && (l.Silence || o.Has("event")):
		o.Report.Add(o.At("language"), "a silence and an event have no language; give it to what is said")
	}
	if o.Has("after") {
		d, err := time.ParseDuration(o.Fields["after"].Value)
		if l.After = d; err != nil || d < 0 {
			o.Report.Add(o.At("after"), "expected a time such as 90s or 2h, found %s", document.Describe(o.Fields["after"]))
		}
	}
	l.Event = readEvent(o)
	l.Press, l.Commands = readCommands(o, "press"), readCommands(o, "commands")
	l.Bot, l.BotOr = botAt(o)
	for _, at := range o.List("calls") {
		l.Calls = append(l.Calls, readCalls(at, o.Report)...)
	}
	l.Closed, l.Handoff = flagAt(o, "closed"), flagAt(o, "handoff")
	if o.Has("active") {
		active := o.Text("active").Text
		l.Active = &active
	}
	return l
}

// testEventKeys are the keys of an event in a test, which needs no id.
var testEventKeys = []string{"name", "data"}

// readEvent reads what a program tells of: a name, or {name, data}.
func readEvent(o *document.Object) *Event {
	switch {
	case !o.Has("event"):
		return nil
	case !o.IsMapping("event"):
		return &Event{Name: o.Text("event").Text}
	}
	e := o.Object("event", testEventKeys)
	return &Event{Name: e.NeedText("name", "one of the dialogue's events").Text, Data: e.Mapping("data")}
}

func flagAt(o *document.Object, key string) *bool {
	if !o.Has(key) {
		return nil
	}
	v := o.Flag(key)
	return &v
}

// textAt reads what people say: any scalar is a text.
func textAt(o *document.Object, key string) string {
	if n := o.Fields[key]; n != nil && n.Kind == yaml.ScalarNode && !document.IsNull(n) {
		return n.Value
	}
	return o.Text(key).Text
}

// anyKeys are the keys of what is said where one of several texts will do.
var anyKeys = []string{"any"}

// botAt reads what is said: texts, and {any: [several that are as good]}.
func botAt(o *document.Object) (said []string, or [][]string) {
	n := o.Fields["bot"]
	if n == nil || document.IsNull(n) {
		return nil, nil
	}
	if n.Kind != yaml.SequenceNode && n.Kind != yaml.MappingNode {
		return []string{textAt(o, "bot")}, nil
	}
	list := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		list = n.Content
	}
	for i, e := range list {
		at := document.Spot{Source: o.Spot.Source, Node: e, Path: document.Index(o.At("bot").Path, i)}
		if e.Kind != yaml.MappingNode {
			if e.Kind != yaml.ScalarNode {
				o.Report.Add(at, "expected a text or {any: [texts]}, found %s", document.Describe(e))
			}
			said, or = append(said, e.Value), append(or, nil)
			continue
		}
		texts := words(document.NewObject(at, o.Report, anyKeys).Words("any"))
		if len(texts) == 0 {
			o.Report.Add(at, "expected {any: [texts]}: the texts of which one is said")
			continue
		}
		said, or = append(said, texts[0]), append(or, texts[1:])
	}
	return said, or
}

func readCommands(o *document.Object, key string) []Command {
	var all []Command
	for _, at := range o.List(key) {
		if at.Node.Kind != yaml.MappingNode {
			o.Report.Add(at, "expected a command such as {type: set_slot, slot_name: …, slot_value: …}, found %s", document.Describe(at.Node))
			continue
		}
		c := document.NewObject(at, o.Report, commandKeys)
		c.NeedText("type", "the type of the command, such as start_flow")
		data, err := json.Marshal(jsonAt(at, o.Report))
		if err != nil {
			o.Report.Add(at, "%v", err)
			continue
		}
		var command Command
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		if err := d.Decode(&command); err != nil {
			o.Report.Add(at, "expected a command: %v", unwrapped(err))
		}
		all = append(all, command)
	}
	return all
}

// unwrapped says what is wrong with a value in words of the file.
func unwrapped(err error) error {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return errors.New(t.Field + " cannot be a " + t.Value)
	}
	return err
}

// readCalls reads a call: the name of an action, or {name: {what it is given}}.
func readCalls(at document.Spot, r *document.Report) []TestCall {
	if at.Node.Kind == yaml.ScalarNode && !document.IsNull(at.Node) {
		return []TestCall{{Action: at.Node.Value}}
	}
	if at.Node.Kind != yaml.MappingNode || len(at.Node.Content) != 2 {
		r.Add(at, "expected the name of an action, or {name: {what it is given}}, found %s", document.Describe(at.Node))
		return nil
	}
	name := at.Node.Content[0].Value
	o := document.NewObject(at, r, []string{name})
	return []TestCall{{Action: name, With: o.Mapping(name)}}
}

// Same reports whether two values are equal, as JSON and as numbers: 50 is 50.0.
func Same(a, b any) bool {
	x, errA := plainValue(a)
	y, errB := plainValue(b)
	return errA == nil && errB == nil && equal(digits(x), digits(y))
}

// digits writes equal numbers in one way.
func digits(v any) any {
	switch v := v.(type) {
	case json.Number:
		if r, ok := new(big.Rat).SetString(v.String()); ok && len(v) < 50 {
			return map[string]any{"number": r.RatString()}
		}
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = digits(v[i])
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for k := range v {
			m[k] = digits(v[k])
		}
		return m
	}
	return v
}
