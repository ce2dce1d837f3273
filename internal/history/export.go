package history

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"time"

	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/storage"
	"github.com/fermata-go/fermata/journal"
)

// exportFormat and exportVersion begin every exported run (law J9).
const (
	exportFormat  = "fermata-run"
	exportVersion = 1
)

// The lines of an exported run: a header, the entries, the texts that they name, and an end.
type (
	exportHeader struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
		Run     string `json:"run"`
		Plan    string `json:"plan"`
	}
	exportLine struct {
		Entry *exportEntry `json:"entry,omitempty"`
		Text  *exportText  `json:"text,omitempty"`
		End   *exportEnd   `json:"end,omitempty"`
	}
	exportEntry struct {
		Seq     uint64          `json:"seq"`
		At      string          `json:"at,omitempty"` // RFC 3339, to the microsecond
		Kind    string          `json:"kind,omitempty"`
		Flags   uint8           `json:"flags,omitempty"`
		Attempt uint16          `json:"attempt,omitempty"`
		Visit   uint32          `json:"visit,omitempty"`
		Node    string          `json:"node,omitempty"`
		Op      string          `json:"op,omitempty"`
		To      string          `json:"to,omitempty"`
		Base    uint64          `json:"base,omitempty"`
		Value   json.RawMessage `json:"value,omitempty"`
		Body    json.RawMessage `json:"body,omitempty"`
		Frame   []byte          `json:"frame,omitempty"` // in place of the rest: an entry that the rest cannot say to the byte
	}
	exportText struct {
		ID   string `json:"id"`
		Kind string `json:"kind"`
		Text string `json:"text"`
	}
	exportEnd struct {
		Entries int    `json:"entries"`
		SHA256  string `json:"sha256"` // of all lines before this one, with their line breaks
	}
)

// Export writes a run to a file for [Runtime.Import], which may use another kind of store. The file holds lines of
// JSON: the entries to the byte, the texts of definitions, and a checksum. The same journal gives the same file.
//
// A run that is being executed is written in its state at the time of the call. The file holds inputs, outputs and
// answers, but only hashes of resume tokens (law H5). Errors are CodeNotFound, CodeStore, and those of w.
func (h *History) Export(ctx context.Context, run string, w io.Writer) error {
	x := exporter{w: w, sum: sha256.New()}
	for e, err := range h.Store.Read(ctx, run, 0) {
		switch {
		case err != nil:
			return h.StoreError(run, err)
		case e.Seq == 1 && e.Kind != journal.RunStarted:
			return &runtype.Error{Code: runtype.CodeNotFound, Run: run, Err: runtype.ErrNotFound}
		}
		if err := x.entry(run, &e); err != nil {
			return h.ReplayError(run, e.Seq, err)
		}
		if x.err != nil {
			return x.err
		}
	}
	if x.entries == 0 {
		return &runtype.Error{Code: runtype.CodeNotFound, Run: run, Err: runtype.ErrNotFound}
	}
	for _, id := range x.texts {
		kind, text, err := h.Definition(ctx, id)
		if errors.Is(err, runtype.ErrNotFound) {
			continue // a plan that was made in Go has no definition, and one of an older version no outline
		}
		if err != nil {
			return err
		}
		x.line(exportLine{Text: &exportText{ID: id, Kind: kind, Text: string(text)}})
	}
	x.line(exportLine{End: &exportEnd{Entries: x.entries, SHA256: hex.EncodeToString(x.sum.Sum(nil))}})
	return x.err
}

// exporter writes the lines of an exported run.
type exporter struct {
	w       io.Writer // the file
	sum     hash.Hash // over all lines so far
	entries int       // number of entries so far
	texts   []string  // ids of the texts that the entries name
	err     error     // of w
}

