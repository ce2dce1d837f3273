package recipe_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/internal/lawtest"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/internal/teststore"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/recipe"
)

// valuesRecipe takes values from everywhere: what the file says, what an input is, what an expression makes of them, and
// what a function, a program and a service answer. Behind a pause, a function is shown all of it.
const valuesRecipe = `
interface: {inputs: {given: {}}}
state: {properties: {written: {default: %s}}}
agents:
  made: {kind: expr, set: {made: %s, listed: "[written, given]"}}
  called: {kind: exec, command: [cat]}
  asked: {kind: http, url: %q}
topology:
  entry_point: made
  nodes:
    - {type: agent, id: made, agent_ref: made}
    - {type: agent, id: answer, agent_ref: answer, outputs_map: {answered: .}}
    - {type: agent, id: called, agent_ref: called, inputs_map: {w: written, g: given, m: made}, outputs_map: {called: .}}
    - {type: agent, id: asked, agent_ref: asked, inputs_map: {w: written}, outputs_map: {asked: .}}
    - {type: agent, id: pause, agent_ref: pause, outputs_map: {}}
    - {type: agent, id: again, agent_ref: again}
    - {type: agent, id: show, agent_ref: show, outputs_map: {}}
  edges:
    - {source: made, target: answer}
    - {source: answer, target: called}
    - {source: called, target: asked}
    - {source: asked, target: pause}
    - {source: pause, target: again}
    - {source: again, target: show}
`

// journey is a way from the nodes that make values to the one that is shown them.
type journey struct {
	name    string
	store   func(t *rapid.T) (store journal.Store, done func() error)
	opts    []fermata.StartOption
	between string // "", "sleep" or "crash"
}

func journeys(dir string) []journey {
	inMemory := func(*rapid.T) (journal.Store, func() error) { store := memory.New(); return store, store.Close }
	var files atomic.Int64
	inFile := func(t *rapid.T) (journal.Store, func() error) {
		store, err := sqlite.Open(filepath.Join(dir, fmt.Sprint(files.Add(1))+".db"))
		if err != nil {
			t.Fatal(err)
		}
		return store, store.Close
	}
	async := []fermata.StartOption{fermata.WithDurability(fermata.Async)}
	return []journey{
		{"durability none", inMemory, []fermata.StartOption{fermata.WithDurability(fermata.None)}, ""},
		{"memory", inMemory, nil, ""},
		{"memory, asleep", inMemory, nil, "sleep"},
		{"memory, crashed", inMemory, nil, "crash"},
		{"memory, async, crashed", inMemory, async, "crash"},
		{"sqlite, asleep", inFile, nil, "sleep"},
		{"sqlite, crashed", inFile, nil, "crash"},
	}
}

// serverJourneys are ways through a store on a server, which all draws share.
func serverJourneys(kind string, store journal.Store) []journey {
	shared := func(*rapid.T) (journal.Store, func() error) { return store, func() error { return nil } }
	async := []fermata.StartOption{fermata.WithDurability(fermata.Async)}
	return []journey{
		{kind, shared, nil, ""},
		{kind + ", asleep", shared, nil, "sleep"},
		{kind + ", crashed", shared, nil, "crash"},
		{kind + ", async, crashed", shared, async, "crash"},
	}
}

// valuesRuns counts the runs of this property: those on a server need names of their own.
var valuesRuns atomic.Int64

// stop is what the node between does on one way, and what the last node was shown.
type stop struct {
	between string
	up      atomic.Bool
	here    chan bool
	mu      sync.Mutex
	shown   map[string]any
}

func (s *stop) pause(ctx node.Context, _ map[string]any) (any, error) {
	switch {
	case s.between == "sleep":
		return nil, node.Sleep(ctx, time.Microsecond)
	case s.between == "crash" && !s.up.Load():
		s.here <- true
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, nil
}

func (s *stop) show(_ node.Context, args map[string]any) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = args
	return nil, nil
}

