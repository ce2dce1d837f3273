//go:build !(amd64 || arm64)

package goroutine

// Mark is a value that no other goroutine has while the current one lives.
func Mark() uintptr { return uintptr(ID()) }
