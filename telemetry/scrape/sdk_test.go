package scrape_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"pgregory.net/rapid"

	_ "github.com/fermata-go/fermata/internal/lawtest" // the seed of properties
	"github.com/fermata-go/fermata/telemetry/scrape"
)

// What is kept is what OpenTelemetry's own SDK keeps of the same measurements.
func TestItKeepsWhatTheSDKKeeps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reader := sdkmetric.NewManualReader()
		s, sdk := scrape.New(), sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
		bounds := rapid.SampledFrom([][]float64{nil, {}, {1}, {-2, 0, 2.5}}).Draw(t, "bounds")
		type instruments struct {
			count metric.Int64Counter
			sum   metric.Float64Counter
			open  metric.Int64UpDownCounter
			sizes metric.Int64Histogram
			took  metric.Float64Histogram
		}
		of := func(m metric.Meter) (i instruments) {
			var errs [5]error
			i.count, errs[0] = m.Int64Counter("count")
			i.sum, errs[1] = m.Float64Counter("sum")
			i.open, errs[2] = m.Int64UpDownCounter("open")
			var ints []metric.Int64HistogramOption
			var floats []metric.Float64HistogramOption
			if bounds != nil {
				ints, floats = append(ints, metric.WithExplicitBucketBoundaries(bounds...)), append(floats, metric.WithExplicitBucketBoundaries(bounds...))
			}
			i.sizes, errs[3] = m.Int64Histogram("sizes", ints...)
			i.took, errs[4] = m.Float64Histogram("took", floats...)
			if errs != [5]error{} {
				t.Fatal(errs)
			}
			return i
		}
		both := []instruments{of(s.Meter("one")), of(sdk.Meter("one"))}
		for range rapid.IntRange(0, 30).Draw(t, "measurements") {
			which, v := rapid.IntRange(0, 4).Draw(t, "which"), rapid.Int64Range(-5, 5).Draw(t, "value")
			with := metric.WithAttributes(attribute.Int64("to", rapid.Int64Range(0, 2).Draw(t, "attribute")))
			for _, i := range both {
				switch which {
				case 0:
					i.count.Add(t.Context(), max(v, 0), with)
				case 1:
					i.sum.Add(t.Context(), max(float64(v)/2, 0), with)
				case 2:
					i.open.Add(t.Context(), v, with)
				case 3:
					i.sizes.Record(t.Context(), v, with)
				case 4:
					i.took.Record(t.Context(), float64(v)/2, with)
				}
			}
		}
		var kept metricdata.ResourceMetrics
		if err := reader.Collect(t.Context(), &kept); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(numbersOf(&kept), numbersRead(scraped(t, s))); diff != "" {
			t.Errorf("(-SDK +scrape):\n%s", diff)
		}
	})
}

// numbersOf are the values that an SDK keeps, by name and attribute.
func numbersOf(kept *metricdata.ResourceMetrics) map[string]string {
	all := make(map[string]string)
	for _, scope := range kept.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				numbersOfSum(all, m.Name, data)
			case metricdata.Sum[float64]:
				numbersOfSum(all, m.Name, data)
			case metricdata.Histogram[int64]:
				numbersOfBuckets(all, m.Name, data)
			case metricdata.Histogram[float64]:
				numbersOfBuckets(all, m.Name, data)
			}
		}
	}
	return all
}

func numbersOfSum[N int64 | float64](all map[string]string, name string, data metricdata.Sum[N]) {
	for _, p := range data.DataPoints {
		to, _ := p.Attributes.Value("to")
		if data.IsMonotonic {
			name += "_total"
		}
		all[fmt.Sprint(name, to.AsInt64())] = fmt.Sprint(float64(p.Value))
		if data.IsMonotonic {
			name = name[:len(name)-len("_total")]
		}
	}
}

