package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/mcp"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/node"
)

// program is the test's own binary in the role of a server.
func program(t testing.TB, role string) mcp.Server {
	t.Helper()
	t.Setenv("FERMATA_MCP_KEY", "sesame-open-42")
	return mcp.Server{
		Name: "tester", Command: []string{os.Args[0]},
		Env: []string{roleVariable + "=" + role, "FERMATA_MCP_KEY"}, Grace: 200 * time.Millisecond,
	}
}

// connect connects to a server that is there. A busy machine may take longer than a user would wait.
func connect(t testing.TB, server mcp.Server) *mcp.Client {
	t.Helper()
	if server.Within == 0 {
		server.Within = time.Minute
	}
	c, err := mcp.Connect(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// use calls a tool as a node does.
func use(t testing.TB, tool node.Tool, arguments string) (string, error) {
	t.Helper()
	return tool.Call(fermatatest.NewContext(t).Begin(), json.RawMessage(arguments))
}

func only(t testing.TB, c *mcp.Client, name string) node.Tool {
	t.Helper()
	tools, err := c.Tools(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return tools[0]
}

func TestTools(t *testing.T) {
	server := program(t, "serves")
	server.Prefix = "t."
	c := connect(t, server)
	tools, err := c.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	want := []string{"t_add", "t_die", "t_die_once", "t_echo", "t_environment", "t_fail", "t_fail_and_tell", "t_fail_silently", "t_huge", "t_media", "t_numbers", "t_numbers_apart", "t_numbers_twice", "t_structured", "t_wait"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	tools, err = c.Tools(t.Context(), "fail silently", "t_add")
	if err != nil {
		t.Fatal(err)
	}
	add := tools[1]
	if diff := cmp.Diff([]string{"t_fail_silently", "t_add", "Adds two numbers"}, []string{tools[0].Name, add.Name, add.Description}); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	wantInput := `{"additionalProperties":false,"properties":{"a":{"description":"first","type":"integer"},"b":{"type":"integer"}},` +
		`"required":["a","b"],"type":"object"}`
	if diff := cmp.Diff(wantInput, string(add.Input)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if out, err := use(t, add, `{"a":3,"b":4}`); err != nil || out != "7\ndone" {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestTools_unknown(t *testing.T) {
	c := connect(t, program(t, "serves"))
	for name, want := range map[string]string{
		"ad":  `mcp server tester has no tool "ad"; did you mean "add"?`,
		"zzz": `mcp server tester has no tool "zzz"; it has: add, die, die once, echo, environment, fail, fail and tell, fail silently, huge, media, numbers, numbers apart, numbers twice, structured, wait`,
	} {
		if _, err := c.Tools(t.Context(), "add", name); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestCall_results(t *testing.T) {
	server := program(t, "serves")
	server.MaxOutput = 101
	c := connect(t, server)
	tests := []struct{ tool, want string }{
		{"structured", `{"a":"x","b":1}`},
		{"media", "[image, image/png, 5 bytes]\n[audio, audio/wav, 3 bytes]\n[link to The"},
		{"huge", strings.Repeat("ä", 50) + "\n[cut here: these are the first 100 of 2097152 bytes]"},
	}
	for _, tt := range tests {
		out, err := use(t, only(t, c, tt.tool), ``)
		if err != nil || !strings.HasPrefix(out, tt.want) {
			t.Errorf("%s: got  %q (%v)\nwant %q", tt.tool, out, err, tt.want)
		}
	}
	all := connect(t, program(t, "serves"))
	out, err := use(t, only(t, all, "media"), `{}`)
	want := "[image, image/png, 5 bytes]\n[audio, audio/wav, 3 bytes]\n[link to The file, of unknown type: file:///a]\n" +
		"[resource file:///b]\ninner text\n[resource file:///c, x/y, 2 bytes]"
	if diff := cmp.Diff(want, out); diff != "" || err != nil {
		t.Errorf("(-want +got)\n%s (%v)", diff, err)
	}
}

// What a tool says has gone wrong is an error whose text is all that the model is told; what the server refuses names
// the server.
func TestCall_errors(t *testing.T) {
	server := program(t, "serves")
	server.Env = append(server.Env, "ROOT=/data/2026", "WORD=access")
	c := connect(t, server)
	for tool, want := range map[string]string{
		"fail": "the disk is full", "fail and tell": "no access to /data/2026/x with [secret]", "fail silently": "the tool failed and does not say why",
	} {
		_, err := use(t, only(t, c, tool), `{}`)
		failed, ok := errors.AsType[*mcp.ToolError](err)
		if !ok || *failed != (mcp.ToolError{Tool: tool, Message: want}) || err.Error() != want {
			t.Errorf("%s: got %v, want %s", tool, err, want)
		}
	}
	_, err := use(t, only(t, c, "add"), `{"a":"three","b":4}`)
	if err == nil || !strings.Contains(err.Error(), "a") || errors.Is(err, mcp.ErrLost) {
		t.Errorf("wrong arguments: %v", err)
	}
}

// A server that dies during a call is lost, and there again at the next call.
func TestCall_lost(t *testing.T) {
	c := connect(t, program(t, "serves"))
	die, add := only(t, c, "die"), only(t, c, "add")
	for range 2 {
		_, err := use(t, die, `{}`)
		if !errors.Is(err, mcp.ErrLost) || !strings.Contains(err.Error(), "tester was lost during the call, which may have happened or not") {
			t.Errorf("got %v", err)
		}
		if strings.Contains(err.Error(), "sesame") {
			t.Errorf("the error holds a secret: %v", err)
		}
		if out, err := use(t, add, `{"a":1,"b":1}`); err != nil || out != "2\ndone" {
			t.Errorf("the next call gives %q, %v", out, err)
		}
	}
	once, marker := only(t, c, "die once"), filepath.Join(t.TempDir(), "marker")
	arguments, err := json.Marshal(map[string]string{"file": marker})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := use(t, once, string(arguments)); err != nil || out != "here again" {
		t.Errorf("a call that may be repeated is not: %q, %v", out, err)
	}
}

// A program that dies at its start is quoted, but for what is secret.
func TestConnect_dies(t *testing.T) {
	_, err := mcp.Connect(t.Context(), program(t, "dies"))
	if !errors.Is(err, mcp.ErrLost) {
		t.Fatalf("got %v", err)
	}
	text := err.Error()
	for _, want := range []string{"tester cannot be reached: ", "; it wrote: chatter\n", "no key: [secret]\ngiving up"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	if strings.Contains(text, "sesame") || len(text) > 5000 {
		t.Errorf("the error holds a secret, or is long (%d): %s", len(text), text)
	}
	server := program(t, "serves")
	server.Command = []string{filepath.Join(t.TempDir(), "nothing")}
	if _, err := mcp.Connect(t.Context(), server); !errors.Is(err, mcp.ErrLost) || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("got %v", err)
	}
}

// A key of several lines is hidden also where a program says it in another form, or its beginning is cut off.
func TestConnect_diesWithAKey(t *testing.T) {
	server := program(t, "dies with a key")
	line := strings.Repeat("MIIBOgIBAAJBAK", 5)
	t.Setenv("FERMATA_MCP_KEY", "-----BEGIN KEY-----\n"+strings.Repeat(line+"\n", 60)+"-----END KEY-----")
	_, err := mcp.Connect(t.Context(), server)
	if !errors.Is(err, mcp.ErrLost) || !strings.Contains(err.Error(), "giving up") || strings.Contains(err.Error(), "MIIB") {
		t.Errorf("got %v", err)
	}
}

// A program that never answers is given up, and so is one when whoever connects loses patience.
func TestConnect_silent(t *testing.T) {
	server := program(t, "silent")
	server.Within = 100 * time.Millisecond
	_, err := mcp.Connect(t.Context(), server)
	if want := "the connection to the MCP server is lost: tester cannot be reached: no answer within 100ms"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := mcp.Connect(ctx, program(t, "silent")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// Close ends a program that does not want to, and all calls after it fail.
func TestClose(t *testing.T) {
	c := connect(t, program(t, "stubborn"))
	add := only(t, c, "add")
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := use(t, add, `{"a":1,"b":2}`); !errors.Is(err, mcp.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if _, err := c.Tools(t.Context()); !errors.Is(err, mcp.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// A program is given no more of the environment than it needs and is told to have.
func TestConnect_environment(t *testing.T) {
	t.Setenv("FERMATA_MCP_OTHER", "not-for-servers")
	server := program(t, "serves")
	server.Env = append(server.Env, "FERMATA_MCP_PLAIN=a=b")
	out, err := use(t, only(t, connect(t, server), "environment"), `{}`)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out, "\n")
	for _, want := range []string{"FERMATA_MCP_KEY=sesame-open-42", "FERMATA_MCP_PLAIN=a=b", "PATH=" + os.Getenv("PATH")} {
		if !slices.Contains(lines, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if strings.Contains(out, "not-for-servers") {
		t.Error("a variable is handed over that is not the server's")
	}
	server.Env = []string{"FERMATA_MCP_UNSET"}
	_, err = mcp.Connect(t.Context(), server)
	if want := "mcp server tester: the environment variable FERMATA_MCP_UNSET is not set"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestGuard(t *testing.T) {
	c := connect(t, program(t, "serves"))
	tools, err := c.Tools(t.Context(), "add", "structured", "media", "fail")
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]mcp.Annotations)
	for _, tool := range tools {
		got[tool.Name], _ = c.Annotations(tool.Name)
	}
	want := map[string]mcp.Annotations{
		"add":        {Title: "Adder", ReadOnly: true, Destructive: true, OpenWorld: true},
		"structured": {},
		"media":      {Destructive: true, Idempotent: true, OpenWorld: true},
		"fail":       {Destructive: true, OpenWorld: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	own := node.Approval{When: func(model.ToolCall) bool { return false }}
	tools[3].Approval = &own
	tools = append(tools, node.Tool{Name: "another's"})
	approved := func(which func(mcp.Annotations) bool) (names []string) {
		for _, tool := range c.Guard(tools, which, node.Approval{}) {
			if tool.Approval != nil && tool.Approval != &own {
				names = append(names, tool.Name)
			}
		}
		return names
	}
	if diff := cmp.Diff([][]string{{"media"}, {"structured", "media"}}, [][]string{approved(mcp.Destructive), approved(mcp.Writing)}); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if tools[2].Approval != nil {
		t.Error("Guard changes the tools that it is given")
	}
	when := c.When(mcp.Destructive)
	if diff := cmp.Diff([]bool{false, true, false}, []bool{
		when(model.ToolCall{Name: "add"}), when(model.ToolCall{Name: "media"}), when(model.ToolCall{Name: "another's"}),
	}); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
