package schema

import (
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Direction says which values two versions of a schema have to agree about.
type Direction int

const (
	// Backward asks whether the new version reads values of the old one: stored values, pending answers.
	Backward Direction = iota
	// Forward asks whether the old version reads values of the new one: other programs, open screens.
	Forward
	// Both is for values that go either way.
	Both
)

// IncompatibleError says where two versions of a schema do not agree.
type IncompatibleError struct {
	Broken  []Problem // what one version allows there, the other does not
	Unclear []Problem // it cannot be told whether they agree there
}

func (e *IncompatibleError) Error() string {
	var b strings.Builder
	list := func(one, many string, problems []Problem) {
		switch n := len(problems); {
		case n == 0:
			return
		case b.Len() > 0:
			b.WriteString("\n")
			fallthrough
		default:
			fmt.Fprintf(&b, "%d %s:", n, map[bool]string{true: one, false: many}[n == 1])
		}
		for _, p := range problems {
			b.WriteString("\n  " + p.String())
		}
	}
	list("incompatible change", "incompatible changes", e.Broken)
	list("place that cannot be compared", "places that cannot be compared", e.Unclear)
	return b.String()
}

// Compatible compares two versions of a schema, place by place. It returns nil or an [*IncompatibleError]. Places are
// those of values: "/lines/*/amount" is the amount of any line, and "*" also any property that is not listed.
//
// Nil is certain: each value that the writer's document allows, the reader's allows too (old and next, where dir is
// Backward). Broken places are found by the keywords at its place, each taken for itself: it is no change that matters
// where other keywords see to it that no value comes there or has that form. Places that need more than the keywords at
// one place is Unclear: patterns and formats that differ, not, if, contains, unevaluated…, and oneOf where its parts
// may overlap, unless both versions say the same there. References are followed, also those of a schema to itself.
//
// The documents alone are compared. Checks that a Go type makes by its own code are not seen.
func Compatible(old, next *Schema, dir Direction) error {
	if old.id == next.id {
		return nil
	}
	all := &IncompatibleError{}
	if dir == Backward || dir == Both {
		all.add(old, next, false)
	}
	if dir == Forward || dir == Both {
		all.add(next, old, true)
	}
	if len(all.Broken)+len(all.Unclear) == 0 {
		return nil
	}
	all.Broken, all.Unclear = newError(all.Broken).Problems, newError(all.Unclear).Problems
	return all
}

func (e *IncompatibleError) add(writer, reader *Schema, forward bool) {
	c := &comparison{forward: forward, shared: &shared{open: make(map[string]bool)}}
	content := writer.typ != nil || reader.typ != nil // that of one may have been stored and parsed since
	w, err := build(c.read(writer, &c.writer), content)
	if err == nil {
		var r *jsonschema.Schema
		if r, err = build(c.read(reader, &c.reader), content); err == nil {
			c.sub([]*jsonschema.Schema{w}, r, "")
		}
	}
	if err != nil { // cannot be: both were compiled before
		c.unclear = append(c.unclear, Problem{Message: err.Error()})
	}
	if c.steps > mostSteps {
		c.unclear = append(c.unclear, Problem{Message: "there are too many combinations to compare them all"})
	}
	e.Broken = append(e.Broken, c.broken...)
	e.Unclear = append(e.Unclear, c.unclear...)
}

// comparison is one direction of a comparison: whatever the writer allows, the reader has to.
type comparison struct {
	*shared
	forward         bool
	hazy            int // how many schemas around this place ask for more than is looked at
	broken, unclear []Problem
}

// shared is what trials of alternatives have in common with the comparison that they are part of.
type shared struct {
	writer, reader document
	open           map[string]bool // pairs that are being compared: they are assumed to fit, as they will be found not to otherwise
	steps          int
}

// mostSteps bounds the work on schemas that are all alternatives within alternatives.
const mostSteps = 200_000

// document is the text of a schema, for parts that are compared as they are written.
type document struct {
	root   any
	opaque bool // places in it cannot be found by their pointers
}

// read notes the document of a schema, and returns it.
func (c *comparison) read(s *Schema, into *document) any {
	root, _ := parse(s.doc) // it was parsed before
	*into = document{root: root, opaque: hasInnerID(root, true)}
	return root
}

// hasInnerID reports whether a part below the root has an address of its own, which places are then relative to.
func hasInnerID(v any, root bool) bool {
	if object, ok := v.(map[string]any); ok && !root {
		if _, ok := object["$id"].(string); ok {
			return true
		}
	}
	for _, token := range children(v) {
		if inner, _ := lookUp(v, []string{token}); hasInnerID(inner, false) {
			return true
		}
	}
	return false
}

// changed notes that what the writer allows at a place is more than what the reader does.
func (c *comparison) changed(w written, path, writes, reads string) {
	was, is := writes, reads
	if c.forward {
		was, is = reads, writes
	}
	c.note(w, path, fmt.Sprintf("was %s, is %s now", was, is))
}

// gone notes a value, or a kind of values, that the reader does not allow.
func (c *comparison) gone(w written, path, what string) {
	if c.forward {
		c.note(w, path, what+" is allowed now, and was not")
		return
	}
	c.note(w, path, what+" is no longer allowed")
}

func (c *comparison) note(w written, path, message string) {
	p := Problem{path, message}
	if w.hazy || c.hazy > 0 {
		p.Message += ", as far as can be told"
		c.unclear = append(c.unclear, p)
		return
	}
	c.broken = append(c.broken, p)
}

func (c *comparison) cannotTell(path, format string, args ...any) {
	c.unclear = append(c.unclear, Problem{path, fmt.Sprintf(format, args...)})
}

// fits reports whether all of w is certainly allowed by r, and notes nothing.
func (c *comparison) fits(w written, r *jsonschema.Schema) bool {
	trial := &comparison{shared: c.shared, forward: c.forward}
	trial.one(w, r, "")
	return len(trial.broken)+len(trial.unclear) == 0
}

// same reports whether two parts are written alike, and so are all that they refer to. It knows nothing of anchors.
func (c *comparison) same(w, r *jsonschema.Schema) bool {
	if w == nil || r == nil {
		return w == r
	}
	if c.writer.opaque || c.reader.opaque {
		return false
	}
	a, okA := lookUp(c.writer.root, tokens(placeOf(w.Location)))
	b, okB := lookUp(c.reader.root, tokens(placeOf(r.Location)))
	return okA && okB && c.alike(a, b, make(map[[2]string]bool))
}

func (c *comparison) alike(a, b any, seen map[[2]string]bool) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, x := range a {
			y, ok := b[name]
			switch {
			case !ok || holds(name) == anAnchor || holds(name) == aReference && name != "$ref":
				return false
			case name == "$ref":
				if !c.alikeBehind(x, y, seen) {
					return false
				}
			case !c.alike(x, y, seen):
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !c.alike(a[i], b[i], seen) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

func (c *comparison) alikeBehind(x, y any, seen map[[2]string]bool) bool {
	from, okX := x.(string)
	to, okY := y.(string)
	if !okX || !okY || !isPlace(from) || !isPlace(to) {
		return false
	}
	pair := [2]string{from, to}
	if seen[pair] {
		return true
	}
	seen[pair] = true
	a, okA := lookUp(c.writer.root, tokens(placeOf(from)))
	b, okB := lookUp(c.reader.root, tokens(placeOf(to)))
	return okA && okB && c.alike(a, b, seen)
}

func isPlace(ref string) bool { return ref == "#" || strings.HasPrefix(ref, "#/") }
