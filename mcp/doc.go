// Package mcp offers the tools of MCP servers (Model Context Protocol) to models in nodes. A server is a program that
// the package starts and talks to over its standard input and output, or an HTTP address.
//
//	files, err := mcp.Connect(ctx, mcp.Server{Command: []string{"npx", "-y", "@modelcontextprotocol/server-filesystem", "/data"}})
//	if err != nil { … }
//	defer files.Close()
//	tools, err := files.Tools(ctx, "read_file", "write_file")
//	tools = files.Guard(tools, mcp.Destructive, node.Approval{Ask: []node.AskOption{node.Role("operator")}})
//
// A tool does what the server does: a call that is repeated after a crash is a second call to the server, unless the
// tool is marked Once (see [node.Tool]).
//
// The package gives a server nothing but calls of its tools: no model to ask, no files, no person. It follows no tool
// that is added later, as the tools of a reasoning are fixed when it begins. Tokens and keys come from the environment
// or a file, and are in no error.
package mcp
