package schema

import (
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// explained is a problem of a kind that the library knows, in our words.
func (st *Stream) explained(r *rule, v any, k jsonschema.ErrorKind) []Problem {
	x := explainer{value: v, places: st.schema.places}
	return x.problems(&jsonschema.ValidationError{SchemaURL: r.schema.Location, ErrorKind: k})
}

// problems asks the library.
func (st *Stream) problems(r *rule, v any) []Problem {
	invalid := validate(r.schema, v)
	if invalid == nil {
		return nil
	}
	return (&explainer{value: v, places: st.schema.places}).problems(invalid)
}

// unknown tells of the member that was just named and is not allowed.
func (st *Stream) unknown(f *frame, against *rule) Problem {
	present := make(map[string]any) // of those that could be meant
	for name := range against.members {
		if f.has(name) {
			present[name] = nil
		}
	}
	x := explainer{value: present, places: st.schema.places}
	p := x.unknown(&jsonschema.ValidationError{}, f.current, against.schema)
	p.Path = st.where(len(st.frames)-1) + p.Path
	return p
}

// wrongNameOf checks the name of the member that was just named where there are rules for names.
func (st *Stream) wrongNameOf(f *frame) (Problem, bool) {
	if f.reach == nil || !st.outline.local {
		return Problem{}, false
	}
	for _, r := range f.reach.rules {
		for _, n := range r.names {
			if reachOf(n.alone, aString).certain(aString, st.name) {
				continue
			}
			if invalid := validate(n.schema, f.current); invalid != nil {
				return Problem{st.where(len(st.frames) - 1), wrongName(f.current, invalid)}, true
			}
		}
	}
	return Problem{}, false
}

// wrongKind tells of a value that has only begun and is of a kind that is not allowed. What the library says of the
// least value of the kind holds for all of them.
func (st *Stream) wrongKind(rules []*rule, k kinds) []Problem {
	least, name := any(""), "a string"
	switch k {
	case anObject:
		least, name = map[string]any{}, "an object"
	case anArray:
		least, name = []any{}, "an array"
	}
	var all []Problem
	if st.outline.local {
		for _, r := range rules {
			for _, p := range st.problems(r, least) {
				if p.Path == "" {
					p.Message = strings.ReplaceAll(p.Message, found(""), name)
					all = append(all, p)
				}
			}
		}
	}
	if len(all) == 0 {
		all = []Problem{{Message: "expected " + expected(rules) + ", found " + name}}
	}
	return all
}

// wrongBeginning tells of an open string that cannot become valid.
func (st *Stream) wrongBeginning(p *place, by *rule) Problem {
	if by != nil && by.maxLen >= 0 && p.length > by.maxLen {
		return Problem{Message: fmt.Sprintf("expected at most %s, found more", count(by.maxLen, "character"))}
	}
	var want []any
	said := string(st.said)
	text := expected(p.rules)
	if by != nil {
		for _, word := range by.words {
			want = append(want, word)
		}
		text = oneOf(showAll(want))
	}
	shown := strings.TrimSuffix(show(said), `"`)
	if !strings.HasSuffix(shown, ")") {
		shown += `…"`
	}
	return Problem{Message: fmt.Sprintf("expected %s, found the string %s%s", text, shown, hintFor(said, want))}
}

// expected says what rules ask for, in a few words.
func expected(rules []*rule) string {
	for _, r := range rules {
		if text := describe(r.schema); text != "" {
			return text
		}
	}
	return "what fits one of the alternatives"
}
