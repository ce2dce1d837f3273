package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
)

// Workers are this test binary, started again.
func TestMain(m *testing.M) {
	if os.Getenv(workerName) != "" {
		if err := beWorker(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Nothing is lost, stuck or doubled, whatever happens to workers and store: a short version of make chaos.
func TestJ10_Chaos(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes are not frozen here")
	}
	if testing.Short() {
		t.Skip("it starts processes and servers")
	}
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			o := options{
				kind: kind, runs: 30, workers: 3, flight: 30, lease: 2 * time.Second, patient: 90 * time.Second, seed: 1, tell: t.Logf,
			}
			found, version, err := chaos(t.Context(), o)
			if errors.Is(err, errNoServer) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			table(&b, &o, version, &found, 0)
			t.Log(b.String())
			if found.Completed != o.runs || found.Doubled > 0 {
				t.Errorf("of %d runs %d are lost, %d stuck; %d effects are doubled: %q", o.runs, found.Lost, found.Stuck, found.Doubled, found.Problems)
			}
		})
	}
}

// Where nothing is disturbed, nothing is repeated: workers leave each other's runs alone.
func TestJ10_WorkersDoNotDisturbEachOther(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes and servers")
	}
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			o := options{kind: kind, runs: 40, workers: 4, flight: 40, lease: 10 * time.Second, patient: 90 * time.Second, seed: 2, calm: true, tell: t.Logf}
			found, _, err := chaos(t.Context(), o)
			if errors.Is(err, errNoServer) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			if found.Completed != o.runs || found.Doubled > 0 || found.Repeated > 0 && found.Faults[faultStarved] == 0 {
				t.Errorf("found %+v", found)
			}
		})
	}
}

// What is wrong is counted: each kind of it is found in a ledger and in states that have it.
func TestCount(t *testing.T) {
	at := func(second int) time.Time { return time.Unix(int64(second), 0) }
	ledger := func(run string, but ...string) (all []line) {
		for i, name := range append([]string{onceEffect}, effects...) {
			if !strings.Contains(strings.Join(but, " "), name) {
				all = append(all, line{run: run, name: name, key: run + "/" + name, worker: "a", at: at(i)})
			}
		}
		return all
	}
	whole := func(seed uint64) end {
		return end{seed: seed, status: fermata.Completed, state: work{Done: append([]string{onceEffect}, effects...), Answer: answerOf(seed)}}
	}
	unknown := whole(1)
	unknown.state.Unknown, unknown.state.Done = true, effects
	wrong := whole(1)
	wrong.state.Answer++
	for name, c := range map[string]struct {
		ledger []line
		end    end
		want   tally
	}{
		"all is well":      {ledger("r"), whole(1), tally{Completed: 1}},
		"an effect lacks":  {ledger("r", "left"), whole(1), tally{Lost: 1}},
		"it has failed":    {ledger("r"), end{seed: 1, status: fermata.Failed}, tally{Lost: 1}},
		"it is stuck":      {nil, end{seed: 1, status: fermata.Running}, tally{Stuck: 1}},
		"another answer":   {ledger("r"), wrong, tally{Lost: 1}},
		"once is unknown":  {ledger("r", onceEffect), unknown, tally{Completed: 1, Unknown: 1}},
		"repeated":         {append(ledger("r"), line{run: "r", name: "left", key: "r/left", worker: "b", at: at(20)}), whole(1), tally{Completed: 1, Repeated: 1}},
		"a late zombie":    {append(ledger("r"), line{run: "r", name: "left", key: "r/left", worker: "z", at: at(22)}), whole(1), tally{Completed: 1, Repeated: 1}},
		"doubled":          {append(ledger("r"), line{run: "r", name: "left", key: "r/left", worker: "b", at: at(5)}), whole(1), tally{Completed: 1, Doubled: 1}},
		"once is doubled":  {append(ledger("r"), line{run: "r", name: onceEffect, key: "r/once", worker: "b", at: at(20)}), whole(1), tally{Completed: 1, Doubled: 1}},
		"another key":      {append(ledger("r"), line{run: "r", name: "left", key: "r/left2", worker: "b", at: at(20)}), whole(1), tally{Completed: 1, Doubled: 1}},
		"nothing is known": {nil, end{seed: 1, status: ""}, tally{Stuck: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			f := &faults{list: []fault{{kind: faultKill, worker: "a", from: at(10), to: at(11)}, {kind: faultFreeze, worker: "z", from: at(1), to: at(21)}}}
			got := count(c.ledger, map[string]end{"r": c.end}, f.explain)
			if got.Completed != c.want.Completed || got.Lost != c.want.Lost || got.Doubled != c.want.Doubled || got.Stuck != c.want.Stuck ||
				got.Repeated != c.want.Repeated || got.Unknown != c.want.Unknown {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestMemoryIsRefused(t *testing.T) {
	if _, _, err := chaos(t.Context(), options{kind: "memory"}); err == nil || !strings.Contains(err.Error(), "nothing that could survive") {
		t.Errorf("got %v", err)
	}
}
