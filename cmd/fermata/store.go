package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/postgres"
	"github.com/fermata-go/fermata/journal/redis"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// Kinds of stores, as recipes and addresses name them.
const (
	kindMemory   = "memory"
	kindSQLite   = "sqlite"
	kindPostgres = "postgres"
	kindRedis    = "redis"
)

// dsn says where runs are kept.
type dsn struct {
	kind string
	at   string // the path of a file, or the address of a server with its secrets; never shown
	from string // what named it: --store, a variable, or "" for the default
	flag string // what --store takes for it in commands that are shown; "" where they find it without
}

func (d dsn) memory() bool { return d.kind == kindMemory }

// isFile reports whether the store is a file, which may not be there yet.
func (d dsn) isFile() bool { return d.kind == kindSQLite }

// String is the store without its secrets.
func (d dsn) String() string {
	switch d.kind {
	case kindMemory:
		return "memory:"
	case kindSQLite:
		return d.at
	}
	return withoutSecrets(d.kind, d.at)
}

// withoutSecrets is the address of a server without passwords.
func withoutSecrets(kind, address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" || u.Scheme == "" {
		return kind + "://…" // which part is a password cannot be told
	}
	if name := u.User.Username(); name != "" {
		u.User = url.User(name)
	} else {
		u.User = nil
	}
	q := u.Query()
	for name := range q {
		if !slices.Contains(shownOptions, name) { // one that is misspelt may be a password
			q.Del(name)
		}
	}
	if u.RawQuery != "" {
		u.RawQuery = q.Encode()
	}
	u.Fragment = ""
	return u.String()
}

// shownOptions are those of an address that are no secrets.
var shownOptions = []string{
	"user", "accept", "host", "hostaddr", "port", "dbname", "db", "sslmode", "sslrootcert", "sslcert", "sslnegotiation", "channel_binding", "target_session_attrs",
	"application_name", "connect_timeout", "options", "search_path", "protocol", "client_name", "dial_timeout", "read_timeout", "write_timeout",
	"max_retries", "pool_size", "pool_timeout", "pool_max_conns", "pool_min_conns", "pool_max_conn_lifetime", "pool_max_conn_idle_time",
	"pool_health_check_period", "skip_verify", "addr", "default_query_exec_mode",
}

// withSecrets is an address as it is written elsewhere: the same text where nothing of it is a secret.
func withSecrets(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.String()
	}
	return address
}

// passwords say where a password may be but in the address.
var passwords = map[string]string{kindPostgres: "PGPASSWORD or ~/.pgpass", kindRedis: "REDISCLI_AUTH"}

// storeVariables name the address of a server of each kind.
var storeVariables = map[string]string{kindPostgres: "FERMATA_POSTGRES", kindRedis: "FERMATA_REDIS"}

// servers are the kinds of stores that are servers, with an address as it may look.
var servers = map[string]string{
	kindPostgres: "postgres://USER@HOST/DATABASE", kindRedis: "redis://HOST:6379/0",
}

// storeDSN settles which store is meant: --store, else FERMATA_STORE, else a file in the XDG state folder.
func (m *Main) storeDSN() (d dsn, err error) {
	switch {
	case m.global.store != "":
		d, err = parseDSN(m.global.store, "--store")
		d.flag = d.String()
		switch {
		case d.at == "" || d.isFile():
			d.flag = m.global.store
		case err == nil && d.flag != withSecrets(d.at):
			m.hidden = "the password is left out of these commands: " + passwords[d.kind] + " may have it"
			if !m.warned && m.err != nil {
				m.warned = true
				m.err.Println(m.err.Styles().Wait.Apply("warning: ") + "--store holds what may be a password, and every user of this machine can read the " +
					"arguments of its processes: put the address into FERMATA_STORE or " + storeVariables[d.kind] + ", or the password into " + passwords[d.kind])
			}
		}
	case m.Getenv("FERMATA_STORE") != "":
		d, err = parseDSN(m.Getenv("FERMATA_STORE"), "FERMATA_STORE")
	default:
		d, err = m.defaultFile()
	}
	if err != nil || d.at != "" || servers[d.kind] == "" {
		m.shown = d.flag
		return d, err
	}
	named, err := m.serverOf(d.kind)
	switch {
	case err != nil:
		return d, err
	case named.kind == "":
		return d, usagef("%s %q: expected the address of a server, %s, here or in %s", d.from, d.kind+":", servers[d.kind], storeVariables[d.kind])
	}
	named.flag = d.flag
	m.shown = d.flag
	return named, nil
}

