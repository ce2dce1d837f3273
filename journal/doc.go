// Package journal holds the durable facts of runs: what an [Entry] is, how entries are encoded, how values are
// stored as what changed ([Diff], [Document]), and what a [Store] must do.
//
// A run is a fold over its journal (law J1). The journal of a run is its entries, numbered by Seq from 1 without a
// gap; nothing in it is ever changed. Beside the journal a store keeps projections (a row for the run, one for each
// open interrupt, one for each timer) that are written in the same transaction as the entries they follow from and
// could be rebuilt from them.
//
// The package does no scheduling and knows no plan. Stores live in journal/memory and journal/sqlite; a new one
// passes the suite in journal/journaltest.
package journal
