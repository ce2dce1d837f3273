package executor

import (
	"context"
	"errors"
	"testing"
)

func TestALifeIsAContext(t *testing.T) {
	type key struct{}
	for _, waits := range []bool{false, true} {
		for _, end := range []string{"stop", "parent"} {
			parent, cancel := context.WithCancelCause(context.WithValue(t.Context(), key{}, "kept"))
			l := &life{parent: parent}
			if waits {
				select {
				case <-l.Done():
					t.Fatal("it is over before its end")
				default:
				}
			}
			if err := l.Err(); err != nil || l.Value(key{}) != "kept" {
				t.Fatalf("before its end: %v, value %v", err, l.Value(key{}))
			}
			why, want := errors.New("why"), context.Canceled
			if end == "stop" {
				l.stop()
			} else {
				cancel(why)
				want = why
			}
			if err := l.Err(); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, waits %t: Err is %v", end, waits, err)
			}
			if err := context.Cause(l); !errors.Is(err, want) {
				t.Errorf("%s, waits %t: the cause is %v, expected %v", end, waits, err, want)
			}
			<-l.Done()
			child, release := context.WithCancel(l)
			<-child.Done()
			release()
			l.stop()
			cancel(nil)
		}
	}
}

func TestALifeEndsItsChildren(t *testing.T) {
	parent, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := &life{parent: parent}
	child, release := context.WithCancel(l)
	defer release()
	if child.Err() != nil {
		t.Fatal("the child is over before its parent")
	}
	l.stop()
	<-child.Done()
}
