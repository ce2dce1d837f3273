package resp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Config says where a server is and how it is used. A duration below 0 is for ever, and 0 a default.
//
// One struct: each field is an option of an address.
type Config struct {
	Network    string // tcp or unix
	Addr       string
	User       string
	Password   string
	ClientName string
	DB         int
	TLS        *tls.Config // nil for none
	Dialer     func(ctx context.Context, network, address string) (net.Conn, error)

	DialTimeout  time.Duration // Defaults to 5 seconds
	ReadTimeout  time.Duration // of a reply. Defaults to 5 seconds
	WriteTimeout time.Duration // Defaults to ReadTimeout
	PoolSize     int           // connections in use at once. Defaults to 10 for each processor
	PoolTimeout  time.Duration // how long one of them is waited for. Defaults to ReadTimeout and a second
	MaxIdle      int           // connections that are kept. Defaults to PoolSize
	IdleTime     time.Duration // how long one is kept that nobody uses. Defaults to 30 minutes
	Lifetime     time.Duration // how long one is used at all. Defaults to for ever
}

// ErrOption is an option in an address that is not known.
var ErrOption = errors.New("unknown option")

// ParseURL reads the address of a server, with its options.
//
// An address is redis://user:password@host:6379/0, rediss:// with TLS, or unix:///path/to/socket?db=0.
// Its errors repeat nothing that may belong to a password. The options are those of widespread clients; the ones that
// mean nothing here, such as those of repeating commands, are taken and do nothing.
func ParseURL(address string) (*Config, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("not a URL")
	}
	c := &Config{Network: "tcp", User: u.User.Username()}
	c.Password, _ = u.User.Password()
	switch u.Scheme {
	case "unix":
		c.Network, c.Addr = "unix", u.Path
		if strings.TrimSpace(u.Path) == "" {
			return nil, errors.New("no path of a socket")
		}
	case "redis", "rediss":
		host, port := u.Hostname(), u.Port()
		if host == "" {
			host = "localhost"
		}
		if port == "" {
			port = "6379"
		}
		c.Addr = net.JoinHostPort(host, port)
		if u.Scheme == "rediss" {
			c.TLS = &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
		}
		if db := strings.Trim(u.Path, "/"); db != "" {
			if c.DB, err = strconv.Atoi(db); err != nil {
				return nil, errors.New("the path is not the number of a database")
			}
		}
	default:
		return nil, errors.New("not the address of a Redis server")
	}
	return c, c.options(u.Query())
}

// ignored are options of other clients that mean nothing here: this one repeats nothing and speaks one protocol.
var ignored = []string{
	"protocol", "max_retries", "min_retry_backoff", "max_retry_backoff", "pool_fifo", "min_idle_conns", "max_concurrent_dials",
	"pipeline_pool_size", "pipeline_read_buffer_size", "pipeline_write_buffer_size", "conn_max_lifetime_jitter",
}

func (c *Config) options(q url.Values) error {
	number := func(to *int) func(string) error {
		return func(text string) (err error) {
			*to, err = strconv.Atoi(text)
			return err
		}
	}
	duration := func(to *time.Duration) func(string) error {
		return func(text string) (err error) {
			if seconds, err := strconv.Atoi(text); err == nil {
				*to = time.Duration(seconds) * time.Second
			} else if *to, err = time.ParseDuration(text); err != nil {
				return err
			}
			if *to <= 0 {
				*to = -1
			}
			return nil
		}
	}
	known := map[string]func(string) error{
		"db":                 number(&c.DB),
		"client_name":        func(text string) error { c.ClientName = text; return nil },
		"dial_timeout":       duration(&c.DialTimeout),
		"read_timeout":       duration(&c.ReadTimeout),
		"write_timeout":      duration(&c.WriteTimeout),
		"pool_size":          number(&c.PoolSize),
		"max_active_conns":   number(&c.PoolSize),
		"pool_timeout":       duration(&c.PoolTimeout),
		"max_idle_conns":     number(&c.MaxIdle),
		"idle_timeout":       duration(&c.IdleTime),
		"conn_max_idle_time": duration(&c.IdleTime),
		"max_conn_age":       duration(&c.Lifetime),
		"conn_max_lifetime":  duration(&c.Lifetime),
	}
	if c.TLS != nil {
		known["skip_verify"] = func(text string) (err error) {
			c.TLS.InsecureSkipVerify, err = strconv.ParseBool(text)
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		set, ok := known[name]
		switch text := q.Get(name); {
		case slices.Contains(ignored, name), ok && text == "":
		case !ok:
			return fmt.Errorf("%w: %s", ErrOption, name)
		case set(text) != nil:
			return fmt.Errorf("the option %s has a value that is not one", name)
		}
	}
	return nil
}

// filled is the configuration with its defaults.
func (c Config) filled() Config {
	fill := func(d *time.Duration, by time.Duration) {
		switch {
		case *d == 0:
			*d = by
		case *d < 0:
			*d = 0
		}
	}
	fill(&c.DialTimeout, 5*time.Second)
	fill(&c.ReadTimeout, 5*time.Second)
	fill(&c.WriteTimeout, c.ReadTimeout)
	fill(&c.IdleTime, 30*time.Minute)
	fill(&c.Lifetime, 0)
	if c.PoolTimeout == 0 && c.ReadTimeout > 0 {
		c.PoolTimeout = c.ReadTimeout + time.Second
	}
	fill(&c.PoolTimeout, 0)
	if c.PoolSize <= 0 {
		c.PoolSize = 10 * runtime.GOMAXPROCS(0)
	}
	if c.MaxIdle <= 0 || c.MaxIdle > c.PoolSize {
		c.MaxIdle = c.PoolSize
	}
	if c.Dialer == nil {
		c.Dialer = (&net.Dialer{KeepAlive: 5 * time.Minute}).DialContext
	}
	return c
}
