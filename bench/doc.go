// Package bench holds the workloads that Fermata is measured by. Each is beside its floor, the same work in a plain Go
// loop or the same bytes written by the raw database driver. Compare figures of one run only; machines differ and are
// noisy.
//
//	make bench
//	go test ./bench -bench 'ReactAgent' -run '^$'
package bench
