package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	codes "modernc.org/sqlite/lib"

	"github.com/fermata-go/fermata/journal"
)

// Sync says what a durable append waits for.
type Sync uint8

// Levels of Sync.
const (
	// Full waits until the batch is on disk: it survives a loss of power. This is what law J2 asks for.
	Full Sync = iota
	// Normal waits until the operating system has the batch, which then survives the end of the process. A loss of
	// power leaves a journal that ends earlier, but is whole.
	Normal
)

// Options are how a file is opened. The zero value is ready to use.
//
// With ReadOnly, a file that cannot be written, or in a folder that cannot, is read and nothing is made beside it, also of an
// earlier schema. Where nobody has it open for writing then, it is read as it is: open it again to see what others write later.
type Options struct {
	Sync     Sync          // of appends with journal.Sync. Defaults to Full
	ReadOnly bool          // read a file that exists, see below; every write fails with journal.ErrReadOnly
	Busy     time.Duration // how long to wait for other processes. Defaults to 10 seconds
	Within   time.Duration // how long an append with journal.Async may stay in memory. Defaults to 50 milliseconds
	MaxPages int           // how many pages of 4 KB the file may have; more is journal.ErrNoSpace. Defaults to no bound
	VFS      string        // SQLite's name of the file system to use, for tests. Defaults to the system's
}

// Open opens the file at path with the default options, and makes it if it does not exist. It also makes the folders
// above it. Only their owner can read the file.
//
// The error is a *journal.StoreError that names the file: journal.ErrReadOnly when it cannot be written,
// journal.ErrCorrupt when it is damaged or not a file of this package, journal.ErrNewer when a later version made it.
func Open(path string) (*Store, error) { return OpenWith(path, Options{}) }

// MustOpen is Open for the variables of a program's main. It panics on an error.
func MustOpen(path string) *Store {
	s, err := Open(path)
	if err != nil {
		panic(err)
	}
	return s
}

// OpenWith opens the file at path, see Open.
func OpenWith(path string, o Options) (*Store, error) {
	s, err := open(path, o)
	if err != nil {
		return nil, &journal.StoreError{Op: "open", File: path, Err: err}
	}
	return s, nil
}

func open(path string, o Options) (*Store, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if o.Busy <= 0 {
		o.Busy = 10 * time.Second
	}
	if o.Within <= 0 {
		o.Within = 50 * time.Millisecond
	}
	if err := prepareFile(abs, o.ReadOnly); err != nil {
		return nil, err
	}
	still := o.ReadOnly && unwritable(abs)
	first, err := connect(config{path: abs, vfs: o.VFS, readOnly: o.ReadOnly, still: still, quiet: still && isQuiet(abs), busy: o.Busy})
	if err != nil {
		return nil, typed(err)
	}
	if err := adopt(first, o); err != nil {
		_ = first.close()
		return nil, typed(err)
	}
	s, err := newStore(path, abs, o, first)
	if err != nil {
		_ = first.close()
		return nil, typed(err)
	}
	return s, nil
}

// prepareFile makes the file and the folders above it, for their owner only, unless it is there. It never opens the
// file itself: closing it again would take away the locks that this process may hold on it (POSIX wants it so).
func prepareFile(path string, readOnly bool) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		err = &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	case errors.Is(err, fs.ErrNotExist) && !readOnly:
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = createFile(path)
		}
	}
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w: %w", journal.ErrNoSpace, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR):
		return fmt.Errorf("%w: %w", journal.ErrReadOnly, err)
	}
	return err
}

