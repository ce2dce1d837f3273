package recipe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/mcp"
	"github.com/fermata-go/fermata/node"
)

const (
	// defaultMCPTimeout is how long a tool may take where the recipe does not say.
	defaultMCPTimeout = time.Minute

	stepMCP = "mcp"
)

var serverKeys = []string{"command", "env", "url", "headers", "timeout_seconds"}

// mcpKind are agents that call a tool of an MCP server, or whose server's tools models may call.
var mcpKind = &agentKind{
	name: "mcp", does: "calls a server", keys: []string{"output", "server", "tool", "timeout_seconds", "at_most_once"},
	outside: true, read: readMCP,
}

// mcpAgent calls tools of an MCP server.
type mcpAgent struct {
	*agent
	command                // that is the server; none where it has an address
	endpoint               // of the server; none where it is a program
	tool     document.Word // that nodes call; "" for none
	server   mcp.Server    // as connections know it, with the variables of the environment filled in
	servers  *mcp.Pool     // nil where the program has none
}

func readMCP(a *agent, o *document.Object) work {
	w := &mcpAgent{agent: a, tool: o.Text("tool")}
	a.timeout = cmp.Or(o.Seconds(), defaultMCPTimeout)
	a.once = o.Flag("at_most_once")
	if !o.Has("server") {
		o.Need("server", "{command: [program, argument, …]} or {url: https://…}")
		return w
	}
	if s := o.Object("server", serverKeys); s.Node.Kind == yaml.MappingNode {
		w.readServer(s)
	}
	return w
}

// serves is what an agent of kind mcp says of its server; nil for any other.
func (a *agent) serves() *mcpAgent {
	w, _ := can[*mcpAgent](a)
	return w
}

// readServer reads how the server is started, or where it is.
func (a *mcpAgent) readServer(s *document.Object) {
	a.command = readCommand(s)
	a.url, a.headers = s.Text("url"), s.Texts("headers")
	a.server.Within = s.Seconds()
	switch {
	case s.Has("command") && s.Has("url"):
		s.Report.Add(s.At("url"), "command and url exclude each other: a server is started, or reached at an address")
	case !s.Has("command") && !s.Has("url"):
		s.Need("command", "a list, the program and its arguments; or url, an address such as https://example.org/mcp")
	case s.IsEmptyList("command"):
		s.Report.Add(s.At("command"), emptyCommand)
	case s.Has("headers") && s.Has("command"):
		s.Report.Add(s.At("headers"), "headers go with url; hand secrets to a command in env")
	case s.Has("env") && s.Has("url"):
		s.Report.Add(s.At("env"), "env goes with command; hand secrets to a url in headers")
	case s.Has("url") && a.url.Text == "" && a.url.Node.Kind == yaml.ScalarNode:
		s.Report.Add(a.url.Spot, "url is empty; expected an address such as https://example.org/mcp")
	}
}

// expand fills in the variables of the server's description.
func (a *mcpAgent) expand(x *expansion, used bool) {
	a.server.Env = a.command.expand(x)
	a.server.Command = a.argv
	if a.url.Text == "" {
		return
	}
	a.endpoint.expand(x, used)
	if a.address != nil {
		a.server.URL = a.address.String()
	}
	a.server.Header = make(map[string]string, len(a.header))
	for _, h := range a.header {
		a.server.Header[h.name] = h.value
	}
}

func (a *mcpAgent) limit(allow *Allow, r *document.Report) {
	a.command.limit(allow, r)
	a.endpoint.limit(allow, r)
}

// connect gives the agent the connections that it is to use.
func (a *mcpAgent) connect(d *draft, servers *mcp.Pool, used bool, r *document.Report) {
	a.servers = servers
	if len(a.server.Command) > 0 {
		a.server.Dir = d.dir
	}
	if servers == nil && used {
		r.Add(a.Spot, "agents of kind mcp need connections to servers, and the program has none: give recipe.Options a pool in Servers")
	}
}

// connect gives all agents the connections that they are to use.
func (d *draft) connect(servers *mcp.Pool, r *document.Report) {
	used := d.called()
	for _, name := range slices.Sorted(maps.Keys(d.agents)) {
		if w, connects := can[connected](d.agents[name]); connects {
			w.connect(d, servers, used[name], r)
		}
	}
}

