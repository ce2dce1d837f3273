package schema

import (
	"bytes"
	"encoding/json"

	"github.com/fermata-go/fermata/internal/jsontext"
	"github.com/fermata-go/fermata/patch"
)

// Stream follows one JSON value as it arrives, and returns the parts that can be shown already. Pieces may end
// anywhere. Nothing is shown that the schema does not allow, and nothing is held back that may still become valid:
//
//   - An object or array is shown when it begins, empty at first; a string when it begins, and as it grows; a number,
//     true, false or null when it is complete, for "12" may go on to be 120. A character is never shown in halves.
//   - While a part is open, only what nothing can mend counts against it: its type, a property that is not allowed, an
//     item or a character too many, a beginning that none of the allowed strings has. Later parts (required
//     members, the rest of a word) are not required before the end. When a part closes it is checked in full, as far as that can be
//     told from the part alone: "not", "if" and the like, and alternatives of which several are left, are decided here too.
//   - Of several alternatives each part takes away those that it does not fit, as soon as that is certain: its value, its
//     kind, or a name that they do not know. A member such as "type", of which each alternative allows other values, so
//     decides when it comes; until then, and where nothing decides, a part is shown if it fits any that is left. Of one
//     that is left alone the rules apply as if there were no others. A part that fits none is refused, and decides
//     nothing. This is followed for up to 64 alternatives; of more, only what the kind of the value settles is.
//   - A part that is refused is left out, or taken back where some of it has been shown already, and is a [Problem] of
//     the Delta. The rest of the value goes on. A whole that is refused becomes null once any of it has been shown.
//   - In an array, later items move up into the place of one that was refused: paths in patches are those of the value
//     that is shown, paths of problems those of the value that was said. Only where the places of an array have schemas
//     of their own (prefixItems), nothing behind a refused item of these is shown, or looked at.
//   - A value with a refused part is not checked as a whole.
//   - A member whose name was there before replaces the earlier one. Each is checked.
//
// The text alone determines what is shown and refused after each byte, and not how it is cut into pieces. A Stream does
// not replace [Schema.Check], which sees the whole: ask it at the end. Values nested deeper than 500 levels are an error.
//
// All Writes together cost time linear in the text. A Stream keeps the text that it shows and what is open; it is not
// safe for concurrent use.
type Stream struct {
	schema  *Schema
	outline *outline // nil: nothing is asked
	lenient bool     // closed parts may lack what open ones may
	silent  bool     // nobody reads the patches

	state  state
	offset int // bytes read
	err    error

	frames []frame // objects and arrays that are open
	open   place   // the value that is open, or is read next
	token
	shown

	met map[meeting]*reach // of places with several rules
}

// token is what is read in pieces: a name, a string, a number or a literal.
type token struct {
	naming bool // the string that is read is a name
	name   []byte
	scalar []byte // text of the open number, or what was read of a literal
	word   string // the literal that is read
	said   []byte // of an open string that has to be looked at: its text
	cut    []byte // bytes of a character that is not complete
	high   rune   // first half of a surrogate pair
	escape int    // digits of \u that were read
	code   rune   // their value
}

// shown is the value so far, and what is new in it.
type shown struct {
	out     []byte // its text, without the brackets that are still to come
	path    []byte // of the value that is open, in what is shown
	blanked bool   // out has holes of blanks
	values  []byte // memory of the values of patches
	paths   []byte // of the operations of a piece, which share their memory
	ends    []int  // where each of them ends
	usual   int    // operations of the last piece that had any
	hints   int    // unknown names that were explained
	delta   Delta
}

// Delta is what one piece of text adds. It is the caller's own.
type Delta struct {
	Patch   patch.Patch // what to do to the value that is shown, in order; the first of all adds it, with the path ""
	Refused []Problem   // what was said that the schema does not allow, in the order of the text
}

// frame is an object or an array that is open.
type frame struct {
	place
	object  bool
	tainted bool // something in it was refused
	rest    bool // what follows in it is neither shown nor checked
	count   int  // of an object its members, of an array the index of its item
	shown   int  // members or items that are shown
	reads   int  // how often parts of it were read again
	length  int  // of the path of the frame

	names   []heldName
	last    int            // index in names of the last that is shown; < 0 when none is
	byName  map[string]int // index in names, where there are many
	current string         // the member that is read
	member  place          // its rules
	candidates
}

