package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/fermata-go/fermata/internal/jsontext"
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
	st.said = st.said[:0]
	if p.left != 0 {
		st.beginOneOf(f, k)
		return
	}
	p.reach = st.reachOf(p.rules, k)
	if p.reach != nil && p.reach.never && k&(aString|anArray|anObject) != 0 {
		st.refuse(p, st.wrongKind(p.rules, k)...)
		p.hidden = true
	}
}

func (st *Stream) beginItem(f *frame) {
	most := -1
	if f.undecided() {
		most = f.itemOfEach()
	} else if f.reach != nil && f.reach.maxItems >= 0 && f.count >= f.reach.maxItems {
		most = f.reach.maxItems
	}
	switch {
	case most >= 0:
		f.tainted, f.rest = true, true
		st.delta.Refused = append(st.delta.Refused, Problem{
			st.where(len(st.frames) - 1), fmt.Sprintf("expected at most %s, found more", count(most, "item")),
		})
		st.open = place{hidden: true}
	case f.undecided():
		st.open = f.part()
	default:
		st.open = place{rules: f.reach.item(f.count)}
	}
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
	*f = frame{
		place: st.open, object: object, length: len(st.path), last: -1,
		names: f.names[:0], byName: f.byName, candidates: candidates{parts: f.parts[:0], mine: f.mine[:0]},
	}
	st.weigh(f)
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
	member, name, against := st.memberOf(f)
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
	if len(against) > 0 {
		st.refuse(nil, st.unknown(f, against))
		return
	}
	if p, ok := st.wrongNameOf(f); ok {
		st.refuse(nil, p)
		return
	}
	f.member = member
}

// hold remembers a name.
func (f *frame) hold(name string) {
	f.names = append(f.names, heldName{name: name, at: -1})
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
	for i, held := range slices.Backward(f.names) {
		if held.name == string(name) {
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
	case p.undecided():
		st.putOneOf(text)
	case p.reach == nil || p.reach.free:
		st.out = jsontext.AppendInside(st.out, text)
	case !p.reach.watched:
		st.said = append(st.said, text...)
		st.out = jsontext.AppendInside(st.out, text)
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
			st.out = jsontext.AppendInside(st.out, c)
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
	if !st.lenient {
		if problems := st.scalarProblems(aString); len(problems) > 0 {
			st.refuse(p, problems...)
			st.hideString()
			st.ended()
			return
		}
	}
	st.sayText()
	st.out = append(st.out, '"')
	st.fits(p)
	st.ended()
}

func (st *Stream) endNumber() {
	if !st.open.hidden {
		if text := st.scalar; (len(text) > longestNumber || hasExponent(text)) && huge(string(text)) {
			st.refuse(&st.open, Problem{Message: "expected a number of ordinary size, found " + shorten(string(text))})
		} else {
			st.endScalar(aNumber)
		}
	}
	st.ended()
}

func hasExponent(number []byte) bool {
	return bytes.IndexByte(number, 'e') >= 0 || bytes.IndexByte(number, 'E') >= 0
}

func (st *Stream) endLiteral() {
	k := aBoolean
	if st.word == "null" {
		k = aNull
	}
	if !st.open.hidden {
		st.endScalar(k)
	}
	st.ended()
}

// endScalar shows a number, true, false or null, unless it is not allowed.
func (st *Stream) endScalar(k kinds) {
	p := &st.open
	if problems := st.scalarProblems(k); len(problems) > 0 {
		st.refuse(p, problems...)
		return
	}
	st.fits(p)
	st.enter()
	st.out = append(st.out, st.scalar...)
	st.say(patch.Add, st.scalar...)
}

// scalarValue is the scalar that was read last.
func (st *Stream) scalarValue(k kinds) any {
	switch k {
	case aString:
		return string(st.said)
	case aNumber:
		return json.Number(st.scalar)
	case aBoolean:
		return st.word == "true"
	}
	return nil
}

// scalarText is the content of a string, or the JSON of another scalar, that was read last.
func (st *Stream) scalarText(k kinds) []byte {
	if k == aString {
		return st.said
	}
	return st.scalar
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
		if f.asked {
			f.reads++
		}
		st.sift(f)
	}
	st.frames = st.frames[:len(st.frames)-1]
	if up := st.top(); up != nil && !f.hidden {
		up.tainted = up.tainted || f.tainted
		up.reads = max(up.reads, f.reads)
	}
	if len(problems) == 0 {
		st.fits(&f.place)
	} else {
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
		if !f.object && f.count < f.tuple() {
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

// scalarProblems tells what is wrong with a scalar that is complete.
func (st *Stream) scalarProblems(k kinds) []Problem {
	p := &st.open
	switch {
	case p.left != 0:
		return st.fitsNone(k)
	case p.reach == nil || k == aString && p.reach.free:
		return nil
	}
	return st.scalarAgainst(p.rules, p.reach, k)
}

// scalarAgainst tells what is wrong with a scalar that is complete. The rules that hold for it mostly tell at once that
// nothing is; else the library decides and explains.
func (st *Stream) scalarAgainst(rules []*rule, x *reach, k kinds) []Problem {
	if x == nil || k == aString && x.free || x.certain(k, st.scalarText(k)) {
		return nil
	}
	var all []Problem
	v := st.scalarValue(k)
	if st.outline.local {
		for _, r := range rules {
			all = append(all, st.problems(r, v)...)
		}
	}
	if len(all) == 0 && x.never {
		return []Problem{{Message: "expected " + expected(rules) + ", found " + found(v)}}
	}
	return all
}

// frameProblems tells what is wrong with an object or array that is complete.
func (st *Stream) frameProblems(f *frame) []Problem {
	if f.undecided() {
		return st.undecidedProblems(f)
	}
	if f.reach == nil {
		return nil
	}
	if all := st.lacks(f, f.reach); len(all) > 0 {
		return all
	}
	return st.ask(f, f.reach.whole)
}

// ask asks the library about an object or array that is complete, unless that was done often enough, or would not tell.
func (st *Stream) ask(f *frame, rules []*rule) (all []Problem) {
	if len(rules) == 0 || f.tainted || !st.outline.local || f.reads >= mostReads {
		return nil
	}
	f.asked = true
	text := st.out[f.value:]
	var v any
	for _, r := range rules {
		if r.fit != nil && r.fit.accepts(text) {
			continue
		}
		if v == nil {
			var problem *Problem
			if v, problem = parse(text); problem != nil {
				return []Problem{*problem}
			}
		}
		all = append(all, st.problems(r, v)...)
	}
	return all
}

// lacks tells what is missing in an object or array.
func (st *Stream) lacks(f *frame, x *reach) (all []Problem) {
	for _, r := range x.rules {
		all = append(all, st.lacksBy(f, r)...)
	}
	return all
}

func (st *Stream) lacksBy(f *frame, r *rule) []Problem {
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
