package console_test

import (
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	for _, path := range []string{"/", "/runs", "/runs/run_1", "/runs/a%2Fb", "/definitions", "/definitions/refund", "/runs?status=failed", "/conversations", "/conversations/bank/chat_1", "/schedules", "/health", "/compare?a=run_1&b=run_2"} {
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
		{"GET", "/schedules/report%2Fnightly"},
		{"POST", "/schedules"},
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

// The first load stays small: the page and the files it names, and with it any of the pages that come by themselves, in the language
// that weighs most.
func TestFirstLoad(t *testing.T) {
	const (
		frame = 34 << 10 // index.html and what it names: what every page needs
		most  = 60 << 10 // with one page, everything that it imports, and another language
	)
	_, packed := ask(t, "GET", "/", "Accept-Encoding", "gzip")
	needed := map[string]int{"/": len(packed)}
	for _, path := range named.FindAllString(unpack(t, packed), -1) {
		weighed(t, path, needed)
	}
	if sum := total(needed); sum > frame {
		t.Errorf("the frame of all pages has %d bytes; expected at most %d", sum, frame)
	}
	pages := map[string]string{}
	for path := range needed {
		for _, m := range later.FindAllStringSubmatch(plain(t, path), -1) {
			pages[m[2]] = "/console/" + m[1]
		}
	}
	language := map[string]int{}
	weighed(t, pages["german"], language)
	var found []string
	for name, path := range pages {
		if name == "german" {
			continue
		}
		found = append(found, name)
		with := maps.Clone(needed)
		weighed(t, path, with)
		if sum := total(with) + total(language); sum > most {
			t.Errorf("page %s has %d bytes with the frame and a language; expected at most %d", name, sum, most)
		}
		t.Logf("%-12s %6d, with the frame and a language %6d", name, total(with)-total(needed), total(with)+total(language))
	}
	for _, name := range []string{"inbox", "runs", "run", "definitions", "definition", "talks", "talk", "login", "palette", "question", "schedules", "health", "compare", "forking", "acts", "many"} {
		if pages[name] == "" {
			t.Errorf("page %s has no file of its own, in %q", name, found)
		}
	}
}

var (
	// imported are the files that a script needs before it runs, later those that it may ask for then.
	imported = regexp.MustCompile(`(?:from|import)"\./([\w-]+\.js)"`)
	later    = regexp.MustCompile(`import\("\./(([a-z]+)-\w+\.js)"\)`)
)

// weighed adds a file, and those that it imports, to what a page needs.
func weighed(t *testing.T, path string, needed map[string]int) {
	t.Helper()
	if needed[path] > 0 {
		return
	}
	_, body := ask(t, "GET", path, "Accept-Encoding", "gzip")
	needed[path] = len(body)
	for _, m := range imported.FindAllStringSubmatch(plain(t, path), -1) {
		weighed(t, "/console/"+m[1], needed)
	}
}

func plain(t *testing.T, path string) string {
	t.Helper()
	res, body := ask(t, "GET", path)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", path, res.Status)
	}
	return body
}

func total(sizes map[string]int) (sum int) {
	for _, size := range sizes {
		sum += size
	}
	return sum
}

// Every file may be kept for ever and runs under the policy, also one that a script asks for later; one that is not there is asked
// for again the next time: the server may have another console than the page.
func TestFilesThatComeLater(t *testing.T) {
	files, err := os.ReadDir("dist")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".gz")
		if name == "index.html" {
			continue
		}
		res, _ := ask(t, "GET", "/console/"+name)
		if got := res.Header.Get("Cache-Control"); res.StatusCode != http.StatusOK || got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: status %d, Cache-Control %q", name, res.StatusCode, got)
		}
		if csp := res.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") {
			t.Errorf("%s: policy %q", name, csp)
		}
		if !regexp.MustCompile(`-[0-9A-Z]{8}\.(js|css|svg)$`).MatchString(name) {
			t.Errorf("%s may be kept for ever, and its name does not change with its content", name)
		}
	}
	res, _ := ask(t, "GET", "/console/run-AAAAAAAA.js")
	if got := res.Header.Get("Cache-Control"); res.StatusCode != http.StatusNotFound || got != "no-store" {
		t.Errorf("a file of another version: status %d, Cache-Control %q; expected 404 and no-store", res.StatusCode, got)
	}
}

// Every text is in both languages, with the same places for values. A source that names a text has it: English texts come with the
// files that import them, and in German all would be there.
func TestCatalogues(t *testing.T) {
	shared, german := catalogue(t, "en"), catalogue(t, "de")
	english := maps.Clone(shared)
	of := map[string]map[string]string{} // texts by the path of their file
	files, err := filepath.Glob("web/i18n/*.en.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		texts := catalogue(t, strings.TrimSuffix(filepath.Base(path), ".json"))
		for key := range texts {
			if _, ok := english[key]; ok {
				t.Errorf("%s: %q is in another catalogue, too", path, key)
			}
		}
		of[path] = texts
		maps.Copy(english, texts)
	}
	for _, pair := range [2][2]map[string]string{{english, german}, {german, english}} {
		for key, text := range pair[0] {
			other, ok := pair[1][key]
			if !ok {
				t.Errorf("%q is in one language alone", key)
				continue
			}
			if diff := cmp.Diff(places(text), places(other)); diff != "" {
				t.Errorf("%q has other places for values (-one +other):\n%s", key, diff)
			}
		}
	}
	imports := regexp.MustCompile(`(?m)^import (?:[\w*{][^;]* from )?"(\.[^"]+)";`)
	used := regexp.MustCompile(`\b(t|tn)\((?:[^()"]+ \? )?"([^"]+)"(?: : "([^"]+)")?`)
	begun := regexp.MustCompile("\\bt[nx]?\\((?:`([a-z][\\w.]*\\.)\\$\\{|\"([a-z][\\w.]*\\.)\" \\+)") // keys that end in what running code knows
	all := sources(t, "web/src")
	for path, text := range all {
		known := maps.Clone(shared)
		for _, name := range reached(path, all, imports, map[string]bool{}) {
			maps.Copy(known, of[name])
		}
		for _, m := range used.FindAllStringSubmatch(text, -1) {
			for _, key := range m[2:] {
				if m[1] == "tn" && key != "" {
					key += ".other"
				}
				if _, ok := known[key]; key != "" && !ok {
					t.Errorf("%s: no text %q in the catalogues that it imports", path, key)
				}
			}
		}
		for _, m := range begun.FindAllStringSubmatch(text, -1) {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(known)), func(key string) bool { return strings.HasPrefix(key, m[1]+m[2]) }) {
				t.Errorf("%s: no text that begins with %q in the catalogues that it imports", path, m[1]+m[2])
			}
		}
	}
}

// reached are the paths that a source imports, and those that these import.
func reached(path string, all map[string]string, imports *regexp.Regexp, seen map[string]bool) (found []string) {
	if seen[path] {
		return nil
	}
	seen[path] = true
	found = append(found, path)
	for _, m := range imports.FindAllStringSubmatch(all[path], -1) {
		if strings.HasPrefix(m[0], "import type ") {
			continue // of which nothing is left when it runs
		}
		to := filepath.ToSlash(filepath.Join(filepath.Dir(path), m[1]))
		for _, end := range []string{"", ".ts", ".tsx"} {
			if _, ok := all[to+end]; ok || end == "" && strings.HasSuffix(to, ".json") {
				found = append(found, reached(to+end, all, imports, seen)...)
			}
		}
	}
	return found
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
