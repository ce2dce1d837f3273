package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Spans go to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names, all of them before the command ends, and with the
// name of the service.
func TestSpansGoToTheCollector(t *testing.T) {
	var mu sync.Mutex
	var got []byte
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		mu.Lock()
		defer mu.Unlock()
		got = append(got, body...)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	dir := t.TempDir()
	file := filepath.Join(dir, "count.yaml")
	recipe := "metadata: {name: counting}\nagents: {count: {kind: expr, set: {n: \"40 + 2\"}}}\n" +
		"topology: {entry_point: count, nodes: [{type: agent, id: count, agent_ref: count}]}\n"
	if err := os.WriteFile(file, []byte(recipe), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	m := &Main{Name: "fermata", Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Getenv: os.Getenv, Environ: os.Environ}
	if code := m.Run(t.Context(), []string{"run", file, "--store", "memory:"}); code != exitCompleted {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, want := range []string{"run counting", "task count", "service.name", "fermata.outcome"} {
		if !bytes.Contains(got, []byte(want)) {
			t.Errorf("the collector did not get %q, in %d bytes", want, len(got))
		}
	}
	if strings.Contains(stderr.String(), "level=") {
		t.Errorf("stderr: %s", &stderr)
	}
}
