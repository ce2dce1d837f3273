package recipe_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal"
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
	for m, err := range rt.History(t.Context(), run) {
		if err != nil {
			t.Fatal(err)
		}
		if m.Entry.Kind != journal.NodeRetrying {
			continue
		}
		var body journal.FailedBody
		if err := json.Unmarshal(m.Entry.Body, &body); err != nil {
			t.Fatal(err)
		}
		wait := time.Duration(body.RetryAt-m.Entry.Time().UnixMicro()) * time.Microsecond
		waits = append(waits, wait.Round(10*time.Millisecond).String())
	}
	return waits
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
