package executor

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// life is the context of an execution's tasks. It makes a context of package context once somebody waits for its end.
// Most tasks do not, and making one costs as much as a node that does little.
type life struct {
	parent context.Context         // ends it; its values are this one's
	over   atomic.Bool             // stop was called
	mu     sync.Mutex              // held while made is set
	made   atomic.Pointer[endable] // somebody has waited for its end; nil before that
}

// endable is a context with the function that ends it.
type endable struct {
	context.Context                    // the context
	end             context.CancelFunc // ends it
}

// stop ends the context.
func (l *life) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over.Store(true)
	if made := l.made.Load(); made != nil {
		made.end()
	}
}

// Done implements context.Context.
func (l *life) Done() <-chan struct{} {
	if made := l.made.Load(); made != nil {
		return made.Done()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	made := l.made.Load()
	if made == nil {
		ctx, end := context.WithCancel(l.parent)
		made = &endable{ctx, end}
		if l.over.Load() {
			end()
		}
		l.made.Store(made)
	}
	return made.Done()
}

// Err implements context.Context.
func (l *life) Err() error {
	if made := l.made.Load(); made != nil {
		return made.Err()
	}
	if l.over.Load() {
		return context.Canceled
	}
	return l.parent.Err()
}

// Value implements context.Context.
func (l *life) Value(key any) any {
	if made := l.made.Load(); made != nil {
		return made.Value(key)
	}
	return l.parent.Value(key)
}

// Deadline implements context.Context.
func (l *life) Deadline() (time.Time, bool) { return l.parent.Deadline() }