func (m *Main) defaultFile() (dsn, error) {
	folder, err := m.stateFolder()
	return dsn{kind: kindSQLite, at: filepath.Join(folder, "fermata.db")}, err
}

// serverOf is the server of a kind that the environment names: in FERMATA_STORE, or in the variable of its kind. Without
// one it is the zero dsn.
func (m *Main) serverOf(kind string) (dsn, error) {
	for _, name := range []string{"FERMATA_STORE", storeVariables[kind]} {
		text := m.Getenv(name)
		if text == "" {
			continue
		}
		d, err := parseDSN(text, name)
		switch {
		case err != nil:
			return dsn{}, err
		case d.kind == kind && d.at != "":
			return d, nil
		case name != "FERMATA_STORE":
			return dsn{}, usagef("%s: expected %s, found a store of kind %s", name, servers[kind], d.kind)
		}
	}
	return dsn{}, nil
}

// storeFor is the store for a recipe that asks for a kind of it in state.persistence: --store where it is of that kind,
// else what the environment has of it, else for sqlite the default file. ephemeral takes any store.
func (m *Main) storeFor(kind, file string) (dsn, error) {
	plain, err := m.storeDSN()
	if err != nil || kind == "" || kind == "ephemeral" || plain.kind == kind {
		return plain, err
	}
	if plain.from == "--store" || plain.flag != "" {
		return dsn{}, invalidf("--store %v is a store of kind %s, and %s asks for %s (state.persistence): leave --store away, give one of kind %s, "+
			"or let the recipe say ephemeral, which takes any store", plain, plain.kind, file, kind, kind)
	}
	d, err := m.serverOf(kind)
	switch {
	case err != nil:
		return dsn{}, err
	case d.kind != "":
		d.flag = kind + ":"
	case kind == kindSQLite:
		if d, err = m.defaultFile(); err != nil {
			return dsn{}, err
		}
		d.flag = d.at
	default:
		return dsn{}, invalidf("%s asks for %s (state.persistence), and no such store is configured: expected --store %s, or that address in "+
			"%s or FERMATA_STORE; found %v (%s). A recipe that says ephemeral takes any store",
			file, kind, servers[kind], storeVariables[kind], plain, plain.origin())
	}
	m.shown = d.flag
	return d, nil
}

// origin is what named the store.
func (d dsn) origin() string {
	if d.from == "" {
		return "the default"
	}
	return d.from
}

// Texts that are no paths, whatever they were meant to be: an address with keywords, as libpq knows it, and one in which
// somebody stands in front of a host.
var (
	keywordAddress = regexp.MustCompile(`(?i)^\s*(host|hostaddr|port|dbname|user|password|passfile|service|sslmode|application_name|connect_timeout)\s*=`)
	looksAddress   = regexp.MustCompile(`//[^/\\]*@|^[^/\\]*:[^/\\]*@`)
)

func parseDSN(text, from string) (dsn, error) {
	scheme, rest, found := strings.Cut(text, ":")
	switch {
	case keywordAddress.MatchString(text):
		return dsn{kind: kindPostgres, at: text, from: from}, nil
	case (!found || strings.ContainsAny(scheme, `/\.`) || len(scheme) == 1) && looksAddress.MatchString(text):
		return dsn{}, usagef("%s: expected memory:, a path, sqlite:PATH, %s or %s; found what looks like the address of a server, without its kind "+
			"in front of :// (it is not shown: it may hold a password; a file of that name is sqlite:PATH)", from, servers[kindPostgres], servers[kindRedis])
	case !found || strings.ContainsAny(scheme, `/\.`) || len(scheme) == 1: // a path; C:\ is one too
		return dsn{kind: kindSQLite, at: text, from: from}, nil
	}
	switch strings.ToLower(scheme) {
	case "memory":
		if rest != "" {
			return dsn{}, usagef("%s: memory: takes nothing after the colon, found %d characters", from, len(rest))
		}
		return dsn{kind: kindMemory, from: from}, nil
	case "sqlite", "file":
		rest = strings.TrimPrefix(rest, "//")
		if rest == "" {
			return dsn{}, usagef("%s %q: expected sqlite:PATH, found no path", from, text)
		}
		return dsn{kind: kindSQLite, at: rest, from: from}, nil
	case "postgres", "postgresql":
		return serverDSN(kindPostgres, text, rest, from)
	case "redis", "rediss", "unix":
		return serverDSN(kindRedis, text, rest, from)
	}
	known := []string{kindMemory, kindSQLite, kindPostgres, kindRedis}
	return dsn{}, usagef("%s: unknown kind of store %q; expected memory:, a path, sqlite:PATH, %s or %s%s",
		from, scheme, servers[kindPostgres], servers[kindRedis], nearest.Hint(scheme, known))
}

