package expression

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/internal/nearest"
)

// Path names a place in a value: "report.files.0.name", "note?", ".".
type Path struct {
	Text     string
	Segments []string // empty for the whole
	Optional bool
}

// ParsePath reads a path. The error says how it is written instead, where that is known.
func ParsePath(text string) (Path, error) {
	p := Path{Text: text}
	rest, optional := strings.CutSuffix(text, "?")
	p.Optional = optional
	switch {
	case rest == "":
		return p, errors.New(`expected a path such as "report.files.0.name"; "." is the whole`)
	case rest == ".":
		return p, nil
	}
	p.Segments = strings.Split(rest, ".")
	for _, s := range p.Segments {
		if s == "" || s == "$" || strings.ContainsAny(s, "?[]{} \t\n") {
			return Path{Text: text}, fmt.Errorf(`%q is not a path: expected names and numbers between dots, as in "report.files.0.name"%s`, text, pathAdvice(text))
		}
	}
	return p, nil
}

// pathAdvice says how a path is written that is written as elsewhere; "" where that is not known.
func pathAdvice(text string) string {
	switch inner, isText := strings.CutPrefix(strings.TrimSpace(text), "{{"); {
	case isText && strings.HasSuffix(inner, "}}"):
		return fmt.Sprintf("; write %s, braces are for texts", strings.TrimSpace(strings.TrimSuffix(inner, "}}")))
	case strings.Contains(text, "["):
		return "; write " + strings.NewReplacer("[", ".", "]", "", "'", "", `"`, "").Replace(text)
	case strings.HasPrefix(text, "$."):
		return "; write " + text[2:]
	}
	return ""
}

// In finds the value at the path. A missing one is a *PathError, or not ok where the path is optional.
func (p Path) In(root any) (value any, ok bool, err error) {
	value = root
	for i, s := range p.Segments {
		next, message := Child(value, s, strings.Join(p.Segments[:i], "."))
		if message != "" {
			if p.Optional {
				return nil, false, nil
			}
			return nil, false, &definition.PathError{Path: p.Text, Message: message}
		}
		value = next
	}
	return value, true, nil
}

// Child is the value under a name or number; else it says what is missing. parent is the path so far, "" for the root.
func Child(value any, name, parent string) (any, string) {
	switch v := value.(type) {
	case map[string]any:
		if next, ok := v[name]; ok {
			return next, ""
		}
		if parent == "" {
			return nil, fmt.Sprintf("nothing is called %q here%s", name, nearest.Hint(name, Keys(v)))
		}
		return nil, fmt.Sprintf("%q holds no %q%s", parent, name, nearest.Hint(name, Keys(v)))
	case []any:
		i, err := strconv.Atoi(name)
		if err != nil {
			return nil, fmt.Sprintf("%q is a list: expected the number of an element, found %q", parent, name)
		}
		if i < 0 || i >= len(v) {
			return nil, fmt.Sprintf("%q is a list of %d: it has no element %d", parent, len(v), i)
		}
		return v[i], ""
	}
	return nil, fmt.Sprintf("%q is %s: it holds no %q", parent, Describe(value), name)
}

// OrOptional is the path, optional where that is wanted.
func (p Path) OrOptional(optional bool) Path {
	p.Optional = p.Optional || optional
	return p
}

// On returns the type of the value at a path on the blackboard. At is the first part that can go wrong.
func (p Path) On(known Names) (t *Type, at int, fault string) {
	if len(p.Segments) == 0 {
		return known.Object(), 0, ""
	}
	t = known.typ(p.Segments[0])
	if t.Kinds == 0 || t.Missing && !p.Optional {
		return t, 0, ""
	}
	return p.Follow(t, 1)
}

// Follow returns the type that the path leads to from its i-th part on. At is the first part that can go wrong.
func (p Path) Follow(t *Type, i int) (found *Type, at int, fault string) {
	missing := t.Missing
	for ; i < len(p.Segments); i++ {
		s, parent := p.Segments[i], strings.Join(p.Segments[:i], ".")
		if parent == "" {
			parent = "."
		}
		if why := t.blocks(s, parent); why != "" {
			return Absent, i, why
		}
		if t.Kinds&^(ObjectKind|ListKind) != 0 {
			sure := !t.Open || t.kept != ""
			if sure && !p.Optional {
				return Anything, i, fmt.Sprintf("%q may be %s%s, which holds no %q; end the path with ? if that is all right",
					parent, t.besides(ObjectKind|ListKind), t.because(), s)
			}
			missing = missing || sure
		}
		next := t.child(s)
		switch {
		case next.Kinds == 0:
			return Absent, i, fmt.Sprintf("%q holds no %q%s", parent, s, nearest.Hint(s, t.Names()))
		case next.Missing && !p.Optional:
			why := fmt.Sprintf("no schema requires it; end the path with ?, or put %s in required", s)
			if t.Kinds&ListKind != 0 {
				why = "the list may be shorter; end the path with ?, or give its schema minItems"
			}
			return next.Present(), i, fmt.Sprintf("%q may be missing: %s", strings.Join(p.Segments[:i+1], "."), why)
		}
		missing = missing || next.Missing
		t = next.Present()
	}
	if missing || p.Optional && t.Open {
		t = t.optional()
	}
	return t, 0, ""
}

// blocks says why nothing can be at a part of a path: its parent holds nothing by that name.
func (t *Type) blocks(s, parent string) string {
	_, number := numberOfPart(s)
	switch {
	case t.Never(ObjectKind | ListKind):
		return fmt.Sprintf("%q is %s: it holds no %q", parent, t.Kinds, s)
	case t.Kinds&ObjectKind == 0 && !number && !t.Open:
		return fmt.Sprintf("%q is a list: expected the number of an element, found %q", parent, s)
	}
	return ""
}

// maxIndex bounds the numbers of elements in paths.
const maxIndex = 1_000_000

func numberOfPart(s string) (int, bool) {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > maxIndex {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, s != ""
}

// child is the type of a member or element, by its part of a path.
func (t *Type) child(s string) *Type {
	i, number := numberOfPart(s)
	if t.Kinds&ListKind == 0 || !number && t.Kinds&ObjectKind != 0 {
		return t.Member(s)
	}
	element := OrAnything(t.items)
	switch {
	case t.Open:
		return element
	case i >= t.least:
		element = element.optional()
	}
	if t.Kinds&ObjectKind == 0 {
		return element
	}
	return Union(t.Member(s), element)
}

// Changed is the type with another one at a path in it.
func (t *Type) Changed(segments []string, change func(*Type) *Type) *Type {
	if t.Open || t.Kinds&(ObjectKind|ListKind) == 0 && len(segments) > 0 {
		return t.unfixed()
	}
	if len(segments) == 0 {
		missing := t.Missing
		return change(t).With(func(u *Type) { u.Missing = missing })
	}
	return t.unfixed().With(func(u *Type) {
		if f, ok := t.Fields[segments[0]]; ok && t.Kinds&ObjectKind != 0 {
			u.Fields = maps.Clone(t.Fields)
			u.Fields[segments[0]] = f.Changed(segments[1:], change)
		}
		if _, number := numberOfPart(segments[0]); number && t.Kinds&ListKind != 0 && t.items != nil {
			u.items = Union(t.items, t.items.Changed(segments[1:], change))
		}
	})
}
