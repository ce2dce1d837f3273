// Package testserver finds the servers for tests of stores. Each test gets a place of its own there:
//
//	store, err := postgres.OpenWith(testserver.Postgres(t), postgres.Options{Schema: testserver.Schema(t)})
//
// A server is at the address in FERMATA_TEST_POSTGRES or FERMATA_TEST_REDIS, or else on this machine where it usually
// is. Without a server the test is skipped, with a line that says so; with CI=true it fails. The data of a test is
// removed at its end.
//
// Tests import it, and nothing else does. It starts no server.
package testserver
