package recipe

import (
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// The keys of each part of a recipe. Schema publishes the same ones.
var (
	recipeKeys    = []string{"apiVersion", "kind", "metadata", "interface", "state", "policy", "agents", "topology", "tests", "presentation", "$schema"}
	topologyKeys  = []string{"entry_point", "nodes", "edges"}
	bareKeys      = slices.Concat(recipeKeys, topologyKeys)
	fileKeys      = []string{"apiVersion", "kind", "agents"}
	interfaceKeys = []string{"inputs", "outputs"}
	stateKeys     = []string{stateProperties, "persistence"}
	policyKeys    = []string{"max_retries", "timeout_seconds", "execution_mode", "max_steps"}
	edgeKeys      = []string{"source", "target", "condition", "when"}
	nodeKeys      = map[string][]string{
		typeAgent: {
			"type", "id", "description", "agent_ref", "inputs_map", "outputs_map", "for_each", "max_retries", "timeout_seconds",
			"system_prompt_override", "presentation",
		},
		typeRouter: {"type", "id", "description", "input_key", "routes", "default_route", "presentation"},
		typeHuman: {
			"type", "id", "description", "prompt", "inputs_map", "required_role", "timeout_seconds", "options", "response",
			"on_timeout", "review", "assignee", "four_eyes", "not_by", "presentation",
		},
	}
	timeoutKeys = []string{"answer", "route", "escalate", "timeout_seconds", "on_timeout"}
)

// The types of nodes.
const (
	typeAgent  = "agent"
	typeRouter = "router"
	typeHuman  = "human"
)

// The conditions of edges.
const (
	onSuccess = "on_success"
	onFailure = "on_failure"
	always    = "always"
)

// stateProperties is where the state's names are declared.
const stateProperties = "properties"

// document is a recipe as it was written: parts that were wrong are reported and left out.
type document struct {
	spot
	name        string
	version     string
	description string
	metadata    map[string]any

	presentation map[string]any
	parameters   map[string]any
	bare         bool // it has no topology: the short form

	inputs      []port
	inputsOpen  bool // no inputs are declared: any are taken
	outputs     []port
	outputsOpen bool // no outputs are declared: the whole blackboard is the result
	state       []port

	maxRetries int
	timeout    time.Duration
	maxSteps   int  // 0: what the recipe does not say
	stepsAt    spot // of max_steps
	parallel   bool // every edge that holds is taken, not only the first

	persistence string // the kind of store that is asked for; "" is Ephemeral

	agents map[string]*agent
	entry  word
	dir    string // where programs are run
	nodes  []*step
	edges  []*edge
	tests  []*test
	stage  *Stage // what stands in for agents; nil outside of tests
}

// port is a declared name with its schema.
type port struct {
	name     word
	shape    *shape // nil where it was wrong
	fallback any
	optional bool   // there is a fallback
	merge    string // of the state: the rule for what several branches wrote; "" for none
}

// step is a node as it was written.
type step struct {
	spot
	kind        string
	id          word
	description string

	presentation map[string]any

	// of agents
	ref        word
	inputs     []binding // nil with wholeBoard: the whole blackboard
	wholeBoard bool
	outputs    []binding // nil: merged by key
	maxRetries int       // -1: the policy's
	timeout    time.Duration
	each       *forEach // nil: once
	system     text     // in place of that of an agent of kind model

	// of routers
	inputKey path
	routes   []textPair // value -> target
	fallback word

	// of people
	prompt   word
	role     string
	options  []string
	response *shape
	deadline time.Duration
	expiry   *expiry
	review   *review // nil for other questions
	audience
}

// binding ties a name to a path.
type binding struct {
	name word
	path path
}

// expiry is what happens when nobody answered in time.
type expiry struct {
	spot
	do     string // fail, answer, route, escalate
	answer any
	target word
	role   string
	within time.Duration
	then   *expiry
}

// edge is an edge as it was written.
type edge struct {
	spot
	source, target word
	condition      string
	when           word // "" for none
}

// readDocument reads a whole recipe.
func readDocument(src *source, r *report) *document {
	at := spot{src: src, node: src.root}
	d := &document{spot: at, agents: make(map[string]*agent)}
	known := recipeKeys
	if d.bare = src.root.Kind == yaml.MappingNode && !hasKey(src.root, "topology"); d.bare {
		known = bareKeys
	}
	if src.root.Kind == yaml.MappingNode && isForeign(newObject(at, r, nil)) {
		src.foreign, known = true, slices.Concat(known, foreignKeys)
	}
	o := newObject(at, r, known)
	if src.root.Kind != yaml.MappingNode {
		d.inputsOpen, d.outputsOpen = true, true
		return d
	}
	o.text("$schema") // of use to editors only
	d.readKind(o)
	d.readMetadata(o)
	d.presentation = o.freely("presentation")
	io := o.object("interface", interfaceKeys)
	d.inputsOpen, d.outputsOpen = !io.isMapping("inputs"), !io.isMapping("outputs")
	d.inputs = io.ports("inputs")
	d.outputs = io.ports("outputs")
	d.state = o.object("state", stateKeys).ports(stateProperties)
	d.readPolicy(o.object("policy", policyKeys))
	d.readAgents(o)
	d.readTests(o)
	switch {
	case o.has("topology"):
		d.readTopology(o.object("topology", topologyKeys))
	case o.has("entry_point") || o.has("nodes"):
		d.readTopology(o)
	default:
		o.need("topology", "a mapping of entry_point, nodes and edges")
	}
	return d
}

func hasKey(n *yaml.Node, key string) bool {
	for k := range entries(n) {
		if k.Value == key {
			return true
		}
	}
	return false
}

func (d *document) readMetadata(o *object) {
	m := o.object("metadata", nil)
	if m.node == nil {
		return
	}
	d.name, d.version, d.description = m.text("name").text, m.text("version").text, m.text("description").text
	d.metadata, _ = o.value("metadata").(map[string]any)
}

// ports reads a mapping of names to JSON Schemas. A schema's default makes its name optional, and must fit it.
func (o *object) ports(key string) []port {
	var all []port
	for _, p := range o.pairs(key) {
		if fault := nameFault(p.key.text); fault != "" {
			o.report.add(p.key.spot, "the name %s %s", quote(p.key.text), fault)
			continue
		}
		q := port{name: p.key}
		if key == stateProperties {
			p.value, q.merge = mergeRule(p.value, o.report)
		}
		q.shape = shapeAt(p.value, o.report)
		if q.shape != nil {
			q.fallback, q.optional = q.shape.doc["default"]
		}
		if q.optional {
			if err := q.shape.check(q.fallback); err != nil {
				o.report.add(p.value, "the default of %s does not fit its schema: %v", quote(p.key.text), err)
			}
		}
		all = append(all, q)
	}
	return all
}

// nameFault says what is wrong with a name that paths and task ids are built with; "" for nothing.
func nameFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case strings.TrimSpace(name) != name:
		return "begins or ends with a space"
	}
	for _, c := range name {
		switch {
		case c < ' ' || c == 0x7f:
			return "holds a control character"
		case strings.ContainsRune("./#?", c):
			return "holds " + string(c) + ", which separates the parts of paths and task ids; use - or _"
		}
	}
	return ""
}

