package sqlite

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/fermata-go/fermata/journal"
)

// The first byte of a stored interrupt. Version 1 ended before the names of the schemas, version 2 before who may answer, and
// version 3 before what came later: an interrupt is written in the lowest version that holds all of it.
const (
	forAnybody       = 2
	forPeople        = 3
	interruptVersion = 4
)

// later are the members of an interrupt that came with version 4. Members that come after it are added here: versions that
// do not know them leave them out.
type later struct {
	OverrideRole   string `json:"overrideRole,omitempty"`
	NeedsToken     bool   `json:"needsToken,omitempty"`
	AssigneeName   string `json:"assigneeName,omitempty"`
	ClaimedByName  string `json:"claimedByName,omitempty"`
	AnsweredByName string `json:"answeredByName,omitempty"`
}

func laterOf(in *journal.Interrupt) later {
	return later{in.OverrideRole, in.NeedsToken, in.AssigneeName, in.ClaimedByName, in.AnsweredByName}
}

func (l *later) into(in *journal.Interrupt) {
	in.OverrideRole, in.NeedsToken = l.OverrideRole, l.NeedsToken
	in.AssigneeName, in.ClaimedByName, in.AnsweredByName = l.AssigneeName, l.ClaimedByName, l.AnsweredByName
}

// appendInterrupt appends the stored form of an interrupt: its fields in a fixed order, without the id, which has a
// column. Inboxes of ten thousand are read at once, and JSON would take most of that time.
func appendInterrupt(dst []byte, in *journal.Interrupt) ([]byte, error) {
	deadline := []byte(nil)
	if in.AtDeadline != nil {
		var err error
		if deadline, err = json.Marshal(in.AtDeadline); err != nil {
			return nil, fmt.Errorf("interrupt %s: %w", in.ID, err)
		}
	}
	hash, inHex := []byte(in.TokenHash), false
	if raw, err := hex.DecodeString(in.TokenHash); err == nil && hex.EncodeToString(raw) == in.TokenHash {
		hash, inHex = raw, true
	}
	version := byte(forAnybody)
	if in.Assignee != "" || len(in.NotBy) > 0 || len(in.NotByNodes) > 0 {
		version = forPeople
	}
	if laterOf(in) != (later{}) {
		version = interruptVersion
	}
	dst = append(dst, version, byte(flag(inHex)))
	for _, s := range []string{in.Run, in.Task, in.Op, in.Kind, in.Prompt, in.Role, in.State, in.ClaimedBy, in.AnsweredBy} {
		dst = appendField(dst, s)
	}
	for _, b := range [][]byte{hash, in.Request, in.RequestSchema, in.ResponseSchema, in.Answer, deadline} {
		dst = appendField(dst, b)
	}
	for _, n := range []int64{in.Opened, in.Deadline, in.Resolved} {
		dst = binary.AppendVarint(dst, n)
	}
	dst = appendList(dst, in.Options)
	for _, s := range schemaNames(in) {
		dst = appendField(dst, *s)
	}
	if version > forAnybody {
		dst = appendField(dst, in.Assignee)
		dst = appendList(dst, in.NotBy)
		dst = appendList(dst, in.NotByNodes)
	}
	if version > forPeople {
		more, err := json.Marshal(laterOf(in))
		if err != nil {
			return nil, fmt.Errorf("interrupt %s: %w", in.ID, err)
		}
		dst = appendField(dst, more)
	}
	return dst, nil
}

func appendList(dst []byte, list []string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for _, s := range list {
		dst = appendField(dst, s)
	}
	return dst
}

// schemaNames are the names of an interrupt's schemas and their versions, in the order in which they are stored.
func schemaNames(in *journal.Interrupt) []*string {
	return []*string{&in.RequestSchemaID, &in.RequestSchemaVersion, &in.ResponseSchemaID, &in.ResponseSchemaVersion}
}

func appendField[T string | []byte](dst []byte, v T) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(v)))
	return append(dst, v...)
}

// fields reads what appendInterrupt wrote. It returns parts of data, and of its copy as a string.
type fields struct {
	data []byte
	text string // ends where data does
	bad  bool
}

// next is the length of the next field, with data at its beginning.
func (f *fields) next() int {
	n, size := binary.Uvarint(f.data)
	if size <= 0 || n > uint64(len(f.data)-size) {
		f.data, f.bad = nil, true
		return 0
	}
	f.data = f.data[size:]
	return int(n)
}

func (f *fields) bytes() []byte {
	n := f.next()
	if n == 0 {
		return nil
	}
	b := f.data[:n:n]
	f.data = f.data[n:]
	return b
}

func (f *fields) string() string {
	n := f.next()
	at := len(f.text) - len(f.data)
	f.data = f.data[n:]
	return f.text[at : at+n]
}

func (f *fields) integer() int64 {
	n, size := binary.Varint(f.data)
	if size <= 0 {
		f.data, f.bad = nil, true
		return 0
	}
	f.data = f.data[size:]
	return n
}

// list is nil where it is empty.
func (f *fields) list() []string {
	n, size := binary.Uvarint(f.data)
	if size <= 0 || n > uint64(len(f.data)-size) {
		f.data, f.bad = nil, true
		return nil
	}
	f.data = f.data[size:]
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = f.string()
	}
	return list
}

func decodeInterrupt(in *journal.Interrupt, data []byte) error {
	if len(data) < 2 {
		return fmt.Errorf("%w: interrupt %s has %d bytes", journal.ErrCorrupt, in.ID, len(data))
	}
	if data[0] > interruptVersion {
		return fmt.Errorf("%w: interrupt %s has format %d, this version reads up to %d", journal.ErrNewer, in.ID, data[0], interruptVersion)
	}
	f := fields{data: data[2:], text: string(data), bad: data[0] == 0}
	for _, s := range []*string{&in.Run, &in.Task, &in.Op, &in.Kind, &in.Prompt, &in.Role, &in.State, &in.ClaimedBy, &in.AnsweredBy} {
		*s = f.string()
	}
	if hash := f.bytes(); data[1] == 1 {
		in.TokenHash = hex.EncodeToString(hash)
	} else {
		in.TokenHash = string(hash)
	}
	in.Request, in.RequestSchema, in.ResponseSchema, in.Answer = f.bytes(), f.bytes(), f.bytes(), f.bytes()
	deadline := f.bytes()
	in.Opened, in.Deadline, in.Resolved = f.integer(), f.integer(), f.integer()
	in.Options = f.list()
	if data[0] > 1 {
		for _, s := range schemaNames(in) {
			*s = f.string()
		}
	}
	if data[0] > forAnybody {
		in.Assignee, in.NotBy, in.NotByNodes = f.string(), f.list(), f.list()
	}
	var more []byte
	if data[0] > forPeople {
		more = f.bytes()
	}
	if f.bad || len(f.data) > 0 {
		return fmt.Errorf("%w: interrupt %s", journal.ErrCorrupt, in.ID)
	}
	if data[0] > forPeople {
		var l later
		if err := json.Unmarshal(more, &l); err != nil {
			return fmt.Errorf("%w: interrupt %s: %w", journal.ErrCorrupt, in.ID, err)
		}
		l.into(in)
	}
	if len(deadline) > 0 {
		if err := json.Unmarshal(deadline, &in.AtDeadline); err != nil {
			return fmt.Errorf("%w: interrupt %s: %w", journal.ErrCorrupt, in.ID, err)
		}
	}
	return nil
}
