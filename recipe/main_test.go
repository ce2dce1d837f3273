package recipe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/fermata-go/fermata/internal/lawtest"
)

// TestMain checks that nothing that a recipe calls leaves a goroutine behind. With FERMATA_TEST_SERVER the test's binary
// is an MCP server.
func TestMain(m *testing.M) {
	if os.Getenv("FERMATA_TEST_SERVER") != "" {
		if err := serveTools(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	lawtest.CollectLess()
	lawtest.KeepFilesInMemory()
	lawtest.RunBeside(16)
	goleak.VerifyTestMain(m)
}

type sumArguments struct {
	A int `json:"a"`
	B int `json:"b"`
}

// noteArguments name a file that grows by a line with each call. With die, the server is gone after the first.
type noteArguments struct {
	File string `json:"file"`
	Die  bool   `json:"die,omitempty"`
}

func note(in noteArguments) error {
	f, err := os.OpenFile(in.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString("called\n")
	info, unknown := f.Stat()
	if err = errors.Join(err, unknown, f.Close()); err == nil && in.Die && info.Size() == int64(len("called\n")) {
		os.Exit(3)
	}
	return err
}

func serveTools() error {
	s := sdk.NewServer(&sdk.Implementation{Name: "calc", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "add", Description: "Adds"},
		func(_ context.Context, _ *sdk.CallToolRequest, in sumArguments) (*sdk.CallToolResult, map[string]int, error) {
			if in.A < 0 {
				return nil, nil, fmt.Errorf("a is below 0, says %s", os.Getenv("WORD"))
			}
			return nil, map[string]int{"sum": in.A + in.B}, nil
		})
	tell := &sdk.Tool{Name: "tell", Description: "Tells the word, which is " + os.Getenv("WORD"), InputSchema: map[string]any{"type": "object"}}
	s.AddTool(tell, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		told := fmt.Sprintf(`{"word": "it is %s", "number": 9007199254740993}`, os.Getenv("WORD"))
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: told}}, StructuredContent: json.RawMessage(told)}, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "note", Description: "Notes that it was called"},
		func(_ context.Context, _ *sdk.CallToolRequest, in noteArguments) (*sdk.CallToolResult, any, error) {
			return nil, nil, note(in)
		})
	return s.Run(context.Background(), &sdk.StdioTransport{})
}
