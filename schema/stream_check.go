package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/fermata-go/fermata/patch"
)

// mostReads is how often a byte is read again at most, by the library, which checks what goes beyond the rules when a
// part is closed. Parts that lie in each other would else be read once for each level: all of a deep tree of
// alternatives as often as it is deep. What is around a part that was read so often is left to the check of the whole.
const mostReads = 4

// few names are searched one by one.
const fewNames = 8

// begin finds out what applies to a value of kind k that begins, and refuses one that cannot become valid.
func (st *Stream) begin(k kinds) {
	p := &st.open
	f := st.top()
	switch {
	case f == nil:
		*p = place{}
		if st.outline != nil && st.outline.root != nil {
			p.rules = st.outline.root.alone
		}
	case f.hidden || f.rest:
		*p = place{hidden: true}
	case f.object:
		*p = f.member
	default:
		st.beginItem(f)
	}
	if p.hidden {
		return
	}
	p.reach = reachOf(p.rules, k)
	st.said = st.said[:0]
	if p.reach != nil && p.reach.never && k&(aString|anArray|anObject) != 0 {
		st.refuse(p, st.wrongKind(p.rules, k)...)
		p.hidden = true
	}
}

func (st *Stream) beginItem(f *frame) {
	if f.reach != nil && f.reach.maxItems >= 0 && f.count >= f.reach.maxItems {
		f.tainted, f.rest = true, true
		st.delta.Refused = append(st.delta.Refused, Problem{
			st.where(len(st.frames) - 1), fmt.Sprintf("expected at most %s, found more", count(f.reach.maxItems, "item")),
		})
		st.open = place{hidden: true}
		return
	}
	st.open = place{rules: f.reach.item(f.count)}
}

// push opens an object or an array.
func (st *Stream) push(c byte) {
	object := c == '{'
	k := anArray
	st.state = beforeFirstItem
	if object {
		k, st.state = anObject, beforeFirstName
	}
	st.begin(k)
	if !st.open.hidden {
		st.enter()
		st.out = append(st.out, c)
	}
	if len(st.frames) < cap(st.frames) {
		st.frames = st.frames[:len(st.frames)+1] // for the memory of one that was closed
	} else {
		st.frames = append(st.frames, frame{})
	}
	f := st.top()
	clear(f.byName)
	*f = frame{place: st.open, object: object, length: len(st.path), names: f.names[:0], byName: f.byName}
	if !f.hidden {
		st.say(patch.Add, c, f.closing())
	}
}

// named takes the name of a member.
func (st *Stream) named() {
	st.state = beforeColon
	f := st.top()
	f.member = place{hidden: true}
	if f.hidden {
		return
	}
	rules, name, against := f.reach.member(st.name)
	i := f.find(st.name)
	switch {
	case i >= 0:
		name = f.names[i].name
		st.replaced(f, i)
	default:
		if name == "" {
			name = string(st.name)
		}
		f.count++
	}
	f.current = name
	f.hold(name)
	if against != nil {
		st.refuse(nil, st.unknown(f, against))
		return
	}
	if p, ok := st.wrongNameOf(f); ok {
		st.refuse(nil, p)
		return
	}
	f.member = place{rules: rules}
}

// hold remembers a name.
func (f *frame) hold(name string) {
	f.names = append(f.names, heldName{name, -1})
	if len(f.names) <= fewNames {
		return
	}
	if f.byName == nil {
		f.byName = make(map[string]int)
	}
	if len(f.byName) == 0 {
		for i, held := range f.names {
			f.byName[held.name] = i
		}
	}
	f.byName[name] = len(f.names) - 1
}

// find is the last place of a name among those that came, or -1.
func (f *frame) find(name []byte) int {
	if len(f.names) > fewNames {
		if i, ok := f.byName[string(name)]; ok {
			return i
		}
		return -1
	}
	for i := len(f.names) - 1; i >= 0; i-- {
		if f.names[i].name == string(name) {
			return i
		}
	}
	return -1
}

func (f *frame) has(name string) bool { return f.find([]byte(name)) >= 0 }

// put takes characters of an open string or a name.
func (st *Stream) put(text string) {
	p := &st.open
	switch {
	case st.naming:
		st.name = append(st.name, text...)
	case p.hidden:
	case p.reach == nil || p.reach.free:
		st.out = appendEscaped(st.out, text)
	case !p.reach.watched:
		st.said = append(st.said, text...)
		st.out = appendEscaped(st.out, text)
	default: // one by one: it is the same character that is refused, however the text is cut
		for i, r := range text {
			c := text[i : i+utf8.RuneLen(r)]
			st.said = append(st.said, c...)
			p.length++
			if by, ok := p.reach.begun(st.said, p.length); !ok {
				st.refuse(p, st.wrongBeginning(p, by))
				st.hideString()
				return
			}
			st.out = appendEscaped(st.out, c)
		}
	}
}

// hideString takes back an open string.
func (st *Stream) hideString() {
	p := &st.open
	st.takeBack(p)
	if p.added && len(st.frames) > 0 {
		st.say(patch.Remove)
	}
	p.hidden = true
}

func (st *Stream) endString() {
	p := &st.open
	if p.hidden {
		st.ended()
		return
	}
	if p.reach != nil && !p.reach.free && !st.lenient {
		if problems := st.scalarProblems(string(st.said), aString); len(problems) > 0 {
			st.refuse(p, problems...)
			st.hideString()
			st.ended()
			return
		}
	}
	st.sayText()
	st.out = append(st.out, '"')
	st.ended()
}

