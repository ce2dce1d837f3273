package recipe_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/recipe"
)

// notInTheFile are the failures of runs that a recipe does not show, and that loading therefore does not exclude: what
// agents and people do, and bounds that data runs into. Nothing that the generator writes can divide, number an element by
// data, or read a number out of a text, which are the others.
var notInTheFile = map[string]string{
	"an agent failed, and no edge takes it":  "fails on purpose",
	"nobody answered":                        "nobody answered before the deadline",
	"policy.max_steps":                       "limit of tasks (",
	"a loop multiplied beyond all numbers":   "it is no finite number",
	"a loop doubled a text beyond its bound": "a text in the expression gets longer than",
	"a loop doubled a list beyond its bound": "it has more than 1000000 elements",
	"the rule append, and lists made anew":   "only add, or use another rule",
	"the rule union, for objects":            "and they gave this member different values",
}

// world is what is outside of the generated recipes: services and Go functions that give what is said of them, or fail,
// and people who answer, or do not.
type world struct {
	dir    string
	server *httptest.Server
	clock  *fermatatest.Clock
	rt     *fermata.Runtime

	mu       sync.Mutex
	services map[string]*kind
	seed     uint64
	calls    map[string]uint64
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{dir: t.TempDir(), clock: fermatatest.NewClock(fermatatest.Epoch)}
	w.server = httptest.NewServer(w)
	rt, err := fermata.New(fermata.Options{Clock: w.clock, Services: []any{model.Set{"scripted": recipe.Scripts()}}})
	if err != nil {
		t.Fatal(err)
	}
	w.rt = rt
	t.Cleanup(func() {
		w.server.Close()
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// begin sets the scene for a run.
func (w *world) begin(d *drawn, seed uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.services, w.seed, w.calls = d.services, seed, make(map[string]uint64)
}

// random is chance that depends on the run and on what it is asked for alone.
func (w *world) random(about string) *rand.Rand {
	h := fnv.New64()
	_, _ = h.Write([]byte(about))
	w.calls[about]++
	return rand.New(rand.NewPCG(w.seed+w.calls[about], h.Sum64()))
}

var errOnPurpose = errors.New("fails on purpose")

// call is what a service or a Go function gives.
func (w *world) call(name string) (any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	random := w.random(name)
	k := w.services[name]
	if k == nil || random.IntN(8) == 0 {
		return nil, errOnPurpose
	}
	return k.value(random), nil
}

func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	v, err := w.call(strings.TrimPrefix(r.URL.Path, "/"))
	var data []byte
	if err == nil {
		data, err = json.Marshal(v)
	}
	if err != nil {
		http.Error(rw, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	_, _ = rw.Write(data)
}

// load writes what was drawn into the world's folder, and loads it.
func (w *world) load(t *rapid.T, d *drawn) (*recipe.Recipe, error) {
	for name, text := range d.files {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	library := &recipe.Library{Agents: make(map[string]recipe.AgentFunc)}
	for name := range d.functions {
		library.Agents[name] = func(node.Context, map[string]any) (any, error) { return w.call(name) }
	}
	return recipe.Parse([]byte(d.text), filepath.Join(w.dir, "drawn.yaml"), recipe.Options{
		Dir: w.dir, Library: library, Models: []string{"scripted"},
	})
}

// tally counts what was drawn and what came of it.
type tally struct {
	drawn, loaded, runs, completed int
	features, failures             map[string]int
}

func (c *tally) log(t *testing.T) {
	t.Logf("%d recipes drawn, %d loaded; %d runs of these, %d completed", c.drawn, c.loaded, c.runs, c.completed)
	for _, why := range slices.Sorted(maps.Keys(c.failures)) {
		t.Logf("%6d runs failed: %s", c.failures[why], why)
	}
	for _, f := range slices.Sorted(maps.Keys(c.features)) {
		t.Logf("%5.1f%% of what loaded has %s", 100*float64(c.features[f])/float64(c.loaded), f)
	}
}

// explore draws as many recipes as FERMATA_EXPLORE says, from FERMATA_SEED on.
func explore(t *testing.T, check func(t *rapid.T)) {
	t.Helper()
	for name, variable := range map[string]string{"rapid.checks": "FERMATA_EXPLORE", "rapid.seed": "FERMATA_SEED"} {
		text := os.Getenv(variable)
		if text == "" {
			continue
		}
		before := flag.Lookup(name).Value.String()
		if err := flag.Set(name, text); err != nil {
			t.Fatalf("%s: %v", variable, err)
		}
		t.Cleanup(func() {
			if err := flag.Set(name, before); err != nil {
				t.Error(err)
			}
		})
	}
	rapid.Check(t, check)
}

// totality draws recipes, and runs those that load several times, with any inputs, answers and outputs of agents that fit
// their schemas. No run fails for a reason that the recipe shows.
func totality(t *testing.T, right bool, times uint64) *tally {
	t.Helper()
	w := newWorld(t)
	c := &tally{features: make(map[string]int), failures: make(map[string]int)}
	explore(t, func(t *rapid.T) {
		g := &generator{t: t, right: right}
		d := g.drawAll(w.server.URL)
		seed := rapid.Uint64().Draw(t, "seed")
		c.drawn++
		r, err := w.load(t, d)
		if _, wrong := errors.AsType[*definition.Error](err); err != nil && (right || !wrong) {
			t.Fatalf("%v\n%s", err, d)
		}
		if err != nil {
			return
		}
		c.loaded++
		for f := range d.features {
			c.features[f]++
		}
		for i := range times {
			c.runs++
			err := w.run(r, d, seed+i<<32)
			if err == nil {
				c.completed++
				continue
			}
			why := excluded(err)
			if c.failures[why]++; why == "" {
				t.Fatalf("a recipe that loads fails: %v\n%s", err, d)
			}
		}
	})
	c.log(t)
	return c
}

// TestWhatLoadsRuns draws recipes with mistakes, many of which are refused. No run of one that loads fails for a reason
// that the recipe shows.
func TestWhatLoadsRuns(t *testing.T) {
	c := totality(t, false, 4)
	if c.loaded == 0 || c.loaded == c.drawn {
		t.Errorf("%d of %d recipes loaded: expected some, and not all", c.loaded, c.drawn)
	}
}

// TestWhatIsRightLoads draws recipes that are right by construction: none is refused, and none fails.
func TestWhatIsRightLoads(t *testing.T) { totality(t, true, 1) }

// excluded is why a run failed that no file shows; "" for any other reason.
func excluded(err error) string {
	for why, text := range notInTheFile {
		if strings.Contains(err.Error(), text) {
			return why
		}
	}
	return ""
}

// String is all that was drawn.
func (d *drawn) String() string {
	var b strings.Builder
	b.WriteString(d.text)
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		fmt.Fprintf(&b, "--- %s\n%s\n", name, d.files[name])
	}
	return b.String()
}

// run runs a recipe once and gives the error that it ended with.
func (w *world) run(r *recipe.Recipe, d *drawn, seed uint64) (err error) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	w.begin(d, seed)
	given, _ := d.inputs.value(w.random("inputs")).(map[string]any)
	inputs, err := r.Input(given)
	if err != nil {
		return fmt.Errorf("the inputs %v: %w", given, err)
	}
	digest, err := w.rt.SaveDefinition(ctx, "recipe", r.Source())
	if err != nil {
		return err
	}
	run, err := w.rt.Start(ctx, r.Plan(), inputs, fermata.WithDefinition(digest))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.takenIn(ctx, run.ID(), r)) }()
	for {
		res, err := run.Wait(ctx)
		if err != nil || res.Err != nil || res.Status != fermata.Paused {
			return errors.Join(err, res.Err)
		}
		if err := w.answer(ctx, res.Interrupts); err != nil {
			return err
		}
	}
}

// takenIn takes the run in elsewhere: what a recipe has written is never refused (law J6).
func (w *world) takenIn(ctx context.Context, run string, r *recipe.Recipe) error {
	var file bytes.Buffer
	to, err := fermata.New(fermata.Options{Clock: w.clock})
	if err != nil {
		return err
	}
	if err := w.rt.Export(ctx, run, &file); err != nil {
		return err
	}
	_, err = to.Import(ctx, &file, fermata.ImportOptions{Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return r.Plan(), nil }})
	return errors.Join(err, to.Close())
}

