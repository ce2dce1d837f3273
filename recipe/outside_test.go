//go:build unix

package recipe_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/recipe"
)

// program makes a recipe of one exec agent whose program is a shell script.
func program(t *testing.T, script, more string) (job, string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "work.sh"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`
agents:
  work: {kind: exec, command: [sh, ./work.sh, "${TOKEN}"]%s}
entry_point: work
nodes:
  - {type: agent, id: work, agent_ref: work}
`, more)
	env := func(name string) (string, bool) {
		if name == "TOKEN" {
			return "s3cr3t-t0ken", true
		}
		return "", false
	}
	return job{text: text, opts: recipe.Options{Dir: dir, Env: env}}, dir
}

func TestExec(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, script, more string
		want               string   // the output
		fails              []string // or what the error holds
	}{
		{name: "json in and out", script: `cat`, want: `{"n": 12345678901234567890, "s": "x"}`},
		{name: "nothing out", script: `cat >/dev/null`, want: `{"n": 12345678901234567890, "s": "x"}`},
		{name: "null out", script: `echo null`, want: `{"n": 12345678901234567890, "s": "x"}`},
		{name: "a list under the id", script: `echo '[1, 2]'`, want: `{"n": 12345678901234567890, "s": "x", "work": [1, 2]}`},
		{name: "folder", script: `printf '"%s"' "$(basename "$(pwd)" | cut -c1)"`, want: `{"n": 12345678901234567890, "s": "x", "work": "0"}`},
		{
			name: "key", script: `printf '"%s"' "${FERMATA_IDEMPOTENCY_KEY#run_*/}"`,
			want: `{"n": 12345678901234567890, "s": "x", "work": "work#1/step:exec#1"}`,
		},
		{
			name: "own environment", more: `, env: {A: "1 ${TOKEN}"}`,
			script: `printf '{"a": "%s", "home": "%s"}' "$A" "$HOME"`,
			want:   `{"n": 12345678901234567890, "s": "x", "a": "1 [redacted]", "home": ""}`, // what it said is kept without the token
		},
		{name: "exit code", script: `echo one >&2; echo "two $1" >&2; exit 3`, fails: []string{"exit code 3", "one\ntwo [redacted]"}},
		{name: "killed", script: `kill -TERM $$`, fails: []string{"signal: terminated"}},
		{name: "no json", script: `echo "hello $1"`, fails: []string{"expected JSON in its standard output", "found: hello [redacted]"}},
		{name: "colours", script: `printf '\033[31mred\033[0m\007 \033]0;title\007x\n' >&2; exit 1`, fails: []string{"last:\nred x"}},
		{name: "half json", script: `printf '{"a":'`, fails: []string{"it ends in the middle"}},
		{name: "two values", script: `echo '1 2'`, fails: []string{"something follows the JSON value"}},
		{name: "time", script: `echo "waiting" >&2; sleep 30`, more: ", timeout_seconds: 2", fails: []string{"longer than timeout_seconds (2s)", "waiting"}},
		{name: "too much", script: `head -c 20000000 /dev/zero`, fails: []string{"more than 16777216 bytes"}},
		{
			name: "schema", script: `echo '{"a": "x"}'`, more: `, output: {type: object, properties: {a: {type: integer}}}`,
			fails: []string{`agent "work": its output does not fit its schema`, "/a: expected an integer"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			j, _ := program(t, tc.script, tc.more)
			j.inputs = map[string]any{"n": json.Number("12345678901234567890"), "s": "x"}
			res, _ := j.run(t)
			if tc.fails != nil {
				wantError(t, res, tc.fails...)
				if strings.Contains(res.Err.Error(), "s3cr3t") {
					t.Errorf("a secret is in the error: %v", res.Err)
				}
				return
			}
			if tc.name == "folder" {
				if res.Status != fermata.Completed {
					t.Fatal(res.Err)
				}
				return
			}
			want(t, res, tc.want)
			if !strings.Contains(string(res.Output), "12345678901234567890") {
				t.Errorf("digits were lost: %s", res.Output)
			}
		})
	}
}

func TestExecMissing(t *testing.T) {
	j := job{text: `
agents: {work: {kind: exec, command: [./nothing-here]}}
entry_point: work
nodes: [{type: agent, id: work, agent_ref: work}]
`, opts: recipe.Options{Dir: t.TempDir()}}
	res, _ := j.run(t)
	wantError(t, res, `agent "work": it could not be run`, "nothing-here", "no such file")
}

