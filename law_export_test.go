package fermata_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/postgres"
	"github.com/fermata-go/fermata/node"
)

// exports writes a run to a file in memory.
func exports(t *testing.T, s journal.Store, run string) []byte {
	t.Helper()
	rt := newRuntime(t, fermata.Options{Store: s})
	var b bytes.Buffer
	if err := rt.Export(t.Context(), run, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// imports takes it in.
func imports(t *testing.T, s journal.Store, file []byte, o fermata.ImportOptions) fermata.RunInfo {
	t.Helper()
	rt := newRuntime(t, fermata.Options{Store: s})
	info, err := rt.Import(t.Context(), bytes.NewReader(file), o)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// A run that is moved to another store behind any of its entries comes to the same end as one that stays, and what is
// kept beside its journal is made anew. What was recorded does not happen again, and the journal is the same to the byte.
func TestJ6_ARunThatIsMovedBehindAnyEntryComesToTheSameEnd(t *testing.T) {
	for _, c := range withUndos {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := finished(t, c)
			for at := 1; at <= len(o.journal); at++ {
				t.Run(fmt.Sprintf("%d %s", at, o.journal[at-1].Kind), func(t *testing.T) { o.moveAndFinish(t, at) })
			}
		})
	}
}

func (o *original) moveAndFinish(t *testing.T, at int) {
	if o.half(at) {
		return // of which no store ever has the first part alone
	}
	from, to, before := memory.New(), memory.New(), o.w.effects()
	row := journal.RunRow{ID: drivenID, Status: "running", Created: 1, Updated: 1}
	if err := from.Append(t.Context(), journal.Batch{Run: drivenID, Entries: o.journal[:at:at], Row: &row}); err != nil {
		t.Fatal(err)
	}
	file := exports(t, from, drivenID)
	imports(t, to, file, fermata.ImportOptions{})
	if diff := cmp.Diff(journalOf(t, from, drivenID), journalOf(t, to, drivenID)); diff != "" {
		t.Errorf("the journal has changed on its way (-from +to):\n%s", diff)
	}
	if again := exports(t, to, drivenID); !bytes.Equal(file, again) {
		t.Errorf("exported again:\n%s\nbefore:\n%s", again, file)
	}
	checkProjections(t, to)
	now := o.journal[at-1].Time()
	d := &driven{
		t: t, c: o.c, plan: o.plan, inner: to, store: journaltest.NewFaulty(to), clock: fermatatest.NewClock(now),
		script: o.clean.script, expects: isFault,
	}
	got, err := d.finish()
	if err != nil {
		t.Fatal(err)
	}
	if o.c.unknown(got) {
		return
	}
	if diff := cmp.Diff(settledState(o.result), settledState(got)); diff != "" || got.Status != o.result.Status {
		t.Errorf("it is %s, and was %s (-stayed +moved):\n%s", got.Status, o.result.Status, diff)
	}
	recorded, after := o.recorded(at), o.w.effects()
	for name, n := range after {
		if grown, want := n-before[name], o.effects[name]-recorded[name]; grown != want {
			t.Errorf("the effect %q happened %d times; it was %d times, of which %d are recorded",
				name, grown, o.effects[name], recorded[name])
		}
	}
}

// What stores keep of a moved run is what they kept of it where it was.
func TestJ6_ProjectionsOfAMovedRunAreMadeAnew(t *testing.T) {
	for _, c := range withUndos {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := finished(t, c)
			from, to := o.clean.inner, memory.New()
			imports(t, to, exports(t, from, drivenID), fermata.ImportOptions{})
			type kept struct {
				Rows   []journal.RunRow
				Inbox  []journal.Interrupt
				Timers []journal.Timer
			}
			look := func(s journal.Store) (k kept) {
				var err [3]error
				k.Rows, err[0] = s.Runs(t.Context(), journal.RunFilter{ID: drivenID})
				k.Inbox, err[1] = s.Inbox(t.Context(), journal.InboxFilter{All: true})
				k.Timers, err[2] = s.Timers(t.Context(), math.MaxInt64, 0)
				if err := errors.Join(err[:]...); err != nil {
					t.Fatal(err)
				}
				return k
			}
			if diff := cmp.Diff(look(from), look(to), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-where it was +where it is):\n%s", diff)
			}
		})
	}
}