func (d *document) readPolicy(o *object) {
	d.maxRetries = o.number("max_retries", 0, 0)
	d.timeout = o.seconds()
	d.maxSteps, d.stepsAt = o.number("max_steps", 1, 0), o.at("max_steps")
	d.parallel = o.choice("execution_mode", sequential, parallel) == parallel
}

// How many tasks a run may start where the recipe does not say: with for_each, a list bounds them.
const (
	defaultMaxSteps = 50
	defaultEach     = 100_000
)

// steps is how many tasks a run may start. Those of the recipes that it calls count too.
func (d *document) steps() int {
	if d.maxSteps > 0 {
		return d.maxSteps
	}
	sum := defaultMaxSteps
	for _, n := range d.nodes {
		if n.each != nil {
			sum += defaultEach
		}
		if a := d.agents[n.ref.text]; a != nil && a.nested != nil {
			sum += a.nested.doc.steps()
		}
	}
	return min(sum, maxCount)
}

// readPersistence checks how the state is to be kept; stores are the kinds of stores that there are.
func (d *document) readPersistence(r *report, stores []string) {
	if d.node.Kind != yaml.MappingNode {
		return
	}
	o := newObject(d.spot, r, nil).object("state", nil)
	d.persistence = o.choice("persistence", Ephemeral, "sqlite", "redis", "postgres")
	if d.persistence != Ephemeral && !slices.Contains(stores, d.persistence) {
		r.add(o.at("persistence"), "persistence %s is not configured: %s; give the runtime such a store and name its kind in Options.Stores, "+
			"or write ephemeral, which takes any store", d.persistence, configured(stores))
	}
}

