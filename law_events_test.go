package fermata_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// watcher collects what a reader sees.
type watcher struct {
	mu     sync.Mutex
	events []fermata.Event
	err    error
	done   chan struct{}
	cancel context.CancelFunc
}

// watch reads a run's events in a goroutine of its own, until the run has ended or stop is called.
func watch(t *testing.T, rt *fermata.Runtime, run string, after uint64) *watcher {
	t.Helper()
	ctx, cancel := context.WithCancel(timeLimit(t))
	w := &watcher{done: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(w.done)
		for e, err := range rt.Events(ctx, run, after, true) {
			w.mu.Lock()
			if err != nil {
				w.err = err
			} else {
				w.events = append(w.events, e)
			}
			w.mu.Unlock()
		}
	}()
	t.Cleanup(w.stop)
	return w
}

func (w *watcher) stop() {
	w.cancel()
	<-w.done
}

// ended waits until the reader has come to the run's end by itself.
func (w *watcher) ended(t *testing.T) []fermata.Event {
	t.Helper()
	select {
	case <-w.done:
	case <-time.After(soon):
		t.Fatalf("the events go on after the run's end: %v", w.seen())
	}
	if w.err != nil {
		t.Fatal(w.err)
	}
	return w.events
}

func (w *watcher) seen() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return types(w.events)
}

func types(events []fermata.Event) []string {
	var all []string
	for i := range events {
		e := &events[i]
		if e.Sub > 0 {
			all = append(all, fmt.Sprintf("%d.%d %s %s", e.Seq(), e.Sub, e.Type(), e.Entry.To))
			continue
		}
		all = append(all, fmt.Sprintf("%d %s", e.Seq(), e.Type()))
	}
	return all
}

// durable are the events that are entries; they must be dense after the given seq.
func durable(t *testing.T, events []fermata.Event, after uint64) []fermata.Event {
	t.Helper()
	var all []fermata.Event
	for _, e := range events {
		if e.Sub > 0 {
			continue
		}
		if after++; e.Seq() != after {
			t.Fatalf("event %d comes where %d is due: %q", e.Seq(), after, types(events))
		}
		all = append(all, e)
	}
	return all
}

// twoQuestions is a chain that asks at its ends.
func twoQuestions() *graph.Graph[state] {
	return graph.New[state]("two").Node("a", asking).Node("b", logged).Node("c", asking).
		Edge(graph.Start, "a").Edge("a", "b").Edge("b", "c").MustCompile()
}

// Each entry is one event with its seq. A reader follows through pauses, resumes and other drivers to the run's end.
func TestE1_EveryEntryIsOneEvent(t *testing.T) {
	store := memory.New()
	rt := newRuntime(t, fermata.Options{Store: store})
	g := twoQuestions()
	run := start(t, rt, g, state{})
	early := watch(t, rt, run.ID(), 0)
	for range 2 {
		answer(t, rt, question(t, run).ID, true)
	}
	ends(t, run, fermata.Completed)
	want := entries(t, store, run.ID())
	late := watch(t, rt, run.ID(), 0)
	for name, w := range map[string]*watcher{"early": early, "late": late} {
		var got []journal.Entry
		for _, e := range durable(t, w.ended(t), 0) {
			got = append(got, e.Entry)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the %s reader's entries (-stored +seen):\n%s", name, diff)
		}
	}
}

// A reader that comes back with the last seq it saw gets what follows, wherever it left, and nothing twice.
func TestE1_AReaderResumesAfterItsSeq(t *testing.T) {
	rt, store := inMemory(t)
	run := start(t, rt, twoQuestions(), state{})
	for range 2 {
		answer(t, rt, question(t, run).ID, true)
	}
	ends(t, run, fermata.Completed)
	n := uint64(len(entries(t, store, run.ID())))
	for after := range n + 1 {
		got := durable(t, watch(t, rt, run.ID(), after).ended(t), after)
		if uint64(len(got)) != n-after {
			t.Errorf("after %d: %d events, want %d", after, len(got), n-after)
		}
		var listed []fermata.Event
		for e, err := range rt.Events(t.Context(), run.ID(), after, false) {
			if err != nil {
				t.Fatal(err)
			}
			listed = append(listed, e)
		}
		if uint64(len(durable(t, listed, after))) != n-after {
			t.Errorf("after %d, without following: %d events, want %d", after, len(listed), n-after)
		}
	}
}

