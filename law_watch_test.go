package fermata_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/postgres"
	"github.com/fermata-go/fermata/journal/redis"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// counted is a store that counts what is asked of it.
type counted struct {
	journal.Store
	reads, watches atomic.Int64
}

func (c *counted) Read(ctx context.Context, run string, after uint64) iter.Seq2[journal.Entry, error] {
	c.reads.Add(1)
	return c.Store.Read(ctx, run, after)
}

func (c *counted) Runs(ctx context.Context, f journal.RunFilter) ([]journal.RunRow, error) {
	c.reads.Add(1)
	return c.Store.Runs(ctx, f)
}

func (c *counted) Watch(ctx context.Context, changed func()) error {
	c.watches.Add(1)
	return c.Store.(journal.Watcher).Watch(ctx, changed)
}

func (c *counted) WatchRuns(ctx context.Context, changed func(journal.Change)) error {
	c.watches.Add(1)
	return c.Store.(journal.RunWatcher).WatchRuns(ctx, changed)
}

// handles opens a store of each kind two times, as two processes do.
func handles(t *testing.T) map[string]func(t *testing.T) (here, there journal.Store) {
	both := func(open func() (journal.Store, error)) (here, there journal.Store) {
		here, err1 := open()
		there, err2 := open()
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		return here, there
	}
	return map[string]func(t *testing.T) (here, there journal.Store){
		"sqlite": func(t *testing.T) (here, there journal.Store) {
			path := filepath.Join(t.TempDir(), "runs.db")
			return both(func() (journal.Store, error) { return sqlite.Open(path) })
		},
		"postgres": func(t *testing.T) (here, there journal.Store) {
			dsn, o := testserver.Postgres(t), postgres.Options{Schema: testserver.Schema(t)}
			return both(func() (journal.Store, error) { return postgres.OpenWith(dsn, o) })
		},
		"redis": func(t *testing.T) (here, there journal.Store) {
			dsn, o := testserver.Redis(t), redis.Options{Prefix: testserver.Prefix(t), Accept: redis.Memory, AcceptEviction: true}
			return both(func() (journal.Store, error) { return redis.OpenWith(dsn, o) })
		},
	}
}

// writes appends an entry to a run that nobody drives; after 0 it makes the run.
func writes(t *testing.T, s journal.Store, run string, after uint64) {
	t.Helper()
	b := journal.Batch{Run: run, After: after, Entries: []journal.Entry{{Seq: after + 1, At: 1, Kind: journal.Message, Node: "n", Visit: 1}}}
	if after == 0 {
		b.Row = &journal.RunRow{ID: run, Plan: "p", Kind: "graph", Fingerprint: "f", Status: "running"}
	}
	if err := s.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

// follow has n readers follow a run, and counts the events that they see.
func follow(t *testing.T, rt *fermata.Runtime, run string, n int) (seen *atomic.Int64) {
	ctx, stop := context.WithCancel(t.Context())
	seen = &atomic.Int64{}
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for _, err := range rt.Events(ctx, run, 0, true) {
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				seen.Add(1)
			}
		})
	}
	t.Cleanup(func() { stop(); wg.Wait() })
	return seen
}

func awaitCount(t *testing.T, what string, n *atomic.Int64, want int64) {
	t.Helper()
	for end := time.Now().Add(patience); n.Load() < want; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: %d, expected %d", what, n.Load(), want)
		}
	}
}

// Five hundred readers of one runtime share one watch of their store. A write of another process to one run wakes its
// readers, each once, and reads nothing for those of another run.
func TestE3_FollowersShareOneWatch(t *testing.T) {
	t.Parallel()
	const readers = 250
	for kind, open := range handles(t) {
		t.Run(kind, func(t *testing.T) {
			here, there := open(t)
			defer func() { _, _ = here.Close(), there.Close() }()
			store := &counted{Store: here}
			rt := newRuntime(t, fermata.Options{Store: store, Lease: -1})
			writes(t, there, "run_a", 0)
			writes(t, there, "run_b", 0)
			a, b := follow(t, rt, "run_a", readers), follow(t, rt, "run_b", readers)
			awaitCount(t, "events of a", a, readers)
			awaitCount(t, "events of b", b, readers)
			settle(store)
			before := store.reads.Load()
			const more = 5
			for n := range uint64(more) {
				writes(t, there, "run_a", n+1)
				awaitCount(t, "events of a", a, readers*int64(n+2))
			}
			settle(store)
			// A reader reads the entries and how the run stands; a second sign of one write makes it look again.
			if n := store.reads.Load() - before; n > 2*2*more*readers {
				t.Errorf("%d writes to a have made %d reads for %d readers", more, n, readers)
			}
			// Reads for the writes before may come late, but not for ever; those for c would come with each of its writes.
			var reads int64
			for n, end := uint64(0), time.Now().Add(patience); n == 0 || reads != 0 && time.Now().Before(end); n += 20 {
				before = store.reads.Load()
				for i := range uint64(20) {
					writes(t, there, "run_c", n+i)
				}
				settle(store)
				reads = store.reads.Load() - before
			}
			if reads != 0 {
				t.Errorf("writes to c have made %d reads for the readers of a and b", reads)
			}
			if n := store.watches.Load(); n != 1 {
				t.Errorf("%d readers have %d watches, expected 1", 2*readers, n)
			}
			if n := inotifies(t, filepath.Dir(t.TempDir())); kind == "sqlite" && runtime.GOOS == "linux" && n != 1 {
				t.Errorf("%d readers have %d inotify instances, expected 1", 2*readers, n)
			}
		})
	}
}

// settle returns when nothing has been read for a while.
func settle(s *counted) {
	for before := int64(-1); before != s.reads.Load(); time.Sleep(200 * time.Millisecond) {
		before = s.reads.Load()
	}
}

// inotifies is how many inotify instances of this process watch a folder in this one; 0 where that is not known. Tests
// beside this one have instances for theirs.
func inotifies(t *testing.T, parent string) (n int) {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(parent, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var watched []string // as the kernel shows them
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err != nil {
			t.Fatal(err)
		}
		if number := reflect.Indirect(reflect.ValueOf(info.Sys())).FieldByName("Ino"); number.IsValid() {
			watched = append(watched, fmt.Sprintf(" ino:%x ", number.Uint()))
		}
	}
	files, _ := os.ReadDir("/proc/self/fdinfo")
	for _, f := range files {
		text, err := os.ReadFile("/proc/self/fdinfo/" + f.Name()) // fails for one that is closed by now
		if err == nil && strings.Contains(string(text), "inotify wd:") &&
			slices.ContainsFunc(watched, func(w string) bool { return strings.Contains(string(text), w) }) {
			n++
		}
	}
	return n
}
