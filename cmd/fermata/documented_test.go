package main

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// inDocuments finds calls of the command in code: behind a backquote, or at the beginning of a line of a block.
var inDocuments = regexp.MustCompile("(?m)(?:`|^ *(?:\\$ )?)fermata ([a-z][^`\n]*)")

// TestWhatTheDocumentsCallIsThere checks that each command that the pages call exists, with its flags. Decisions (docs/adr) are of their time.
func TestWhatTheDocumentsCallIsThere(t *testing.T) {
	m, _, _ := command(t)
	m.Run(t.Context(), nil) // makes its screens
	root := m.rootCommand()
	root.InitDefaultCompletionCmd()
	tree, seen := os.DirFS("../.."), 0
	pages := []string{"README.md", "SECURITY.md"}
	err := fs.WalkDir(tree, "docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".md" && !strings.HasPrefix(name, "docs/adr/") {
			pages = append(pages, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		data, err := fs.ReadFile(tree, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range inDocuments.FindAllStringSubmatch(string(data), -1) {
			if match[1] == "crypt 1, run " { // the beginning of what keys are derived from
				continue
			}
			seen++
			line, _, _ := strings.Cut(match[1], " #")
			if why := isThere(root, strings.Fields(line)); why != "" {
				t.Errorf("%s: fermata %s: %s", page, line, why)
			}
		}
	}
	if seen < 100 {
		t.Errorf("found %d calls in %d pages; expected at least 100", seen, len(pages))
	}
}

// isThere says what of a command line does not exist.
func isThere(root *cobra.Command, words []string) string {
	c := root
	for len(words) > 0 {
		i := 0
		for i < len(c.Commands()) && c.Commands()[i].Name() != words[0] {
			i++
		}
		if i == len(c.Commands()) {
			break
		}
		c, words = c.Commands()[i], words[1:]
	}
	if c == root {
		return "there is no such command"
	}
	c.InitDefaultHelpFlag()
	for _, word := range words {
		name, isFlag := strings.CutPrefix(strings.TrimLeft(word, "[("), "--")
		if i := strings.IndexFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' }); i >= 0 {
			name = name[:i]
		}
		if isFlag && name != "" && c.Flag(name) == nil && c.InheritedFlags().Lookup(name) == nil {
			return "there is no flag --" + name
		}
	}
	return ""
}
