package redis

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/redis/internal/resp"
)

// Options are how a server is used. The zero value is ready to use, with a server that keeps its word.
type Options struct {
	// Prefix begins every key, so that several stores, and others, can share a database. Defaults to "fermata:".
	Prefix string
	// Accept is the weakest promise of the server that will do. Defaults to Always: what is acknowledged is on disk.
	Accept Level
	// AcceptEviction allows a server that may throw keys away when its memory is full. A journal that has lost a key is
	// journal.ErrCorrupt. Defaults to refusing any maxmemory-policy but noeviction.
	AcceptEviction bool
	// Timeout bounds how long Open, and then each answer of the server, is waited for. Defaults to 5 seconds.
	Timeout time.Duration
	// Dialer makes connections, for tunnels and tests. Defaults to the network's.
	Dialer func(ctx context.Context, network, address string) (net.Conn, error)
}

// Open uses the server at an address, "redis://user:password@host:6379/0", with the default options. "rediss://" is
// with TLS, "unix:///path/to/socket?db=0" a socket. Of what may follow a "?", two are of this package: "prefix" and
// "accept" (always, everysec, snapshots, memory) set Options; the others, such as pool_size, are the driver's.
//
// The error is a *journal.StoreError that names the address without its password: journal.ErrReadOnly when the
// server cannot be written, journal.ErrCorrupt when there are foreign keys under the prefix, journal.ErrNewer when a
// later version made them, ErrPromise when the server promises less than Options accept.
func Open(dsn string) (*Store, error) { return OpenWith(dsn, Options{}) }

// OpenWith uses the server at an address, see Open. The address counts before the options.
func OpenWith(dsn string, o Options) (*Store, error) {
	d, err := parse(dsn, &o)
	if err != nil {
		return nil, &journal.StoreError{Op: "open", Err: err}
	}
	s := newStore(d, o)
	ctx, cancel := context.WithTimeout(context.Background(), o.Timeout)
	defer cancel()
	if err := s.adopt(ctx); err != nil {
		_ = s.client.Close()
		return nil, s.fail("open", "", 0, explain(d, err))
	}
	return s, nil
}

// parse reads an address. No error of it repeats a part that may belong to a password.
func parse(dsn string, o *Options) (*resp.Config, error) {
	u, err := url.Parse(dsn)
	if err != nil || !slices.Contains([]string{"redis", "rediss", "unix"}, u.Scheme) || u.Opaque != "" {
		return nil, errors.New("the address is not one of a Redis server: expected redis://user:password@host:6379/0, rediss:// or unix://; " +
			"in a password, characters such as / ? # and @ are written %2F %3F %23 and %40")
	}
	q := u.Query()
	if q.Has("prefix") {
		o.Prefix = q.Get("prefix")
	}
	if q.Has("accept") {
		if o.Accept, err = parseLevel(q.Get("accept")); err != nil {
			return nil, err
		}
	}
	q.Del("prefix")
	q.Del("accept")
	u.RawQuery = q.Encode()
	d, err := resp.ParseURL(u.String())
	if err != nil {
		if errors.Is(err, resp.ErrOption) {
			return nil, fmt.Errorf("the address has options that are not known; known are prefix, accept and those of go-redis, found %s",
				strings.Join(slices.Sorted(keys(q)), ", "))
		}
		return nil, errors.New("the address is not complete: expected redis://user:password@host:6379/0, the last being the number of a database; " +
			"options are written ?name=value")
	}
	o.defaults(d)
	return d, nil
}

func keys(q url.Values) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range q {
			if !yield(k) {
				return
			}
		}
	}
}

func (o *Options) defaults(d *resp.Config) {
	if o.Prefix == "" {
		o.Prefix = "fermata:"
	}
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Second
	}
	if d.ReadTimeout == 0 {
		d.ReadTimeout = o.Timeout
	}
	if d.DialTimeout == 0 {
		d.DialTimeout = o.Timeout
	}
	if o.Dialer != nil {
		d.Dialer = o.Dialer
	}
}

// address is what errors name: without a user, a password and options.
func address(d *resp.Config, prefix string) string {
	if d.Network == "unix" {
		return fmt.Sprintf("unix://%s?db=%d (%s)", d.Addr, d.DB, prefix)
	}
	return fmt.Sprintf("redis://%s/%d (%s)", d.Addr, d.DB, prefix)
}

// format is the version of what the keys hold (law J9). Format 1 did not say where runs and interrupts are found,
// format 2 not in which order runs are taken, and format 3 not in which order they have changed.
const format = "4"

// adopt looks at the server and at the keys under the prefix, and makes the first of them.
func (s *Store) adopt(ctx context.Context) error {
	if strings.ContainsRune(s.options.Prefix, 0) {
		return errors.New("the prefix has a NUL in it")
	}
	if err := s.ask(ctx); err != nil {
		return err
	}
	var found string
	_, err := s.call(ctx, func() error {
		_, err := s.client.Do(ctx, "HSETNX", s.key(meta), "format", format)
		if err == nil {
			_, err = s.client.Do(ctx, "HSETNX", s.key(meta), "order", rand.Text()[:16])
		}
		if err == nil {
			found, _, err = resp.Text(s.client.Do(ctx, "HGET", s.key(meta), "format"))
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case found == format:
		return nil
	case found == "1", found == "2", found == "3":
		return s.refill(ctx, found)
	case len(found) > len(format) || len(found) == len(format) && found > format:
		return fmt.Errorf("%w: format %q, this version reads up to %s", journal.ErrNewer, found, format)
	}
	return fmt.Errorf("%w: format %q does not exist", journal.ErrCorrupt, found)
}

// newStore is a store that has not talked to its server yet.
func newStore(d *resp.Config, o Options) *Store {
	return &Store{
		news:    news{wait: defaultTellTime},
		options: o, address: address(d, o.Prefix), db: d.DB, client: resp.NewClient(*d), sender: rand.Text()[:12], done: make(chan struct{}),
		scripts: scripts{
			append: resp.NewScript(appendScript), read: resp.NewScript(readScript), delete: resp.NewScript(deleteScript), claim: resp.NewScript(claimScript), refill: resp.NewScript(refillScript),
			mark: resp.NewScript(markScript), feed: resp.NewScript(feedScript), swap: resp.NewScript(swapScript),
		},
	}
}
