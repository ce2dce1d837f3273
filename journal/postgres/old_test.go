package postgres_test

import (
	_ "embed"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/postgres"
)

//go:embed testdata/schema-1.sql
var ofVersion1 string

// TestJ9_ASchemaOfVersion1 opens a schema of before runs named their drivers: it holds what it held, and is brought to
// this version by whoever may write.
func TestJ9_ASchemaOfVersion1(t *testing.T) {
	schema, c := newSchema(t), raw(t)
	exec(t, c, "CREATE SCHEMA "+schema)
	exec(t, c, strings.ReplaceAll(ofVersion1, "SCHEMA.", schema+"."), pgx.QueryExecModeSimpleProtocol)
	_, err := postgres.OpenWith(database(t), postgres.Options{Schema: schema, ReadOnly: true})
	if !errors.Is(err, journal.ErrReadOnly) || !strings.Contains(err.Error(), "has version 1, expected 4; a store that may write brings it there") {
		t.Errorf("to be read only: %v", err)
	}
	for range 2 { // as it was, and as it has become
		s := open(t, postgres.Options{Schema: schema})
		journaltest.HoldsRunsBeforeDrivers(t, s)
		closeIt(t, s)
	}
	s := open(t, postgres.Options{Schema: schema})
	defer closeIt(t, s)
	if err := s.Beat(t.Context(), "new", time.Minute); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Claim(t.Context(), "new", "run_cut"); !got || err != nil {
		t.Errorf("claimed: %t, %v", got, err)
	}
	rows, err := s.Runs(t.Context(), journal.RunFilter{ID: "run_cut"})
	if err != nil || len(rows) != 1 || rows[0].Driver != "new" {
		t.Errorf("claimed: %+v, %v", rows, err)
	}
	next := journal.Entry{Seq: 3, At: 1_700_000_000_000_003, Kind: journal.NodeFinished, Node: "work", Visit: 1}
	if err := s.Append(t.Context(), journal.Batch{Run: "run_cut", After: 2, Entries: []journal.Entry{next}}); err != nil {
		t.Errorf("an old run does not go on: %v", err)
	}
}
