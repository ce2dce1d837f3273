package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/fermata-go/fermata/journal"
)

// Defaults of Options.
const (
	defaultSchema  = "fermata"
	defaultConns   = 16
	connectTimeout = 10 * time.Second
)

// What becomes of a statement whose caller has stopped waiting: it has a moment to end by itself, as nearly all do, then the server is
// asked to end it, and then the connection is given up. To give it up at once would cost the next caller a new one, and Close the
// time until the server notices.
const (
	cancelAfter = 50 * time.Millisecond
	giveUpAfter = time.Second
)

// Options are how a database is opened. The zero value is ready to use.
type Options struct {
	// Schema is where everything is kept: letters a to z, digits and _, at most 48. Stores with different schemas know
	// nothing of one another. Defaults to "fermata".
	Schema string
	// Conns is how many connections there are at most, besides one for each Watch. Defaults to pool_max_conns of the
	// address, or 16. As many appends are committed together at most.
	Conns int
	// ReadOnly reads a schema that exists; every write fails with journal.ErrReadOnly.
	ReadOnly bool
	// Dial makes connections, for a tunnel or a test. Defaults to a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Open opens the schema fermata of the database at an address, and makes it if it does not exist. The address is what
// libpq takes: postgres://user:password@host:port/database, or "host=… user=…"; what it leaves out comes from the
// environment (PGHOST, PGPASSWORD, …). Of what may follow a "?", one is of this package: "schema" sets Options.Schema.
// It waits 10 seconds for a connection, or the address's connect_timeout.
//
// The error is a *journal.StoreError that names the address without its secrets: journal.ErrReadOnly when it cannot be
// written, journal.ErrCorrupt when the schema is damaged or belongs to another program, journal.ErrNewer when a later
// version made it.
func Open(dsn string) (*Store, error) { return OpenWith(dsn, Options{}) }

// OpenWith opens the database at an address, see Open.
func OpenWith(dsn string, o Options) (*Store, error) {
	s := &Store{options: o, done: make(chan struct{}), own: make(map[uint32]bool)}
	err := s.open(dsn)
	if err == nil {
		return s, nil
	}
	if s.pool != nil {
		s.pool.Close()
	}
	return nil, s.fail("open", "", 0, err)
}

// errAddress does not say what it found: a part of it may be a password.
var errAddress = errors.New("the address is not one of PostgreSQL: expected postgres://user@host:port/database, or host=… user=… dbname=…")

func schemaName() *regexp.Regexp { return regexp.MustCompile(`^[a-z_][a-z0-9_]{0,47}$`) }

func (s *Store) open(dsn string) error {
	ctx := context.Background()
	err := s.connect(ctx, dsn)
	if err == nil {
		err = s.once(ctx, func(c *pgx.Conn) error { return adopt(ctx, c, s.options) })
	}
	return s.explained(err)
}

// connect reads the address and makes the pool, which connects when it is used.
func (s *Store) connect(ctx context.Context, dsn string) error {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return errAddress
	}
	o, c := &s.options, config.ConnConfig
	if schema, ok := c.RuntimeParams["schema"]; ok {
		o.Schema = schema
		delete(c.RuntimeParams, "schema")
	}
	if o.Schema == "" {
		o.Schema = defaultSchema
	}
	if !schemaName().MatchString(o.Schema) || strings.HasPrefix(o.Schema, "pg_") {
		return fmt.Errorf("schema %q: expected up to 48 letters a to z, digits and _, not starting with a digit or pg_", o.Schema)
	}
	s.address = fmt.Sprintf("postgres://%s/%s, schema %s", net.JoinHostPort(c.Host, fmt.Sprint(c.Port)), c.Database, o.Schema)
	s.channel = "fermata_" + o.Schema
	s.sql.schema = o.Schema
	switch {
	case o.Conns > 0:
		config.MaxConns = int32(min(o.Conns, 1<<16))
	case !strings.Contains(dsn, "pool_max_conns"):
		config.MaxConns = defaultConns
	}
	if c.ConnectTimeout <= 0 {
		c.ConnectTimeout = connectTimeout
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "fermata"
	}
	if o.ReadOnly {
		c.RuntimeParams["default_transaction_read_only"] = "on"
	}
	if o.Dial != nil {
		c.DialFunc = o.Dial
	}
	c.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, CancelRequestDelay: cancelAfter, DeadlineDelay: giveUpAfter}
	}
	config.AfterConnect, config.BeforeClose = s.connected, s.disconnected
	s.config = c.Copy()
	s.pool, err = pgxpool.NewWithConfig(ctx, config)
	return err
}

