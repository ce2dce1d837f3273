package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
)

// together runs commands at about the same moment, each in a process of its own; each starts up to some time after the
// one before it.
func (d *desk) together(dice *rand.Rand, apart time.Duration, commands ...[]string) []*ending {
	ends := make([]*ending, len(commands))
	var all sync.WaitGroup
	for i, args := range commands {
		if i > 0 && apart > 0 {
			time.Sleep(time.Duration(dice.Int64N(int64(apart))))
		}
		all.Go(func() { ends[i] = d.typed(args...) })
	}
	all.Wait()
	return ends
}

// ask begins a run that asks something and stops there, and returns the question's id.
func (d *desk) ask(recipe, run string, args ...string) string {
	d.t.Helper()
	end := d.typed(append([]string{"run", recipe, "--id", run, "--json", "--no-input"}, args...)...)
	result, err := end.result()
	if err != nil || end.code != exitPaused || len(result.Interrupts) != 1 {
		d.t.Fatalf("expected one question, %v: %v", err, end)
	}
	return result.Interrupts[0].ID
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
			strings.Contains(end.stderr, "another process owns the run") && strings.Contains(end.stderr, "fermata runs show "+run):
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

// TestJ3_ProcessesDriveOneRun lets two or three processes take up one run at the same moment. One of them brings it to
// its end; who is too late stops and says so, and has had at most one effect that did not count.
func TestJ3_ProcessesDriveOneRun(t *testing.T) {
	d := newDesk(t)
	t.Parallel()
	throw := dice(t)
	d.ask("race.yaml", "alone")
	if end := d.typed("resume", "alone", "--answer", "review=approve"); end.code != exitCompleted {
		t.Fatal(end)
	}
	wantStory, wantEffects := story(d.facts("alone")), d.effects("alone")

	// Each way begins a run, and gives the command by which it is taken up; how many processes of it were killed.
	ways := map[string]func(id string) (command []string, deaths int){
		"killed": func(id string) ([]string, int) {
			m := &moment{lines: 1 + throw.IntN(10), wait: time.Duration(throw.IntN(5)) * time.Millisecond}
			end := d.until(m, "run", "race.yaml", "--id", id, "--json", "--answer", "review=approve")
			deaths := 0
			if end.killed {
				deaths = 1
			}
			return []string{"resume", id, "--json", "--answer", "review=approve"}, deaths
		},
		"answered": func(id string) ([]string, int) {
			if end := d.typed("tasks", "answer", d.ask("race.yaml", id), "--value", "approve"); end.code != exitCompleted {
				t.Fatal(end)
			}
			return []string{"resume", id, "--json"}, 0
		},
		"asked": func(id string) ([]string, int) {
			d.ask("race.yaml", id)
			return []string{"resume", id, "--json", "--answer", "review=approve"}, 0
		},
		"asked and answered by each": func(id string) ([]string, int) {
			return []string{"tasks", "answer", d.ask("race.yaml", id), "--value", "approve", "--json", "--resume"}, 0
		},
	}
	lost, rounds := 0, thorough(3, 60)
	for _, name := range slices.Sorted(maps.Keys(ways)) {
		for i := range rounds {
			id := fmt.Sprintf("%s-%d", name[:3], i)
			if strings.Contains(name, "each") {
				id = fmt.Sprintf("each-%d", i)
			}
			command, deaths := ways[name](id)
			commands := slices.Repeat([][]string{command}, 2+i%2)
			losers := d.driven(id, d.together(throw, time.Duration(i%4)*15*time.Millisecond, commands...))
			lost += losers
			compareEffects(t, wantEffects, d.effects(id), losers+deaths)
			if diff := cmp.Diff(wantStory, story(d.facts(id))); diff != "" {
				t.Errorf("%s: the run went another way (-alone +together):\n%s", name, diff)
			}
		}
	}
	if t.Logf("%d times another process was first", lost); lost == 0 {
		t.Error("the processes never met: the test shows nothing")
	}
	d.left()
}

// TestJ3_ProcessesBeginOneRun lets processes begin a run of the same id: one does, for the others it is there already.
func TestJ3_ProcessesBeginOneRun(t *testing.T) {
	d := newDesk(t)
	t.Parallel()
	for i := range thorough(3, 50) {
		id := fmt.Sprint("r", i)
		begin := []string{"run", "race.yaml", "--id", id, "--json", "--no-input"}
		codes := make(map[int]int)
		for _, end := range d.together(nil, 0, slices.Repeat([][]string{begin}, 4)...) {
			if codes[end.code]++; end.code != exitPaused && end.code != exitConflict {
				t.Error(end)
			}
		}
		if diff := cmp.Diff(map[int]int{exitPaused: 1, exitConflict: 3}, codes); diff != "" {
			t.Errorf("exit codes (-want +got):\n%s", diff)
		}
		if got := d.effects(id); len(got) != 1 || !maps.Equal(got["first#1/step:exec#1"], map[string]int{"{}": 1}) {
			t.Errorf("one process runs the first node; effects %v", got)
		}
	}
	d.left()
}

// answered is how a run's questions were answered, by their tasks.
func answered(list []fact) map[string]any {
	answers := make(map[string]any)
	for i := range list {
		if list[i].Type == "interrupt.resolved" {
			answers[list[i].Task] = list[i].Data["answer"]
		}
	}
	return answers
}

// TestH2_ProcessesAnswerAlike lets forty people give the same answer, eight at a time: all are told that it is
// taken, and it is taken once.
func TestH2_ProcessesAnswerAlike(t *testing.T) {
	d := newDesk(t)
	t.Parallel()
	id := d.ask("race.yaml", "r")
	var all sync.WaitGroup
	people := make(chan int)
	for range 8 {
		all.Go(func() {
			for i := range people {
				value := "approve"
				if i%2 == 0 {
					value = ` "approve" `
				}
				if end := d.typed("tasks", "answer", id, "--value", value, "--as", fmt.Sprint("person ", i)); end.code != exitCompleted {
					t.Errorf("person %d: %v", i, end)
				}
			}
		})
	}
	for i := range thorough(40, 1000) {
		people <- i
	}
	close(people)
	all.Wait()
	d.end("r", map[string]any{"review#1": "approve"})
}

// end takes a run to its end, and checks how its questions were answered.
func (d *desk) end(run string, answers map[string]any) {
	d.t.Helper()
	if end := d.typed("resume", run); end.code != exitCompleted {
		d.t.Error(end)
	}
	list := d.facts(run)
	once(d.t, list)
	if diff := cmp.Diff(answers, answered(list)); diff != "" {
		d.t.Errorf("answers (-want +got):\n%s", diff)
	}
	d.left()
}

// TestH2_ProcessesAnswerDifferently lets eight people give answers of their own: one is taken, the others are told.
func TestH2_ProcessesAnswerDifferently(t *testing.T) {
	d := newDesk(t)
	t.Parallel()
	for i := range thorough(3, 50) {
		run := fmt.Sprint("r", i)
		id := d.ask("ask.yaml", run, "--input", "times=1")
		var commands [][]string
		for n := range 8 {
			commands = append(commands, []string{"tasks", "answer", id, "--value", fmt.Sprint(n), "--json"})
		}
		taken := []json.RawMessage{}
		for n, end := range d.together(nil, 0, commands...) {
			switch {
			case end.code == exitCompleted:
				taken = append(taken, json.RawMessage(fmt.Sprint(n)))
			case end.code != exitConflict || !strings.Contains(end.stderr, "answered with a different value") || !strings.Contains(end.stderr, "tasks show "+id):
				t.Errorf("expected a conflict: %v", end)
			}
		}
		if len(taken) != 1 {
			t.Fatalf("of eight different answers %d were taken: %s", len(taken), taken)
		}
		end := d.typed("resume", run, "--json")
		result, err := end.result()
		if want := fmt.Sprintf(`{"told":[%s]}`, taken[0]); err != nil || string(result.Outputs) != want {
			t.Errorf("outputs %s, want %s: %v, %v", result.Outputs, want, err, end)
		}
	}
	d.left()
}

// TestH2_KilledProcessesAnswer gives many answers, some from processes that drive the run and some from
// others, and kills them at any moment. Each answer is applied once, to its own question.
func TestH2_KilledProcessesAnswer(t *testing.T) {
	d := newDesk(t)
	t.Parallel()
	times := thorough(120, 300)
	all, told, want := make([]string, times), make([]int, times), make(map[string]any)
	for i := range times {
		all[i], told[i] = fmt.Sprint("ask=", i+1), i+1
		want[fmt.Sprint("ask#", i+1)] = float64(i + 1)
	}
	left := answersLeft(all...)
	e := &errand{
		desk: d, id: "r", span: 80 * time.Millisecond, dice: dice(t), most: thorough(20, 1000),
		start: []string{"run", "ask.yaml", "--id", "r", "--input", fmt.Sprint("times=", times), "--json"},
		flags: func(e *errand) []string {
			flags, some := left(e), 50
			if e.deaths < 10 { // there is something left for many more
				some = 5
			}
			return flags[:min(2*e.dice.IntN(some), len(flags))] // the rest is answered by others
		},
		answer: func(q question) string { return strings.TrimPrefix(q.Task, "ask#") },
	}
	result := e.finish()
	outputs, err := json.Marshal(map[string]any{"told": told})
	if err != nil || string(result.Outputs) != string(outputs) {
		t.Errorf("outputs %s, %v", result.Outputs, err)
	}
	if diff := cmp.Diff(want, answered(e.inspect(result))); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if t.Logf("%d answers from %d processes, of which %d were killed", times, e.lives, e.deaths); e.deaths < 10 {
		t.Errorf("%d processes were killed: that shows little", e.deaths)
	}
}

// BenchmarkStart is how long it takes from the start of a process to what somebody waits for: the version, and the first
// node of a recipe, in a store that is made for it and in one that is there.
func BenchmarkStart(b *testing.B) {
	d := newDesk(b)
	b.Run("version", func(b *testing.B) {
		for b.Loop() {
			if err := d.command("version").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	first := func(b *testing.B, store func(int) string) {
		for i := 0; b.Loop(); i++ {
			cmd := d.command("run", "race.yaml", "--json", "--no-input", "--store", store(i))
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				b.Fatal(err)
			}
			lines := bufio.NewScanner(out)
			for lines.Scan() && !strings.Contains(lines.Text(), `"type":"node.started"`) {
			}
			b.StopTimer()
			for lines.Scan() {
			}
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitPaused {
				b.Fatal(err)
			}
			b.StartTimer()
		}
	}
	b.Run("first_node/new_store", func(b *testing.B) { first(b, func(i int) string { return fmt.Sprint(b.Name(), i, ".db") }) })
	b.Run("first_node/store", func(b *testing.B) { first(b, func(int) string { return "runs.db" }) })
}

// command is the command, not yet started.
func (d *desk) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(d.t.Context(), d.fermata, args...)
	cmd.Dir, cmd.Env = d.dir, d.env
	return cmd
}
