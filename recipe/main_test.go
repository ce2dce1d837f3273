package recipe

import (
	"context"
	"fmt"
	"os"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
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
	goleak.VerifyTestMain(m)
}

type sumArguments struct {
	A int `json:"a"`
	B int `json:"b"`
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
	return s.Run(context.Background(), &sdk.StdioTransport{})
}
