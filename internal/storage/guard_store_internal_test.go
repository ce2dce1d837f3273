package storage

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// panicky is a store whose driver panics: when it appends, and when it has read two entries.
type panicky struct{ journal.Store }

func (panicky) Append(context.Context, journal.Batch) error { panic("no more memory") }

func (panicky) Read(context.Context, string, uint64) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		if yield(journal.Entry{Seq: 1}, nil) && yield(journal.Entry{Seq: 2}, nil) {
			panic("no more memory")
		}
	}
}

// TestN7_AStoreOfThisModuleMayPanic calls a store without a goroutine of its own: a panic is the store's failure, and one of the
// reader stays the reader's.
func TestN7_AStoreOfThisModuleMayPanic(t *testing.T) {
	g := &guardedStore{inner: panicky{memory.New()}, known: true}
	fails := func(err error) {
		t.Helper()
		if !errors.As(err, new(*journal.StoreError)) || !errors.As(err, new(*node.PanicError)) {
			t.Errorf("the error is %v", err)
		}
	}
	fails(g.Append(t.Context(), journal.Batch{Run: "r"}))
	var seqs []uint64
	var last error
	for e, err := range g.Read(t.Context(), "r", 0) {
		if last = err; err == nil {
			seqs = append(seqs, e.Seq)
		}
	}
	if fails(last); len(seqs) != 2 {
		t.Errorf("read %v", seqs)
	}
	for _, err := range g.Read(t.Context(), "r", 0) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	defer func() {
		if v := recover(); v != "the reader's" {
			t.Errorf("the reader's panic became %v", v)
		}
	}()
	for _, err := range g.Read(t.Context(), "r", 0) {
		t.Log(err)
		panic("the reader's")
	}
}

// covered is a store of this module over another one.
type covered struct{ journal.Store }

func (c covered) Inner() journal.Store { return c.Store }

// A store of the program's may end the goroutine that calls it, also inside of a store of this module.
func TestN7_AForeignStoreThatIsWrappedIsForeign(t *testing.T) {
	foreign := struct{ journal.Store }{memory.New()}
	for _, tt := range []struct {
		store journal.Store
		own   bool
	}{
		{covered{memory.New()}, true},
		{covered{covered{memory.New()}}, true},
		{foreign, false},
		{covered{foreign}, false},
		{covered{covered{foreign}}, false},
	} {
		if got := isOwn(tt.store); got != tt.own {
			t.Errorf("%T: one of this module's: %v, expected %v", tt.store, got, tt.own)
		}
	}
}
