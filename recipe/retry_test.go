package recipe_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/recipe"
)

// busy is a service that answers with these statuses, "429 7" with a Retry-After, and then well.
type busy struct {
	mu      sync.Mutex
	answers []string
	calls   int
}

func (b *busy) serve(w http.ResponseWriter, r *http.Request) {
	_, _ = io.ReadAll(r.Body)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	w.Header().Set("Content-Type", "application/json")
	if b.calls > len(b.answers) {
		_, _ = io.WriteString(w, "{}")
		return
	}
	var status int
	var after string
	if n, _ := fmt.Sscanf(b.answers[b.calls-1], "%d %s", &status, &after); n == 2 {
		if after == "date" {
			now := time.Now().UTC().Truncate(time.Second)
			w.Header().Set("Date", now.Format(http.TimeFormat))
			after = now.Add(90 * time.Second).Format(http.TimeFormat)
		}
		w.Header().Set("Retry-After", after)
	}
	w.WriteHeader(status)
}

// An agent of kind http is tried again as its policy says: how often, after which answers, and when.
func TestF1_RetriesOfServices(t *testing.T) {
	for name, tt := range map[string]struct {
		retry   string // of the agent
		node    string // of the node
		policy  string // of the recipe
		method  string
		answers []string
		waits   []string
		fails   string
	}{
		"nothing is said":                  {answers: []string{"503"}, fails: "503"},
		"the agent says how often":         {retry: "{max_retries: 2}", answers: []string{"503", "502"}, waits: []string{"100ms", "200ms"}},
		"the node says it instead":         {retry: "{max_retries: 2}", node: "max_retries: 1", answers: []string{"503", "502"}, waits: []string{"100ms"}, fails: "502"},
		"the node wants none":              {retry: "{max_retries: 2}", node: "max_retries: 0", answers: []string{"503"}, fails: "503"},
		"the policy says it":               {policy: "max_retries: 1", answers: []string{"429"}, waits: []string{"100ms"}},
		"the agent goes before the policy": {policy: "max_retries: 5", retry: "{max_retries: 0}", answers: []string{"429"}, fails: "429"},
		"backoff, factor and cap": {
			retry: "{max_retries: 5, initial_seconds: 2, factor: 3, max_seconds: 20}", answers: []string{"500", "502", "503", "504", "408"},
			waits: []string{"2s", "6s", "18s", "20s", "20s"},
		},
		"a factor of 1":                {retry: "{max_retries: 3, initial_seconds: 5, factor: 1}", answers: []string{"500", "500", "500"}, waits: []string{"5s", "5s", "5s"}},
		"a refusal is no reason":       {retry: "{max_retries: 5}", answers: []string{"404"}, fails: "404"},
		"unless the agent says so":     {retry: "{max_retries: 5, statuses: [404]}", answers: []string{"404"}, waits: []string{"100ms"}},
		"which then are no others":     {retry: "{max_retries: 5, statuses: [404]}", answers: []string{"503"}, fails: "503"},
		"it asks for some seconds":     {retry: "{max_retries: 1}", answers: []string{"429 7"}, waits: []string{"7s"}},
		"it names a date":              {retry: "{max_retries: 1}", answers: []string{"503 date"}, waits: []string{"1m30s"}},
		"it asks for more than a wait": {retry: "{max_retries: 1, max_seconds: 20}", answers: []string{"503 21"}, fails: "it asks to be left alone for 21s, and the longest wait is 20s (retry.max_seconds)"},
		"it asks for a day":            {retry: "{max_retries: 1}", answers: []string{"429 86400"}, fails: "it asks to be left alone for 24h0m0s, and the longest wait is 1h0m0s"},
		"whatever the method":          {retry: "{max_retries: 1}", method: "GET", answers: []string{"503"}, waits: []string{"100ms"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &busy{answers: tt.answers}
			server := httptest.NewServer(http.HandlerFunc(b.serve))
			defer server.Close()
			r := loadWith(t, map[string]string{"recipe.yaml": retryRecipe(server.URL, tt.method, tt.retry, tt.node, tt.policy)}, "", nil)
			var waits []string
			report, broken := fermatatest.Rehearse(t.Context(), r.Plan(), input(t, r, nil), fermatatest.Look(func(rt *fermata.Runtime, res fermata.Result) {
				waits = waitsOf(t, rt, res.Run)
			}))
			if len(broken) > 0 {
				t.Fatal(broken)
			}
			if diff := cmp.Diff(tt.waits, waits); diff != "" {
				t.Errorf("it waited (-want +got):\n%s", diff)
			}
			if want := len(tt.waits) + 1; b.calls != want {
				t.Errorf("%d attempts, expected %d", b.calls, want)
			}
			if tt.fails != "" {
				wantError(t, report.Result, tt.fails)
			} else if report.Result.Status != fermata.Completed {
				t.Errorf("%s: %v", report.Result.Status, report.Result.Err)
			}
		})
	}
}