// gone waits until a process is no more.
func gone(t *testing.T, pidFile string) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for time.Now().Before(deadline) {
		data, err := os.ReadFile(pidFile)
		if err == nil {
			pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
			if err == nil && (syscall.Kill(pid, 0) != nil || zombie(pid)) {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the child of %s lives on", pidFile)
}

// zombie reports whether a process is dead and waits to be reaped by whoever is process 1.
func zombie(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(data), ") Z ")
}

// TestExecKillsGroup checks that a time limit and a stop end the program's children too.
func TestExecKillsGroup(t *testing.T) {
	t.Parallel()
	const script = `sleep 60 & echo $! > child; wait`
	t.Run("time limit", func(t *testing.T) {
		j, dir := program(t, script, ", timeout_seconds: 2")
		res, _ := j.run(t)
		wantError(t, res, "timeout_seconds")
		gone(t, filepath.Join(dir, "child"))
	})
	t.Run("stop", func(t *testing.T) {
		j, dir := program(t, script, "")
		r, err := recipe.Parse([]byte(j.text), "x.yaml", j.opts)
		if err != nil {
			t.Fatal(err)
		}
		rt, err := fermata.New(fermata.Options{})
		if err != nil {
			t.Fatal(err)
		}
		run, err := rt.Start(context.Background(), r.Plan(), map[string]any{})
		if err != nil {
			t.Fatal(err)
		}
		for written := int64(0); written == 0; time.Sleep(5 * time.Millisecond) { // its number, not only the file
			if info, err := os.Stat(filepath.Join(dir, "child")); err == nil {
				written = info.Size()
			}
		}
		_ = run.Stop(0)
		gone(t, filepath.Join(dir, "child"))
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("left behind", func(t *testing.T) {
		j, dir := program(t, `sleep 60 & echo $! > child; echo '{"a": 1}'`, "")
		res, _ := j.run(t)
		want(t, res, `{"a": 1}`)
		gone(t, filepath.Join(dir, "child"))
	})
}

// TestExecEvidence checks that what a program says beside its output is kept as an event, shortened and without
// secrets.
func TestExecEvidence(t *testing.T) {
	j, _ := program(t, `i=0; while [ $i -lt 100 ]; do echo "line $i $1" >&2; i=$((i+1)); done; echo '{}'`, "")
	res, rt := j.run(t)
	want(t, res, `{}`)
	var said []string
	for e, err := range rt.Events(context.Background(), res.Run, 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(&e)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "s3cr3t") {
			t.Errorf("a secret is in an event: %s", data)
		}
		if e.Type() == "diagnostic" {
			said = append(said, string(data))
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], `line 99 [redacted]"`) || strings.Contains(said[0], "line 79 ") {
		t.Errorf("diagnostics: %q", said)
	}
}

// TestExecEvidenceLong checks that of very much that a program says only the end is kept.
func TestExecEvidenceLong(t *testing.T) {
	j, _ := program(t, `head -c 300000 /dev/zero | tr '\0' 'x' >&2; echo >&2; head -c 5000 /dev/zero | tr '\0' 'y' >&2; exit 1`, "")
	res, _ := j.run(t)
	wantError(t, res, "exit code 1", "yyyy")
	if n := len(res.Err.Error()); n > 5000 || strings.Contains(res.Err.Error(), "xx") {
		t.Errorf("the error has %d bytes", n)
	}
}

// TestJ5_ProgramOnce checks that a program's answer is recorded: a retry of what follows does not call it again.
func TestJ5_ProgramOnce(t *testing.T) {
	for _, once := range []string{"", ", at_most_once: true"} {
		j, dir := program(t, `echo x >> calls; echo '{"a": 1}'`, once+", timeout_seconds: 5")
		j.text = strings.Replace(j.text, "nodes:\n", `nodes:
  - {type: human, id: ask, prompt: "{{ a }}", options: ["yes"]}
`, 1) + "edges: [{source: work, target: ask}]\n"
		j.answers = map[string][]any{"ask": {"yes"}}
		res, rt := j.run(t)
		want(t, res, `{"a": 1, "ask": "yes"}`)
		calls, err := os.ReadFile(filepath.Join(dir, "calls"))
		if err != nil || string(calls) != "x\n" {
			t.Errorf("called %q, %v; expected once", calls, err)
		}
		intents := 0
		for m, err := range rt.History(context.Background(), res.Run) {
			if err != nil {
				t.Fatal(err)
			}
			if m.Entry.Kind == journal.StepStarted {
				intents++
			}
		}
		if expected := strings.Count(once, "at_most_once"); intents != expected {
			t.Errorf("%d intents were recorded; expected %d", intents, expected)
		}
	}
}

// service makes a recipe of one http agent and a server for it.
func service(t *testing.T, more string, handler http.HandlerFunc) job {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"URL": server.URL + "/hook?key=s3cr3t%2Ft0ken", "TOKEN": "s3cr3t/t0ken"}[name]
		return v, ok
	}
	return job{opts: recipe.Options{Env: env}, inputs: map[string]any{"n": 1, "s": "a b", "l": []int{1}}, text: fmt.Sprintf(`
agents:
  tell: {kind: http, url: "${URL}"%s}
entry_point: tell
nodes:
  - {type: agent, id: tell, agent_ref: tell, outputs_map: {got: "."}}
`, more)}
}

