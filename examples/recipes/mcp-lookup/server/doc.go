// Command server is a small MCP server for the recipe in the folder above it. It serves a glossary of a harbour, with
// one tool that looks a word up and one that adds a word. It speaks over its standard input and output, and forgets
// what was added when it ends.
package main
