package expression

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
)

// maxRendered bounds what a template may become.
const maxRendered = 1 << 20

// Template is a text with expressions in it: "Refund {{ amount }}?". It is immutable.
type Template struct {
	parts []part
}

// part is a piece of text, or an expression and where its own text starts in the template.
type part struct {
	text   string
	code   *Expression
	names  []string // those of which one is the value
	offset int
}

// CompileTemplate compiles a text. The only mark in it is {{ expression }}; two braces as text are {{ "{{" }}.
func CompileTemplate(text string) (*Template, *Fault) {
	t := &Template{}
	rest, offset := text, 0
	for {
		before, after, found := strings.Cut(rest, "{{")
		if before != "" {
			t.parts = append(t.parts, part{text: before, offset: offset})
		}
		if !found {
			return t, nil
		}
		offset += utf8.RuneCountInString(before) + 2
		inner, ok := closing(after)
		if !ok {
			return nil, &Fault{Offset: offset - 2, Message: "{{ is not closed; expected }} after the expression"}
		}
		code, fault := Compile(inner)
		if fault != nil {
			fault.Offset += offset
			return nil, fault
		}
		t.parts = append(t.parts, part{code: code, names: chosen(code.root, nil), offset: offset})
		offset += utf8.RuneCountInString(inner) + 2
		rest = after[len(inner)+2:]
	}
}

// closing cuts an expression off before its }}: the first that stands in no quotes and closes no brace of its own.
func closing(text string) (inner string, ok bool) {
	depth := 0
	quoted := byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted != 0:
			if c == '\\' && quoted != '`' {
				i++
			} else if c == quoted {
				quoted = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quoted = c
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case strings.HasPrefix(text[i:], "}}"):
			return text[:i], true
		}
	}
	return "", false
}

// Check checks the names and types of the expressions.
func (t *Template) Check(at Place) []Fault {
	var faults []Fault
	for _, p := range t.parts {
		if p.code == nil {
			continue
		}
		_, more := p.code.Check(at)
		for _, f := range more {
			f.Offset += p.offset
			faults = append(faults, f)
		}
	}
	return faults
}

// Render fills in the values: text as it is, anything else as JSON.
func (t *Template) Render(s *Scope) (string, error) {
	return t.RenderAs(s, func(_ Hole, v any) string { return Text(v) })
}

// Hole is a place of a template where a value is shown.
type Hole struct {
	// Names are those of which one is the value, if it is no literal: a and b of "a ?? b" and of "c ? a : b". There are none where
	// the value is calculated.
	Names          []string
	Before, Behind string // the text of the template beside it
}

// chosen adds the names of which an expression has the value.
func chosen(n ast.Node, to []string) []string {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return append(to, n.Value)
	case *ast.ConditionalNode:
		return chosen(n.Exp2, chosen(n.Exp1, to))
	case *ast.BinaryNode:
		if n.Operator == "??" {
			return chosen(n.Right, chosen(n.Left, to))
		}
	}
	return to
}

// hole is the place of a part.
func (t *Template) hole(i int) Hole {
	in := Hole{Names: t.parts[i].names}
	if i > 0 {
		in.Before = t.parts[i-1].text
	}
	if i+1 < len(t.parts) {
		in.Behind = t.parts[i+1].text
	}
	return in
}

// RenderAs is Render where the caller says how values are shown.
func (t *Template) RenderAs(s *Scope, show func(in Hole, v any) string) (string, error) {
	var b strings.Builder
	for i, p := range t.parts {
		text := p.text
		if p.code != nil {
			v, err := p.code.Result(s)
			if err != nil {
				return "", err
			}
			text = show(t.hole(i), v)
		}
		if b.Len()+len(text) > maxRendered {
			return "", fmt.Errorf("the text gets longer than %d bytes", maxRendered)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// Names are the names that its expressions read, each as often as it does.
func (t *Template) Names() []string {
	var all []string
	for _, p := range t.parts {
		if p.code != nil {
			all = append(all, p.code.Names()...)
		}
	}
	return all
}