func TestHTTP(t *testing.T) {
	echo := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		key := r.Header.Get("Idempotency-Key")
		key = key[strings.Index(key, "/")+1:]
		data, err := json.Marshal([]string{
			r.Method, r.URL.Query().Get("s"), string(body), r.Header.Get("Authorization"), r.Header.Get("Content-Type"), key,
		})
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(data)
	}
	for _, tc := range []struct {
		name, more string
		handler    http.HandlerFunc
		want       any
		fails      []string
	}{
		{
			name: "post", more: `, headers: {Authorization: "Bearer ${TOKEN}"}`, handler: echo,
			want: []any{"POST", "", `{"l":[1],"n":1,"s":"a b"}`, "Bearer [redacted]", "application/json", "tell#1/step:http#1"},
		},
		{name: "get", more: ", method: GET", handler: echo, want: []any{"GET", "a b", "", "", "", "tell#1/step:http#1"}},
		{name: "text", handler: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }, want: "hello"},
		{name: "nothing", handler: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, want: nil},
		{
			name: "status", handler: func(w http.ResponseWriter, r *http.Request) {
				http.Error(w, "no such key "+r.URL.Query().Get("key"), http.StatusForbidden)
			},
			fails: []string{"403 Forbidden: no such key [redacted]"},
		},
		{
			name: "bad json", handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/problem+json")
				_, _ = io.WriteString(w, "<html>")
			},
			fails: []string{"expected JSON in its answer", "<html>"},
		},
		{
			name: "elsewhere", handler: func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://other.invalid/", http.StatusTemporaryRedirect)
			},
			fails: []string{"another host"},
		},
		{
			name: "same host", handler: func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/hook" {
					http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
					return
				}
				_, _ = io.WriteString(w, r.Method+r.URL.Path)
			},
			want: "POST/other",
		},
		{
			name: "slow", more: ", timeout_seconds: 0.05", handler: func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				select {
				case <-r.Context().Done():
				case <-time.After(5 * time.Second):
				}
			},
			fails: []string{"longer than timeout_seconds (50ms)"},
		},
		{
			name: "too much", handler: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 17<<20)) },
			fails: []string{"more than 16777216 bytes"},
		},
		{
			name: "broken", handler: func(w http.ResponseWriter, _ *http.Request) {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err == nil {
					_ = conn.Close()
				}
			},
			fails: []string{"POST 127.0.0.1:", "EOF"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res, _ := service(t, tc.more, tc.handler).run(t)
			if tc.fails != nil {
				wantError(t, res, tc.fails...)
				if strings.Contains(res.Err.Error(), "s3cr3t") {
					t.Errorf("a secret is in the error: %v", res.Err)
				}
				return
			}
			if res.Status != fermata.Completed {
				t.Fatal(res.Err)
			}
			var got struct{ Got any }
			if err := json.Unmarshal(res.Output, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got.Got); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
		})
	}
}

