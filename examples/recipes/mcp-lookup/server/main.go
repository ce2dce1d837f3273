package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	if err := newServer().Run(context.Background(), &mcp.StdioTransport{}); err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// glossary is what words mean. It is safe for concurrent use.
type glossary struct {
	mu    sync.Mutex
	words map[string]string // by the word in lower case
}

type wordArguments struct {
	Word string `json:"word" jsonschema:"the word to look up"`
}

type entry struct {
	Word    string `json:"word"`
	Found   bool   `json:"found"`
	Meaning string `json:"meaning" jsonschema:"empty where it was not found"`
}

type newWord struct {
	Word    string `json:"word"`
	Meaning string `json:"meaning" jsonschema:"one sentence"`
}

func newServer() *mcp.Server {
	g := &glossary{words: map[string]string{
		"bollard": "A short post on a quay, to which ships are made fast.",
		"lighter": "A flat barge that carries goods between a ship and the shore.",
	}}
	s := mcp.NewServer(&mcp.Implementation{Name: "glossary", Version: "1"}, nil)
	no := false
	mcp.AddTool(s, &mcp.Tool{
		Name: "find", Description: "Looks up what a word means in the harbour",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no},
	}, g.find)
	mcp.AddTool(s, &mcp.Tool{
		Name: "add", Description: "Adds a word that is not there yet, and what it means",
		Annotations: &mcp.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no},
	}, g.add)
	return s
}

func (g *glossary) find(_ context.Context, _ *mcp.CallToolRequest, in wordArguments) (*mcp.CallToolResult, entry, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	meaning, found := g.words[strings.ToLower(in.Word)]
	return nil, entry{Word: in.Word, Found: found, Meaning: meaning}, nil
}

func (g *glossary) add(_ context.Context, _ *mcp.CallToolRequest, in newWord) (*mcp.CallToolResult, entry, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := strings.ToLower(in.Word)
	if known, there := g.words[key]; there && known != in.Meaning {
		return nil, entry{}, fmt.Errorf("%q is there already: %s", in.Word, known)
	}
	g.words[key] = in.Meaning
	return nil, entry{Word: in.Word, Found: true, Meaning: in.Meaning}, nil
}
