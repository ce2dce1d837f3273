package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/schema"
)

// Annotations are what a server says of a tool. They are hints: a server that is not trusted may say anything. An
// absent hint counts as the worse case: such a tool changes things, may destroy, and reaches the world.
type Annotations struct {
	Title       string // for people
	ReadOnly    bool   // it changes nothing
	Destructive bool   // it may change or delete what is there, and not only add to it
	Idempotent  bool   // a second call with the same arguments changes nothing more
	OpenWorld   bool   // it reaches what is outside of the server: the web, other people
}

// Destructive is for [Client.Guard]: tools that may change or delete data, or do not say.
func Destructive(a Annotations) bool { return !a.ReadOnly && a.Destructive }

// Writing is for [Client.Guard]: the tools that change anything, or that do not say.
func Writing(a Annotations) bool { return !a.ReadOnly }

// Tools returns the server's tools of those names, in that order; without names all, sorted by name. A name is the
// server's, or the one that the tool has here.
//
// A tool is called here as the server calls it, with the server's Prefix before. Characters that a model cannot use
// become '_', a name is cut to 64, and where two tools would be called the same, the later in the alphabet is numbered.
//
// An error of the tool is a [*ToolError], which the model is told. It fails for a name that the server does not have,
// and for a tool whose arguments have no valid schema.
func (c *Client) Tools(ctx context.Context, names ...string) ([]node.Tool, error) {
	found, err := call(ctx, c, repeatable, func(ctx context.Context, l *link) (all []*sdk.Tool, err error) {
		for t, err := range l.session.Tools(ctx, nil) {
			if err != nil {
				return nil, err
			}
			if all = append(all, t); len(all) > mostTools {
				return all, nil
			}
		}
		return all, nil
	})
	if err != nil {
		return nil, err
	}
	if len(found) > mostTools {
		return nil, fmt.Errorf("mcp server %s: expected at most %d tools, found more", c.server.Name, mostTools)
	}
	slices.SortFunc(found, func(a, b *sdk.Tool) int { return strings.Compare(a.Name, b.Name) })
	called := c.server.names(found)
	var tools []node.Tool
	if len(names) == 0 {
		for i := range found {
			names = append(names, found[i].Name)
		}
	}
	for _, name := range names {
		i := slices.IndexFunc(found, func(t *sdk.Tool) bool { return t.Name == name })
		if i < 0 {
			i = slices.Index(called, name)
		}
		if i < 0 {
			return nil, c.unknown(name, found)
		}
		t, err := c.tool(found[i], called[i])
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	return tools, nil
}

// mostTools of a server are listed: one that has gone wrong goes on for ever.
const mostTools = 10_000

func (c *Client) unknown(name string, found []*sdk.Tool) error {
	var all []string
	for _, t := range found {
		all = append(all, t.Name)
	}
	if hint := nearest.Hint(name, all); hint != "" {
		return fmt.Errorf("mcp server %s has no tool %q%s", c.server.Name, name, hint)
	}
	return fmt.Errorf("mcp server %s has no tool %q; it has: %s", c.server.Name, name, strings.Join(all, ", "))
}

// longestName of a tool that models take.
const longestName = 64

// names are what the tools, which are sorted, are called here.
func (s Server) names(tools []*sdk.Tool) []string {
	called := make([]string, len(tools))
	taken := make(map[string]bool)
	for i, t := range tools { // a name that needs no change is not taken away by one that does
		if name := s.Prefix + t.Name; plainName(name) == name {
			called[i], taken[name] = name, true
		}
	}
	for i, t := range tools {
		if called[i] != "" {
			continue
		}
		plain := plainName(s.Prefix + t.Name)
		name := plain
		for n := 2; taken[name]; n++ {
			suffix := "_" + strconv.Itoa(n)
			name = plain[:min(len(plain), longestName-len(suffix))] + suffix
		}
		called[i], taken[name] = name, true
	}
	return called
}

// notInNames are the characters that models do not take in the name of a tool.
var notInNames = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// plainName is a name with the characters and the length that models take.
func plainName(name string) string {
	plain := notInNames.ReplaceAllString(cmp.Or(name, "_"), "_")
	return plain[:min(len(plain), longestName)]
}

// tool makes a node's tool of one of the server's.
func (c *Client) tool(t *sdk.Tool, name string) (node.Tool, error) {
	input, err := json.Marshal(t.InputSchema)
	if err == nil {
		_, err = schema.Parse(input)
	}
	if err != nil {
		return node.Tool{}, fmt.Errorf("mcp server %s: the arguments of tool %q: %w", c.server.Name, t.Name, err)
	}
	a := annotationsOf(t)
	c.mu.Lock()
	c.known[name] = known{a, t.Name}
	c.mu.Unlock()
	return node.Tool{
		Name: name, Description: t.Description, Input: input,
		Call: func(ctx node.Context, arguments json.RawMessage) (string, error) {
			made, err := c.call(ctx, t.Name, a.ReadOnly || a.Idempotent, arguments)
			if err != nil {
				return "", err
			}
			return shorten(made.Text, c.server.MaxOutput), nil
		},
	}, nil
}

func annotationsOf(t *sdk.Tool) Annotations {
	a := Annotations{Title: t.Title, Destructive: true, OpenWorld: true}
	said := t.Annotations
	if said == nil {
		return a
	}
	a.Title = cmp.Or(a.Title, said.Title)
	a.ReadOnly, a.Idempotent = said.ReadOnlyHint, said.IdempotentHint
	if said.DestructiveHint != nil {
		a.Destructive = *said.DestructiveHint
	}
	if said.OpenWorldHint != nil {
		a.OpenWorld = *said.OpenWorldHint
	}
	return a
}

// Annotations are the server's hints about a tool of [Client.Tools], by the tool's name here.
func (c *Client) Annotations(tool string) (a Annotations, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.known[tool]
	return k.Annotations, ok
}

// Guard requires an approval for the tools whose annotations which selects. Such functions are [Destructive],
// [Writing], or one of the caller's. It returns a copy, and leaves tools of others, and those that have an approval, as
// they are.
func (c *Client) Guard(tools []node.Tool, which func(Annotations) bool, approval node.Approval) []node.Tool {
	guarded := slices.Clone(tools)
	for i, t := range guarded {
		if a, ok := c.Annotations(t.Name); ok && which(a) && t.Approval == nil {
			guarded[i].Approval = &approval
		}
	}
	return guarded
}

// When selects calls of tools by their annotations, for a rule of the caller (see [node.Approval]). Calls of tools that
// are not the server's are not picked.
func (c *Client) When(which func(Annotations) bool) func(call model.ToolCall) bool {
	return func(call model.ToolCall) bool {
		a, ok := c.Annotations(call.Name)
		return ok && which(a)
	}
}

// Result is what a tool returns.
type Result struct {
	Text string // what a model is told: the texts, and a line for what is none; else what is structured
	// Structured is the structured content, as JSON; nil for none. Numbers have the digits that the server has given.
	Structured json.RawMessage
}

// Call calls a tool by its name on the server or its name here, without a model. Arguments are an object; nil for none.
// The result is not cut to the server's MaxOutput.
//
// An error of the tool is a [*ToolError]. It fails for a name that the server does not have, and as all calls do.
func (c *Client) Call(ctx context.Context, tool string, arguments json.RawMessage) (*Result, error) {
	known, err := c.find(ctx, tool)
	if err != nil {
		return nil, err
	}
	return c.call(ctx, known.name, known.ReadOnly || known.Idempotent, arguments)
}

// find is what is known of a tool. The server is asked where that is nothing.
func (c *Client) find(ctx context.Context, tool string) (known, error) {
	if k, ok := c.recall(tool); ok {
		return k, nil
	}
	if _, err := c.Tools(ctx, tool); err != nil {
		return known{}, err
	}
	k, _ := c.recall(tool)
	return k, nil
}

func (c *Client) recall(tool string) (known, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.known {
		if k.name == tool {
			return k, true
		}
	}
	k, ok := c.known[tool]
	return k, ok
}

// call has the server do it; again says that a second call changes nothing.
func (c *Client) call(ctx context.Context, tool string, again bool, arguments json.RawMessage) (*Result, error) {
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	how := single
	switch {
	case node.MustNotRepeat(ctx): // whatever the server says of it
		how = once
	case again:
		how = repeatable
	}
	var hidden secrets
	result, err := call(ctx, c, how, func(ctx context.Context, l *link) (*sdk.CallToolResult, error) {
		hidden = l.secrets.keys()
		return l.session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
	})
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", tool, err)
	}
	if result.NeedsInput() {
		return nil, &ToolError{tool, "the tool asks for more input from its caller, which it is not given here"}
	}
	text := resultText(result)
	if result.IsError {
		if text = shorten(hidden.scrub(text), c.server.MaxOutput); text == "" {
			text = "the tool failed and does not say why"
		}
		return nil, &ToolError{tool, text}
	}
	return &Result{Text: text, Structured: structured(result)}, nil
}