// Many readers join while a run is busy; each sees every entry once.
func TestE1_ReadersJoinAtAnyTime(t *testing.T) {
	rt, store := inMemory(t)
	const rounds = 400
	g := graph.New[state]("busy").
		Node("a", func(ctx node.Context, s state) (state, error) {
			s.N++
			return s, node.Emit(ctx, node.EventStatus, s.N)
		}).
		Edge(graph.Start, "a").
		Route("a", func(_ node.Context, s state) (string, error) {
			if s.N < rounds {
				return "a", nil
			}
			return graph.End, nil
		}, "a", graph.End).MustCompile()
	run := start(t, rt, g, state{})
	var readers []*watcher
	var from []uint64
	for i := range 20 {
		info, err := rt.Info(t.Context(), run.ID())
		if err != nil {
			t.Fatal(err)
		}
		after := info.Head * uint64(i%3) / 2
		readers, from = append(readers, watch(t, rt, run.ID(), after)), append(from, after)
	}
	ends(t, run, fermata.Completed)
	n := uint64(len(entries(t, store, run.ID())))
	for i, w := range readers {
		if got := durable(t, w.ended(t), from[i]); uint64(len(got))+from[i] != max(n, from[i]) {
			t.Errorf("reader %d after %d saw %d of %d", i, from[i], len(got), n)
		}
	}
}

// What others write while a run is driven is seen in its place.
func TestE1_AnswersFromOutsideAreSeenInTheirPlace(t *testing.T) {
	store := memory.New()
	rt := newRuntime(t, fermata.Options{Store: store})
	outside := newRuntime(t, fermata.Options{Store: store})
	hold := newGate()
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		left, err := node.Ask[bool](ctx, nil, node.ID("left"))
		if err != nil {
			return s, err
		}
		right, err := node.Ask[bool](ctx, nil, node.ID("right"))
		if err != nil {
			return s, err
		}
		if err := hold.pass(ctx); err != nil {
			return s, err
		}
		for _, q := range []*node.Asked[bool]{left, right} {
			if _, err := q.Wait(); err != nil {
				return s, err
			}
		}
		return s, nil
	}), state{})
	w := watch(t, rt, run.ID(), 0)
	hold.waitEntered(t)
	open, err := outside.Inbox(t.Context(), journal.InboxFilter{Run: run.ID()})
	if err != nil || len(open) != 2 {
		t.Fatalf("%d questions, error %v", len(open), err)
	}
	for _, q := range open {
		if err := outside.Claim(t.Context(), q.ID, "Ada", ""); err != nil {
			t.Fatal(err)
		}
		answer(t, outside, q.ID, true, fermata.AsPerson("Ada"), fermata.Hold())
	}
	close(hold.open)
	ends(t, run, fermata.Completed)
	if got, want := len(durable(t, w.ended(t), 0)), len(entries(t, store, run.ID())); got != want {
		t.Errorf("%d events of %d entries", got, want)
	}
}

