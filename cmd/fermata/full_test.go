package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// full is a disk without room.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

// No output is cut short silently: a command that cannot write what it says ends with an error. All commands are called for their
// help, and those that read for what they show.
func TestF4_OutputThatIsLostIsAnError(t *testing.T) {
	dir := place(t, `
metadata: {name: adds}
interface: {outputs: {sum: {type: integer}}}
agents: {add: {kind: expr, set: {sum: "1 + 2"}}}
topology: {entry_point: add, nodes: [{type: agent, id: add, agent_ref: add}]}
`)
	path := filepath.Join(dir, "runs.db")
	m, stdout, stderr := command(t)
	if code := m.Run(t.Context(), []string{"run", dir, "--id", "r", "--store", path}); code != exitCompleted {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	calls := [][]string{
		{"runs", "ls"},
		{"runs", "ls", "--json"},
		{"runs", "show", "r"},
		{"runs", "show", "r", "--json"},
		{"trace", "r"},
		{"events", "r"},
		{"tasks", "ls", "--json"},
		{"graph", dir},
		{"schema"},
		{"version"},
		{"validate", dir},
		{"runs", "export", "r"},
		{"runs", "diff", "r", "r"},
		{"run", dir, "--id", "again"},
	}
	for _, c := range leaves(m.rootCommand()) {
		if !c.Hidden {
			calls = append(calls, append(strings.Fields(c.CommandPath())[1:], "--help"))
		}
	}
	for _, args := range calls {
		args = append(args, "--store", path)
		stdout.Reset()
		stderr.Reset()
		code := m.Run(t.Context(), args)
		if said := stdout.Len() > 0; code != exitCompleted || !said {
			if args[len(args)-3] == "--help" {
				t.Errorf("%v: exit code %d, help: %t: %s", args, code, said, stderr)
			}
			continue
		}
		stderr.Reset()
		m.Stdout = full{}
		if args[0] == "run" {
			args[3] = "once-more"
		}
		code = m.Run(t.Context(), args)
		if m.Stdout = stdout; code == exitCompleted || !strings.Contains(stderr.String(), errFull.Error()) {
			t.Errorf("%v to a full disk: exit code %d: %s", args, code, stderr)
		}
	}
	for _, args := range [][]string{{"work", "--lease", "1ms"}, {"work", "--lease", "999ms"}, {"schedule", "run", dir, "--lease", "0s"}} {
		stderr.Reset()
		if code := m.Run(t.Context(), append(args, "--store", path)); code != exitUsage || !strings.Contains(stderr.String(), "expected at least 1s") {
			t.Errorf("%v: exit code %d: %s", args, code, stderr)
		}
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		m.Stdout = f
		if code := m.Run(t.Context(), []string{"runs", "ls", "--store", path}); code != exitStore {
			t.Errorf("runs ls > /dev/full: exit code %d", code)
		}
	}
}

// The same answer of another person is told who answered before; the same person is told that they have answered.
func TestH2_ASecondPersonIsToldWhoAnsweredBefore(t *testing.T) {
	dir := place(t, refund)
	path := filepath.Join(dir, "runs.db")
	m, stdout, stderr := command(t)
	for _, c := range []struct {
		code int
		args string
		says string
	}{
		{exitPaused, "run " + dir + " --id r --no-input", ""},
		{exitCompleted, "tasks answer r --value approve --as ada", "answered int_"},
		{exitCompleted, "tasks answer TASK --value approve --as ada", "answered int_"},
		{exitCompleted, "tasks answer TASK --value approve --as bob", "ada answered int_"},
		{exitCompleted, "tasks answer TASK --value approve --as bob", "the answer of bob changes nothing"},
		{exitCompleted, "tasks answer TASK --value approve --as bob --json", `"answeredBy":"ada"`},
		{exitConflict, "tasks answer TASK --value reject --as bob", "by ada"},
	} {
		task := ""
		if i := strings.Index(stdout.String()+stderr.String(), "int_"); i >= 0 {
			task = (stdout.String() + stderr.String())[i:][:len("int_01a21d77-a2a3-79af-bf48-c14891472e34")]
		}
		stdout.Reset()
		stderr.Reset()
		code := m.Run(t.Context(), strings.Fields(strings.Replace(c.args, "TASK", task, 1)+" --store "+path))
		if all := stdout.String() + stderr.String(); code != c.code || !strings.Contains(all, c.says) {
			t.Errorf("%s: exit code %d, want %d, and %q: %s", c.args, code, c.code, c.says, all)
		}
	}
}
