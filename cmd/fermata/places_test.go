package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// pooledWork is a recipe whose program writes when it begins and when it ends. One that is killed writes no end.
const pooledWork = `
interface: {inputs: {customer: {type: string, default: CUSTOMER}}}
pools: {customers: {concurrent: 2}}
policy: {max_retries: 0}
agents:
  pay: {kind: exec, command: [sh, -c, 'echo "$$ CUSTOMER begin $(date +%s%N)" >>worked; sleep 0.1; echo "$$ CUSTOMER end $(date +%s%N)" >>worked']}
entry_point: one
nodes:
  - {type: agent, id: one, agent_ref: pay, pool: customers, pool_key: customer, inputs_map: {}, outputs_map: {}}
  - {type: agent, id: two, agent_ref: pay, pool: customers, pool_key: customer, inputs_map: {}, outputs_map: {}}
edges: [{source: one, target: two}]
`

// TestJ20_WorkersAreKilledInASharedPool has workers do the tasks of two customers on one store, two at once for each, and kills
// workers at random. Every run is completed, and of the tasks that nobody killed there were never more than two of a customer at
// work at once: the places of those who died were given to others, and no place was given twice.
func TestJ20_WorkersAreKilledInASharedPool(t *testing.T) {
	program(t, "fermata")
	for _, kind := range storeKinds() {
		t.Run(kind, func(t *testing.T) {
			if !exploring() {
				t.Parallel() // with nothing to measure
			}
			killInPool(t, kind, thorough(12, 200), thorough(4, 60))
		})
	}
}

func killInPool(t *testing.T, kind string, runs, kills int) {
	d := newDesk(t)
	d.on(kind)
	throw, rt := dice(t), d.here()
	for i, customer := range []string{"ann", "bob"} {
		file := customer + ".yaml"
		d.write(file, strings.ReplaceAll(pooledWork, "CUSTOMER", customer))
		d.queue(rt, file, i*runs, runs)
	}
	began, c := time.Now(), d.hire(3)
	for unfinished(t, rt) > 0 {
		if time.Since(began) > time.Minute+time.Duration(runs)*time.Second {
			t.Fatalf("%d runs are not finished after %v", unfinished(t, rt), time.Since(began))
		}
		time.Sleep(time.Duration(50+throw.IntN(400)) * time.Millisecond)
		if _, err := os.Stat(d.path("worked")); err == nil && c.deaths < kills {
			c.lose(throw)
		}
	}
	took := time.Since(began)
	c.dismiss()
	most, done := d.mostAtWork()
	t.Logf("%d runs, %d deaths, %d takeovers, %d tasks, at most %v at once, %v", 2*runs, c.deaths, c.takeovers(), done, most, took.Round(time.Millisecond))
	for _, customer := range []string{"ann", "bob"} {
		if most[customer] != 2 {
			t.Errorf("of %s, %d tasks were at work at once, expected 2", customer, most[customer])
		}
	}
	if done < 4*runs {
		t.Errorf("%d tasks have ended, expected %d", done, 4*runs)
	}
	if c.deaths < kills {
		t.Errorf("only %d workers were killed: the test shows nothing", c.deaths)
	}
	if list, err := rt.Places(t.Context(), ""); err != nil || len(list) > 0 {
		t.Errorf("places are left: %+v, %v", list, err)
	}
}

// mostAtWork is how many programs of each customer were at work at once, of those that have ended, and how many these are.
func (d *desk) mostAtWork() (most map[string]int, done int) {
	d.t.Helper()
	text, err := os.ReadFile(d.path("worked"))
	if err != nil {
		d.t.Fatal(err)
	}
	type sign struct {
		at  int64
		of  string
		add int
	}
	begun := make(map[string]int64) // by program
	var signs []sign
	for line := range strings.Lines(string(text)) {
		var pid, of, what string
		var at int64
		if _, err := fmt.Sscan(line, &pid, &of, &what, &at); err != nil {
			d.t.Fatalf("the program says %q: %v", line, err)
		}
		if what == "begin" {
			begun[pid] = at
			continue
		}
		signs = append(signs, sign{begun[pid], of, 1}, sign{at, of, -1})
		done++
	}
	slices.SortFunc(signs, func(a, b sign) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.add, b.add)) })
	now := make(map[string]int)
	most = make(map[string]int)
	for _, s := range signs {
		now[s.of] += s.add
		most[s.of] = max(most[s.of], now[s.of])
	}
	return most, done
}
