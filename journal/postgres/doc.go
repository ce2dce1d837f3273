// Package postgres is a [journal.Store] in PostgreSQL, for any number of machines and processes.
//
//	store, err := postgres.Open("postgres://fermata@db.example.com/fermata")
//
// The server has to be version 13 or later. All that it keeps is in one schema of the database, which it makes if it does not exist. An append is one statement,
// and so one round trip and one transaction: it moves the run's head if that is where the batch goes (law J3), and only
// then writes the entries and projections. Appends of several runs are committed together by the server (law J2).
//
// A Store never asks the server whether something has changed: it is told, by NOTIFY. It never puts a password into an
// error, and it never drives a run.
package postgres
