package patch

import (
	"encoding/json"
	"fmt"

	"github.com/fermata-go/fermata/internal/jsontext"
)

// Op is one operation of a patch.
//
//	op       needs        does
//	add      value        sets a member, or puts an item before the one at the index ("-": behind the last)
//	remove                takes away what must be there
//	replace  value        puts another value in the place of what must be there
//	move     from         is remove, then add
//	copy     from         is add of what is at from
//	test     value        fails unless the value is there; numbers are compared by value, 1.0 being 1
//	append   value        adds text to the end of the string that must be there (not in RFC 6902)
//
// Path and From are JSON pointers (RFC 6901); "" is the whole document. A copy of the whole document has an empty From,
// which is not written: as JSON that one operation is not portable.
type Op struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	From  string          `json:"from,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// Names of operations.
const (
	Add     = "add"
	Remove  = "remove"
	Replace = "replace"
	Move    = "move"
	Copy    = "copy"
	Test    = "test"
	Append  = "append"
)

// Patch is a list of operations, applied in order, all of them or none.
type Patch []Op

// AppendJSON appends the patch to b, as encoding/json writes it. Values must be JSON; they are taken as they are.
func (p Patch) AppendJSON(b []byte) []byte {
	b = append(b, '[')
	for i := range p {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendText(append(b, `{"op":`...), p[i].Op)
		b = appendText(append(b, `,"path":`...), p[i].Path)
		if p[i].From != "" {
			b = appendText(append(b, `,"from":`...), p[i].From)
		}
		if len(p[i].Value) > 0 {
			b = append(append(b, `,"value":`...), p[i].Value...)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendText appends a string of JSON.
func appendText(b []byte, text string) []byte {
	b, _ = jsontext.AppendGo(b, text)
	return b
}

// Error says which operation of a patch cannot be done, and why. Nothing of that patch was done.
type Error struct {
	Index   int    // of the operation in its patch, from 0
	Op      string // what it is: "remove"
	Path    string // where: a JSON pointer
	Message string // what was expected there and what was found
}

func (e *Error) Error() string {
	return fmt.Sprintf("operation %d, %s %q: %s", e.Index, e.Op, e.Path, e.Message)
}

// Apply is the JSON value that the patch makes of doc, compact. No doc at all (nil) is a document of which nothing is
// there yet: the patch must begin by adding it, with the path "". Errors are *Error, but for a doc that is not JSON.
func (p Patch) Apply(doc []byte) ([]byte, error) {
	d, err := start(doc)
	if err != nil {
		return nil, err
	}
	if err := d.Apply(p); err != nil {
		return nil, err
	}
	return d.JSON(), nil
}

// start is the document that a patch is applied to.
func start(doc []byte) (*Document, error) {
	if doc == nil {
		return New(), nil
	}
	return Parse(doc)
}

// Pure returns an equivalent patch for doc that uses only the operations of RFC 6902. An append becomes a replace with
// the whole string. Appends to one string that follow each other become one replace. Errors are those of Apply.
func (p Patch) Pure(doc []byte) (Patch, error) {
	d, err := start(doc)
	if err != nil {
		return nil, err
	}
	pure := make(Patch, 0, len(p))
	for i, op := range p {
		if err := d.applyAt(i, op); err != nil {
			return nil, err
		}
		if op.Op != Append {
			pure = append(pure, op)
			continue
		}
		if i+1 < len(p) && p[i+1].Op == Append && p[i+1].Path == op.Path {
			continue
		}
		whole, err := d.at(op.Path)
		if err != nil {
			return nil, &Error{i, op.Op, op.Path, err.Error()}
		}
		pure = append(pure, Op{Op: Replace, Path: op.Path, Value: whole.json(nil)})
	}
	return pure, nil
}