// candidates are the rules that may apply to an open object or array.
type candidates struct {
	base    *reach        // what was known when it began
	options []option      // what may apply, where that is not settled by then
	remain  uint64        // bits of the options that are left; where there is only one, it is the reach
	parts   []possibility // of the part that is read
	mine    []option      // memory of options
	asked   bool          // the library was asked about it
}

// heldName is a member of an open object.
type heldName struct {
	name string
	at   int // where its name begins in out; < 0 when it is not shown
	end  int // where what was shown behind it began

	before, behind int // indexes of the members that are shown around it; < 0 for none
}

// show notes that the member named last is shown, at the end of out.
func (f *frame) show(at int) {
	i := len(f.names) - 1
	m := &f.names[i]
	m.at, m.before, m.behind = at, f.last, -1
	if f.last >= 0 {
		f.names[f.last].behind, f.names[f.last].end = i, at
	}
	f.last = i
	f.shown++
}

// hide notes that a member is not shown any more.
func (f *frame) hide(i int) {
	m := &f.names[i]
	m.at = -1
	if m.before >= 0 {
		f.names[m.before].behind = m.behind
	}
	if m.behind >= 0 {
		f.names[m.behind].before = m.before
	} else {
		f.last = m.before
	}
	f.shown--
}

// place is where a value is.
type place struct {
	rules  []*rule
	reach  *reach // of the value's kind; nil when anything goes, and when several possibilities are left
	left   uint64 // bits of what is around it: the possibilities that are left; 0 where there is but one to begin with
	hidden bool   // neither shown nor checked
	mark   int    // where out ended before it
	value  int    // where it begins in out
	sent   int    // how much of out the patches have said, where it is a string
	added  bool   // the string is in a patch
	length int    // characters of the string
}

// Stream begins to follow a value. A nil Schema allows any.
func (s *Schema) Stream() *Stream {
	st := &Stream{schema: s}
	if s != nil {
		st.outline = s.outline()
	}
	return st
}

// Write takes the next piece of the text. When the text cannot be JSON any more, it returns an *Error with the place,
// beside what the piece added before it, and nothing that follows is taken.
func (st *Stream) Write(chunk string) (Delta, error) {
	for len(chunk) > 0 && st.err == nil {
		n := st.step(chunk)
		st.offset += n
		chunk = chunk[n:]
	}
	return st.flush(), st.err
}

// Close says that the text has ended. A number that is the whole value is complete with it, hence the Delta. An *Error
// says where a text ended that is no whole value.
func (st *Stream) Close() (Delta, error) {
	if st.err == nil && st.state == inNumber && len(st.frames) == 0 && wholeNumber(st.scalar) {
		st.endNumber()
	}
	if st.err == nil && st.state != atEnd {
		st.fail("the end of the text")
	}
	d, err := st.flush(), st.err
	if err == nil {
		st.err = one("", "expected nothing, for the stream is closed")
	}
	return d, err
}

// Whole reports whether the value has ended. It ignores the text after the value: a caller that expects none can ignore
// an error of Write there.
func (st *Stream) Whole() bool { return st.state == atEnd }

// JSON is what is shown of the value so far, and always valid; nil before anything is. It is the same as the fold of
// all patches, and costs its own length. It is the caller's own.
func (st *Stream) JSON() json.RawMessage {
	if len(st.out) == 0 {
		return nil
	}
	text := make([]byte, 0, len(st.out)+len(st.frames)+1)
	text = append(text, st.out...)
	if st.stringShown() {
		text = append(text, '"')
	}
	for i := len(st.frames) - 1; i >= 0; i-- {
		if f := &st.frames[i]; !f.hidden {
			text = append(text, f.closing())
		}
	}
	if st.blanked {
		var b bytes.Buffer
		if err := json.Compact(&b, text); err != nil {
			panic("schema: a stream shows what is no JSON: " + err.Error()) // cannot be
		}
		return b.Bytes()
	}
	return text
}

func (f *frame) closing() byte {
	if f.object {
		return '}'
	}
	return ']'
}

