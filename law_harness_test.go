package fermata_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/journaltest"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// The tests in law_*_test.go keep the laws of docs/semantics.md for the runtime. Each cites the law that it keeps in
// its name. They use graphs over one state and a store in memory, and read journals as lines of text.

// state is what the graphs of these tests carry.
type state struct {
	Log  []string       `json:"log,omitempty"`
	N    int            `json:"n,omitempty"`
	Text string         `json:"text,omitempty"`
	Tags map[string]int `json:"tags,omitempty"`
}

// logged is a node that notes its task in the state.
func logged(ctx node.Context, s state) (state, error) {
	s.Log = append(s.Log, ctx.Info().Task())
	return s, nil
}

// single is a graph of one node.
func single(f graph.Func[state], opts ...graph.NodeOption) *graph.Graph[state] {
	return graph.New[state]("single").Node("a", f, opts...).Edge(graph.Start, "a").MustCompile()
}

// soon is how long a test waits for what must come. It is long, since only a test that fails waits so long, and a machine
// with much to do is slow.
const soon = 2 * time.Minute

func timeLimit(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	t.Cleanup(cancel)
	return ctx
}

// newRuntime makes a runtime that the end of the test closes.
func newRuntime(t *testing.T, o fermata.Options) *fermata.Runtime {
	t.Helper()
	rt, err := fermata.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	return rt
}

// inMemory is a runtime over a store that the test can look into.
func inMemory(t *testing.T) (*fermata.Runtime, journal.Store) {
	t.Helper()
	store := memory.New()
	return newRuntime(t, fermata.Options{Store: store}), store
}

func start(t *testing.T, rt *fermata.Runtime, g *graph.Graph[state], s state, opts ...fermata.StartOption) *graph.Run[state] {
	t.Helper()
	run, err := g.Start(timeLimit(t), rt, s, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func resume(t *testing.T, rt *fermata.Runtime, g *graph.Graph[state], id string) *graph.Run[state] {
	t.Helper()
	run, err := g.Resume(timeLimit(t), rt, id)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func wait(t *testing.T, run *graph.Run[state]) graph.Result[state] {
	t.Helper()
	res, err := run.Wait(timeLimit(t))
	if err != nil {
		t.Fatalf("wait: %v", err)
	}
	return res
}

// ends waits for a run to end as it should, and returns its result.
func ends(t *testing.T, run *graph.Run[state], want fermata.Status) graph.Result[state] {
	t.Helper()
	res := wait(t, run)
	if res.Status != want {
		t.Fatalf("the run is %s (%v), want %s", res.Status, res.Err, want)
	}
	return res
}

// question waits until a run asks, and returns what it asks.
func question(t *testing.T, run *graph.Run[state]) fermata.Interrupt {
	t.Helper()
	res := ends(t, run, fermata.Paused)
	if len(res.Interrupts) != 1 {
		t.Fatalf("%d questions are open, want 1: %+v", len(res.Interrupts), res.Interrupts)
	}
	return res.Interrupts[0]
}

func answer(t *testing.T, rt *fermata.Runtime, id string, value any, opts ...fermata.AnswerOption) {
	t.Helper()
	if err := rt.Answer(timeLimit(t), id, value, opts...); err != nil {
		t.Fatalf("answer: %v", err)
	}
}

func entries(t *testing.T, store journal.Store, run string) []journal.Entry {
	t.Helper()
	var all []journal.Entry
	for e, err := range store.Read(t.Context(), run, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq != uint64(len(all))+1 {
			t.Fatalf("entry %d of the journal has seq %d", len(all)+1, e.Seq)
		}
		all = append(all, e)
	}
	return all
}

// lines are a run's journal as text: what happened, to which task, and with what outcome.
func lines(t *testing.T, store journal.Store, run string) []string {
	t.Helper()
	var all []string
	for _, e := range entries(t, store, run) {
		all = append(all, line(t, &e))
	}
	return all
}

func line(t *testing.T, e *journal.Entry) string {
	t.Helper()
	var body map[string]any
	if len(e.Body) > 0 && e.Body[0] == '{' {
		if err := json.Unmarshal(e.Body, &body); err != nil {
			t.Errorf("seq %d: %v", e.Seq, err)
		}
	}
	parts := []string{e.Kind.String()}
	if e.Node != "" {
		parts = append(parts, node.TaskID(e.Node, int(e.Visit)))
	}
	if e.Attempt > 1 {
		parts = append(parts, fmt.Sprintf("attempt %d", e.Attempt))
	}
	switch e.Kind {
	case journal.RouteTaken:
		parts = append(parts, "-> "+strings.NewReplacer(node.End, "END", node.Stop, "Stop").Replace(e.To))
	case journal.InterruptOpened:
		parts = append(parts, fmt.Sprint(body["op"]))
	case journal.InterruptUpdated:
		parts = append(parts, fmt.Sprint(body["do"]))
	case journal.InterruptResolved:
		parts = append(parts, fmt.Sprint(body["state"]), string(e.Value))
	case journal.RunStarted:
	default:
		if e.Op != "" {
			parts = append(parts, e.Op)
		}
		for _, field := range []string{"reason", "status", "error"} {
			if text, ok := body[field].(string); ok {
				parts = append(parts, text)
			}
		}
		if len(e.Value) > 0 && !e.Kind.CarriesState() {
			parts = append(parts, "= "+string(e.Value))
		}
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// count is how many lines begin like that.
func count(all []string, prefix string) int {
	n := 0
	for _, l := range all {
		if strings.HasPrefix(l, prefix) {
			n++
		}
	}
	return n
}

// mustReturn runs f and fails the test when it does not return.
func mustReturn(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(soon):
		t.Fatalf("%s: nothing after %s", what, soon)
	}
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(soon); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not after %s", what, soon)
		}
	}
}

// calls counts, for nodes that run in other goroutines.
type calls struct {
	mu sync.Mutex
	by map[string]int
}

func (c *calls) add(what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = make(map[string]int)
	}
	c.by[what]++
	return c.by[what]
}

func (c *calls) all() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.by)
}

