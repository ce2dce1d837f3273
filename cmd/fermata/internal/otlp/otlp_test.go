package otlp

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

func variables(set map[string]string) func(string) string {
	return func(name string) string {
		return set[strings.TrimPrefix(name, "OTEL_EXPORTER_OTLP_")]
	}
}

// The variables are those of the standard: one for traces counts before one for all.
func TestEndpoint(t *testing.T) {
	for want, set := range map[string]map[string]string{
		"https://localhost:4318/v1/traces":                {},
		"http://c:4318/v1/traces":                         {"ENDPOINT": "http://c:4318"},
		"http://c:4318/otlp/v1/traces":                    {"ENDPOINT": " http://c:4318/otlp/ "},
		"https://c/":                                      {"ENDPOINT": "http://d", "TRACES_ENDPOINT": "https://c"},
		"https://c/as/it/is":                              {"TRACES_ENDPOINT": "https://c/as/it/is"},
		"http://localhost:4318/v1/traces":                 {"INSECURE": "True"},
		"https://c:4318/v1/traces":                        {"ENDPOINT": "http://c:4318", "TRACES_INSECURE": "false"},
		"OTEL_EXPORTER_OTLP_ENDPOINT: URL":                {"ENDPOINT": "localhost"},
		"OTEL_EXPORTER_OTLP_HEADERS: name=":               {"HEADERS": "secret"},
		"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: milliseconds": {"TRACES_TIMEOUT": "1s"},
		"OTEL_EXPORTER_OTLP_COMPRESSION: gzip":            {"COMPRESSION": "zstd"},
		"OTEL_EXPORTER_OTLP_CERTIFICATE: no such file":    {"CERTIFICATE": "/nowhere/c.pem"},
		"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: no such":  {"CLIENT_CERTIFICATE": "/nowhere/c.pem", "CLIENT_KEY": "/nowhere/k.pem"},
	} {
		c, err := New(variables(set))
		variable, says, fails := strings.Cut(want, ": ")
		if fails {
			if err == nil || !strings.HasPrefix(err.Error(), variable+":") || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v: got %v, want %s", set, err, want)
			}
			continue
		}
		if err != nil || c.config.url.String() != want {
			t.Errorf("%v: got %v, %v, want %s", set, c, err, want)
		}
	}
}

// collector answers one request after the other, and shows what it was asked last.
func collector(t *testing.T, answers ...func(w http.ResponseWriter)) (url string, asked func() *http.Request) {
	t.Helper()
	var last *http.Request
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		last = r.Clone(context.Background())
		last.Body = io.NopCloser(strings.NewReader(string(body)))
		answers[min(n, len(answers)-1)](w)
		n++
	}))
	t.Cleanup(s.Close)
	return s.URL, func() *http.Request { return last }
}

func status(code int) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, "because\nand more") // the client may be gone
	}
}

func spans() []sdktrace.ReadOnlySpan {
	return tracetest.SpanStubs{{Name: "run"}}.Snapshots()
}

