// Package testserver finds the servers that tests keep runs on, and gives each test a place of its own there:
//
//	store, err := postgres.OpenWith(testserver.Postgres(t), postgres.Options{Schema: testserver.Schema(t)})
//
// A server is at the address in FERMATA_TEST_POSTGRES or FERMATA_TEST_REDIS, or else on this machine where it usually
// is. A test whose server is not there is skipped, with a line that says so; with CI=true it fails. What a test has
// kept in its place is removed at its end.
//
// Tests import it, and nothing else does. It starts no server.
package testserver
