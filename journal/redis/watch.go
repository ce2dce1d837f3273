package redis

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	driver "github.com/redis/go-redis/v9"
)

const (
	// settleTime is how long watchers wait after a sign of a write, so that many are one.
	settleTime = 2 * time.Millisecond
	// defaultTellTime is how long entries gather before others are told of them.
	defaultTellTime = 3 * time.Millisecond
)

// tellSoon has others told of entries, once for all that are written until then. The server telling of each would be
// more work than writing it.
func (s *Store) tellSoon() {
	if s.news.CompareAndSwap(false, true) {
		time.AfterFunc(s.tellTime, s.tell)
	}
}

// tell tells others of entries that they have not been told of.
func (s *Store) tell() {
	if s.news.Swap(false) {
		ctx := context.Background()
		_, _ = s.call(ctx, func() error { return s.client.Publish(ctx, s.channel(), s.sender).Err() }) // who may not tell others may still write
	}
}

// watchers are all who watch a store. They share one subscription, which is there while there are any: a runtime
// watches once for each reader of events.
type watchers struct {
	mu   sync.Mutex
	call map[*func()]bool
	sub  *driver.PubSub // nil when nobody watches
}

// Watch implements [journal.Watcher]. A script that writes more than entries publishes who sent it; entries are told
// of within milliseconds, and not when their process is killed before. Where the connection broke,
// what was published meanwhile is lost, so changed is called when there is one again. Its calls are one at a time,
// and those that watch the same Store wait for each other's.
func (s *Store) Watch(ctx context.Context, changed func()) error {
	err := ctx.Err()
	if err == nil {
		err = s.watch(ctx, &changed)
	}
	if err != nil {
		return s.fail("watch", "", 0, err)
	}
	return nil
}

func (s *Store) watch(ctx context.Context, changed *func()) error {
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
		w.sub, w.call = sub, make(map[*func()]bool)
		go s.listen(sub)
	}
	w.call[changed] = true
	context.AfterFunc(ctx, func() { s.leave(changed) })
	return nil
}

// subscribe returns when the server has said that there is a subscription.
func (s *Store) subscribe(ctx context.Context) (sub *driver.PubSub, err error) {
	_, err = s.call(ctx, func() error {
		sub = s.client.Subscribe(ctx, s.channel())
		_, err := sub.ReceiveTimeout(ctx, s.options.Timeout)
		if err != nil {
			_ = sub.Close()
		}
		return err
	})
	return sub, err
}

// leave ends a watcher, and with the last one the subscription.
func (s *Store) leave(changed *func()) {
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
func (s *Store) listen(sub *driver.PubSub) {
	signs := sub.ChannelWithSubscriptions()
	for s.await(signs) {
		s.watchers.mu.Lock()
		calls := slices.Collect(maps.Keys(s.watchers.call))
		s.watchers.mu.Unlock()
		for _, changed := range calls {
			(*changed)()
		}
	}
	_ = sub.Close()
}

// await waits for a sign of a write by others, and for those that follow at once. It is false when there is no more to
// wait for.
func (s *Store) await(signs <-chan any) bool {
	var settled <-chan time.Time
	for {
		select {
		case <-s.done:
			return false
		case <-settled:
			return true
		case sign, ok := <-signs:
			if !ok {
				return false
			}
			if m, ok := sign.(*driver.Message); ok && m.Payload == s.sender {
				continue
			}
			if settled == nil {
				settled = time.After(settleTime)
			}
		}
	}
}
