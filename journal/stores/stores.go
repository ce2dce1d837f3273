package stores

import (
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/postgres"
	"github.com/fermata-go/fermata/journal/redis"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/journal/storekind"
)

// All lists the kinds of stores of this module. A new one is listed here, and nowhere else.
func All() storekind.List {
	return storekind.List{memory.Kind{}, sqlite.Kind{}, postgres.Kind{}, redis.Kind{}}
}
