package redis

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/redis/internal/resp"
)

var (
	//go:embed append.lua
	appendScript string
	//go:embed read.lua
	readScript string
	//go:embed delete.lua
	deleteScript string
	//go:embed claim.lua
	claimScript string
	//go:embed refill.lua
	refillScript string
	//go:embed swap.lua
	swapScript string
	//go:embed mark.lua
	markScript string
	//go:embed feed.lua
	feedScript string
)

// MaxBatch is how many bytes a batch may take in the server, entries and projections together. A larger one is
// refused: the server does nothing else while it takes one, and no part of a batch may be written without the rest.
const MaxBatch = 64 << 20

// Store is a server that is in use. It implements [journal.Store], [journal.HeadReader], [journal.Leaser]
// and [journal.Clock].
type Store struct {
	options  Options       // with their defaults
	address  string        // without secrets, for errors
	db       int           // the number of the database
	client   *resp.Client  // with its pool of connections
	scripts  scripts       // that are run on the server
	promises Promises      // what the server said when the store was opened
	sender   string        // who this is to others, in what is published and in tokens
	batches  atomic.Uint64 // makes tokens unique
	news     news          // entries that others have not been told of yet
	done     chan struct{} // closed when the store is
	watchers watchers      // who is told of writes by others
	group    group         // appends that wait to be sent together
	earlier  earlier       // versions that may still write

	mu     sync.RWMutex // held while a call is on its way, so that Close can wait
	closed bool         // no call begins any more
}

// scripts are the Lua scripts that the server runs, each as one step.
type scripts struct{ append, read, delete, claim, refill, mark, feed, swap *resp.Script }

var (
	_ journal.Store        = (*Store)(nil)
	_ journal.HeadReader   = (*Store)(nil)
	_ journal.DriverLister = (*Store)(nil)
	_ journal.Clock        = (*Store)(nil)
	_ journal.Finder       = (*Store)(nil)
)

// key is one that belongs to no run.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (s *Store) key(name string) string { return s.options.Prefix + name }

// runKey is a key of a run: what is in braces decides the slot.
func (s *Store) runKey(run, name string) string { return s.options.Prefix + "{" + run + "}" + name }

// channel tells of writes. Channels know no databases.
func (s *Store) channel() string { return s.options.Prefix + "changes:" + strconv.Itoa(s.db) }

// Names of keys, behind the prefix. Members of sorted sets all have the score 0, so that they are in the order of
// their bytes: a score is a float and does not hold a time in microseconds for ever.
const (
	meta       = "meta"       // hash: the format, and a counter of what was created
	index      = "runs"       // sorted set: runs by creation; all, by status, by plan; definitions
	interrupts = "interrupts" // hash: interrupts by id, behind their place in inbox
	inbox      = "inbox"      // sorted set: interrupts by when they were opened; all, open, by run
	timers     = "timers"     // sorted set: due, run, id
	drivers    = "drivers"    // set: drivers whose key of the next kind may not have expired
	cells      = "cells"      // hash: values that processes change by comparing, by name
	beat       = "driver:"    // with a driver behind it. String that expires: the driver lives

	fed     = "feed"     // sorted set: runs by the number of their last change, also those that were deleted
	gone    = "gone"     // hash: what is known of runs that were deleted
	frames  = ":journal" // of a run. Stream: a frame under the seq of its last entry
	pending = ":timers"  // of a run. Hash: due by id
)

// fail is an error of this store.
//
//go:noinline // called in many places, for the weight of the command (ADR 060)
func (s *Store) fail(op, run string, seq uint64, err error) error {
	return &journal.StoreError{Op: op, File: s.address, Run: run, Seq: seq, Err: typed(err)}
}

// typed wraps err in the store's error that it means. The server's text has a code in front, and in releases before 7
// somewhere within.
func typed(err error) error {
	if errors.Is(err, resp.ErrClosed) {
		return journal.ErrClosed
	}
	said, ok := errors.AsType[resp.Error](err)
	if !ok {
		return err
	}
	for _, known := range []struct {
		code string
		kind error
	}{
		{"OOM ", journal.ErrNoSpace},
		{"MISCONF ", journal.ErrNoSpace}, // it cannot write its own disk
		{"READONLY ", journal.ErrReadOnly},
		{"NOREPLICAS ", journal.ErrReadOnly},
		{"NOPERM ", journal.ErrReadOnly},
		{"WRONGTYPE ", journal.ErrCorrupt},
		{"equal or smaller than the target stream", journal.ErrCorrupt},
	} {
		if strings.Contains(said.Error(), known.code) {
			return fmt.Errorf("%w: %w", known.kind, err)
		}
	}
	return err
}

// Attempts of a call whose connection breaks, and how long to wait before the second; the next waits are longer.
const (
	attempts  = 5
	firstWait = 10 * time.Millisecond
)

// call makes a call to the server, again where the connection breaks: all calls may be made again. It returns how
// many attempts it took.
func (s *Store) call(ctx context.Context, do func() error) (n int, err error) {
	return s.try(ctx, func() error { return s.once(do) })
}

