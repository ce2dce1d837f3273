package fleet

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
)

// newDriver returns a unique name for this process as owner. It names program and host for people. After a
// slash, it says how processes on this machine can find out that this one is gone.
func newDriver(name string) string {
	host, _ := os.Hostname() // "" if it has none
	if name != "" && host != "" {
		name += "@"
	}
	pid := os.Getpid()
	return fmt.Sprintf("%s%s/%d-%s-%s-%08x", clean(name), clean(host), pid, machineMark(), processMark(pid), rand.Uint32()) //nolint:gosec // unique, not secret
}

func clean(name string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == '/' || r == '\uFFFD' {
			return '-'
		}
		return r
	}, name)
}

// isGone reports whether an owner is known to be gone: an ended process of this machine. For others, only the
// lease can tell.
func isGone(driver string) bool {
	parts := strings.Split(driver[strings.LastIndexByte(driver, '/')+1:], "-")
	if len(parts) != 4 || parts[1] == "" || parts[2] == "" || parts[1] != machineMark() {
		return false
	}
	pid, err := strconv.Atoi(parts[0])
	if err != nil {
		return false
	}
	mark := processMark(pid)
	return mark != "" && mark != parts[2]
}
