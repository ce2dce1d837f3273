package document

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Bounds of a file. Aliases count with all that they stand for.
const (
	MaxBytes = 4 << 20
	maxNodes = 100_000
	maxDepth = 64
)

// Source is a file that was read: JSON is YAML, so there is one way for both.
type Source struct {
	File  string
	lines []string
	Root  *yaml.Node // without aliases, merge keys and duplicate keys; nil for a file that cannot be read

	Foreign bool // a document of another library: what is not known in it is no error
}

// Read parses a file and reports what is wrong with it as YAML.
func Read(file string, data []byte, r *Report) *Source {
	s := &Source{File: file}
	r.files = append(r.files, file)
	whole := Spot{Source: s}
	if len(data) > MaxBytes {
		r.Add(whole, "the file has %d bytes; at most %d are read", len(data), MaxBytes)
		return s
	}
	if !utf8.Valid(data) {
		r.Add(whole, "the file is not UTF-8 text")
		return s
	}
	s.lines = strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		r.Add(whole, "%v", err)
		return s
	}
	var doc, next yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF):
		r.Add(whole, "the file is empty; expected %s", r.Expected)
		return s
	case err != nil:
		s.syntax(err, r)
		return s
	}
	switch err := loader.Load(&next); {
	case errors.Is(err, io.EOF):
	case err != nil:
		s.syntax(err, r)
		return s
	default:
		r.Add(Spot{Source: s, Node: first(&next)}, "a second document starts here; a file holds one")
		return s
	}
	x := expander{src: s, report: r, open: make(map[*yaml.Node]bool)}
	s.Root = x.expand(first(&doc), "", 0)
	if x.failed {
		s.Root = nil
	}
	return s
}

// first is the content of a document.
func first(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		return n.Content[0]
	}
	return n
}

// syntax reports an error of the YAML parser.
func (s *Source) syntax(err error, r *Report) {
	le, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		r.Add(Spot{Source: s}, "%v", err)
		return
	}
	message := le.Message
	if le.ContextMsg != "" {
		message += " " + le.ContextMsg
	}
	line, form := min(le.Mark.Line, len(s.lines)), "not YAML: "
	if strings.HasSuffix(s.File, ".json") {
		form = "not JSON: "
	}
	r.at(Spot{Source: s}, line, max(le.Mark.Column, min(line, 1)), form+strings.TrimPrefix(message, "yaml: ")+s.advice(message, line))
}

// slips are what errors of the YAML parser often have their cause in, by what they say. The first that fits counts.
var slips = []struct{ said, advice string }{
	{"unknown anchor", "an anchor is written before its alias: &name, then *name"},
	{"cannot start any token", "a text that begins with %, @ or ` stands in quotes"},
	{"mapping values are not allowed", "a text that holds a colon and a space stands in quotes, and the keys of one mapping begin in the same column"},
	{"scanning a quoted scalar", "a quote is not closed in a line before"},
	{"scanning a simple key", "a key in a line before has no colon with a space behind it"},
	{"expected '-' indicator", "the keys of one element begin in the same column, and the elements of a list, too"},
	{"expected key while parsing a block mapping", "the keys of one mapping begin in the same column, and a text that begins with { stands in quotes"},
	{"parsing a flow mapping", "a comma or } is missing here or before, or a text that holds a colon and a space stands in no quotes"},
	{"parsing a flow", "a comma too many, or a bracket that is not closed"},
}

// advice says in which slip an error of the YAML parser has its cause; "" where that is not known. line is from 1.
func (s *Source) advice(message string, line int) string {
	if line > 0 && line <= len(s.lines) && strings.HasPrefix(strings.TrimLeft(s.lines[line-1], " "), "\t") || strings.Contains(message, "tab character") {
		return "; indent with spaces, not with tabs"
	}
	for _, slip := range slips {
		if strings.Contains(message, slip.said) {
			return "; " + slip.advice
		}
	}
	return ""
}

// expander copies a tree and puts in place what aliases and merge keys stand for.
type expander struct {
	src    *Source
	report *Report
	open   map[*yaml.Node]bool // anchored nodes that are being expanded
	count  int
	failed bool // a bound was reached: the tree is of no use
}

func (x *expander) fail(n *yaml.Node, path, format string, args ...any) *yaml.Node {
	if !x.failed {
		x.report.Add(Spot{Source: x.src, Node: n, Path: path}, format, args...)
	}
	x.failed = true
	return null(n)
}

func null(at *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null", Line: at.Line, Column: at.Column}
}

