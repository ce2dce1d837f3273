package scrape_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/telemetry/scrape"
)

// scraped is what Prometheus' own parser makes of an answer.
func scraped(t rapid.TB, s *scrape.Scrape) map[string]*dto.MetricFamily {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(w.Body.String()))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, w.Body)
	}
	return families
}

// Names, kinds, help and values come through as they were measured, by the judgement of Prometheus' parser.
func TestMeasurementsAreRead(t *testing.T) {
	s := scrape.New()
	m, ctx := s.Meter("one"), t.Context()
	started, err := m.Int64Counter("fermata.run.started", metric.WithUnit("{run}"), metric.WithDescription("Runs that\nwere \\started."))
	check(t, err)
	started.Add(ctx, 2, metric.WithAttributes(attribute.String("fermata.plan", `a "b" \ c`+"\nd"), attribute.Bool("once", true)))
	cost, err := m.Float64Counter("cost", metric.WithUnit("{USD}"))
	check(t, err)
	cost.Add(ctx, .25)
	open, err := m.Int64UpDownCounter("open.streams")
	check(t, err)
	open.Add(ctx, -3)
	size, err := m.Int64Histogram("append.size", metric.WithUnit("By"), metric.WithExplicitBucketBoundaries(10, 100))
	check(t, err)
	took, err := m.Float64Histogram("run.duration", metric.WithUnit("s"), metric.WithExplicitBucketBoundaries(.5, 1))
	check(t, err)
	for _, v := range []int64{5, 10, 11, 1000} {
		size.Record(ctx, v)
		took.Record(ctx, float64(v)/10, metric.WithAttributes(attribute.String("le.s", "x")))
	}
	families := scraped(t, s)
	if diff := cmp.Diff([]string{"append_size_bytes", "cost_total", "fermata_run_started_total", "open_streams", "run_duration_seconds"}, sorted(families)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	f := families["fermata_run_started_total"]
	if f.GetType() != dto.MetricType_COUNTER || f.GetHelp() != "Runs that\nwere \\started." || f.Metric[0].GetCounter().GetValue() != 2 {
		t.Error(f)
	}
	labels := make(map[string]string)
	for _, l := range f.Metric[0].Label {
		labels[l.GetName()] = l.GetValue()
	}
	if diff := cmp.Diff(map[string]string{"fermata_plan": `a "b" \ c` + "\nd", "once": "true"}, labels); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if f := families["open_streams"]; f.GetType() != dto.MetricType_GAUGE || f.Metric[0].GetGauge().GetValue() != -3 {
		t.Error(f)
	}
	h := families["append_size_bytes"].Metric[0].GetHistogram()
	var got []string
	for _, b := range h.Bucket {
		got = append(got, fmt.Sprint(b.GetUpperBound(), " ", b.GetCumulativeCount()))
	}
	if diff := cmp.Diff([]string{"10 2", "100 3", "+Inf 4"}, got); diff != "" || h.GetSampleCount() != 4 || h.GetSampleSum() != 1026 {
		t.Errorf("(-want +got):\n%s%v", diff, h)
	}
	if f := families["run_duration_seconds"]; f.GetType() != dto.MetricType_HISTOGRAM || f.Metric[0].GetHistogram().GetSampleSum() != 102.6 {
		t.Error(f)
	}
}

// Whatever instruments and attributes are called, Prometheus' parser reads each value that was measured.
func TestAnyNamesAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scrape.New()
		want := make(map[string]float64) // by what cannot be mistaken: the value of the attribute "n"
		for i := range rapid.IntRange(0, 5).Draw(t, "instruments") {
			name := rapid.StringMatching(`[a-zA-Z][a-zA-Z0-9_.\-/]{0,20}`).Draw(t, "name")
			c, err := s.Meter(fmt.Sprint(i%2)).Float64UpDownCounter(name,
				metric.WithUnit(rapid.SampledFrom([]string{"", "s", "By", "{run}", "km/h"}).Draw(t, "unit")),
				metric.WithDescription(rapid.String().Draw(t, "help")))
			if err != nil {
				continue // a name that OpenTelemetry refuses
			}
			for k := range rapid.IntRange(1, 3).Draw(t, "points") {
				id := fmt.Sprintf("%d-%d", i, k)
				value := rapid.Float64Range(-1e9, 1e9).Draw(t, "value")
				c.Add(context.Background(), value, metric.WithAttributes(
					attribute.String("n", id), attribute.String(rapid.StringMatching(`[^n].{0,8}`).Draw(t, "key"), rapid.String().Draw(t, "text"))))
				want[id] = value
			}
		}
		got := make(map[string]float64)
		for _, f := range scraped(t, s) {
			for _, m := range f.Metric {
				for _, l := range m.Label {
					if l.GetName() == "n" {
						got[l.GetValue()] = m.GetGauge().GetValue()
					}
				}
			}
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(a) })); diff != "" {
			t.Errorf("(-measured +read):\n%s", diff)
		}
	})
}

// Where something cannot be measured, there is no answer that lacks it.
func TestAHalfIsNoAnswer(t *testing.T) {
	s := scrape.New()
	m := s.Meter("one")
	gauge, err := m.Int64ObservableGauge("open")
	check(t, err)
	_, err = m.RegisterCallback(func(context.Context, metric.Observer) error { return errors.New("the store is away") }, gauge)
	check(t, err)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != 500 || !strings.Contains(w.Body.String(), "the store is away") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func sorted(families map[string]*dto.MetricFamily) (names []string) {
	for name := range families {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
