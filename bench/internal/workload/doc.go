// Package workload holds the workloads that are measured, in plain Go. It has the states, the inputs, the functions of
// the nodes, and for each workload the floor, which is the same functions called by a loop. It knows no engine, so that
// Fermata and others are given the same work, and asked for the same results.
//
// A floor hands a state on as Go does: by value, and with lists and maps shared. An engine that isolates what runs at
// once (law N9) has copies to make that the floor has not.
package workload