// setUp overrules what the server, the user or the address may have as defaults: a commit that is waited for must not
// go early, and a writer that waited for another must see what it has written.
const setUp = `SELECT set_config('default_transaction_isolation', 'read committed', false),
	set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false)`

// connected sets a connection up, and takes note that it is ours.
func (s *Store) connected(ctx context.Context, c *pgx.Conn) error {
	if _, err := c.Exec(ctx, setUp); err != nil {
		if c.IsClosed() { // it broke: the call that it was opened for has not been made
			return brokenError{error: err}
		}
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.own[c.PgConn().PID()] = true
	return nil
}

func (s *Store) disconnected(c *pgx.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.own, c.PgConn().PID())
}

// adopt checks that the schema is one of ours, or makes it one when it is empty, and brings it to this version. Most of
// the time there is nothing to do, which takes one round trip; what else there may be, inspect tells apart.
func adopt(ctx context.Context, c *pgx.Conn, o Options) error {
	version, err := versionOf(ctx, c, o.Schema)
	if err == nil && version == schemaVersion {
		return nil
	}
	version, err = inspect(ctx, c, o.Schema)
	switch {
	case err != nil:
		return err
	case version == schemaVersion:
		return nil
	case o.ReadOnly:
		return fmt.Errorf("%w: schema %s has version %d, expected %d; a store that may write brings it there", journal.ErrReadOnly, o.Schema, version, schemaVersion)
	}
	return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		// Others may be doing the same. The lock ends with the transaction.
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('fermata ' || $1::text, 0))", o.Schema); err != nil {
			return err
		}
		version, err := inspect(ctx, tx.Conn(), o.Schema)
		if err != nil || version == schemaVersion {
			return err
		}
		scripts := []string{schema}
		if version > 0 {
			scripts = upgrades[version-1:]
		} else if err := makeSchema(ctx, tx, o.Schema); err != nil {
			return err
		}
		for _, script := range scripts {
			if _, err := tx.Exec(ctx, in(o.Schema, script), pgx.QueryExecModeSimpleProtocol); err != nil {
				return err
			}
		}
		if version > 0 && version < refilled {
			if err := refill(ctx, tx, o.Schema); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, in(o.Schema, "UPDATE @format SET version = $1"), schemaVersion)
		return err
	})
}

// makeSchema makes the schema unless it is there, which needs a right that whoever may use it need not have.
func makeSchema(ctx context.Context, tx pgx.Tx, schema string) error {
	var there bool
	err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)", schema).Scan(&there)
	if err == nil && !there {
		_, err = tx.Exec(ctx, "CREATE SCHEMA "+pgx.Identifier{schema}.Sanitize())
	}
	return err
}

// inspect is the version of the schema, 0 when there is nothing in it, and an error when it is not ours.
func inspect(ctx context.Context, c *pgx.Conn, schema string) (version int, err error) {
	var tables int
	var ours bool
	err = c.QueryRow(ctx, `SELECT (SELECT count(*) FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f')),
		EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND c.relname = 'format' AND c.relkind IN ('r', 'p', 'v', 'm', 'f'))
		FROM pg_namespace n WHERE n.nspname = $1`, schema).Scan(&tables, &ours)
	switch {
	case errors.Is(err, pgx.ErrNoRows): // there is no schema, and no need to look for what is in it
		return 0, nil
	case err != nil:
		return 0, err
	case tables == 0:
		return 0, nil
	case !ours:
		return 0, fmt.Errorf("%w: the schema holds %d tables of other programs: expected an empty one, or one of this package", journal.ErrCorrupt, tables)
	}
	version, err = versionOf(ctx, c, schema)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return 0, fmt.Errorf("%w: the schema does not say which version it is", journal.ErrCorrupt)
	case err != nil:
		return 0, err
	case version > schemaVersion:
		return 0, fmt.Errorf("%w: the schema has version %d, this version reads up to %d", journal.ErrNewer, version, schemaVersion)
	case version < 1:
		return 0, fmt.Errorf("%w: version %d of the schema does not exist", journal.ErrCorrupt, version)
	}
	return version, nil
}

// versionOf is the version that the schema says it has. It is asked once, and not prepared.
func versionOf(ctx context.Context, c *pgx.Conn, schema string) (version int, err error) {
	err = c.QueryRow(ctx, in(schema, "SELECT version FROM @format WHERE id = 1"), pgx.QueryExecModeSimpleProtocol).Scan(&version)
	return version, err
}