// What is sent is the request of the protocol, packed where that is asked for, with the headers of the environment.
func TestUpload(t *testing.T) {
	for _, compression := range []string{"", "gzip"} {
		url, asked := collector(t, status(200))
		c, err := New(variables(map[string]string{"ENDPOINT": url, "COMPRESSION": compression, "HEADERS": "api-key=a%20b, x=y"}))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.ExportSpans(t.Context(), spans()); err != nil {
			t.Fatal(err)
		}
		r := asked()
		var body io.Reader = r.Body
		if compression != "" {
			if body, err = gzip.NewReader(body); err != nil {
				t.Fatal(err)
			}
		}
		data, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		var got tracepb.TracesData
		if err := proto.Unmarshal(data, &got); err != nil || got.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans()[0].GetName() != "run" {
			t.Errorf("%v: %v", err, &got)
		}
		header := map[string]string{"path": r.URL.Path}
		for _, name := range []string{"Api-Key", "X", "Content-Type", "Content-Encoding"} {
			header[name] = r.Header.Get(name)
		}
		want := map[string]string{"path": "/v1/traces", "Api-Key": "a b", "X": "y", "Content-Type": "application/x-protobuf", "Content-Encoding": compression}
		if diff := cmp.Diff(want, header); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// What a collector answers is an error with what it says. What it did not take is one, too.
func TestAnswers(t *testing.T) {
	success := protowire.AppendTag(nil, 1, protowire.VarintType)
	success = protowire.AppendVarint(success, 3)
	success = protowire.AppendString(protowire.AppendTag(success, 2, protowire.BytesType), "too old")
	for name, tt := range map[string]struct {
		answer func(http.ResponseWriter)
		want   string
	}{
		"refused": {status(400), "answered 400 Bad Request: because"},
		"partly": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/x-protobuf")
			_, _ = w.Write(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), success))
		}, "the collector did not take 3 spans: too old"},
		"damaged": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/x-protobuf")
			_, _ = io.WriteString(w, "\x0a\xff")
		}, ""},
		"a page": {func(w http.ResponseWriter) { _, _ = io.WriteString(w, "<html>") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := collector(t, tt.answer)
			c, err := New(variables(map[string]string{"ENDPOINT": url}))
			if err != nil {
				t.Fatal(err)
			}
			err = c.ExportSpans(t.Context(), spans())
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasSuffix(err.Error(), tt.want)) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// answers is a transport without a network.
type answers func(n int) (*http.Response, error)

func (f answers) RoundTrip(*http.Request) (*http.Response, error) { return f(0) }

// A busy collector is asked again for a minute, when it wants to be, and until the client stops.
func TestBusyCollectors(t *testing.T) {
	for name, tt := range map[string]struct {
		after      string
		busy       int // answers of that kind, before one that is good
		stop       time.Duration
		least, max time.Duration
		fails      bool
	}{
		"for a moment":  {busy: 2, least: 6 * time.Second, max: 20 * time.Second},
		"as it says":    {busy: 1, after: "20", least: 20 * time.Second, max: 20 * time.Second},
		"for ever":      {busy: 99, least: 20 * time.Second, max: time.Minute, fails: true},
		"for a year":    {busy: 1, after: "31536000", fails: true},
		"until we stop": {busy: 99, stop: time.Second, least: time.Second, max: time.Second, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, err := New(variables(nil))
				if err != nil {
					t.Fatal(err)
				}
				n := 0
				c.http.Transport = answers(func(int) (*http.Response, error) {
					n++
					r := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Retry-After": {tt.after}}, Body: http.NoBody}
					if n <= tt.busy {
						r.StatusCode = http.StatusServiceUnavailable
					}
					return r, nil
				})
				if tt.stop > 0 {
					time.AfterFunc(tt.stop, func() { _ = c.Shutdown(context.Background()) })
				}
				begun := time.Now()
				err = c.ExportSpans(t.Context(), spans())
				if took := time.Since(begun); took < tt.least || took > tt.max || (err != nil) != tt.fails {
					t.Errorf("after %s and %d requests: %v", took, n, err)
				}
				if tt.stop > 0 && !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
				c.stop()
			})
		})
	}
}

// A collector with a certificate of its own is trusted where the environment says so, and no other is.
func TestCertificates(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for certificate, trusted := range map[string]bool{file: true, "": false} {
		c, err := New(variables(map[string]string{"ENDPOINT": s.URL, "CERTIFICATE": certificate}))
		if err != nil {
			t.Fatal(err)
		}
		err = c.ExportSpans(t.Context(), spans())
		if _, unknown := errors.AsType[*tls.CertificateVerificationError](err); unknown == trusted || (err == nil) != trusted {
			t.Errorf("with %q: %v", certificate, err)
		}
		_, authority := errors.AsType[x509.UnknownAuthorityError](err)
		if authority == trusted {
			t.Errorf("with %q: %v", certificate, err)
		}
		if err := c.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if _, err := New(variables(map[string]string{"ENDPOINT": "http://c", "CERTIFICATE": file})); err == nil {
		t.Error("a certificate for http:// is taken")
	}
}
