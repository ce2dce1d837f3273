//go:build !linux

package lawtest

// KeepFilesInMemory does nothing: temporary files are on disk.
func KeepFilesInMemory() {}
