package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/sqlite"
)

func openFile(t testing.TB, path string, o sqlite.Options) *sqlite.Store {
	t.Helper()
	s, err := sqlite.OpenWith(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStore(t *testing.T) {
	for name, sync := range map[string]sqlite.Sync{"Full": sqlite.Full, "Normal": sqlite.Normal} {
		t.Run(name, func(t *testing.T) {
			paths := make(map[journal.Store]string)
			journaltest.RunWith(t, journaltest.Options{
				Open: func(t *testing.T) journal.Store {
					path := filepath.Join(t.TempDir(), "folder", "a %?#é.db")
					s := openFile(t, path, sqlite.Options{Sync: sync})
					paths[s] = path
					return s
				},
				Reopen: func(t *testing.T, s journal.Store) journal.Store {
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
					again := openFile(t, paths[s], sqlite.Options{Sync: sync})
					paths[again] = paths[s]
					return again
				},
				Second: func(t *testing.T, s journal.Store) journal.Store {
					return openFile(t, paths[s], sqlite.Options{Sync: sync})
				},
			})
		})
	}
}
