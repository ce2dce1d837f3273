package sqlite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// pauseRuns makes runs that each wait for an answer, and returns how many bytes of each are what the user stored.
func pauseRuns(tb testing.TB, s journal.Store, n int) (users int) {
	tb.Helper()
	input := []byte(`{"text":"The printer on the third floor is on fire again."}`)
	for i := range n {
		run := fmt.Sprintf("run_01991a2b3c4d7e8f9a0b%012d", i)
		in := journal.Interrupt{
			ID: fmt.Sprintf("int_01991a2b3c4d7e8f9a0b%012d", i), Run: run, Task: "review#1", Op: "interrupt:ask#1",
			Request: json.RawMessage(`{"draft":"We are on our way."}`), ResponseSchema: json.RawMessage(`{"type":"string","enum":["yes","no"]}`),
			Prompt: "Send this draft?", Options: []string{"yes", "no"}, Role: "manager", Opened: 1_790_000_000_000_000 + int64(i),
			TokenHash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", State: journal.Open,
		}
		body, err := json.Marshal(in)
		if err != nil {
			tb.Fatal(err)
		}
		users = len(input) + len(in.Request) + len(in.ResponseSchema) + len(in.Prompt)
		row := journal.RunRow{
			ID: run, Plan: "triage", Kind: "graph", Status: "paused", Created: in.Opened, Updated: in.Opened, Waiting: 1,
			Fingerprint: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
		}
		at := in.Opened
		started := journal.Batch{Run: run, Row: &row, Durability: journal.Async, Entries: []journal.Entry{
			{Seq: 1, At: at, Kind: journal.RunStarted, Value: input, Body: []byte(`{"plan":"triage","fingerprint":"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"}`)},
			{Seq: 2, At: at, Kind: journal.NodeStarted, Attempt: 1, Visit: 1, Node: "review", Base: 1},
		}}
		paused := journal.Batch{
			Run: run, After: 2, Row: &row, Durability: journal.Async, Interrupts: []journal.Interrupt{in},
			Entries: []journal.Entry{
				{Seq: 3, At: at, Kind: journal.InterruptOpened, Attempt: 1, Visit: 1, Node: "review", Op: in.ID, Body: body},
				{Seq: 4, At: at, Kind: journal.NodeSuspended, Attempt: 1, Visit: 1, Node: "review"},
				{Seq: 5, At: at, Kind: journal.RunPaused},
			},
		}
		for _, b := range []journal.Batch{started, paused} {
			if err := s.Append(context.Background(), b); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return users
}

func fileSize(t *testing.T, path string) int {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Size())
}

func TestAPausedRunCostsLittleOnDisk(t *testing.T) {
	const runs, most = 2000, 1200 // about 140 of them are what it is found by (ADR 085)
	path := filepath.Join(t.TempDir(), "a.db")
	s := openFile(t, path, sqlite.Options{Sync: sqlite.Normal})
	users := pauseRuns(t, s, runs)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	per := fileSize(t, path)/runs - users
	t.Logf("a paused run takes %d bytes beyond the %d that the user stored", per, users)
	if per > most {
		t.Errorf("a paused run takes %d bytes beyond the %d that the user stored, expected at most %d", per, users, most)
	}
}

func TestJ7_AStepCostsLittleOnDisk(t *testing.T) {
	const steps, most = 5000, 150
	value := []byte(`[1,{"messages":[2,17,["Thank you, that helped."]]}]`)
	path := filepath.Join(t.TempDir(), "a.db")
	s := openFile(t, path, sqlite.Options{Sync: sqlite.Normal})
	create(t, s, "run_1")
	for n := uint64(2); n < 2*steps; n += 2 {
		batch := journal.Batch{Run: "run_1", After: n, Entries: step(n, value), Durability: journal.Async}
		if err := s.Append(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	per := fileSize(t, path) / steps
	t.Logf("a step takes %d bytes, %d of them its value", per, len(value))
	if per > most {
		t.Errorf("a step takes %d bytes, expected at most %d", per, most)
	}
}