// shown is what the last node is shown on one way, or why the run failed.
func (j *journey) shown(t *rapid.T, text string, answer func() any, in map[string]any) (map[string]any, error) {
	s := &stop{between: j.between, here: make(chan bool, 1)}
	r, err := recipe.Parse([]byte(text), "values.yaml", recipe.Options{Library: &recipe.Library{Agents: map[string]recipe.AgentFunc{
		"answer": func(node.Context, map[string]any) (any, error) { return answer(), nil },
		"pause":  s.pause, "show": s.show,
	}}})
	if err != nil {
		return nil, err
	}
	bb, err := r.Input(in)
	if err != nil {
		return nil, err
	}
	store, done := j.store(t)
	defer func() { _ = done() }()
	open := func() *fermata.Runtime {
		rt, err := fermata.New(fermata.Options{Store: store})
		if err != nil {
			t.Fatal(err)
		}
		return rt
	}
	rt := open()
	defer func() { _ = rt.Close() }()
	id := fmt.Sprint("run_v", valuesRuns.Add(1))
	run, err := rt.Start(t.Context(), r.Plan(), bb, append([]fermata.StartOption{fermata.WithID(id)}, j.opts...)...)
	if err != nil {
		return nil, err
	}
	if j.between == "crash" {
		ended := make(chan fermata.Result, 1)
		first := run
		go func() { res, _ := first.Wait(t.Context()); ended <- res }()
		select {
		case <-s.here:
		case res := <-ended:
			return nil, res.Err
		}
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
		s.up.Store(true)
		rt = open()
		if run, err = rt.Resume(t.Context(), id, r.Plan()); err != nil {
			t.Fatal(err)
		}
	}
	res, err := run.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown, res.Err
}

// drawnYAML are values as people write them, all kinds of scalars among them.
func drawnYAML(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		most := 3
		if depth == 0 {
			most = 1
		}
		switch rapid.IntRange(0, most).Draw(t, "yaml") {
		case 2:
			return "[" + strings.Join(rapid.SliceOfN(drawnYAML(depth-1), 0, 3).Draw(t, "list"), ", ") + "]"
		case 3:
			var members []string
			for i, v := range rapid.SliceOfN(drawnYAML(depth-1), 0, 3).Draw(t, "members") {
				members = append(members, fmt.Sprintf("%q: %s", rapid.SampledFrom([]string{"a", "b c", "ä"}).Draw(t, "key")+strconv.Itoa(i), v))
			}
			return "{" + strings.Join(members, ", ") + "}"
		default:
			return rapid.SampledFrom([]string{
				"~", "null", "true", "no", "0", "-0", "7", "007", "0x1F", "0o17", "1_000", "9007199254740993", "18446744073709551616", "1.0", "1.50",
				"-0.0", "1e3", "1E-7", "1e400", ".inf", ".nan", "2026-03-07", "2026-03-07T12:00:00.000000005+01:00", `""`, "plain", `"\u00e9\u2028<&>"`,
				`"\x00"`, "!!str 7", "!!float 7", "!!binary aGk=", "'7'",
			}).Draw(t, "scalar")
		}
	})
}

// drawnExpression is a value of an expression, of what is written and given too.
func drawnExpression() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{
		"written", "given", "[given, written, nil]", "{a: written, b: 1.0, c: 2 / 3}", "1 + 1", "7 / 2", "7 % 4", "2 ** 70", "0.1 + 0.2", "1e21", "-0.0",
		"1.0", "3.0 * 2", "9007199254740993 + 1", "'a' + 'b'", "len([1, 2])", "sum([1, 2.5])", "map(1..3, # * 1.0)", "groupBy([1, 2, 3], # % 2)",
		"nil", "true", "'\u00e9'", "toJSON({a: 1})", "fromJSON('{\"a\": 1.0, \"b\": [1e2]}')", "int('7')", "float('7')", "max(1, 2.0)", "reduce(1..3, #acc + #, 0)",
		"split('a,b', ',')", "keys({a: 1, b: 2})", "toPairs({a: 1})", "first([])", "abs(-0.0)", "round(2.5)", "mean([1, 2])", "[1, 2][0:1]",
	})
}