func retryRecipe(url, method, retry, node, policy string) string {
	text := "agents: {tell: {kind: http, url: " + url
	if method != "" {
		text += ", method: " + method
	}
	if retry != "" {
		text += ", retry: " + retry
	}
	text += "}}\nentry_point: tell\nnodes: [{type: agent, id: tell, agent_ref: tell"
	if node != "" {
		text += ", " + node
	}
	text += "}]\n"
	if policy != "" {
		text += "policy: {" + policy + "}\n"
	}
	return text
}

// waitsOf are the times that a run has waited for between its attempts, as its journal has them.
func waitsOf(t *testing.T, rt *fermata.Runtime, run string) (waits []string) {
	t.Helper()
	exact, err := exactWaitsOf(t.Context(), rt, run)
	if err != nil {
		t.Fatal(err)
	}
	for _, wait := range exact {
		waits = append(waits, wait.Round(10*time.Millisecond).String())
	}
	return waits
}

func exactWaitsOf(ctx context.Context, rt *fermata.Runtime, run string) (waits []time.Duration, err error) {
	for m, err := range rt.History(ctx, run) {
		if err != nil {
			return nil, err
		}
		if m.Entry.Kind != journal.NodeRetrying {
			continue
		}
		var body journal.FailedBody
		if err := json.Unmarshal(m.Entry.Body, &body); err != nil {
			return nil, err
		}
		waits = append(waits, time.Duration(body.RetryAt-m.Entry.Time().UnixMicro())*time.Microsecond)
	}
	return waits, nil
}

// policyDraw is a policy of an agent, and what its service answers.
type policyDraw struct {
	initial, longest int // seconds
	factor, jitter   float64
	answers          []string
	bases            []time.Duration // of the waits, without jitter
	refused          bool            // the last answer asks for more than the longest wait
}

func drawnPolicy(t *rapid.T) (d policyDraw) {
	d.initial = rapid.IntRange(1, 30).Draw(t, "initial")
	d.longest = d.initial + rapid.IntRange(0, 100).Draw(t, "longer")
	d.factor = rapid.SampledFrom([]float64{1, 1.5, 2, 3, 10}).Draw(t, "factor")
	d.jitter = rapid.SampledFrom([]float64{0, 0.1, 0.5, 1}).Draw(t, "jitter")
	for i := range rapid.IntRange(1, 6).Draw(t, "answers") {
		status := rapid.SampledFrom([]int{408, 429, 500, 502, 503, 504}).Draw(t, "status")
		asked := rapid.SampledFrom([]int{-1, -1, 0, 1, d.initial, d.longest, d.longest + 1}).Draw(t, "asked")
		base := time.Duration(math.Min(float64(d.initial)*math.Pow(d.factor, float64(i)), float64(d.longest)) * float64(time.Second))
		answer := strconv.Itoa(status)
		if asked >= 0 {
			answer += " " + strconv.Itoa(asked)
		}
		d.answers = append(d.answers, answer)
		busy := asked >= 0 && (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable) // others may not ask
		if busy {
			base = time.Duration(asked) * time.Second
		}
		if d.refused = busy && asked > d.longest; d.refused {
			return d
		}
		d.bases = append(d.bases, base)
	}
	return d
}

