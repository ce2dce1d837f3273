package storage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// definitionBody is the body of the one entry of a text's journal.
type definitionBody struct {
	Kind string `json:"kind"` // of the text, "recipe"
	Text string `json:"text"` // the text itself
}

// SaveDefinition stores the text that a plan is made from, by its digest. So a run can be resumed without the
// file. Storing the same text again is no error.
func (s *Storage) SaveDefinition(ctx context.Context, kind string, text []byte) (digest string, err error) {
	digest = DefinitionID(kind, text)
	return digest, s.SaveText(ctx, digest, kind, text)
}

// DefinitionPrefix begins the id of every definition.
const DefinitionPrefix = "def_"

// DefinitionID returns the id of the journal that holds a definition.
func DefinitionID(kind string, text []byte) string {
	sum := sha256.Sum256(append([]byte(kind+"\x00"), text...))
	return DefinitionPrefix + hex.EncodeToString(sum[:16])
}

// SaveText stores a text in a journal of its own.
func (s *Storage) SaveText(ctx context.Context, id, kind string, text []byte) error {
	body, err := canonical.Marshal(definitionBody{Kind: kind, Text: string(text)}, s.MaxValue())
	if err != nil {
		return &runtype.Error{Code: runtype.CodeInvalid, Run: id, Err: runtype.NotStorable(err)}
	}
	now := s.Now()
	err = s.Store.Append(ctx, journal.Batch{
		Run:     id,
		Entries: []journal.Entry{{Seq: 1, At: now, Kind: journal.Definition, Body: body}},
		Row:     &journal.RunRow{ID: id, Kind: "definition", Plan: kind, Status: string(runtype.Completed), Created: now, Updated: now},
	})
	if err != nil && !errors.Is(err, journal.ErrConflict) {
		return s.StoreError(id, err)
	}
	return nil
}

// Definition returns a text by its digest.
func (s *Storage) Definition(ctx context.Context, digest string) (kind string, text []byte, err error) {
	for e, err := range s.Store.Read(ctx, digest, 0) {
		if err != nil {
			return "", nil, s.StoreError(digest, err)
		}
		var body definitionBody
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return "", nil, s.StoreError(digest, &journal.StoreError{
				Op: "replay", Run: digest, Seq: e.Seq,
				Err: fmt.Errorf("%w: %w", journal.ErrCorrupt, err),
			})
		}
		return body.Kind, []byte(body.Text), nil
	}
	return "", nil, &runtype.Error{Code: runtype.CodeNotFound, Run: digest, Err: runtype.ErrNotFound}
}
