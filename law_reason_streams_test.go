package fermata_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/patch"
)

// slate is what somebody who follows a run shows of its typed values: drafts while they are made, and how they end.
type slate struct {
	drafts map[string]string   // by segment: the value so far
	shown  map[string][]string // all that each segment was, in order
	finals map[string][]string
	wiped  []string // what was taken back, and why

	before map[string]bool // drafts of a process that went down: whoever comes late may see nothing but the end
}

func newSlate() *slate {
	return &slate{drafts: make(map[string]string), shown: make(map[string][]string), finals: make(map[string][]string)}
}

// see takes an event as whoever shows it would (laws E2 and E4).
func (s *slate) see(t *testing.T, e *fermata.Event) {
	t.Helper()
	if !strings.HasPrefix(e.Type(), "structured-data") {
		return
	}
	raw, err := e.Data()
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		SegmentID, Mode, Reason string
		Patch                   patch.Patch
		Data                    json.RawMessage
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	switch {
	case e.Type() == "structured-data.invalidated":
		s.wiped = append(s.wiped, strings.TrimSpace(d.SegmentID+" "+d.Reason))
		if d.SegmentID == "" {
			clear(s.drafts)
		}
		delete(s.drafts, d.SegmentID)
	case d.Mode == node.DataPatch:
		draft, ok := s.drafts[d.SegmentID]
		if !ok {
			draft = "null" // the first patch replaces it
		}
		value, err := d.Patch.Apply([]byte(draft))
		if err != nil {
			t.Fatalf("%s: %v: %s does not go with %q", d.SegmentID, err, raw, draft)
		}
		s.draft(d.SegmentID, string(value))
	case d.Mode == node.DataSnapshot:
		s.draft(d.SegmentID, string(d.Data))
	default:
		if draft, ok := s.drafts[d.SegmentID]; ok && !s.before[d.SegmentID] && sameForm(t, draft) != sameForm(t, string(d.Data)) {
			t.Errorf("%s was shown as %s, and is %s", d.SegmentID, draft, d.Data)
		}
		delete(s.drafts, d.SegmentID)
		s.finals[d.SegmentID] = append(s.finals[d.SegmentID], string(d.Data))
	}
}

func (s *slate) draft(segment, value string) {
	delete(s.before, segment)
	s.drafts[segment] = value
	s.shown[segment] = append(s.shown[segment], value)
}