// chargesAround is a graph that asks, and charges once before and once behind that.
func chargesAround(effects *calls) *graph.Graph[state] {
	return single(func(ctx node.Context, s state) (state, error) {
		step := func(name string) error {
			_, err := node.Step(ctx, name, func(node.Context) (int, error) { return effects.add(name), nil })
			return err
		}
		if err := step("reserve"); err != nil {
			return s, err
		}
		said, err := node.Interrupt[string](ctx, nil, node.ID("way"))
		if err != nil {
			return s, err
		}
		s.Text = said
		return s, step("charge")
	})
}

// movesPaused takes a paused run from SQLite to another store and answers it there. It keeps its tokens under its id, and has
// none under another.
func movesPaused(t *testing.T, to journal.Store, id string) {
	from := onDisk(t)
	effects := new(calls)
	g := chargesAround(effects)
	was := newRuntime(t, fermata.Options{Store: from})
	run := start(t, was, g, state{}, fermata.WithID("run_"+filepath.Base(t.TempDir())))
	q := question(t, run)
	file := exports(t, from, run.ID())
	if strings.Contains(string(file), q.Token) {
		t.Error("the token is in the file (H5)")
	}
	info := imports(t, to, file, fermata.ImportOptions{ID: id})
	rt := newRuntime(t, fermata.Options{Store: to})
	asked, err := rt.Inbox(t.Context(), journal.InboxFilter{Run: info.ID})
	if err != nil || len(asked) != 1 || info.Waiting != 1 || info.Status != "paused" {
		t.Fatalf("%+v, %+v, %v", info, asked, err)
	}
	err = rt.Answer(t.Context(), asked[0].ID, "left", fermata.WithToken(q.Token))
	if id == "" && err != nil || id != "" && !errors.Is(err, fermata.ErrForbidden) {
		t.Errorf("answered with the token that the other store gave out: %v", err)
	}
	if id != "" {
		answer(t, rt, asked[0].ID, "left")
	}
	res := ends(t, resume(t, rt, g, info.ID), fermata.Completed)
	did := effects.all()
	if res.State.Text != "left" || did["reserve"] != 1 || did["charge"] != 1 {
		t.Errorf("it ended with %q, reserved %d and charged %d times", res.State.Text, did["reserve"], did["charge"])
	}
	if still := ends(t, run, fermata.Paused); len(still.Interrupts) != 1 {
		t.Errorf("the run where it was: %+v", still)
	}
}

func TestH5_APausedRunIsMovedAndAnswered(t *testing.T) {
	t.Run("to memory", func(t *testing.T) { movesPaused(t, memory.New(), "") })
	t.Run("to memory as another", func(t *testing.T) { movesPaused(t, memory.New(), "run_other") })
	t.Run("to PostgreSQL", func(t *testing.T) {
		movesPaused(t, onPostgres(t), "")
	})
}

