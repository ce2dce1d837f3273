//go:build unix

package recipe

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup starts the program in a process group of its own, so that killing it kills its children too.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return signalGroup(cmd) }
}

// killGroup kills what is left of the program's group.
func killGroup(cmd *exec.Cmd) {
	_ = signalGroup(cmd) // nothing is left: that is what was wanted
}

func signalGroup(cmd *exec.Cmd) error {
	err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
