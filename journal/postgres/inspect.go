package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Report is what a database says of itself, see Inspect.
type Report struct {
	Address string        // without secrets
	Server  string        // the version of PostgreSQL, as "15.20"
	Latency time.Duration // of one question, over a connection that is there
	Commit  string        // synchronous_commit for what is appended
	Version int           // of the schema; 0 when it does not exist yet
	Current int           // the version that this package writes
	Growth  bool          // whether the user may make what is missing
}

// Inspect looks at a database and changes nothing. Errors are those of Open; the Report then has what was found before.
func Inspect(ctx context.Context, dsn string, o Options) (Report, error) {
	o.ReadOnly = true
	s := &Store{options: o, done: make(chan struct{}), own: make(map[uint32]bool)}
	r := Report{Current: schemaVersion}
	err := s.connect(ctx, dsn)
	if err == nil {
		defer s.pool.Close()
		err = s.with(ctx, func(c *pgx.Conn) error { return r.ask(ctx, c, s.options.Schema) })
		err = s.explained(err)
	}
	r.Address = s.address
	if err != nil {
		return r, s.fail("inspect", "", 0, err)
	}
	return r, nil
}

func (r *Report) ask(ctx context.Context, c *pgx.Conn, schema string) error {
	err := c.QueryRow(ctx, "SELECT current_setting('server_version'), current_setting('synchronous_commit')").Scan(&r.Server, &r.Commit)
	if err != nil {
		return err
	}
	if r.Version, err = inspect(ctx, c, schema); err != nil {
		return err
	}
	err = c.QueryRow(ctx, `SELECT CASE WHEN EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) THEN has_schema_privilege($1, 'CREATE')
		ELSE has_database_privilege(current_database(), 'CREATE') END`, schema).Scan(&r.Growth)
	if err != nil {
		return err
	}
	began := time.Now()
	err = c.Ping(ctx)
	r.Latency = time.Since(began)
	return err
}

// explained is an error with what to do about it.
func (s *Store) explained(err error) error {
	if err == nil || s.config == nil {
		return err
	}
	return explain(s.config, err)
}
