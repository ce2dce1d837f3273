package recipe

import (
	"slices"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
)

// The keys of a test and of its parts. Schema publishes the same ones.
var (
	testsFileKeys = []string{"apiVersion", "kind", "agents", "tests"}
	testKeys      = []string{"name", "description", "by", "inputs", "answers", "messages", "agents", "models", "expect"}
	expectKeys    = []string{"status", "outputs", "contains", "check", "path", "visits", "asked", "calls", "error"}
	askedKeys     = []string{"node", "prompt", "role", "options"}
	standInKeys   = []string{"returns", "error", "expr", "live", "after_seconds"}
	testTurnKeys  = append([]string{"prompt", "cost"}, turnKeys...)
	replyKeys     = []string{"answer", "by", "expire"}
)

// statusRefused is what a test expects of inputs that do not fit: no run begins.
const statusRefused = "refused"

// theStarter starts the runs of tests that do not say who does.
const theStarter = "the starter"

// testStatuses are the ends that a test can expect. The first is the default.
var testStatuses = []string{
	string(fermata.Completed), string(fermata.Failed), string(fermata.Paused), string(fermata.Expired), string(fermata.Stuck), statusRefused,
}

// test is a test as it was written.
type test struct {
	document.Spot
	name     document.Word
	by       string // who starts the run
	inputs   map[string]any
	places   map[string]document.Spot // of the inputs
	answers  []*replies
	messages []posted
	standIns []*standIn
	models   []*lines
	expect   expectation
}

// posted is a message to the run.
type posted struct {
	name  document.Word
	value any
}

// postedKeys are the keys of a message.
var postedKeys = []string{"name", "value"}

// replies are what people say to the questions of a node, one after the other.
type replies struct {
	node document.Word
	list []reply
}

// reply is one answer, or none.
type reply struct {
	document.Spot
	value  any
	by     string // who says it; "" for whoever may
	expire bool   // the deadline passes
	wrong  bool   // and reported
}

// standIn is what an agent does in a test: the same always, or one thing after the other.
type standIn struct {
	document.Spot
	agent document.Word
	live  bool
	acts  []act
	list  bool
}

// act is one call of an agent in a test.
type act struct {
	document.Spot
	do    string // returns, error, expr
	after time.Duration
	value any
	fault string
	code  *expression.Expression
}

// expectation is how a run of a test must end.
type expectation struct {
	document.Spot
	status   document.Word
	outputs  []wanted
	whole    bool // outputs is there: there are no others
	contains []wanted
	check    []assignment // without keys
	path     []document.Word
	hasPath  bool
	visits   []countOf
	asked    []asking
	hasAsked bool
	calls    []calling
	fault    document.Word
}

// wanted is a name with the value that it must have.
type wanted struct {
	name  document.Word
	at    document.Spot
	value any
}

// countOf is how often something must happen.
type countOf struct {
	name document.Word
	at   document.Spot
	n    int
}

// asking is a question that must be asked.
type asking struct {
	document.Spot
	node    document.Word
	prompt  *string
	role    *string
	options []string
}

// calling is how often an agent must be called, and what with.
type calling struct {
	countOf
	args []wanted
}

// readTests reads the tests of a recipe or of a file of tests.
func (d *draft) readTests(o *document.Object) {
	for _, at := range o.List("tests") {
		if at.Node.Kind != yaml.MappingNode {
			o.Report.Add(at, "expected a test such as {name: …, inputs: {…}, expect: {…}}, found %s", document.Describe(at.Node))
			continue
		}
		t := readTest(document.NewObject(at, o.Report, testKeys))
		if i := slices.IndexFunc(d.tests, func(u *test) bool { return u.name.Text == t.name.Text }); i >= 0 && t.name.Text != "" {
			before := d.tests[i].name
			o.Report.Add(t.name.Spot, "the name %s is taken: the test in %s, line %d has it", document.Quote(t.name.Text), before.Source.File, before.Node.Line)
			continue
		}
		d.tests = append(d.tests, t)
	}
}

// readTestsFile reads a file of tests, and of agents that only they need, into the document.
func (d *draft) readTestsFile(src *document.Source, r *document.Report) {
	o := readPart(src, r, testsFileKeys, "Tests", "tests", "a list of tests")
	d.readAgents(o)
	d.readTests(o)
}

