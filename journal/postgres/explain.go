package postgres

import (
	"errors"
	"fmt"
	"net"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// explain adds to an error of making a connection what can be done about it. It never names the password.
func explain(c *pgx.ConnConfig, err error) error {
	var advice string
	said, refused := errors.AsType[*pgconn.PgError](err)
	_, unreachable := errors.AsType[*net.OpError](err)
	_, unknown := errors.AsType[*net.DNSError](err)
	switch {
	case refused:
		advice = adviceFor(said.Code, c)
	case unknown:
		advice = fmt.Sprintf("is %s the name of the server's machine?", c.Host)
	case unreachable:
		advice = fmt.Sprintf("is a server running there? pg_isready -h %s -p %d", c.Host, c.Port)
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	switch {
	case connecting && refused:
		err = &connectError{fmt.Sprintf("the server refuses %s: %s (SQLSTATE %s)", c.User, said.Message, said.Code), err}
	case connecting && advice != "":
		err = &connectError{"there is no connection: " + last(err).Error(), err}
	}
	if advice == "" {
		return err
	}
	return fmt.Errorf("%w; %s", err, advice)
}

// connectError says once what the driver says for each way that it has tried.
type connectError struct {
	text string
	err  error
}

func (e *connectError) Error() string { return e.text }
func (e *connectError) Unwrap() error { return e.err }

// last is the failure of the network within an error.
func last(err error) error {
	if at, ok := errors.AsType[*net.DNSError](err); ok {
		return at
	}
	if at, ok := errors.AsType[*net.OpError](err); ok {
		return at
	}
	return err
}

func adviceFor(code string, c *pgx.ConnConfig) string {
	switch code {
	case "28P01", "28000": // invalid_password, invalid_authorization_specification
		if c.Password == "" {
			return "no password was given: it may be in the address, in PGPASSWORD or in ~/.pgpass"
		}
		return "check the user and the password: they come from the address, from PGUSER and PGPASSWORD, or from ~/.pgpass"
	case "3D000": // invalid_catalog_name
		return fmt.Sprintf("make the database: createdb -h %s -p %d %s", c.Host, c.Port, c.Database)
	case "42501": // insufficient_privilege
		return fmt.Sprintf("let the user have its schema: GRANT CREATE ON DATABASE %s TO %s", c.Database, c.User)
	case "53300": // too_many_connections
		return "ask for fewer with ?pool_max_conns= in the address, or let the server take more"
	}
	return ""
}
