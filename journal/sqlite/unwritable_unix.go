//go:build linux || darwin || freebsd

package sqlite

import "syscall"

// isDenied reports whether the system does not let this process write to a file or folder.
func isDenied(path string) bool {
	const write = 2 // W_OK
	return syscall.Access(path, write) != nil
}
