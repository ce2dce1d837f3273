package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/server"
)

// order is what the graphs of these tests carry.
type order struct {
	Amount int    `json:"amount"`
	Buyer  string `json:"buyer,omitempty"`
	Paid   bool   `json:"paid,omitempty"`
}

// asks is a graph that asks whether an order is paid.
var asks = graph.New[order]("asks").Node("ask", func(ctx node.Context, o order) (order, error) {
	paid, err := node.Interrupt[bool](ctx, fmt.Sprintf("Is the order of %d paid?", o.Amount))
	o.Paid = paid
	return o, err
}).Edge(graph.Start, "ask").MustCompile()

// fails is a graph whose node fails until the world is mended.
func (w *world) fails() *graph.Graph[order] {
	return graph.New[order]("fails").Node("pay", func(_ node.Context, o order) (order, error) {
		if !w.mended {
			return o, errors.New("no funds")
		}
		o.Paid = true
		return o, nil
	}).Edge(graph.Start, "pay").MustCompile()
}

// world is a runtime behind the handler.
type world struct {
	rt     *fermata.Runtime
	api    *api.Handler
	http   *httptest.Server
	mended bool // read by a node, after a request has returned
}

func newWorld(t *testing.T, o api.Options) *world {
	t.Helper()
	w := new(world)
	var err error
	if o.Journals == nil {
		o.Journals = memory.New()
	}
	if w.rt, err = fermata.New(fermata.Options{Store: o.Journals}); err != nil {
		t.Fatal(err)
	}
	o.Definitions = append(o.Definitions, api.Definition{Plan: asks.Plan()}, api.Definition{Plan: w.fails().Plan(), Name: "failing"})
	if w.api, err = api.New(w.rt, o); err != nil {
		t.Fatal(err)
	}
	w.http = httptest.NewServer(w.api)
	t.Cleanup(func() {
		if err := w.rt.Close(); err != nil {
			t.Error(err)
		}
		w.http.Close()
	})
	return w
}

// reply is an answer to a request.
type reply struct {
	status int
	header http.Header
	body   string
}

func (w *world) request(t *testing.T, method, path, body string, header ...string) reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, w.http.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	res, err := w.http.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, strings.TrimSpace(string(data))}
}

// refuses checks a problem document.
func (r reply) refuses(t *testing.T, status int, detail string) api.Problem {
	t.Helper()
	var p api.Problem
	if err := json.Unmarshal([]byte(r.body), &p); err != nil {
		t.Fatalf("%d %s: %v", r.status, r.body, err)
	}
	if r.status != status || p.Status != status || p.Code == "" || p.Title != http.StatusText(status) || !strings.Contains(p.Detail, detail) {
		t.Errorf("got %d %s, want %d with %q", r.status, r.body, status, detail)
	}
	if kind := r.header.Get("Content-Type"); kind != "application/problem+json" {
		t.Errorf("Content-Type %q", kind)
	}
	return p
}

// started checks the answer to a start, and returns the run.
func (r reply) started(t *testing.T, status int) string {
	t.Helper()
	var body struct{ Run, Definition, Plan, Status string }
	if err := json.Unmarshal([]byte(r.body), &body); err != nil || r.status != status || body.Run == "" {
		t.Fatalf("got %d %s (%v), want %d", r.status, r.body, err, status)
	}
	if at := r.header.Get("Location"); at != "/api/runs/"+body.Run {
		t.Errorf("Location %q", at)
	}
	return body.Run
}

// stands waits until a run has a status.
func (w *world) stands(t *testing.T, run string, want fermata.Status) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		info, err := w.rt.Info(t.Context(), run)
		if err == nil && info.Status == string(want) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("run %s: %q (%v), want %q", run, info.Status, err, want)
		}
	}
}

