package fermata

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

// machineMark tells apart machines, their boots, and containers whose process ids mean something else; "" where that
// is not known.
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
	clock, _ := os.Readlink("/proc/self/ns/time") // "" where there are no such; the start of a process depends on it
	sum := sha256.Sum256([]byte(string(boot) + space + clock))
	return hex.EncodeToString(sum[:6])
})

// processMark tells a process from a later one with the same id: when it began. It is "" where that is not known, and
// "gone" where there is no such process.
func processMark(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if os.IsNotExist(err) && syscall.Kill(pid, 0) == syscall.ESRCH { // and not one that is only hidden from us
		return "gone"
	}
	// The name in parentheses may hold anything; behind it the state is the first field, and the start the twentieth.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	switch {
	case err != nil || len(fields) < 20:
		return ""
	case fields[0] == "Z" || fields[0] == "X":
		return "gone" // ended, and nobody has asked how
	}
	return fields[19]
}
