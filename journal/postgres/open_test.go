package postgres_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/postgres"
)

// TestErrorsHaveNoPassword opens addresses that cannot be: each error is typed, and has no part of the password.
func TestErrorsHaveNoPassword(t *testing.T) {
	for _, dsn := range []string{
		"postgres://anna:hunter2@127.0.0.1:1/test",
		"postgres://anna:hunter2@127.0.0.1:5432x/test",
		"postgres://anna:hunt/er2@127.0.0.1:5432/test",
		"postgres://anna:hunter2%zz@127.0.0.1:5432/test",
		"postgres://anna:hunter2@127.0.0.1:5432/test?sslmode=hunter2",
		"postgres://anna:hunter2@127.0.0.1:5432/test?pool_max_conns=hunter2",
		"host=127.0.0.1 port=1 user=anna password=hunter2",
		"host=127.0.0.1 port=1 user=anna password='hunter2",
		"host=127.0.0.1 port=hunter2 user=anna password=hunter2",
		"anna:hunter2@127.0.0.1:5432/test",
		"hunter2",
	} {
		_, err := postgres.OpenWith(dsn, postgres.Options{})
		at, ok := errors.AsType[*journal.StoreError](err)
		if !ok || at.Op != "open" || strings.Contains(fmt.Sprintf("%v %+v %#v", err, at.Err, at.File), "hunt") {
			t.Errorf("%s: %v, expected a *StoreError without the password", dsn, err)
		}
	}
	_, err := postgres.Open("postgres://anna:hunter2@127.0.0.1:1/test")
	if at, ok := errors.AsType[*journal.StoreError](err); !ok || at.File != "postgres://127.0.0.1:1/test, schema fermata" {
		t.Errorf("found %v, expected an error with the address", err)
	}
}

func TestASchemaNeedsAName(t *testing.T) {
	for _, name := range []string{"Fermata", "1st", "a-b", `a"; DROP`, "pg_fermata", strings.Repeat("a", 49), "é"} {
		_, err := postgres.OpenWith(database(t), postgres.Options{Schema: name})
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q: expected", name)) {
			t.Errorf("schema %s: %v, expected an error that says what is wrong with it", name, err)
		}
	}
}

func TestManyOpenANewSchemaAtOnce(t *testing.T) {
	schema, dsn := newSchema(t), database(t)
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			s, err := postgres.OpenWith(dsn, postgres.Options{Schema: schema, Conns: 2})
			if err != nil {
				t.Error(err)
				return
			}
			create(t, s, fmt.Sprint("run_", n))
			closeIt(t, s)
		})
	}
	wg.Wait()
	rows, err := s2(t, schema).Runs(t.Context(), journal.RunFilter{})
	if err != nil || len(rows) != 8 {
		t.Errorf("found %d runs (%v), expected 8", len(rows), err)
	}
}

// TestOpeningAsksOnce opens a schema that is there. Besides what connecting takes, there is one message that sets the
// connection up, and one that asks for the version.
func TestOpeningAsksOnce(t *testing.T) {
	schema := newSchema(t)
	closeIt(t, open(t, postgres.Options{Schema: schema}))
	var connecting, opening breaker
	config, err := pgx.ParseConfig(database(t))
	if err != nil {
		t.Fatal(err)
	}
	config.DialFunc = connecting.dial
	c, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	sent := connecting.sent
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := open(t, postgres.Options{Schema: schema, Dial: opening.dial})
	if n := opening.sent - sent; n != 2 {
		t.Errorf("%d messages were sent, expected 2", n)
	}
	closeIt(t, s)
}

// TestJ6_WhatIsNotOursIsRefused opens schemas that somebody else made, or a later version, or that are damaged.
func TestJ6_WhatIsNotOursIsRefused(t *testing.T) {
	t.Parallel()
	c := raw(t)
	for _, tc := range []struct {
		name, spoil string
		readOnly    bool
		want        error
	}{
		{"empty", "DROP SCHEMA @ CASCADE; CREATE SCHEMA @", false, nil},
		{"empty, to be read only", "DROP SCHEMA @ CASCADE; CREATE SCHEMA @", true, journal.ErrReadOnly},
		{"somebody else's", "DROP SCHEMA @ CASCADE; CREATE SCHEMA @; CREATE TABLE @.orders (id int)", false, journal.ErrCorrupt},
		{"another format", "DROP SCHEMA @ CASCADE; CREATE SCHEMA @; CREATE TABLE @.format (height int)", false, journal.ErrCorrupt},
		{"a later version", "UPDATE @.format SET version = 99", false, journal.ErrNewer},
		{"version 0", "UPDATE @.format SET version = 0", false, journal.ErrCorrupt},
		{"no version", "DELETE FROM @.format", false, journal.ErrCorrupt},
		{"a version that is a text", "ALTER TABLE @.format ALTER version TYPE text", false, journal.ErrCorrupt},
	} {
		t.Run(tc.name, func(t *testing.T) {
			schema := newSchema(t)
			closeIt(t, open(t, postgres.Options{Schema: schema}))
			for statement := range strings.SplitSeq(strings.ReplaceAll(tc.spoil, "@", schema), ";") {
				exec(t, c, statement)
			}
			s, err := postgres.OpenWith(database(t), postgres.Options{Schema: schema, ReadOnly: tc.readOnly})
			if err == nil {
				closeIt(t, s)
			}
			if _, ok := errors.AsType[*journal.StoreError](err); !errors.Is(err, tc.want) || !ok && tc.want != nil {
				t.Errorf("found %v, expected %v", err, tc.want)
			}
		})
	}
}

