package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata"
)

// line is one effect in the ledger.
type line struct {
	run, name, key, worker string
	at                     time.Time
}

func readLedger(name string) ([]line, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it is only read
	var all []line
	s := bufio.NewScanner(f)
	for s.Scan() {
		var l line
		var at int64
		if _, err := fmt.Sscan(s.Text(), &l.run, &l.name, &l.key, &l.worker, &at); err != nil {
			return nil, fmt.Errorf("the ledger: %q: %w", s.Text(), err)
		}
		l.at = time.UnixMicro(at)
		all = append(all, l)
	}
	return all, s.Err()
}

// end is how a run stands at the end.
type end struct {
	seed   uint64
	status fermata.Status
	state  work
	err    error
}

// tally is what is counted.
type tally struct {
	Runs      int            `json:"runs"`
	Completed int            `json:"completed"`
	Lost      int            `json:"lost"`
	Doubled   int            `json:"doubled"`
	Stuck     int            `json:"stuck"`
	Effects   int            `json:"effects"`  // that there have to be
	Repeated  int            `json:"repeated"` // as law J5 allows
	Unknown   int            `json:"unknown"`  // of those that happen at most once
	Faults    map[string]int `json:"faults"`
	Problems  []string       `json:"problems,omitempty"`

	suspects []string // the runs that the problems are of
}

// mostProblems is how many are described.
const mostProblems = 20

func (t *tally) problem(run, format string, args ...any) {
	if len(t.Problems) < mostProblems {
		t.Problems = append(t.Problems, fmt.Sprintf(format, args...))
		if !slices.Contains(t.suspects, run) {
			t.suspects = append(t.suspects, run)
		}
	}
}

// count compares what happened with what had to happen. explain reports whether a fault of a worker, or of the store, lies between two tries of an effect: who made
// the first may have been lost before its record, and who makes the second may have been frozen before its effect.
func count(ledger []line, ends map[string]end, explain func(worker string, first, second time.Time) bool) tally {
	t := tally{Runs: len(ends)}
	byKey := make(map[string][]line)
	done := make(map[string]map[string]int) // run -> effect -> keys
	for _, l := range ledger {
		if len(byKey[l.key]) == 0 {
			if done[l.run] == nil {
				done[l.run] = make(map[string]int)
			}
			done[l.run][l.name]++
		}
		byKey[l.key] = append(byKey[l.key], l)
	}
	for key, tries := range byKey {
		slices.SortStableFunc(tries, func(a, b line) int { return a.at.Compare(b.at) })
		for i := 1; i < len(tries); i++ {
			first, second := tries[i-1], tries[i]
			switch {
			case first.name == onceEffect:
				t.Doubled++
				t.problem(first.run, "doubled: %s happens at most once, and did at %s by %s and at %s by %s", key,
					clock(first.at), first.worker, clock(second.at), second.worker)
			case explain(first.worker, first.at, second.at), explain(second.worker, first.at, second.at):
				t.Repeated++
			default:
				t.Doubled++
				t.problem(first.run, "doubled: %s at %s by %s and at %s by %s, and nothing was disturbed", key,
					clock(first.at), first.worker, clock(second.at), second.worker)
			}
		}
	}
	for id, e := range ends {
		t.run(id, e, done[id])
	}
	slices.Sort(t.Problems)
	return t
}

func clock(at time.Time) string { return at.Format("15:04:05.000") }

// run counts one run. done says how many keys each of its effects had.
func (t *tally) run(id string, e end, done map[string]int) {
	t.Effects += len(effects) + 1
	if !e.status.Ended() {
		t.Stuck++
		t.problem(id, "stuck: %s is %s: %v", id, e.status, e.err)
		return
	}
	var wrong []string
	if e.status != fermata.Completed {
		wrong = append(wrong, fmt.Sprintf("it is %s: %v", e.status, e.err))
	}
	for _, name := range append(slices.Clone(effects), onceEffect) {
		n, optional := done[name], name == onceEffect && e.state.Unknown
		switch {
		case n > 1:
			t.Doubled++
			t.problem(id, "doubled: %s of %s has %d idempotency keys", name, id, n)
		case n == 0 && !optional:
			wrong = append(wrong, name+" did not happen")
		}
		if known := slices.Contains(e.state.Done, name); !known && !optional {
			wrong = append(wrong, "its state does not know of "+name)
		}
	}
	if len(e.state.Done) > len(effects)+1 {
		wrong = append(wrong, fmt.Sprintf("its state has %d effects: %v", len(e.state.Done), e.state.Done))
	}
	if want := answerOf(e.seed); e.state.Answer != want {
		wrong = append(wrong, fmt.Sprintf("it was answered %d, and has %d", want, e.state.Answer))
	}
	if e.state.Unknown {
		t.Unknown++
	}
	if len(wrong) > 0 {
		t.Lost++
		t.problem(id, "lost: %s: %s", id, strings.Join(wrong, "; "))
		return
	}
	t.Completed++
}
