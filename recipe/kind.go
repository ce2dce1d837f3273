package recipe

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/mcp"
	"github.com/fermata-go/fermata/node"
)

// agentKind is a kind of agents: what recipes may say of its agents, and what the engine knows of all of them. A kind is a value in
// a file of its own, listed once in agentKinds; nothing else in this package asks for a kind by its name.
type agentKind struct {
	name    string                                  // as recipes write it
	does    string                                  // what its agents do: "runs a program"
	keys    []string                                // that an agent may have beside kind and description
	outside bool                                    // its agents reach what a test must not: a test names what stands in for them
	pure    bool                                    // what an agent gives follows from its arguments alone
	tool    bool                                    // models may call its agents
	read    func(a *agent, o *document.Object) work // nil for agents that recipes do not write
}

// work is what one agent does, as a recipe says it. Kinds that need more of the engine implement the interfaces below, too.
type work interface {
	// caller is the way in which a node calls the agent. The node is nil where a model calls it.
	caller(c *checked, n *step) caller
}

type (
	// expander is work with texts in which ${NAME} stands for a variable of the environment. used says whether the agent is called.
	expander interface {
		expand(x *expansion, used bool)
	}
	// limited is work that reaches what [Allow] can forbid.
	limited interface {
		limit(allow *Allow, r *document.Report)
	}
	// starter is work that may start a program.
	starter interface{ starts() *command }
	// connected is work that needs connections to MCP servers.
	connected interface {
		connect(d *draft, servers *mcp.Pool, used bool, r *document.Report)
	}
	// texted is work with expressions or templates in it.
	texted interface{ compileTexts(c *checked) }
	// stepChecker is work that checks a node that calls it: before is what is known there.
	stepChecker interface {
		checkStep(c *checked, n *step, before expression.Names)
	}
	// typed is work of which more is known than the agent's output: known is what the node finds on the blackboard.
	typed interface {
		gives(f *flow, n *step, known expression.Names) *expression.Type
	}
	// naming is work that shows which names it brings on the blackboard.
	naming interface{ writes() []string }
	// reading is work that shows which of its arguments it reads; nil for all.
	reading interface{ reads() []string }
	// retrying is work that says how it is tried again.
	retrying interface{ retryPolicy() *retries }
)

// agentKinds are all kinds of agents, in the order in which the published schema lists them.
var agentKinds = []*agentKind{exprKind, execKind, httpKind, modelKind, mcpKind, recipeKindOfAgents, goKind}

// writtenKinds are the kinds that recipes write, by name.
func writtenKinds() map[string]*agentKind {
	all := make(map[string]*agentKind, len(agentKinds))
	for _, k := range agentKinds {
		if k.read != nil {
			all[k.name] = k
		}
	}
	return all
}

// agent is an agent as it was written, or a function of the library.
type agent struct {
	document.Spot                 // where it stands; that of no file for a function of the library
	name          string          // by which nodes call it
	kind          *agentKind      // nil where it was wrong: its output is not known
	work          work            // what it does; nil where it was wrong
	description   string          // for people and models
	output        *document.Shape // what it gives must fit it; nil for anything
	input         *document.Shape // of the arguments; nil for any
	timeout       time.Duration   // of one call; 0 for none
	once          bool            // at_most_once
	tool          *node.Tool      // how models see it; nil to describe it from the recipe
	secrets       *redactor       // hides the variables of the environment, in errors and evidence
	private       *redactor       // hides those that are secrets by their names, in outputs
}

// calledBy is the way in which a node calls the agent; the node is nil where a model calls it.
func (a *agent) calledBy(c *checked, n *step) caller {
	if a.work != nil {
		return a.work.caller(c, n)
	}
	return func(node.Context, map[string]any) (any, error) {
		return nil, definite{fmt.Errorf("agent %q is of no known kind", a.name)}
	}
}

// can reports which of the interfaces above an agent's work has.
func can[T any](a *agent) (w T, ok bool) {
	if a != nil {
		w, ok = a.work.(T)
	}
	return w, ok
}

// model is what an agent of kind model says; nil for any other.
func (a *agent) model() *reasons {
	m, _ := can[*reasons](a)
	return m
}

// tools are those that the model of an agent may call; none of an agent of another kind.
func (a *agent) tools() []*toolRef {
	if m := a.model(); m != nil {
		return m.tools
	}
	return nil
}

// calls is the recipe that an agent of kind recipe calls; nil for any other.
func (a *agent) calls() *recipeAgent {
	w, _ := can[*recipeAgent](a)
	return w
}

// callee is that recipe once it was loaded; nil where there is none.
func (a *agent) callee() *nested {
	if w := a.calls(); w != nil {
		return w.nested
	}
	return nil
}

// readAgent reads an agent. Its kind decides which keys it may have.
func readAgent(name string, at document.Spot, r *document.Report) *agent {
	a := &agent{Spot: at, name: name}
	if at.Node.Kind != yaml.MappingNode {
		r.Add(at, "expected an agent such as {kind: exec, command: […]}, found %s", document.Describe(at.Node))
		return a
	}
	written := writtenKinds()
	kinds := slices.Sorted(maps.Keys(written))
	kind := document.NewObject(at, r, nil).NeedText("kind", document.OneOf(kinds))
	if a.kind = written[kind.Text]; a.kind == nil {
		if kind.Text != "" {
			r.Add(kind.Spot, "kind is %s; expected %s%s", document.Quote(kind.Text), document.OneOf(kinds), r.Hint(kind.Text, kinds))
		}
		return a
	}
	o := document.NewObject(at, r, a.kind.allKeys())
	a.output, a.input = o.Shape("output"), o.Shape("input")
	if a.input != nil && a.input.Doc["type"] != "object" {
		r.Add(a.input.Spot, "the input of an agent is an object; expected a schema of one: {type: object, properties: {…}}")
	}
	a.description = o.Text("description").Text
	a.work = a.kind.read(a, o)
	return a
}

// allKeys are the keys of an agent of the kind.
func (k *agentKind) allKeys() []string { return append([]string{"kind", "description"}, k.keys...) }

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
	d.readAgents(readPart(src, r, fileKeys, "Agents", "agents", "a mapping of names to agents"))
}

// readPart reads the head of a file that holds a part of a recipe: its version and kind, and whether it has its main key.
func readPart(src *document.Source, r *document.Report, keys []string, want, key, holds string) *document.Object {
	o := document.NewObject(document.Spot{Source: src, Node: src.Root}, r, keys)
	checkVersion(o)
	if kind := o.Text("kind"); o.Has("kind") && kind.Text != want {
		r.Add(kind.Spot, "kind is %s; expected %s", document.Quote(kind.Text), want)
	}
	if !o.Has(key) {
		o.Need(key, holds)
	}
	return o
}
