package goroutine

import (
	"bytes"
	"runtime"
	"strconv"
)

// ID is the number of the current goroutine, which no other goroutine of the process ever has. It takes microseconds, the
// more the deeper its calls are.
func ID() uint64 {
	var buf [40]byte
	head := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	digits, _, _ := bytes.Cut(head, []byte(" "))
	id, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil {
		panic("goroutine: the runtime gives no number: " + string(head))
	}
	return id
}
