package redis

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/storekind"
)

// Kind is the kind of store of this package, whose addresses are redis://…, rediss://… and unix://….
type Kind struct{}

// About implements [storekind.Kind].
func (Kind) About() storekind.About {
	return storekind.About{
		Name: "redis", Schemes: []string{"rediss", "unix"}, Place: storekind.Server, Address: "redis://HOST:6379/0",
		Variable: "FERMATA_REDIS", Password: passwordVariable, Secrets: []string{passwordVariable},
		Public: []string{
			"accept", "prefix", "db", "protocol", "client_name", "dial_timeout", "read_timeout", "write_timeout", "max_retries", "pool_size", "pool_timeout",
			"skip_verify", "addr",
		},
	}
}

// passwordVariable holds a password for addresses without one, as for redis-cli.
const passwordVariable = "REDISCLI_AUTH" //nolint:gosec // the name of a variable

// prepared does what the options ask for, and returns the address with its password.
func prepared(address string, o *storekind.Options) string {
	u, err := url.Parse(address)
	password := o.Env(passwordVariable)
	if err != nil || password == "" {
		return address
	}
	if _, given := u.User.Password(); !given {
		u.User = url.UserPassword(u.User.Username(), password)
	}
	return u.String()
}

// Open implements [storekind.Kind].
func (Kind) Open(address string, o storekind.Options) (journal.Store, error) {
	s, err := Open(prepared(address, &o))
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Inspect implements [storekind.Inspector].
func (Kind) Inspect(ctx context.Context, address string, o storekind.Options) (found []storekind.Finding, ready bool, err error) {
	r, err := Inspect(ctx, prepared(address, &o), Options{})
	if err != nil && !errors.Is(err, ErrPromise) {
		return nil, false, err
	}
	keeps := storekind.Finding{Check: "promises", Found: r.Promises.String()}
	switch {
	case err != nil:
		keeps.Level = storekind.Bad
		keeps.Advice = fmt.Sprintf("CONFIG SET appendonly yes, appendfsync always, maxmemory-policy noeviction; "+
			"or accept what it does: ?accept=%v in the address", r.Promises.Level)
	case r.Promises.Level != Always || r.Promises.Evicts || r.Promises.Replicas > 0:
		keeps.Level = storekind.Warning
	}
	kept := storekind.Finding{Check: "format", Found: r.Format}
	if r.Format == "" {
		kept.Absent, kept.Found = true, "nothing is there yet: the first run makes it"
	}
	server := storekind.Finding{Check: "server", Found: fmt.Sprintf("Redis %s, answers in %v", r.Server, r.Latency.Round(10*time.Microsecond))}
	return []storekind.Finding{server, keeps, kept}, err == nil && r.Format != "", nil
}

// Promise implements [storekind.Promiser].
func (s *Store) Promise() string { return s.Promises().String() }
