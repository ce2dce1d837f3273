package recipe

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
)

// The keys of each part of a recipe. Schema publishes the same ones.
var (
	recipeKeys    = []string{"apiVersion", "kind", "metadata", "interface", "state", "policy", "agents", "topology", "tests", "renamed", "labels", "queue", "pools", "schedules", "presentation", "$schema"}
	topologyKeys  = []string{"entry_point", "nodes", "edges"}
	bareKeys      = slices.Concat(recipeKeys, topologyKeys)
	fileKeys      = []string{"apiVersion", "kind", "agents"}
	interfaceKeys = []string{"inputs", "outputs"}
	stateKeys     = []string{stateProperties, "persistence"}
	policyKeys    = []string{"max_retries", "timeout_seconds", "deadline_seconds", "execution_mode", "max_steps"}
	edgeKeys      = []string{"source", "target", "condition", "when"}
	timeoutKeys   = []string{"answer", "route", "escalate", "timeout_seconds", "on_timeout"}
)

// The conditions of edges.
const (
	onSuccess = "on_success"
	onFailure = "on_failure"
	always    = "always"
)

// stateProperties is where the state's names are declared.
const stateProperties = "properties"

// draft is a recipe as it was written: parts that were wrong are reported and left out.
type draft struct {
	document.Spot // of the whole
	selfSaid
	declared
	policy
	drawn

	persistence string      // the kind of store that is asked for; "" is Ephemeral
	renamed     renamed     // names of earlier versions
	labels      labels      // of runs
	queue       string      // whose workers take the runs; "" for the default one
	pools       pools       // that nodes name
	dir         string      // where programs are run
	tests       []*test     // those of the file, and of a file of tests
	schedules   []*Schedule // when it is started
	stage       *Stage      // what stands in for agents; nil outside of tests
}

// selfSaid is what a recipe says about itself.
type selfSaid struct {
	name         string         // metadata.name, or the file's
	version      string         // metadata.version
	description  string         // metadata.description
	metadata     map[string]any // as it is written; nil for none
	presentation map[string]any // likewise
	parameters   map[string]any // likewise, of a foreign document: nothing reads them
}

// declared are the names that a recipe declares.
type declared struct {
	inputs      []port
	inputsOpen  bool // no inputs are declared: any are taken
	outputs     []port
	outputsOpen bool   // no outputs are declared: the whole blackboard is the result
	state       []port // the other names of the blackboard
}

// policy is what holds for all of a recipe's nodes.
type policy struct {
	maxRetries int           // of a node that does not say
	timeout    time.Duration // of the whole run; 0 for none
	within     time.Duration // after which a run expires, waiting included; 0 for never
	maxSteps   int           // 0: what the recipe does not say
	stepsAt    document.Spot // of max_steps
	parallel   bool          // every edge that holds is taken, not only the first
}

// drawn is the graph of a recipe, and who does its work.
type drawn struct {
	bare   bool              // it stands beside the other keys, without topology: the short form
	agents map[string]*agent // by name
	entry  document.Word     // where the run starts
	nodes  []*step           // in written order
	edges  []*edge           // likewise
}

// port is a declared name with its schema.
type port struct {
	name     document.Word
	shape    *document.Shape // nil where it was wrong
	fallback any
	optional bool   // there is a fallback
	merge    string // of the state: the rule for what several branches wrote; "" for none
}

// step is a node as it was written. The parts of all types are in it, because the checks of a graph ask a node for its prompt or its
// routes whatever its type is, and find nothing where it has none.
type step struct {
	document.Spot
	of           *nodeType      // nil where it was wrong
	kind         string         // the name of its type; "" where it was wrong
	id           document.Word  // by which edges and routes lead to it
	description  string         // for people
	presentation map[string]any // as it is written; nil for none
	inputs       []binding      // what an agent is given, or a person is shown; of agents nil with wholeBoard
	callPart
	routePart
	askPart
	receivePart
}

