//go:build !linux

package recipe

import "os/exec"

// endWithThis changes nothing: on this system a program outlives a process that is killed.
func endWithThis(*exec.Cmd) (release func()) { return func() {} }
