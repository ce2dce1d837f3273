package recipe

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
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
	kindHTTP: {"kind", "description", "input", "output", "method", "url", "headers", "timeout_seconds", "at_most_once", "retry"},
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
	document.Spot
	name   string
	kind   string // "" where it was wrong: its output is not known
	output *document.Shape
	input  *document.Shape // of the arguments

	description string

	set      []assignment        // expr
	command  []document.Word     // exec, mcp
	env      []document.TextPair // exec, mcp
	inherit  bool                // exec: env is not there
	method   string              // http
	url      document.Word       // http, mcp
	headers  []document.TextPair // http, mcp
	timeout  time.Duration       // exec, http, mcp, model
	once     bool                // exec, http, mcp
	retry    *retries            // http; nil for others
	reasons  *reasons            // model
	tool     document.Word       // mcp; "" for none
	function AgentFunc           // go
	told     *node.Tool          // how models know a Go function; nil where nothing is said of it
	file     document.Word       // recipe
	nested   *nested             // recipe; nil where it was wrong

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
	key  document.Word
	expr document.Word
	code *expression.Expression // nil where it was wrong
}

// readAgents reads the agents of a recipe or of an agents file.
func (d *draft) readAgents(o *document.Object) {
	for _, p := range o.Pairs("agents") {
		name := p.Key.Text
		if before, twice := d.agents[name]; twice {
			o.Report.Add(p.Key.Spot, "the agent %s is in %s, line %d, already", document.Quote(name), before.Source.File, before.Node.Line)
			continue
		}
		d.agents[name] = readAgent(name, p.Value, o.Report)
	}
}

// readAgentsFile reads a file of agents into the document.
func (d *draft) readAgentsFile(src *document.Source, r *document.Report) {
	o := document.NewObject(document.Spot{Source: src, Node: src.Root}, r, fileKeys)
	checkVersion(o)
	if kind := o.Text("kind"); o.Has("kind") && kind.Text != "Agents" {
		r.Add(kind.Spot, "kind is %s; expected Agents", document.Quote(kind.Text))
	}
	if !o.Has("agents") {
		o.Need("agents", "a mapping of names to agents")
	}
	d.readAgents(o)
}

func readAgent(name string, at document.Spot, r *document.Report) *agent {
	a := &agent{Spot: at, name: name}
	if at.Node.Kind != yaml.MappingNode {
		r.Add(at, "expected an agent such as {kind: exec, command: […]}, found %s", document.Describe(at.Node))
		return a
	}
	loose := document.NewObject(at, r, nil)
	kinds := slices.Sorted(maps.Keys(agentKeys))
	kind := loose.NeedText("kind", document.OneOf(kinds))
	switch known := agentKeys[kind.Text]; {
	case known != nil:
		a.kind = kind.Text
	case kind.Text != "":
		r.Add(kind.Spot, "kind is %s; expected %s%s", document.Quote(kind.Text), document.OneOf(kinds), r.Hint(kind.Text, kinds))
		return a
	default:
		return a
	}
	o := document.NewObject(at, r, agentKeys[a.kind])
	a.output, a.input = o.Shape("output"), o.Shape("input")
	if a.input != nil && a.input.Doc["type"] != "object" {
		r.Add(a.input.Spot, "the input of an agent is an object; expected a schema of one: {type: object, properties: {…}}")
	}
	a.description = o.Text("description").Text
	switch a.kind {
	case kindExpr:
		a.readExpr(o)
	case kindExec:
		a.readExec(o)
	case kindHTTP:
		a.readHTTP(o)
	case kindRecipe:
		a.file = o.NeedText("file", "the path of a recipe in this recipe's folder")
	case kindModel:
		a.readModel(o)
	case kindMCP:
		a.readMCP(o)
	}
	return a
}

func (a *agent) readExpr(o *document.Object) {
	for _, p := range o.Texts("set") {
		if fault := nameFault(p.Key.Text); fault != "" {
			o.Report.Add(p.Key.Spot, "the name %s %s", document.Quote(p.Key.Text), fault)
		}
		a.set = append(a.set, assignment{key: p.Key, expr: p.Value})
	}
	if !o.Has("set") {
		o.Need("set", "a mapping of names to expressions")
	}
}

// readVariables reads a mapping of names of environment variables to their values.
func readVariables(o *document.Object, key string) []document.TextPair {
	all := o.Texts(key)
	for _, p := range all {
		if p.Key.Text == "" || strings.ContainsAny(p.Key.Text, "=\x00") {
			o.Report.Add(p.Key.Spot, "%s is not a name of an environment variable", document.Quote(p.Key.Text))
		}
	}
	return all
}

func (a *agent) readExec(o *document.Object) {
	a.command = o.Words("command")
	switch {
	case !o.Has("command"):
		o.Need("command", "a list: the program and its arguments")
	case len(o.List("command")) == 0 && o.Fields["command"].Kind == yaml.SequenceNode:
		o.Report.Add(o.At("command"), "command is empty; expected the program and its arguments")
	case len(a.command) > 0 && a.command[0].Text == "":
		o.Report.Add(a.command[0].Spot, "the program's name is empty")
	}
	a.env, a.inherit = readVariables(o, "env"), !o.Has("env")
	a.timeout = o.Seconds()
	a.once = o.Flag("at_most_once")
}

// defaultHTTPTimeout is how long a web service may take where the recipe does not say.
const defaultHTTPTimeout = 30 * time.Second

func (a *agent) readHTTP(o *document.Object) {
	a.method = o.Choice("method", httpMethods...)
	a.url = o.NeedText("url", "an address such as https://example.org/hook")
	a.headers = o.Texts("headers")
	if a.timeout = o.Seconds(); a.timeout == 0 {
		a.timeout = defaultHTTPTimeout
	}
	a.once = o.Flag("at_most_once")
	a.retry = readRetries(o)
}
