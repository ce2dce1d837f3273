//go:build unix

package recipe_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/recipe"
)

// fate is what becomes of a call.
type fate string

const (
	refusedFate fate = "cut before send" // nobody is there
	cutFate     fate = "cut after send"  // the call was received, and whoever received it is gone
	silentFate  fate = "no answer"       // the call was received, and nothing follows within its time
	failedFate  fate = "5xx after send"  // the call was received, and whoever received it failed
	partFate    fate = "half an answer"  // the answer ends in the middle
	wonFate     fate = "answered"
)

// target is something outside that calls take effect on: it counts them.
type target struct {
	calls atomic.Int32
	url   string
}

// newTarget is a service over HTTP.
func newTarget(t *testing.T, f fate) *target {
	t.Helper()
	g := new(target)
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		g.calls.Add(1)
		g.befall(w, r, f, done)
	}))
	g.url = server.URL
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(done) })
	if f == refusedFate {
		g.url = nowhere(t)
	}
	return g
}

// nowhere is an address at which nobody listens.
func nowhere(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

func (g *target) befall(w http.ResponseWriter, r *http.Request, f fate, done <-chan struct{}) {
	switch f {
	case failedFate:
		http.Error(w, "it broke", http.StatusInternalServerError)
	case silentFate:
		select {
		case <-r.Context().Done():
		case <-done:
		}
	case cutFate, partFate:
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		if f == partFate {
			writePart(buffered.Writer)
		}
		_ = conn.Close()
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"paid": true}`)
	}
}

func writePart(w *bufio.Writer) {
	_, _ = w.WriteString("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"paid\":")
	_ = w.Flush()
}

// newToolTarget is an MCP server over HTTP whose tool takes effect, and to whose calls the fate happens.
func newToolTarget(t *testing.T, f fate) *target {
	t.Helper()
	g := new(target)
	server := sdk.NewServer(&sdk.Implementation{Name: "bank", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "pay", Description: "Pays"},
		func(context.Context, *sdk.CallToolRequest, map[string]any) (*sdk.CallToolResult, any, error) {
			return nil, map[string]bool{"paid": true}, nil
		})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	done := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if !strings.Contains(string(body), `"tools/call"`) {
			handler.ServeHTTP(w, r)
			return
		}
		g.calls.Add(1)
		if f == wonFate {
			handler.ServeHTTP(w, r)
			return
		}
		g.befall(w, r, f, done)
	}))
	g.url = web.URL
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
		for session := range server.Sessions() {
			_ = session.Close()
		}
	})
	t.Cleanup(func() { close(done) })
	if f == refusedFate {
		g.url = nowhere(t)
	}
	return g
}

// scripts are what programs do.
var scripts = map[fate]string{
	cutFate:    `echo x >> "$FILE"; kill -KILL $$`,
	silentFate: `echo x >> "$FILE"; exec sleep 30`,
	failedFate: `echo x >> "$FILE"; sh -c 'kill -TERM $$'`, // ends with 143, as a program does whose child was killed
	partFate:   `echo x >> "$FILE"; printf '{"paid":'`,
	wonFate:    `echo x >> "$FILE"; echo '{"paid": true}'`,
}

// outward is a way to call the world: how its agent is written down, and how often it has taken effect.
type outward struct {
	agent string // without its braces, and without at_most_once
	calls func() int
}

// limit is the time of a call, in seconds: that of a silent one is over soon, though not before the call was received.
func (f fate) limit() int {
	if f == silentFate {
		return 2
	}
	return 60
}

func outwards(t *testing.T, kind string, f fate) outward {
	t.Helper()
	switch kind {
	case "http":
		g := newTarget(t, f)
		return outward{agent: fmt.Sprintf("kind: http, url: %q, timeout_seconds: %d", g.url, f.limit()), calls: g.count}
	case "http get":
		g := newTarget(t, f)
		return outward{agent: fmt.Sprintf("kind: http, method: GET, url: %q, timeout_seconds: %d", g.url, f.limit()), calls: g.count}
	case "mcp":
		g := newToolTarget(t, f)
		return outward{agent: fmt.Sprintf("kind: mcp, server: {url: %q}, tool: pay, timeout_seconds: %d", g.url, f.limit()), calls: g.count}
	}
	file := filepath.Join(t.TempDir(), "calls")
	counted := func() int { return lines(t, map[string]string{"x": file})()["x"] }
	command := `["./not-there"]`
	if f != refusedFate {
		command = fmt.Sprintf(`[sh, -c, %q]`, scripts[f])
	}
	return outward{agent: fmt.Sprintf("kind: exec, command: %s, env: {FILE: %q}, timeout_seconds: %d", command, file, f.limit()), calls: counted}
}

// withoutLimit is an agent that has time enough.
func withoutLimit(agent string) string {
	before, _, _ := strings.Cut(agent, ", timeout_seconds")
	return before
}

func (g *target) count() int { return int(g.calls.Load()) }

const inputSchema = `description: Pays, input: {type: object, properties: {n: {type: integer}}}`

// surroundings are from where an agent is called: a node, a nested recipe, a list, a model.
var surroundings = map[string]map[string]string{
	"node": {"recipe.yaml": `
agents: {pay: {AGENT}}
entry_point: pay
nodes: [{type: agent, id: pay, agent_ref: pay, max_retries: 2, outputs_map: {got: "."}}]
`},
	"recipe": {"recipe.yaml": `
agents: {inner: {kind: recipe, file: inner.yaml}}
entry_point: pay
nodes: [{type: agent, id: pay, agent_ref: inner, max_retries: 2, outputs_map: {got: "."}}]
`, "inner.yaml": `
agents: {pay: {AGENT}}
entry_point: pay
nodes: [{type: agent, id: pay, agent_ref: pay, max_retries: 2, outputs_map: {got: "."}}]
`},
	"list": {"recipe.yaml": `
interface: {inputs: {list: {type: array, default: [1]}}}
agents: {pay: {AGENT}}
entry_point: pay
nodes: [{type: agent, id: pay, agent_ref: pay, for_each: list, max_retries: 2, inputs_map: {n: item}, outputs_map: {got: results}}]
`},
}

// A call of an agent with at_most_once that may have happened is not made again, whatever retries there are: not by the
// agent, not around it. One that cannot have happened is a failure like any other, and tried again.
func TestJ5_CallsWithAnUnknownOutcomeAreNotRepeated(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"http", "http get", "mcp", "exec"} {
		for place, files := range surroundings {
			for _, f := range []fate{refusedFate, cutFate, silentFate, failedFate, partFate, wonFate} {
				t.Run(kind+"/"+place+"/"+string(f), func(t *testing.T) {
					t.Parallel()
					way := outwards(t, kind, f)
					res := job{}.with(t, fermata.Options{}, loadWith(t, files, way.agent+", at_most_once: true", nil))
					wantCalls, wantUnknown := 1, f != wonFate
					if f == refusedFate {
						wantCalls, wantUnknown = 0, false
					}
					if calls := way.calls(); calls != wantCalls {
						t.Errorf("it was called %d times, expected %d: %s %v", calls, wantCalls, res.Status, res.Err)
					}
					if unknown := errors.Is(res.Err, node.ErrOutcomeUnknown); unknown != wantUnknown {
						t.Errorf("the outcome is unknown: %v, expected %v: %s %v", unknown, wantUnknown, res.Status, res.Err)
					}
					if wantUnknown && strings.Count(res.Err.Error(), node.ErrOutcomeUnknown.Error()) != 1 {
						t.Errorf("expected it to be said once: %v", res.Err)
					}
				})
			}
		}
	}
}

func loadWith(t *testing.T, files map[string]string, agent string, more map[string]string) *recipe.Recipe {
	t.Helper()
	all := make(map[string]string)
	for name, text := range files {
		all[name] = strings.ReplaceAll(text, "AGENT", agent)
	}
	maps.Copy(all, more)
	r, err := loadIn(t, recipe.Options{Env: func(string) (string, bool) { return "", false }}, all)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Without at_most_once a call whose outcome was lost is made again: it has an idempotency key.
func TestJ5_CallsThatMayBeRepeatedAre(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"http", "mcp", "exec"} {
		for _, f := range []fate{cutFate, silentFate} {
			t.Run(kind+"/"+string(f), func(t *testing.T) {
				t.Parallel()
				way := outwards(t, kind, f)
				res := job{}.with(t, fermata.Options{}, loadWith(t, surroundings["node"], way.agent, nil))
				if calls := way.calls(); calls != 3 || errors.Is(res.Err, node.ErrOutcomeUnknown) {
					t.Errorf("it was called %d times, expected 3: %s %v", calls, res.Status, res.Err)
				}
			})
		}
	}
}

const modelDesk = `
agents:
  pay: {AGENT}
  write: {kind: model, model: "scripted:replies.yaml", prompt: "Pay", tools: ["TOOL"]INTERRUPT}
interface: {outputs: {write: {type: string}}}
entry_point: write
nodes: [{type: agent, id: write, agent_ref: write, max_retries: 2}]
`

// A model is not told that a call has failed which may have happened: a person is asked, where the reasoning may reach
// one, and else it ends. A call that cannot have happened is told as a failure.
func TestJ5_ModelsAreNotToldOfUnknownOutcomes(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"http", "mcp", "exec"} {
		for _, people := range []bool{true, false} {
			for _, f := range []fate{refusedFate, cutFate, silentFate, failedFate, partFate} {
				t.Run(fmt.Sprint(kind, "/people ", people, "/", f), func(t *testing.T) {
					t.Parallel()
					if kind == "mcp" && f == refusedFate {
						t.Skip("which tools there are is not known then")
					}
					way := outwards(t, kind, f)
					tool, called := "agent:pay", "pay"
					agent := way.agent + ", at_most_once: true, " + inputSchema
					if kind == "mcp" {
						tool, called, agent = "mcp:pay/pay", "pay_pay", way.agent+", at_most_once: true"
					}
					asks := ""
					if people {
						asks = ", interrupt: {}"
					}
					text := strings.NewReplacer("TOOL", tool, "INTERRUPT", asks).Replace(modelDesk)
					r := loadWith(t, map[string]string{"recipe.yaml": text}, agent, map[string]string{
						"replies.yaml": fmt.Sprintf("turns: [{calls: [{tool: %s, arguments: {n: 1}}]}, \"Done.\"]", called),
					})
					res := job{}.with(t, withScripts(), r)
					switch calls := way.calls(); {
					case f == refusedFate:
						want(t, res, `{"write": "Done."}`)
					case calls != 1:
						t.Errorf("it was called %d times, expected 1: %s %v", calls, res.Status, res.Err)
					case people && (len(res.Interrupts) != 1 || res.Interrupts[0].Kind != node.KindOutcome):
						t.Errorf("expected the question what came of it, found %s with %+v: %v", res.Status, res.Interrupts, res.Err)
					case !people && !errors.Is(res.Err, node.ErrOutcomeUnknown):
						t.Errorf("expected an unknown outcome, found %s: %v", res.Status, res.Err)
					case !people && strings.Count(res.Err.Error(), node.ErrOutcomeUnknown.Error()) != 1:
						t.Errorf("expected it to be said once: %v", res.Err)
					}
				})
			}
		}
	}
}

// The engine dies at every append: a call that must not happen twice has not, whoever made it.
func TestJ5_CrashesInCallsThatMustNotHappenTwice(t *testing.T) {
	for _, kind := range []string{"http", "mcp", "exec"} {
		for place, files := range surroundings {
			t.Run(kind+"/"+place, func(t *testing.T) {
				t.Parallel()
				way := outwards(t, kind, wonFate)
				r := loadWith(t, files, withoutLimit(way.agent)+", at_most_once: true", nil)
				report := fermatatest.Crash(t, r.Plan(), input(t, r, nil), fermatatest.OnlyOnce("calls"),
					fermatatest.Effects(func() map[string]int { return map[string]int{"calls": way.calls()} }))
				if report.Result.Status != fermata.Completed || report.Crashes < 6 {
					t.Errorf("%s after %d crashes: %v", report.Result.Status, report.Crashes, report.Result.Err)
				}
			})
		}
	}
}

// A node that runs out of time in the middle of a call that must not happen twice says that its outcome is unknown, and
// so does one that panics there. A Go function is no exception.
func TestJ5_TheNodesTimeIsUpInACall(t *testing.T) {
	var calls atomic.Int32
	pay := func(ctx node.Context, args map[string]any) (any, error) {
		return node.Step(ctx, "pay", func(ctx node.Context) (any, error) {
			calls.Add(1)
			if args["panics"] == true {
				panic("no")
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}, node.AtMostOnce())
	}
	for name, inputs := range map[string]map[string]any{"time": {"panics": false}, "panic": {"panics": true}} {
		for _, retries := range []int{0, 2} {
			t.Run(fmt.Sprint(name, "/", retries), func(t *testing.T) {
				calls.Store(0)
				j := job{inputs: inputs, text: fmt.Sprintf(`
interface: {inputs: {panics: {type: boolean}}}
entry_point: pay
nodes: [{type: agent, id: pay, agent_ref: pay, timeout_seconds: 0.2, max_retries: %d}]
`, retries), opts: recipe.Options{Library: &recipe.Library{Agents: map[string]recipe.AgentFunc{"pay": pay}}}}
				res, _ := j.run(t)
				if !errors.Is(res.Err, node.ErrOutcomeUnknown) || calls.Load() != 1 {
					t.Errorf("%d calls, and %s: %v", calls.Load(), res.Status, res.Err)
				}
			})
		}
	}
}

// net/http repeats a request with an idempotency key by itself when a connection breaks that it has used before.
func TestJ5_RequestsAreNotRepeatedBelow(t *testing.T) {
	for _, once := range []bool{true, false} {
		t.Run(fmt.Sprint("at most once ", once), func(t *testing.T) {
			var calls atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.ReadAll(r.Body)
				if calls.Add(1) == 1 {
					_, _ = io.WriteString(w, "well")
					return
				}
				if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
					_ = conn.Close()
				}
			}))
			defer server.Close()
			res, _ := job{text: fmt.Sprintf(`
agents: {pay: {kind: http, url: %q, at_most_once: %v}}
entry_point: first
nodes:
  - {type: agent, id: first, agent_ref: pay}
  - {type: agent, id: second, agent_ref: pay}
edges: [{source: first, target: second}]
`, server.URL, once)}.run(t)
			if errors.Is(res.Err, node.ErrOutcomeUnknown) != once || once && calls.Load() != 2 {
				t.Errorf("%d calls, and %s: %v", calls.Load(), res.Status, res.Err)
			}
		})
	}
}

// The way of a recipe for an unknown outcome is its edge for failures: a person, who is told that it is one.
func TestJ5_AnEdgeForUnknownOutcomes(t *testing.T) {
	way := outwards(t, "http", cutFate)
	dir := t.TempDir()
	text := strings.ReplaceAll(`
agents: {pay: {AGENT, at_most_once: true}}
entry_point: pay
nodes:
  - {type: agent, id: pay, agent_ref: pay, max_retries: 2}
  - {type: human, id: ask, prompt: "Was it paid? {{ error.message }}", options: ["yes", "no"]}
edges: [{source: pay, target: ask, condition: on_failure}]
`, "AGENT", way.agent)
	if err := os.WriteFile(filepath.Join(dir, "recipe.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	res := job{answers: map[string][]any{"ask": {"yes"}}}.with(t, fermata.Options{}, load(t, dir, recipe.Options{}))
	want(t, res, `{"ask": "yes"}`)
	if way.calls() != 1 {
		t.Errorf("%d calls", way.calls())
	}
}

// The connection to a server has a time of its own.
func TestServersHaveTimeToConnect(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r := loadWith(t, surroundings["node"], fmt.Sprintf("kind: mcp, server: {url: %q, timeout_seconds: 0.1}, tool: pay", "http://"+l.Addr().String()), nil)
	wantError(t, job{}.with(t, fermata.Options{}, r), "no answer within 100ms")
}
