package place

import (
	"net/url"
	"strings"
)

// Prefix is the beginning of the names of cells that hold ledgers.
const Prefix = "pool:"

// Name returns the name of the cell that holds the ledger of a pool and a key. A pool without keys has the key "".
func Name(pool, key string) string { return Prefix + url.PathEscape(pool) + "/" + key }

// Split returns the pool and the key of a cell.
func Split(name string) (pool, key string, ok bool) {
	rest, ok := strings.CutPrefix(name, Prefix)
	if !ok {
		return "", "", false
	}
	escaped, key, ok := strings.Cut(rest, "/")
	if !ok {
		return "", "", false
	}
	pool, err := url.PathUnescape(escaped)
	return pool, key, err == nil
}
