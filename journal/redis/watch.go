package redis

import (
	"context"
	"time"

	driver "github.com/redis/go-redis/v9"
)

// settleTime is how long a watcher waits after a sign of a write, so that many are one.
const settleTime = 2 * time.Millisecond

// Watch implements [journal.Watcher]. Every script that writes publishes who sent it. Where the connection broke,
// what was published meanwhile is lost, so changed is called when there is one again.
func (s *Store) Watch(ctx context.Context, changed func()) error {
	if err := ctx.Err(); err != nil {
		return s.fail("watch", "", 0, err)
	}
	var sub *driver.PubSub
	_, err := s.call(ctx, func() error {
		sub = s.client.Subscribe(ctx, s.channel())
		_, err := sub.ReceiveTimeout(ctx, s.options.Timeout) // that it is subscribed
		if err != nil {
			_ = sub.Close()
		}
		return err
	})
	if err != nil {
		return s.fail("watch", "", 0, err)
	}
	signs := sub.ChannelWithSubscriptions()
	go func() {
		defer sub.Close() //nolint:errcheck // nothing hangs on it
		for s.await(ctx, signs) {
			changed()
		}
	}()
	return nil
}

// await waits for a sign of a write by others, and for those that follow at once. It is false when there is no more to
// wait for.
func (s *Store) await(ctx context.Context, signs <-chan any) bool {
	var settled <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return false
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
