package channeltest

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// Recording reads a file of testdata and replaces each old text by the new one that follows it.
func Recording(t testing.TB, name string, oldnew ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(oldnew); i += 2 {
		if !bytes.Contains(data, []byte(oldnew[i])) {
			t.Fatalf("testdata/%s does not contain %q", name, oldnew[i])
		}
		data = bytes.Replace(data, []byte(oldnew[i]), []byte(oldnew[i+1]), 1)
	}
	return data
}

// POST is a request with a body and headers, given as names and values.
func POST(path string, body []byte, header ...string) *http.Request {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, path, bytes.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}