// callPart is what a node says that calls an agent.
type callPart struct {
	ref        document.Word // the agent's name
	wholeBoard bool          // the agent is given the whole blackboard
	outputs    []binding     // nil: merged by key
	maxRetries int           // -1: the policy's
	timeout    time.Duration // of one attempt; 0 for none
	idle       time.Duration // how long one may be silent; 0 for any time
	each       *forEach      // nil: once
	system     text          // in place of that of an agent of kind model
	poolPart
	undo       document.Word // the node that undoes it where the run ends without success; "" for none
	unfinished bool          // of a node that undoes: also what began and has no outcome
}

// routePart is what a router says.
type routePart struct {
	inputKey expression.Path     // of the value that decides
	routes   []document.TextPair // value -> target
	fallback document.Word       // the default route; "" for none
	unrouted bool                // routes is there, and is no mapping: where the router leads is not known
}

// askPart is what a node says that asks people.
type askPart struct {
	asker
	form
	review *review // nil for other questions
	audience
}

// binding ties a name to a path.
type binding struct {
	name document.Word
	path expression.Path
}

// expiry is what happens when nobody answered in time.
type expiry struct {
	document.Spot
	do     string        // fail, answer, route, escalate
	answer any           // of answer
	target document.Word // of route
	role   string        // of escalate: who is asked then
	within time.Duration // of escalate: until the next deadline
	then   *expiry       // what happens then; nil: the node fails
}

// edge is an edge as it was written.
type edge struct {
	document.Spot
	source    document.Word // the node that it comes from
	target    document.Word // the node that it leads to
	condition string        // on_success, on_failure or always
	when      document.Word // "" for none
}

// readDraft reads a whole recipe.
func readDraft(src *document.Source, r *document.Report) *draft {
	at := document.Spot{Source: src, Node: src.Root}
	d := &draft{Spot: at}
	d.agents = make(map[string]*agent)
	known := recipeKeys
	if d.bare = src.Root.Kind == yaml.MappingNode && !document.HasKey(src.Root, "topology"); d.bare {
		known = bareKeys
	}
	if src.Root.Kind == yaml.MappingNode && isForeign(document.NewObject(at, r, nil)) {
		src.Foreign, known = true, slices.Concat(known, foreignKeys)
	}
	o := document.NewObject(at, r, known)
	if src.Root.Kind != yaml.MappingNode {
		d.inputsOpen, d.outputsOpen = true, true
		return d
	}
	o.Text("$schema") // of use to editors only
	d.readKind(o)
	d.readMetadata(o)
	d.presentation = o.Mapping("presentation")
	io := o.Object("interface", interfaceKeys)
	d.inputsOpen, d.outputsOpen = !io.IsMapping("inputs"), !io.IsMapping("outputs")
	d.inputs = readPorts(io, "inputs")
	d.outputs = readPorts(io, "outputs")
	d.state = readPorts(o.Object("state", stateKeys), stateProperties)
	d.readPolicy(o.Object("policy", policyKeys))
	d.renamed = readRenamed(o.Object("renamed", renamedKeys))
	d.labels = readLabels(o)
	d.readQueue(o)
	d.pools = readPools(o)
	d.readAgents(o)
	d.readTests(o)
	switch {
	case o.Has("topology"):
		d.readTopology(o.Object("topology", topologyKeys))
	case o.Has("entry_point") || o.Has("nodes"):
		d.readTopology(o)
	default:
		o.Need("topology", "a mapping of entry_point, nodes and edges")
	}
	return d
}

func (d *draft) readMetadata(o *document.Object) {
	m := o.Object("metadata", nil)
	if m.Node == nil {
		return
	}
	d.name, d.version, d.description = m.Text("name").Text, m.Text("version").Text, m.Text("description").Text
	d.metadata, _ = o.Value("metadata").(map[string]any)
}