func sameForm(t *testing.T, value string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(value), &v); err != nil {
		t.Fatalf("%q: %v", value, err)
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// slateOf folds all that a reader saw. Nothing may be left open where the run has ended.
func slateOf(t *testing.T, events []fermata.Event) *slate {
	t.Helper()
	s := newSlate()
	for i := range events {
		s.see(t, &events[i])
	}
	if len(s.drafts) > 0 {
		t.Errorf("values that did not come to their end: %v", s.drafts)
	}
	return s
}

// speaker says one text after the other, a byte at a time, and lets the test do something before each piece.
type speaker struct {
	mu    sync.Mutex
	calls int
	texts []scripted.Reply                                 // of the calls in order; the last for all that follow
	piece func(ctx context.Context, call, piece int) error // may be nil
}

func (s *speaker) Generate(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	s.mu.Lock()
	reply := s.texts[min(s.calls, len(s.texts)-1)]
	s.calls++
	call := s.calls
	s.mu.Unlock()
	if reply.Every == 0 {
		reply.Every = 1
	}
	chunks := scripted.New(scripted.Script{Replies: []scripted.Reply{reply}}).Generate(ctx, req)
	if s.piece == nil {
		return chunks
	}
	return func(yield func(model.Chunk, error) bool) {
		n := 0
		for chunk, err := range chunks {
			n++
			if failed := s.piece(ctx, call, n); failed != nil {
				yield(model.Chunk{}, failed)
				return
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

const romeText = `{"city":"Rome ü\n","days":12}`

// streamsTrip is a graph of one node that reasons for a trip and streams it.
func streamsTrip(mode node.StreamMode, opts ...graph.NodeOption) *graph.Graph[state] {
	return single(func(ctx node.Context, s state) (state, error) {
		got, err := node.Reason[trip](ctx, node.Reasoning{Prompt: "plan", Stream: mode, DataType: "trip"})
		s.Text, s.N = got.City, got.Days
		return s, err
	}, opts...)
}

var eachMode = []node.StreamMode{node.StreamPatch, node.StreamSnapshot}

// A reader who joins at any piece gets what there is of the value, and folds what follows to the same.
func TestE2_AReaderJoinsAtEveryPiece(t *testing.T) {
	for _, mode := range eachMode {
		t.Run(string(mode), func(t *testing.T) {
			store := memory.New()
			var rt *fermata.Runtime
			var readers []*watcher
			m := &speaker{texts: []scripted.Reply{{Text: "Here: " + romeText + " Enjoy!"}}}
			m.piece = func(context.Context, int, int) error {
				w := watch(t, rt, "run_join", 0)
				eventually(t, "the reader is there", func() bool { return len(w.seen()) > 0 })
				readers = append(readers, w)
				return nil
			}
			rt = newRuntime(t, fermata.Options{Store: store, Services: []any{model.Model(m)}})
			run := start(t, rt, streamsTrip(mode), state{}, fermata.WithID("run_join"))
			if res := ends(t, run, fermata.Completed); res.State.N != 12 {
				t.Errorf("the result is %+v", res.State)
			}
			want := map[string][]string{"seg_a#1/reason:reason#1": {`{"city":"Rome ü\n","days":12}`}}
			for i, w := range readers {
				if diff := cmp.Diff(want, slateOf(t, w.ended(t)).finals); diff != "" {
					t.Errorf("reader %d (-want +got):\n%s", i, diff)
				}
			}
			if len(readers) < len(romeText) {
				t.Errorf("%d readers", len(readers))
			}
		})
	}
}

// A stream that is cut at any piece is taken back before another attempt shows the value anew; a malformed one, before it is
// asked for again.
func TestE4_AStreamIsCutAtEveryPiece(t *testing.T) {
	for _, mode := range eachMode {
		for _, kind := range []model.Kind{model.ErrUnavailable, model.ErrMalformed} {
			t.Run(fmt.Sprint(mode, " ", kind), func(t *testing.T) {
				for cut := 1; cut <= len(romeText); cut++ {
					m := &speaker{texts: []scripted.Reply{{Text: romeText}}}
					m.piece = func(_ context.Context, call, piece int) error {
						if call == 1 && piece == cut {
							return &model.Error{Kind: kind}
						}
						return nil
					}
					rt, _ := withModels(t, model.Model(m))
					run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
						got, err := node.Reason[trip](ctx, node.Reasoning{Prompt: "plan", Stream: mode})
						s.N = got.Days
						return s, err
					}, twice), state{}, fermata.WithID("run_cut"))
					w := watch(t, rt, run.ID(), 0)
					ends(t, run, fermata.Completed)
					s := slateOf(t, w.ended(t))
					if diff := cmp.Diff(map[string][]string{"seg_a#1/reason:reason#1": {romeText}}, s.finals); diff != "" {
						t.Errorf("cut at %d (-want +got):\n%s", cut, diff)
					}
					if shown := cut > 1; shown != (len(s.wiped) == 1) {
						t.Errorf("cut at %d: taken back: %v", cut, s.wiped)
					}
				}
			})
		}
	}
}

// Where the process goes down at any piece, whoever goes on from what it saw last comes to the same value.
func TestE4_AStreamGoesOnInAnotherProcess(t *testing.T) {
	for _, mode := range eachMode {
		t.Run(string(mode), func(t *testing.T) {
			for cut := 2; cut <= len(romeText); cut += 3 {
				store := memory.New()
				reached := make(chan struct{})
				m := &speaker{texts: []scripted.Reply{{Text: romeText}}}
				m.piece = func(ctx context.Context, call, piece int) error {
					if call > 1 || piece != cut {
						return nil
					}
					close(reached)
					<-ctx.Done()
					return ctx.Err()
				}
				options := fermata.Options{Store: store, Services: []any{model.Model(m)}}
				first := newRuntime(t, options)
				g := streamsTrip(mode)
				run := start(t, first, g, state{})
				w := watch(t, first, run.ID(), 0)
				<-reached
				eventually(t, "the draft is seen", func() bool { return strings.Contains(strings.Join(w.seen(), " "), "structured-data") })
				_ = run.Stop(0)
				w.stop()
				if err := first.Close(); err != nil {
					t.Fatal(err)
				}
				s, cursor := newSlate(), uint64(0)
				for i := range w.events {
					s.see(t, &w.events[i])
					cursor = w.events[i].Seq()
				}
				s.before = map[string]bool{"seg_a#1/reason:reason#1": true}
				rt := newRuntime(t, options)
				again := resume(t, rt, g, run.ID())
				w = watch(t, rt, run.ID(), cursor)
				ends(t, again, fermata.Completed)
				for _, e := range w.ended(t) {
					s.see(t, &e)
				}
				if diff := cmp.Diff(map[string][]string{"seg_a#1/reason:reason#1": {romeText}}, s.finals); diff != "" {
					t.Errorf("cut at %d (-want +got):\n%s", cut, diff)
				}
			}
		})
	}
}

// Values that parallel branches stream, and reasonings inside of parallel tools, never mix.
func TestE4_ParallelStreamsDoNotMix(t *testing.T) {
	inner := func(topic string) node.Tool {
		return toolOf(t, topic, func(ctx node.Context, city string) (string, error) {
			got, err := node.Reason[trip](ctx, node.Reasoning{Prompt: topic + " it", Stream: node.StreamPatch})
			return got.City, err
		})
	}
	slow := func(text string) scripted.Reply { return scripted.Reply{Text: text, Every: 1} }
	m := newTalk(map[string][]scripted.Reply{
		"b":   {wants("one", `{"city":"x"}`, "two", `{"city":"x"}`, "one", `{"city":"y"}`), slow(`{"city":"bbb","days":1}`)},
		"c":   {wants("two", `{"city":"x"}`), slow(`{"city":"ccc","days":2}`)},
		"one": {slow(`{"city":"ones","days":3}`)}, "two": {slow(`{"city":"twos","days":4}`)},
	})
	branch := func(ctx node.Context, s state) (state, error) {
		_, err := node.Reason[trip](ctx, node.Reasoning{
			Prompt: ctx.Info().Node + " it", Stream: node.StreamSnapshot, Tools: []node.Tool{inner("one"), inner("two")},
		})
		return s, err
	}
	begin := newGate()
	g := graph.New[state]("both").Node("a", func(ctx node.Context, s state) (state, error) { return s, begin.pass(ctx) }).
		Node("b", branch).Node("c", branch).Node("join", logged, graph.All()).
		Edge(graph.Start, "a").Edge("a", "b").Edge("a", "c").Edge("b", "join").Edge("c", "join").MustCompile()
	rt, _ := withModels(t, model.Model(m))
	run := start(t, rt, g, state{})
	w := watch(t, rt, run.ID(), 0)
	begin.waitEntered(t)
	close(begin.open)
	ends(t, run, fermata.Completed)
	want := map[string][]string{
		"seg_b#1/reason:reason#1":                            {`{"city":"bbb","days":1}`},
		"seg_c#1/reason:reason#1":                            {`{"city":"ccc","days":2}`},
		"seg_b#1/reason:tool:reason:reason#1/one#1/reason#1": {`{"city":"ones","days":3}`},
		"seg_b#1/reason:tool:reason:reason#1/one#2/reason#1": {`{"city":"ones","days":3}`},
		"seg_b#1/reason:tool:reason:reason#1/two#1/reason#1": {`{"city":"twos","days":4}`},
		"seg_c#1/reason:tool:reason:reason#1/two#1/reason#1": {`{"city":"twos","days":4}`},
	}
	if diff := cmp.Diff(want, slateOf(t, w.ended(t)).finals); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What the schema does not allow is a diagnostic, and in no patch; sentences around the JSON are no part of it.
func TestN8_NothingIsShownThatTheSchemaForbids(t *testing.T) {
	good := `{"city":"Rome","days":3}`
	for name, c := range map[string]struct {
		texts       []string
		diagnostics int
		text        string // what is shown beside the value
		wiped       int
	}{
		"plain":                    {[]string{good}, 0, "", 0},
		"fence":                    {[]string{"```json\n" + good + "\n```"}, 0, "", 0},
		"front and fence":          {[]string{"Of course:\n```json\n" + good + "\n```\nEnjoy!"}, 0, "Of course:", 0},
		"behind":                   {[]string{good + " I hope that {this} helps [you]."}, 0, "", 0},
		"brackets in front":        {[]string{"Options [1]: " + good}, 0, "Options [1]:", 0},
		"a wrong member":           {[]string{`{"city":"Rome","days":"three"}`, good}, 1, "", 1},
		"an unknown member":        {[]string{`{"evil":{"city":"x"},"city":"Rome","days":3}`, good}, 1, "", 1},
		"not an object":            {[]string{`["Rome",3]`, good}, 0, `["Rome",3]`, 0},
		"cut off":                  {[]string{`{"city":"Ro`, good}, 1, "", 1},
		"a reply without anything": {[]string{"", good}, 0, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := &speaker{}
			for _, text := range c.texts {
				m.texts = append(m.texts, scripted.Reply{Text: text})
			}
			rt, _ := withModels(t, model.Model(m))
			begin := newGate()
			run := start(t, rt, graph.New[state]("shows").
				Node("hold", func(ctx node.Context, s state) (state, error) { return s, begin.pass(ctx) }).
				Node("a", func(ctx node.Context, s state) (state, error) {
					_, err := node.Reason[trip](ctx, node.Reasoning{Prompt: "plan", Stream: node.StreamPatch})
					return s, err
				}).Edge(graph.Start, "hold").Edge("hold", "a").MustCompile(), state{})
			w := watch(t, rt, run.ID(), 0)
			begin.waitEntered(t)
			eventually(t, "the reader is there", func() bool { return len(w.seen()) > 0 })
			close(begin.open)
			ends(t, run, fermata.Completed)
			events := w.ended(t)
			s := slateOf(t, events)
			for _, values := range s.shown {
				for _, value := range values {
					if strings.Contains(value, "evil") || strings.Contains(value, "three") {
						t.Errorf("shown: %s", value)
					}
				}
			}
			diagnostics := 0
			for _, e := range events {
				if e.Type() == "diagnostic" {
					diagnostics++
				}
			}
			// A reader may see no piece of a short text but its end (law E2): streamed compares the pieces that it did see.
			text := strings.Join(slices.Sorted(maps.Values(streamed(t, events))), "|")
			if diff := cmp.Diff([]any{c.diagnostics, c.text, c.wiped}, []any{diagnostics, text, len(s.wiped)}); diff != "" {
				t.Errorf("diagnostics, text and what was taken back (-want +got):\n%s", diff)
			}
		})
	}
}

// A value that came to its end stays, whatever fails after it; and it ends under the name that it was shown under, also
// where its reasoning had failed before.
func TestE4_AValueThatIsAtItsEndStays(t *testing.T) {
	bad := scripted.Reply{Text: `{"city":"Oslo","days":"x"}`}
	m := &speaker{texts: []scripted.Reply{bad, bad, bad, {Text: romeText}}}
	rt, _ := withModels(t, model.Model(m))
	var tries atomic.Int32
	hold := newGate()
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		if err := hold.pass(ctx); err != nil {
			return s, err
		}
		got, err := node.Reason[trip](ctx, node.Reasoning{Prompt: "plan", Stream: node.StreamPatch, Limits: node.Limits{Repairs: 1}})
		if err == nil && tries.Add(1) == 1 {
			err = errors.New("something else")
		}
		s.N = got.Days
		return s, err
	}, graph.Retry(3, time.Millisecond)), state{})
	w := watch(t, rt, run.ID(), 0)
	eventually(t, "the reader is there", func() bool { return len(w.seen()) > 0 })
	close(hold.open)
	ends(t, run, fermata.Completed)
	s := slateOf(t, w.ended(t))
	if diff := cmp.Diff(map[string][]string{"seg_a#1/reason:reason#1": {romeText}}, s.finals); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(s.shown) > 1 { // none is shown to a reader that finds the end in the store (law E2)
		t.Errorf("segments: %v", s.shown)
	}
	// a repair, the end of the first attempt, and a repair; nothing for the second, whose value was at its end
	want := []string{"seg_a#1/reason:reason#1 repair", "retry", "seg_a#1/reason:reason#1 repair"}
	if diff := cmp.Diff(want, s.wiped); diff != "" {
		t.Errorf("what was taken back (-want +got):\n%s", diff)
	}
}

