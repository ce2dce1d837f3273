//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// apart lets a command have a process group of its own, which ends as a whole: tests start processes.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
