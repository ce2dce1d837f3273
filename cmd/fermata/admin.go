package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/fermata-go/fermata/internal/originguard"
	httpreply "github.com/fermata-go/fermata/internal/reply"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/telemetry/scrape"
)

const adminFlag = "admin-listen"

func addAdminFlag(flags *pflag.FlagSet, to *string) {
	flags.StringVar(to, adminFlag, "",
		"a second `address`, for /metrics (Prometheus), /healthz and /readyz; it asks for no login and shows names of plans and queues (default none)")
}

// admin serves what those who run this process want to know of it, on an address of its own, without a login. A nil one does nothing.
type admin struct {
	listener net.Listener
	http     *http.Server
	scrape   *scrape.Scrape
	unwatch  func() error
	requests requestMeter
}

// openAdmin listens on an address, nil for "". From here on what is opened is measured.
func (m *Main) openAdmin(ctx context.Context, address string) (*admin, error) {
	if address == "" {
		return nil, nil //nolint:nilnil // nothing is served
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, &exit{exitStore, fmt.Errorf("--%s: %w", adminFlag, err)}
	}
	a := &admin{listener: listener, scrape: scrape.New(), unwatch: func() error { return nil }}
	of := a.scrape.Meter("github.com/fermata-go/fermata/cmd/fermata")
	if a.requests, err = newRequestMeter(of); err == nil {
		err = measureProcess(of)
	}
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	m.measures = a.scrape
	return a, nil
}

// url is where it serves, "" for nowhere.
func (a *admin) url() string {
	if a == nil {
		return ""
	}
	return "http://" + a.listener.Addr().String()
}

// serve serves a store's facts until close. ready says why the process takes no work; nil for no reason.
func (a *admin) serve(h *house, ready func() error) (err error) {
	if a == nil {
		return nil
	}
	if h.telemetry != nil {
		if a.unwatch, err = h.telemetry.WatchStore(h.Runtime); err != nil {
			return err
		}
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", a.scrape)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { httpreply.JSON(w, http.StatusOK, standing{"ok"}) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		err := ready()
		if err == nil {
			_, err = h.FindRuns(ctx, journal.RunQuery{Limit: 1})
		}
		if err != nil {
			httpreply.JSON(w, http.StatusServiceUnavailable, standing{"not ready: " + err.Error()})
			return
		}
		httpreply.JSON(w, http.StatusOK, standing{"ok"})
	})
	host, _, _ := net.SplitHostPort(a.listener.Addr().String())
	guard, err := originguard.New(originguard.Rules{
		Named: net.ParseIP(host).IsLoopback(), Options: "fermata",
		Refuse: func(w http.ResponseWriter, text string) { http.Error(w, text, http.StatusForbidden) },
	})
	if err != nil {
		return err
	}
	a.http = &http.Server{Handler: guard.Handler(mux), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	go func() { _ = a.http.Serve(a.listener) }() // until close
	return nil
}

// standing is what the routes for those who watch the process answer.
type standing struct {
	Status string `json:"status"`
}

// close ends it. It comes before the store is closed.
func (a *admin) close() error {
	switch {
	case a == nil:
		return nil
	case a.http == nil:
		return a.listener.Close()
	}
	return errors.Join(a.unwatch(), a.http.Close())
}

// requestMeter measures the requests of the main address.
type requestMeter struct {
	took   metric.Float64Histogram
	active metric.Int64UpDownCounter
}

func newRequestMeter(of metric.Meter) (m requestMeter, err error) {
	m.took, err = of.Float64Histogram("http.server.request.duration", metric.WithUnit("s"),
		metric.WithDescription("Time to answer a request; streams are left out."),
		metric.WithExplicitBucketBoundaries(.005, .01, .025, .05, .075, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10))
	if err != nil {
		return m, err
	}
	m.active, err = of.Int64UpDownCounter("http.server.active_requests", metric.WithUnit("{request}"),
		metric.WithDescription("Requests and streams that are open."))
	return m, err
}

// measure measures the requests that a handler answers.
func (a *admin) measure(next http.Handler) http.Handler {
	if a == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := attribute.String("http.request.method", methodOf(r))
		a.requests.active.Add(r.Context(), 1, metric.WithAttributes(method))
		defer a.requests.active.Add(context.WithoutCancel(r.Context()), -1, metric.WithAttributes(method))
		if lasts(r) {
			next.ServeHTTP(w, r)
			return
		}
		began, seen := time.Now(), &statusWriter{ResponseWriter: w}
		defer func() { // also where the connection is cut off
			_, route, _ := strings.Cut(r.Pattern, " ")
			a.requests.took.Record(context.WithoutCancel(r.Context()), time.Since(began).Seconds(), metric.WithAttributes(
				method, attribute.String("http.route", route), attribute.Int("http.response.status_code", max(seen.status, http.StatusOK))))
		}()
		next.ServeHTTP(seen, r)
	})
}

// methodOf is the method of a request, of a few: who asks chooses no label.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	}
	return "_OTHER"
}

// lasts reports whether a request is for a stream, which lasts as long as its run.
func lasts(r *http.Request) bool {
	last := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	return r.Method == http.MethodGet && (last == "events" || last == "messages" || last == "socket" || last == "feed")
}

// statusWriter knows the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 || w.status < 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap serves http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements http.Flusher.
func (w *statusWriter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// measureProcess measures this process by itself.
func measureProcess(of metric.Meter) error {
	routines, err := of.Int64ObservableGauge("go.goroutine.count", metric.WithUnit("{goroutine}"), metric.WithDescription("Goroutines of the process."))
	if err != nil {
		return err
	}
	used, err := of.Int64ObservableGauge("go.memory.used", metric.WithUnit("By"), metric.WithDescription("Memory that the Go runtime has from the system."))
	if err != nil {
		return err
	}
	build, err := of.Int64ObservableGauge("fermata.build.info", metric.WithDescription("1, with the version of the command."))
	if err != nil {
		return err
	}
	version := metric.WithAttributes(attribute.String("version", buildVersion().Version))
	_, err = of.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		var mem runtime.MemStats
		runtime.ReadMemStats(&mem)
		o.ObserveInt64(routines, int64(runtime.NumGoroutine()))
		o.ObserveInt64(used, int64(mem.Sys-mem.HeapReleased))
		o.ObserveInt64(build, 1, version)
		return nil
	}, routines, used, build)
	return err
}