// answer answers the questions of a run, or lets those pass that have a deadline.
func (w *world) answer(ctx context.Context, questions []fermata.Interrupt) error {
	for _, q := range questions {
		w.mu.Lock()
		random := w.random(q.Task)
		w.mu.Unlock()
		if q.Deadline != 0 && random.IntN(3) == 0 {
			continue
		}
		var schema map[string]any
		if err := json.Unmarshal(q.ResponseSchema, &schema); err != nil {
			return err
		}
		answer := valueOfSchema(schema, random)
		if q.Kind == recipe.KindReview {
			answer = decision(schema, random)
		}
		if err := w.rt.Answer(ctx, q.ID, answer, fermata.AsRole(q.Role)); err != nil {
			return fmt.Errorf("answering %s with %v: %w", q.Task, answer, err)
		}
		return nil
	}
	at, ok := w.clock.Next()
	if !ok {
		return fmt.Errorf("nothing is due, and %d questions are open", len(questions))
	}
	w.clock.AdvanceTo(at)
	return nil
}

// valueOfSchema is some value that fits a schema of those that are drawn.
func valueOfSchema(schema map[string]any, r *rand.Rand) any {
	if list, ok := schema["enum"].([]any); ok {
		return list[r.IntN(len(list))]
	}
	if list, ok := schema["allOf"].([]any); ok {
		first, _ := list[0].(map[string]any)
		return valueOfSchema(first, r)
	}
	k := &kind{closed: schema["additionalProperties"] == false}
	switch word := schema["type"].(type) {
	case string:
		k.word = word
	case []any:
		k.word, _ = word[r.IntN(len(word))].(string)
	}
	switch k.word {
	case "null", "":
		return nil
	case "array":
		least, _ := schema["minItems"].(float64)
		items, some := schema["items"].(map[string]any)
		if !some && schema["items"] == false {
			return []any{}
		}
		list := make([]any, int(least)+r.IntN(3))
		for i := range list {
			list[i] = valueOfSchema(items, r)
		}
		return list
	case "object":
		o := make(map[string]any)
		required, _ := schema["required"].([]any)
		members, _ := schema["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if s, ok := members[name].(map[string]any); ok && (slices.Contains(required, any(name)) || r.IntN(2) == 0) {
				o[name] = valueOfSchema(s, r)
			}
		}
		if !k.closed && r.IntN(3) == 0 {
			o["more"] = 1
		}
		return o
	}
	return k.value(r)
}

// decision is an answer to a review.
func decision(schema map[string]any, r *rand.Rand) map[string]any {
	properties, _ := schema["properties"].(map[string]any)
	action := valueOfSchema(properties["action"].(map[string]any), r) //nolint:forcetypeassert // it has one
	made := map[string]any{"action": action}
	switch value, _ := properties["value"].(map[string]any); {
	case action == "edit":
		made["value"] = valueOfSchema(value, r)
	case action == "send_back":
		made["note"] = "again"
	}
	return made
}
