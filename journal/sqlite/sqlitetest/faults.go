// Package sqlitetest makes the disk below a SQLite store fail on purpose, at the n-th write or sync.
//
//	disk := sqlitetest.New(t)
//	store, err := sqlite.OpenWith(path, sqlite.Options{VFS: disk.Name()})
//	disk.FailSync(3)
//
// It stands between SQLite and the system's file system, below everything that the store and the driver do.
package sqlitetest

import (
	"crypto/rand"
	"sync"
	"testing"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Disk is a file system for SQLite whose calls fail where they are told to. Calls are counted from 1.
type Disk struct {
	name string
	base uintptr // the system's file system

	mu        sync.Mutex
	writes    int
	syncs     int
	failWrite map[int]int32
	failSync  map[int]int32
	methods   map[uintptr]uintptr // of files: the system's -> ours
	original  map[uintptr]uintptr // ours -> the system's

	// Functions that SQLite calls. It keeps pointers to them that the garbage collector does not see.
	open     openFunc
	write    writeFunc
	truncate truncateFunc
	sync     syncFunc
}

type (
	openFunc     func(tls *libc.TLS, vfs, path, file uintptr, flags int32, out uintptr) int32
	writeFunc    func(tls *libc.TLS, file, data uintptr, n int32, at int64) int32
	truncateFunc func(tls *libc.TLS, file uintptr, size int64) int32
	syncFunc     func(tls *libc.TLS, file uintptr, flags int32) int32
)

// New registers a disk until the end of the test. All its files must be closed by then.
func New(t testing.TB) *Disk {
	t.Helper()
	d := &Disk{
		name: "fault-" + rand.Text(), failWrite: make(map[int]int32), failSync: make(map[int]int32),
		methods: make(map[uintptr]uintptr), original: make(map[uintptr]uintptr),
	}
	d.open, d.write, d.truncate, d.sync = d.onOpen, d.onWrite, d.onTruncate, d.onSync
	tls := libc.NewTLS()
	if rc := lib.Xsqlite3_initialize(tls); rc != lib.SQLITE_OK {
		t.Fatalf("SQLite does not start: %d", rc)
	}
	d.base = lib.Xsqlite3_vfs_find(tls, 0)
	name, err := libc.CString(d.name)
	if err != nil || d.base == 0 {
		t.Fatalf("there is no file system to stand before: %v", err)
	}
	own := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(lib.Tsqlite3_vfs{})))
	vfs := at[lib.Tsqlite3_vfs](own)
	*vfs = *at[lib.Tsqlite3_vfs](d.base)
	vfs.FpNext, vfs.FzName, vfs.FxOpen = 0, name, pointer(&d.open)
	if rc := lib.Xsqlite3_vfs_register(tls, own, 0); rc != lib.SQLITE_OK {
		t.Fatalf("SQLite refuses the file system: %d", rc)
	}
	t.Cleanup(func() {
		lib.Xsqlite3_vfs_unregister(tls, own)
		libc.Xfree(tls, own)
		libc.Xfree(tls, name)
		for _, m := range d.methods {
			libc.Xfree(tls, m)
		}
		tls.Close()
	})
	return d
}

// at is the C value at p.
func at[T any](p uintptr) *T { return (*T)(*(*unsafe.Pointer)(unsafe.Pointer(&p))) }

// pointer is a C function pointer to f, for as long as f is there. In this translation of SQLite that is what a func
// value holds.
func pointer[F any](f *F) uintptr { return *(*uintptr)(unsafe.Pointer(f)) }

// function is what a C function pointer points to.
func function[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&p)) }

// Name is the disk's name, for sqlite.Options.VFS.
func (d *Disk) Name() string { return d.name }

// FailWrite makes the n-th write from now on fail, once. Shortening a file is a write, too.
func (d *Disk) FailWrite(n int) { d.set(d.failWrite, d.Writes()+n, lib.SQLITE_IOERR_WRITE) }

// FillUp makes the n-th write from now on fail, once, as it does when no space is left.
func (d *Disk) FillUp(n int) { d.set(d.failWrite, d.Writes()+n, lib.SQLITE_FULL) }

// FailSync makes the n-th sync from now on fail, once.
func (d *Disk) FailSync(n int) { d.set(d.failSync, d.Syncs()+n, lib.SQLITE_IOERR_FSYNC) }

func (d *Disk) set(calls map[int]int32, n int, code int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	calls[n] = code
}

// Writes is how many writes there were.
func (d *Disk) Writes() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.writes
}

// Syncs is how many syncs there were.
func (d *Disk) Syncs() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.syncs
}

// count counts a call, and is the code that it fails with.
func (d *Disk) count(n *int, calls map[int]int32) int32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	*n++
	return calls[*n]
}

// system is the system's functions for an open file.
func (d *Disk) system(file uintptr) *lib.Tsqlite3_io_methods {
	d.mu.Lock()
	defer d.mu.Unlock()
	return at[lib.Tsqlite3_io_methods](d.original[at[lib.Tsqlite3_file](file).FpMethods])
}

func (d *Disk) onOpen(tls *libc.TLS, _, path, file uintptr, flags int32, out uintptr) int32 {
	base := at[lib.Tsqlite3_vfs](d.base)
	rc := function[openFunc](base.FxOpen)(tls, d.base, path, file, flags, out)
	f := at[lib.Tsqlite3_file](file)
	if rc != lib.SQLITE_OK || f.FpMethods == 0 {
		return rc
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	ours, ok := d.methods[f.FpMethods]
	if !ok {
		ours = libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(lib.Tsqlite3_io_methods{})))
		m := at[lib.Tsqlite3_io_methods](ours)
		*m = *at[lib.Tsqlite3_io_methods](f.FpMethods)
		m.FxWrite, m.FxTruncate, m.FxSync = pointer(&d.write), pointer(&d.truncate), pointer(&d.sync)
		d.methods[f.FpMethods], d.original[ours] = ours, f.FpMethods
	}
	f.FpMethods = ours
	return rc
}

func (d *Disk) onWrite(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32 {
	if rc := d.count(&d.writes, d.failWrite); rc != 0 {
		return rc
	}
	return function[writeFunc](d.system(file).FxWrite)(tls, file, data, n, offset)
}

func (d *Disk) onTruncate(tls *libc.TLS, file uintptr, size int64) int32 {
	if rc := d.count(&d.writes, d.failWrite); rc != 0 {
		return rc
	}
	return function[truncateFunc](d.system(file).FxTruncate)(tls, file, size)
}

func (d *Disk) onSync(tls *libc.TLS, file uintptr, flags int32) int32 {
	if rc := d.count(&d.syncs, d.failSync); rc != 0 {
		return rc
	}
	return function[syncFunc](d.system(file).FxSync)(tls, file, flags)
}
