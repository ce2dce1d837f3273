package feed_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/feed"
	"github.com/fermata-go/fermata/journal"
)

// log is a store whose changes a test makes. A cursor is how many there have been.
type log struct {
	mu    sync.Mutex
	runs  []string
	early int    // of the last ones
	err   error  // of the next pages
	order string // behind a cursor: those with another one are refused
	pages int
}

var errLost = fmt.Errorf("%w: of another store", journal.ErrQuery)

// set changes what it says.
func (s *log) set(early int, err error, runs ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs, s.early, s.err = append(s.runs, runs...), early, err
}

// read is how many pages were read.
func (s *log) read() int {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pages
}

func (s *log) Feed(_ context.Context, q journal.FeedQuery) (p journal.FeedPage, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages++
	if s.err != nil {
		return p, s.err
	}
	final := len(s.runs) - s.early
	after := final
	if text, of := strings.CutSuffix(q.After, s.order); q.After != journal.FeedNow && q.After != "" {
		if after, err = strconv.Atoi(text); err != nil || !of {
			return p, errLost
		}
	} else if q.After == "" {
		after = 0
	}
	p.Began = strconv.Itoa(after) + s.order
	for i := after; i < len(s.runs) && len(p.Changes) < q.Size(); i++ {
		if p.Changes = append(p.Changes, journal.RunChange{Row: journal.RunRow{ID: s.runs[i]}, Mark: uint64(i)}); i >= final {
			p.Early++
		}
	}
	after += len(p.Changes) - p.Early
	p.Next, p.More = strconv.Itoa(after)+s.order, after < final
	return p, nil
}

// reads collects what a follower reads.
type reads struct {
	mu  sync.Mutex
	all []string
}

func (r *reads) add(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, text)
}

// take is what was read since it was called last.
func (r *reads) take() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.all
	r.all = nil
	return all
}

func follow(t *testing.T, hub *feed.Hub, after string) *reads {
	t.Helper()
	r := &reads{}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for told, err := range hub.Follow(ctx, after, true) {
			if err != nil {
				r.add(err.Error())
				return
			}
			r.add(told.Row.ID + " " + told.Cursor)
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	return r
}

func expect(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func signed() (o feed.Options) {
	return feed.Options{Join: func() func() { return func() {} }, Failed: func(error) {}}
}

// A change that is told early is told once to who follows, and its cursor repeats it to those that come back. One sign is enough: the hub
// looks again until all is final.
func TestW8_EarlyChangesAreToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &log{runs: []string{"a"}}
		hub := feed.New(s, signed())
		defer hub.Close()
		r := follow(t, hub, "")
		expect(t, "at the start", []string{"a 1"}, r.take())
		s.set(2, nil, "b", "c")
		hub.Sign()
		expect(t, "early", []string{"b 1", "c 1"}, r.take())
		time.Sleep(5 * time.Second)
		expect(t, "while they are early", []string(nil), r.take())
		s.set(0, nil, "d")
		time.Sleep(2 * time.Second)
		expect(t, "when they are final", []string{"d 4"}, r.take())
		before := s.read()
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := s.read() - before; n < 3 || n > 5 {
			t.Errorf("read %d times in a minute without a change", n)
		}
	})
}

// A store that fails is read again, and nothing is passed over.
func TestW8_AFailingStoreIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, failures := &log{}, 0
		o := signed()
		o.Failed = func(error) { failures++ }
		hub := feed.New(s, o)
		defer hub.Close()
		r := follow(t, hub, "")
		expect(t, "at the start", []string(nil), r.take())
		s.set(0, errors.New("not now"), "a")
		hub.Sign()
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if failures < 3 || failures > 20 {
			t.Errorf("failed %d times", failures)
		}
		s.set(0, nil)
		time.Sleep(10 * time.Second)
		expect(t, "when it answers", []string{"a 1"}, r.take())
		s.set(0, errors.New("not now"))
		expect(t, "to who comes then", []string{"not now"}, follow(t, hub, "").take())
	})
}

// An order that begins anew ends those that follow, with the error, and not those that come then.
func TestW8_AnOrderThatBeginsAnewEndsItsFollowers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &log{}
		hub := feed.New(s, signed())
		defer hub.Close()
		first, second := follow(t, hub, ""), follow(t, hub, "")
		first.take()
		s.mu.Lock()
		s.order = "'"
		s.mu.Unlock()
		hub.Sign()
		time.Sleep(time.Second)
		for _, r := range []*reads{first, second} {
			expect(t, "who followed before", []string{errLost.Error()}, r.take())
		}
		third := follow(t, hub, "")
		third.take()
		for _, id := range []string{"a", "b"} {
			s.set(0, nil, id)
			hub.Sign()
			time.Sleep(time.Second)
		}
		expect(t, "who comes then", []string{"a 1'", "b 2'"}, third.take())
	})
}

// Nobody is read for whom nobody follows, and a hub that is closed ends its followers.
func TestW8_AHubRestsWithoutFollowers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &log{runs: []string{"a"}}
		joined := 0
		hub := feed.New(s, feed.Options{Failed: func(error) {}, Join: func() func() { joined++; return func() { joined-- } }})
		for range 3 {
			for told, err := range hub.Follow(t.Context(), "", true) {
				expect(t, "told", "a", told.Row.ID)
				expect(t, "error, joined", []any{nil, 1}, []any{err, joined})
				break
			}
			synctest.Wait()
			expect(t, "joined, when nobody follows", 0, joined)
		}
		before := s.read()
		hub.Sign()
		time.Sleep(time.Hour)
		expect(t, "pages of nobody", 0, s.read()-before)
		r := follow(t, hub, "1")
		r.take()
		hub.Close()
		hub.Close()
		expect(t, "after the end", []string(nil), r.take())
		for told, err := range hub.Follow(t.Context(), "1", true) {
			t.Errorf("a hub that is closed tells %v, %v", told, err)
		}
	})
}

// A follower that is behind by more blocks than are kept reads the store again, and misses none.
func TestW8_AFollowerThatFellBehindReadsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &log{}
		hub := feed.New(s, signed())
		defer hub.Close()
		var got, want []string
		release := make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			for told, err := range hub.Follow(ctx, "", true) {
				if err != nil {
					t.Error(err)
					return
				}
				if got = append(got, told.Row.ID); len(got) == 1 {
					<-release
				}
			}
		}()
		synctest.Wait()
		for i := range 100 {
			want = append(want, fmt.Sprint("run_", i))
			s.set(0, nil, want[i])
			hub.Sign()
			time.Sleep(time.Second)
		}
		close(release)
		synctest.Wait()
		cancel()
		<-done
		slices.Sort(want)
		expect(t, "told", want, slices.Compact(slices.Sorted(slices.Values(got))))
	})
}