// TestJ6_DamageIsTyped damages what is stored in many ways: who reads it is told so, and is never given a part of it as
// if it were whole.
func TestJ6_DamageIsTyped(t *testing.T) {
	t.Parallel()
	c := raw(t)
	type attempt func(s *postgres.Store) error
	read := func(s *postgres.Store) error { _, err := readAll(t.Context(), s, "run_1"); return err }
	compact := func(s *postgres.Store) error { _, err := s.Compact(t.Context(), "run_1"); return err }
	inbox := func(s *postgres.Store) error { _, err := s.Inbox(t.Context(), journal.InboxFilter{}); return err }
	timers := func(s *postgres.Store) error { _, err := s.Timers(t.Context(), 9, 0); return err }
	runs := func(s *postgres.Store) error { _, err := s.Runs(t.Context(), journal.RunFilter{}); return err }
	check := func(s *postgres.Store) error { _, err := s.Checkpoint(t.Context(), "run_1"); return err }
	for _, tc := range []struct {
		name, spoil string
		want        error
		attempts    []attempt
	}{
		{"cut short", "UPDATE @.journal SET data = substr(data, 1, 10) WHERE last = 4", journal.ErrCorrupt, []attempt{read, compact}},
		{"a flipped bit", "UPDATE @.journal SET data = set_bit(data, 40, 1 - get_bit(data, 40)) WHERE last = 4", journal.ErrCorrupt, []attempt{read, compact}},
		{"nothing", "UPDATE @.journal SET data = '' WHERE last = 4", journal.ErrCorrupt, []attempt{read, compact}},
		{"foreign", "UPDATE @.journal SET data = 'hello, world' WHERE last = 6", journal.ErrNewer, []attempt{read, compact}},
		{"a format to come", "UPDATE @.journal SET data = set_byte(data, 0, 9) WHERE last = 2", journal.ErrNewer, []attempt{read, compact}},
		{"a gap", "DELETE FROM @.journal WHERE last = 4", journal.ErrCorrupt, []attempt{read, compact}},
		{"no beginning", "DELETE FROM @.journal WHERE last = 2", journal.ErrCorrupt, []attempt{read, compact}},
		{"no end", "DELETE FROM @.journal WHERE last = 6", journal.ErrCorrupt, []attempt{read, compact}},
		{"no entries", "DELETE FROM @.journal", journal.ErrCorrupt, []attempt{read, compact}},
		{"a head ahead", "UPDATE @.runs SET head = 8", journal.ErrCorrupt, []attempt{read, compact}},
		{"a head of 0", "UPDATE @.runs SET head = 0", journal.ErrCorrupt, []attempt{read, compact}},
		{"a head that is a text", "ALTER TABLE @.runs ALTER head TYPE text", journal.ErrCorrupt, []attempt{read, compact, runs}},
		{"twice", "UPDATE @.journal j SET data = k.data FROM @.journal k WHERE j.last = 4 AND k.last = 2", journal.ErrCorrupt, []attempt{read, compact}},
		{"a question cut short", "UPDATE @.interrupts SET data = substr(data, 1, 20)", journal.ErrCorrupt, []attempt{inbox}},
		{"a question of nothing", "UPDATE @.interrupts SET data = ''", journal.ErrCorrupt, []attempt{inbox}},
		{"a question of format 0", "UPDATE @.interrupts SET data = set_byte(data, 0, 0)", journal.ErrCorrupt, []attempt{inbox}},
		{"a question of a format to come", "UPDATE @.interrupts SET data = set_byte(data, 0, 9)", journal.ErrNewer, []attempt{inbox}},
		{"another question", "UPDATE @.interrupts SET interrupt = 'int_2'", journal.ErrCorrupt, []attempt{inbox}},
		{"no table of timers", "DROP TABLE @.timers", journal.ErrCorrupt, []attempt{timers}},
		{"no column of timers", "ALTER TABLE @.timers DROP due", journal.ErrCorrupt, []attempt{timers}},
		{"a checkpoint of a text", "ALTER TABLE @.checkpoints ALTER seq TYPE text", journal.ErrCorrupt, []attempt{check}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			schema := newSchema(t)
			s := open(t, postgres.Options{Schema: schema, Conns: 1})
			create(t, s, "run_1")
			for after := uint64(2); after < 6; after += 2 {
				b := journal.Batch{Run: "run_1", After: after, Entries: step(after, []byte(`"a value"`))}
				b.Interrupts = []journal.Interrupt{{ID: "int_1", Run: "run_1", State: journal.Open}}
				b.Checkpoint = &journal.Checkpoint{Seq: 2, Data: []byte("check")}
				if err := s.Append(t.Context(), b); err != nil {
					t.Fatal(err)
				}
			}
			closeIt(t, s)
			exec(t, c, strings.ReplaceAll(tc.spoil, "@", schema))
			s = open(t, postgres.Options{Schema: schema, Conns: 1})
			defer closeIt(t, s)
			for i, attempt := range tc.attempts {
				err := attempt(s)
				if _, ok := errors.AsType[*journal.StoreError](err); !ok || !errors.Is(err, tc.want) {
					t.Errorf("attempt %d: found %v, expected %v", i, err, tc.want)
				}
			}
		})
	}
}

