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

// mostHints is how many unknown names are explained. A text that is made of them would else take its time.
const mostHints = 16

// unknown reports the member that was just named and is not allowed, by any of the rules.
func (st *Stream) unknown(f *frame, against []*rule) Problem {
	at := st.where(len(st.frames)-1) + pointer([]string{f.current})
	if st.hints++; st.hints > mostHints {
		return Problem{at, unknownProperty}
	}
	known := make(map[string]bool)
	for _, r := range against {
		for name := range r.schema.Properties {
			known[name] = true
		}
	}
	return Problem{at, unknownProperty + hintForName(f.current, sortedKeys(known), f.has)}
}

// wrongNameOf checks the name of the member that was just named where there are rules for names.
func (st *Stream) wrongNameOf(f *frame) (Problem, bool) {
	if !f.undecided() {
		return st.wrongNameFor(f.reach)
	}
	for i := range each(f.remain) {
		if p, wrong := st.wrongNameFor(f.options[i].reach); wrong && len(f.parts) == 0 {
			return p, true
		}
	}
	return Problem{}, false
}

func (st *Stream) wrongNameFor(x *reach) (Problem, bool) {
	if x == nil || !st.outline.local {
		return Problem{}, false
	}
	for _, r := range x.rules {
		for _, n := range r.names {
			if st.reachOf(n.alone, aString).certain(aString, st.name) {
				continue
			}
			name := string(st.name)
			if invalid := validate(n.schema, name); invalid != nil {
				return Problem{st.where(len(st.frames) - 1), wrongName(name, invalid)}, true
			}
		}
	}
	return Problem{}, false
}

// wrongKind reports a value that has only begun and is of a kind that is not allowed. What the library says of the
// least value of the kind holds for all of them.
func (st *Stream) wrongKind(rules []*rule, k kinds) []Problem {
	least, name := leastOf(k)
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

// leastOf is the least value of a kind, and what it is called.
func leastOf(k kinds) (least any, name string) {
	switch k {
	case anObject:
		return map[string]any{}, "an object"
	case anArray:
		return []any{}, "an array"
	}
	return "", "a string"
}

// wrongBeginning reports an open string that cannot become valid.
func (st *Stream) wrongBeginning(p *place, by *rule) Problem {
	if p.left != 0 {
		return st.beginsNone(st.top())
	}
	if by != nil && by.maxLen >= 0 && p.length > by.maxLen {
		return Problem{Message: fmt.Sprintf("expected at most %s, found more", count(by.maxLen, "character"))}
	}
	var want []any
	text := expected(p.rules)
	if by != nil {
		for _, word := range by.words {
			want = append(want, word)
		}
		text = oneOf(showAll(want))
	}
	return Problem{Message: "expected " + text + st.foundBeginning(want)}
}

// foundBeginning tells what an open string is, and which of the strings wanted was probably meant.
func (st *Stream) foundBeginning(want []any) string {
	said := string(st.said)
	shown := strings.TrimSuffix(show(said), `"`)
	if !strings.HasSuffix(shown, ")") {
		shown += `…"`
	}
	return ", found the string " + shown + hintFor(said, want)
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
