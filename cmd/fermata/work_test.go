package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/storekind"
	"github.com/fermata-go/fermata/recipe"
)

// here is a runtime of the test's own on the desk's store, beside the processes that use it: starting a process for each
// of a thousand runs takes longer than the runs.
func (d *desk) here() *fermata.Runtime {
	d.t.Helper()
	text := d.store
	if text == "" {
		text = d.path("runs.db")
	}
	at, err := parseDSN(text, "the test")
	if err != nil {
		d.t.Fatal(err)
	}
	store, err := kinds().OpenAt(at.address(), storekind.Options{})
	if err != nil {
		d.t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{Store: store, Name: "tester"})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() {
		if err := errors.Join(rt.Close(), store.Close()); err != nil {
			d.t.Error(err)
		}
	})
	return rt
}

// crew is the real command, some times over, working on one store. Its members die and are replaced.
type crew struct {
	*desk
	members []*exec.Cmd
	said    *os.File // by all of them
	deaths  int
}

// hire starts so many workers.
func (d *desk) hire(size int) *crew {
	d.t.Helper()
	said, err := os.OpenFile(d.path("said"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = said.Close() })
	c := &crew{desk: d, said: said, members: make([]*exec.Cmd, size)}
	for i := range c.members {
		c.members[i] = c.member()
	}
	d.t.Cleanup(func() { // those that a test which failed has left
		for _, m := range c.members {
			_ = m.Process.Kill()
		}
	})
	return c
}

// atOnce is how many runs a worker drives at once.
const atOnce = 4

func (c *crew) member() *exec.Cmd {
	c.t.Helper()
	m := exec.Command(c.fermata, "work", "--json", "--lease", "1s", "--concurrency", fmt.Sprint(atOnce))
	m.Dir, m.Env, m.Stdout = c.dir, c.env, c.said
	if err := m.Start(); err != nil {
		c.t.Fatal(err)
	}
	return m
}

// lose kills one of them, and lets another one begin.
func (c *crew) lose(throw *rand.Rand) {
	i := throw.IntN(len(c.members))
	_ = c.members[i].Process.Kill()
	_ = c.members[i].Wait()
	c.members[i], c.deaths = c.member(), c.deaths+1
}

// dismiss tells them to stop, which they do in order.
func (c *crew) dismiss() {
	c.t.Helper()
	for _, m := range c.members {
		_ = m.Process.Signal(os.Interrupt)
		if err := m.Wait(); err != nil {
			c.t.Errorf("a worker that was told to stop: %v", err)
		}
	}
}

// takeovers is how often a worker has taken a run that another one had begun.
func (c *crew) takeovers() (n int) {
	c.t.Helper()
	text, err := os.ReadFile(c.path("said"))
	if err != nil {
		c.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var said workLine
		if err := json.Unmarshal([]byte(line), &said); err != nil && strings.HasSuffix(line, "\n") {
			c.t.Errorf("a worker says %q: %v", line, err)
		}
		if said.Do == "took" && said.From != "" {
			n++
		}
	}
	return n
}

// TestJ10_WorkersAreKilled lets workers drive queued runs on one store, and kills them at random. Every run is completed,
// every effect happens, and none more often than there were deaths with it on its way (law J5).
func TestJ10_WorkersAreKilled(t *testing.T) {
	program(t, "fermata")
	sizes := []int{2}
	if exploring() {
		sizes = []int{2, 4}
	}
	for _, size := range sizes {
		for _, kind := range storeKinds() {
			t.Run(fmt.Sprintf("%s/%d", kind, size), func(t *testing.T) {
				if !exploring() {
					t.Parallel() // with nothing to measure
				}
				killWorkers(t, kind, thorough(24, 1000), size)
			})
		}
	}
}

func killWorkers(t *testing.T, kind string, runs, size int) {
	d := newDesk(t)
	d.on(kind)
	throw, rt := dice(t), d.here()
	if end := d.typed("run", "line.yaml", "--id", "alone", "--json"); end.code != exitCompleted {
		t.Fatal(end)
	}
	ids := d.queue(rt, "line.yaml", 0, runs)
	began, c := time.Now(), d.hire(size)
	for left := runs; left > 0; left = unfinished(t, rt) {
		if time.Since(began) > time.Minute+time.Duration(runs)*time.Second {
			t.Fatalf("%d runs are not finished after %v", left, time.Since(began))
		}
		// Not before they have begun, and until one was lost with a run in its hands: with the other runs a new one is
		// busy as soon as it is there.
		if left < len(ids) && (c.deaths < thorough(4, 200) || c.takeovers() == 0) {
			c.lose(throw)
			if c.deaths%4 == 0 && c.takeovers() == 0 {
				ids = append(ids, d.queue(rt, "line.yaml", len(ids), runs)...)
			}
		}
		time.Sleep(time.Duration(20+throw.IntN(thorough(150, 900))) * time.Millisecond)
	}
	took := time.Since(began)
	c.dismiss()
	more, all := 0, d.effectsOfAll()
	want := all["alone"]
	for _, id := range ids {
		once(t, factsOf(t, rt, id))
		compareEffects(t, want, all[id], c.deaths)
		more += count(all[id]) - count(want)
	}
	t.Logf("%d runs, %d workers, %d deaths, %d takeovers, %d effects twice, %v, %.1f runs a second",
		len(ids), size, c.deaths, c.takeovers(), more, took.Round(time.Millisecond), float64(len(ids))/took.Seconds())
	if c.deaths == 0 || c.takeovers() == 0 {
		t.Error("nobody died while driving: the test shows nothing")
	}
	if more > atOnce*c.deaths {
		t.Errorf("%d effects too many; each of %d deaths may cost the %d that were on their way", more, c.deaths, atOnce)
	}
	d.left()
}

// queue begins n runs of a recipe that nobody drives yet, as `run --detach` does: r<first> and those after it.
func (d *desk) queue(rt *fermata.Runtime, file string, first, n int) []string {
	d.t.Helper()
	r, err := recipe.Load(d.path(file), recipe.Options{})
	if err != nil {
		d.t.Fatal(err)
	}
	digest, err := rt.SaveDefinition(d.t.Context(), "recipe", r.Source())
	if err != nil {
		d.t.Fatal(err)
	}
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprint("r", first+i)
		input, err := r.Input(map[string]any{})
		if err != nil {
			d.t.Fatal(err)
		}
		if _, err := rt.Start(d.t.Context(), r.Plan(), input, fermata.WithID(ids[i]), fermata.WithDefinition(digest), fermata.Queued()); err != nil {
			d.t.Fatal(err)
		}
	}
	return ids
}

// unfinished is how many runs are not completed.
func unfinished(t *testing.T, rt *fermata.Runtime) (n int) {
	t.Helper()
	rows, err := rt.Runs(t.Context(), journal.RunFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if fermata.Status(rows[i].Status) != fermata.Completed {
			n++
		}
	}
	return n
}

// factsOf are the events of a run, as the command writes them.
func factsOf(t *testing.T, rt *fermata.Runtime, id string) []fact {
	t.Helper()
	var lines []string
	for ev, err := range rt.Events(t.Context(), id, 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(&ev)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	return readFacts(t, id, lines)
}

func count(effects map[string]map[string]int) (n int) {
	for _, inputs := range effects {
		for _, times := range inputs {
			n += times
		}
	}
	return n
}
