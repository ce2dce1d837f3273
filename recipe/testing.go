package recipe

import (
	"slices"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata"
)

// The keys of a test and of its parts. Schema publishes the same ones.
var (
	testsFileKeys = []string{"apiVersion", "kind", "agents", "tests"}
	testKeys      = []string{"name", "description", "by", "inputs", "answers", "agents", "models", "expect"}
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
	spot
	name     word
	by       string // who starts the run
	inputs   map[string]any
	places   map[string]spot // of the inputs
	answers  []*replies
	standIns []*standIn
	models   []*lines
	expect   expectation
}

// replies are what people say to the questions of a node, one after the other.
type replies struct {
	node word
	list []reply
}

// reply is one answer, or none.
type reply struct {
	spot
	value  any
	by     string // who says it; "" for whoever may
	expire bool   // the deadline passes
	wrong  bool   // and reported
}

// standIn is what an agent does in a test: the same always, or one thing after the other.
type standIn struct {
	spot
	agent word
	live  bool
	acts  []act
	list  bool
}

// act is one call of an agent in a test.
type act struct {
	spot
	do    string // returns, error, expr
	after time.Duration
	value any
	fault string
	code  *expression
}

// expectation is how a run of a test must end.
type expectation struct {
	spot
	status   word
	outputs  []wanted
	whole    bool // outputs is there: there are no others
	contains []wanted
	check    []assignment // without keys
	path     []word
	hasPath  bool
	visits   []countOf
	asked    []asking
	hasAsked bool
	calls    []calling
	fault    word
}

// wanted is a name with the value that it must have.
type wanted struct {
	name  word
	at    spot
	value any
}

// countOf is how often something must happen.
type countOf struct {
	name word
	at   spot
	n    int
}

