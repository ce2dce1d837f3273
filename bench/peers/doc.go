// Package peers measures other engines in Go beside Fermata: the same workloads, in one process, in turns, with the
// results compared before anything is measured. It is a module of its own, so that nobody else gets its dependencies.
package peers