// stringShown reports whether an open string is shown.
func (st *Stream) stringShown() bool {
	return !st.naming && !st.open.hidden && (st.state == inString || st.state == inEscape || st.state == inCode)
}

// flush ends a piece: what has come of an open string is said, and the Delta handed out.
func (st *Stream) flush() Delta {
	if st.stringShown() {
		st.sayText()
	}
	d := st.delta
	st.delta = Delta{}
	if len(d.Patch) > 0 {
		st.usual = min(len(d.Patch), mostUsual)
		paths, from := string(st.paths), 0
		for i, end := range st.ends {
			d.Patch[i].Path, from = paths[from:end], end
		}
		st.paths, st.ends = st.paths[:0], st.ends[:0]
	}
	if len(st.values) > 1<<10 { // what was handed out keeps it alive
		st.values = nil
	}
	return d
}

// top is the innermost object or array that is open.
func (st *Stream) top() *frame {
	if len(st.frames) == 0 {
		return nil
	}
	return &st.frames[len(st.frames)-1]
}

// say adds an operation at the path.
func (st *Stream) say(op string, value ...byte) {
	if st.silent {
		return
	}
	st.add(op, st.keep(value))
}

// mostUsual bounds the room that is made for operations which may not come.
const mostUsual = 32

// add makes room for as many operations as the last piece had: pieces are mostly of one size.
func (st *Stream) add(op string, value json.RawMessage) {
	if st.delta.Patch == nil {
		st.delta.Patch = make(patch.Patch, 0, max(st.usual, 1))
	}
	st.delta.Patch = append(st.delta.Patch, patch.Op{Op: op, Value: value})
	st.paths = append(st.paths, st.path...)
	st.ends = append(st.ends, len(st.paths))
}

// keep copies the value of an operation into memory that many share.
func (st *Stream) keep(value []byte) json.RawMessage {
	if len(value) == 0 {
		return nil
	}
	from := len(st.values)
	st.values = append(st.values, value...)
	return st.values[from:len(st.values):len(st.values)]
}

// sayText says what has come of the open string since it was last said.
func (st *Stream) sayText() {
	p := &st.open
	op, from := patch.Append, p.sent
	if !p.added {
		op, from = patch.Add, p.value+1
	}
	if st.silent || p.added && from == len(st.out) {
		return
	}
	at := len(st.values)
	st.values = append(append(append(st.values, '"'), st.out[from:]...), '"')
	st.add(op, st.values[at:len(st.values):len(st.values)])
	p.added, p.sent = true, len(st.out)
}

// enter writes what stands before a value that is shown: a comma, a name.
func (st *Stream) enter() {
	p := &st.open
	p.mark = len(st.out)
	f := st.top()
	if f == nil {
		p.value, st.path = len(st.out), st.path[:0]
		return
	}
	if f.shown > 0 {
		st.out = append(st.out, ',')
	}
	st.path = append(st.path[:f.length], '/')
	if f.object {
		f.show(len(st.out))
		st.out = append(jsontext.Append(st.out, f.current), ':')
		st.path = appendToken(st.path, f.current)
	} else {
		st.path = appendIndex(st.path, f.shown)
		f.shown++
	}
	p.value = len(st.out)
}

// takeBack removes the open value, which was shown, from what is shown. The path is its own.
func (st *Stream) takeBack(p *place) {
	f := st.top()
	if f == nil {
		st.out = append(st.out[:0], "null"...)
		st.say(patch.Add, st.out...)
		return
	}
	st.out = st.out[:p.mark]
	if f.object {
		f.hide(len(f.names) - 1)
	} else {
		f.shown--
	}
}

// replaced takes back a member whose name has come again. What follows it in the text stays where it is: the member
// is overwritten with blanks.
func (st *Stream) replaced(f *frame, i int) {
	from := f.names[i].at
	if from < 0 {
		return
	}
	f.hide(i)
	st.path = appendToken(append(st.path[:f.length], '/'), f.names[i].name)
	st.say(patch.Remove)
	if f.names[i].behind >= 0 {
		for j := from; j < f.names[i].end; j++ {
			st.out[j] = ' '
		}
		st.blanked = true
		return
	}
	st.out = bytes.TrimSuffix(bytes.TrimRight(st.out[:from], " "), []byte(","))
}
