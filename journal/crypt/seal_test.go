package crypt_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/crypt"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// mark is the text that stands in a field.
func mark(field string) string { return "MARK-" + field + "-KRAM" }

// marked fills every text and all bytes that a value leads to with marks that say where they are: Entry.Op, Interrupt.Prompt
// and so on. Fields that are added to a type later are filled, too.
func marked(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			marked(v.Field(i), name+"."+v.Type().Field(i).Name)
		}
	case reflect.String:
		v.SetString(mark(name))
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(`"` + mark(name) + `"`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		marked(v.Index(0), name)
	case reflect.Pointer:
		if strings.Count(name, ".Then") == 0 { // a chain of deadlines has two
			v.Set(reflect.New(v.Type().Elem()))
			marked(v.Elem(), name)
		}
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"label": mark(name)}))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int64:
		v.SetInt(1_790_000_000_000_000)
	default:
	}
}

// full is a batch in which every field has a mark.
func full() journal.Batch {
	const run = "run_full"
	b := journal.Batch{
		Run: run, Row: &journal.RunRow{}, Entries: make([]journal.Entry, 2), Interrupts: make([]journal.Interrupt, 1),
		Timers: make([]journal.Timer, 1), Checkpoint: &journal.Checkpoint{},
	}
	for i := range b.Entries {
		e := &b.Entries[i]
		marked(reflect.ValueOf(e).Elem(), "Entry")
		e.Seq, e.Kind = uint64(i+1), journal.StepFinished
	}
	marked(reflect.ValueOf(b.Row).Elem(), "RunRow")
	marked(reflect.ValueOf(&b.Interrupts[0]).Elem(), "Interrupt")
	marked(reflect.ValueOf(&b.Timers[0]).Elem(), "Timer")
	marked(reflect.ValueOf(b.Checkpoint).Elem(), "Checkpoint")
	b.Row.ID, b.Row.Status, b.Row.Head, b.Interrupts[0].Run, b.Timers[0].Run = run, "paused", 0, run, run
	b.Interrupts[0].State, b.Timers[0].Done, b.Checkpoint.Seq = journal.Open, false, 2
	return b
}

// clear are the fields that a sealed store shows; docs/formats.md lists them.
var clearFields = []string{
	"Entry.Node", "RunRow.Plan", "RunRow.Kind", "RunRow.Fingerprint", "RunRow.Definition", "RunRow.Driver",
	"RunRow.Labels", "RunRow.Turn.Queue", "RunRow.Turn.Dedup", "Interrupt.ID", "Interrupt.Task", "Interrupt.Role", "Interrupt.Kind",
}

// marksOf are the fields whose marks are in some bytes.
func marksOf(data []byte) (fields []string) {
	for {
		_, rest, ok := bytes.Cut(data, []byte("MARK-"))
		if !ok {
			return fields
		}
		field, _, _ := bytes.Cut(rest, []byte("-KRAM"))
		if !slices.Contains(fields, string(field)) {
			fields = append(fields, string(field))
		}
		data = rest
	}
}

