package schema

import (
	"reflect"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The message for a value that fits none of its possibilities is that of Check if possible: which values were expected
// where these tell alternatives apart, and else what is wrong by each.

// marks lists the values that tell the possibilities of a part of f apart; none where some of them have others too.
func (f *frame) marks() (all []any) {
	for _, p := range f.parts {
		values := []any(nil)
		for _, r := range p.rules {
			if values = marksOf(r.schema); values != nil {
				break
			}
		}
		if values == nil {
			return nil
		}
		all = append(all, values...)
	}
	return all
}

// marksOf lists the values that a schema allows where it names them.
func marksOf(s *jsonschema.Schema) []any {
	if s == nil {
		return nil
	}
	if values := listedIn(s); values != nil {
		return values
	}
	for _, part := range append([]*jsonschema.Schema{s.Ref}, s.AllOf...) {
		if values := marksOf(part); values != nil {
			return values
		}
	}
	return nil
}

// wrongMark reports a value that fits none of the possibilities of f's part, where their values tell them apart.
func (f *frame) wrongMark(v any, found string) []Problem {
	marks := f.marks()
	if marks == nil {
		return nil
	}
	return []Problem{{Message: "expected " + oneOf(showAll(marks)) + ", found " + found + hintFor(v, marks)}}
}

// fitsNoneOf tells what is wrong by each of several possibilities, once where it is the same.
func fitsNoneOf(wrong [][]Problem) []Problem {
	var all [][]Problem
	for _, problems := range wrong {
		if len(problems) > 0 && !slices.ContainsFunc(all, func(p []Problem) bool { return reflect.DeepEqual(p, problems) }) {
			all = append(all, problems)
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return []Problem{noneFits("", all)}
}

// wrongKindOfAll reports a value that has only begun and is of a kind that no possibility of f's part allows.
func (st *Stream) wrongKindOfAll(f *frame, k kinds) []Problem {
	_, name := leastOf(k)
	if p := f.wrongMark(nil, name); p != nil {
		return p
	}
	var wants []string
	var wrong [][]Problem
	for _, p := range f.parts {
		wrong = append(wrong, st.wrongKind(p.rules, k))
		if text := describe(p.rules[0].schema); text != "" {
			wants = append(wants, text)
		}
	}
	if len(wants) == len(wrong) {
		return []Problem{{Message: "expected " + oneOf(wants) + ", found " + name}}
	}
	return fitsNoneOf(wrong)
}

// beginsNone reports an open string that cannot become one that fits any possibility of f's part.
func (st *Stream) beginsNone(f *frame) Problem {
	if marks := f.marks(); marks != nil {
		return Problem{Message: "expected " + oneOf(showAll(marks)) + st.foundBeginning(marks)}
	}
	var wrong [][]Problem
	for _, part := range f.parts {
		if part.reach == nil || part.reach.never {
			continue
		}
		by, _ := part.reach.begun(st.said, st.open.length)
		p := place{rules: part.rules, length: st.open.length}
		wrong = append(wrong, []Problem{st.wrongBeginning(&p, by)})
	}
	return fitsNoneOf(wrong)[0]
}

// noneLeft reports an object or array that fits none of the options that were left at its end. Where it is one place
// in the schema that has them, the library explains it.
func (st *Stream) noneLeft(f *frame, wrong [][]Problem) []Problem {
	if !f.place.undecided() {
		if all := st.ask(f, f.base.whole); len(all) > 0 {
			return all
		}
	}
	return fitsNoneOf(wrong)
}
