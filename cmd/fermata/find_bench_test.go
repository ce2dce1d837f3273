package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// waitingStore is a file with conversations that wait for their users, and a few questions for people among them.
func waitingStore(b *testing.B, conversations, questions int) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "runs.db")
	s, err := sqlite.OpenWith(path, sqlite.Options{Sync: sqlite.Normal})
	if err != nil {
		b.Fatal(err)
	}
	request := []byte(`{"prompt":"` + strings.Repeat("What can I do for you? ", 20) + `"}`)
	for n := range conversations + questions {
		id := fmt.Sprintf("run_%06d", n)
		q := journal.Interrupt{
			ID: fmt.Sprintf("int_%06d", n), Run: id, Task: "gate#1", Op: "interrupt:interrupt#1", Kind: dialogueKind, Request: request,
			Prompt: "What can I do for you?", State: journal.Open, Opened: 1_790_000_000_000_000 + int64(n),
		}
		if n%(conversations/questions+1) == 0 {
			q.Kind, q.Role = "", "clerk"
		}
		row := journal.RunRow{ID: id, Plan: "bank", Kind: dialogueKind, Status: "paused", Created: q.Opened, Updated: q.Opened, Waiting: 1}
		err := s.Append(context.Background(), journal.Batch{
			Run: id, Row: &row, Entries: []journal.Entry{{Seq: 1, At: q.Opened, Kind: journal.RunStarted}},
			Interrupts: []journal.Interrupt{q}, Durability: journal.Async,
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkLists measures lists of a file with 10,000 waiting conversations, with opening the file.
func BenchmarkLists(b *testing.B) {
	path := waitingStore(b, 10_000, 40)
	for name, args := range map[string][]string{
		"tasks": {"tasks", "ls"}, "clerk": {"tasks", "ls", "--role", "clerk"}, "mine": {"tasks", "ls", "--mine", "--as", "ann"},
		"due": {"tasks", "ls", "--order", "due"}, "runs": {"runs", "ls"}, "paused": {"runs", "ls", "--status", "paused,failed"},
		"counts": {"runs", "ls", "--count", "status"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				none := func(string) string { return "" }
				m := &Main{Name: "fermata", Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: none, Environ: func() []string { return nil }}
				if code := m.Run(b.Context(), append(args, "--store", path)); code != exitCompleted {
					b.Fatalf("exit status %d", code)
				}
			}
		})
	}
}