func TestARunIsStartedAnsweredAndEnds(t *testing.T) {
	w := newWorld(t, api.Options{})
	run := w.request(t, "POST", "/api/runs", `{"definition":"asks","input":{"amount":7},"labels":{"team":"red"},"by":"Ada"}`).started(t, 201)
	w.stands(t, run, fermata.Paused)
	var list struct {
		Interrupts []struct{ RequestID, Run string }
	}
	inbox := w.request(t, "GET", "/api/interrupts", "")
	if err := json.Unmarshal([]byte(inbox.body), &list); err != nil || len(list.Interrupts) != 1 || list.Interrupts[0].Run != run {
		t.Fatalf("%s (%v)", inbox.body, err)
	}
	at := "/api/interrupts/" + list.Interrupts[0].RequestID + "/answer"
	p := w.request(t, "POST", at, `{"value":"perhaps"}`).refuses(t, 422, "")
	if len(p.Problems) == 0 || p.Code != fermata.CodeInvalid {
		t.Errorf("%+v", p)
	}
	if r := w.request(t, "POST", at, `{"value":true}`); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
	w.stands(t, run, fermata.Completed)
	if r := w.request(t, "GET", "/api/runs/"+run, ""); !strings.Contains(r.body, `"outputs":{"amount":7,"paid":true}`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := w.request(t, "GET", "/api/runs?label=team:red", ""); !strings.Contains(r.body, run) {
		t.Errorf("%d %s", r.status, r.body)
	}
	w.request(t, "POST", "/api/runs/"+run+"/cancel", "").refuses(t, 409, "")
	w.request(t, "POST", "/api/runs/"+run+"/retry", "").refuses(t, 409, "is completed; expected one that is failed, expired or blocked")
}

func TestAStartTakesItsOptions(t *testing.T) {
	w := newWorld(t, api.Options{Queued: true})
	run := w.request(t, "POST", "/api/runs", `{"definition":"asks","input":{"amount":1},"id":"order-7","priority":5,"notBefore":"2999-01-01T00:00:00Z",
		"queue":"gpu","dedup":"customer-7","until":"2999-02-01T00:00:00Z"}`).started(t, 201)
	info, err := w.rt.Info(t.Context(), run)
	if err != nil || run != "order-7" || info.Priority != 5 || info.Queue != "gpu" || info.NotBefore == 0 || info.Status != string(fermata.Running) {
		t.Errorf("%+v (%v)", info, err)
	}
	w.request(t, "POST", "/api/runs", `{"definition":"asks","input":{"amount":1},"id":"order-7"}`).refuses(t, 409, "order-7")
	p := w.request(t, "POST", "/api/runs", `{"definition":"asks","input":{"amount":1},"dedup":"customer-7"}`).refuses(t, 409, "customer-7")
	if p.Run != run {
		t.Errorf("%+v", p)
	}
	w.request(t, "POST", "/api/runs", `{"definition":"asks","input":{"amount":1},"labels":{"A b":"x"}}`).refuses(t, 422, "A b")
	for range 2 { // a second cancellation is no other
		if r := w.request(t, "POST", "/api/runs/"+run+"/cancel", `{"reason":"ordered twice","by":"Ada"}`); r.status != 200 || !strings.Contains(r.body, `"cancelled"`) {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
}

// A run is held and released over HTTP, is held at its breakpoints, and says so.
func TestJ18_ARunIsHeldOverHTTP(t *testing.T) {
	w := newWorld(t, api.Options{})
	run := w.request(t, "POST", "/api/runs", `{"definition":"asks","input":{"amount":1}}`).started(t, 201)
	w.stands(t, run, fermata.Paused)
	for range 2 { // a second hold is no other
		if r := w.request(t, "POST", "/api/runs/"+run+"/hold", `{"note":"a look","by":"Ada"}`); r.status != 200 || !strings.Contains(r.body, `"paused"`) {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	if r := w.request(t, "GET", "/api/runs/"+run, ""); !strings.Contains(r.body, `"hold":{"by":"Ada","note":"a look","since":"`) {
		t.Error(r.body)
	}
	for range 2 {
		if r := w.request(t, "POST", "/api/runs/"+run+"/release", ""); r.status != 200 {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	if r := w.request(t, "GET", "/api/runs/"+run, ""); strings.Contains(r.body, `"hold"`) {
		t.Error(r.body)
	}
	w.request(t, "POST", "/api/runs/"+run+"/cancel", "")
	w.request(t, "POST", "/api/runs/"+run+"/hold", "").refuses(t, 409, "the run is cancelled already")
	w.request(t, "POST", "/api/runs", `{"definition":"asks","input":{"amount":1},"breakBefore":["nowhere"]}`).refuses(t, 422, "nowhere")
}

func TestARunIsRetried(t *testing.T) {
	w := newWorld(t, api.Options{})
	run := w.request(t, "POST", "/api/runs", `{"definition":"failing","input":{"amount":1}}`).started(t, 201)
	w.stands(t, run, fermata.Failed)
	w.mended = true
	if r := w.request(t, "POST", "/api/runs/"+run+"/retry", "{}"); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
	w.stands(t, run, fermata.Completed)
}

// TestF9_ARetryOverHTTPTakesADeadline checks that a run that has expired is retried with a new deadline, and with nothing else.
func TestF9_ARetryOverHTTPTakesADeadline(t *testing.T) {
	w := newWorld(t, api.Options{})
	soon := time.Now().Add(50 * time.Millisecond).Format(time.RFC3339Nano)
	run := w.request(t, "POST", "/api/runs", `{"definition":"asks","input":{"amount":1},"until":"`+soon+`"}`).started(t, 201)
	w.stands(t, run, fermata.Expired)
	w.request(t, "POST", "/api/runs/"+run+"/retry", "{}").refuses(t, 410, "deadline passed")
	w.request(t, "POST", "/api/runs/"+run+"/retry", `{"deadline":"tomorrow"}`).refuses(t, 400, `found "tomorrow"`)
	w.request(t, "POST", "/api/runs/"+run+"/retry", `{"deadline":"2020-01-01T00:00:00Z"}`).refuses(t, 422, "2020-01-01")
	w.request(t, "POST", "/api/runs/"+run+"/retry", `{"deadline":"-2h"}`).refuses(t, 422, "deadline")
	if r := w.request(t, "POST", "/api/runs/"+run+"/retry", `{"deadline":"2h"}`); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
	w.stands(t, run, fermata.Paused)
}

func TestAServerWithoutWorkersRetriesNothing(t *testing.T) {
	w := newWorld(t, api.Options{Server: server.Options{Hold: true}})
	run := w.request(t, "POST", "/api/runs", `{"definition":"failing","input":{"amount":1}}`).started(t, 201)
	w.stands(t, run, fermata.Failed)
	w.request(t, "POST", "/api/runs/"+run+"/retry", "{}").refuses(t, 409, "executes no runs")
}

func TestOneKeyStartsOneRun(t *testing.T) {
	w := newWorld(t, api.Options{})
	const body = `{"definition":"asks","input":{"amount":7},"dedup":"d"}`
	replies := make([]reply, 8)
	var all sync.WaitGroup
	for i := range replies {
		all.Go(func() { replies[i] = w.request(t, "POST", "/api/runs", body, "Idempotency-Key", "k1") })
	}
	all.Wait()
	created := 0
	for _, r := range replies {
		status := 200
		if r.status == 201 {
			status, created = 201, created+1
		}
		if run := r.started(t, status); run != api.RunID("", "k1") {
			t.Errorf("run %s", run)
		}
		if again := r.header.Get("Idempotency-Replayed"); (again == "true") == (r.status == 201) {
			t.Errorf("%d with Idempotency-Replayed %q", r.status, again)
		}
	}
	if created != 1 {
		t.Errorf("%d requests have created the run, want 1", created)
	}
	if page, err := w.rt.FindRuns(t.Context(), journal.RunQuery{}); err != nil || len(page.Runs) != 1 {
		t.Errorf("%d runs (%v), want 1", len(page.Runs), err)
	}
	w.request(t, "POST", "/api/runs", `{"definition":"asks","input":{"amount":8}}`, "Idempotency-Key", "k1").refuses(t, 422, "with another input")
	w.request(t, "POST", "/api/runs", `{"definition":"failing","input":{"amount":7}}`, "Idempotency-Key", "k1").refuses(t, 422, "with another definition, asks")
	w.request(t, "POST", "/api/runs", `{"definition":"asks","id":"x","input":{"amount":7}}`, "Idempotency-Key", "k1").refuses(t, 400, "found both")
	w.request(t, "POST", "/api/runs", body, "Idempotency-Key", strings.Repeat("k", 201)).refuses(t, 400, "at most 200")
	if other := w.request(t, "POST", "/api/runs", `{"definition":"asks","input":{"amount":7}}`, "Idempotency-Key", "k2").started(t, 201); other == api.RunID("", "k1") {
		t.Error("two keys have one run")
	}
}

func TestRequestsThatAreRefused(t *testing.T) {
	w := newWorld(t, api.Options{MaxBody: 200})
	for name, c := range map[string]struct {
		method, path, body string
		header             []string
		status             int
		detail             string
	}{
		"no JSON":                {"POST", "/api/runs", `{"definition"`, nil, 400, "found no JSON"},
		"no body":                {"POST", "/api/runs", ``, nil, 400, "expected a body of the form"},
		"no object":              {"POST", "/api/runs", `[]`, nil, 400, "expected an object"},
		"no definition":          {"POST", "/api/runs", `{}`, nil, 400, "/definition: required"},
		"unknown member":         {"POST", "/api/runs", `{"definition":"asks","inptu":{}}`, nil, 400, `did you mean "input"?`},
		"wrong type":             {"POST", "/api/runs", `{"definition":"asks","priority":"high"}`, nil, 400, "/priority: expected an integer"},
		"no time":                {"POST", "/api/runs", `{"definition":"asks","notBefore":"tomorrow"}`, nil, 400, "/notBefore"},
		"unknown definition":     {"POST", "/api/runs", `{"definition":"askz"}`, nil, 404, `there is no definition "askz"; did you mean "asks"?`},
		"input":                  {"POST", "/api/runs", `{"definition":"asks","input":{"amount":"much"}}`, nil, 422, "the input does not fit asks: order"},
		"large":                  {"POST", "/api/runs", `{"definition":"asks","by":"` + strings.Repeat("x", 200) + `"}`, nil, 413, "larger than 200 bytes"},
		"form":                   {"POST", "/api/runs", `definition=asks`, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "application/json"},
		"host":                   {"GET", "/api/runs", ``, []string{"Host", "evil.example"}, 403, "evil.example"},
		"origin":                 {"POST", "/api/runs", `{}`, []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, 403, "evil.example"},
		"origin of an answer":    {"POST", "/api/interrupts/x/answer", `{}`, []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, 403, "evil.example"},
		"no such page":           {"GET", "/api/definition", ``, nil, 404, "there is no GET /api/definition"},
		"method":                 {"DELETE", "/api/runs/x", ``, nil, 405, "expected GET, HEAD"},
		"method of two handlers": {"DELETE", "/api/runs", ``, nil, 405, "expected GET, HEAD, POST"},
		"no such run":            {"GET", "/api/runs/x", ``, nil, 404, ""},
		"no such run to cancel":  {"POST", "/api/runs/x/cancel", `{}`, nil, 404, `there is no run "x"`},
		"no such run to retry":   {"POST", "/api/runs/x/retry", ``, nil, 404, `there is no run "x"`},
		"cancel, unknown member": {"POST", "/api/runs/x/cancel", `{"reasn":""}`, nil, 400, `did you mean "reason"?`},
		"retry, no JSON":         {"POST", "/api/runs/x/retry", `{`, nil, 400, "found no JSON"},
		"no such definition":     {"GET", "/api/definitions/faling", ``, nil, 404, `did you mean "failing"?`},
		"no such drawing":        {"GET", "/api/definitions/x/graph.svg", ``, nil, 404, `there is no definition "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			w.request(t, c.method, c.path, c.body, c.header...).refuses(t, c.status, c.detail)
		})
	}
	if page, err := w.rt.FindRuns(t.Context(), journal.RunQuery{}); err != nil || len(page.Runs) != 0 {
		t.Errorf("%d runs were started (%v)", len(page.Runs), err)
	}
}

func TestDefinitionsAreShown(t *testing.T) {
	w := newWorld(t, api.Options{})
	list := w.request(t, "GET", "/api/definitions", "")
	if want := `{"definitions":[{"name":"asks","kind":"graph"},{"name":"failing","kind":"graph"}]}`; list.body != want {
		t.Errorf("got %s, want %s", list.body, want)
	}
	var shown struct {
		Name, Fingerprint, SVG string
		Inputs                 bool
		Outputs                struct{ Required []string }
	}
	one := w.request(t, "GET", "/api/definitions/asks", "")
	if err := json.Unmarshal([]byte(one.body), &shown); err != nil || !shown.Inputs || !slices.Equal(shown.Outputs.Required, []string{"amount"}) ||
		!strings.HasPrefix(shown.SVG, "<svg") || shown.Fingerprint != asks.Plan().Fingerprint() {
		t.Errorf("%s (%v)", one.body, err)
	}
	svg := w.request(t, "GET", "/api/definitions/asks/graph.svg", "")
	if svg.header.Get("Content-Type") != "image/svg+xml" || svg.body != strings.TrimSpace(asks.Plan().SVG()) {
		t.Errorf("%v %s", svg.header, svg.body)
	}
}

func TestDefinitionsThatCannotBeServed(t *testing.T) {
	for want, list := range map[string][]api.Definition{
		"has no Plan":           {{Name: "x"}},
		`two definitions`:       {{Plan: asks.Plan()}, {Plan: asks.Plan()}},
		"Kind and Source":       {{Plan: asks.Plan(), Kind: "graph"}},
		`origin "nonsense"`:     nil,
		"expected a plain name": {{Plan: asks.Plan(), Name: "a/b"}},
	} {
		o := api.Options{Definitions: list}
		if list == nil {
			o.Server.Origins = []string{"nonsense"}
		}
		if _, err := api.New(nil, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestH8_WhoMayStartIsDecidedFirst(t *testing.T) {
	may := func(who string) func(identity.Right, string) bool {
		return func(right identity.Right, plan string) bool {
			if plan == "fails" && right == identity.Start {
				panic("no rule")
			}
			return who != "guest" || right == identity.View
		}
	}
	people := map[string]server.Person{
		"clerk":  {ID: "clerk", May: may("clerk")},
		"guest":  {ID: "guest", May: may("guest")},
		"plain":  {ID: "plain"},
		"reader": {ID: "reader", May: may("reader"), Reads: func(fermata.RunInfo, *journal.Interrupt) bool { return false }},
	}
	w := newWorld(t, api.Options{
		Server: server.Options{Authorize: func(r *http.Request) (server.Person, error) {
			who := r.Header.Get("X-User")
			if p, ok := people[who]; ok {
				return p, nil
			}
			if who == "banned" {
				return server.Person{}, fermata.ErrForbidden
			}
			return server.Person{}, errors.New("unknown")
		}},
	})
	const body = `{"definition":"asks","input":{"amount":1}}`
	w.request(t, "POST", "/api/runs", body).refuses(t, 401, "who asks is not known")
	w.request(t, "GET", "/api/definitions", "").refuses(t, 401, "who asks is not known")
	w.request(t, "GET", "/api/runs", "").refuses(t, 401, "who asks is not known")
	w.request(t, "POST", "/api/runs", body, "X-User", "banned").refuses(t, 403, "not allowed")
	w.request(t, "POST", "/api/runs", body, "X-User", "guest").refuses(t, 403, "not allowed")
	w.request(t, "POST", "/api/runs", body, "X-User", "plain").refuses(t, 403, "not allowed")
	w.request(t, "POST", "/api/runs", `{"definition":"failing"}`, "X-User", "clerk").refuses(t, 403, "not allowed")
	run := w.request(t, "POST", "/api/runs", body, "X-User", "clerk", "Idempotency-Key", "k").started(t, 201)
	if run != api.RunID("clerk", "k") || run == api.RunID("", "k") {
		t.Errorf("run %s", run)
	}
	w.request(t, "POST", "/api/runs/"+run+"/cancel", "", "X-User", "guest").refuses(t, 403, "not allowed")
	w.request(t, "POST", "/api/runs/"+run+"/cancel", "", "X-User", "reader").refuses(t, 404, "there is no run")
	w.request(t, "POST", "/api/runs/"+run+"/retry", "", "X-User", "reader").refuses(t, 404, "there is no run")
	if r := w.request(t, "POST", "/api/runs/"+run+"/cancel", "", "X-User", "clerk"); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestAReadOnlyServerChangesNothing(t *testing.T) {
	w := newWorld(t, api.Options{ReadOnly: true})
	for _, path := range []string{"/api/runs", "/api/runs/x/cancel", "/api/runs/x/retry", "/api/runs/x/messages/m", "/api/interrupts/x/answer", "/api/interrupts/x/claim"} {
		w.request(t, "POST", path, `{"definition":"asks"}`).refuses(t, 403, "read-only")
	}
	w.request(t, "GET", "/api/dialogues/d/conversations/c/socket", "", "Upgrade", "websocket", "Connection", "Upgrade").refuses(t, 403, "read-only")
	for _, path := range []string{"/api/runs", "/api/definitions", "/api/interrupts", "/healthz", "/readyz"} {
		if r := w.request(t, "GET", path, ""); r.status != 200 {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
}

func TestADialogueIsMounted(t *testing.T) {
	talks := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) })
	w := newWorld(t, api.Options{Definitions: []api.Definition{{Plan: asks.Plan(), Name: "bank", Talks: talks}}})
	if r := w.request(t, "POST", "/api/dialogues/bank/conversations", "{}"); r.body != "/conversations" {
		t.Errorf("%d %s", r.status, r.body)
	}
	w.request(t, "POST", "/api/runs", `{"definition":"bank","input":{"amount":1}}`).refuses(t, 422, "POST /api/dialogues/bank/conversations")
	w.request(t, "GET", "/api/dialogues/asks/conversations", "").refuses(t, 404, "there is no GET")
	if err := w.api.Replace([]api.Definition{{Plan: asks.Plan(), Name: "büro", Talks: talks}}); err != nil {
		t.Fatal(err)
	}
	var list struct {
		Definitions []struct{ Conversations string }
	}
	w.get(t, "/api/definitions", &list)
	if r := w.request(t, "POST", list.Definitions[0].Conversations, "{}"); r.body != "/conversations" {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// A definition that panics is an internal error of its request, told to the log alone (law N7).
func TestN7_APanicIsAProblem(t *testing.T) {
	w := newWorld(t, api.Options{Definitions: []api.Definition{{
		Plan: asks.Plan(), Name: "panics", Input: func(json.RawMessage) (any, error) { panic("secret") },
	}}})
	r := w.request(t, "POST", "/api/runs", `{"definition":"panics"}`)
	if p := r.refuses(t, 500, "an internal error"); p.Code != fermata.CodeInternal || strings.Contains(r.body, "secret") {
		t.Errorf("%s", r.body)
	}
}

// Requests are served while definitions are replaced: each finds those of one moment, and a run keeps its plan.
func TestW3_NoRequestFailsWhileDefinitionsAreReplaced(t *testing.T) {
	w := newWorld(t, api.Options{})
	run, question := w.paused(t)
	sets := [][]api.Definition{
		{{Plan: asks.Plan()}, {Plan: asks.Plan(), Name: "one"}},
		{{Plan: w.fails().Plan(), Name: "failing"}, {Plan: asks.Plan()}},
	}
	stop, replaced := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				replaced <- nil
				return
			default:
			}
			if err := w.api.Replace(sets[i%2], api.Fault{File: "x.yaml", Problems: []api.FaultProblem{{File: "x.yaml", Line: i + 1, Message: "wrong"}}}); err != nil {
				replaced <- err
				return
			}
		}
	}()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for j := range 25 {
				for _, path := range []string{"/api/definitions", "/api/definitions/asks", "/api/definitions/asks/graph.svg", "/api/runs/" + run + "/graph.svg"} {
					if r := w.request(t, "GET", path, ""); r.status != 200 {
						t.Errorf("%s: %d %s", path, r.status, r.body)
					}
				}
				if r := w.request(t, "POST", "/api/runs", `{"definition":"asks","input":{"amount":1}}`, "Idempotency-Key", fmt.Sprint(i, " ", j)); r.status != 201 {
					t.Errorf("%d %s", r.status, r.body)
				}
			}
		})
	}
	all.Wait()
	close(stop)
	if err := <-replaced; err != nil {
		t.Error(err)
	}
	if err := w.api.Replace([]api.Definition{{Plan: asks.Plan()}, {Plan: asks.Plan()}}); err == nil || !strings.Contains(err.Error(), `two definitions are called "asks"`) {
		t.Errorf("%v", err)
	}
	if r := w.request(t, "GET", "/api/definitions/asks", ""); r.status != 200 {
		t.Errorf("a set that is refused has replaced another: %d %s", r.status, r.body)
	}
	if err := w.api.Replace(nil, api.Fault{File: "asks.yaml", Problems: []api.FaultProblem{{File: "asks.yaml", Line: 3, Message: "wrong"}}}); err != nil {
		t.Fatal(err)
	}
	if r := w.request(t, "GET", "/api/definitions", ""); r.body != `{"definitions":[],"faults":[{"file":"asks.yaml","problems":[{"file":"asks.yaml","line":3,"message":"wrong"}]}]}` {
		t.Errorf("%s", r.body)
	}
	w.request(t, "POST", "/api/runs", `{"definition":"asks"}`).refuses(t, 404, "there is no definition")
	if r := w.request(t, "POST", "/api/interrupts/"+question+"/answer", `{"value":true}`); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
	w.stands(t, run, fermata.Completed)
}

func TestWhetherItIsReady(t *testing.T) {
	var why error
	w := newWorld(t, api.Options{Ready: func() error { return why }})
	if r := w.request(t, "GET", "/readyz", ""); r.status != 200 || r.body != `{"status":"ok"}` {
		t.Errorf("%d %s", r.status, r.body)
	}
	why = errors.New("the server is shutting down")
	w.request(t, "GET", "/readyz", "").refuses(t, 503, "the server is shutting down")
	if r := w.request(t, "GET", "/healthz", ""); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestAStoreThatFailsIsNotReady(t *testing.T) {
	store := &failing{Store: memory.New()}
	rt := fermata.MustNew(fermata.Options{Store: store})
	defer func() { _ = rt.Close() }()
	handler, err := api.New(rt, api.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{rt: rt, http: httptest.NewServer(handler)}
	defer w.http.Close()
	store.failing = true
	w.request(t, "GET", "/readyz", "").refuses(t, 503, "the store does not answer")
}

// failing is a store that lists nothing.
type failing struct {
	journal.Store
	failing bool
}

func (s *failing) Runs(ctx context.Context, f journal.RunFilter) ([]journal.RunRow, error) {
	if s.failing {
		return nil, errors.New("password=sesame refused")
	}
	return s.Store.Runs(ctx, f)
}

// TestTheDocument compares the OpenAPI document with its golden file, and asks for each of its routes.
func TestTheDocument(t *testing.T) {
	w := newWorld(t, api.Options{})
	text := w.request(t, "GET", "/openapi.json", "")
	golden.JSON(t, "testdata/openapi.json", []byte(text.body))
	var document struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal([]byte(text.body), &document); err != nil {
		t.Fatal(err)
	}
	for _, route := range server.Routes() {
		method, path, _ := strings.Cut(route, " ")
		if document.Paths["/api"+path][strings.ToLower(method)] == nil {
			t.Errorf("the route %s of package server is not in the document", route)
		}
	}
	if strings.Contains(text.body, "/api/dialogues") {
		t.Error("the document has routes of conversations, and no dialogue is served")
	}
	names := strings.NewReplacer("{run}", "none", "{id}", "none", "{name}", "none", "/feed", "/feed?follow=false")
	for path, methods := range document.Paths {
		for method := range methods {
			r := w.request(t, strings.ToUpper(method), names.Replace(path), "")
			if r.status == 405 || strings.Contains(r.body, "/openapi.json lists") {
				t.Errorf("%s %s is in the document, and not served: %d %s", method, path, r.status, r.body)
			}
		}
	}
}
