//go:build !unix

package recipe

import "os/exec"

// ownGroup leaves the program as it is: this system has no process groups, and only the program itself is killed.
func ownGroup(*exec.Cmd) {}

// killGroup kills the program.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
