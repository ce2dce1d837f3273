// Package journal holds the durable facts of runs and the contract of their stores. It defines an [Entry] and its
// encoding, deltas of values ([Diff], [Document]), and the [Store].
//
// A run is a fold over its journal (law J1). The journal of a run is its entries, numbered by Seq from 1 without a
// gap; nothing in it is ever changed. Beside the journal a store keeps projections (a row for the run, one for each
// open interrupt, one for each timer) that are written in the same transaction as the entries they follow from and
// could be rebuilt from them.
//
// The package does no scheduling and knows no plan. Stores live in journal/memory and journal/sqlite; a new one
// passes the suite in journal/journaltest.
package journal
