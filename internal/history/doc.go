// Package history reads, compares, copies, packs and deletes the journals of runs. It has forks, exports and imports,
// and the outlook of resuming. It executes nothing, and sees running runs through interfaces.
//
//	s, work, err := h.Fork(ctx, run, p, history.ForkOptions{At: 12})
package history