// A reader of events that are written while it reads the store sees each once, also what another process writes just
// then.
func TestE1_WritesBetweenTwoReads(t *testing.T) {
	inner := memory.New()
	store := &spy{Store: inner}
	rt := newRuntime(t, fermata.Options{Store: store})
	outside := newRuntime(t, fermata.Options{Store: inner})
	hold := newGate()
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		for i := range 3 {
			if _, err := node.Ask[bool](ctx, nil, node.ID(fmt.Sprint("q", i))); err != nil {
				return s, err
			}
		}
		if err := hold.pass(ctx); err != nil {
			return s, err
		}
		return s, node.Emit(ctx, node.EventStatus, "now the driver finds that it is behind")
	}), state{})
	w := watch(t, rt, run.ID(), 0)
	hold.waitEntered(t)
	open, err := outside.Inbox(t.Context(), journal.InboxFilter{Run: run.ID()})
	if err != nil || len(open) != 3 {
		t.Fatalf("%d questions, error %v", len(open), err)
	}
	eventually(t, "the reader has caught up", func() bool { return len(w.seen()) == 5 })
	answer(t, outside, open[0].ID, true, fermata.Hold())
	var mu sync.Mutex
	left := open[1:2]
	store.reading = func(uint64) { // when the driver looks what is new, somebody writes once more
		mu.Lock()
		defer mu.Unlock()
		if len(left) > 0 {
			if err := outside.Answer(context.Background(), left[0].ID, true, fermata.Hold()); err != nil {
				t.Error(err)
			}
			left = left[1:]
		}
	}
	close(hold.open)
	ends(t, run, fermata.Completed)
	if got, want := len(durable(t, w.ended(t), 0)), len(entries(t, store, run.ID())); got != want {
		t.Errorf("%d events of %d entries", got, want)
	}
}

// A cancellation is the last event of a run, also for those who follow it while it works.
func TestE1_FollowersSeeTheCancellation(t *testing.T) {
	rt, store := inMemory(t)
	hold := newGate()
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) { return s, hold.pass(ctx) }), state{})
	w := watch(t, rt, run.ID(), 0)
	hold.waitEntered(t)
	if err := rt.Cancel(t.Context(), run.ID(), "", ""); err != nil {
		t.Fatal(err)
	}
	if got, want := len(durable(t, w.ended(t), 0)), len(entries(t, store, run.ID())); got != want {
		t.Errorf("%d events of %d entries", got, want)
	}
}

func TestE1_EventsOfAnUnknownRun(t *testing.T) {
	rt, _ := inMemory(t)
	var errs []error
	for _, err := range rt.Events(t.Context(), "run_unknown", 0, true) {
		errs = append(errs, err)
	}
	if len(errs) != 1 {
		t.Fatalf("%d errors, want 1", len(errs))
	}
	refused(t, errs[0], refusal{fermata.CodeNotFound, fermata.ErrNotFound})
}

// short is a text of which only the ends are shown.
func short(text string) string {
	if len(text) <= 2000 {
		return text
	}
	return text[:1000] + " … " + text[len(text)-1000:]
}

// streamed puts the text of each segment together as a reader sees it, and compares it with the whole that the end of
// the segment holds.
func streamed(t *testing.T, events []fermata.Event) map[string]string {
	t.Helper()
	open, whole := make(map[string]*strings.Builder), make(map[string]string)
	last := [2]uint64{}
	for i := range events {
		e := &events[i]
		now := [2]uint64{e.Seq(), uint64(e.Sub)}
		if now[0] < last[0] || now[0] == last[0] && now[1] <= last[1] {
			t.Errorf("event %d.%d comes after %d.%d: %s", now[0], now[1], last[0], last[1], short(fmt.Sprintf("%q", types(events))))
		}
		last = now
		data, err := e.Data()
		if err != nil {
			t.Fatal(err)
		}
		var text struct {
			SegmentID, Text string
			SoFar           bool
		}
		if strings.HasPrefix(e.Type(), "text.") {
			if err := json.Unmarshal(data, &text); err != nil {
				t.Fatal(err)
			}
		}
		switch e.Type() {
		case "text.start":
			delete(open, text.SegmentID)
		case "text.delta":
			if _, closed := whole[text.SegmentID]; closed {
				t.Errorf("text of %s after its end: %s", text.SegmentID, short(fmt.Sprintf("%q", types(events))))
			}
			if open[text.SegmentID] == nil || text.SoFar {
				open[text.SegmentID] = &strings.Builder{}
			}
			open[text.SegmentID].WriteString(text.Text)
		case "text.end":
			whole[text.SegmentID] = text.Text
			if got := open[text.SegmentID]; got != nil && got.String() != text.Text { // nil: it had ended when the reader came
				t.Errorf("segment %s was shown as %q, and is %q: %s", text.SegmentID, short(got.String()), short(text.Text),
					short(fmt.Sprintf("%q", types(events))))
			}
		}
	}
	return whole
}

