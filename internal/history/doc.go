// Package history reads, compares, copies, packs and deletes the journals of runs: forks, exports and imports, the
// outlook of resuming. It executes nothing; what it needs of running runs it takes as interfaces.
//
//	s, work, err := h.Fork(ctx, run, p, history.ForkOptions{At: 12})
package history