// try is call, where do sees to it that the store is not closed.
func (s *Store) try(ctx context.Context, do func() error) (n int, err error) {
	wait := firstWait
	for n = 1; ; n++ {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		err = do()
		if n == attempts || !broken(err) {
			return n, err
		}
		select {
		case <-time.After(wait):
			wait *= 3
		case <-ctx.Done():
			return n, errors.Join(ctx.Err(), err)
		case <-s.done:
			return n, journal.ErrClosed
		}
	}
}

// once makes a call, unless the store is closed.
func (s *Store) once(do func() error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return journal.ErrClosed
	}
	return do()
}

// broken reports whether the server may not have heard a call, or its answer got lost.
func broken(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, resp.ErrClosed) {
		return false
	}
	_, said := errors.AsType[resp.Error](err)
	_, typed := errors.AsType[*journal.StoreError](err)
	return !said && !typed && !errors.Is(err, journal.ErrClosed) && !errors.Is(err, journal.ErrCorrupt)
}

// checkRun reports why no run can have such an id: a NUL ends it in the projections.
func checkRun(run string) error {
	if strings.ContainsRune(run, 0) {
		return fmt.Errorf("the id of a run has a NUL in it: %q", run)
	}
	return nil
}

// Append implements [journal.Store]. Sync and Async are the same: the server has the batch, and what that is worth
// says [Store.Promises]. A batch of more than MaxBatch bytes is refused.
func (s *Store) Append(ctx context.Context, b journal.Batch) error {
	if err := s.append(ctx, &b); err != nil {
		return s.fail("append", b.Run, b.After+1, err)
	}
	return nil
}

func (s *Store) append(ctx context.Context, b *journal.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := errors.Join(b.Validate(), checkRun(b.Run)); err != nil {
		return fmt.Errorf("%w: %w", journal.ErrRefused, err)
	}
	if b.Head() < b.After || b.Head() > math.MaxInt64 {
		return journal.ErrConflict // no journal is that long
	}
	args, err := s.arguments(b)
	if err != nil {
		return err
	}
	keys := []string{
		s.runKey(b.Run, ""), s.runKey(b.Run, frames), s.runKey(b.Run, pending),
		s.key(meta), s.key(index), s.key(interrupts), s.key(inbox), s.key(timers), s.key(found), s.key(asked), s.key(asks), s.key(held), s.key(fed), s.key(gone),
	}
	var said []string
	first := true
	n, err := s.try(ctx, func() (err error) {
		if first {
			first = false
			if said, err = s.send(keys, args); !resp.Unknown(err) {
				return err
			}
		}
		return s.once(func() error {
			said, err = resp.Strings(s.scripts.append.Run(ctx, s.client, keys, args...))
			return err
		})
	})
	if alone(b) {
		s.tellSoon(b.Run) // also where the answer was lost
	}
	if err != nil {
		return err
	}
	return verdict(b, said, n > 1 && len(b.Entries) == 0)
}

// verdict is what the script says of a batch. One without entries leaves no trace that lasts: when it was sent again
// and others have written meanwhile, whether it was among what was written is not known.
func verdict(b *journal.Batch, said []string, unknown bool) error {
	said = append(said, "", "", "") // an answer that is too short is none that is known
	switch said[0] {
	case "OK":
		return nil
	case "CONFLICT":
		if unknown {
			return fmt.Errorf("the connection broke, and others have written until seq %s: outcome of the write unknown", said[1])
		}
		return fmt.Errorf("%w: the head is %s", journal.ErrConflict, said[1])
	case "HELD":
		return &journal.HeldError{Key: b.Row.Dedup, Run: said[1]}
	case "OWNER":
		return fmt.Errorf("%w: interrupt %s belongs to run %s", journal.ErrRefused, said[1], said[2])
	case "CORRUPT":
		return fmt.Errorf("%w: %s", journal.ErrCorrupt, said[1])
	}
	return fmt.Errorf("%w: the script answers %q", journal.ErrCorrupt, said[0])
}

// Delete implements [journal.Store].
func (s *Store) Delete(ctx context.Context, run string) error {
	err := ctx.Err()
	if err == nil && checkRun(run) == nil {
		keys := []string{
			s.runKey(run, ""), s.runKey(run, frames), s.runKey(run, pending),
			s.key(index), s.key(interrupts), s.key(inbox), s.key(timers), s.key(found), s.key(asked), s.key(asks), s.key(held),
			s.key(meta), s.key(fed), s.key(gone),
		}
		_, err = s.call(ctx, func() error {
			_, err := s.scripts.delete.Run(ctx, s.client, keys, run, s.channel(), s.sender)
			return err
		})
	}
	if err != nil {
		return s.fail("delete", run, 0, err)
	}
	return nil
}

// Close implements [journal.Store]. It waits for calls that are on their way, and tells others what they have not been
// told; those that watch here are told no more.
func (s *Store) Close() error {
	s.tell()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	close(s.done)
	if err := s.client.Close(); err != nil {
		return s.fail("close", "", 0, err)
	}
	return nil
}