func (x *expander) expand(n *yaml.Node, path string, depth int) *yaml.Node {
	if x.failed {
		return null(n)
	}
	x.count++
	switch {
	case x.count > maxNodes:
		return x.fail(n, path, "the document holds more than %d values, aliases counted with what they stand for", maxNodes)
	case depth > maxDepth:
		return x.fail(n, path, "values are nested more than %d deep", maxDepth)
	}
	switch n.Kind {
	case yaml.AliasNode:
		if n.Alias == nil || x.open[n.Alias] {
			return x.fail(n, path, "the alias *%s stands for a value that holds the alias itself", n.Value)
		}
		return x.expand(n.Alias, path, depth+1)
	case yaml.SequenceNode, yaml.MappingNode:
		x.open[n] = true
		defer delete(x.open, n)
		out := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Style: n.Style, Line: n.Line, Column: n.Column}
		if tag := n.ShortTag(); tag != "!!map" && tag != "!!seq" {
			x.report.Add(Spot{Source: x.src, Node: n, Path: path}, "the tag %s is not known; leave it out", tag)
		}
		if n.Kind == yaml.MappingNode {
			x.mapping(n, out, path, depth)
			return out
		}
		for i, c := range n.Content {
			out.Content = append(out.Content, x.expand(c, Index(path, i), depth+1))
		}
		return out
	case yaml.ScalarNode:
		switch tag := n.ShortTag(); tag {
		case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!merge":
		default:
			x.report.Add(Spot{Source: x.src, Node: n, Path: path}, "the tag %s is not known; leave it out, or put a value that begins with ! in quotes", tag)
		}
		return &yaml.Node{Kind: n.Kind, Tag: n.Tag, Style: n.Style, Value: n.Value, Line: n.Line, Column: n.Column}
	}
	return x.fail(n, path, "expected a value")
}

// mapping copies the entries of n: its own first, then those that merge keys (<<) bring in and that are not there yet.
func (x *expander) mapping(n, out *yaml.Node, path string, depth int) {
	seen := make(map[string]*yaml.Node, len(n.Content)/2)
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content) && !x.failed; i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.ShortTag() == "!!merge" {
			merged = append(merged, value)
			continue
		}
		k := x.expand(key, path, depth+1)
		if x.failed {
			return
		}
		at := Spot{Source: x.src, Node: k, Path: Join(path, k.Value)}
		if k.Kind != yaml.ScalarNode {
			x.report.Add(at, "a key must be text, not %s", Describe(k))
			continue
		}
		if before, twice := seen[k.Value]; twice {
			x.report.Add(at, "the key %q stands here twice; first in line %d", k.Value, before.Line)
			continue
		}
		seen[k.Value] = k
		out.Content = append(out.Content, k, x.expand(value, at.Path, depth+1))
	}
	for _, m := range merged {
		x.merge(x.expand(m, path, depth+1), out, seen, path)
	}
}

func (x *expander) merge(from, into *yaml.Node, seen map[string]*yaml.Node, path string) {
	switch from.Kind {
	case yaml.SequenceNode:
		for _, c := range from.Content {
			x.merge(c, into, seen, path)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(from.Content); i += 2 {
			if k := from.Content[i]; seen[k.Value] == nil {
				seen[k.Value] = k
				into.Content = append(into.Content, k, from.Content[i+1])
			}
		}
	default:
		x.report.Add(Spot{Source: x.src, Node: from, Path: path}, "<< takes a mapping or a list of mappings, not %s", Describe(from))
	}
}

// locate finds the line and column of a character of a scalar's text. Where the text is not in the file as it is
// (escapes, folded lines), it is the scalar's own place.
func (s *Source) locate(n *yaml.Node, offset int) (line, column int) {
	text := []rune(n.Value)
	offset = max(0, min(offset, len(text)))
	before := string(text[:offset])
	row := strings.Count(before, "\n")
	col := utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:])
	want := strings.Split(n.Value, "\n")[row]
	at, start := n.Line-1, n.Column-1
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		at += 1 + row
		if at >= len(s.lines) {
			return n.Line, n.Column
		}
		start = utf8.RuneCountInString(s.lines[at]) - utf8.RuneCountInString(strings.TrimLeft(s.lines[at], " "))
		start -= len(want) - len(strings.TrimLeft(want, " "))
	case row > 0:
		return n.Line, n.Column
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		start++
	}
	if at < 0 || at >= len(s.lines) {
		return n.Line, n.Column
	}
	runes := []rune(s.lines[at])
	if start < 0 || start > len(runes) || !strings.HasPrefix(string(runes[start:]), want) {
		return n.Line, n.Column
	}
	return at + 1, start + col + 1
}

// CutByComment reports whether YAML has read the end of a text as a comment. Without quotes, a comment begins at " #".
func (s *Source) CutByComment(n *yaml.Node) bool {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if n.Style&quoted != 0 || n.Line < 1 || n.Line > len(s.lines) {
		return false
	}
	_, behind, found := strings.Cut(s.lines[n.Line-1], n.Value)
	return found && strings.HasPrefix(strings.TrimLeft(behind, " \t"), "#") && !strings.HasPrefix(behind, "#")
}
