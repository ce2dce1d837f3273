// Package insert adds an element to a list in a file of YAML or JSON. It writes in one place, in the style that the file
// has there, and leaves every other byte as it is: comments, quotes, the order of keys.
package insert

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Element is what is added, as it is written in a block and on one line.
type Element struct {
	Block string // lines of YAML, without the dash
	JSON  string // one line of JSON, which is YAML, too
}

// ErrPlace says that an element cannot be added without changing more of the file.
var ErrPlace = errors.New("there is no place for it")

// Into returns the text with an element at the end of the list at a path of keys. A list that does not exist is made: before
// the first of the keys before that stand beside it, else behind all of them.
func Into(text []byte, path []string, e Element, before ...string) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if doc.Kind != yaml.DocumentNode || len(path) == 0 {
		return nil, fmt.Errorf("%w: the file is empty", ErrPlace)
	}
	at := doc.Content[0]
	for _, key := range path[:len(path)-1] {
		if _, at = member(at, key); at == nil {
			return nil, fmt.Errorf("%w: the file has no %s", ErrPlace, strings.Join(path[:len(path)-1], "."))
		}
	}
	if at.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%w: line %d holds no mapping", ErrPlace, at.Line)
	}
	w := &writer{text: string(text), newline: "\n"}
	if strings.Contains(w.text, "\r\n") {
		w.newline = "\r\n"
	}
	w.measure()
	name := path[len(path)-1]
	key, list := member(at, name)
	var offset int
	var added string
	var err error
	switch {
	case key == nil:
		offset, added, err = w.newKey(at, name, e, before)
	case list.Kind == yaml.ScalarNode && list.ShortTag() == "!!null" && list.Value == "":
		offset, added = w.below(key), w.block(w.indentOf(key)+"  ", e)
	case list.Kind != yaml.SequenceNode || list.Alias != nil:
		return nil, fmt.Errorf("%w: line %d holds no list of its own", ErrPlace, list.Line)
	case list.Style&yaml.FlowStyle != 0:
		offset, added, err = w.flow(list, e.JSON)
	default:
		offset, added = w.behind(list), w.block(strings.Repeat(" ", list.Column-1), e)
	}
	if err != nil {
		return nil, err
	}
	if offset == len(w.text) && !strings.HasSuffix(w.text, "\n") && strings.HasSuffix(added, w.newline) {
		added = w.newline + strings.TrimSuffix(added, w.newline)
	}
	out := []byte(w.text[:offset] + added + w.text[offset:])
	return out, onlyAdds(text, out, path, e)
}

// member is a key of a mapping, and its value; nil for none.
func member(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name && n.Content[i].Kind == yaml.ScalarNode {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// writer knows where lines begin.
type writer struct {
	text    string
	newline string
	lines   []int // offsets
}

func (w *writer) measure() {
	w.lines = []int{0}
	for i := range len(w.text) {
		if w.text[i] == '\n' {
			w.lines = append(w.lines, i+1)
		}
	}
}

// line is a line of the text, counted from 1, without its end.
func (w *writer) line(n int) string {
	if n > len(w.lines) {
		return ""
	}
	end := len(w.text)
	if n < len(w.lines) {
		end = w.lines[n]
	}
	return strings.TrimRight(w.text[w.lines[n-1]:end], "\r\n")
}

// offset is where a node begins. Columns count runes, and the mark at the beginning of a file is none.
func (w *writer) offset(n *yaml.Node) int {
	line := w.line(n.Line)
	at := 0
	if rest, marked := strings.CutPrefix(line, "\ufeff"); marked && n.Line == 1 {
		at, line = len(line)-len(rest), rest
	}
	column := 1
	for i := range line {
		if column == n.Column {
			return w.lines[n.Line-1] + at + i
		}
		column++
	}
	return w.lines[n.Line-1] + at + len(line)
}

// indentOf is what stands before a node that begins its line.
func (w *writer) indentOf(n *yaml.Node) string {
	line := w.line(n.Line)
	return line[:len(line)-len(strings.TrimLeft(line, " "))]
}

// below is the offset behind the line of a node.
func (w *writer) below(n *yaml.Node) int { return w.lineAt(n.Line + 1) }

func (w *writer) lineAt(n int) int {
	if n > len(w.lines) {
		return len(w.text)
	}
	return w.lines[n-1]
}

// behind is the offset behind the last element of a list in a block: where a line begins that stands no further in than its
// dashes, but for empty lines and comments, which belong to what follows.
func (w *writer) behind(list *yaml.Node) int {
	n := list.Content[len(list.Content)-1].Line
	return w.behindLine(n, list.Column-1)
}

func (w *writer) behindLine(n, indent int) int {
	last := n
	for n++; n <= len(w.lines); n++ {
		body := strings.TrimLeft(w.line(n), " ")
		switch in := len(w.line(n)) - len(body); {
		case body == "", body[0] == '#' && in <= indent:
		case in <= indent:
			return w.lineAt(last + 1)
		default:
			last = n
		}
	}
	return w.lineAt(last + 1)
}

// block is an element as lines.
func (w *writer) block(indent string, e Element) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimRight(e.Block, "\n"), "\n") {
		lead := "  "
		if i == 0 {
			lead = "- "
		}
		b.WriteString(indent + lead + line + w.newline)
	}
	return b.String()
}