// onPostgres is a schema of the test's own on a server for tests.
func onPostgres(t *testing.T) journal.Store {
	t.Helper()
	s, err := postgres.OpenWith(testserver.Postgres(t), postgres.Options{Schema: testserver.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// A run that is there already stays as it is.
func TestJ3_AnImportIsNoSecondWriter(t *testing.T) {
	store := onDisk(t)
	rt := newRuntime(t, fermata.Options{Store: store})
	run := start(t, rt, chargesAround(new(calls)), state{})
	question(t, run)
	file := exports(t, store, run.ID())
	_, err := rt.Import(t.Context(), bytes.NewReader(file), fermata.ImportOptions{})
	if door, ok := errors.AsType[*fermata.Error](err); !ok || door.Code != fermata.CodeConflict || !errors.Is(err, fermata.ErrConflict) {
		t.Errorf("found %v", err)
	}
	if err := rt.Export(t.Context(), "run_none", new(bytes.Buffer)); !errors.Is(err, fermata.ErrNotFound) {
		t.Errorf("exported a run that there is not: %v", err)
	}
}

// exportedRun is a small run as a file.
func exportedRun(t *testing.T) string {
	t.Helper()
	rt, store := inMemory(t)
	digest, err := rt.SaveDefinition(t.Context(), "recipe", []byte("text"))
	if err != nil {
		t.Fatal(err)
	}
	run := start(t, rt, single(logged), state{}, fermata.WithID("run_small"), fermata.WithDefinition(digest))
	ends(t, run, fermata.Completed)
	return string(exports(t, store, run.ID()))
}

// What is damaged, cut off, or no exported run is refused with its place, and nothing is stored.
func TestJ6_DamagedExportsAreRefused(t *testing.T) {
	file := exportedRun(t)
	lines := strings.SplitAfter(strings.TrimSuffix(file, "\n"), "\n")
	for name, tc := range map[string]struct {
		file string
		want error
		says string
	}{
		"nothing":           {"", journal.ErrCorrupt, "line 1: the stored data is damaged: expected an exported run, found no data"},
		"a recipe":          {"kind: Recipe\n", journal.ErrCorrupt, `line 1: the stored data is damaged: expected an exported run, which begins with {"format":"fermata-run"`},
		"a later version":   {strings.Replace(file, `"version":1`, `"version":2`, 1), journal.ErrNewer, "line 1: the stored data has a newer format: version 2"},
		"cut off":           {strings.Join(lines[:4], ""), journal.ErrCorrupt, "line 5: the stored data is damaged: the file is cut off: it has 3 entries, and no end"},
		"cut within a line": {strings.Join(lines[:4], "") + lines[4][:10], journal.ErrCorrupt, "line 5: "},
		"a line is missing": {strings.Join(append(append([]string{}, lines[:2]...), lines[3:]...), ""), journal.ErrCorrupt, "run run_small, seq 2: line 3: the stored data is damaged: expected the entry of seq 2, found seq 3"},
		"another value":     {strings.Replace(file, `"a#1"`, `"a#2"`, 1), journal.ErrCorrupt, "the checksum of the lines above is"},
		"another text":      {strings.Replace(file, `"text":"text"`, `"text":"evil"`, 1), journal.ErrCorrupt, "its digest is def_"},
		"more behind":       {file + "{}\n", journal.ErrCorrupt, "expected nothing behind the end, found 3 bytes"},
		"an unknown member": {strings.Replace(file, `"seq":2`, `"sec":2`, 1), journal.ErrCorrupt, `line 3: the stored data is damaged: expected an entry, a text or the end: json: unknown field "sec"`},
	} {
		t.Run(name, func(t *testing.T) {
			rt, store := inMemory(t)
			_, err := rt.Import(t.Context(), strings.NewReader(tc.file), fermata.ImportOptions{Name: "run.jsonl"})
			door, ok := errors.AsType[*fermata.Error](err)
			if !ok || door.Code != fermata.CodeInvalid || !errors.Is(err, tc.want) || !strings.Contains(fmt.Sprint(err), tc.says) {
				t.Errorf("found %v\nexpected %v, and %q", err, tc.want, tc.says)
			}
			rows, err := store.Runs(t.Context(), journal.RunFilter{})
			if err != nil || len(rows) != 0 {
				t.Errorf("stored: %+v, %v", rows, err)
			}
		})
	}
}

// Wherever an export is cut off, and whichever byte of it is another one, it is refused: in the line that is damaged, or
// at the end, where the checksum is. Nothing is stored.
func TestJ6_EveryDamageToAnExportIsFound(t *testing.T) {
	file := exportedRun(t)
	rt, store := inMemory(t)
	last := strings.Count(file, "\n")
	damaged := func(what, text string, line int) {
		t.Helper()
		_, err := rt.Import(t.Context(), strings.NewReader(text), fermata.ImportOptions{})
		says := fmt.Sprint(err)
		if !errors.Is(err, journal.ErrCorrupt) && !errors.Is(err, journal.ErrNewer) ||
			!strings.Contains(says, fmt.Sprintf("line %d: ", line)) && !strings.Contains(says, fmt.Sprintf("line %d: ", last)) {
			t.Errorf("%s: found %v\nexpected that it is damaged in line %d or %d", what, err, line, last)
		}
	}
	for i := range len(file) - 1 { // without the last line break it is whole
		line := 1 + strings.Count(file[:i], "\n")
		missing := line
		if file[i] == '\n' { // all of the line is there
			missing++
		}
		damaged(fmt.Sprintf("the first %d bytes", i), file[:i], missing)
		damaged(fmt.Sprintf("another byte %d", i), file[:i]+string(file[i]^1)+file[i+1:], line)
	}
	rows, err := store.Runs(t.Context(), journal.RunFilter{})
	if err != nil || len(rows) != 0 {
		t.Errorf("stored: %+v, %v", rows, err)
	}
}

// Whatever an entry holds comes back to the byte, whether it can be read as JSON or not.
func TestJ9_EntriesAreExportedToTheByte(t *testing.T) {
	started := []byte(`{"plan":"p","planKind":"graph","fingerprint":"f"}`)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"", "a", "in/ner", "\x00end"}) // others are refused (law H9)
		text := rapid.SampledFrom([]string{"", "a", "in/ner", "\x00end", "step:a#1\x1f<b>", "\xff", "é\u2028"})
		data := rapid.SampledFrom([]string{"", "1", `{"a": 1}`, `{"a":"<&>\u2028"}`, "\xff", "\"\xff\"", "null", "{"})
		at := slices.Sorted(slices.Values(rapid.SliceOfN(rapid.Int64(), 1, 5).Draw(t, "at"))) // no entry is earlier than the last (law J12)
		entries := []journal.Entry{{Seq: 1, At: at[0], Kind: journal.RunStarted, Body: started}}
		for i := range at[1:] {
			e := journal.Entry{
				Seq: uint64(i) + 2, At: at[i+1], Kind: journal.TextStart, Flags: rapid.Uint8().Draw(t, "flags"),
				Attempt: rapid.Uint16().Draw(t, "attempt"), Visit: rapid.Uint32().Draw(t, "visit"), Node: name.Draw(t, "node"),
				Op: text.Draw(t, "op"), To: name.Draw(t, "to"), Base: rapid.Uint64Range(0, 9).Draw(t, "base"),
			}
			e.Value, e.Body = []byte(data.Draw(t, "value")), []byte(data.Draw(t, "body"))
			entries = append(entries, e)
		}
		from, to := memory.New(), memory.New()
		row := journal.RunRow{ID: "run_x", Status: "running"}
		if err := from.Append(t.Context(), journal.Batch{Run: "run_x", Entries: entries, Row: &row}); err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		a, errA := fermata.New(fermata.Options{Store: from})
		b, errB := fermata.New(fermata.Options{Store: to})
		if err := errors.Join(errA, errB, a.Export(t.Context(), "run_x", &file)); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Import(t.Context(), &file, fermata.ImportOptions{}); err != nil {
			t.Fatal(err)
		}
		var got []journal.Entry
		for e, err := range to.Read(t.Context(), "run_x", 0) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e)
		}
		if diff := cmp.Diff(entries, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-exported +imported):\n%s", diff)
		}
		if err := errors.Join(a.Close(), b.Close()); err != nil {
			t.Fatal(err)
		}
	})
}
