//go:build linux || darwin || freebsd

package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// Mute stops a terminal from showing what is typed, so that it does not get into what is drawn, and returns what
// undoes it. Ctrl-C keeps its meaning.
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

// Discard throws away what was typed and not read yet: nobody answers a question that they have not seen.
func Discard(f *os.File) { flush(int(f.Fd())) }