// asking is a question that must be asked.
type asking struct {
	spot
	node    word
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
func (d *document) readTests(o *object) {
	for _, at := range o.list("tests") {
		if at.node.Kind != yaml.MappingNode {
			o.report.add(at, "expected a test such as {name: …, inputs: {…}, expect: {…}}, found %s", kindOf(at.node))
			continue
		}
		t := readTest(newObject(at, o.report, testKeys))
		if i := slices.IndexFunc(d.tests, func(u *test) bool { return u.name.text == t.name.text }); i >= 0 && t.name.text != "" {
			before := d.tests[i].name
			o.report.add(t.name.spot, "the name %s is taken: the test in %s, line %d has it", quote(t.name.text), before.src.file, before.node.Line)
			continue
		}
		d.tests = append(d.tests, t)
	}
}

// readTestsFile reads a file of tests, and of agents that only they need, into the document.
func (d *document) readTestsFile(src *source, r *report) {
	o := newObject(spot{src: src, node: src.root}, r, testsFileKeys)
	o.version()
	if kind := o.text("kind"); o.has("kind") && kind.text != "Tests" {
		r.add(kind.spot, "kind is %s; expected Tests", quote(kind.text))
	}
	if !o.has("tests") {
		o.need("tests", "a list of tests")
	}
	d.readAgents(o)
	d.readTests(o)
}

func readTest(o *object) *test {
	t := &test{spot: o.spot, name: o.needText("name", "what the test shows"), inputs: make(map[string]any), places: make(map[string]spot)}
	o.text("description")
	if t.by = theStarter; o.has("by") {
		t.by = o.needText("by", "the name of who starts the run").text
	}
	for _, p := range o.pairs("inputs") {
		t.inputs[p.key.text], t.places[p.key.text] = valueAt(p.value, o.report), p.key.spot
	}
	for _, p := range o.pairs("answers") {
		t.answers = append(t.answers, readReplies(p, o.report))
	}
	for _, p := range o.pairs("agents") {
		t.standIns = append(t.standIns, readStandIn(p, o.report))
	}
	for _, p := range o.pairs("models") {
		t.models = append(t.models, readLines(p, o.report))
	}
	t.expect = readExpectation(o)
	return t
}

// valueAt is the JSON value at a place.
func valueAt(at spot, r *report) any {
	v, err := jsonOf(at.node)
	if err != nil {
		r.add(at, "%v", err)
	}
	return v
}

// elements are the elements of a list, or the one value that stands for a list of one.
func elements(at spot) []spot {
	if at.node.Kind != yaml.SequenceNode {
		return []spot{at}
	}
	all := make([]spot, len(at.node.Content))
	for i, n := range at.node.Content {
		all[i] = spot{src: at.src, node: n, path: index(at.path, i)}
	}
	return all
}

// readReplies reads the answers of a node: one, or a list.
func readReplies(p pair, r *report) *replies {
	a := &replies{node: p.key}
	for _, at := range elements(p.value) {
		a.list = append(a.list, readReply(at, r))
	}
	if len(a.list) == 0 {
		r.add(p.value, "there is no answer; expected one, or a list of them")
	}
	return a
}

// readReply reads an answer: {answer: …}, {expire: true}, or the answer itself.
func readReply(at spot, r *report) reply {
	special := at.node.Kind == yaml.MappingNode && len(at.node.Content) > 0
	if special {
		for key := range entries(at.node) {
			special = special && slices.Contains(replyKeys, key.Value)
		}
	}
	if !special {
		return reply{spot: at, value: valueAt(at, r)}
	}
	o := newObject(at, r, replyKeys)
	_, answers := o.fields["answer"]
	a := reply{spot: at, expire: o.flag("expire"), by: o.text("by").text, value: o.value("answer")}
	if a.expire == answers {
		a.wrong = true
		r.add(at, "expected {answer: …}, or {expire: true} to let the deadline pass")
	}
	return a
}

// readStandIn reads what an agent does: one thing always, or a list of what it does one after the other.
func readStandIn(p pair, r *report) *standIn {
	s := &standIn{spot: p.value, agent: p.key, list: p.value.node.Kind == yaml.SequenceNode}
	for _, at := range elements(p.value) {
		s.readAct(at, r)
	}
	if s.list && len(s.acts) == 0 && !s.live {
		r.add(p.value, "the list is empty; expected what the agent does at each call, such as {returns: …}")
	}
	return s
}

func (s *standIn) readAct(at spot, r *report) {
	const expected = "expected {returns: …}, {error: …}, {expr: …} or {live: true}"
	if at.node.Kind != yaml.MappingNode {
		r.add(at, "%s; found %s", expected, kindOf(at.node))
		return
	}
	o := newObject(at, r, standInKeys)
	a := act{spot: at, after: o.secondsOf("after_seconds")}
	n := 0
	for key := range o.fields {
		if key != "after_seconds" {
			a.do = key
			n++
		}
	}
	if n != 1 {
		if len(o.fields) == len(at.node.Content)/2 { // else an unknown key was reported
			r.add(at, "%s, one of them; found %d keys", expected, n)
		}
		return
	}
	switch a.do {
	case "returns":
		a.value = o.value("returns")
	case "error":
		a.fault = o.needText("error", "what the agent fails with").text
	case "expr":
		w := o.needText("expr", "an expression over the agent's arguments")
		if w.text != "" {
			var fault *expressionError
			if a.code, fault = compileExpression(w.text); fault != nil {
				r.inside(w.spot, fault.offset, "%s", fault.message)
			}
		}
	case "live":
		if s.live = o.flag("live"); o.has("after_seconds") {
			r.add(o.at("after_seconds"), "{live: true} takes the time that the agent takes; after_seconds goes with returns, error and expr")
		}
		if s.list {
			r.add(at, "{live: true} stands alone, not in a list: the agent itself is called, always")
		}
		return
	}
	s.acts = append(s.acts, a)
}

func readExpectation(o *object) expectation {
	e := expectation{}
	if !o.has("expect") {
		o.need("expect", "how the run ends, such as {outputs: {…}} or {status: failed}")
		return e
	}
	x := newObject(o.at("expect"), o.report, expectKeys)
	e.spot = x.spot
	e.status = x.text("status")
	e.fault = x.text("error")
	switch {
	case !x.has("status") && x.has("error"):
		e.status = word{spot: x.at("error"), text: string(fermata.Failed)}
	case !x.has("status"):
		e.status = word{spot: x.spot, text: testStatuses[0]}
	default:
		e.status.text = x.choice("status", testStatuses...)
	}
	e.outputs, e.whole = x.expectedOf("outputs"), x.has("outputs")
	e.contains = x.expectedOf("contains")
	for _, w := range x.words("check") {
		e.check = append(e.check, assignment{key: w, expr: w})
	}
	e.path, e.hasPath = x.words("path"), x.has("path")
	for _, p := range x.pairs("visits") {
		e.visits = append(e.visits, readCount(p, o.report))
	}
	e.hasAsked = x.has("asked")
	for _, at := range x.list("asked") {
		e.asked = append(e.asked, readAsking(newObject(at, o.report, askedKeys)))
	}
	for _, p := range x.pairs("calls") {
		e.calls = append(e.calls, readCalling(p, o.report))
	}
	return e
}

// expectedOf reads names with values.
func (o *object) expectedOf(key string) []wanted {
	var all []wanted
	for _, p := range o.pairs(key) {
		all = append(all, wanted{name: p.key, at: p.value, value: valueAt(p.value, o.report)})
	}
	return all
}

func readCount(p pair, r *report) countOf {
	o := &object{spot: p.value, report: r, fields: map[string]*yaml.Node{p.key.text: p.value.node}}
	return countOf{name: p.key, at: p.value, n: o.number(p.key.text, 0, 0)}
}

func readAsking(o *object) asking {
	a := asking{spot: o.spot, node: o.needText("node", "the id of the node that asks")}
	if o.has("prompt") {
		text := o.text("prompt").text
		a.prompt = &text
	}
	if o.has("role") {
		text := o.text("role").text
		a.role = &text
	}
	for _, w := range o.words("options") {
		a.options = append(a.options, w.text)
	}
	return a
}

// readCalling reads how often an agent is called: a number, or a list of the arguments of each call.
func readCalling(p pair, r *report) calling {
	if p.value.node.Kind != yaml.SequenceNode {
		return calling{countOf: readCount(p, r)}
	}
	c := calling{countOf: countOf{name: p.key, at: p.value}}
	for _, at := range elements(p.value) {
		if at.node.Kind != yaml.MappingNode {
			r.add(at, "expected the arguments of a call, a mapping, found %s", kindOf(at.node))
			continue
		}
		c.args = append(c.args, wanted{name: word{spot: at, text: p.key.text}, at: at, value: valueAt(at, r)})
	}
	c.n = len(c.args)
	return c
}
