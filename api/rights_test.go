package api_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/server"
)

// rights says for each route of the OpenAPI document which roles are served. A new route needs a row.
var rights = map[string]string{
	"GET /healthz":      "nobody viewer clerk operator author admin",
	"GET /readyz":       "nobody viewer clerk operator author admin",
	"GET /openapi.json": "nobody viewer clerk operator author admin",

	"GET /api/me":                           "viewer clerk operator author admin",
	"GET /api/definitions":                  "viewer operator author admin",
	"GET /api/definitions/{name}":           "viewer operator author admin",
	"GET /api/definitions/{name}/graph.svg": "viewer operator author admin",
	"GET /api/audit":                        "admin",
	"GET /api/schedules":                    "viewer operator author admin",

	"GET /api/feed":                 "viewer operator author admin",
	"GET /api/runs":                 "viewer operator author admin",
	"GET /api/runs/counts":          "viewer operator author admin",
	"GET /api/runs/{run}":           "viewer operator author admin",
	"GET /api/runs/{run}/events":    "viewer operator author admin",
	"GET /api/runs/{run}/state":     "viewer operator author admin",
	"GET /api/runs/{run}/graph.svg": "viewer operator author admin",
	"GET /api/runs/{run}/diff":      "viewer operator author admin",

	"POST /api/runs":                       "operator author admin",
	"GET /api/runs/{run}/export":           "operator author admin",
	"POST /api/runs/import":                "admin",
	"POST /api/runs/bulk":                  "operator author admin",
	"POST /api/runs/{run}/cancel":          "operator author admin",
	"POST /api/runs/{run}/hold":            "operator author admin",
	"POST /api/runs/{run}/release":         "operator author admin",
	"POST /api/runs/{run}/retry":           "operator author admin",
	"POST /api/runs/{run}/migrate":         "operator author admin",
	"POST /api/runs/{run}/fork":            "operator author admin",
	"POST /api/runs/{run}/messages/{name}": "operator author admin",

	"POST /api/schedules/{name}/fire":   "operator author admin",
	"POST /api/schedules/{name}/pause":  "operator author admin",
	"POST /api/schedules/{name}/resume": "operator author admin",

	"GET /api/interrupts":                "clerk operator author admin",
	"GET /api/interrupts/counts":         "clerk operator author admin",
	"POST /api/interrupts/{id}/answer":   "clerk operator author admin",
	"POST /api/interrupts/{id}/claim":    "clerk operator author admin",
	"POST /api/interrupts/{id}/release":  "clerk operator author admin",
	"POST /api/interrupts/{id}/reassign": "clerk operator author admin",
	"POST /api/interrupts/{id}/escalate": "clerk operator author admin",
}

// inRole authorises by a header with the name of a role and, behind a colon, the plans that it is for.
func inRole(r *http.Request) (server.Person, error) {
	name, plans, scoped := strings.Cut(r.Header.Get("X-Role"), ":")
	role, err := identity.RoleNamed(name)
	if err != nil {
		return server.Person{}, err
	}
	p := identity.Person{ID: "Ann", Role: name, Rights: role.Rights}
	if scoped {
		p.Plans = strings.Split(plans, ",")
	}
	return server.PersonOf(p), nil
}

// routes are those of the document, as "GET /api/runs".
func (w *world) routes(t *testing.T) []string {
	t.Helper()
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	w.get(t, "/openapi.json", &document)
	var all []string
	for path, methods := range document.Paths {
		for method := range methods {
			all = append(all, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(all)
	return all
}

// bodyOf is a good body for a route.
func bodyOf(route string) string {
	switch {
	case route == "POST /api/runs":
		return `{"definition":"asks","input":{"amount":1}}`
	case route == "POST /api/runs/bulk":
		return `{"do":"hold","filter":{"status":["blocked"]},"dryRun":true}`
	case strings.HasSuffix(route, "/answer"):
		return `{"value":true}`
	case strings.HasSuffix(route, "/reassign"):
		return `{"to":"Bob"}`
	case strings.HasSuffix(route, "/escalate"):
		return `{"toRole":"chief"}`
	case strings.HasPrefix(route, "POST"):
		return `{}`
	}
	return ""
}

// TestW5_EachRouteHasItsRoles asks for each route of the document in each role, by each way to log in: it is served to those of its row
// alone.
func TestW5_EachRouteHasItsRoles(t *testing.T) {
	roles := []string{"nobody"}
	for _, r := range identity.Roles() {
		roles = append(roles, r.Name)
	}
	for name, way := range ways(t) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, api.Options{Server: server.Options{Authorize: way.authorize}})
			all := w.routes(t)
			if diff := cmp.Diff(slices.Sorted(maps.Keys(rights)), all); diff != "" {
				t.Errorf("routes of the table, and of the document: who may use the new ones? (-table +document)\n%s", diff)
			}
			for _, route := range all {
				for _, role := range roles {
					w.servesRole(t, &way, route, role)
				}
			}
		})
	}
}