// newKey adds the list with its key.
func (w *writer) newKey(at *yaml.Node, name string, e Element, before []string) (offset int, added string, err error) {
	var next *yaml.Node
	for i := 0; i < len(at.Content) && next == nil; i += 2 {
		if slices.Contains(before, at.Content[i].Value) {
			next = at.Content[i]
		}
	}
	if at.Style&yaml.FlowStyle != 0 {
		entry := fmt.Sprintf("%q: [%s]", name, e.JSON)
		if next == nil {
			return w.flow(at, entry)
		}
		offset, glue := w.offset(next), ", "
		if begins, indent := w.begins(offset); begins {
			glue = "," + w.newline + indent
		}
		return offset, entry + glue, nil
	}
	indent := strings.Repeat(" ", at.Column-1)
	entry := indent + name + ":" + w.newline + w.block(indent+"  ", e)
	if next == nil {
		offset = w.behindLine(at.Content[len(at.Content)-2].Line, at.Column-1)
		if value := at.Content[len(at.Content)-1]; value.Kind == yaml.SequenceNode && value.Style&yaml.FlowStyle == 0 && value.Column == at.Column {
			offset = w.behind(value) // whose dashes stand no further in than the key
		}
		return offset, entry, nil
	}
	if begins, _ := w.begins(w.offset(next)); !begins {
		return 0, "", fmt.Errorf("%w: line %d holds more than the key %s", ErrPlace, next.Line, next.Value)
	}
	n := next.Line
	for n > 1 && strings.HasPrefix(strings.TrimSpace(w.line(n-1)), "#") { // its comment
		n--
	}
	return w.lineAt(n), entry, nil
}

// begins reports whether there are only spaces before an offset in its line, and which.
func (w *writer) begins(offset int) (bool, string) {
	start := strings.LastIndexByte(w.text[:offset], '\n') + 1
	lead := w.text[start:offset]
	return strings.Trim(lead, " \t") == "", lead
}

// flow adds an entry at the end of a list or mapping in brackets.
func (w *writer) flow(n *yaml.Node, entry string) (offset int, added string, err error) {
	end, comma, ok := closing(w.text, w.offset(n))
	if !ok {
		return 0, "", fmt.Errorf("%w: the brackets of line %d are not found", ErrPlace, n.Line)
	}
	if len(n.Content) == 0 {
		return end, entry, nil
	}
	glue := ", "
	last := n.Content[len(n.Content)-1]
	if n.Kind == yaml.MappingNode {
		last = n.Content[len(n.Content)-2]
	}
	if begins, indent := w.begins(w.offset(last)); begins && last.Line > n.Line {
		glue = "," + w.newline + indent
	}
	if comma {
		glue = strings.TrimPrefix(glue, ",")
	}
	return end, glue + entry, nil
}

// closing finds where what is in brackets ends: the offset behind its last entry, and whether that is a comma.
func closing(text string, open int) (end int, comma, ok bool) {
	depth, last := 0, byte(0) // the last byte that counts
	for i := open; i < len(text); i++ {
		c := text[i]
		begins := strings.IndexByte("[{,:", last) >= 0 // a scalar
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			continue
		case c == '#' && i > 0 && strings.IndexByte(" \t\n\r", text[i-1]) >= 0:
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
			continue
		case (c == '"' || c == '\'') && begins:
			if i = quoted(text, i); i < 0 {
				return 0, false, false
			}
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return end, last == ',', true
			}
		}
		last, end = text[i], i+1
	}
	return 0, false, false
}

// quoted is where a quote ends; -1 for nowhere.
func quoted(text string, at int) int {
	quote := text[at]
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == quote && quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			return i
		}
	}
	return -1
}

// onlyAdds checks that a text says what another one does, and one element more.
func onlyAdds(before, after []byte, path []string, e Element) error {
	var was, is, block, line any
	for _, one := range []struct {
		text []byte
		into *any
	}{{before, &was}, {after, &is}, {[]byte(e.Block), &block}, {[]byte(e.JSON), &line}} {
		if err := yaml.Unmarshal(one.text, one.into); err != nil {
			return fmt.Errorf("%w: the file would be broken: %w", ErrPlace, err)
		}
	}
	if !reflect.DeepEqual(block, line) {
		return fmt.Errorf("the element is not the same in both forms: %v and %v", block, line)
	}
	at, isMapping := was.(map[string]any)
	for _, key := range path[:len(path)-1] {
		if isMapping {
			at, isMapping = at[key].(map[string]any)
		}
	}
	if !isMapping {
		return fmt.Errorf("%w: %s is no mapping", ErrPlace, strings.Join(path[:len(path)-1], "."))
	}
	list, _ := at[path[len(path)-1]].([]any)
	at[path[len(path)-1]] = append(slices.Clone(list), line)
	if !reflect.DeepEqual(was, is) {
		return fmt.Errorf("%w: other parts of the file would change", ErrPlace)
	}
	return nil
}