func readTest(o *document.Object) *test {
	t := &test{Spot: o.Spot, name: o.NeedText("name", "what the test shows"), inputs: make(map[string]any), places: make(map[string]document.Spot)}
	o.Text("description")
	if t.by = theStarter; o.Has("by") {
		t.by = o.NeedText("by", "the name of who starts the run").Text
	}
	for _, p := range o.Pairs("inputs") {
		t.inputs[p.Key.Text], t.places[p.Key.Text] = valueAt(p.Value, o.Report), p.Key.Spot
	}
	for _, p := range o.Pairs("answers") {
		t.answers = append(t.answers, readReplies(p, o.Report))
	}
	for _, at := range o.List("messages") {
		m := document.NewObject(at, o.Report, postedKeys)
		t.messages = append(t.messages, posted{name: m.NeedText("name", "the message of a node of type receive"), value: m.Value("value")})
	}
	for _, p := range o.Pairs("agents") {
		t.standIns = append(t.standIns, readStandIn(p, o.Report))
	}
	for _, p := range o.Pairs("models") {
		t.models = append(t.models, readLines(p, o.Report))
	}
	t.expect = readExpectation(o)
	return t
}

// valueAt is the JSON value at a place.
func valueAt(at document.Spot, r *document.Report) any {
	v, err := document.JSON(at.Node)
	if err != nil {
		r.Add(at, "%v", err)
	}
	return v
}

// elements are the elements of a list, or the one value that stands for a list of one.
func elements(at document.Spot) []document.Spot {
	if at.Node.Kind != yaml.SequenceNode {
		return []document.Spot{at}
	}
	all := make([]document.Spot, len(at.Node.Content))
	for i, n := range at.Node.Content {
		all[i] = document.Spot{Source: at.Source, Node: n, Path: document.Index(at.Path, i)}
	}
	return all
}

// readReplies reads the answers of a node: one, or a list.
func readReplies(p document.Pair, r *document.Report) *replies {
	a := &replies{node: p.Key}
	for _, at := range elements(p.Value) {
		a.list = append(a.list, readReply(at, r))
	}
	if len(a.list) == 0 {
		r.Add(p.Value, "there is no answer; expected one, or a list of them")
	}
	return a
}

// readReply reads an answer: {answer: …}, {expire: true}, or the answer itself.
func readReply(at document.Spot, r *document.Report) reply {
	special := at.Node.Kind == yaml.MappingNode && len(at.Node.Content) > 0
	if special {
		for key := range document.Entries(at.Node) {
			special = special && slices.Contains(replyKeys, key.Value)
		}
	}
	if !special {
		return reply{Spot: at, value: valueAt(at, r)}
	}
	o := document.NewObject(at, r, replyKeys)
	_, answers := o.Fields["answer"]
	a := reply{Spot: at, expire: o.Flag("expire"), by: o.Text("by").Text, value: o.Value("answer")}
	if a.expire == answers {
		a.wrong = true
		r.Add(at, "expected {answer: …}, or {expire: true} to let the deadline pass")
	}
	return a
}

// readStandIn reads what an agent does: one thing always, or a list of what it does one after the other.
func readStandIn(p document.Pair, r *document.Report) *standIn {
	s := &standIn{Spot: p.Value, agent: p.Key, list: p.Value.Node.Kind == yaml.SequenceNode}
	for _, at := range elements(p.Value) {
		s.readAct(at, r)
	}
	if s.list && len(s.acts) == 0 && !s.live {
		r.Add(p.Value, "the list is empty; expected what the agent does at each call, such as {returns: …}")
	}
	return s
}

