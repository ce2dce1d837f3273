package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
)

// listener is who reads a stream. That they may is decided again while it is open (law H8).
type listener struct {
	h   *handler
	r   *http.Request
	run string // "" for the feed of all runs

	mu     sync.Mutex
	person Person
	head   uint64 // of the run, when it was decided last
}

// lostError is why a stream ends whose reader may not read it any more.
type lostError struct{ err error }

func (e *lostError) Error() string { return e.err.Error() }

// again decides whether they may still read the run.
func (l *listener) again(ctx context.Context) (fermata.RunInfo, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	person, no := l.h.who(l.r, identity.View)
	if no != nil {
		return fermata.RunInfo{}, no
	}
	if l.run == "" {
		l.person = person
		return fermata.RunInfo{}, nil
	}
	info, err := l.h.info(ctx, l.run, &person)
	if err == nil {
		l.person, l.head = person, info.Head
	}
	return info, err
}

// who is the person as it was decided last.
func (l *listener) who() Person {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.person
}

// watch decides again at intervals, and cancels the stream when they may not read it. The returned function ends that.
func (l *listener) watch(ctx context.Context, cancel context.CancelCauseFunc) (stop func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for l.h.o.Authorize != nil {
			select {
			case <-time.After(l.h.o.Recheck):
			case <-ctx.Done():
				return
			}
			if _, err := l.again(ctx); err != nil {
				cancel(&lostError{err})
				return
			}
		}
	}()
	return func() {
		cancel(nil)
		<-done
	}
}

// may reports whether they are shown an event; an error ends the stream. Events that may have changed who reads what
// are decided about again, unless that was done since they happened.
func (l *listener) may(ctx context.Context, e *fermata.Event) (bool, error) {
	if l.h.o.Authorize == nil || e.Sub > 0 {
		return true, nil
	}
	question, waits := false, e.Entry.Kind == journal.NodeSuspended
	switch e.Entry.Kind {
	case journal.InterruptOpened, journal.InterruptUpdated, journal.InterruptResolved:
		question = true
	default:
	}
	if !question && !waits && e.Entry.Node != "" {
		return true, nil
	}
	l.mu.Lock()
	decided := e.Seq() <= l.head
	l.mu.Unlock()
	if !decided {
		if _, err := l.again(ctx); err != nil {
			return false, err
		}
	}
	l.mu.Lock()
	person := l.person
	l.mu.Unlock()
	switch {
	case person.Reads == nil:
		return true, nil
	case waits:
		return l.mayWait(ctx, e, &person)
	case e.Entry.Kind == journal.RunResumed:
		return true, l.veil(ctx, e, &person)
	case !question:
		return true, nil
	}
	_, err := l.h.interrupt(ctx, e.Entry.Op, &person)
	if no, ok := errors.AsType[*refusal](err); ok && no.status == http.StatusNotFound {
		return false, nil
	}
	return err == nil, err
}

// mayWait reports whether they are shown that a task waits: not where it may be for a question that they may not read.
func (l *listener) mayWait(ctx context.Context, e *fermata.Event, person *Person) (bool, error) {
	all, own, err := l.questions(ctx, person)
	if err != nil {
		return false, err
	}
	at := func(q *fermata.Interrupt) bool { return q.Task == e.Task() && q.Op == e.Entry.Op }
	if nodehost.CallKind(e.Entry.Op) == nodehost.KindInterrupt {
		return slices.ContainsFunc(own, func(q fermata.Interrupt) bool { return at(&q) }), nil
	}
	in := func(q fermata.Interrupt) bool { // what it waits for is inside of this call, or anything of the task
		return q.Task == e.Task() && (e.Entry.Op == "" || nodehost.CallInside(q.Op, e.Entry.Op))
	}
	count := func(list []fermata.Interrupt) (n int) {
		for i := range list {
			if in(list[i]) {
				n++
			}
		}
		return n
	}
	return count(all) == count(own), nil
}

// veil takes from the event that a run goes on why it does, and which questions are asked again, where there are questions
// that they may not read.
func (l *listener) veil(ctx context.Context, e *fermata.Event, person *Person) error {
	all, own, err := l.questions(ctx, person)
	if err != nil || len(all) == len(own) {
		return err
	}
	var body map[string]json.RawMessage
	if !json.Valid(e.Entry.Body) { // it says nothing, or nothing that could be taken from it
		e.Entry.Body = nil
		return nil
	}
	if err := json.Unmarshal(e.Entry.Body, &body); err != nil {
		return err
	}
	delete(body, "reason")
	delete(body, "again")
	e.Entry.Body, err = json.Marshal(body)
	return err
}

// questions are those of the run, and of these the ones that they may read.
func (l *listener) questions(ctx context.Context, person *Person) (all, own []fermata.Interrupt, err error) {
	if all, err = l.h.rt.Inbox(ctx, journal.InboxFilter{Run: l.run, All: true}); err == nil {
		own, err = l.h.readable(ctx, all, person)
	}
	return all, own, err
}
