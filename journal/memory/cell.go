package memory

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/journal"
)

var _ journal.Swapper = (*store)(nil)

// Cell implements [journal.Swapper].
func (s *store) Cell(ctx context.Context, name string) ([]byte, error) {
	if err := s.ready(ctx, "cell", ""); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return bytes.Clone(s.cells[name]), nil
}

// Swap implements [journal.Swapper].
func (s *store) Swap(ctx context.Context, name string, was, next []byte) (now []byte, swapped bool, err error) {
	if err := s.ready(ctx, "swap", ""); err != nil {
		return nil, false, err
	}
	if err := journal.CheckCell(name); err != nil {
		return nil, false, &journal.StoreError{Op: "swap", Err: err}
	}
	if now, swapped = s.swap(name, was, next); swapped && s.watched.Load() > 0 {
		s.tell(name)
	}
	return now, swapped, nil
}

func (s *store) swap(name string, was, next []byte) (now []byte, swapped bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, found := s.cells[name]
	if found != (was != nil) || !bytes.Equal(now, was) {
		return bytes.Clone(now), false
	}
	if next == nil {
		delete(s.cells, name)
	} else {
		s.cells[name] = append([]byte{}, next...)
	}
	return next, true
}

// Cells implements [journal.Swapper].
func (s *store) Cells(ctx context.Context, prefix string, limit int) ([]journal.Cell, error) {
	if err := s.ready(ctx, "cells", ""); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var list []journal.Cell
	for _, name := range slices.Sorted(maps.Keys(s.cells)) {
		if strings.HasPrefix(name, prefix) && (limit <= 0 || len(list) < limit) {
			list = append(list, journal.Cell{Name: name, Value: append([]byte{}, s.cells[name]...)})
		}
	}
	return list, nil
}
