package dataflow_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// The tests in law_*_test.go keep the laws of docs/semantics.md for dataflows, through the public API and on the real
// runtime. Each cites the law that it keeps in its name.

// TestMain runs the tests and then looks for goroutines that are left (law N1).
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// vals is short for the values of a run.
type vals = dataflow.Values

// soon is how long a test waits for what must come.
const soon = 2 * time.Minute

func timeLimit(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	t.Cleanup(cancel)
	return ctx
}

// newRuntime makes a runtime that the end of the test closes.
func newRuntime(t testing.TB, o fermata.Options) *fermata.Runtime {
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
func inMemory(t testing.TB) (*fermata.Runtime, journal.Store) {
	t.Helper()
	store := memory.New()
	return newRuntime(t, fermata.Options{Store: store}), store
}

// disk is a file of runs that processes open one after the other.
type disk struct{ file string }

func onDisk(t testing.TB) disk {
	t.Helper()
	return disk{filepath.Join(t.TempDir(), "runs.db")}
}

// process calls do with a runtime over the file, and closes both: what is left is in the file alone.
func (d disk) process(t *testing.T, do func(rt *fermata.Runtime, store journal.Store)) {
	t.Helper()
	store, err := sqlite.OpenWith(d.file, sqlite.Options{Sync: sqlite.Normal})
	if err != nil {
		t.Fatal(err)
	}
	rt, err := fermata.New(fermata.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	do(rt, store)
}

// graphOf makes a graph that must be right.
func graphOf(t testing.TB, parts ...dataflow.Part) *dataflow.Graph {
	t.Helper()
	g, err := dataflow.New("test", parts...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// refusedGraph is what is wrong with a graph.
func refusedGraph(t *testing.T, parts ...dataflow.Part) error {
	t.Helper()
	g, err := dataflow.New("test", parts...)
	if err == nil {
		t.Fatalf("the graph was taken: %+v", g.Describe())
	}
	return err
}

func start(t testing.TB, rt *fermata.Runtime, g *dataflow.Graph, v vals, opts ...fermata.StartOption) *dataflow.Run {
	t.Helper()
	run, err := g.Start(timeLimit(t), rt, v, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func resume(t testing.TB, rt *fermata.Runtime, g *dataflow.Graph, id string) *dataflow.Run {
	t.Helper()
	run, err := g.Resume(timeLimit(t), rt, id)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// ends waits for a run to end as it should, and returns its result.
func ends(t testing.TB, run *dataflow.Run, want fermata.Status) dataflow.Result {
	t.Helper()
	res, err := run.Wait(timeLimit(t))
	if err != nil {
		t.Fatalf("wait: %v", err)
	}
	if res.Status != want {
		t.Fatalf("the run is %s (%v), want %s", res.Status, res.Err, want)
	}
	return res
}

// outcome runs a graph to its end on a runtime of its own, and returns its outputs and its journal.
func outcome(t testing.TB, g *dataflow.Graph, v vals) (outputs vals, visited, told []string) {
	t.Helper()
	rt, store := inMemory(t)
	run := start(t, rt, g, v)
	res := ends(t, run, fermata.Completed)
	return res.Outputs, visits(t, store, run.ID()), lines(t, store, run.ID())
}

// evaluated runs a graph where nothing is kept.
func evaluated(t testing.TB, g *dataflow.Graph, v vals) vals {
	t.Helper()
	res, err := g.Run(timeLimit(t), v)
	if err != nil {
		t.Fatal(err)
	}
	return res.Outputs
}

// same reports a difference.
func same(t testing.TB, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func entries(t testing.TB, store journal.Store, run string) []journal.Entry {
	t.Helper()
	var all []journal.Entry
	for e, err := range store.Read(t.Context(), run, 0) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// visits are the tasks of a run in the order in which they began, each with whose values it was given:
// "b#2 x<a#2 y<run". A write of an equal value costs nothing and has the name of the first task that wrote it (law J7).
func visits(t testing.TB, store journal.Store, run string) []string {
	t.Helper()
	var all []string
	by := make(map[uint64]string)
	for _, e := range entries(t, store, run) {
		task := node.TaskID(e.Node, int(e.Visit))
		switch e.Kind {
		case journal.RunStarted:
			by[e.Seq] = "run"
		case journal.NodeFinished, journal.NodeCached:
			by[e.Seq] = task
		case journal.NodeStarted:
			if e.Attempt > 1 {
				continue
			}
			line := task
			in := bodyOf[journal.BeginBody](t, &e).In
			for _, name := range slices.Sorted(maps.Keys(in)) {
				from := by[in[name]]
				if from == "" {
					from = "input"
				}
				line += " " + name + "<" + from
			}
			all = append(all, line)
		default:
		}
	}
	return all
}

// lines are a run's journal as text: what happened, to which task, and why.
func lines(t testing.TB, store journal.Store, run string) []string {
	t.Helper()
	var all []string
	for _, e := range entries(t, store, run) {
		parts := []string{e.Kind.String()}
		if e.Node != "" {
			parts = append(parts, node.TaskID(e.Node, int(e.Visit)))
		}
		if e.Attempt > 1 {
			parts = append(parts, fmt.Sprintf("attempt %d", e.Attempt))
		}
		body := bodyOf[map[string]any](t, &e)
		switch e.Kind {
		case journal.RouteTaken:
			parts = append(parts, "-> "+strings.ReplaceAll(e.To, node.End, "END"))
		case journal.InterruptResolved:
			parts = append(parts, fmt.Sprint(body["state"]), string(e.Value))
		case journal.InterruptOpened, journal.RunStarted:
		default:
			for _, field := range []string{"reason", "status", "error"} {
				if text, ok := body[field].(string); ok {
					parts = append(parts, text)
				}
			}
		}
		all = append(all, strings.Join(parts, " "))
	}
	return all
}

// only are the lines that begin like that.
func only(all []string, prefix string) []string {
	var some []string
	for _, l := range all {
		if strings.HasPrefix(l, prefix) {
			some = append(some, l)
		}
	}
	return some
}

func bodyOf[T any](t testing.TB, e *journal.Entry) T {
	t.Helper()
	var body T
	if len(e.Body) == 0 {
		return body
	}
	if err := json.Unmarshal(e.Body, &body); err != nil {
		t.Fatalf("seq %d: %v", e.Seq, err)
	}
	return body
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

func (c *calls) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.by)
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

// none is the input of nodes that read nothing.
type none struct{}

// constant is a node that reads nothing.
func constant[T any](name, output string, v T) *dataflow.NodeDef {
	return dataflow.Func(name, output, func(node.Context, none) (T, error) { return v, nil })
}

// unary is a node of a plain function.
func unary[A, T any](name, input, output string, f func(A) T, opts ...dataflow.NodeOption) *dataflow.NodeDef {
	return dataflow.Unary(name, input, output, dataflow.Plain(f), opts...)
}

// follow is a node that writes what it reads, with its own name behind it.
func follow(name, input, output string) *dataflow.NodeDef {
	return unary(name, input, output, func(s string) string { return s + " " + name })
}

// asError finds an error of a type.
func asError[E error](t testing.TB, err error) E {
	t.Helper()
	found, ok := errors.AsType[E](err)
	if !ok {
		t.Fatalf("%v is no %T", err, found)
	}
	return found
}
