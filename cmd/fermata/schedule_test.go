package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/recipe"
	"github.com/fermata-go/fermata/schedule"
)

// TestJ3_SchedulersAreKilled lets two processes start what a schedule has missed for hours, on one store, and kills them on
// the way. Each occurrence has one run, no process starts one that another has started, and all runs are completed.
func TestJ3_SchedulersAreKilled(t *testing.T) {
	t.Parallel()
	schedulersAreKilled(t, time.Duration(thorough(2, 24))*time.Hour, "schedule", "run", "pulse.yaml", "--json", "--lease", "1s")
}

// TestW2_ServersWithSchedulesAreKilled is the same for two servers.
func TestW2_ServersWithSchedulesAreKilled(t *testing.T) {
	t.Parallel()
	schedulersAreKilled(t, time.Duration(thorough(2, 24))*time.Hour, "serve", "pulse.yaml", "--json", "--listen", "127.0.0.1:0")
}

// schedulersAreKilled repeats what it shows until it has shown it: how far a process gets before it is killed is chance.
func schedulersAreKilled(t *testing.T, missed time.Duration, command ...string) {
	t.Helper()
	const tries = 30
	for n := range tries {
		missed := min(missed*time.Duration(2+n)/2, 24*time.Hour) // the more there is to start, the more of them die meanwhile
		if deaths, by := killSchedulers(t, missed, command); deaths >= 2 && by >= 2 || t.Failed() {
			return
		}
	}
	t.Errorf("in %d tries no two processes died with runs that others started: the test shows nothing", tries)
}

// killSchedulers returns how many processes were killed, and how many have started runs.
func killSchedulers(t *testing.T, missed time.Duration, command []string) (deaths, by int) {
	t.Helper()
	d := newDesk(t)
	rt, throw := d.here(), dice(t)
	r, err := recipe.Load(d.path("pulse.yaml"), recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rule := r.Schedules()[0]
	first := d.missed(rt, r, &rule, missed)
	begun, processes := time.Now(), []*exec.Cmd{d.scheduler(0, command), d.scheduler(1, command)}
	defer func() { // those that a test which failed has left
		for _, p := range processes {
			_ = p.Process.Kill()
		}
	}()
	missing := func(to time.Time) (n int) { // one query: they are quick
		rows, err := rt.Runs(t.Context(), journal.RunFilter{})
		if err != nil {
			t.Fatal(err)
		}
		begun := make(map[string]bool, len(rows))
		for i := range rows {
			begun[rows[i].ID] = true
		}
		for _, o := range occurrences(t, &rule, first, to) {
			if !begun[o.Run] {
				n++
			}
		}
		return n
	}
	all := missing(begun)
	for left := all; left > 0 || unfinished(t, rt) > 0; left = missing(begun) {
		if time.Since(begun) > 8*time.Minute {
			t.Fatalf("%d of %d occurrences have no run, and %d runs are not finished", left, all, unfinished(t, rt))
		}
		if left < all*(5-deaths)/6 && left > 0 { // with occurrences to start, and some that were started since the last one
			i := throw.IntN(len(processes))
			_ = processes[i].Process.Kill()
			_ = processes[i].Wait()
			deaths++
			processes[i] = d.scheduler(1+deaths, command)
		}
		time.Sleep(time.Duration(throw.IntN(20)) * time.Millisecond)
	}
	for _, p := range processes {
		_ = p.Process.Signal(syscall.SIGTERM)
		if err := p.Wait(); err != nil && said(t, p) { // one that has not begun knows no signals yet
			t.Errorf("a process that was told to stop: %v", err)
		}
	}
	known, late := make(map[string]string), make(map[string]bool)
	for _, o := range occurrences(t, &rule, first, time.Now()) {
		known[o.Run], late[o.Run] = o.Time.Format(time.RFC3339), o.Time.After(begun)
	}
	rows, err := rt.Runs(t.Context(), journal.RunFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if late[row.ID] { // a new minute began: this one need not have ended
			continue
		}
		once(t, factsOf(t, rt, row.ID))
		result, err := rt.Result(t.Context(), row.ID, nil)
		if want := `"beat":"at ` + known[row.ID] + `"`; err != nil || known[row.ID] == "" || !strings.Contains(string(result.Output), want) {
			t.Errorf("run %s gives %s, %v; want one with %s", row.ID, result.Output, err, want)
		}
	}
	by = d.startedBy(2 + deaths)
	t.Logf("%d runs by %d processes, %d deaths, %v", len(rows), by, deaths, time.Since(begun).Round(time.Millisecond))
	return deaths, by
}

// missed makes it that a schedule has been missed for a time: it starts the first occurrence of then, and returns its time.
func (d *desk) missed(rt *fermata.Runtime, r *recipe.Recipe, rule *recipe.Schedule, ago time.Duration) time.Time {
	d.t.Helper()
	list, err := schedule.Upcoming(rule.Schedule, time.Now().Add(-ago), 1)
	if err != nil {
		d.t.Fatal(err)
	}
	input, err := rule.Input(list[0])
	if err != nil {
		d.t.Fatal(err)
	}
	digest, err := rt.SaveDefinition(d.t.Context(), recipeKind, r.Source())
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := rt.Start(d.t.Context(), r.Plan(), input, fermata.WithID(list[0].Run), runtype.OfSchedule(rule.Name), fermata.WithDefinition(digest), fermata.Queued()); err != nil {
		d.t.Fatal(err)
	}
	return list[0].Time
}

// occurrences are those of a schedule from one time to another, both included.
func occurrences(t *testing.T, rule *recipe.Schedule, from, to time.Time) []schedule.Occurrence {
	t.Helper()
	all, err := schedule.Upcoming(rule.Schedule, from.Add(-time.Second), 1+int(to.Sub(from)/time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// scheduler is the real command that starts what is due. What it says is in the file said-N.
func (d *desk) scheduler(n int, command []string) *exec.Cmd {
	d.t.Helper()
	said, err := os.Create(d.path(fmt.Sprint("said-", n)))
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = said.Close() })
	p := exec.Command(d.fermata, command...)
	p.Dir, p.Env, p.Stdout = d.dir, d.env, said
	if err := p.Start(); err != nil {
		d.t.Fatal(err)
	}
	return p
}

// said reports whether a scheduler has written anything.
func said(t *testing.T, p *exec.Cmd) bool {
	t.Helper()
	size, err := p.Stdout.(*os.File).Seek(0, io.SeekEnd)
	if err != nil {
		t.Fatal(err)
	}
	return size > 0
}

// startedBy is how many processes have started runs. That one run is started by two of them is an error.
func (d *desk) startedBy(processes int) (n int) {
	d.t.Helper()
	by := make(map[string]int)
	for i := range processes {
		text, err := os.ReadFile(d.path(fmt.Sprint("said-", i)))
		if err != nil {
			d.t.Fatal(err)
		}
		started := false
		for line := range strings.Lines(string(text)) {
			var said occurrenceLine
			if err := json.Unmarshal([]byte(line), &said); err != nil && strings.HasSuffix(line, "\n") {
				d.t.Errorf("a process says %q: %v", line, err)
			}
			switch said.Do {
			case string(schedule.Started):
				if other, twice := by[said.Run]; twice {
					d.t.Errorf("process %d says that it started %s, as does %d", i, said.Run, other)
				}
				by[said.Run], started = i, true
			case string(schedule.Failed):
				d.t.Errorf("process %d says %s", i, line)
			}
		}
		if started {
			n++
		}
	}
	return n
}
