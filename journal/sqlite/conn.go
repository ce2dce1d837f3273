package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	engine "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/fermata-go/fermata/journal"
)

// conn is one connection, used by one goroutine at a time. It talks to the driver below database/sql, whose pooling
// and locking a writer of its own has no use for.
type conn struct {
	inner driver.Conn
	stmts [queries]driver.Stmt // prepared when they are first used
	args  []driver.NamedValue  // room for those of a statement
	row   []driver.Value       // room for one row
	still bool                 // see config
	quiet bool                 // see config
}

// config is what differs between connections.
type config struct {
	path     string        // absolute
	vfs      string        // SQLite's name of the file system, "" for its own
	readOnly bool          // it cannot write
	still    bool          // it makes nothing beside the file either
	quiet    bool          // nobody has the file open for writing: it is read as it is, without locks
	busy     time.Duration // how long it waits for other processes
	pragmas  []string      // set when it is opened
	views    string        // of a file of an earlier schema that is not to be written, see views
}

// address is the data source name for a path and what else is needed before the first statement.
func (c config) address() string {
	p := filepath.ToSlash(c.path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // a drive letter
	}
	q := url.Values{"_busy_timeout": {fmt.Sprint(c.busy.Milliseconds())}, "_error_rc": {"1"}, "_dqs": {"0"}}
	if c.readOnly {
		q.Set("mode", "ro")
	}
	if c.still {
		q.Set("readonly_shm", "1")
	}
	if c.quiet {
		q.Set("immutable", "1")
	}
	if c.vfs != "" {
		q.Set("vfs", c.vfs)
	}
	u := url.URL{Scheme: "file", Path: p, RawQuery: q.Encode()}
	return u.String()
}

func connect(c config) (*conn, error) {
	inner, err := (&engine.Driver{}).Open(c.address())
	if err != nil {
		return nil, err
	}
	n := &conn{inner: inner, still: c.still, quiet: c.quiet}
	if c.views != "" {
		if err := n.script(c.views); err != nil {
			_ = n.close()
			return nil, err
		}
	}
	for _, p := range c.pragmas {
		if err := n.pragma(p); err != nil {
			_ = n.close()
			return nil, err
		}
	}
	return n, nil
}

func (c *conn) close() error {
	for _, s := range c.stmts {
		if s != nil {
			_ = s.Close()
		}
	}
	return c.inner.Close()
}

// script runs statements that are not worth keeping.
func (c *conn) script(sql string) error {
	_, err := c.inner.(driver.ExecerContext).ExecContext(context.Background(), sql, nil)
	return err
}

func (c *conn) pragma(p string) error { return c.script("PRAGMA " + p) }

// integer is the first column of the first row of a query without arguments.
func (c *conn) integer(sql string) (int64, error) {
	rows, err := c.inner.(driver.QueryerContext).QueryContext(context.Background(), sql, nil)
	if err != nil {
		return 0, err
	}
	defer rows.Close() //nolint:errcheck // nothing was written through it
	row := make([]driver.Value, len(rows.Columns()))
	if err := rows.Next(row); err != nil {
		return 0, err
	}
	n, ok := row[0].(int64)
	if !ok {
		return 0, fmt.Errorf("%s: expected an integer, found %T", sql, row[0])
	}
	return n, nil
}

// prepared is the statement of q, prepared when it is first used.
func (c *conn) prepared(q query) (driver.Stmt, error) {
	if c.stmts[q] == nil {
		s, err := c.inner.Prepare(sql[q])
		if err != nil {
			return nil, err
		}
		c.stmts[q] = s
	}
	return c.stmts[q], nil
}

func (c *conn) bind(args []driver.Value) []driver.NamedValue {
	c.args = c.args[:0]
	for i, v := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return c.args
}

// exec runs a statement that changes something.
func (c *conn) exec(q query, args ...driver.Value) (driver.Result, error) {
	s, err := c.prepared(q)
	if err != nil {
		return nil, err
	}
	return s.(driver.StmtExecContext).ExecContext(context.Background(), c.bind(args))
}

// each calls row with every row of a query. The slice is used again, what is in it is not.
func (c *conn) each(row func([]driver.Value) error, q query, args ...driver.Value) (err error) {
	s, err := c.prepared(q)
	if err != nil {
		return err
	}
	rows, err := s.(driver.StmtQueryContext).QueryContext(context.Background(), c.bind(args))
	if err != nil {
		return err
	}
	return c.rows(rows, row)
}

// query is each for a statement that is not kept prepared.
func (c *conn) query(row func([]driver.Value) error, text string, args []any) error {
	c.args = c.args[:0]
	for i, v := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	rows, err := c.inner.(driver.QueryerContext).QueryContext(context.Background(), text, c.args)
	if err != nil {
		return err
	}
	return c.rows(rows, row)
}

// rows calls row with every row of an answer.
func (c *conn) rows(rows driver.Rows, row func([]driver.Value) error) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	n := len(rows.Columns())
	if cap(c.row) < n {
		c.row = make([]driver.Value, n)
	}
	for {
		switch err := rows.Next(c.row[:n]); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := row(c.row[:n]); err != nil {
			return err
		}
	}
}

// one is the first column of the only row of a query; found is false when there is none.
func (c *conn) one(q query, args ...driver.Value) (n int64, found bool, err error) {
	err = c.each(func(row []driver.Value) error {
		n, found = row[0].(int64)
		return nil
	}, q, args...)
	return n, found, err
}

// snapshot makes a call that reads what is in the file at one moment.
func (c *conn) snapshot(call func() error) error {
	if _, err := c.exec(snapshot); err != nil {
		return err
	}
	err := call()
	_, ended := c.exec(rollback)
	return errors.Join(err, ended)
}

// code is SQLite's primary result code of an error, 0 if it has none.
func code(err error) int {
	if e, ok := errors.AsType[*engine.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// errBusy is what another process causes that writes for longer than the store waits.
var errBusy = errors.New("another process holds the file")

// typed is err with the store's errors around those that they are of.
func typed(err error) error {
	var kind error
	switch code(err) {
	case codes.SQLITE_FULL:
		kind = journal.ErrNoSpace
	case codes.SQLITE_READONLY, codes.SQLITE_PERM, codes.SQLITE_CANTOPEN, codes.SQLITE_AUTH:
		kind = journal.ErrReadOnly
	case codes.SQLITE_CORRUPT, codes.SQLITE_NOTADB, codes.SQLITE_FORMAT:
		kind = journal.ErrCorrupt
	case codes.SQLITE_BUSY, codes.SQLITE_LOCKED:
		kind = errBusy
	default:
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}
