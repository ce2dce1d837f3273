package recipe

import (
	"os/exec"
	"runtime"
	"syscall"
)

// endWithThis has the program killed when this process dies, however that happens: whoever takes the run over starts the
// program again, and two would be at work. The system asks for the thread that started it, which is kept until release.
func endWithThis(cmd *exec.Cmd) (release func()) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
