package watch_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/watch"
	"github.com/fermata-go/fermata/journal"
)

// teller is a store that tells what a test says.
type teller struct {
	journal.Watcher
	refuse  int // how often it cannot be watched
	watches int // how many there have been
	open    atomic.Int32
	tell    func(journal.Change)
}

func (s *teller) WatchRuns(ctx context.Context, changed func(journal.Change)) error {
	if s.refuse > 0 {
		s.refuse--
		return errors.New("not now")
	}
	s.watches++
	s.open.Add(1)
	s.tell = changed
	context.AfterFunc(ctx, func() { s.open.Add(-1) })
	return nil
}

// woken collects who was woken.
type woken struct {
	mu   sync.Mutex
	list []string
}

func (w *woken) wake(run string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, run)
}

func (w *woken) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.list
	w.list = nil
	slices.Sort(list)
	return list
}

func expect(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// A write wakes the readers of its run, and who wants to hear of all. What a store does not know wakes everybody.
func TestE1_AWriteWakesTheReadersOfItsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := &teller{}, &woken{}
		room := watch.New(s, w.wake, func(err error) { t.Error(err) })
		defer room.Close()
		leave := room.Join("a")
		room.Join("a")
		room.Join("b")
		room.Join(watch.Any)
		synctest.Wait()
		expect(t, "for what came before", []string{"", "a", "b"}, w.take())
		s.tell(journal.Change{Runs: []string{"a", "c"}})
		expect(t, "a write to a", []string{"", "a"}, w.take())
		s.tell(journal.Change{})
		expect(t, "a write to no journal", []string{""}, w.take())
		s.tell(journal.Change{Any: true})
		expect(t, "a write to any run", []string{"", "a", "b"}, w.take())
		leave()
		leave() // once is enough
		s.tell(journal.Change{Runs: []string{"a"}})
		expect(t, "one of two has left", []string{"", "a"}, w.take())
		time.Sleep(61 * time.Second)
		expect(t, "after a minute", []string{"", "a", "b"}, w.take())
		expect(t, "watches", []int{1, 1}, []int{s.watches, int(s.open.Load())})
	})
}

// The readers of a store that notifies nobody look at growing intervals. Who wants to hear of all looks without being woken.
func TestE1_WithoutNotificationsReadersLookNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &woken{}
		room := watch.New(nil, w.wake, func(err error) { t.Error(err) })
		leave := room.Join("a")
		room.Join(watch.Any)
		time.Sleep(time.Second)
		expect(t, "in a second", []string{"a", "a", "a"}, w.take())
		time.Sleep(24 * time.Hour)
		if n := len(w.take()); n < 24*60/5 || n > 24*60/5+12 {
			t.Errorf("in a day, expected to be woken about every five minutes, found %d times", n)
		}
		leave()
		leave() // once is enough
		time.Sleep(time.Hour)
		expect(t, "woken after the reader has left", 0, len(w.take()))
		room.Join("b")
		room.Close()
		room.Join("c")()
		time.Sleep(time.Hour)
		expect(t, "woken after the end", 0, len(w.take()))
	})
}

// However many readers come and go, there is one watch; none when they have been gone for a while, and one again then.
func TestE3_ReadersShareOneWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := &teller{}, &woken{}
		room := watch.New(s, w.wake, func(err error) { t.Error(err) })
		for range 3 {
			var leaves []func()
			for range 500 {
				leaves = append(leaves, room.Join("a"))
			}
			time.Sleep(time.Second)
			for _, leave := range leaves {
				leave()
			}
			time.Sleep(time.Second)
		}
		time.Sleep(time.Second) // six after the first ones have left, and two after the last ones
		synctest.Wait()
		expect(t, "watches", []int{1, 1}, []int{s.watches, int(s.open.Load())})
		time.Sleep(time.Minute)
		synctest.Wait()
		expect(t, "watches, when nobody is there", []int{1, 0}, []int{s.watches, int(s.open.Load())})
		room.Join("b")
		synctest.Wait()
		expect(t, "watches, when somebody is", []int{2, 1}, []int{s.watches, int(s.open.Load())})
		room.Close()
		synctest.Wait()
		expect(t, "watches of a closed room", []int{2, 0}, []int{s.watches, int(s.open.Load())})
		room.Join("c")
		synctest.Wait()
		expect(t, "watches of a closed room", 2, s.watches)
	})
}

