package recipe_test

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/recipe"
)

const pooledRecipe = `
interface: {inputs: {customer: {type: string}, lines: {type: array}, note: {type: string, default: ""}}}
pools:
  customers: {concurrent: 2}
  mail: {starts: 6, per_seconds: 60, burst: 2}
topology:
  entry_point: charge
  nodes:
    - {type: agent, id: charge, agent_ref: work, pool: customers, pool_key: customer, outputs_map: {}}
    - {type: agent, id: each, agent_ref: work, pool: customers, pool_key: customer, for_each: {in: lines, as: line}, inputs_map: {customer: line}, outputs_map: {}}
    - {type: agent, id: mail, agent_ref: work, pool: mail, outputs_map: {}}
  edges:
    - {source: charge, target: each}
    - {source: each, target: mail}
`

// TestJ20_RecipesAreInSharedPools runs a recipe in two processes: of each customer two tasks are at work, those of elements
// among them, and letters keep to their rate.
func TestJ20_RecipesAreInSharedPools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		now, most := make(map[any]int), make(map[any]int)
		var mails []time.Duration
		began := time.Now()
		work := func(ctx node.Context, args map[string]any) (any, error) {
			mu.Lock()
			defer mu.Unlock()
			if strings.HasPrefix(ctx.Info().Task(), "mail") {
				mails = append(mails, time.Since(began)-20*time.Second)
				return nil, nil
			}
			key := args["customer"]
			now[key]++
			most[key] = max(most[key], now[key])
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			now[key]--
			return nil, nil
		}
		r, err := recipe.Parse([]byte(pooledRecipe), "pooled.yaml", recipe.Options{Library: &recipe.Library{Agents: map[string]recipe.AgentFunc{"work": work}}})
		if err != nil {
			t.Fatal(err)
		}
		store := memory.New()
		var runs []*fermata.Run
		for i := range 2 {
			rt, err := fermata.New(fermata.Options{Store: store})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = rt.Close() })
			for range 2 {
				input, err := r.Input(map[string]any{"customer": []string{"ann", "bob"}[i], "lines": []any{"ann", "ann", "cat"}})
				if err != nil {
					t.Fatal(err)
				}
				run, err := rt.Start(t.Context(), r.Plan(), input)
				if err != nil {
					t.Fatal(err)
				}
				runs = append(runs, run)
			}
		}
		for _, run := range runs {
			if res, err := run.Wait(t.Context()); err != nil || res.Status != fermata.Completed {
				t.Errorf("the run is %s, %v, %v", res.Status, res.Err, err)
			}
		}
		if diff := cmp.Diff(map[any]int{"ann": 2, "bob": 2, "cat": 2}, most); diff != "" {
			t.Errorf("at work at the same time (-want +got):\n%s", diff)
		}
		slices.Sort(mails)
		if len(mails) != 4 || mails[3]-mails[0] < 20*time.Second-time.Second*5 || mails[1]-mails[0] > 6*time.Second {
			t.Errorf("letters were written after %v; expected two and then one each 10 seconds", mails)
		}
	})
}

// TestJ20_PoolsAreNoPartOfARecipesPlan: limits may change under a run, and tools see which pool a node is in.
func TestJ20_PoolsAreNoPartOfARecipesPlan(t *testing.T) {
	opts := recipe.Options{Library: &recipe.Library{Agents: map[string]recipe.AgentFunc{"work": func(node.Context, map[string]any) (any, error) { return nil, nil }}}}
	parsed := func(text string) *plan.Plan {
		t.Helper()
		r, err := recipe.Parse([]byte(text), "pooled.yaml", opts)
		if err != nil {
			t.Fatal(err)
		}
		return r.Plan()
	}
	p := parsed(pooledRecipe)
	other := parsed(strings.Replace(pooledRecipe, "concurrent: 2", "concurrent: 3", 1))
	if p.Fingerprint() != other.Fingerprint() {
		t.Error("another limit is another plan")
	}
	want := map[string]plan.Pool{"customers": {Concurrent: 2}, "mail": {Every: 10 * time.Second, Burst: 2}}
	got := make(map[string]plan.Pool)
	for _, name := range p.Pools() {
		got[name], _ = p.PoolNamed(name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pools (-want +got):\n%s", diff)
	}
	text, err := p.JSON()
	if err != nil || strings.Count(string(text), `"pool": "customers"`) != 2 || strings.Count(string(text), `"pool_keyed": true`) != 2 {
		t.Errorf("the plan's JSON: %v\n%s", err, text)
	}
}

// TestJ20_KeysOfNodesAreTexts shows what becomes the key of a node.
func TestJ20_KeysOfNodesAreTexts(t *testing.T) {
	text := strings.Replace(strings.Replace(pooledRecipe, "{customer: {type: string}", "{customer: {}", 1), "pool_key: customer,", "pool_key: customer?,", 1)
	opts := recipe.Options{Library: &recipe.Library{Agents: map[string]recipe.AgentFunc{"work": func(node.Context, map[string]any) (any, error) { return nil, nil }}}}
	r, err := recipe.Parse([]byte(text), "pooled.yaml", opts)
	if err != nil {
		t.Fatal(err)
	}
	var key func(any) (string, error)
	for _, f := range r.Plan().Flat() {
		if f.Path == "charge" {
			key = f.PoolKey
		}
	}
	tests := map[string]struct{ value, want any }{
		"text": {"ann", "ann"}, "number": {7, "7"}, "boolean": {true, "true"}, "null": {nil, ""},
		"list": {[]any{1}, `path "customer?": expected a text, a number or a boolean, found a list of 1`},
	}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		input, err := r.Input(map[string]any{"customer": tests[name].value, "lines": []any{}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := key(input)
		if err != nil {
			got = err.Error()
		}
		if got != tests[name].want {
			t.Errorf("%s: %v, expected %v", name, got, tests[name].want)
		}
	}
}
