//go:build !(linux || darwin || freebsd)

package main

// freeSpace is not known here.
func freeSpace(string) (uint64, bool) { return 0, false }
