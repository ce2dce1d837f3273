package recipe

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/internal/nearest"
)

// PathError says that nothing is at a path that an agent, a text or a condition needs.
type PathError struct {
	Path    string // as the recipe has it: "report.files.0"
	Message string // what is missing, and the nearest name
}

func (e *PathError) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return fmt.Sprintf("path %q: %s", e.Path, e.Message)
}

// path names a place in a value: "report.files.0.name", "note?", ".".
type path struct {
	text     string
	segments []string // empty for the whole
	optional bool
}

func parsePath(text string) (path, error) {
	p := path{text: text}
	rest, optional := strings.CutSuffix(text, "?")
	p.optional = optional
	switch {
	case rest == "":
		return p, errors.New(`expected a path such as "report.files.0.name"; "." is the whole`)
	case rest == ".":
		return p, nil
	}
	p.segments = strings.Split(rest, ".")
	for _, s := range p.segments {
		if s == "" || s == "$" || strings.ContainsAny(s, "?[]{} \t\n") {
			return path{text: text}, fmt.Errorf(`%q is not a path: expected names and numbers between dots, as in "report.files.0.name"%s`, text, pathAdvice(text))
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

// in finds the value at the path. A missing one is a *PathError, or not ok where the path is optional.
func (p path) in(root any) (value any, ok bool, err error) {
	value = root
	for i, s := range p.segments {
		next, message := child(value, s, strings.Join(p.segments[:i], "."))
		if message != "" {
			if p.optional {
				return nil, false, nil
			}
			return nil, false, &PathError{Path: p.text, Message: message}
		}
		value = next
	}
	return value, true, nil
}

// child is the value under a name or number; else it says what is missing. parent is the path so far, "" for the root.
func child(value any, name, parent string) (any, string) {
	switch v := value.(type) {
	case map[string]any:
		if next, ok := v[name]; ok {
			return next, ""
		}
		if parent == "" {
			return nil, fmt.Sprintf("nothing is called %q here%s", name, nearest.Hint(name, keysOf(v)))
		}
		return nil, fmt.Sprintf("%q holds no %q%s", parent, name, nearest.Hint(name, keysOf(v)))
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
	return nil, fmt.Sprintf("%q is %s: it holds no %q", parent, typeOf(value), name)
}