// servesRole asks for a route in a role.
func (w *world) servesRole(t *testing.T, way *way, route, role string) {
	t.Helper()
	method, path, _ := strings.Cut(route, " ")
	run, question := w.paused(t, way.as("admin")...)
	at := strings.NewReplacer("{run}", run, "{id}", question, "{name}", "asks").Replace(path)
	if strings.HasSuffix(at, "/events") || strings.HasSuffix(at, "/feed") {
		at += "?follow=false"
	}
	r := w.request(t, method, at, bodyOf(route), way.as(role)...)
	may := slices.Contains(strings.Fields(rights[route]), role)
	switch {
	case may && (r.status == 401 || r.status == 403):
		t.Errorf("%s for %s: %d %s", route, role, r.status, r.body)
	case !may && role == "nobody":
		p := r.refuses(t, 401, way.none)
		if p.Code != identity.CodeUnauthenticated || p.Login != way.login || r.header.Get("WWW-Authenticate") != `Bearer realm="fermata"` {
			t.Errorf("%s for %s: %+v %v", route, role, p, r.header)
		}
	case !may:
		if p := r.refuses(t, 403, "not allowed"); p.Code != fermata.CodeForbidden || r.header.Get("WWW-Authenticate") != "" {
			t.Errorf("%s for %s: %+v", route, role, p)
		}
	}
}

// secret is a graph of another plan, whose name and values nobody of another scope may see.
var secret = graph.New[order]("payroll").Node("ask", func(ctx node.Context, o order) (order, error) {
	paid, err := node.Interrupt[bool](ctx, "SECRETPROMPT")
	o.Paid = paid
	return o, err
}).Edge(graph.Start, "ask").MustCompile()

