package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/journal"
)

// Document is a version of a setting.
type Document struct {
	What string    // the kind of setting: "token"
	Name string    // unique within its kind
	Seq  uint64    // counts the changes of the document, from 1
	At   time.Time // when it was changed
	Change
}

// Change is one change of a document.
type Change struct {
	Value json.RawMessage // the whole document as JSON; nil deletes it
	By    string          // the id of the person who changes it; "" for nobody named
	Why   string          // the reason, for the record; "" for none
}

// Deleted reports whether the change deletes the document.
func (c *Change) Deleted() bool { return c.Value == nil }

// The bounds of documents and of the texts beside them, in bytes.
const (
	MaxValue = 64 << 10
	maxText  = 1000
)

// ErrNotFound says that there is no such document, or that it was deleted.
var ErrNotFound = errors.New("no such setting")

// ConflictError says that a document has another version than a change expected.
type ConflictError struct {
	What, Name string
	Expected   uint64 // 0: that there is none
	Found      uint64 // 0: there is none
}

func (e *ConflictError) Error() string {
	version := func(seq uint64) string {
		if seq == 0 {
			return "none"
		}
		return fmt.Sprintf("version %d", seq)
	}
	return fmt.Sprintf("setting %s/%s was changed meanwhile: expected %s, found %s; read it again", e.What, e.Name, version(e.Expected), version(e.Found))
}

// Is makes the error match journal.ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == journal.ErrConflict }

var (
	formOfWhat = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)
	formOfName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}$`)
)

func checkWhat(what string) error {
	if !formOfWhat.MatchString(what) {
		return fmt.Errorf("settings: kind %q: expected a word of small letters, digits and hyphens, such as token", what)
	}
	return nil
}

func checkName(what, name string) error {
	if err := checkWhat(what); err != nil {
		return err
	}
	if !formOfName.MatchString(name) {
		return fmt.Errorf("settings: name %q: expected letters, digits and . _ @ + -, at most 100, beginning with a letter or a digit", name)
	}
	return nil
}

// check reports why a change cannot be stored.
func (c *Change) check() error {
	switch {
	case c.Value != nil && !json.Valid(c.Value):
		return errors.New("settings: the value is no JSON")
	case len(c.Value) > MaxValue:
		return fmt.Errorf("settings: the value has %d bytes; expected at most %d", len(c.Value), MaxValue)
	case len(c.By) > maxText || len(c.Why) > maxText:
		return fmt.Errorf("settings: author and reason: expected at most %d bytes of each", maxText)
	}
	return printable.Check("the author of a setting", c.By)
}

// body is the body of the entry that stores a change, whose Value is the document.
type body struct {
	Setting string `json:"setting"` // the kind: no other journal has it
	By      string `json:"by,omitempty"`
	Why     string `json:"why,omitempty"`
	Deleted bool   `json:"deleted,omitempty"`
}

// entry makes the entry of a change.
func (c *Change) entry(what string, seq uint64, at time.Time) (journal.Entry, error) {
	e := journal.Entry{Seq: seq, At: at.UnixMicro(), Kind: journal.Definition}
	if !c.Deleted() {
		var compact bytes.Buffer
		if err := json.Compact(&compact, c.Value); err != nil {
			return e, fmt.Errorf("settings: the value is no JSON: %w", err)
		}
		e.Value = compact.Bytes()
	}
	var err error
	e.Body, err = json.Marshal(body{Setting: what, By: c.By, Why: c.Why, Deleted: c.Deleted()})
	return e, err
}

// read reads the version of a document that an entry made. An entry of another journal is an error: a run may have the id.
func read(what, name string, e *journal.Entry) (Document, error) {
	var b body
	if err := json.Unmarshal(e.Body, &b); e.Kind != journal.Definition || err != nil || b.Setting != what || b.Deleted != (len(e.Value) == 0) {
		return Document{}, &journal.StoreError{
			Op: "read setting", Run: id(what, name), Seq: e.Seq, Err: fmt.Errorf("%w: the entry is of kind %v, and no change of a setting", journal.ErrCorrupt, e.Kind),
		}
	}
	d := Document{What: what, Name: name, Seq: e.Seq, At: e.Time(), Change: Change{By: b.By, Why: b.Why}}
	if !b.Deleted {
		d.Value = e.Value
	}
	return d, nil
}