func numbersOfBuckets[N int64 | float64](all map[string]string, name string, data metricdata.Histogram[N]) {
	for _, p := range data.DataPoints {
		to, _ := p.Attributes.Value("to")
		text, n := fmt.Sprint(float64(p.Sum), p.Count), uint64(0)
		for k, count := range p.BucketCounts {
			n += count
			bound := math.Inf(1)
			if k < len(p.Bounds) {
				bound = p.Bounds[k]
			}
			text += fmt.Sprint(" ", bound, ":", n)
		}
		all[fmt.Sprint(name, to.AsInt64())] = text
	}
}

// numbersRead are the same of what Prometheus reads.
func numbersRead(families map[string]*dto.MetricFamily) map[string]string {
	all := make(map[string]string)
	for name, f := range families {
		for _, m := range f.Metric {
			var text string
			switch f.GetType() {
			case dto.MetricType_COUNTER:
				text = fmt.Sprint(m.GetCounter().GetValue())
			case dto.MetricType_GAUGE:
				text = fmt.Sprint(m.GetGauge().GetValue())
			default:
				h := m.GetHistogram()
				text = fmt.Sprint(h.GetSampleSum(), h.GetSampleCount())
				for _, b := range h.Bucket {
					text += fmt.Sprint(" ", b.GetUpperBound(), ":", b.GetCumulativeCount())
				}
			}
			all[name+m.Label[0].GetValue()] = text
		}
	}
	return all
}

// However many sets of attributes there are, memory is bounded and nothing is lost.
func TestManyAttributesAreCountedTogether(t *testing.T) {
	s := scrape.New()
	c, err := s.Meter("one").Int64Counter("many")
	check(t, err)
	for i := range 5000 {
		c.Add(t.Context(), 1, metric.WithAttributes(attribute.Int("i", i)))
	}
	sum, over := 0., 0.
	all := scraped(t, s)["many_total"].Metric
	for _, m := range all {
		sum += m.GetCounter().GetValue()
		if m.Label[0].GetName() == "otel_metric_overflow" {
			over = m.GetCounter().GetValue()
		}
	}
	if len(all) != 2000 || sum != 5000 || over != 5000-1999 {
		t.Errorf("%d sets with %v in all, %v of them together", len(all), sum, over)
	}
}

// Measuring, reading and registering go on beside each other.
func TestManyMeasureAtOnce(t *testing.T) {
	s := scrape.New()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			m := s.Meter("one")
			c, err := m.Int64Counter("count")
			check(t, err)
			g, err := m.Int64ObservableGauge("gauge")
			check(t, err)
			for i := range 50 {
				c.Add(t.Context(), 1, metric.WithAttributes(attribute.Int("i", i%3)))
				r, err := m.RegisterCallback(func(_ context.Context, o metric.Observer) error { o.ObserveInt64(g, 1); return nil }, g)
				check(t, err)
				s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/metrics", nil))
				check(t, r.Unregister())
			}
		})
	}
	all.Wait()
	sum := 0.
	for _, m := range scraped(t, s)["count_total"].Metric {
		sum += m.GetCounter().GetValue()
	}
	if sum != 200 {
		t.Errorf("%v of 200 were counted", sum)
	}
}

// A name is one instrument, and what it was first.
func TestANameIsOneInstrument(t *testing.T) {
	s := scrape.New()
	c, err := s.Meter("one").Int64Counter("a")
	check(t, err)
	again, err := s.Meter("two").Int64Counter("a")
	check(t, err)
	c.Add(t.Context(), 1)
	again.Add(t.Context(), 1)
	c.Add(t.Context(), -1) // no counter falls
	if got := scraped(t, s)["a_total"].Metric[0].GetCounter().GetValue(); got != 2 {
		t.Error(got)
	}
	if _, err := s.Meter("one").Int64Histogram("a"); err == nil {
		t.Error("a counter became a histogram")
	}
	if _, err := s.Meter("one").Int64Counter(""); err == nil {
		t.Error("an instrument without a name was made")
	}
}