// serverDSN is a server's address. Without one it is what the environment has of its kind.
func serverDSN(kind, text, rest, from string) (dsn, error) {
	switch {
	case rest == "":
		return dsn{kind: kind, from: from}, nil
	case !strings.HasPrefix(rest, "//"):
		return dsn{}, usagef("%s: expected %s, found no // after the kind", from, servers[kind])
	}
	return dsn{kind: kind, at: text, from: from}, nil
}

// stateFolder is where the command keeps its own files.
func (m *Main) stateFolder() (string, error) {
	if folder := m.Getenv("XDG_STATE_HOME"); filepath.IsAbs(folder) {
		return filepath.Join(folder, "fermata"), nil
	}
	home := m.Getenv("HOME")
	if home == "" {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			return "", &journal.StoreError{Op: "open", Err: fmt.Errorf("no --store, no FERMATA_STORE, and no home folder: %w", err)}
		}
	}
	return filepath.Join(home, ".local", "state", "fermata"), nil
}

// openStore opens a store that outlives the process.
func (m *Main) openStore(d dsn) (journal.Store, error) {
	switch d.kind {
	case kindPostgres:
		return opened(postgres.Open(d.at))
	case kindRedis:
		quietRedis()
		return opened(redis.Open(m.redisAddress(d)))
	}
	return opened(sqlite.Open(d.at))
}

// opened is a store, or no store: never an interface around a nil.
func opened[S journal.Store](s S, err error) (journal.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// quietRedis keeps the driver, which knows one logger for all of a process, off stderr: what matters it returns.
var quietRedis = sync.OnceFunc(func() { goredis.SetLogger(&logging.VoidLogger{}) })

// redisAddress is an address with the password of REDISCLI_AUTH, which redis-cli reads too, where it has none.
func (m *Main) redisAddress(d dsn) string {
	u, err := url.Parse(d.at)
	word := m.Getenv("REDISCLI_AUTH")
	if err != nil || word == "" {
		return d.at
	}
	if _, given := u.User.Password(); !given {
		u.User = url.UserPassword(u.User.Username(), word)
	}
	return u.String()
}

// house is an open runtime with its store.
type house struct {
	*fermata.Runtime
	store journal.Store
	dsn   dsn
	flush func() // exports what the observer has made
}

// open opens the store, which is made where it is not there, and a runtime on it. Close it.
func (m *Main) open(o fermata.Options) (*house, error) {
	d, err := m.storeDSN()
	if err != nil {
		return nil, err
	}
	return m.openAt(d, o)
}

func (m *Main) openAt(d dsn, o fermata.Options) (_ *house, err error) {
	log := o.Logger
	if log == nil {
		log = (&logLines{show: m.err.Println}).logger(m.global.verbose)
	}
	if m.global.verbose {
		o.Logger = log
	}
	o.Services = append(o.Services, m.models)
	h := &house{dsn: d}
	m.forgets = d.memory()
	if o.Observer, h.flush, err = m.observer(log); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			h.flush()
		}
	}()
	if !d.memory() {
		if h.store, err = m.openStore(d); err != nil {
			return nil, err
		}
		o.Store = h.store
	}
	if h.Runtime, err = fermata.New(o); err != nil {
		if h.store != nil {
			_ = h.store.Close()
		}
		return nil, err
	}
	return h, nil
}

// Close stops driving and closes the store.
func (h *house) Close() error {
	err := h.Runtime.Close()
	h.flush()
	if h.store != nil {
		err = errors.Join(err, h.store.Close())
	}
	return err
}

// withStore opens the store for a command that looks or records, and closes it. A file that is not there yet
// is an empty store, and is not made.
func (m *Main) withStore(ctx context.Context, do func(ctx context.Context, h *house) error) error {
	d, err := m.storeDSN()
	if err != nil {
		return err
	}
	shown := d
	if d.isFile() {
		if _, err := os.Stat(d.at); errors.Is(err, fs.ErrNotExist) {
			d.kind = kindMemory
		}
	}
	h, err := m.openAt(d, fermata.Options{Name: m.user()})
	if err != nil {
		return err
	}
	h.dsn, m.forgets = shown, shown.memory()
	err = do(ctx, h)
	if closing := h.Close(); err == nil {
		err = closing
	}
	return err
}
