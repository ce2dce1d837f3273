package recipe

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/mcp"
	"github.com/fermata-go/fermata/node"
)

// The kinds of agents.
const (
	kindExpr   = "expr"
	kindExec   = "exec"
	kindHTTP   = "http"
	kindModel  = "model"
	kindMCP    = "mcp"
	kindRecipe = "recipe"
	kindGo     = "go" // a function of the library: not written in recipes
)

// agentKeys are the keys of each kind of agent.
var agentKeys = map[string][]string{
	kindExpr: {"kind", "description", "input", "output", "set"},
	kindExec: {"kind", "description", "input", "output", "command", "env", "timeout_seconds", "at_most_once"},
	kindHTTP: {"kind", "description", "input", "output", "method", "url", "headers", "timeout_seconds", "at_most_once"},
	kindModel: {
		"kind", "description", "output", "model", "system", "prompt", "messages", "stream", "max_tokens", "temperature", "limits",
		"tools", "approval", "interrupt", "timeout_seconds",
	},
	kindMCP:    {"kind", "description", "output", "server", "tool", "timeout_seconds", "at_most_once"},
	kindRecipe: {"kind", "description", "file"},
}

// httpMethods are the methods that an agent may use.
var httpMethods = []string{"POST", "GET", "PUT", "PATCH", "DELETE"}

// agent is an agent as it was written, or a function of the library.
type agent struct {
	spot
	name   string
	kind   string // "" where it was wrong: its output is not known
	output *shape
	input  *shape // of the arguments

	description string

	set      []assignment  // expr
	command  []word        // exec, mcp
	env      []textPair    // exec, mcp
	inherit  bool          // exec: env is not there
	method   string        // http
	url      word          // http, mcp
	headers  []textPair    // http, mcp
	timeout  time.Duration // exec, http, mcp, model
	once     bool          // exec, http, mcp
	reasons  *reasons      // model
	tool     word          // mcp; "" for none
	function AgentFunc     // go
	told     *node.Tool    // how models know a Go function; nil where nothing is said of it
	file     word          // recipe
	nested   *nested       // recipe; nil where it was wrong

	// With the variables of the environment filled in.
	argv    []string
	environ []string
	address *url.URL
	header  []headerField
	secrets *redactor // hides all of them, in errors and evidence
	private *redactor // hides those that are secrets by their names, in outputs
	server  mcp.Server
	servers *mcp.Pool
}

// headerField is a header with its value filled in.
type headerField struct{ name, value string }

// assignment is one key of set.
type assignment struct {
	key  word
	expr word
	code *expression // nil where it was wrong
}

// readAgents reads the agents of a recipe or of an agents file.
func (d *document) readAgents(o *object) {
	for _, p := range o.pairs("agents") {
		name := p.key.text
		if before, twice := d.agents[name]; twice {
			o.report.add(p.key.spot, "the agent %s is in %s, line %d, already", quote(name), before.src.file, before.node.Line)
			continue
		}
		d.agents[name] = readAgent(name, p.value, o.report)
	}
}

// readAgentsFile reads a file of agents into the document.
func (d *document) readAgentsFile(src *source, r *report) {
	o := newObject(spot{src: src, node: src.root}, r, fileKeys)
	o.version()
	if kind := o.text("kind"); o.has("kind") && kind.text != "Agents" {
		r.add(kind.spot, "kind is %s; expected Agents", quote(kind.text))
	}
	if !o.has("agents") {
		o.need("agents", "a mapping of names to agents")
	}
	d.readAgents(o)
}

func readAgent(name string, at spot, r *report) *agent {
	a := &agent{spot: at, name: name}
	if at.node.Kind != yaml.MappingNode {
		r.add(at, "expected an agent such as {kind: exec, command: […]}, found %s", kindOf(at.node))
		return a
	}
	loose := newObject(at, r, nil)
	kinds := slices.Sorted(maps.Keys(agentKeys))
	kind := loose.needText("kind", oneOf(kinds))
	switch known := agentKeys[kind.text]; {
	case known != nil:
		a.kind = kind.text
	case kind.text != "":
		r.add(kind.spot, "kind is %s; expected %s%s", quote(kind.text), oneOf(kinds), r.hint(kind.text, kinds))
		return a
	default:
		return a
	}
	o := newObject(at, r, agentKeys[a.kind])
	a.output, a.input = o.shape("output"), o.shape("input")
	if a.input != nil && a.input.doc["type"] != "object" {
		r.add(a.input.spot, "the input of an agent is an object; expected a schema of one: {type: object, properties: {…}}")
	}
	a.description = o.text("description").text
	switch a.kind {
	case kindExpr:
		a.readExpr(o)
	case kindExec:
		a.readExec(o)
	case kindHTTP:
		a.readHTTP(o)
	case kindRecipe:
		a.file = o.needText("file", "the path of a recipe in this recipe's folder")
	case kindModel:
		a.readModel(o)
	case kindMCP:
		a.readMCP(o)
	}
	return a
}

func (a *agent) readExpr(o *object) {
	for _, p := range o.texts("set") {
		if fault := nameFault(p.key.text); fault != "" {
			o.report.add(p.key.spot, "the name %s %s", quote(p.key.text), fault)
		}
		a.set = append(a.set, assignment{key: p.key, expr: p.value})
	}
	if !o.has("set") {
		o.need("set", "a mapping of names to expressions")
	}
}

func (a *agent) readExec(o *object) {
	a.command = o.words("command")
	switch {
	case !o.has("command"):
		o.need("command", "a list: the program and its arguments")
	case len(o.list("command")) == 0 && o.fields["command"].Kind == yaml.SequenceNode:
		o.report.add(o.at("command"), "command is empty; expected the program and its arguments")
	case len(a.command) > 0 && a.command[0].text == "":
		o.report.add(a.command[0].spot, "the program's name is empty")
	}
	a.env, a.inherit = o.texts("env"), !o.has("env")
	for _, p := range a.env {
		if p.key.text == "" || strings.ContainsAny(p.key.text, "=\x00") {
			o.report.add(p.key.spot, "%s is not a name of an environment variable", quote(p.key.text))
		}
	}
	a.timeout = o.seconds()
	a.once = o.flag("at_most_once")
}

// defaultHTTPTimeout is how long a web service may take where the recipe does not say.
const defaultHTTPTimeout = 30 * time.Second

func (a *agent) readHTTP(o *object) {
	a.method = o.choice("method", httpMethods...)
	a.url = o.needText("url", "an address such as https://example.org/hook")
	a.headers = o.texts("headers")
	if a.timeout = o.seconds(); a.timeout == 0 {
		a.timeout = defaultHTTPTimeout
	}
	a.once = o.flag("at_most_once")
}
