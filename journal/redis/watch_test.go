package redis_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/redis"
)

// TestWatch: each of two stores hears of the other's writes and deletions, and not of its own.
func TestWatch(t *testing.T) {
	t.Parallel()
	p := prefix(t)
	one, two := open(t, p), open(t, p)
	heard := map[*redis.Store]chan struct{}{one: make(chan struct{}, 100), two: make(chan struct{}, 100)}
	for s, signs := range heard {
		if err := s.Watch(t.Context(), func() { signs <- struct{}{} }); err != nil {
			t.Fatal(err)
		}
	}
	if err := one.Append(t.Context(), batch("run_1", 0)); err != nil {
		t.Fatal(err)
	}
	<-heard[two]
	if err := two.Append(t.Context(), journal.Batch{Run: "run_1", After: 2, Entries: step(2, nil)}); err != nil {
		t.Fatal(err)
	}
	<-heard[one]
	if err := one.Delete(t.Context(), "run_1"); err != nil {
		t.Fatal(err)
	}
	<-heard[two] // by now one would have heard of its own writes, too
	if n := len(heard[one]); n > 0 {
		t.Errorf("a store hears of its own writes, %d times", n)
	}
}

// TestWatchOfManyAppends: however many appends there are, the last one is told of.
func TestWatchOfManyAppends(t *testing.T) {
	t.Parallel()
	p := prefix(t)
	one, two := open(t, p), open(t, p)
	whole := make(chan int, 1)
	most := 0
	err := two.Watch(t.Context(), func() {
		if most == 400 {
			return // the test may be over
		}
		list, err := readAll(t, two, "run_1")
		if err != nil || len(list) < most {
			t.Errorf("found %d entries after %d: %v", len(list), most, err)
		}
		if most = len(list); most == 400 {
			whole <- most
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for head := uint64(0); head < 400; head += 2 {
		if err := one.Append(t.Context(), batch("run_1", head)); err != nil {
			t.Fatal(err)
		}
	}
	<-whole
}

// TestWatchIsToldAfterTheLineBroke: what was published while there was no connection is lost, so that there is one
// again is a sign by itself.
func TestWatchIsToldAfterTheLineBroke(t *testing.T) {
	t.Parallel()
	o := startOwn(t, "--save", "", "--appendonly", "yes", "--appendfsync", "always")
	one, two := o.open(redis.Options{}), o.open(redis.Options{})
	signs := make(chan struct{}, 100)
	if err := two.Watch(t.Context(), func() { signs <- struct{}{} }); err != nil {
		t.Fatal(err)
	}
	o.kill()
	o.start()
	<-signs
	if err := one.Append(t.Context(), batch("run_1", 0)); err != nil {
		t.Fatal(err)
	}
	<-signs
}

// TestWatchEnds: one watcher leaves and the others stay, the last one leaves and there can be another, and the store
// ends them all.
func TestWatchEnds(t *testing.T) {
	t.Parallel()
	p := prefix(t)
	s, other := openWith(t, p, redis.Options{}), open(t, p)
	never := func() { t.Error("nothing has changed for who does not watch") }
	signs := make(chan struct{}, 100)
	for head := uint64(0); head < 6; head += 2 {
		gone, leave := context.WithCancel(t.Context())
		if err := s.Watch(gone, never); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if err := s.Watch(ctx, func() { signs <- struct{}{} }); err != nil {
			t.Fatal(err)
		}
		leave()
		for s.Watchers() != 1 {
			runtime.Gosched()
		}
		if err := other.Append(t.Context(), batch("run_1", head)); err != nil {
			t.Fatal(err)
		}
		<-signs
		cancel()
		for s.Watchers() != 0 {
			runtime.Gosched()
		}
		if err := s.Watch(ctx, never); !errors.Is(err, context.Canceled) {
			t.Errorf("a context that is done: found %v", err)
		}
	}
	if err := s.Watch(t.Context(), never); err != nil { // ends with the store
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Watch(t.Context(), never); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("a closed store: found %v, expected ErrClosed", err)
	}
}

func TestWatchOnALineThatIsCut(t *testing.T) {
	t.Parallel()
	l := &line{}
	s := openWith(t, prefix(t), redis.Options{Dialer: l.dial})
	defer s.Close()
	l.cut(1, 50, journaltest.Before)
	if err := s.Watch(t.Context(), func() {}); !errors.Is(err, errCut) {
		t.Errorf("found %v, expected that the line was cut", err)
	}
}