// drawnAnswer is what a function of Go gives: made anew for each way, because it is the node's own.
func drawnAnswer(t *rapid.T) func() any {
	type part struct {
		N    int            `json:"n"`
		When time.Time      `json:"when"`
		List []string       `json:"list,omitempty"`
		Any  map[string]any `json:"any"`
		Hex  []byte         `json:"hex"`
	}
	york := time.FixedZone("EST", -5*3600)
	return rapid.SampledFrom([]func() any{
		func() any { return nil },
		func() any {
			return map[string]any{"n": 1, "f": 1.0, "neg": math.Copysign(0, -1), "big": uint64(math.MaxUint64)}
		},
		func() any {
			return map[string]any{"t": time.Date(2026, 3, 7, 12, 0, 0, 5, york), "d": time.Second, "b": []byte("hi")}
		},
		func() any {
			return part{N: 1, When: time.Now().Round(0).Truncate(time.Hour), List: []string{}, Any: map[string]any{}}
		},
		func() any { return &part{List: []string{"a\xff"}} },
		func() any {
			return []any{1, int8(2), float32(0.1), json.Number("1.50"), "x\xff", nil, []int(nil), map[string]int(nil)}
		},
		func() any {
			return map[string]any{"raw": json.RawMessage(`{"b": 1.0, "a": [1e2, -0]}`), "big": big.NewInt(7)}
		},
		func() any { return map[string]any{"nan": math.NaN()} },
		func() any { return map[string]any{"chan": make(chan int)} },
		func() any { return map[int]string{2: "b", 1: "a"} },
		func() any { return map[string]int{"a\xff": 1, "a\xfe": 2} },
		func() any { return "text" },
		func() any { return 1.0 },
		func() any { return json.Number("1e2") },
		func() any { return []map[string]any{{"a": 1}} },
	}).Draw(t, "answer")
}

// drawnJSON is what a service answers.
func drawnJSON() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{
		`{}`, `{"n": 1.0, "e": 1e2, "z": -0, "big": 18446744073709551616, "deep": {"a": [null, true, 1.50]}}`, `{"t": "\u2028\ud800<"}`,
		"{\"t\": \"a\xff\"}", `{"a": 1, "a": 2}`, `{"e": 1e400}`, `[1, 2.0]`, `"text"`, `7.0`, `null`, `{"x": ""}`,
	})
}

// A recipe's node is shown the same values, whatever happens before it and wherever the run is kept, or the run fails on
// all ways.
func TestN10_ARecipesNodeIsGivenTheSameOnEveryWay(t *testing.T) {
	checkJourneys(t, journeys(t.TempDir()), 5)
}

// TestN10_ARecipesNodeIsGivenTheSameOnServers is the same property for runs on servers, which store values in forms of
// their own.
func TestN10_ARecipesNodeIsGivenTheSameOnServers(t *testing.T) {
	for _, kind := range testserver.Kinds() {
		t.Run(kind, func(t *testing.T) {
			lawtest.FewerDraws(t, 10)
			store := teststore.Open(t, kind)
			inMemory := journeys(t.TempDir())[1:2]
			checkJourneys(t, append(inMemory, serverJourneys(kind, store)...), 1)
		})
	}
}