func (x *exporter) entry(run string, e *journal.Entry) error {
	switch e.Kind {
	case journal.RunStarted:
		err := read(e, func(b *journal.StartedBody) {
			x.line(exportHeader{Format: exportFormat, Version: exportVersion, Run: run, Plan: b.Plan})
			x.names(b.Definition, b.Fingerprint)
		})
		if err != nil {
			return err
		}
	case journal.RunResumed:
		if err := read(e, func(b *journal.ResumedBody) { x.names(b.Definition, b.Fingerprint) }); err != nil {
			return err
		}
	default:
	}
	x.entries++
	x.line(exportLine{Entry: exported(e)})
	return nil
}

// names notes the texts that an entry names.
func (x *exporter) names(definition, fingerprint string) {
	outline := ""
	if fingerprint != "" {
		outline = storage.OutlineID(fingerprint)
	}
	for _, id := range []string{definition, outline} {
		if id != "" && !slices.Contains(x.texts, id) {
			x.texts = append(x.texts, id)
		}
	}
}

func (x *exporter) line(v any) {
	if x.err != nil {
		return
	}
	data, err := lineOfJSON(v)
	if err == nil {
		if !printable.IsClean(data) {
			data = []byte(printable.Escape(string(data))) // a text: the same JSON
		}
		x.sum.Write(data) // which never fails
		_, err = x.w.Write(data)
	}
	x.err = err
}

func lineOfJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// exported is an entry as it is written: so that people can read it, where that keeps every byte of it.
func exported(e *journal.Entry) *exportEntry {
	plain := &exportEntry{
		Seq: e.Seq, At: e.Time().Format(time.RFC3339Nano), Kind: e.Kind.String(), Flags: e.Flags, Attempt: e.Attempt, Visit: e.Visit,
		Node: e.Node, Op: e.Op, To: e.To, Base: e.Base, Value: e.Value, Body: e.Body,
	}
	if data, err := lineOfJSON(plain); err == nil && printable.IsClean(data) { // the file is also written to terminals (law H9)
		var again exportEntry
		if json.Unmarshal(data, &again) == nil {
			if back, err := again.entry(); err == nil && sameEntry(e, &back) {
				return plain
			}
		}
	}
	return &exportEntry{Seq: e.Seq, Frame: journal.AppendEntries(nil, []journal.Entry{*e})}
}

func sameEntry(a, b *journal.Entry) bool {
	if !bytes.Equal(a.Value, b.Value) || !bytes.Equal(a.Body, b.Body) {
		return false
	}
	return a.Seq == b.Seq && a.At == b.At && a.Kind == b.Kind && a.Flags == b.Flags && a.Attempt == b.Attempt &&
		a.Visit == b.Visit && a.Node == b.Node && a.Op == b.Op && a.To == b.To && a.Base == b.Base
}

// entry is the entry that was exported.
func (x *exportEntry) entry() (journal.Entry, error) {
	if len(x.Frame) > 0 {
		if count, _ := binary.Uvarint(x.Frame[1:]); count > 1 { // each would be made before they are counted
			return journal.Entry{}, fmt.Errorf("expected a frame of one entry, found %d", count)
		}
		list, err := journal.DecodeEntries(x.Frame, "")
		switch {
		case err != nil:
			return journal.Entry{}, err
		case len(list) != 1:
			return journal.Entry{}, fmt.Errorf("expected a frame of one entry, found %d", len(list))
		}
		return list[0], nil
	}
	at, err := time.Parse(time.RFC3339Nano, x.At)
	if err != nil {
		return journal.Entry{}, fmt.Errorf("at: expected a time such as 2026-01-31T12:00:00.000001Z, found %q", x.At)
	}
	kind, ok := journal.KindOf(x.Kind)
	if !ok || !kind.Stored() {
		return journal.Entry{}, fmt.Errorf("kind: %q is none that journals of this version have", x.Kind)
	}
	return journal.Entry{
		Seq: x.Seq, At: at.UnixMicro(), Kind: kind, Flags: x.Flags, Attempt: x.Attempt, Visit: x.Visit,
		Node: x.Node, Op: x.Op, To: x.To, Base: x.Base, Value: x.Value, Body: x.Body,
	}, nil
}
