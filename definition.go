package fermata

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/journal"
)

// definitionBody is the body of the one entry of a definition's journal.
type definitionBody struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// SaveDefinition keeps the text that a plan is made from, by its digest, so that a run can be resumed without the
// file. Keeping the same text again is no error.
func (rt *Runtime) SaveDefinition(ctx context.Context, kind string, text []byte) (digest string, err error) {
	digest = definitionID(kind, text)
	return digest, rt.saveText(ctx, digest, kind, text)
}

// definitionID names the journal that holds a definition.
func definitionID(kind string, text []byte) string {
	sum := sha256.Sum256(append([]byte(kind+"\x00"), text...))
	return "def_" + hex.EncodeToString(sum[:16])
}

// saveText keeps a text in a journal of its own.
func (rt *Runtime) saveText(ctx context.Context, id, kind string, text []byte) error {
	body, err := canonical.Marshal(definitionBody{Kind: kind, Text: string(text)}, rt.options.maxValue())
	if err != nil {
		return &Error{Code: CodeInvalid, Run: id, Err: notStorable(err)}
	}
	now := rt.now()
	err = rt.store.Append(ctx, journal.Batch{
		Run:     id,
		Entries: []journal.Entry{{Seq: 1, At: now, Kind: journal.Definition, Body: body}},
		Row:     &journal.RunRow{ID: id, Kind: "definition", Plan: kind, Status: string(Completed), Created: now, Updated: now},
	})
	if err != nil && !errors.Is(err, journal.ErrConflict) {
		return rt.storeError(id, err)
	}
	return nil
}

// Definition finds a text by its digest.
func (rt *Runtime) Definition(ctx context.Context, digest string) (kind string, text []byte, err error) {
	for e, err := range rt.store.Read(ctx, digest, 0) {
		if err != nil {
			return "", nil, rt.storeError(digest, err)
		}
		var body definitionBody
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return "", nil, rt.storeError(digest, &journal.StoreError{
				Op: "replay", Run: digest, Seq: e.Seq,
				Err: fmt.Errorf("%w: %w", journal.ErrCorrupt, err),
			})
		}
		return body.Kind, []byte(body.Text), nil
	}
	return "", nil, &Error{Code: CodeNotFound, Run: digest, Err: ErrNotFound}
}
