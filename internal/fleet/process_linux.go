package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// machineMark identifies the machine, its boot and the container, since process ids depend on them; "" if
// unknown.
var machineMark = sync.OnceValue(func() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	if self, err := os.Readlink("/proc/self"); err != nil || self != strconv.Itoa(os.Getpid()) {
		return "" // it shows the processes of another container
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	clock, _ := os.Readlink("/proc/self/ns/time") // "" if there are no time namespaces; a process's start depends on them
	sum := sha256.Sum256([]byte(string(boot) + space + clock))
	return hex.EncodeToString(sum[:6])
})

// processMark returns the start of a process, to tell it from a later one with the same id. It is "" if
// unknown, and "gone" if there is no such process.
func processMark(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if os.IsNotExist(err) && syscall.Kill(pid, 0) == syscall.ESRCH { // not only hidden from this one
		return "gone"
	}
	// The name in parentheses may hold anything; behind it the state is the first field, and the start the twentieth.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	switch {
	case err != nil || len(fields) < 20:
		return ""
	case fields[0] == "Z" || fields[0] == "X":
		return "gone" // ended, but not yet reaped
	}
	return fields[19]
}
