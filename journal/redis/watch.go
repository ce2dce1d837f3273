package redis

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/redis/internal/resp"
)

const (
	// quietTime is how long watchers wait after a sign of a write, so that many are one.
	quietTime = 2 * time.Millisecond
	// defaultTellTime is how long entries gather before others are told of them.
	defaultTellTime = 3 * time.Millisecond
)

// news is the runs with entries that others have not been told of yet, and will be.
type news struct {
	wait time.Duration // see defaultTellTime
	mu   sync.Mutex
	runs map[string]struct{} // nil: there is nothing to tell
}

// maxNews bounds the runs that are named. Beyond it, any run may have changed.
const maxNews = 1024

// add makes a run news, and reports whether it is the first.
func (n *news) add(run string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	first := n.runs == nil
	if first {
		n.runs = make(map[string]struct{})
	}
	if len(n.runs) <= maxNews {
		n.runs[run] = struct{}{}
	}
	return first
}

func (n *news) take() (runs map[string]struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	runs, n.runs = n.runs, nil
	return runs
}

// tellSoon has others told of entries, once for all that are written until then. The server telling of each would be
// more work than writing it.
func (s *Store) tellSoon(run string) {
	if s.news.add(run) {
		time.AfterFunc(s.news.wait, s.tell)
	}
}

// tell tells others of entries that they have not been told of: who wrote, and to which runs, with a NUL before each.
// Without runs it may have been any.
func (s *Store) tell() {
	runs := s.news.take()
	if len(runs) == 0 {
		return
	}
	var said strings.Builder
	said.WriteString(s.sender)
	if len(runs) <= maxNews {
		for run := range runs {
			said.WriteString("\x00" + run)
		}
	}
	ctx := context.Background()
	_, _ = s.call(ctx, func() error { // who may not tell others may still write
		_, err := s.client.Do(ctx, "PUBLISH", s.channel(), said.String())
		return err
	})
}

// watchers are all who watch a store. They share one subscription, which is there while there are any.
type watchers struct {
	mu   sync.Mutex
	call map[*func(journal.Change)]bool
	sub  *resp.Subscription // nil when nobody watches
}

// Watch implements [journal.Watcher], see [Store.WatchRuns].
func (s *Store) Watch(ctx context.Context, changed func()) error {
	return s.WatchRuns(ctx, func(journal.Change) { changed() })
}

// WatchRuns implements [journal.RunWatcher]. A script that writes more than entries publishes who sent it; entries are
// announced within milliseconds, unless their process is killed before. Where the connection broke, what was published
// meanwhile is lost, so changed is called when there is one again. Its calls are one at a time, and those that watch
// the same Store wait for each other's. A store of an earlier version does not say which run it has written to: it may
// have been any.
func (s *Store) WatchRuns(ctx context.Context, changed func(journal.Change)) error {
	err := ctx.Err()
	if err == nil {
		err = s.watch(ctx, &changed)
	}
	if err != nil {
		return s.fail("watch", "", 0, err)
	}
	return nil
}

func (s *Store) watch(ctx context.Context, changed *func(journal.Change)) error {
	if err := s.once(func() error { return nil }); err != nil {
		return err
	}
	w := &s.watchers
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sub == nil {
		sub, err := s.subscribe(ctx)
		if err != nil {
			return err
		}
		w.sub, w.call = sub, make(map[*func(journal.Change)]bool)
		go s.listen(sub)
	}
	w.call[changed] = true
	context.AfterFunc(ctx, func() { s.leave(changed) })
	return nil
}

// subscribe returns when the server has said that there is a subscription.
func (s *Store) subscribe(ctx context.Context) (sub *resp.Subscription, err error) {
	_, err = s.call(ctx, func() (err error) {
		sub, err = s.client.Subscribe(ctx, s.channel())
		return err
	})
	return sub, err
}

// leave ends a watcher, and with the last one the subscription.
func (s *Store) leave(changed *func(journal.Change)) {
	w := &s.watchers
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.call, changed)
	if len(w.call) == 0 && w.sub != nil {
		_ = w.sub.Close() // listen ends
		w.sub = nil
	}
}

// listen tells the watchers of writes, until the subscription or the store is closed.
func (s *Store) listen(sub *resp.Subscription) {
	signs := sub.Signs()
	for {
		change, ok := s.await(signs)
		if !ok {
			break
		}
		s.watchers.mu.Lock()
		calls := slices.Collect(maps.Keys(s.watchers.call))
		s.watchers.mu.Unlock()
		for _, changed := range calls {
			(*changed)(journal.Change{Runs: slices.Clone(change.Runs), Any: change.Any})
		}
	}
	_ = sub.Close()
}

// await waits for a sign of a write by others, and for those that follow at once. It is false when there is no more to
// wait for.
func (s *Store) await(signs <-chan resp.Sign) (change journal.Change, ok bool) {
	var quiet <-chan time.Time
	runs := make(map[string]struct{})
	for {
		select {
		case <-s.done:
			return change, false
		case <-quiet:
			if !change.Any {
				change.Runs = slices.Collect(maps.Keys(runs))
			}
			return change, true
		case sign, ok := <-signs:
			if !ok {
				return change, false
			}
			if sign.Again { // there is a subscription again, and something may have been missed
				change.Any = true
			} else {
				sender, named, some := strings.Cut(sign.Payload, "\x00")
				if sender == s.sender {
					continue
				}
				change.Any = change.Any || !some
				for run := range strings.SplitSeq(named, "\x00") {
					runs[run] = struct{}{}
				}
			}
			if quiet == nil {
				quiet = time.After(quietTime)
			}
		}
	}
}