// checkJourneys draws recipes and checks that the last node is shown the same on all ways. One draw of every share takes
// the ways that write to disks and networks.
func checkJourneys(t *testing.T, ways []journey, share int) {
	var body atomic.Pointer[string]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, *body.Load())
	}))
	t.Cleanup(server.Close)
	completed, slow := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text := fmt.Sprintf(valuesRecipe, drawnYAML(2).Draw(t, "written"), strconv.Quote(drawnExpression().Draw(t, "made")), server.URL)
		text = strings.Replace(text, "topology:", "  again: {kind: expr, set: {again: \"{w: written, g: given, m: made, a: answered}\"}}\ntopology:", 1)
		in := map[string]any{"given": drawnAnswer(t)()}
		answer, said := drawnAnswer(t), drawnJSON().Draw(t, "said")
		body.Store(&said)
		rarely := rapid.IntRange(1, share).Draw(t, "files") == 1
		var want map[string]any
		var failed error
		for i, j := range ways {
			if !strings.HasPrefix(j.name, "memory") && i > 0 && !rarely {
				continue
			}
			got, err := j.shown(t, text, answer, in)
			if i > 0 && err == nil && rarely {
				slow++
			}
			if i == 0 {
				if want, failed = got, err; err == nil {
					completed++
				}
				if _, refused := errors.AsType[*definition.Error](err); refused {
					return // on all ways: nothing has run
				}
				continue
			}
			if (err == nil) != (failed == nil) {
				t.Fatalf("%s: %v, and %s: %v\n%s", j.name, err, ways[0].name, failed, text)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s:\n%#v\n%s:\n%#v\n%s", j.name, got, ways[0].name, want, text)
			}
		}
	})
	if completed == 0 || slow == 0 {
		t.Errorf("%d runs completed, and %d in draws that take all ways", completed, slow)
	}
}

// What a recipe says of its inputs holds for everybody who starts a run of its plan, and no run is left behind.
func TestN8_InputsOfAPlanAreChecked(t *testing.T) {
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	r := parse(t, `
interface: {inputs: {n: {type: integer}}, outputs: {m: {type: integer}}}
agents: {next: {kind: expr, set: {m: n + 1}}}
topology: {entry_point: next, nodes: [{type: agent, id: next, agent_ref: next}]}
`)
	if _, err = rt.Start(t.Context(), r.Plan(), map[string]any{"n": "one"}, fermata.WithID("run_1")); !errors.Is(err, fermata.ErrInvalid) {
		t.Errorf("the error is %v, want ErrInvalid", err)
	}
	if _, err := rt.Info(t.Context(), "run_1"); !errors.Is(err, journal.ErrNotFound) && !errors.Is(err, fermata.ErrNotFound) {
		t.Errorf("the run is there: %v", err)
	}
}

// A value that is too large for the journal fails where it is put on the blackboard, with its path.
func TestN8_LargeValuesOfARecipe(t *testing.T) {
	const limit = 64 << 10
	long := strings.Repeat("x", 20*limit)
	r, err := recipe.Parse([]byte(`
interface: {inputs: {given: {}}}
topology:
  entry_point: answer
  nodes: [{type: agent, id: answer, agent_ref: answer, outputs_map: {answered: .}}]
`), "large.yaml", recipe.Options{Library: &recipe.Library{Agents: map[string]recipe.AgentFunc{
		"answer": func(node.Context, map[string]any) (any, error) { return map[string]any{"pages": []any{"a", long}}, nil },
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		given any
		want  string
	}{
		"what an agent answers": {"a", "/pages/1: "},
		"an input":              {map[string]any{"name": long}, "/given/name: "},
	} {
		t.Run(name, func(t *testing.T) {
			rt, err := fermata.New(fermata.Options{MaxValue: limit})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = rt.Close() }()
			in, err := r.Input(map[string]any{"given": tt.given})
			if err != nil {
				t.Fatal(err)
			}
			run, err := rt.Start(t.Context(), r.Plan(), in)
			if err == nil {
				var res fermata.Result
				if res, err = run.Wait(t.Context()); err == nil {
					err = res.Err
				}
			}
			if !errors.Is(err, node.ErrNotStorable) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "takes more than the limit of 65536 bytes; ") {
				t.Errorf("want %q in: %.500v", tt.want, err)
			}
		})
	}
}