// createFile makes an empty file, which gets its name when it has been closed.
func createFile(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".fermata-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // the attempt alone was the point
	if err := f.Close(); err != nil {
		return err
	}
	err = os.Link(f.Name(), path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	if f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err != nil { // a file system without links
		return err
	}
	return f.Close()
}

// adopt checks that the file is one of ours, or makes it one when it is empty, and sets the connection up to write.
func adopt(c *conn, o Options) error {
	fresh, err := inspect(c)
	if o.ReadOnly && err == nil {
		return readOld(c, fresh)
	}
	if err != nil {
		return err
	}
	if fresh { // else it has no effect, and the file keeps what it has
		if err := c.pragma("auto_vacuum = INCREMENTAL"); err != nil {
			return err
		}
	}
	// Another process may be doing the same: SQLite does not wait for this change of mode by itself.
	deadline := time.Now().Add(o.Busy)
	for {
		err := c.pragma("journal_mode = WAL")
		if err == nil {
			break
		}
		if code(err) != codes.SQLITE_BUSY || time.Now().After(deadline) {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	for _, p := range writerPragmas(o) {
		if err := c.pragma(p); err != nil {
			return err
		}
	}
	// A file that cannot be written fails here, and not with the first append.
	if _, err := c.exec(begin); err != nil {
		return err
	}
	if fresh {
		fresh, err = inspect(c)
	}
	if err == nil && fresh {
		err = c.script(schema + fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;", applicationID, schemaVersion))
	}
	if err == nil {
		err = upgrade(c)
	}
	if err == nil {
		_, err = c.exec(commit)
	}
	if err != nil {
		_, _ = c.exec(rollback)
	}
	return err
}

// readOld sets a connection up that may not write, on a file of this version or an earlier one.
func readOld(c *conn, fresh bool) error {
	if fresh {
		return fmt.Errorf("%w: the file is empty", journal.ErrCorrupt)
	}
	version, err := c.integer("PRAGMA user_version")
	if err == nil {
		err = c.script(views(version))
	}
	return err
}

// views are what a connection that may not write needs to read a file of a schema.
func views(version int64) string {
	switch version {
	case 1:
		return undriven
	case 2:
		return unlabelled
	case 3:
		return turnless
	case 4:
		return noCells
	}
	return ""
}

// upgrade brings a file of an earlier version to this one, within a transaction.
func upgrade(c *conn) error {
	version, err := c.integer("PRAGMA user_version")
	for ; err == nil && version < schemaVersion; version++ {
		err = c.script(fmt.Sprintf("%sPRAGMA user_version = %d;", upgrades[version-1], version+1))
		if err == nil && version+1 == 3 {
			err = refill(c)
		}
	}
	return err
}

// writerPragmas set up the connection that writes. Its log goes up to 16 MB before it is brought into the file, which takes
// several milliseconds in which nobody writes: less often than SQLite's own 4 MB, fewer writers meet it.
func writerPragmas(o Options) []string {
	pragmas := []string{"synchronous = FULL", "wal_autocheckpoint = 4000", "journal_size_limit = 33554432", "cache_size = -8192"}
	if o.Sync == Normal {
		pragmas[0] = "synchronous = NORMAL"
	}
	if o.MaxPages > 0 {
		pragmas = append(pragmas, fmt.Sprint("max_page_count = ", o.MaxPages))
	}
	return pragmas
}

// inspect reports whether the file is empty, and an error when it is not ours.
func inspect(c *conn) (fresh bool, err error) {
	objects, err := c.integer("SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return false, err
	}
	id, err := c.integer("PRAGMA application_id")
	if err != nil {
		return false, err
	}
	version, err := c.integer("PRAGMA user_version")
	switch {
	case err != nil:
		return false, err
	case objects == 0 && id == 0 && version == 0:
		return true, nil
	case id != applicationID:
		return false, fmt.Errorf("%w: this is another program's SQLite file (application id %#x, expected %#x)", journal.ErrCorrupt, id, applicationID)
	case version > schemaVersion:
		return false, fmt.Errorf("%w: schema %d, this version reads up to %d", journal.ErrNewer, version, schemaVersion)
	case version < 1:
		return false, fmt.Errorf("%w: schema %d does not exist", journal.ErrCorrupt, version)
	}
	return false, nil
}