// The error of a request says which one: method, host and path, without user and query, and of the path nothing that came from the
// environment. Of the answer it has the status and the first words, also of a page.
func TestH5_HTTPErrorsNameTheRequest(t *testing.T) {
	const page = "<!DOCTYPE html>\n<html><head><title>\n  Sign&nbsp;in &amp; wait\n</title><style>body {color: red}</style></head><body><h1>No</h1>%s</body></html>"
	for name, tt := range map[string]struct {
		url, more, answer, want string
		status                  int
	}{
		"a path that is written": {
			url: "http://ann:pa55word@HOST/v1/orders?key=k3y", status: 404, answer: "no\n such   order",
			want: "POST HOST/v1/orders: the service answered 404 Not Found: no such order",
		},
		"variables": {
			url: "http://HOST/${HOOK}/send?key=${HOOK}", more: ", method: GET", status: 410, answer: "h00k is gone",
			want: "GET HOST/${HOOK}/send: the service answered 410 Gone: [redacted] is gone",
		},
		"an address that is a variable": {
			url: "${BASE}/orders", more: ", method: PUT", status: 400,
			want: "PUT HOST/…/orders: the service answered 400 Bad Request",
		},
		"a host that is a variable": {
			url: "${HOST}/orders", more: ", method: PUT", status: 400,
			want: "PUT HOST/orders: the service answered 400 Bad Request",
		},
		"the title of a page": {
			url: "http://HOST", status: 403, answer: fmt.Sprintf(page, strings.Repeat("<p>again</p>", 1000)),
			want: "POST HOST: the service answered 403 Forbidden: Sign in & wait",
		},
		"a page without a title": {
			url: "http://HOST/", status: 403, answer: "<html><script>let a = 1</script><h1>Not you</h1><p>" + strings.Repeat("a word ", 1000),
			want: "POST HOST/: the service answered 403 Forbidden: Not you " + strings.Repeat("a word ", 27) + "a w…",
		},
		"a page that says nothing new": {
			url: "http://HOST/", status: 404, answer: "<html><title>404 Not Found</title><center>nginx</center>",
			want: "POST HOST/: the service answered 404 Not Found",
		},
		"XML": {
			url: "http://HOST/", status: 404, answer: `<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>No such key.</Message></Error>`,
			want: "POST HOST/: the service answered 404 Not Found: NoSuchKey No such key.",
		},
		"no JSON": {
			url: "http://HOST/v1", status: 200, answer: "<html>",
			want: "POST HOST/v1: expected JSON in its answer (invalid character '<' looking for beginning of value), found: <html>",
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.answer)
			}))
			t.Cleanup(server.Close)
			host := strings.TrimPrefix(server.URL, "http://")
			env := map[string]string{"HOOK": "h00k", "BASE": server.URL + "/t0p", "HOST": server.URL}
			res, _ := job{text: fmt.Sprintf("agents: {tell: {kind: http, url: %q%s}}\nentry_point: tell\nnodes: [{type: agent, id: tell, agent_ref: tell}]\n",
				strings.NewReplacer("//HOST", "//"+host, "@HOST", "@"+host).Replace(tt.url), tt.more), opts: recipe.Options{Env: func(name string) (string, bool) {
				v, ok := env[name]
				return v, ok
			}}}.run(t)
			wantError(t, res, `agent "tell": `+strings.ReplaceAll(tt.want, " HOST", " "+host))
			if said := res.Err.Error(); !strings.HasSuffix(said, strings.ReplaceAll(tt.want, " HOST", " "+host)) || strings.Contains(said, "pa55word") {
				t.Errorf("the error is longer: %s", said)
			}
		})
	}
}

// A service that repeats the header that is made of an address with a user gets no password into what is kept: neither as an
// output nor as an error, in no form that the program makes.
func TestH5_TheHeaderOfAnAddressIsNotKept(t *testing.T) {
	for _, status := range []int{200, 500} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `{"told": %q, "hex": "%x"}`, r.Header.Get("Authorization"), "basic-pa55")
		}))
		t.Cleanup(server.Close)
		j := job{text: fmt.Sprintf(`
agents:
  work: {kind: http, method: POST, url: "http://ann:${BASIC}@%s/"}
entry_point: work
nodes:
  - {type: agent, id: work, agent_ref: work}
`, strings.TrimPrefix(server.URL, "http://")), opts: recipe.Options{Env: func(string) (string, bool) { return "basic-pa55", true }}}
		res, rt := j.run(t)
		kept := fmt.Sprint(res.Err) + string(res.Output)
		for e, err := range rt.Events(context.Background(), res.Run, 0, false) {
			if err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal(&e)
			if err != nil {
				t.Fatal(err)
			}
			kept += string(data)
		}
		for _, form := range []string{"basic-pa55", base64.StdEncoding.EncodeToString([]byte("ann:basic-pa55")), fmt.Sprintf("%x", "basic-pa55")} {
			if strings.Contains(kept, form) {
				t.Errorf("status %d: %q is kept: %s", status, form, kept)
			}
		}
		if !strings.Contains(kept, "Basic [redacted]") {
			t.Errorf("status %d: the header was not told: %s", status, kept)
		}
	}
}

// A secret that is too short to be blacked out is refused with the recipe that names it.
func TestH5_ShortSecretsAreRefused(t *testing.T) {
	for value, refused := range map[string]bool{"abc": true, "postgres://u:abc@h/d": true, "abcd": false, "": false} {
		text := "agents: {a: {kind: exec, command: [x], env: {A: \"${SOME_TOKEN}\"}}}\nentry_point: a\nnodes: [{type: agent, id: a, agent_ref: a}]\nedges: []\n"
		_, err := recipe.Parse([]byte(text), "r.yaml", recipe.Options{Env: func(string) (string, bool) { return value, true }})
		if said := fmt.Sprint(err); strings.Contains(said, "too short to be blacked out") != refused || strings.Contains(said, "abc") {
			t.Errorf("%q: %v", value, err)
		}
	}
}
