package postgres

import (
	"context"
	"time"

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

// Hush has the store tell nobody of its next writes, as a process that is killed right after them.
func (s *Store) Hush() {
	for {
		s.news.mu.Lock()
		silent := !s.news.telling
		s.news.telling = true
		s.news.mu.Unlock()
		if silent {
			return
		}
		time.Sleep(quietTime)
	}
}

// ReadFeed is the statement that reads the feed.
func ReadFeed(schema string) string { return in(schema, readFeed) }