// Text of a reply that failed does not hold: the next attempt shows its own, whole (laws E2 and E4).
func TestE4_TextOfAReplyThatFailed(t *testing.T) {
	m := &speaker{texts: []scripted.Reply{{Text: "first words"}, {Text: "second thoughts"}}}
	m.piece = func(_ context.Context, call, piece int) error {
		if call == 1 && piece == 6 {
			return &model.Error{Kind: model.ErrUnavailable}
		}
		return nil
	}
	rt, store := withModels(t, model.Model(m))
	hold := newGate()
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		if err := hold.pass(ctx); err != nil {
			return s, err
		}
		var err error
		s.Text, err = node.Reason[string](ctx, node.Reasoning{Prompt: "plan", Stream: node.StreamPatch})
		return s, err
	}, twice), state{})
	w := watch(t, rt, run.ID(), 0)
	eventually(t, "the reader is there", func() bool { return len(w.seen()) > 0 })
	close(hold.open)
	ends(t, run, fermata.Completed)
	var shown []string
	for _, e := range w.ended(t) {
		switch e.Type() {
		case "structured-data.invalidated":
			shown = append(shown, "taken back")
		case "text.end":
			var text struct{ Text string }
			data, err := e.Data()
			if err != nil {
				t.Fatal(err)
			}
			decodeInto(t, data, &text)
			shown = append(shown, text.Text)
		}
	}
	if diff := cmp.Diff([]string{"first", "taken back", "second thoughts"}, shown); diff != "" {
		t.Errorf("shown (-want +got):\n%s\n%s", diff, strings.Join(lines(t, store, run.ID()), "\n"))
	}
}
