package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Setting is a setting of one of the store's connections.
func (s *Store) Setting(name string) (value string) {
	err := s.with(context.Background(), func(c *pgx.Conn) error {
		return c.QueryRow(context.Background(), "SELECT current_setting($1)", name).Scan(&value)
	})
	if err != nil {
		return err.Error()
	}
	return value
}
