// Package storage is the store of a runtime with its clock (law J12), its log and its observer. Stores of others are
// guarded: a panic of one is an error (law N7). The package knows no run and no plan beyond the name of one.
//
//	row, err := s.Info(ctx, run)
package storage