// checkStep checks that there is a tool that the node can call.
func (a *mcpAgent) checkStep(c *checked, n *step, _ expression.Names) {
	if a.tool.Text == "" {
		c.report.Add(n.ref.Spot, "the agent %s has no tool that a node could call; write one (tool: …) there; without one it serves models alone (tools: [\"mcp:%s/…\"])",
			document.Quote(a.name), a.name)
	}
}

func (a *mcpAgent) caller(*checked, *step) caller { return a.callTool }

// callTool calls the agent's tool with the arguments: once, as far as a crash allows.
func (a *mcpAgent) callTool(ctx node.Context, args map[string]any) (any, error) {
	input, err := document.Encode(args)
	if err != nil {
		return nil, definite{err}
	}
	return a.outside(ctx, stepMCP, func(ctx node.Context) (outcome, error) {
		made, err := a.served(ctx, a.tool.Text, input)
		switch {
		case err != nil:
			return outcome{}, err
		case made.Structured != nil:
			return outcome{Output: made.Structured}, nil
		case made.Text == "":
			return outcome{}, nil
		}
		text, err := document.Encode(strings.ToValidUTF8(made.Text, "\uFFFD"))
		if err != nil {
			return outcome{}, a.unsettled(err.Error(), "")
		}
		return outcome{Output: text}, nil
	})
}

// served has the server call a tool, within the agent's time. Of an agent with at_most_once, a call that may have happened
// has an unknown outcome (law J5).
func (a *mcpAgent) served(ctx context.Context, tool string, arguments json.RawMessage) (*mcp.Result, error) {
	timed, stop := context.WithTimeout(ctx, a.timeout)
	defer stop()
	c, err := a.servers.Client(timed, a.server)
	if err != nil {
		return nil, a.fault(a.serverText(ctx, timed, err), "")
	}
	made, err := c.Call(timed, tool, arguments)
	switch {
	case err == nil && len(made.Text)+len(made.Structured) > maxOutput:
		return nil, a.unsettled(fmt.Sprintf("the tool's answer has more than %d bytes", maxOutput), "")
	case err == nil:
		return made, nil
	case errors.Is(err, node.ErrOutcomeUnknown):
		return nil, a.unsettled(a.serverText(ctx, timed, err), "")
	}
	return nil, a.fault(a.serverText(ctx, timed, err), "")
}

// serverText is a failure of the server or of its tool.
func (a *mcpAgent) serverText(ctx, timed context.Context, err error) string {
	switch {
	case ctx.Err() != nil:
		return ctx.Err().Error()
	case errors.Is(timed.Err(), context.DeadlineExceeded):
		return fmt.Sprintf("the server took longer than timeout_seconds (%s)", a.timeout)
	}
	return plainText(err.Error())
}

// offers are the server's tools of that name, or all of them.
func (a *mcpAgent) offers(ctx context.Context, tool string) ([]offered, error) {
	timed, stop := context.WithTimeout(ctx, a.timeout)
	defer stop()
	var names []string
	if tool != "*" {
		names = append(names, tool)
	}
	c, err := a.servers.Client(timed, a.server)
	if err != nil {
		return nil, a.fault(a.serverText(ctx, timed, err), "")
	}
	tools, err := c.Tools(timed, names...)
	if err != nil {
		return nil, a.fault(a.serverText(ctx, timed, err), "")
	}
	all := make([]offered, len(tools))
	for i, t := range tools {
		all[i] = offered{Agent: a.name, Tool: t.Name, Description: a.private.text(t.Description), Input: t.Input}
	}
	return all, nil
}

// serverTool is a tool of the server's as a model calls it, under a name that begins with the agent's.
func (a *mcpAgent) serverTool(o offered, stage *Stage) node.Tool {
	return node.Tool{
		Name: toolName(a.name + "_" + o.Tool), Description: o.Description, Input: o.Input, Once: a.once,
		Call: stage.serves(a.agent, o.Tool, func(ctx node.Context, arguments json.RawMessage) (string, error) {
			made, err := a.served(ctx, o.Tool, arguments)
			if err != nil {
				return "", err
			}
			return shortened(a.private.text(made.Text)), nil
		}),
	}
}

// maxResultText limits the text of a tool's result for a model, in bytes.
const maxResultText = 100_000

// shortened is a text that a model can read, and that says where it was cut.
func shortened(text string) string {
	if len(text) <= maxResultText {
		return text
	}
	return fmt.Sprintf("%s\n[cut here: these are the first %d of %d bytes]", strings.ToValidUTF8(text[:maxResultText], ""), maxResultText, len(text))
}