// A store that cannot be watched is tried again; then everybody is woken.
func TestE1_AWatchThatFailsIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := &teller{refuse: 3}, &woken{}
		failures := 0
		room := watch.New(s, w.wake, func(error) { failures++ })
		defer room.Close()
		room.Join("a")
		time.Sleep(time.Second)
		expect(t, "woken", []string{"a"}, w.take())
		expect(t, "failures, watches", []int{3, 1}, []int{failures, s.watches})
	})
}

// forgetful is a store that knows how far its runs have come, and may not have told.
type forgetful struct {
	teller
	mu    sync.Mutex
	heads map[string]uint64
	asked [][]string
	err   error
}

// set changes what it says.
func (s *forgetful) set(run string, head uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err = err; run != "" {
		s.heads[run] = head
	}
}

func (s *forgetful) Heads(_ context.Context, runs []string) (map[string]uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	runs = slices.Clone(runs)
	slices.Sort(runs)
	s.asked = append(s.asked, runs)
	found := make(map[string]uint64)
	for _, run := range runs {
		if head, ok := s.heads[run]; ok {
			found[run] = head
		}
	}
	return found, s.err
}

// A write that nobody was told of is noticed two seconds later, by one question for all runs that are read.
func TestE1_AWriteThatNobodyTellsOfIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := &forgetful{heads: map[string]uint64{"a": 5, "b": 7}}, &woken{}
		room := watch.New(s, w.wake, func(err error) { t.Error(err) })
		defer room.Close()
		room.Join("a")
		leave := room.Join("b")
		room.Join("not there yet")
		room.Join(watch.Any)
		time.Sleep(3 * time.Second)
		w.take() // for what came before
		s.set("a", 6, nil)
		time.Sleep(2 * time.Second)
		expect(t, "a write to a", []string{"a"}, w.take())
		time.Sleep(10 * time.Second)
		expect(t, "no write", []string(nil), w.take())
		s.set("b", 8, errors.New("not now"))
		time.Sleep(6 * time.Second)
		expect(t, "a store that does not answer", []string(nil), w.take())
		s.set("", 0, nil)
		time.Sleep(2 * time.Second)
		expect(t, "a store that answers again", []string{"b"}, w.take())
		s.set("not there yet", 1, nil)
		time.Sleep(2 * time.Second)
		expect(t, "a run that is new", []string{"not there yet"}, w.take())
		synctest.Wait()
		expect(t, "questions in 25 seconds", 12, len(s.asked))
		expect(t, "what is asked", []string{"a", "b", "not there yet"}, s.asked[0])
		leave()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		expect(t, "what is asked", []string{"a", "not there yet"}, s.asked[len(s.asked)-1])
	})
}

// While a store cannot be watched, its readers are woken as those of one that misses writes: by its heads within two seconds, or else
// once a minute.
func TestE1_AStoreThatCannotBeWatchedIsLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := &forgetful{teller: teller{refuse: math.MaxInt}, heads: map[string]uint64{"a": 5, "b": 7}}, &woken{}
		room := watch.New(s, w.wake, func(error) {})
		defer room.Close()
		room.Join("a")
		room.Join("b")
		time.Sleep(3 * time.Second)
		expect(t, "for what came before", []string{"a", "b"}, w.take())
		s.set("a", 6, nil)
		time.Sleep(2 * time.Second)
		expect(t, "a write to a", []string{"a"}, w.take())
		time.Sleep(10 * time.Second)
		expect(t, "no write", []string(nil), w.take())
	})
	synctest.Test(t, func(t *testing.T) {
		w := &woken{}
		room := watch.New(&teller{refuse: math.MaxInt}, w.wake, func(error) {})
		defer room.Close()
		room.Join("a")
		time.Sleep(2*time.Minute + time.Second)
		expect(t, "in two minutes, of a store without heads", []string{"a", "a"}, w.take())
	})
}