// state is all that a store says of its runs.
func state(t testing.TB, s journal.Store) (all journal.Batch) {
	t.Helper()
	all, err := stateErr(t, s)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func stateErr(t testing.TB, s journal.Store) (all journal.Batch, err error) {
	rows, err := s.Runs(t.Context(), journal.RunFilter{})
	if err != nil {
		return all, err
	}
	for i := range rows {
		all.Row, all.Run = &rows[i], rows[i].ID
		for e, err := range s.Read(t.Context(), rows[i].ID, 0) {
			if err != nil {
				return all, err
			}
			all.Entries = append(all.Entries, e)
		}
		c, err := s.Checkpoint(t.Context(), rows[i].ID)
		if err != nil {
			return all, err
		}
		all.Checkpoint = &c
	}
	if all.Interrupts, err = s.Inbox(t.Context(), journal.InboxFilter{All: true}); err == nil {
		all.Timers, err = s.Timers(t.Context(), 1<<62, 0)
	}
	return all, err
}

// No text of a user is in the bytes of the store, whatever field it was in; and all of it comes back.
func TestJ15_NoTextIsInTheBytesOfTheStore(t *testing.T) {
	want := full()
	want.Row.Head = 2
	check := func(t *testing.T, s journal.Store, data []byte) {
		t.Helper()
		found, clear := marksOf(data), slices.Clone(clearFields)
		slices.Sort(found)
		slices.Sort(clear)
		if diff := cmp.Diff(clear, found); diff != "" {
			t.Errorf("fields in clear text (-documented +found):\n%s", diff)
		}
		if diff := cmp.Diff(want, state(t, s), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("what is read (-want +got):\n%s", diff)
		}
	}
	t.Run("memory", func(t *testing.T) {
		inner := memory.New()
		s := wrap(t, inner, ring("k"))
		if err := s.Append(t.Context(), full()); err != nil {
			t.Fatal(err)
		}
		kept := state(t, inner)
		kept.Entries = slices.Clone(kept.Entries)
		var data bytes.Buffer
		for _, e := range kept.Entries {
			fmt.Fprintf(&data, "%s %s %s %s %s\n", e.Node, e.Op, e.To, e.Value, e.Body)
		}
		kept.Entries = nil
		data.Write(kept.Checkpoint.Data)
		kept.Checkpoint = nil
		rest, err := json.Marshal(kept)
		if err != nil {
			t.Fatal(err)
		}
		check(t, s, append(data.Bytes(), rest...))
	})
	t.Run("sqlite", func(t *testing.T) {
		folder := t.TempDir()
		open := func() journal.Store {
			inner, err := sqlite.Open(filepath.Join(folder, "runs.db"))
			return wrap(t, must(t, inner, err), ring("k"))
		}
		bytesOf := func() (data []byte) {
			files, err := filepath.Glob(filepath.Join(folder, "*"))
			if err != nil || len(files) == 0 {
				t.Fatal(files, err)
			}
			for _, file := range files {
				content, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				data = append(data, content...)
			}
			return data
		}
		s := open()
		if err := s.Append(t.Context(), full()); err != nil {
			t.Fatal(err)
		}
		check(t, s, bytesOf()) // with the log
		if _, err := s.(journal.Compactor).Compact(t.Context(), "run_full"); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		data := bytesOf()
		s = open()
		defer s.Close()
		// What a closed file is compressed to hides the names of nodes, and must hide no more.
		for _, field := range marksOf(data) {
			if !slices.Contains(clearFields, field) {
				t.Errorf("%s is in the closed file in clear text", field)
			}
		}
		if diff := cmp.Diff(want, state(t, s), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("what is read (-want +got):\n%s", diff)
		}
	})
}

// shown is a store that shows a batch as what it keeps, whatever is in it: somebody has meddled with it.
type shown struct {
	journal.Store
	b *journal.Batch
}

func show(b journal.Batch) journal.Store { return shown{memory.New(), &b} }

func (s shown) Read(context.Context, string, uint64) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		for _, e := range s.b.Entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (s shown) Checkpoint(context.Context, string) (c journal.Checkpoint, err error) {
	if s.b.Checkpoint != nil {
		c = *s.b.Checkpoint
	}
	return c, nil
}

func (s shown) Runs(_ context.Context, f journal.RunFilter) ([]journal.RunRow, error) {
	if f.Definition {
		return nil, nil
	}
	return []journal.RunRow{*s.b.Row}, nil
}

func (s shown) Inbox(context.Context, journal.InboxFilter) ([]journal.Interrupt, error) {
	return slices.Clone(s.b.Interrupts), nil
}

func (s shown) Timers(context.Context, int64, int) ([]journal.Timer, error) {
	return slices.Clone(s.b.Timers), nil
}

// sealed is how a store keeps the full batch.
func sealed(t testing.TB, keys crypt.Keys) journal.Batch {
	t.Helper()
	inner := memory.New()
	if err := wrap(t, inner, keys).Append(t.Context(), full()); err != nil {
		t.Fatal(err)
	}
	b := state(t, inner)
	b.Row.Head = 0
	return b
}

// seals are the places of a batch that hold seals.
func seals(b *journal.Batch) map[string]func(change func([]byte) []byte) {
	texts := func(s *string) func(change func([]byte) []byte) {
		return func(change func([]byte) []byte) { *s = string(change([]byte(*s))) }
	}
	data := func(d *[]byte) func(change func([]byte) []byte) {
		return func(change func([]byte) []byte) { *d = change(bytes.Clone(*d)) }
	}
	return map[string]func(change func([]byte) []byte){
		"entry 1": data(&b.Entries[0].Value), "entry 2": data(&b.Entries[1].Value), "row": texts(&b.Row.Error),
		"question": data((*[]byte)(&b.Interrupts[0].Request)), "timer": texts(&b.Timers[0].ID), "checkpoint": data(&b.Checkpoint.Data),
	}
}

// refused checks that what is in the store cannot be read, with an error that says what is wrong.
func refused(t *testing.T, what string, s journal.Store, is ...error) {
	t.Helper()
	got, err := stateErr(t, s)
	at, typed := errors.AsType[*journal.StoreError](err)
	if !typed || at.Run != "run_full" || !slices.ContainsFunc(is, func(want error) bool { return errors.Is(err, want) }) {
		t.Errorf("%s: read as %+v, %v; expected one of %v", what, got, err, is)
	}
}

// Whatever byte of a seal is another one, the value is an error and never another value.
func TestJ15_NoByteOfASealCanBeChanged(t *testing.T) {
	base := sealed(t, ring("k", "j"))
	spoilt := base
	s := wrap(t, shown{memory.New(), &spoilt}, ring("k", "j"))
	if diff := cmp.Diff(full(), state(t, s), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("as it was (-want +got):\n%s", diff)
	}
	for name := range seals(&base) {
		var was []byte
		seals(&base)[name](func(d []byte) []byte { was = d; return d })
		for i := range was {
			for what, change := range map[string]func(d []byte) []byte{
				"changed at": func(d []byte) []byte { d[i] ^= 1 << (i % 7); return d },
				"one more":   func(d []byte) []byte { return slices.Insert(d, i, d[i]) },
				"line break": func(d []byte) []byte { return slices.Insert(d, i, '\n') },
				"cut at":     func(d []byte) []byte { return d[:i] },
				"gone":       func(d []byte) []byte { return slices.Delete(d, i, i+1) },
			} {
				spoilt = base
				spoilt.Entries, spoilt.Interrupts, spoilt.Timers = slices.Clone(base.Entries), slices.Clone(base.Interrupts), slices.Clone(base.Timers)
				row, check := *base.Row, *base.Checkpoint
				spoilt.Row, spoilt.Checkpoint = &row, &check
				same := false
				seals(&spoilt)[name](func(d []byte) []byte {
					d = change(bytes.Clone(d))
					same = bytes.Equal(d, was)
					return d
				})
				if !same {
					refused(t, fmt.Sprint(name, ": ", what, " ", i), s, journal.ErrCorrupt, journal.ErrNewer, journal.ErrSealed)
				}
			}
		}
	}
}

// A seal is good for one place: no other entry, run or question takes it, nor the same one with other clear fields.
func TestJ15_ASealCannotBeMoved(t *testing.T) {
	keys := ring("k")
	for name, meddle := range map[string]func(b *journal.Batch){
		"another entry's":    func(b *journal.Batch) { b.Entries[0].Value = b.Entries[1].Value },
		"a question's":       func(b *journal.Batch) { b.Entries[0].Value = []byte(b.Interrupts[0].Request) },
		"a checkpoint's":     func(b *journal.Batch) { b.Entries[0].Value = b.Checkpoint.Data[len("sealed:"):] },
		"the checkpoint's":   func(b *journal.Batch) { b.Checkpoint.Data = append([]byte("sealed:"), b.Entries[0].Value...) },
		"another seq's":      func(b *journal.Batch) { b.Checkpoint.Seq-- },
		"another node":       func(b *journal.Batch) { b.Entries[0].Node = "other" },
		"another kind":       func(b *journal.Batch) { b.Entries[0].Kind = journal.StepStarted },
		"another time":       func(b *journal.Batch) { b.Entries[0].At++ },
		"another base":       func(b *journal.Batch) { b.Entries[0].Base++ },
		"another visit":      func(b *journal.Batch) { b.Entries[0].Visit++ },
		"another attempt":    func(b *journal.Batch) { b.Entries[0].Attempt++ },
		"another flag":       func(b *journal.Batch) { b.Entries[0].Flags ^= journal.FlagFinal },
		"a clear op":         func(b *journal.Batch) { b.Entries[0].Op = "step:x#1" },
		"a clear target":     func(b *journal.Batch) { b.Entries[0].To = "x" },
		"a clear body":       func(b *journal.Batch) { b.Entries[0].Body = []byte("{}") },
		"another status":     func(b *journal.Batch) { b.Row.Status = "completed" },
		"another plan":       func(b *journal.Batch) { b.Row.Plan = "other" },
		"another label":      func(b *journal.Batch) { b.Row.Labels = map[string]string{"label": "other"} },
		"no label":           func(b *journal.Batch) { b.Row.Labels = nil },
		"nobody asked":       func(b *journal.Batch) { b.Interrupts[0].Assignee = "" },
		"a claim":            func(b *journal.Batch) { b.Interrupts[0].ClaimedBy = "Eve" },
		"a question's kind":  func(b *journal.Batch) { b.Interrupts[0].Kind = "approval" },
		"another print":      func(b *journal.Batch) { b.Row.Fingerprint = "other" },
		"a timer as a row":   func(b *journal.Batch) { b.Row.Error = b.Timers[0].ID },
		"another role":       func(b *journal.Batch) { b.Interrupts[0].Role = "" },
		"another state":      func(b *journal.Batch) { b.Interrupts[0].State = journal.Claimed },
		"another deadline":   func(b *journal.Batch) { b.Interrupts[0].Deadline++ },
		"another question":   func(b *journal.Batch) { b.Interrupts[0].ID = "int_other" },
		"a value, planted":   func(b *journal.Batch) { b.Entries[0].Value = []byte(`{"approved":true}`) },
		"no value":           func(b *journal.Batch) { b.Entries[0].Value = nil },
		"an error, planted":  func(b *journal.Batch) { b.Row.Error = "all is well" },
		"no error":           func(b *journal.Batch) { b.Row.Error = "" },
		"a question, asked":  func(b *journal.Batch) { b.Interrupts[0].Request = json.RawMessage(`"Pay?"`) },
		"no request":         func(b *journal.Batch) { b.Interrupts[0].Request = nil },
		"a timer, set":       func(b *journal.Batch) { b.Timers[0].ID = "retry a#1" },
		"a checkpoint, made": func(b *journal.Batch) { b.Checkpoint.Data = []byte("{}") },
		"no checkpoint":      func(b *journal.Batch) { b.Checkpoint.Data = nil },
	} {
		b := sealed(t, keys)
		meddle(&b)
		refused(t, name, wrap(t, show(b), keys), journal.ErrCorrupt)
	}
	other := sealed(t, keys)
	for _, part := range []func(b *journal.Batch){
		func(b *journal.Batch) { b.Row, b.Interrupts, b.Timers, b.Checkpoint = nil, nil, nil, nil },
		func(b *journal.Batch) {
			b.Entries = b.Entries[:1]
			b.Interrupts, b.Timers, b.Checkpoint = nil, nil, nil
		},
	} {
		b := other
		part(&b)
		if b.Run = "run_thief"; b.Row == nil {
			b.Row = &journal.RunRow{}
		}
		row := *b.Row
		row.ID = b.Run
		b.Row = &row
		if _, err := stateErr(t, wrap(t, show(b), keys)); !errors.Is(err, journal.ErrCorrupt) {
			t.Errorf("a run with the seals of another one: %v", err)
		}
	}
}

// A value that is sealed with a key which was not given names that key; and another secret of its name opens nothing.
func TestJ15_AMissingKeyIsNamed(t *testing.T) {
	b := sealed(t, ring("2025", "2024"))
	refused(t, "without the key", wrap(t, show(b), ring("2026", "2024")), journal.ErrSealed)
	_, err := stateErr(t, wrap(t, show(b), ring("2026", "2024")))
	missing, ok := errors.AsType[*crypt.KeyError](err)
	if diff := cmp.Diff(&crypt.KeyError{ID: "2025", Known: []string{"2026", "2024"}}, missing); !ok || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	const want = "runs, run run_full: the stored data is sealed: key 2025 is missing; found 2026, 2024: add it to the older keys"
	if err.Error() != want {
		t.Errorf("found    %s\nexpected %s", err, want)
	}
	impostor := ring("2026", "2025")
	impostor.Older[0].Secret = key("another").Secret
	refused(t, "with another secret", wrap(t, show(b), impostor), journal.ErrCorrupt)
	if by, err := crypt.SealedBy(t.Context(), show(b)); by != "2025" || err != nil {
		t.Errorf("sealed by %q, %v", by, err)
	}
	if by, err := crypt.SealedBy(t.Context(), show(full())); by != "" || err != nil {
		t.Errorf("a clear store is sealed by %q, %v", by, err)
	}
	if err := wrap(t, show(b), ring("2026")).Delete(t.Context(), "run_full"); err != nil {
		t.Errorf("deleting takes no key: %v", err)
	}
}

// A run goes on over a change of keys, and from clear to sealed where that is allowed. Its timers are found again.
func TestJ15_KeysChange(t *testing.T) {
	ctx, inner := t.Context(), memory.New()
	keys := []crypt.Keys{ring("a"), ring("b", "a"), ring("c", "b", "a")}
	for i := range keys {
		keys[i].AcceptClear = true
	}
	want := full()
	if err := inner.Append(ctx, full()); err != nil { // in clear text
		t.Fatal(err)
	}
	for i, k := range keys {
		s := wrap(t, inner, k)
		e := want.Entries[0]
		e.Seq = uint64(3 + i)
		row := *want.Row
		row.Updated++
		want.Row = &row
		want.Entries = append(want.Entries, e)
		want.Timers[0].Due++
		in := want.Interrupts[0].Clone()
		in.Prompt += "!"
		want.Interrupts[0] = in
		err := s.Append(ctx, journal.Batch{
			Run: "run_full", After: uint64(2 + i), Entries: []journal.Entry{e}, Row: &row, Timers: want.Timers, Interrupts: want.Interrupts,
		})
		if err != nil {
			t.Fatal(err)
		}
		want.Row.Head = e.Seq
		if diff := cmp.Diff(want, state(t, s), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("key %s (-want +got):\n%s", k.Current.ID, diff)
		}
	}
	strict := ring("c", "b", "a")
	if _, err := stateErr(t, wrap(t, inner, strict)); !errors.Is(err, journal.ErrCorrupt) {
		t.Errorf("clear values without leave: %v", err)
	}
	s := wrap(t, inner, keys[2])
	gone := journal.Timer{Run: "run_full", ID: want.Timers[0].ID, Done: true}
	if err := s.Append(ctx, journal.Batch{Run: "run_full", After: want.Row.Head, Timers: []journal.Timer{gone}}); err != nil {
		t.Fatal(err)
	}
	if left, err := inner.Timers(ctx, 1<<62, 0); len(left) > 0 || err != nil {
		t.Errorf("timers of the changes before are left: %v, %v", left, err)
	}
}

// Two seals of the same value differ, in the entry and in the row.
func TestJ15_SealsDoNotShowEqualValues(t *testing.T) {
	one, two := sealed(t, ring("k")), sealed(t, ring("k"))
	if bytes.Equal(one.Entries[0].Value, two.Entries[0].Value) || one.Row.Error == two.Row.Error {
		t.Error("the same value has the same seal twice: a nonce was used again")
	}
}

// What a release has sealed is read for ever. With -update, sections that are empty are filled; those of releases are never
// written again.
func TestJ9_SealsAreReadForEver(t *testing.T) {
	stored := golden.Open(t, "testdata/sealed-v*.txtar")
	stored.FillJSON(t, "v1.sealed.json", sealed(t, ring("k")))
	stored.FillJSON(t, "v1.json", full())
	names := stored.Names("*.sealed.json")
	if len(names) == 0 {
		t.Fatal("no seals are kept as test data")
	}
	for _, name := range names {
		var kept, want journal.Batch
		if err := json.Unmarshal([]byte(stored.Text(t, name)), &kept); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(stored.Text(t, strings.TrimSuffix(name, ".sealed.json")+".json")), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, state(t, wrap(t, show(kept), ring("k"))), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Any bytes in the place of a seal are an error of a known kind, or what was sealed: a process that fuzzes has seals of
// others as well, made with the same key for the same place.
func FuzzOpen(f *testing.F) {
	b, want := sealed(f, ring("k", "j")), full()
	for _, e := range b.Entries {
		f.Add(e.Value)
	}
	f.Add(b.Checkpoint.Data)
	f.Add([]byte(b.Row.Error))
	f.Add([]byte(b.Interrupts[0].Request))
	f.Add([]byte{1, 1, 'k'})
	f.Add([]byte{1, 33})
	f.Add([]byte{2})
	f.Fuzz(func(t *testing.T, data []byte) {
		one := b
		one.Entries = slices.Clone(b.Entries[:1])
		one.Entries[0].Value = data
		one.Checkpoint = &journal.Checkpoint{Seq: b.Checkpoint.Seq, Data: data}
		row := *b.Row
		row.Error = string(data)
		one.Row = &row
		one.Interrupts = slices.Clone(b.Interrupts)
		one.Interrupts[0].Request = data
		s := wrap(t, show(one), ring("k", "j"))
		check := func(what string, want, got any, err error) {
			typed := errors.Is(err, journal.ErrCorrupt) || errors.Is(err, journal.ErrNewer) || errors.Is(err, journal.ErrSealed)
			if !typed && (err != nil || !cmp.Equal(want, got, cmpopts.EquateEmpty())) {
				t.Errorf("%s: %q is read as %+v, %v", what, data, got, err)
			}
		}
		for e, err := range s.Read(t.Context(), "run_full", 0) {
			check("entry", want.Entries[0], e, err)
		}
		c, err := s.Checkpoint(t.Context(), "run_full")
		check("checkpoint", *want.Checkpoint, c, err)
		rows, err := s.Runs(t.Context(), journal.RunFilter{})
		check("row", []journal.RunRow{*want.Row}, rows, err)
		list, err := s.Inbox(t.Context(), journal.InboxFilter{})
		check("question", want.Interrupts, list, err)
	})
}