func (st *Stream) endNumber() {
	text := string(st.scalar)
	switch {
	case st.open.hidden:
	case huge(text):
		st.refuse(&st.open, Problem{Message: "expected a number of ordinary size, found " + shorten(text)})
	default:
		st.endScalar(json.Number(text), aNumber)
	}
	st.ended()
}

func (st *Stream) endLiteral() {
	if !st.open.hidden {
		switch st.word {
		case "null":
			st.endScalar(nil, aNull)
		default:
			st.endScalar(st.word == "true", aBoolean)
		}
	}
	st.ended()
}

// endScalar shows a number, true, false or null, unless it is not allowed.
func (st *Stream) endScalar(v any, k kinds) {
	p := &st.open
	if p.reach != nil {
		if problems := st.scalarProblems(v, k); len(problems) > 0 {
			st.refuse(p, problems...)
			return
		}
	}
	st.enter()
	st.out = append(st.out, st.scalar...)
	st.say(patch.Add, st.scalar...)
}

// ended goes on behind a value.
func (st *Stream) ended() {
	f := st.top()
	if f == nil {
		st.state = atEnd
		return
	}
	st.state = behindValue
	if !f.object {
		f.count++
	}
}

// closeFrame ends an object or array, and takes it back if it is not allowed after all.
func (st *Stream) closeFrame() {
	f := st.top()
	var problems []Problem
	if !f.hidden {
		st.out = append(st.out, f.closing())
		if !st.lenient {
			problems = st.frameProblems(f)
		}
	}
	st.frames = st.frames[:len(st.frames)-1]
	if up := st.top(); up != nil && !f.hidden {
		up.tainted = up.tainted || f.tainted
		up.reads = max(up.reads, f.reads)
	}
	if len(problems) > 0 {
		st.path = st.path[:f.length]
		st.refuse(&f.place, problems...)
		st.takeBack(&f.place)
		if len(st.frames) > 0 {
			st.say(patch.Remove)
		}
	}
	st.ended()
}

// refuse notes problems of the value at p, or of a name. Their paths are below the current place.
func (st *Stream) refuse(p *place, problems ...Problem) {
	at := ""
	if p != nil {
		at = st.where(len(st.frames))
	}
	for _, problem := range newError(problems).Problems {
		problem.Path = at + problem.Path
		st.delta.Refused = append(st.delta.Refused, problem)
	}
	if f := st.top(); f != nil {
		f.tainted = true
		if !f.object && f.reach != nil && f.count < f.reach.tuple {
			f.rest = true
		}
	}
}

// where is the path, in the value that was said, of what the given number of frames lead to.
func (st *Stream) where(levels int) string {
	var b []byte
	for i := range min(levels, len(st.frames)) {
		f := &st.frames[i]
		b = append(b, '/')
		if f.object {
			b = appendToken(b, f.current)
		} else {
			b = appendIndex(b, f.count)
		}
	}
	return string(b)
}

// scalarProblems tells what is wrong with a scalar that is complete. The rules that hold for it mostly tell at once
// that nothing is; else the library decides and explains.
func (st *Stream) scalarProblems(v any, k kinds) []Problem {
	x := st.open.reach
	if !x.never && len(x.whole) == 0 && !slices.ContainsFunc(x.rules, func(r *rule) bool { return !st.surely(r, k) }) {
		return nil
	}
	var all []Problem
	if st.outline.local {
		for _, r := range st.open.rules {
			all = append(all, st.problems(r, v)...)
		}
	}
	if len(all) == 0 && x.never {
		return []Problem{{Message: "expected " + expected(st.open.rules) + ", found " + found(v)}}
	}
	return all
}

// surely reports whether a rule certainly allows the scalar.
func (st *Stream) surely(r *rule, k kinds) bool {
	q := r.quick
	switch {
	case q == nil || q.kinds&k == 0:
		return false
	case k == aString:
		return q.text(st.said, true)
	case k == aNumber:
		return (&reader{st.scalar}).number(q, 0) == len(st.scalar)
	}
	return q.literal(string(st.scalar))
}

// frameProblems tells what is wrong with an object or array that is complete.
func (st *Stream) frameProblems(f *frame) []Problem {
	if f.reach == nil {
		return nil
	}
	var all []Problem
	for _, r := range f.reach.rules {
		all = append(all, st.lacks(f, r)...)
	}
	if len(all) > 0 || len(f.reach.whole) == 0 || f.tainted || !st.outline.local || f.reads >= mostReads {
		return all
	}
	f.reads++
	v, problem := parse(st.out[f.value:])
	if problem != nil {
		return []Problem{*problem}
	}
	for _, r := range f.reach.whole {
		all = append(all, st.problems(r, v)...)
	}
	return all
}

// lacks tells what a rule misses in an object or array.
func (st *Stream) lacks(f *frame, r *rule) []Problem {
	switch {
	case r.schema.DraftVersion != 2020:
		return nil
	case f.object:
		var missing []string
		for _, name := range r.schema.Required {
			if !f.has(name) {
				missing = append(missing, name)
			}
		}
		if len(missing) > 0 {
			return st.explained(r, nil, &kind.Required{Missing: missing})
		}
	case r.schema.MinItems != nil && f.count < *r.schema.MinItems:
		return st.explained(r, nil, &kind.MinItems{Got: f.count, Want: *r.schema.MinItems})
	}
	return nil
}

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
	present := make(map[string]any)
	for _, held := range f.names {
		present[held.name] = nil
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
		for _, s := range r.names {
			if invalid := validate(s, f.current); invalid != nil {
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
