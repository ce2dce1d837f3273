package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// dist has the built files, each compressed: as a browser takes it, and as it weighs least in the binary.
//
//go:embed dist
var dist embed.FS

// policy lets the page run its own files and talk to its own host, and nothing else: no script within a page, no other host, no
// frame around it. Text becomes markup in one place alone, the drawing (console/web/src/ui/drawing.tsx).
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types drawing"

// page is the one page: it finds out by its address what it shows.
const page = "index.html"

// pages are the addresses of the page. What is not among them is another handler's.
var pages = []string{
	"GET /{$}", "GET /runs", "GET /runs/{run}", "GET /compare", "GET /definitions", "GET /definitions/{name}", "GET /schedules", "GET /health",
	"GET /conversations", "GET /conversations/{dialogue}/{id}",
}

// asset is a file, compressed.
type asset struct {
	kind   string
	packed []byte
	tag    string // of its content
}

// kinds are the types of the files.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
}

// assets are the files by their names. It panics where the binary was built without one of a known type.
var assets = sync.OnceValue(func() map[string]*asset {
	entries, err := dist.ReadDir("dist")
	if err != nil {
		panic("console: " + err.Error())
	}
	all := make(map[string]*asset, len(entries))
	for _, e := range entries {
		packed, err := dist.ReadFile("dist/" + e.Name())
		name := strings.TrimSuffix(e.Name(), ".gz")
		kind := kinds[path.Ext(name)]
		if err != nil || kind == "" || name == e.Name() {
			panic("console: dist/" + e.Name() + " is no file of the console")
		}
		sum := sha256.Sum256(packed)
		all[name] = &asset{kind: kind, packed: packed, tag: hex.EncodeToString(sum[:8])}
	}
	return all
})

// Handler serves the console at its own addresses, and passes all other requests to next.
//
// That is a handler of package api, with which the page works. The addresses are /, /runs, /runs/{run}, /compare, /definitions,
// /definitions/{name}, /schedules, /health, /conversations, /conversations/{dialogue}/{id}, and files below /console/.
func Handler(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	for _, pattern := range pages {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			assets()[page].serve(w, r, "no-cache")
		})
	}
	mux.HandleFunc("GET /console/{file}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("file")
		a, ok := assets()[name]
		if !ok || name == page {
			w.Header().Set("Cache-Control", "no-store") // another process may have it: while servers are updated, both versions are asked for
			http.NotFound(w, r)
			return
		}
		a.serve(w, r, "public, max-age=31536000, immutable") // its name changes with its content
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern == "" {
			next.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// serve writes a file, or that the browser has it.
func (a *asset) serve(w http.ResponseWriter, r *http.Request, cache string) {
	h, packed := w.Header(), takesGzip(r.Header.Get("Accept-Encoding"))
	tag := `"` + a.tag + `"`
	if packed {
		tag = `"` + a.tag + `-gzip"`
	}
	h.Set("Content-Type", a.kind)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", cache)
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", tag)
	if has(r.Header.Get("If-None-Match"), tag) {
		h.Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if packed {
		h.Set("Content-Encoding", "gzip")
		h.Set("Content-Length", strconv.Itoa(len(a.packed)))
	}
	if r.Method == http.MethodHead {
		return
	}
	if packed {
		_, _ = w.Write(a.packed)
		return
	}
	plain, err := gzip.NewReader(bytes.NewReader(a.packed))
	if err == nil {
		_, _ = io.Copy(w, plain) //nolint:gosec // the files are our own
	}
}

// takesGzip reports whether a client reads what is compressed with gzip.
func takesGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(part, ";")
		if name = strings.TrimSpace(name); name != "gzip" && name != "*" {
			continue
		}
		_, q, given := strings.Cut(weight, "=")
		n, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
		return !given || err != nil || n > 0
	}
	return false
}

// has reports whether a list of tags has one, or any.
func has(list, tag string) bool {
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part == "*" || strings.TrimPrefix(part, "W/") == tag {
			return true
		}
	}
	return false
}
