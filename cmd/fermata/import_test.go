package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestJ3_ProcessesImportOneRun lets processes take in the same run at the same moment, into a store of each kind. One
// does; to the others it is there already, and they say so. The run is then one: it is answered once, and completes.
func TestJ3_ProcessesImportOneRun(t *testing.T) {
	program(t, "fermata")
	for _, kind := range storeKinds() {
		t.Run(kind, func(t *testing.T) {
			d := newDesk(t)
			t.Parallel()
			d.ask("race.yaml", "r", "--store", "home.db")
			if end := d.typed("runs", "export", "r", "-o", "r.jsonl", "--store", "home.db"); end.code != exitCompleted {
				t.Fatal(end)
			}
			d.on(kind)
			for i := range thorough(3, 50) {
				id := fmt.Sprint("r", i)
				codes := make(map[int]int)
				take := []string{"runs", "import", "r.jsonl", "--id", id}
				for _, end := range d.together(nil, 0, take, take, take, take) {
					if codes[end.code]++; end.code == exitConflict && !strings.Contains(end.stderr, "there is a run with this id already") {
						t.Errorf("expected to be told that the run is there: %v", end)
					}
				}
				if diff := cmp.Diff(map[int]int{exitCompleted: 1, exitConflict: 3}, codes); diff != "" {
					t.Errorf("exit codes (-want +got):\n%s", diff)
				}
				if end := d.typed("resume", id, "--answer", "review=approve"); end.code != exitCompleted {
					t.Error(end)
				}
				once(t, d.facts(id))
			}
		})
	}
}
