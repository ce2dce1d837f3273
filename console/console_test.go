package console_test

import (
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/console"
)

// behind is the handler beside the console: it says that it was asked.
var behind = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusTeapot)
	_, _ = io.WriteString(w, r.Method+" "+r.URL.EscapedPath())
})

// ask makes a request as a browser does, and returns the answer with its body as it was sent.
func ask(t *testing.T, method, target string, header ...string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:7788/", nil)
	r.URL.Path, r.URL.RawPath = "", ""
	u, err := r.URL.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	r.URL, r.RequestURI = u, target
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	console.Handler(behind).ServeHTTP(w, r)
	res := w.Result()
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

func unpack(t *testing.T, body string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var named = regexp.MustCompile(`/console/([\w.-]+)`)

// Each page of the app is the same page, compressed or not, and names files that are there and may be kept for ever.
func TestPagesAndFiles(t *testing.T) {
	_, index := ask(t, "GET", "/")
	if !strings.HasPrefix(index, "<!doctype html>") {
		t.Fatalf("the page begins with %.40q", index)
	}
	for _, path := range []string{"/", "/runs", "/runs/run_1", "/runs/a%2Fb", "/definitions", "/definitions/refund", "/runs?status=failed", "/conversations", "/conversations/bank/chat_1"} {
		res, body := ask(t, "GET", path, "Accept-Encoding", "br, gzip;q=0.8")
		if res.StatusCode != http.StatusOK || res.Header.Get("Content-Encoding") != "gzip" || unpack(t, body) != index {
			t.Errorf("%s: status %d, encoding %q; expected the page, compressed", path, res.StatusCode, res.Header.Get("Content-Encoding"))
		}
		if got := res.Header.Get("Cache-Control"); got != "no-cache" {
			t.Errorf("%s: Cache-Control %q", path, got)
		}
	}
	want := map[string]string{"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml"}
	found := map[string]string{}
	for _, m := range named.FindAllStringSubmatch(index, -1) {
		res, body := ask(t, "GET", "/console/"+m[1])
		if res.StatusCode != http.StatusOK || body == "" {
			t.Errorf("%s: status %d, %d bytes", m[1], res.StatusCode, len(body))
		}
		if got := res.Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: Cache-Control %q", m[1], got)
		}
		found[m[1][strings.LastIndex(m[1], ".")+1:]] = res.Header.Get("Content-Type")
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("the files that the page names (-want +got):\n%s", diff)
	}
}

// The console answers at its own addresses alone: everything else is the handler's beside it, whatever it looks like.
func TestNothingIsShadowed(t *testing.T) {
	for _, c := range []struct{ method, path string }{
		{"GET", "/api/runs"},
		{"GET", "/api/"},
		{"GET", "/api"},
		{"POST", "/api/runs"},
		{"GET", "/api/runs/run_1/events"},
		{"GET", "/healthz"},
		{"GET", "/readyz"},
		{"GET", "/openapi.json"},
		{"POST", "/"},
		{"DELETE", "/runs/run_1"},
		{"GET", "/runs/run_1/events"},
		{"GET", "/hooks/gh"},
		{"GET", "/console"},
		{"GET", "/console/a/b.js"},
		{"GET", "/index.html"},
		{"GET", "/favicon.ico"},
	} {
		res, body := ask(t, c.method, c.path)
		if res.StatusCode != http.StatusTeapot || body != c.method+" "+c.path {
			t.Errorf("%s %s: status %d, %.60q; expected the other handler", c.method, c.path, res.StatusCode, body)
		}
	}
}

// No path leads out of the files.
func TestPathsLeadNowhereElse(t *testing.T) {
	for _, path := range []string{
		"/console/../console.go", "/console/..%2fconsole.go", "/console/%2e%2e/console.go", "/console/..%5cconsole.go", "/console/index.html",
		"/console/index.html.gz", "/console/dist", "/console/.", "/console/nothing.js", "/console/%00", "//console/console.go",
	} {
		res, body := ask(t, "GET", path)
		if res.StatusCode == http.StatusOK || strings.Contains(body, "package console") {
			t.Errorf("%s: status %d, %.60q", path, res.StatusCode, body)
		}
	}
}

// A page may run its own files alone, and is in no frame.
func TestPolicy(t *testing.T) {
	_, index := ask(t, "GET", "/")
	for _, path := range append([]string{"/", "/runs/x"}, named.FindAllString(index, -1)...) {
		res, _ := ask(t, "GET", path)
		csp := res.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s: the policy %q lacks %s", path, csp, part)
			}
		}
		if strings.Contains(csp, "unsafe") || strings.Contains(csp, "http") || strings.Contains(csp, "*") {
			t.Errorf("%s: the policy %q lets others in", path, csp)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Vary": "Accept-Encoding"} {
			if got := res.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, expected %q", path, name, got, want)
			}
		}
	}
	if inline := regexp.MustCompile(`(?i)<script>|<style|\son\w+=|javascript:|https?://`).FindString(index); inline != "" {
		t.Errorf("the page has %q, which the policy forbids", inline)
	}
}

