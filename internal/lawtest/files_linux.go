package lawtest

import (
	"os"
	"syscall"
)

// KeepFilesInMemory puts temporary files into memory, unless TMPDIR is set or there is no room.
//
// TestMain of packages whose tests write many small files calls it: they wait for the disk most of the time, and a process
// that is killed loses no more there than on a disk.
func KeepFilesInMemory() {
	const (
		memory = "/dev/shm"
		room   = 2 << 30 // bytes
		noExec = 8       // ST_NOEXEC: tests compile programs there, and start them
	)
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &fs) != nil || fs.Flags&noExec != 0 || fs.Bavail*uint64(fs.Bsize) < room {
		return
	}
	if err := os.Setenv("TMPDIR", memory); err != nil {
		panic(err) // the name is right
	}
}