// TestF1_WaitsOfServicesAreBounded checks the waits of any policy: each is the backoff, which grows to the cap, or else what
// the service asks for with Retry-After (429 and 503 alone); and longer by a share of the jitter. A service that asks for more than the cap ends
// the attempts. The shares spread.
func TestF1_WaitsOfServicesAreBounded(t *testing.T) {
	var service atomic.Pointer[busy]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { service.Load().serve(w, r) }))
	defer server.Close()
	const exact = 5 * time.Microsecond // times are kept in microseconds
	var shares []float64
	rapid.Check(t, func(t *rapid.T) {
		d := drawnPolicy(t)
		b := &busy{answers: d.answers}
		service.Store(b)
		retry := fmt.Sprintf("{max_retries: 6, initial_seconds: %d, factor: %v, max_seconds: %d, jitter: %v}", d.initial, d.factor, d.longest, d.jitter)
		text := retryRecipe(server.URL, "", retry, "", "")
		text = strings.Replace(text, "entry_point: tell", "entry_point: NODE", 1)
		text = strings.Replace(text, "id: tell,", "id: NODE,", 1) // tasks spread by their names
		text = strings.ReplaceAll(text, "NODE", fmt.Sprint("tell", rapid.IntRange(0, 1000).Draw(t, "node")))
		r, err := recipe.Parse([]byte(text), "waits.yaml", recipe.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in, err := r.Input(nil)
		if err != nil {
			t.Fatal(err)
		}
		var waits []time.Duration
		report, broken := fermatatest.Rehearse(t.Context(), r.Plan(), func() any { return in }, fermatatest.Look(func(rt *fermata.Runtime, res fermata.Result) {
			if waits, err = exactWaitsOf(t.Context(), rt, res.Run); err != nil {
				t.Fatal(err)
			}
		}))
		if len(broken) > 0 {
			t.Fatal(broken)
		}
		if completed := report.Result.Status == fermata.Completed; completed == d.refused {
			t.Fatalf("%s: the run is %s: %v", text, report.Result.Status, report.Result.Err)
		}
		if len(waits) != len(d.bases) || b.calls != len(waits)+1 {
			t.Fatalf("%s%q: %d attempts with the waits %v, expected %d waits", text, d.answers, b.calls, waits, len(d.bases))
		}
		for i, wait := range waits {
			most := d.bases[i] + time.Duration(d.jitter*float64(d.bases[i]))
			if wait < d.bases[i]-exact || wait > most+exact {
				t.Errorf("%s%q: wait %d is %s, expected %s to %s", text, d.answers, i+1, wait, d.bases[i], most)
			}
			if most > d.bases[i] {
				shares = append(shares, float64(wait-d.bases[i])/float64(most-d.bases[i]))
			}
		}
	})
	if slices.Sort(shares); len(shares) > 50 && (shares[len(shares)/4] > 0.5 || shares[3*len(shares)/4] < 0.5) {
		t.Errorf("the shares of the jitter that were added do not spread: %.2f", shares)
	}
}

// The engine dies at every append, also between two attempts: there are as many as without, and no more.
func TestF1_AttemptsAreCountedAcrossCrashes(t *testing.T) {
	b := new(busy)
	server := httptest.NewServer(http.HandlerFunc(b.serve))
	defer server.Close()
	r := loadWith(t, map[string]string{"recipe.yaml": retryRecipe(server.URL, "", "{max_retries: 2, initial_seconds: 30}", "", "")}, "", nil)
	report := fermatatest.Crash(t, r.Plan(), input(t, r, nil),
		fermatatest.Before(func() {
			*b = busy{answers: []string{"503 40", "503 40", "503 40", "503 40", "503 40", "503 40", "503 40", "503 40"}}
		}),
		fermatatest.Effects(func() map[string]int { return map[string]int{"calls": b.calls} }))
	wantError(t, report.Result, "the service answered 503")
	if report.Crashes < 10 {
		t.Errorf("there were %d crashes", report.Crashes)
	}
}

// A model that calls an agent is told of a refusal, and goes on.
func TestARefusalEndsNoReasoning(t *testing.T) {
	b := &busy{answers: []string{"404"}}
	server := httptest.NewServer(http.HandlerFunc(b.serve))
	defer server.Close()
	text := `
agents:
  pay: {kind: http, url: "` + server.URL + `", ` + inputSchema + `}
  write: {kind: model, model: "scripted:replies.yaml", prompt: "Pay", tools: ["agent:pay"]}
interface: {outputs: {write: {type: string}}}
entry_point: write
nodes: [{type: agent, id: write, agent_ref: write}]
`
	r := loadWith(t, map[string]string{"recipe.yaml": text}, "", map[string]string{
		"replies.yaml": "turns: [{calls: [{tool: pay, arguments: {n: 1}}]}, \"Well.\"]",
	})
	want(t, job{}.with(t, withScripts(), r), `{"write": "Well."}`)
}