// A browser that has a file is not sent it again; one that reads no gzip gets it plain, and the two never meet in a cache.
func TestTagsAndEncodings(t *testing.T) {
	_, index := ask(t, "GET", "/")
	for _, path := range []string{"/", named.FindString(index)} {
		plain, text := ask(t, "GET", path)
		packed, body := ask(t, "GET", path, "Accept-Encoding", "gzip")
		if plain.Header.Get("Content-Encoding") != "" || unpack(t, body) != text {
			t.Errorf("%s: plain and compressed differ", path)
		}
		tags := [2]string{plain.Header.Get("ETag"), packed.Header.Get("ETag")}
		if tags[0] == "" || tags[0] == tags[1] {
			t.Errorf("%s: tags %q; expected two that differ", path, tags)
		}
		for _, given := range []string{tags[1], "W/" + tags[1], `"other", ` + tags[1], "*"} {
			res, body := ask(t, "GET", path, "Accept-Encoding", "gzip", "If-None-Match", given)
			if res.StatusCode != http.StatusNotModified || body != "" {
				t.Errorf("%s, If-None-Match %s: status %d, %d bytes", path, given, res.StatusCode, len(body))
			}
		}
		if res, _ := ask(t, "GET", path, "If-None-Match", tags[1]); res.StatusCode != http.StatusOK {
			t.Errorf("%s: the tag of the compressed file, and plain: status %d", path, res.StatusCode)
		}
		for _, encoding := range []string{"", "identity", "gzip;q=0", "gzip; q=0.0", "br", "*;q=0"} {
			if res, _ := ask(t, "GET", path, "Accept-Encoding", encoding); res.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s, Accept-Encoding %q: compressed", path, encoding)
			}
		}
		head, nothing := ask(t, "HEAD", path, "Accept-Encoding", "gzip")
		if head.StatusCode != http.StatusOK || nothing != "" || head.Header.Get("ETag") != tags[1] {
			t.Errorf("HEAD %s: status %d, %d bytes, tag %s", path, head.StatusCode, len(nothing), head.Header.Get("ETag"))
		}
	}
}

// The first load stays small: the page, and the files it names.
func TestFirstLoad(t *testing.T) {
	const most = 60 << 10
	res, index := ask(t, "GET", "/", "Accept-Encoding", "gzip")
	if res.StatusCode != http.StatusOK {
		t.Fatal(res.Status)
	}
	sum := len(index)
	for _, path := range named.FindAllString(unpack(t, index), -1) {
		_, body := ask(t, "GET", path, "Accept-Encoding", "gzip")
		sum += len(body)
	}
	if sum > most {
		t.Errorf("the first load has %d bytes; expected at most %d", sum, most)
	}
}

// Every key of a catalogue is in the others, with the same places for values, and every key that the sources name is there.
func TestCatalogues(t *testing.T) {
	english, german := catalogue(t, "en"), catalogue(t, "de")
	maps.Copy(english, catalogue(t, "talks.en")) // which pages bring that are loaded later
	for _, pair := range [2][2]map[string]string{{english, german}, {german, english}} {
		for key, text := range pair[0] {
			other, ok := pair[1][key]
			if !ok {
				t.Errorf("%q is in one catalogue alone", key)
				continue
			}
			if diff := cmp.Diff(places(text), places(other)); diff != "" {
				t.Errorf("%q has other places for values (-one +other):\n%s", key, diff)
			}
		}
	}
	used := regexp.MustCompile(`\b(t|tn)\((?:\w+ === "\w+" \? )?"([^"]+)"(?: : "([^"]+)")?`)
	for path, text := range sources(t, "web/src") {
		for _, m := range used.FindAllStringSubmatch(text, -1) {
			for _, key := range m[2:] {
				if m[1] == "tn" && key != "" {
					key += ".other"
				}
				if _, ok := english[key]; key != "" && !ok {
					t.Errorf("%s: no text %q in the catalogue", path, key)
				}
			}
		}
	}
}

func places(text string) map[string]bool {
	found := map[string]bool{}
	for _, name := range regexp.MustCompile(`\{\w+\}`).FindAllString(text, -1) {
		found[name] = true
	}
	return found
}

// No source makes markup of text, but the one that rebuilds drawings.
func TestDataIsText(t *testing.T) {
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySetInnerHTML|\beval\(|new Function|createContextualFragment|srcdoc`)
	parses := 0
	for path, text := range sources(t, "web/src") {
		if found := forbidden.FindString(text); found != "" {
			t.Errorf("%s: %s makes markup or code of text", path, found)
		}
		parses += strings.Count(text, "DOMParser")
	}
	if parses != 1 {
		t.Errorf("text is parsed as markup in %d places; expected the drawing alone", parses)
	}
	if _, err := os.Stat("dist"); err != nil {
		t.Error(err)
	}
}
