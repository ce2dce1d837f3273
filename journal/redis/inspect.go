package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/redis/internal/resp"
)

// Report is what a server says of itself, see Inspect.
type Report struct {
	Address  string        // without secrets
	Server   string        // the version of Redis, as "7.2.4"
	Latency  time.Duration // of one question, over a connection that is there
	Promises Promises
	Format   string // of what is under the prefix; "" when nothing is there yet
	Current  string // the format that this package writes
}

// Inspect looks at a server and changes nothing. Errors are those of Open, ErrPromise among them; the Report then
// has what was found before.
func Inspect(ctx context.Context, dsn string, o Options) (Report, error) {
	r := Report{Current: format}
	d, err := parse(dsn, &o)
	if err != nil {
		return r, &journal.StoreError{Op: "inspect", Err: err}
	}
	s := newStore(d, o)
	defer func() { _ = s.client.Close() }()
	r.Address = s.address
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	err = s.ask(ctx)
	if r.Promises = s.promises; err == nil || errors.Is(err, ErrPromise) {
		err = errors.Join(r.look(ctx, s), err)
	}
	if err != nil {
		return r, s.fail("inspect", "", 0, explain(d, err))
	}
	return r, nil
}

func (r *Report) look(ctx context.Context, s *Store) error {
	info, _, err := resp.Text(s.client.Do(ctx, "INFO", "server"))
	if err != nil {
		return err
	}
	r.Server = fields(info)["redis_version"]
	if r.Format, _, err = resp.Text(s.client.Do(ctx, "HGET", s.key(meta), "format")); err != nil {
		return err
	}
	began := time.Now()
	_, err = s.client.Do(ctx, "PING")
	r.Latency = time.Since(began)
	return err
}

// explain adds to an error of making a connection what can be done about it.
func explain(d *resp.Config, err error) error {
	said, refused := errors.AsType[resp.Error](err)
	code := ""
	if refused {
		code, _, _ = strings.Cut(said.Error(), " ")
	}
	_, unknown := errors.AsType[*net.DNSError](err)
	_, unreachable := errors.AsType[*net.OpError](err)
	var advice string
	switch {
	case code == "NOAUTH":
		advice = "the server wants a password, and none was given: redis://user:password@host, or redis://:password@host for the default user"
	case code == "WRONGPASS":
		advice = "check the user and the password of the address"
	case refused && strings.Contains(said.Error(), "DB index is out of range"):
		advice = fmt.Sprintf("the address names database %d; the server has fewer (its setting databases)", d.DB)
	case unknown:
		advice = "is that the name of the server's machine?"
	case unreachable:
		advice = fmt.Sprintf("is a server running there? redis-cli %s ping", cliPlace(d))
	default:
		return err
	}
	return fmt.Errorf("%w; %s", err, advice)
}

// cliPlace is what redis-cli needs to find a server.
func cliPlace(d *resp.Config) string {
	if d.Network == "unix" {
		return "-s " + d.Addr
	}
	host, port, err := net.SplitHostPort(d.Addr)
	if err != nil {
		return "-h " + d.Addr
	}
	return "-h " + host + " -p " + port
}