// TestDefaultsAreOverruled: neither a lax commit nor a strict isolation weakens what the store promises.
func TestDefaultsAreOverruled(t *testing.T) {
	t.Setenv("PGOPTIONS", "-c synchronous_commit=off -c default_transaction_isolation=serializable")
	s := s2(t, newSchema(t))
	got := []string{s.Setting("synchronous_commit"), s.Setting("default_transaction_isolation")}
	if diff := cmp.Diff([]string{"on", "read committed"}, got); diff != "" {
		t.Errorf("the settings of its connections (-want +got):\n%s", diff)
	}
}

func TestReadOnly(t *testing.T) {
	schema := newSchema(t)
	writer := s2(t, schema)
	create(t, writer, "run_1")
	s := open(t, postgres.Options{Schema: schema, ReadOnly: true})
	list, err := readAll(t.Context(), s, "run_1")
	if diff := cmp.Diff(step(0, nil), list); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	_, compacting := s.Compact(t.Context(), "run_1")
	for name, err := range map[string]error{
		"append":  s.Append(t.Context(), journal.Batch{Run: "run_1", After: 2, Entries: step(2, nil)}),
		"delete":  s.Delete(t.Context(), "run_1"),
		"compact": compacting,
	} {
		if at, ok := errors.AsType[*journal.StoreError](err); !ok || at.Run != "run_1" || !errors.Is(err, journal.ErrReadOnly) {
			t.Errorf("%s: found %v, expected %v", name, err, journal.ErrReadOnly)
		}
	}
	closeIt(t, s)
	if err := s.Delete(t.Context(), "run_1"); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("when it is closed: %v, expected %v", err, journal.ErrClosed)
	}
}

// TestNamesThatTheServerCannotKeep: what PostgreSQL takes for no text is refused, and found nowhere.
func TestNamesThatTheServerCannotKeep(t *testing.T) {
	s := s2(t, newSchema(t))
	for _, name := range []string{"run\x00", "run\xff"} {
		b := journal.Batch{Run: name, Row: &journal.RunRow{ID: name}, Entries: step(0, nil)}
		if err := s.Append(t.Context(), b); err == nil || !strings.Contains(err.Error(), "expected UTF-8 without NUL") {
			t.Errorf("append: %v, expected an error that says what a name must be", err)
		}
		if _, err := readAll(t.Context(), s, name); !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("read: %v, expected %v", err, journal.ErrNotFound)
		}
		rows, err1 := s.Runs(t.Context(), journal.RunFilter{ID: name})
		check, err2 := s.Checkpoint(t.Context(), name)
		if err := errors.Join(err1, err2, s.Delete(t.Context(), name)); err != nil || len(rows) > 0 || check.Seq > 0 {
			t.Errorf("found %v, %v (%v), expected nothing", rows, check, err)
		}
	}
	row := journal.RunRow{ID: "run_1", Status: "failed", Error: "bytes \xff\x00 of a tool"}
	if err := s.Append(t.Context(), journal.Batch{Run: "run_1", Row: &row, Entries: step(0, nil)}); err != nil {
		t.Fatal(err)
	}
	row.Head = 2
	rows, err := s.Runs(t.Context(), journal.RunFilter{})
	if diff := cmp.Diff([]journal.RunRow{row}, rows); err != nil || diff != "" {
		t.Errorf("an error may have any bytes: %v (-want +got):\n%s", err, diff)
	}
}

// TestAnInterruptOfAnotherRun names both, and writes nothing.
func TestAnInterruptOfAnotherRun(t *testing.T) {
	s := s2(t, newSchema(t))
	question := func(run string) []journal.Interrupt {
		return []journal.Interrupt{{ID: "int_1", Run: run, State: journal.Open}, {ID: "int_" + run, Run: run, State: journal.Open}}
	}
	create(t, s, "run_1")
	create(t, s, "run_2")
	if err := s.Append(t.Context(), journal.Batch{Run: "run_1", After: 2, Interrupts: question("run_1")}); err != nil {
		t.Fatal(err)
	}
	err := s.Append(t.Context(), journal.Batch{Run: "run_2", After: 2, Interrupts: question("run_2"), Entries: step(2, nil)})
	if err == nil || !strings.Contains(err.Error(), "interrupt int_1 belongs to run run_1") {
		t.Errorf("found %v, expected an error that names interrupt and run", err)
	}
	list, err := readAll(t.Context(), s, "run_2")
	if diff := cmp.Diff(step(0, nil), list); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
