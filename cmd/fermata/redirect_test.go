package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestRedirectsStayWhereTheyAreAllowed has a service that may be called send on to one that may not: what agents send is
// not sent there, whichever kind they are of.
func TestRedirectsStayWhereTheyAreAllowed(t *testing.T) {
	var reached atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{"choices":[{"message":{"role":"assistant","content":"from elsewhere"},"finish_reason":"stop"}]}`)
	}))
	defer other.Close()
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+r.URL.Path, status)
		}))
		t.Cleanup(first.Close)
		t.Setenv("OPENAI_API_KEY", "sesame-open-42")
		t.Setenv("OPENAI_BASE_URL", first.URL+"/v1")
		for name, a := range map[string]struct{ agent, says string }{
			"http, GET":  {fmt.Sprintf(`{kind: http, method: GET, url: "%s/find"}`, first.URL), "the service sends on to another host"},
			"http, POST": {fmt.Sprintf(`{kind: http, url: "%s/find"}`, first.URL), "the service sends on to another host"},
			"mcp":        {fmt.Sprintf(`{kind: mcp, server: {url: "%s/mcp"}, tool: find}`, first.URL), "the URL leads elsewhere"},
			"model":      {`{kind: model, model: "openai:gpt-5", prompt: "Find"}`, "leads elsewhere"},
		} {
			t.Run(fmt.Sprint(name, "/", status), func(t *testing.T) {
				t.Chdir(t.TempDir())
				saved(t, "find.yaml", "agents: {find: "+a.agent+"}\nentry_point: find\nnodes: [{type: agent, id: find, agent_ref: find}]\n")
				m, stdout, stderr := command(t)
				code := m.Run(t.Context(), []string{
					"run", "find.yaml", "--store", "memory:", "--allow", "http=" + strings.TrimPrefix(first.URL, "http://"), "--no-input",
				})
				if code != exitFailed || !strings.Contains(strings.Join(strings.Fields(stderr.String()), " "), a.says) {
					t.Errorf("exit code %d, expected %d and %q:\n%s%s", code, exitFailed, a.says, stdout, stderr)
				}
				if n := reached.Load(); n != 0 {
					t.Errorf("%d requests have reached what is not allowed", n)
				}
			})
		}
	}
}
