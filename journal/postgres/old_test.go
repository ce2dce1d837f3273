package postgres_test

import (
	_ "embed"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
	if !errors.Is(err, journal.ErrReadOnly) || !strings.Contains(err.Error(), "has version 1, expected 5; a store that may write brings it there") {
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

// TestJ9_AnOldSchemaBecomesLikeANewOne compares the columns, indexes, constraints, triggers and functions of a schema that was
// brought to this version with those of one that was made by it.
func TestJ9_AnOldSchemaBecomesLikeANewOne(t *testing.T) {
	c := raw(t)
	layout := func(schema string) map[string]string {
		closeIt(t, open(t, postgres.Options{Schema: schema}))
		rows, err := c.Query(t.Context(), `
			SELECT 'column ' || c.relname || ' ' || a.attnum, concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attcollation::regcollation,
				a.attnotnull, a.attidentity, a.attstorage, pg_get_expr(d.adbin, d.adrelid))
			FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
			WHERE c.relnamespace = $1::text::regnamespace AND c.relkind = 'r' AND a.attnum > 0
			UNION ALL SELECT 'table ' || relname, concat_ws(' ', relpersistence, array_to_string(reloptions, ' '))
			FROM pg_class WHERE relnamespace = $1::text::regnamespace AND relkind = 'r'
			UNION ALL SELECT 'index ' || indexname, indexdef FROM pg_indexes WHERE schemaname = $1
			UNION ALL SELECT 'constraint ' || conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = $1::text::regnamespace
			UNION ALL SELECT 'trigger ' || tgname, pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
			WHERE c.relnamespace = $1::text::regnamespace
			UNION ALL SELECT 'function ' || proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = $1::text::regnamespace
			UNION ALL SELECT 'version', (SELECT string_agg(version::text, ' ') FROM `+schema+`.format)`, schema)
		if err != nil {
			t.Fatal(err)
		}
		all := make(map[string]string)
		var name, is string
		_, err = pgx.ForEachRow(rows, []any{&name, &is}, func() error {
			all[name] = strings.ReplaceAll(is, schema, "SCHEMA")
			return nil
		})
		if err != nil || len(all) < 70 {
			t.Fatal(err, len(all), all)
		}
		return all
	}
	old := newSchema(t)
	exec(t, c, "CREATE SCHEMA "+old)
	exec(t, c, strings.ReplaceAll(ofVersion1, "SCHEMA.", old+"."), pgx.QueryExecModeSimpleProtocol)
	if diff := cmp.Diff(layout(newSchema(t)), layout(old)); diff != "" {
		t.Errorf("a new schema, and an old one (-new +old):\n%s", diff)
	}
}
