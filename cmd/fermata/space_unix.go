//go:build linux || darwin || freebsd

package main

import "golang.org/x/sys/unix"

// freeSpace is how many bytes a folder's file system has left for this user.
func freeSpace(folder string) (uint64, bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, false
	}
	return uint64(s.Bavail) * uint64(s.Bsize), true //nolint:unconvert // signed on FreeBSD
}
