//go:build amd64 || arm64

package goroutine

// Mark is a value that no other goroutine has while the current one lives. It takes a nanosecond. A goroutine that
// begins after another has ended may have the mark of that one.
func Mark() uintptr
