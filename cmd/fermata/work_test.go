package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// worker starts the real command as a worker.
func (d *desk) worker() *exec.Cmd {
	d.t.Helper()
	c := exec.Command(d.fermata, "work", "--json", "--lease", "1s", "--concurrency", "4")
	c.Dir, c.Env = d.dir, d.env
	if err := c.Start(); err != nil {
		d.t.Fatal(err)
	}
	return c
}

// unfinished is how many runs are not completed.
func (d *desk) unfinished() (n int) {
	d.t.Helper()
	c := exec.Command(d.fermata, "runs", "ls", "--limit", "0", "--json")
	c.Dir, c.Env = d.dir, d.env
	out, err := c.Output()
	if err != nil {
		d.t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var line runLine
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			d.t.Fatal(err)
		}
		if line.Status != "completed" {
			n++
		}
	}
	return n
}

// TestJ10_WorkersAreKilled lets workers drive queued runs on one store, and kills them at random. Every run is completed,
// every effect happens, and none more often than there were deaths with it on its way (law J5).
func TestJ10_WorkersAreKilled(t *testing.T) {
	for name, on := range map[string]func() (string, func(), error){"sqlite": nil, "postgres": newPostgres} {
		t.Run(name, func(t *testing.T) { killWorkers(t, on, thorough(12, 1000), thorough(2, 4)) })
	}
}

func killWorkers(t *testing.T, on func() (string, func(), error), runs, crew int) {
	d := newDesk(t)
	if on != nil {
		d.on(on)
	}
	throw := dice(t)
	if end := d.typed("run", "line.yaml", "--id", "alone", "--json"); end.code != exitCompleted {
		t.Fatal(end)
	}
	want := d.effects("alone")
	for i := range runs {
		if end := d.typed("run", "line.yaml", "--id", fmt.Sprint("r", i), "--detach"); end.code != exitCompleted {
			t.Fatal(end)
		}
	}
	began, deaths := time.Now(), 0
	workers := make([]*exec.Cmd, crew)
	for i := range workers {
		workers[i] = d.worker()
	}
	for d.unfinished() > 0 {
		if time.Since(began) > time.Minute+time.Duration(runs)*time.Second {
			t.Fatalf("%d runs are not finished after %v", d.unfinished(), time.Since(began))
		}
		if deaths < thorough(3, 200) {
			i := throw.IntN(crew)
			_ = workers[i].Process.Kill()
			_ = workers[i].Wait()
			workers[i], deaths = d.worker(), deaths+1
		}
		time.Sleep(time.Duration(100+throw.IntN(900)) * time.Millisecond)
	}
	for _, w := range workers {
		_ = w.Process.Signal(os.Interrupt)
		if err := w.Wait(); err != nil {
			t.Errorf("a worker that was told to stop: %v", err)
		}
	}
	more := 0
	for i := range runs {
		id := fmt.Sprint("r", i)
		once(t, d.facts(id))
		got := d.effects(id)
		compareEffects(t, want, got, deaths)
		more += count(got) - count(want)
	}
	t.Logf("%d runs, %d workers, %d deaths, %d effects twice, %v", runs, crew, deaths, more, time.Since(began))
	if more > 4*deaths {
		t.Errorf("%d effects too many; each of %d deaths may cost the four that were on their way", more, deaths)
	}
	d.left()
}

func count(effects map[string]map[string]int) (n int) {
	for _, inputs := range effects {
		for _, times := range inputs {
			n += times
		}
	}
	return n
}
