package main

import (
	"testing"
	"time"

	"github.com/fermata-go/fermata/internal/testserver"
)

// TestJ5_KilledAnywhereOnServers does the same on PostgreSQL and on Redis.
func TestJ5_KilledAnywhereOnServers(t *testing.T) {
	program(t, "fermata")
	for _, kind := range testserver.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			killedAnywhere(t, thorough(6, 200), func() *errand {
				e := orders(t, 2)
				e.on(kind)
				e.span = 120 * time.Millisecond // connecting takes a while, too
				return e
			})
		})
	}
}
