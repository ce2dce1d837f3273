//go:build linux || darwin || freebsd

package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// Mute stops a terminal from echoing keys into a drawing, and returns the function that undoes it. Ctrl-C keeps its
// meaning.
func Mute(f *os.File) (restore func()) {
	fd := int(f.Fd())
	state, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return func() {}
	}
	muted := *state
	muted.Lflag &^= unix.ECHO
	if unix.IoctlSetTermios(fd, setTermios, &muted) != nil {
		return func() {}
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, state) }
}

// Discard drops typed input that was not read yet, so that no question is answered before it is seen.
func Discard(f *os.File) { flush(int(f.Fd())) }
