//go:build linux

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestJ5_AProgramEndsWithWhoRunsIt kills a process while the program of an agent is at work: whoever takes the run over starts
// the program again, and there are no two of it.
func TestJ5_AProgramEndsWithWhoRunsIt(t *testing.T) {
	program(t, "fermata")
	t.Parallel()
	d := newDesk(t)
	d.write("long.yaml", `
agents:
  work: {kind: exec, command: [./work.sh]}
entry_point: work
nodes:
  - {type: agent, id: work, agent_ref: work}
`)
	d.write("work.sh", "#!/bin/sh\necho $$ > pid.tmp; mv pid.tmp pid; exec sleep 300\n")
	if err := os.Chmod(d.path("work.sh"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(d.fermata, "run", "long.yaml", "--id", "r", "--allow", "exec=./work.sh")
	cmd.Dir, cmd.Env = d.dir, d.env
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	pid := ""
	eventually(func() bool {
		text, err := os.ReadFile(d.path("pid"))
		pid = strings.TrimSpace(string(text))
		return err == nil
	}, func() { t.Fatal("the program was not begun: ", said.String()) })
	if !isAlive(pid) {
		t.Fatalf("the program %s is not at work", pid)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	eventually(func() bool { return !isAlive(pid) }, func() { t.Fatalf("the program %s is still at work", pid) })
}

// isAlive reports whether there is such a process, other than one that nobody has waited for.
func isAlive(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	_, after, found := strings.Cut(string(stat), ") ")
	return err == nil && found && !strings.HasPrefix(after, "Z")
}
