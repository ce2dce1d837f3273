package redis_test

import (
	"net/url"
	"slices"
	"testing"

	driver "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"go.uber.org/goleak"

	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/redis"
)

func TestMain(m *testing.M) {
	lawtest.RunBeside(8)
	driver.SetLogger(&logging.VoidLogger{}) // servers go away here all the time
	goleak.VerifyTestMain(m)
}

// server is the address of the server to test with.
func server(t testing.TB) string {
	t.Helper()
	return testserver.Redis(t)
}

// raw is a client of the same server, for looking behind a store.
func raw(t testing.TB) *driver.Client {
	t.Helper()
	o, err := driver.ParseURL(server(t))
	if err != nil {
		t.Fatal(err)
	}
	c := driver.NewClient(o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// prefix is one of the test's own, whose keys are removed at its end.
func prefix(t testing.TB) string {
	t.Helper()
	return testserver.Prefix(t)
}

func openWith(t testing.TB, p string, o redis.Options) *redis.Store {
	t.Helper()
	o.Prefix, o.Accept = p, redis.Memory // whatever the server for tests does
	s, err := redis.OpenWith(server(t), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// open is a store that the test closes.
func open(t testing.TB, p string) *redis.Store {
	t.Helper()
	s := openWith(t, p, redis.Options{})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	t.Parallel()
	prefixes := make(map[journal.Store]string)
	again := func(t *testing.T, p string) journal.Store {
		s := openWith(t, p, redis.Options{})
		prefixes[s] = p
		return s
	}
	journaltest.RunWith(t, journaltest.Options{
		Open: func(t *testing.T) journal.Store { return again(t, prefix(t)) },
		Reopen: func(t *testing.T, s journal.Store) journal.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return again(t, prefixes[s])
		},
		Second: func(t *testing.T, s journal.Store) journal.Store { return again(t, prefixes[s]) },
	})
}

// withQuery is the address of the server with options behind it.
func withQuery(t *testing.T, values url.Values) string {
	t.Helper()
	u, err := url.Parse(server(t))
	if err != nil {
		t.Fatal(err)
	}
	u.RawQuery = values.Encode()
	return u.String()
}

// keysOf are the keys under a prefix, in order.
func keysOf(t *testing.T, p string) (list []string) {
	t.Helper()
	for it := raw(t).Scan(t.Context(), 0, p+"*", 1000).Iterator(); it.Next(t.Context()); {
		list = append(list, it.Val())
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// dump is all that is kept under a prefix.
func dump(t *testing.T, p string) map[string]string {
	t.Helper()
	c, all := raw(t), make(map[string]string)
	for _, k := range keysOf(t, p) {
		data, err := c.Dump(t.Context(), k).Result()
		if err != nil {
			t.Fatal(err)
		}
		all[k] = data
	}
	return all
}