// TestW5_AnotherPlanIsHiddenOnEveryRoute asks for each route with what belongs to a plan beyond the scope: the answer is that to what never
// was, no list, count or hint has it, and nothing happens.
func TestW5_AnotherPlanIsHiddenOnEveryRoute(t *testing.T) {
	w := newWorld(t, api.Options{
		Definitions: []api.Definition{{Plan: secret.Plan(), Schedules: []api.Schedule{{Name: "payroll/monthly", Paused: true}}}},
		Server:      server.Options{Authorize: inRole},
	})
	if err := w.api.Replace(
		[]api.Definition{{Plan: asks.Plan()}, {Plan: secret.Plan(), Schedules: []api.Schedule{{Name: "payroll/monthly", Paused: true}}}},
		api.Fault{File: "recipes/payroll.yaml"}, api.Fault{File: "payroll/recipe.yaml"}, api.Fault{File: "x.yaml", Name: "payroll"}, api.Fault{File: "asks.yaml"},
	); err != nil {
		t.Fatal(err)
	}
	own, _ := w.paused(t, "X-Role", "admin")
	run := w.request(t, "POST", "/api/runs", `{"definition":"payroll","input":{"amount":1,"buyer":"SECRETBUYER"},"dedup":"key"}`, "X-Role", "admin").started(t, 201)
	question := w.questionOf(t, run)
	before := w.kinds(t, run)
	for _, route := range w.routes(t) {
		method, path, _ := strings.Cut(route, " ")
		for _, query := range []string{"", "?follow=false", "?by=status", "?by=plan", "?by=state", "?by=role", "?plan=payroll", "?with=RUN", "?at=1", "?prefix=" + run[:6]} {
			for _, body := range []string{bodyOf(route), `{"definition":"payroll","input":{"amount":1}}`, `{"definition":"payrol"}`, `{"definition":""}`, `{"definition":"asks","input":{"amount":1},"dedup":"key"}`} {
				if method == http.MethodGet && body != "" || path == "/api/feed" && query == "" { // which would not end
					continue
				}
				ask := func(run, question, name string) (reply, string) {
					at := strings.NewReplacer("{run}", run, "{id}", question, "{name}", name).Replace(path) + strings.ReplaceAll(query, "RUN", run)
					r := w.request(t, method, at, strings.ReplaceAll(body, "payroll", name), "X-Role", "admin:asks,other*")
					return r, strings.NewReplacer(run, "RUN", question, "INT", name, "NAME").Replace(r.body)
				}
				r, said := ask(run, question, "payroll")
				never, expected := ask("run_never", "int_never", "xyzzy")
				hides := strings.Contains(path, "{") || route == "POST /api/runs" && strings.Contains(body, "payroll")
				if hides && (r.status != never.status || said != expected) {
					t.Errorf("%s%s %s: %d %s, and for what never was %d %s", route, query, body, r.status, r.body, never.status, never.body)
				}
				for _, text := range []string{"SECRETPROMPT", "SECRETBUYER", question} {
					if strings.Contains(r.body, text) && !strings.Contains(path, "{id}") {
						t.Errorf("%s%s %s: it shows %s: %s", route, query, body, text, r.body)
					}
				}
				shown := r.body
				if strings.Contains(body, `"payroll"`) || strings.Contains(path, "{name}") { // which the answer may repeat
					shown = strings.ReplaceAll(shown, `\"payroll\"`, "")
				}
				if strings.Contains(shown, "payroll") || strings.Contains(shown, run) && !strings.Contains(path, "{run}") {
					t.Errorf("%s%s %s: it names what is hidden: %s", route, query, body, r.body)
				}
			}
		}
	}
	if diff := cmp.Diff(before, w.kinds(t, run)); diff != "" {
		t.Errorf("something has happened (-before +after):\n%s", diff)
	}
	var definitions struct {
		Definitions []struct{ Name string }
		Faults      []struct{ File string }
	}
	r := w.request(t, "GET", "/api/definitions", "", "X-Role", "admin:asks")
	if err := json.Unmarshal([]byte(r.body), &definitions); err != nil || fmt.Sprint(definitions) != "{[{asks}] [{asks.yaml}]}" {
		t.Errorf("%v (%v)", definitions, err)
	}
	if r := w.request(t, "GET", "/api/runs/"+own, "", "X-Role", "admin:asks"); r.status != 200 {
		t.Errorf("their own run: %d %s", r.status, r.body)
	}
}

// TestMe says who asks, with a login and without.
func TestMe(t *testing.T) {
	open, known := newWorld(t, api.Options{}), newWorld(t, api.Options{Server: server.Options{Authorize: func(r *http.Request) (server.Person, error) {
		if r.Header.Get("X-Role") == "plain" {
			return server.Person{Name: "Ada", Roles: []string{"chief"}}, nil
		}
		return inRole(r)
	}}})
	for _, tt := range []struct {
		w          *world
		role, want string
	}{
		{open, "", `{"known":false,"rights":["view","talk","tasks","start","operate","author","deploy","audit"]}`},
		{known, "clerk:asks", `{"known":true,"id":"Ann","name":"Ann","role":"clerk","rights":["tasks"]}`},
		{known, "plain", `{"known":true,"id":"Ada","name":"Ada","rights":["view","talk","tasks"],"taskRoles":["chief"]}`},
	} {
		if r := tt.w.request(t, "GET", "/api/me", "", "X-Role", tt.role); r.status != 200 || r.body != tt.want {
			t.Errorf("%q: %d %s", tt.role, r.status, r.body)
		}
	}
}

// kinds are the kinds of the entries of a run.
func (w *world) kinds(t *testing.T, run string) (list []string) {
	t.Helper()
	for m, err := range w.rt.History(t.Context(), run) {
		if err != nil {
			t.Fatal(errors.Join(err))
		}
		list = append(list, m.Entry.Kind.String())
	}
	return list
}

// questionOf is the question that a run waits for.
func (w *world) questionOf(t *testing.T, run string) string {
	t.Helper()
	for {
		list, err := w.rt.Inbox(t.Context(), journal.InboxFilter{Run: run})
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > 0 {
			return list[0].ID
		}
	}
}