// talks streams words; before each word it waits for leave to go on.
func talks(words []string, pace <-chan struct{}) graph.Func[state] {
	return func(ctx node.Context, s state) (state, error) {
		stream, err := node.Stream(ctx, "answer")
		if err != nil {
			return s, err
		}
		for _, w := range words {
			if w == "!" {
				if err := node.Emit(ctx, node.EventStatus, "in between"); err != nil {
					return s, err
				}
			} else if err := stream.Write(w); err != nil {
				return s, err
			}
			<-pace
		}
		return s, stream.Close()
	}
}

// Text is shown as it comes, and stored whole. A reader that joins late gets the segment so far, and then goes on.
func TestE2_TextIsShownAsItComes(t *testing.T) {
	words := []string{"To ", "be ", "!", "or ", "not ", "!", "to ", "be"}
	const whole = "To be or not to be"
	for joins := range words {
		t.Run(fmt.Sprintf("a reader joins after %d", joins), func(t *testing.T) {
			rt, store := inMemory(t)
			pace := make(chan struct{})
			run := start(t, rt, single(talks(words, pace)), state{})
			first := watch(t, rt, run.ID(), 0)
			for range joins {
				pace <- struct{}{}
			}
			late := watch(t, rt, run.ID(), 0)
			eventually(t, "the late reader is there", func() bool { return len(late.seen()) >= 3 })
			for range len(words) - joins {
				pace <- struct{}{}
			}
			ends(t, run, fermata.Completed)
			for name, w := range map[string]*watcher{"first": first, "late": late} {
				events := w.ended(t)
				durable(t, events, 0)
				if diff := cmp.Diff(map[string]string{"seg_a#1/stream:answer#1": whole}, streamed(t, events)); diff != "" {
					t.Errorf("%s reader (-want +got):\n%s", name, diff)
				}
			}
			for _, l := range lines(t, store, run.ID()) {
				if strings.HasPrefix(l, "text.delta") {
					t.Errorf("a delta was stored: %s", l)
				}
			}
		})
	}
}

// A reader that nobody was there before gets the segment so far, too.
func TestE2_TheFirstReaderMayBeLate(t *testing.T) {
	rt, _ := inMemory(t)
	pace := make(chan struct{})
	run := start(t, rt, single(talks([]string{"one ", "two ", "three"}, pace)), state{})
	pace <- struct{}{}
	pace <- struct{}{}
	w := watch(t, rt, run.ID(), 0)
	eventually(t, "the reader has the segment so far", func() bool {
		all := w.seen()
		return len(all) > 3 && strings.Contains(all[3], "one two ")
	})
	pace <- struct{}{}
	ends(t, run, fermata.Completed)
	streamed(t, w.ended(t))
}

// Readers that join at any moment of a long stream put it together without a gap and without a word twice.
func TestE2_ReadersJoinAtAnyTime(t *testing.T) {
	rt, _ := inMemory(t)
	const words = 6000
	var want strings.Builder
	for i := range words {
		fmt.Fprint(&want, i, " ")
	}
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		stream, err := node.Stream(ctx, "answer")
		if err != nil {
			return s, err
		}
		for i := range words {
			if err := stream.Write(fmt.Sprint(i, " ")); err != nil {
				return s, err
			}
			if i%1000 == 999 {
				if err := node.Emit(ctx, node.EventStatus, i); err != nil {
					return s, err
				}
			}
		}
		return s, stream.Close()
	}), state{})
	var readers []*watcher
	for range 12 {
		readers = append(readers, watch(t, rt, run.ID(), 0))
		time.Sleep(500 * time.Microsecond)
	}
	ends(t, run, fermata.Completed)
	for i, w := range readers {
		events := w.ended(t)
		durable(t, events, 0)
		if got := streamed(t, events)["seg_a#1/stream:answer#1"]; got != want.String() {
			t.Errorf("reader %d: the whole text has %d bytes, want %d", i, len(got), want.Len())
		}
	}
}

