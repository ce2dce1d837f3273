package fermata_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// A reader that fell behind within a segment gets the segment so far, and is told that this replaces what it had.
func TestE2_AReaderThatFellBehindGetsTheSegmentSoFar(t *testing.T) {
	rt, _ := inMemory(t)
	begin, middle := newGate(), newGate()
	const missed, more = 100_000, 1000 // more than is kept for a slow reader, and less
	seen, leave, back := make(chan struct{}), make(chan struct{}), make(chan struct{})
	g := graph.New[state]("flood").
		Node("hold", func(ctx node.Context, s state) (state, error) { return s, begin.pass(ctx) }).
		Node("a", func(ctx node.Context, s state) (state, error) {
			stream, err := node.Stream(ctx, "answer")
			if err != nil {
				return s, err
			}
			for i := range missed + more {
				switch i {
				case 1: // the reader leaves behind the first piece, however fast it is
					select {
					case <-seen:
					case <-ctx.Done():
						return s, ctx.Err()
					}
				case missed:
					if err := middle.pass(ctx); err != nil {
						return s, err
					}
				}
				if err := stream.Write("."); err != nil {
					return s, err
				}
			}
			return s, stream.Close()
		}).
		Edge(graph.Start, "hold").Edge("hold", "a").MustCompile()
	run := start(t, rt, g, state{})
	all := make(chan []fermata.Event, 1)
	go func() {
		var events []fermata.Event
		deltas := 0
		for e, err := range rt.Events(timeLimit(t), run.ID(), 0, true) {
			if err != nil {
				t.Error(err)
				break
			}
			if events = append(events, e); e.Type() != "text.delta" {
				continue
			}
			if deltas++; deltas == 1 {
				close(seen)
				<-leave
			}
			if len(e.Entry.To) == missed {
				close(back)
			}
		}
		all <- events
	}()
	begin.waitEntered(t)
	close(begin.open)
	<-seen
	middle.waitEntered(t)
	close(leave)
	<-back // it has what it missed, and the first of it twice
	close(middle.open)
	ends(t, run, fermata.Completed)
	events := <-all
	want := map[string]string{"seg_a#1/stream:answer#1": strings.Repeat(".", missed+more)}
	if diff := cmp.Diff(want, streamed(t, events)); diff != "" {
		t.Errorf("(-want +got):\n%s", short(diff))
	}
	for i := 1; i < len(events); i++ {
		if events[i].Time().Before(events[i-1].Time()) {
			t.Fatalf("%s of %s follows one of %s", events[i].Type(), events[i].Time(), events[i-1].Time())
		}
	}
}
