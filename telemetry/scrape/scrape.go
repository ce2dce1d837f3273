package scrape

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/embedded"
)

// Scrape keeps measurements, and serves them to each request. It is a metric.MeterProvider and an http.Handler. Its
// methods may be called concurrently.
type Scrape struct {
	embedded.MeterProvider

	mu        sync.Mutex
	made      map[string]*instrument // by name
	callbacks map[*registration]metric.Callback
}

var (
	_ metric.MeterProvider = (*Scrape)(nil)
	_ http.Handler         = (*Scrape)(nil)
)

// New makes one without measurements.
func New() *Scrape {
	return &Scrape{made: make(map[string]*instrument), callbacks: make(map[*registration]metric.Callback)}
}

// Meter implements metric.MeterProvider. All meters share one set of names.
func (s *Scrape) Meter(string, ...metric.MeterOption) metric.Meter { return &meter{of: s} }

// ServeHTTP writes all measurements. Where some cannot be taken, such as those of a store that does not answer, the answer is
// 500 and has none: half of them would look like a change.
func (s *Scrape) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, err := s.collect(r.Context())
	if err != nil {
		http.Error(w, "the measurements could not be taken: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(data)
}

// collect reads what is observed, and writes all that is known.
func (s *Scrape) collect(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	var all []*instrument
	for _, i := range s.made {
		all = append(all, i)
	}
	var reads []metric.Callback
	for _, read := range s.callbacks {
		reads = append(reads, read)
	}
	s.mu.Unlock()
	seen := &observer{values: make(map[*instrument]map[key]*series)} // of this reader alone: several may read at once
	var wrong []error
	for _, read := range reads {
		wrong = append(wrong, read(ctx, seen))
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return text(all, seen.values), nil
}

// registration is a callback until it is unregistered.
type registration struct {
	embedded.Registration

	of *Scrape
}

// Unregister implements metric.Registration.
func (r *registration) Unregister() error {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	delete(r.of.callbacks, r)
	return nil
}