// A reader that is still reading the store when a segment ends does not get the segment again behind its end.
func TestE2_NoTextAfterItsEnd(t *testing.T) {
	inner := memory.New()
	store := &spy{Store: inner}
	rt := newRuntime(t, fermata.Options{Store: store})
	pace, release := make(chan struct{}), make(chan struct{})
	hold := newGate()
	words := talks([]string{"one ", "two ", "three"}, pace)
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		s, err := words(ctx, s)
		if err == nil {
			err = hold.pass(ctx)
		}
		return s, err
	}), state{})
	pace <- struct{}{}
	var once sync.Once
	reading := make(chan struct{})
	store.reading = func(uint64) {
		once.Do(func() { close(reading) })
		<-release
	}
	w := watch(t, rt, run.ID(), 0)
	<-reading // it is attached, and about to read the store
	pace <- struct{}{}
	pace <- struct{}{}
	hold.waitEntered(t) // the segment has ended
	close(release)
	close(hold.open)
	ends(t, run, fermata.Completed)
	events := w.ended(t)
	durable(t, events, 0)
	streamed(t, events)
}

// A run that is not stored shows its events from the start to whoever reads first.
func TestE1_EventsOfARunThatIsNotStored(t *testing.T) {
	rt, _ := inMemory(t)
	g := graph.New[state]("none").Node("a", logged).Node("b", logged).Edge(graph.Start, "a").Edge("a", "b").MustCompile()
	run := start(t, rt, g, state{}, fermata.WithDurability(fermata.None))
	ends(t, run, fermata.Completed)
	var events []fermata.Event
	for e, err := range run.Events(timeLimit(t), 0) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	want := []string{
		"1 run.started", "2 node.started", "3 node.finished", "4 node.started", "5 node.finished", "6 run.finished",
	}
	if diff := cmp.Diff(want, types(events)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// floods writes more chunks than are kept for a slow reader.
func floods(ctx node.Context, s state) (state, error) {
	stream, err := node.Stream(ctx, "answer")
	if err != nil {
		return s, err
	}
	for range 200_000 {
		if err := stream.Write("."); err != nil {
			return s, err
		}
	}
	return s, stream.Close()
}

// The engine never waits for a reader. One that is far behind loses transient events, and no entry.
func TestE3_ASlowReaderDoesNotHoldTheRun(t *testing.T) {
	rt, store := inMemory(t)
	leave := make(chan struct{})
	hold := newGate()
	g := graph.New[state]("flood").
		Node("hold", func(ctx node.Context, s state) (state, error) { return s, hold.pass(ctx) }).
		Node("a", floods).Node("b", logged).
		Edge(graph.Start, "hold").Edge("hold", "a").Edge("a", "b").MustCompile()
	run := start(t, rt, g, state{})
	got := make(chan []fermata.Event, 1)
	reading := make(chan struct{})
	go func() {
		var events []fermata.Event
		for e, err := range rt.Events(timeLimit(t), run.ID(), 0, true) {
			if err != nil {
				t.Error(err)
			}
			if len(events) == 0 {
				close(reading)
				<-leave // it sleeps, with all that is to come before it
			}
			events = append(events, e)
		}
		got <- events
	}()
	<-reading
	hold.waitEntered(t)
	close(hold.open)
	ends(t, run, fermata.Completed) // although the reader does not read
	close(leave)
	select {
	case events := <-got:
		if n, want := len(durable(t, events, 0)), len(entries(t, store, run.ID())); n != want {
			t.Errorf("%d events of %d entries", n, want)
		}
	case <-time.After(soon):
		t.Fatal("the reader does not come to the end")
	}
}

// Where nothing is stored, a reader that falls too far behind is told so, and where it was.
func TestE3_ASlowReaderOfARunThatIsNotStored(t *testing.T) {
	rt, _ := inMemory(t)
	hold := newGate()
	g := graph.New[state]("flood").
		Node("hold", func(ctx node.Context, s state) (state, error) { return s, hold.pass(ctx) }).
		Node("a", floods).
		Edge(graph.Start, "hold").Edge("hold", "a").MustCompile()
	run := start(t, rt, g, state{}, fermata.WithDurability(fermata.None))
	leave, reading, last := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		n := 0
		var failed error
		for _, err := range run.Events(timeLimit(t), 0) {
			if failed = err; n == 0 {
				close(reading)
				<-leave
			}
			n++
		}
		last <- failed
	}()
	<-reading
	hold.waitEntered(t)
	close(hold.open)
	ends(t, run, fermata.Completed)
	close(leave)
	if err := <-last; !errors.Is(err, fermata.ErrSlow) || !strings.Contains(err.Error(), "seq") {
		t.Errorf("the reader ends with %v, want ErrSlow and the seq it had read", err)
	}
}

// Ids of operations are made of task and step: the same on every pass and in every process.
func TestE4_OperationsKeepTheirNames(t *testing.T) {
	store := memory.New()
	g := single(func(ctx node.Context, s state) (state, error) {
		if _, err := node.Step(ctx, "step", func(node.Context) (int, error) { return 1, nil }); err != nil {
			return s, err
		}
		stream, err := node.Stream(ctx, "answer")
		if err != nil {
			return s, err
		}
		if err := errors.Join(stream.Write("hello"), stream.Close()); err != nil {
			return s, err
		}
		_, err = node.Interrupt[bool](ctx, nil, node.ID("ok"))
		return s, err
	})
	rt := newRuntime(t, fermata.Options{Store: store})
	run := start(t, rt, g, state{})
	q := question(t, run)
	ops := func(rt *fermata.Runtime) []string {
		var all []string
		for e, err := range rt.Events(t.Context(), run.ID(), 0, false) {
			if err != nil {
				t.Fatal(err)
			}
			if id := e.OpID(); id != "" {
				all = append(all, e.Type()+" "+strings.ReplaceAll(id, q.ID, "int_…"))
			}
		}
		return all
	}
	want := []string{
		"step.finished op_a#1/step:step#1", "text.start op_a#1/stream:answer#1", "text.end op_a#1/stream:answer#1",
		"interrupt int_…", "node.suspended op_a#1/interrupt:ok#1",
	}
	if diff := cmp.Diff(want, ops(rt)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	later := newRuntime(t, fermata.Options{Store: store})
	run = resume(t, later, g, run.ID())
	answer(t, later, q.ID, true)
	ends(t, run, fermata.Completed)
	if diff := cmp.Diff(append(want, "interrupt.resolved int_…"), ops(later)); diff != "" {
		t.Errorf("after a restart (-want +got):\n%s", diff)
	}
}

// A stream that an attempt has left open is begun anew by the next one; readers can put both together.
func TestE4_AStreamIsBegunAnewByTheNextAttempt(t *testing.T) {
	rt, _ := inMemory(t)
	attempts := 0
	hold := newGate()
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		if err := hold.pass(ctx); err != nil {
			return s, err
		}
		stream, err := node.Stream(ctx, "answer")
		if err != nil {
			return s, err
		}
		if attempts++; attempts == 1 {
			return s, errors.Join(stream.Write("a false st"), errFlaky)
		}
		return s, errors.Join(stream.Write("a good "), stream.Write("start"), stream.Close())
	}, graph.Retry(2, time.Microsecond)), state{})
	w := watch(t, rt, run.ID(), 0)
	hold.waitEntered(t)
	close(hold.open)
	ends(t, run, fermata.Completed)
	if diff := cmp.Diff(map[string]string{"seg_a#1/stream:answer#1": "a good start"}, streamed(t, w.ended(t))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Text that a process has left open is taken back by the one that goes on with the attempt, before it is begun anew.
func TestE4_TextThatAStopHasCutOffIsTakenBack(t *testing.T) {
	store, begun, passes := memory.New(), make(chan struct{}), 0
	g := single(func(ctx node.Context, s state) (state, error) {
		stream, err := node.Stream(ctx, "answer")
		if err != nil {
			return s, err
		}
		if passes++; passes == 1 {
			err := stream.Write("a false st")
			close(begun)
			<-ctx.Done()
			return s, errors.Join(err, ctx.Err())
		}
		return s, errors.Join(stream.Write("a good start"), stream.Close())
	})
	first := newRuntime(t, fermata.Options{Store: store})
	run := start(t, first, g, state{})
	<-begun
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	ends(t, resume(t, newRuntime(t, fermata.Options{Store: store}), g, run.ID()), fermata.Completed)
	var got []string
	for _, e := range entries(t, store, run.ID()) {
		if e.Kind == journal.TextStart || e.Kind == journal.TextEnd || e.Kind == journal.DataInvalidated {
			got = append(got, fmt.Sprintf("%s %d %s", e.Kind, e.Attempt, e.Body))
		}
	}
	want := []string{
		`text.start 1 {"channel":"answer"}`, `structured-data.invalidated 1 {"segmentId":"seg_a#1/stream:answer#1","reason":"restart"}`,
		`text.start 1 {"channel":"answer"}`, `text.end 1 {"channel":"answer","text":"a good start"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The envelope is what FORMATS says; each type of event has it.
func TestE1_TheEnvelope(t *testing.T) {
	clock, store := newClock(), memory.New()
	rt := newRuntime(t, fermata.Options{Store: store, Clock: clock})
	run := start(t, rt, single(review(node.ID("ok"), node.Prompt("ok?"))), state{}, fermata.WithID("run_e"))
	q := question(t, run)
	answer(t, rt, q.ID, decision{Approve: true}, fermata.AsPerson("Ada"))
	ends(t, run, fermata.Completed)
	var got []any
	for e, err := range rt.Events(t.Context(), "run_e", 2, false) {
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(&e)
		if err != nil {
			t.Fatal(err)
		}
		var v map[string]any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		if d := v["data"].(map[string]any); d["responseSchema"] != nil {
			d["responseSchema"] = "…"
		}
		got = append(got, v)
	}
	event := func(seq float64, kind string, more map[string]any, data map[string]any) any {
		v := map[string]any{"v": 1.0, "seq": seq, "sub": 0.0, "ts": "2026-03-01T09:00:00Z", "run": "run_e", "type": kind, "data": data}
		maps.Copy(v, more)
		return v
	}
	task := map[string]any{"task": "a#1"}
	asked := map[string]any{"task": "a#1", "opId": q.ID}
	want := []any{
		event(3, "interrupt", asked, map[string]any{
			"requestId": q.ID, "run": "run_e", "task": "a#1", "op": "interrupt:ok#1", "input": map[string]any{"draft": ""}, "prompt": "ok?",
			"responseSchema": "…", "responseSchemaId": "decision", "responseSchemaVersion": "c18ceffe0552",
			"opened": float64(epoch.UnixMicro()), "state": "open",
		}),
		event(4, "node.suspended", map[string]any{"task": "a#1", "opId": "op_a#1/interrupt:ok#1"}, map[string]any{}),
		event(5, "run.paused", nil, map[string]any{}),
		event(6, "interrupt.resolved", asked, map[string]any{
			"requestId": q.ID, "state": "answered", "by": "Ada", "answer": map[string]any{"approve": true},
		}),
		event(7, "run.resumed", nil, map[string]any{"reason": "answer"}),
		event(8, "node.finished", task, map[string]any{"base": 1.0, "delta": []any{1.0, map[string]any{"log": []any{0.0, []any{"approved "}}}}}),
		event(9, "run.finished", nil, map[string]any{"status": "completed"}),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
