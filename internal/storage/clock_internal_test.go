package storage

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// farServer is a server that is an hour ahead, and takes its time to say so, on either way.
type farServer struct{ out, back time.Duration }

func (s *farServer) Now(context.Context) (time.Time, error) {
	time.Sleep(s.out)
	now := time.Now().Add(time.Hour)
	time.Sleep(s.back)
	return now, nil
}

// An answer of the server is taken to be of the middle of the time that it took, and one that took long does not take the
// place of one that did not.
func TestJ12_AnAnswerThatTookLongIsNotBelieved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, began := &farServer{out: 100 * time.Millisecond, back: 100 * time.Millisecond}, time.Now()
		c := &StoreClock{store: server, log: slog.New(slog.DiscardHandler), read: func() (time.Time, time.Duration) {
			return time.Time{}, time.Since(began)
		}}
		if err := c.open(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, x := range []farServer{*server, {back: 2 * time.Second}, {out: 2 * time.Second}} {
			*server = x
			if _, err := c.ask(t.Context()); err != nil {
				t.Fatal(err)
			}
			if ahead := time.Until(c.Now()); ahead != time.Hour {
				t.Errorf("after an answer that took %v and %v, the clock is %v ahead, expected an hour", x.out, x.back, ahead)
			}
		}
	})
}