// lines are what happened at least once, in the order of the alphabet.
func (c *calls) lines() []string {
	var all []string
	for what, n := range c.all() {
		all = append(all, fmt.Sprintf("%s: %d", what, n))
	}
	sort.Strings(all)
	return all
}

var epoch = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// clock is a fermata.Clock that stands still until it is moved.
type clock = fermatatest.Clock

func newClock() *clock { return fermatatest.NewClock(epoch) }

// logBook is the output of a logger that can be read while it is written.
type logBook struct{ lawtest.Log }

// messages are the texts that were logged, in order, but for what the engine itself tells of runs and tasks.
func (b *logBook) messages() []string {
	var all []string
	for l := range strings.Lines(b.String()) {
		_, after, ok := strings.Cut(l, " msg=")
		if !ok || strings.Contains(after, " event=") {
			continue
		}
		if strings.HasPrefix(after, `"`) {
			text, _, _ := strings.Cut(after[1:], `"`)
			all = append(all, text)
			continue
		}
		text, _, _ := strings.Cut(after, " ")
		all = append(all, strings.TrimSpace(text))
	}
	return all
}

// gate lets a node wait inside until the test says so.
type gate struct {
	entered chan struct{}
	open    chan struct{}
}

func newGate() *gate { return &gate{entered: make(chan struct{}, 16), open: make(chan struct{})} }

// pass tells that a node is here, and holds it until the gate opens or its context is done.
func (g *gate) pass(ctx context.Context) error {
	g.entered <- struct{}{}
	select {
	case <-g.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *gate) waitEntered(t *testing.T) {
	t.Helper()
	select {
	case <-g.entered:
	case <-time.After(soon):
		t.Fatal("the node was not started")
	}
}

// sortedMembers writes the JSON at the end of each line with its members in the order of the alphabet.
func sortedMembers(t *testing.T, all []string) []string {
	t.Helper()
	sorted := make([]string, len(all))
	for i, l := range all {
		head, text, _ := strings.Cut(l, " ")
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatalf("%q: %v", l, err)
		}
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		sorted[i] = head + " " + string(data)
	}
	return sorted
}

func bodyOf[T any](t *testing.T, e *journal.Entry) T {
	t.Helper()
	var body T
	if err := json.Unmarshal(e.Body, &body); err != nil {
		t.Fatalf("seq %d: %v", e.Seq, err)
	}
	return body
}

func decodeInto(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
}

// clone is a value that shares nothing with another one.
func clone[S any](t *testing.T, v S) (copied S) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &copied)
	}
	if err != nil {
		t.Fatal(err)
	}
	return copied
}

// outlived is a run that has ended although its process died.
type outlived[S any] struct {
	way   string // when the process died
	store journal.Store
	run   string
	state S
}

// crashedEverywhere returns what a run ends with when its process dies before and after each append and another one takes the
// run over, and when it lives, which is the last. The run has to notice that it can store no more.
func crashedEverywhere[S any](t *testing.T, g *graph.Graph[S], input S) (all []outlived[S]) {
	t.Helper()
	const id = "run_crash"
	for n := 1; ; n++ {
		for _, mode := range []journaltest.Mode{journaltest.Before, journaltest.After} {
			store := memory.New()
			faulty := journaltest.NewFaulty(store)
			dies(faulty, n, mode)
			rt := newRuntime(t, fermata.Options{Store: faulty})
			var res graph.Result[S]
			run, err := g.Start(timeLimit(t), rt, clone(t, input), fermata.WithID(id))
			if err == nil {
				res, err = run.Wait(timeLimit(t))
			}
			way := fmt.Sprintf("crashed at append %d, %d", n, mode)
			switch appends := faulty.Appends(); {
			case err == nil && appends < n:
				return append(all, outlived[S]{"alive", store, id, res.State})
			case err == nil && (mode == journaltest.Before || appends > n): // only the end can be seen in the store
				t.Fatalf("%s: the run did not notice", way)
			}
			later := newRuntime(t, fermata.Options{Store: store})
			if run, err = g.Resume(timeLimit(t), later, id); errors.Is(err, fermata.ErrNotFound) {
				continue // the run was never stored
			}
			if err != nil {
				t.Fatalf("%s: %v", way, err)
			}
			if res, err = run.Wait(timeLimit(t)); err != nil || res.Status != fermata.Completed {
				t.Fatalf("%s: %s, %v", way, res.Status, errors.Join(err, res.Err))
			}
			all = append(all, outlived[S]{way, store, id, res.State})
		}
	}
}