func (s *standIn) readAct(at document.Spot, r *document.Report) {
	const expected = "expected {returns: …}, {error: …}, {expr: …} or {live: true}"
	if at.Node.Kind != yaml.MappingNode {
		r.Add(at, "%s; found %s", expected, document.Describe(at.Node))
		return
	}
	o := document.NewObject(at, r, standInKeys)
	a := act{Spot: at, after: o.SecondsOf("after_seconds")}
	n := 0
	for key := range o.Fields {
		if key != "after_seconds" {
			a.do = key
			n++
		}
	}
	if n != 1 {
		if len(o.Fields) == len(at.Node.Content)/2 { // else an unknown key was reported
			r.Add(at, "%s, one of them; found %d keys", expected, n)
		}
		return
	}
	switch a.do {
	case "returns":
		a.value = o.Value("returns")
	case "error":
		a.fault = o.NeedText("error", "what the agent fails with").Text
	case "expr":
		w := o.NeedText("expr", "an expression over the agent's arguments")
		if w.Text != "" {
			var fault *expression.Fault
			if a.code, fault = expression.Compile(w.Text); fault != nil {
				r.Inside(w.Spot, fault.Offset, "%s", fault.Message)
			}
		}
	case "live":
		if s.live = o.Flag("live"); o.Has("after_seconds") {
			r.Add(o.At("after_seconds"), "{live: true} takes the time that the agent takes; after_seconds goes with returns, error and expr")
		}
		if s.list {
			r.Add(at, "{live: true} stands alone, not in a list: the agent itself is called, always")
		}
		return
	}
	s.acts = append(s.acts, a)
}

func readExpectation(o *document.Object) expectation {
	e := expectation{}
	if !o.Has("expect") {
		o.Need("expect", "how the run ends, such as {outputs: {…}} or {status: failed}")
		return e
	}
	x := document.NewObject(o.At("expect"), o.Report, expectKeys)
	e.Spot = x.Spot
	e.status = x.Text("status")
	e.fault = x.Text("error")
	switch {
	case !x.Has("status") && x.Has("error"):
		e.status = document.Word{Spot: x.At("error"), Text: string(fermata.Failed)}
	case !x.Has("status"):
		e.status = document.Word{Spot: x.Spot, Text: testStatuses[0]}
	default:
		e.status.Text = x.Choice("status", testStatuses...)
	}
	e.outputs, e.whole = readExpected(x, "outputs"), x.Has("outputs")
	e.contains = readExpected(x, "contains")
	for _, w := range x.Words("check") {
		e.check = append(e.check, assignment{key: w, expr: w})
	}
	e.path, e.hasPath = x.Words("path"), x.Has("path")
	for _, p := range x.Pairs("visits") {
		e.visits = append(e.visits, readCount(p, o.Report))
	}
	e.hasAsked = x.Has("asked")
	for _, at := range x.List("asked") {
		e.asked = append(e.asked, readAsking(document.NewObject(at, o.Report, askedKeys)))
	}
	for _, p := range x.Pairs("calls") {
		e.calls = append(e.calls, readCalling(p, o.Report))
	}
	return e
}

// readExpected reads names with values.
func readExpected(o *document.Object, key string) []wanted {
	var all []wanted
	for _, p := range o.Pairs(key) {
		all = append(all, wanted{name: p.Key, at: p.Value, value: valueAt(p.Value, o.Report)})
	}
	return all
}

func readCount(p document.Pair, r *document.Report) countOf {
	o := p.Object(r)
	return countOf{name: p.Key, at: p.Value, n: o.Number(p.Key.Text, 0, 0)}
}

func readAsking(o *document.Object) asking {
	a := asking{Spot: o.Spot, node: o.NeedText("node", "the id of the node that asks")}
	if o.Has("prompt") {
		a.prompt = new(o.Text("prompt").Text)
	}
	if o.Has("role") {
		a.role = new(o.Text("role").Text)
	}
	for _, w := range o.Words("options") {
		a.options = append(a.options, w.Text)
	}
	return a
}

// readCalling reads how often an agent is called: a number, or a list of the arguments of each call.
func readCalling(p document.Pair, r *document.Report) calling {
	if p.Value.Node.Kind != yaml.SequenceNode {
		return calling{countOf: readCount(p, r)}
	}
	c := calling{countOf: countOf{name: p.Key, at: p.Value}}
	for _, at := range elements(p.Value) {
		if at.Node.Kind != yaml.MappingNode {
			r.Add(at, "expected the arguments of a call, a mapping, found %s", document.Describe(at.Node))
			continue
		}
		c.args = append(c.args, wanted{name: document.Word{Spot: at, Text: p.Key.Text}, at: at, value: valueAt(at, r)})
	}
	c.n = len(c.args)
	return c
}
