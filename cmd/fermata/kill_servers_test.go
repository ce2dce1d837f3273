package main

import (
	"testing"
	"time"
)

// TestJ5_KilledAnywhereOnServers does the same on PostgreSQL and on Redis.
func TestJ5_KilledAnywhereOnServers(t *testing.T) {
	program(t, "fermata")
	for name, server := range map[string]func() (string, func(), error){"postgres": newPostgres, "redis": newRedis} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killedAnywhere(t, thorough(6, 200), func() *errand {
				e := orders(t, 2)
				e.on(server)
				e.span = 120 * time.Millisecond // connecting takes a while, too
				return e
			})
		})
	}
}
