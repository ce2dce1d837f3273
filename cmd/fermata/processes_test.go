package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
)

// together runs several commands at the same moment, each in a process of its own.
func (d *desk) together(commands ...[]string) []*ending {
	ends := make([]*ending, len(commands))
	var all sync.WaitGroup
	for i, args := range commands {
		all.Go(func() { ends[i] = d.typed(args...) })
	}
	all.Wait()
	return ends
}

// asks begins a run that asks something, and returns its result: paused, with the question.
func (d *desk) asks(recipe, run string, args ...string) resultLine {
	d.t.Helper()
	end := d.typed(append([]string{"run", recipe, "--id", run, "--json", "--no-input"}, args...)...)
	result, err := end.result()
	if err != nil || end.code != exitPaused || len(result.Interrupts) != 1 {
		d.t.Fatalf("expected one question, %v: %v", err, end)
	}
	return result
}

// driven checks what became of processes that drove one run at the same moment: it is completed, and who has not seen
// its end has lost it to another one and says so. It returns how many have.
func (d *desk) driven(run string, ends []*ending) (lost int) {
	d.t.Helper()
	for _, end := range ends {
		result, err := end.result()
		switch {
		case err != nil:
			d.t.Error(err)
		case end.code == exitCompleted && result.Status == fermata.Completed:
		case end.code == exitConflict && result.Error != nil && result.Error.Code == string(fermata.CodeConflict) &&
			strings.Contains(end.stderr, "another process drives the run") && strings.Contains(end.stderr, "fermata runs show "+run):
			lost++
		default:
			d.t.Errorf("expected the end of the run or a conflict: %v", end)
		}
	}
	if lost == len(ends) {
		d.t.Errorf("nobody brought the run to its end: %v", ends)
	}
	once(d.t, d.facts(run))
	return lost
}

// TestJ3_ProcessesDriveOneRun lets two or three processes take up one run at the same moment: one that was killed, one
// that was answered, and one whose question they answer themselves.
func TestJ3_ProcessesDriveOneRun(t *testing.T) {
	d := newDesk(t)
	t.Parallel()
	ways := map[string]func(id string) []string{
		"killed": func(id string) []string {
			d.until(&moment{lines: 3, wait: 5 * time.Millisecond}, "run", "race.yaml", "--id", id, "--json", "--answer", "review=approve")
			return []string{"resume", id, "--json", "--answer", "review=approve"}
		},
	}
	_ = ways
	_ = rand.IntN
	_ = slices.Sort[[]int]
	_ = strconv.Itoa
	_ = cmp.Diff
	_ = json.Valid
	_ = fmt.Sprint
}
