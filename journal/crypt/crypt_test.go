package crypt_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/crypt"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/postgres"
	"github.com/fermata-go/fermata/journal/redis"
	"github.com/fermata-go/fermata/journal/sqlite"
)

func TestMain(m *testing.M) {
	lawtest.CollectLess()
	lawtest.KeepFilesInMemory()
	goleak.VerifyTestMain(m)
}

// key is a key of the tests, the same for the same id.
func key(id string) crypt.Key {
	secret := bytes.Repeat([]byte{7}, crypt.SecretSize)
	copy(secret, id)
	return crypt.Key{ID: id, Secret: secret}
}

// ring are keys of the tests, the current one first.
func ring(ids ...string) crypt.Keys {
	var k crypt.Keys
	for i, id := range ids {
		if i == 0 {
			k.Current = key(id)
		} else {
			k.Older = append(k.Older, key(id))
		}
	}
	return k
}

func wrap(t testing.TB, inner journal.Store, keys crypt.Keys) journal.Store {
	t.Helper()
	s, err := crypt.Wrap(inner, keys)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A sealed store does all that the store does which it seals, with each of the capabilities that this has.
func TestJ15_ASealedStoreIsAStore(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		journaltest.Run(t, func(t *testing.T) journal.Store { return wrap(t, memory.New(), ring("new", "old")) })
	})
	places := make(map[journal.Store]func(t *testing.T) journal.Store) // how a store is opened again
	open := func(t *testing.T, again func(t *testing.T) journal.Store) journal.Store {
		s := wrap(t, again(t), ring("new", "old"))
		places[s] = again
		return s
	}
	suite := func(t *testing.T, each func(t *testing.T) func(t *testing.T) journal.Store) {
		journaltest.RunWith(t, journaltest.Options{
			Open: func(t *testing.T) journal.Store { return open(t, each(t)) },
			Reopen: func(t *testing.T, s journal.Store) journal.Store {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				return open(t, places[s])
			},
			Second: func(t *testing.T, s journal.Store) journal.Store { return open(t, places[s]) },
		})
	}
	t.Run("sqlite", func(t *testing.T) {
		suite(t, func(t *testing.T) func(t *testing.T) journal.Store {
			path := filepath.Join(t.TempDir(), "runs.db")
			return func(t *testing.T) journal.Store {
				s, err := sqlite.OpenWith(path, sqlite.Options{Sync: sqlite.Normal})
				return must(t, s, err)
			}
		})
	})
	t.Run("postgres", func(t *testing.T) {
		if os.Getenv("FERMATA_EXPLORE") == "" {
			t.Skip("redis has the same capabilities but one, which sqlite has: set FERMATA_EXPLORE")
		}
		suite(t, func(t *testing.T) func(t *testing.T) journal.Store {
			address, o := testserver.Postgres(t), postgres.Options{Schema: testserver.Schema(t), Conns: 8}
			return func(t *testing.T) journal.Store {
				s, err := postgres.OpenWith(address, o)
				return must(t, s, err)
			}
		})
	})
	t.Run("redis", func(t *testing.T) {
		suite(t, func(t *testing.T) func(t *testing.T) journal.Store {
			address, o := testserver.Redis(t), redis.Options{Prefix: testserver.Prefix(t), Accept: redis.Memory, AcceptEviction: true}
			return func(t *testing.T) journal.Store {
				s, err := redis.OpenWith(address, o)
				return must(t, s, err)
			}
		})
	})
}

func must(t testing.TB, s journal.Store, err error) journal.Store {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// bare is a store without any capability.
type bare struct{ journal.Store }

// A sealed store has the capabilities of its inner store, and no other.
func TestJ15_CapabilitiesAreThoseOfTheInnerStore(t *testing.T) {
	file, err := sqlite.Open(filepath.Join(t.TempDir(), "runs.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, inner := range []journal.Store{bare{memory.New()}, memory.New(), file} {
		for depth, s := 0, inner; depth < 3; depth++ {
			for name, same := range map[string]bool{
				"Watcher":      has[journal.Watcher](s) == has[journal.Watcher](inner),
				"RunWatcher":   has[journal.RunWatcher](s) == has[journal.RunWatcher](inner),
				"HeadReader":   has[journal.HeadReader](s) == has[journal.HeadReader](inner),
				"Clock":        has[journal.Clock](s) == has[journal.Clock](inner),
				"Leaser":       has[journal.Leaser](s) == has[journal.Leaser](inner),
				"DriverLister": has[journal.DriverLister](s) == has[journal.DriverLister](inner),
				"Compactor":    has[journal.Compactor](s) == has[journal.Compactor](inner),
				"Promiser":     has[interface{ Promise() string }](s) == has[interface{ Promise() string }](inner),
			} {
				if !same {
					t.Errorf("%T sealed %d times: %s is not as it is of the store itself", inner, depth, name)
				}
			}
			s = wrap(t, s, ring(fmt.Sprint("key", depth)))
		}
	}
	if has[journal.Leaser](bare{}) || !has[journal.Leaser](memory.New()) || !has[journal.Compactor](file) {
		t.Error("the stores of this test do not differ")
	}
}

func has[T any](s journal.Store) bool {
	_, ok := journal.As[T](s)
	return ok
}