func configured(stores []string) string {
	if len(stores) == 0 {
		return "there is no store"
	}
	return "there is " + strings.Join(stores, ", ")
}

func (d *document) readTopology(o *object) {
	d.entry = o.needText("entry_point", "the id of the node where the run starts")
	if !o.has("nodes") {
		o.need("nodes", "a list of nodes")
	}
	for _, at := range o.list("nodes") {
		if n := readStep(at, o.report); n != nil {
			d.nodes = append(d.nodes, n)
		}
	}
	if o.has("nodes") && o.fields["nodes"].Kind == yaml.SequenceNode && len(o.fields["nodes"].Content) == 0 {
		o.report.add(o.at("nodes"), "there is no node; a recipe needs at least one")
	}
	for _, at := range o.list("edges") {
		e := newObject(at, o.report, edgeKeys)
		if at.node.Kind != yaml.MappingNode {
			continue
		}
		w := &edge{
			spot:      at,
			source:    e.needText("source", "the id of the node it comes from"),
			target:    e.needText("target", "the id of the node it leads to"),
			condition: e.choice("condition", onSuccess, onFailure, always),
			when:      e.text("when"),
		}
		if e.has("when") && w.when.node.Kind == yaml.ScalarNode && strings.TrimSpace(w.when.text) == "" {
			o.report.add(e.at("when"), "when is empty; expected an expression, or leave it out")
			w.when.text = ""
		}
		d.edges = append(d.edges, w)
	}
}

// readStep reads a node. Its type decides which keys it may have.
func readStep(at spot, r *report) *step {
	if at.node.Kind != yaml.MappingNode {
		r.add(at, "expected a node such as {type: agent, id: …}, found %s", kindOf(at.node))
		return nil
	}
	n := &step{spot: at, maxRetries: -1}
	loose := newObject(at, r, nil)
	kind := loose.needText("type", "agent, router or human")
	n.id = loose.needText("id", "a name of the node's own")
	if n.id.text != "" {
		if fault := nameFault(n.id.text); fault != "" {
			r.add(n.id.spot, "the id %s %s", quote(n.id.text), fault)
		}
	}
	known, ok := nodeKeys[kind.text]
	if !ok {
		if kind.text != "" {
			types := slices.Sorted(maps.Keys(nodeKeys))
			r.add(kind.spot, "type is %s; expected %s%s", quote(kind.text), oneOf(types), r.hint(kind.text, types))
		}
		return n
	}
	n.kind = kind.text
	o := newObject(at, r, known)
	n.description, n.presentation = o.text("description").text, o.freely("presentation")
	switch n.kind {
	case typeAgent:
		n.readAgent(o)
	case typeRouter:
		n.readRouter(o)
	case typeHuman:
		n.readHuman(o)
	}
	return n
}

func (n *step) readAgent(o *object) {
	n.ref = o.needText("agent_ref", "the name of an agent")
	n.inputs, n.wholeBoard = o.bindings("inputs_map", "argument"), !o.has("inputs_map")
	n.outputs = o.bindings("outputs_map", "blackboard key")
	n.each = o.forEach()
	n.maxRetries = o.number("max_retries", 0, -1)
	n.timeout = o.seconds()
	n.system.word = o.text("system_prompt_override")
}

// bindings reads a mapping of names to paths; nil where it is not there.
func (o *object) bindings(key, what string) []binding {
	if !o.has(key) {
		return nil
	}
	all := []binding{}
	for _, p := range o.texts(key) {
		if fault := nameFault(p.key.text); fault != "" {
			o.report.add(p.key.spot, "the %s %s %s", what, quote(p.key.text), fault)
		}
		at, err := parsePath(p.value.text)
		if err != nil {
			o.report.add(p.value.spot, "%v", err)
			continue
		}
		all = append(all, binding{name: word{spot: p.value.spot, text: p.key.text}, path: at})
	}
	return all
}

func (n *step) readRouter(o *object) {
	if key := o.needText("input_key", "the path of the value that decides"); key.text != "" {
		var err error
		if n.inputKey, err = parsePath(key.text); err != nil {
			o.report.add(key.spot, "%v", err)
			n.inputKey = path{}
		}
	}
	n.routes = o.texts("routes")
	n.fallback = o.text("default_route")
	if len(n.routes) == 0 && n.fallback.text == "" {
		o.need("routes", "a mapping of values to node ids")
	}
}
