package recipe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/mcp"
	"github.com/fermata-go/fermata/node"
)

const (
	// defaultMCPTimeout is how long a tool may take where the recipe does not say.
	defaultMCPTimeout = time.Minute

	stepMCP = "mcp"
)

var serverKeys = []string{"command", "env", "url", "headers", "timeout_seconds"}

// readMCP reads an agent that calls a tool of an MCP server, or whose server's tools models may call.
func (a *agent) readMCP(o *document.Object) {
	a.tool = o.Text("tool")
	if a.timeout = o.Seconds(); a.timeout == 0 {
		a.timeout = defaultMCPTimeout
	}
	a.once = o.Flag("at_most_once")
	if !o.Has("server") {
		o.Need("server", "{command: [program, argument, …]} or {url: https://…}")
		return
	}
	s := o.Object("server", serverKeys)
	if s.Node.Kind != yaml.MappingNode {
		return
	}
	a.command, a.env = s.Words("command"), readVariables(s, "env")
	a.url, a.headers = s.Text("url"), s.Texts("headers")
	a.server.Within = s.Seconds()
	switch {
	case s.Has("command") && s.Has("url"):
		o.Report.Add(s.At("url"), "command and url exclude each other: a server is started, or reached at an address")
	case !s.Has("command") && !s.Has("url"):
		s.Need("command", "a list, the program and its arguments; or url, an address such as https://example.org/mcp")
	case s.Has("command") && len(s.List("command")) == 0 && s.Fields["command"].Kind == yaml.SequenceNode:
		o.Report.Add(s.At("command"), "command is empty; expected the program and its arguments")
	case s.Has("headers") && s.Has("command"):
		o.Report.Add(s.At("headers"), "headers go with url; hand secrets to a command in env")
	case s.Has("env") && s.Has("url"):
		o.Report.Add(s.At("env"), "env goes with command; hand secrets to a url in headers")
	case s.Has("url") && a.url.Text == "" && a.url.Node.Kind == yaml.ScalarNode:
		o.Report.Add(a.url.Spot, "url is empty; expected an address such as https://example.org/mcp")
	}
}

// expandMCP fills in the variables of the server's description.
func (a *agent) expandMCP(x *expansion, used bool) {
	for _, w := range a.command {
		a.argv = append(a.argv, x.text(w))
	}
	a.server.Command = a.argv
	for _, p := range a.env {
		a.server.Env = append(a.server.Env, p.Key.Text+"="+x.text(p.Value))
	}
	if a.url.Text == "" {
		return
	}
	a.expandHTTP(x, used)
	if a.address != nil {
		a.server.URL = a.address.String()
	}
	a.server.Header = make(map[string]string, len(a.header))
	for _, h := range a.header {
		a.server.Header[h.name] = h.value
	}
}

// connected gives the agent the connections that it is to use.
func (d *draft) connect(servers *mcp.Pool, r *document.Report) {
	used := d.called()
	for _, name := range keysOfAgents(d.agents) {
		a := d.agents[name]
		if a.kind != kindMCP {
			continue
		}
		a.servers = servers
		if len(a.server.Command) > 0 {
			a.server.Dir = d.dir
		}
		if servers == nil && used[name] {
			r.Add(a.Spot, "agents of kind mcp need connections to servers, and the program has none: give recipe.Options a pool in Servers")
		}
	}
}

// client is the connection to the agent's server.
func (a *agent) client(ctx context.Context) (*mcp.Client, error) {
	return a.servers.Client(ctx, a.server)
}

// callTool calls the agent's tool with the arguments: once, as far as a crash allows.
func (a *agent) callTool(ctx node.Context, args map[string]any) (any, error) {
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
func (a *agent) served(ctx context.Context, tool string, arguments json.RawMessage) (*mcp.Result, error) {
	timed, stop := context.WithTimeout(ctx, a.timeout)
	defer stop()
	c, err := a.client(timed)
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
func (a *agent) serverText(ctx, timed context.Context, err error) string {
	switch {
	case ctx.Err() != nil:
		return ctx.Err().Error()
	case errors.Is(timed.Err(), context.DeadlineExceeded):
		return fmt.Sprintf("the server took longer than timeout_seconds (%s)", a.timeout)
	}
	return plainText(err.Error())
}

// offers are the server's tools of that name, or all of them.
func (a *agent) offers(ctx context.Context, tool string) ([]offered, error) {
	timed, stop := context.WithTimeout(ctx, a.timeout)
	defer stop()
	var names []string
	if tool != "*" {
		names = append(names, tool)
	}
	c, err := a.client(timed)
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
func (a *agent) serverTool(o offered, stage *Stage) node.Tool {
	return node.Tool{
		Name: toolName(a.name + "_" + o.Tool), Description: o.Description, Input: o.Input, Once: a.once,
		Call: stage.serves(a, o.Tool, func(ctx node.Context, arguments json.RawMessage) (string, error) {
			made, err := a.served(ctx, o.Tool, arguments)
			if err != nil {
				return "", err
			}
			return shortened(a.private.text(made.Text)), nil
		}),
	}
}

// maxTold is how many bytes of a tool's answer a model is told.
const maxTold = 100_000

// shortened is a text that a model can read, and that says where it was cut.
func shortened(text string) string {
	if len(text) <= maxTold {
		return text
	}
	return fmt.Sprintf("%s\n[cut here: these are the first %d of %d bytes]", strings.ToValidUTF8(text[:maxTold], ""), maxTold, len(text))
}
