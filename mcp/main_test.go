package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/fermata-go/fermata/internal/lawtest"
)

// roleVariable makes the test's binary a server that speaks over its standard input and output.
const roleVariable = "FERMATA_MCP_SERVER"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := serve(role); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	lawtest.RunBeside(8)
	goleak.VerifyTestMain(m)
}

func serve(role string) error {
	switch role {
	case "dies":
		fmt.Fprintln(os.Stderr, strings.Repeat("chatter\n", 1000)+"no key: "+os.Getenv("FERMATA_MCP_KEY"))
		return errors.New("giving up")
	case "dies with a key":
		fmt.Fprintln(os.Stderr, strings.Repeat("chatter\n", 1000)+"no key:\n"+os.Getenv("FERMATA_MCP_KEY"))
		fmt.Fprintf(os.Stderr, "no key: %q\n", os.Getenv("FERMATA_MCP_KEY"))
		return errors.New("giving up")
	case "silent":
		select {}
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		go func() { _ = newServer(hooks{}).Run(context.Background(), &sdk.StdioTransport{}) }()
		select {}
	}
	return newServer(hooks{}).Run(context.Background(), &sdk.StdioTransport{})
}

// hooks are where a test looks into a server of its own process.
type hooks struct {
	waiting, cancelled chan struct{}
}

type sum struct {
	A int `json:"a" jsonschema:"first"`
	B int `json:"b"`
}

type once struct {
	File string `json:"file"`
}

// newServer is a server with a tool for everything that may happen.
func newServer(h hooks) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	yes, no := true, false
	sdk.AddTool(s, &sdk.Tool{Name: "add", Description: "Adds two numbers", Title: "Adder", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *sdk.CallToolRequest, in sum) (*sdk.CallToolResult, any, error) {
			return texts(fmt.Sprint(in.A+in.B), "done"), nil, nil
		})
	raw := func(t *sdk.Tool, do func(ctx context.Context) (*sdk.CallToolResult, error)) {
		t.InputSchema = map[string]any{"type": "object"}
		s.AddTool(t, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return do(ctx) })
	}
	raw(&sdk.Tool{Name: "fail"}, func(context.Context) (*sdk.CallToolResult, error) {
		r := texts("the disk is full")
		r.IsError = true
		return r, nil
	})
	raw(&sdk.Tool{Name: "fail and tell"}, func(context.Context) (*sdk.CallToolResult, error) {
		r := texts("no access to /data/2026/x with " + os.Getenv("FERMATA_MCP_KEY"))
		r.IsError = true
		return r, nil
	})
	raw(&sdk.Tool{Name: "fail silently"}, func(context.Context) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{IsError: true}, nil
	})
	raw(&sdk.Tool{Name: "huge"}, func(context.Context) (*sdk.CallToolResult, error) {
		return texts(strings.Repeat("ä", 1<<20)), nil
	})
	raw(&sdk.Tool{Name: "die"}, func(context.Context) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "dying with", os.Getenv("FERMATA_MCP_KEY"))
		os.Exit(3)
		return nil, nil
	})
	raw(&sdk.Tool{Name: "environment"}, func(context.Context) (*sdk.CallToolResult, error) {
		return texts(strings.Join(os.Environ(), "\n")), nil
	})
	raw(&sdk.Tool{Name: "structured", Annotations: &sdk.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no}},
		func(context.Context) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{}, StructuredContent: map[string]any{"b": 1, "a": "x"}}, nil
		})
	s.AddTool(&sdk.Tool{Name: "echo", InputSchema: map[string]any{"type": "object"}},
		func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return texts(string(r.Params.Arguments)), nil
		})
	raw(&sdk.Tool{Name: "numbers"}, func(context.Context) (*sdk.CallToolResult, error) { return texts(digits), nil })
	raw(&sdk.Tool{Name: "numbers apart"}, func(context.Context) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{}, StructuredContent: json.RawMessage(digits)}, nil
	})
	raw(&sdk.Tool{Name: "numbers twice"}, func(context.Context) (*sdk.CallToolResult, error) {
		r := texts(manyDigits)
		r.StructuredContent = json.RawMessage(manyDigits)
		return r, nil
	})
	raw(&sdk.Tool{Name: "media", Annotations: &sdk.ToolAnnotations{DestructiveHint: &yes, IdempotentHint: true}}, media)
	raw(&sdk.Tool{Name: "wait"}, func(ctx context.Context) (*sdk.CallToolResult, error) {
		close(h.waiting)
		<-ctx.Done()
		close(h.cancelled)
		return nil, ctx.Err()
	})
	// Dies in its first call, and says in the second that it did.
	sdk.AddTool(s, &sdk.Tool{Name: "die once", Annotations: &sdk.ToolAnnotations{IdempotentHint: true}},
		func(_ context.Context, _ *sdk.CallToolRequest, in once) (*sdk.CallToolResult, any, error) {
			if _, err := os.Stat(in.File); err == nil {
				return texts("here again"), nil, nil
			}
			if err := os.WriteFile(in.File, nil, 0o600); err != nil {
				return nil, nil, err
			}
			os.Exit(3)
			return nil, nil, nil
		})
	return s
}

// What numbers look like that a float64 does not hold; digits is more than it can be read into.
const (
	manyDigits = `{"big":9007199254740993,"id":12345678901234567890,"small":0.1,"one":1.0,"exact":0.1000000000000000055511151231257827}`
	digits     = `{"big":9007199254740993,"huge":1e400,"tiny":1e-400,"small":0.10}`
)

func media(context.Context) (*sdk.CallToolResult, error) {
	return &sdk.CallToolResult{
		StructuredContent: map[string]any{"not": "said, as there is text"},
		Content: []sdk.Content{
			&sdk.ImageContent{Data: []byte("12345"), MIMEType: "image/png"},
			&sdk.AudioContent{Data: []byte("123"), MIMEType: "audio/wav"},
			&sdk.ResourceLink{URI: "file:///a", Name: "a", Title: "The file"},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///b", Text: "inner text"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///c", MIMEType: "x/y", Blob: []byte("12")}},
		},
	}, nil
}

func texts(all ...string) *sdk.CallToolResult {
	r := &sdk.CallToolResult{}
	for _, text := range all {
		r.Content = append(r.Content, &sdk.TextContent{Text: text})
	}
	return r
}