// readPorts reads a mapping of names to JSON Schemas. A schema's default makes its name optional, and must fit it.
func readPorts(o *document.Object, key string) []port {
	var all []port
	for _, p := range o.Pairs(key) {
		if fault := nameFault(p.Key.Text); fault != "" {
			o.Report.Add(p.Key.Spot, "the name %s %s", document.Quote(p.Key.Text), fault)
			continue
		}
		q := port{name: p.Key}
		if key == stateProperties {
			p.Value, q.merge = mergeRule(p.Value, o.Report)
		}
		q.shape = document.ShapeAt(p.Value, o.Report)
		if q.shape != nil {
			q.fallback, q.optional = q.shape.Doc["default"]
		}
		if q.optional {
			if err := q.shape.Check(q.fallback); err != nil {
				o.Report.Add(p.Value, "the default of %s does not fit its schema: %v", document.Quote(p.Key.Text), err)
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

func (d *draft) readPolicy(o *document.Object) {
	d.maxRetries = o.Number("max_retries", 0, 0)
	d.timeout, d.within = o.Seconds(), o.SecondsOf("deadline_seconds")
	d.maxSteps, d.stepsAt = o.Number("max_steps", 1, 0), o.At("max_steps")
	d.parallel = o.Choice("execution_mode", sequential, parallel) == parallel
}

// How many tasks a run may start where the recipe does not say: with for_each, a list bounds them.
const (
	defaultMaxSteps = 50
	defaultEach     = 100_000
)

// steps is how many tasks a run may start. Those of the recipes that it calls count too.
func (d *draft) steps() int {
	if d.maxSteps > 0 {
		return d.maxSteps
	}
	sum := defaultMaxSteps
	for _, n := range d.nodes {
		if n.each != nil {
			sum += defaultEach
		}
		if to := d.agents[n.ref.Text].callee(); to != nil {
			sum += to.doc.steps()
		}
	}
	return min(sum, document.MaxCount)
}

// readPersistence checks how the state is to be kept; stores are the kinds of stores that there are.
func (d *draft) readPersistence(r *document.Report, stores []string) {
	if d.Node.Kind != yaml.MappingNode {
		return
	}
	o := document.NewObject(d.Spot, r, nil).Object("state", nil)
	words := []string{Ephemeral, "sqlite", "redis", "postgres"} // which the format knows
	for _, kind := range stores {
		if !slices.Contains(words, kind) {
			words = append(words, kind)
		}
	}
	d.persistence = o.Choice("persistence", words...)
	if d.persistence != Ephemeral && !slices.Contains(stores, d.persistence) {
		r.Add(o.At("persistence"), "persistence %s is not configured: %s; give the runtime such a store and name its kind in Options.Stores, "+
			"or write ephemeral, which takes any store", d.persistence, configured(stores))
	}
}

func configured(stores []string) string {
	if len(stores) == 0 {
		return "there is no store"
	}
	return "there is " + strings.Join(stores, ", ")
}

func (d *draft) readTopology(o *document.Object) {
	d.entry = o.NeedText("entry_point", "the id of the node where the run starts")
	if !o.Has("nodes") {
		o.Need("nodes", "a list of nodes")
	}
	for _, at := range o.List("nodes") {
		if n := readStep(at, o.Report); n != nil {
			d.nodes = append(d.nodes, n)
		}
	}
	if o.IsEmptyList("nodes") {
		o.Report.Add(o.At("nodes"), "there is no node; a recipe needs at least one")
	}
	for _, at := range o.List("edges") {
		e := document.NewObject(at, o.Report, edgeKeys)
		if at.Node.Kind != yaml.MappingNode {
			continue
		}
		w := &edge{
			Spot:      at,
			source:    e.NeedText("source", "the id of the node it comes from"),
			target:    e.NeedText("target", "the id of the node it leads to"),
			condition: e.Choice("condition", onSuccess, onFailure, always),
			when:      e.Text("when"),
		}
		if e.Has("when") && w.when.Node.Kind == yaml.ScalarNode && strings.TrimSpace(w.when.Text) == "" {
			o.Report.Add(e.At("when"), "when is empty; expected an expression, or leave it out")
			w.when.Text = ""
		}
		d.edges = append(d.edges, w)
	}
}

// readStep reads a node. Its type decides which keys it may have.
func readStep(at document.Spot, r *document.Report) *step {
	if at.Node.Kind != yaml.MappingNode {
		r.Add(at, "expected a node such as {type: agent, id: …}, found %s", document.Describe(at.Node))
		return nil
	}
	n := &step{Spot: at}
	n.maxRetries = -1
	loose := document.NewObject(at, r, nil)
	kind := loose.NeedText("type", document.OneOf(typesOfNodes()))
	n.id = loose.NeedText("id", "a name of the node's own")
	if n.id.Text != "" {
		if fault := nameFault(n.id.Text); fault != "" {
			r.Add(n.id.Spot, "the id %s %s", document.Quote(n.id.Text), fault)
		}
	}
	of := nodeTypeOf(kind.Text)
	if of == nil {
		if kind.Text != "" {
			types := slices.Sorted(slices.Values(typesOfNodes()))
			r.Add(kind.Spot, "type is %s; expected %s%s", document.Quote(kind.Text), document.OneOf(types), cmp.Or(meant(kind.Text, types), r.Hint(kind.Text, types)))
		}
		return n
	}
	n.kind, n.of = of.name, of
	o := document.NewObject(at, r, of.allKeys())
	n.description, n.presentation = o.Text("description").Text, o.Mapping("presentation")
	of.read(n, o)
	return n
}

func (n *step) readAgent(o *document.Object) {
	n.ref = o.NeedText("agent_ref", "the name of an agent")
	n.inputs, n.wholeBoard = readBindings(o, "inputs_map", "argument"), !o.Has("inputs_map")
	n.outputs = readBindings(o, "outputs_map", "blackboard key")
	n.each = readForEach(o)
	n.maxRetries = o.Number("max_retries", 0, -1)
	n.timeout, n.idle = o.Seconds(), o.SecondsOf("idle_seconds")
	n.system.Word = o.Text("system_prompt_override")
	n.readPool(o)
	n.undo, n.unfinished = o.Text("undo"), o.Flag("unfinished")
}

// readBindings reads a mapping of names to paths; nil where it is not there.
func readBindings(o *document.Object, key, what string) []binding {
	if !o.Has(key) {
		return nil
	}
	all := []binding{}
	for _, p := range o.Texts(key) {
		if fault := nameFault(p.Key.Text); fault != "" {
			o.Report.Add(p.Key.Spot, "the %s %s %s", what, document.Quote(p.Key.Text), fault)
		}
		if at, ok := pathAt(p.Value, o.Report); ok {
			all = append(all, binding{name: document.Word{Spot: p.Value.Spot, Text: p.Key.Text}, path: at})
		}
	}
	return all
}

// pathAt reads a path; not ok, and reported, where the text is none.
func pathAt(w document.Word, r *document.Report) (p expression.Path, ok bool) {
	p, err := expression.ParsePath(w.Text)
	if err != nil {
		r.Add(w.Spot, "%v", err)
		return expression.Path{}, false
	}
	return p, true
}

func (n *step) readRouter(o *document.Object) {
	if key := o.NeedText("input_key", "the path of the value that decides"); key.Text != "" {
		n.inputKey, _ = pathAt(key, o.Report)
	}
	n.routes = o.Texts("routes")
	n.fallback = o.Text("default_route")
	n.unrouted = o.Has("routes") && !o.IsMapping("routes")
	if len(n.routes) == 0 && n.fallback.Text == "" && !n.unrouted {
		o.Need("routes", "a mapping of values to node ids")
	}
}
