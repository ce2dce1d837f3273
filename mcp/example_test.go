package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-go/fermata/mcp"
	"github.com/fermata-go/fermata/node"
)

// A server's tools are what a model may call; those that destroy are looked at by a person first.
func Example() {
	server := newServer(hooks{}) // in practice somebody else's
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	web := httptest.NewServer(handler)
	defer web.Close()

	ctx := context.Background()
	client, err := mcp.Connect(ctx, mcp.Server{URL: web.URL, Prefix: "math_"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	tools, err := client.Tools(ctx, "add", "media")
	if err != nil {
		fmt.Println(err)
		return
	}
	tools = client.Guard(tools, mcp.Destructive, node.Approval{Ask: []node.AskOption{node.Role("operator")}})
	for _, tool := range tools {
		fmt.Println(tool.Name, "needs approval:", tool.Approval != nil)
	}
	// Output:
	// math_add needs approval: false
	// math_media needs approval: true
}
