// Package scrape keeps OpenTelemetry measurements and serves them as text that Prometheus reads.
//
//	s := scrape.New()
//	observer, err := telemetry.New(telemetry.Options{MeterProvider: s})
//	http.Handle("GET /metrics", s)
//
// It is a metric.MeterProvider with the instruments that this module uses: counters, up-down counters, histograms with explicit
// buckets and observable gauges, of int64 and float64. Other instruments measure nothing. An instrument keeps at most 2,000 sets
// of attributes; further ones are counted together, with the attribute otel.metric.overflow.
//
// Names are those of the instruments with _ in place of all that Prometheus does not allow. They end with their unit, and with
// _total for counters: fermata.run.duration is fermata_run_duration_seconds. See
// https://prometheus.io/docs/instrumenting/exposition_formats/ and, for the names, the chapter on Prometheus in OpenTelemetry's
// specification. ADR 089 says why this is not OpenTelemetry's SDK.
package scrape
