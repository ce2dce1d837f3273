package scrape

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/embedded"
	"go.opentelemetry.io/otel/metric/noop"
)

// mostSeries limits the sets of attributes of an instrument, as OpenTelemetry's SDKs do.
const mostSeries = 2000

// kind is what an instrument makes of its measurements, in the words of Prometheus.
type kind string

const (
	counter   kind = "counter"
	gauge     kind = "gauge" // also of an up-down counter
	histogram kind = "histogram"
)

// instrument keeps what was measured under one name.
type instrument struct {
	name, unit, help string
	kind             kind
	bounds           []float64 // of a histogram

	mu     sync.Mutex
	series map[key]*series
}

type key = attribute.Distinct

// series is what was measured with one set of attributes.
type series struct {
	attrs   attribute.Set
	sum     float64  // or the last value of a gauge
	n       uint64   // of a histogram: measurements
	buckets []uint64 // of a histogram: measurements up to each bound, and above the last
}

var overflow = attribute.NewSet(attribute.Bool("otel.metric.overflow", true))

// of is the series of some attributes. The instrument is locked.
func (i *instrument) of(attrs attribute.Set) *series {
	s := i.series[attrs.Equivalent()]
	if s == nil && len(i.series) >= mostSeries-1 {
		attrs = overflow
		s = i.series[attrs.Equivalent()]
	}
	if s == nil {
		s = &series{attrs: attrs}
		if i.kind == histogram {
			s.buckets = make([]uint64, len(i.bounds)+1)
		}
		i.series[attrs.Equivalent()] = s
	}
	return s
}

func (i *instrument) add(v float64, attrs attribute.Set) {
	if i.kind == counter && v < 0 {
		return // a counter only rises
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.of(attrs).sum += v
}

func (i *instrument) record(v float64, attrs attribute.Set) {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := i.of(attrs)
	s.sum += v
	s.n++
	at, _ := slices.BinarySearch(i.bounds, v)
	s.buckets[at]++
}

// meter makes instruments.
type meter struct {
	noop.Meter // makes those that measure nothing

	of *Scrape
}

// described are the configurations of instruments.
type described interface {
	Unit() string
	Description() string
}

// instrument is the one of a name; the first that asks for it says what it is.
func (m *meter) instrument(name string, kind kind, about described, bounds []float64) (*instrument, error) {
	if name == "" {
		return nil, fmt.Errorf("a %s has no name", kind)
	}
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	i := m.of.made[name]
	if i == nil {
		i = &instrument{
			name: name, unit: about.Unit(), help: about.Description(), kind: kind, bounds: slices.Sorted(slices.Values(bounds)),
			series: make(map[key]*series),
		}
		m.of.made[name] = i
	}
	if i.kind != kind || i.unit != about.Unit() {
		return nil, fmt.Errorf("the instrument %q is a %s in %q already, and cannot be a %s in %q", name, i.kind, i.unit, kind, about.Unit())
	}
	return i, nil
}

// usual are the bounds of a histogram that names none, as OpenTelemetry's specification has them.
var usual = []float64{0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10000}

func boundsOf(given []float64) []float64 {
	if len(given) == 0 {
		return usual
	}
	return given
}

// The instruments. Each wraps one for the numbers that its interface has.
type (
	ints struct {
		embedded.Int64Counter
		embedded.Int64UpDownCounter
		embedded.Int64Histogram
		*instrument
	}
	floats struct {
		embedded.Float64Counter
		embedded.Float64UpDownCounter
		embedded.Float64Histogram
		*instrument
	}
	observedInts struct {
		noop.Int64ObservableGauge
		*instrument
	}
	observedFloats struct {
		noop.Float64ObservableGauge
		*instrument
	}
)

func (i *ints) Add(_ context.Context, v int64, opts ...metric.AddOption) {
	i.add(float64(v), metric.NewAddConfig(opts).Attributes())
}

func (i *ints) Record(_ context.Context, v int64, opts ...metric.RecordOption) {
	i.record(float64(v), metric.NewRecordConfig(opts).Attributes())
}

func (i *ints) Enabled(context.Context) bool { return true }

func (i *floats) Add(_ context.Context, v float64, opts ...metric.AddOption) {
	i.add(v, metric.NewAddConfig(opts).Attributes())
}

func (i *floats) Record(_ context.Context, v float64, opts ...metric.RecordOption) {
	i.record(v, metric.NewRecordConfig(opts).Attributes())
}

func (i *floats) Enabled(context.Context) bool { return true }

func (m *meter) ints(name string, kind kind, about described, bounds []float64) (*ints, error) {
	i, err := m.instrument(name, kind, about, bounds)
	return &ints{instrument: i}, err
}

func (m *meter) floats(name string, kind kind, about described, bounds []float64) (*floats, error) {
	i, err := m.instrument(name, kind, about, bounds)
	return &floats{instrument: i}, err
}

// Int64Counter implements metric.Meter.
func (m *meter) Int64Counter(name string, opts ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return m.ints(name, counter, metric.NewInt64CounterConfig(opts...), nil)
}

// Float64Counter implements metric.Meter.
func (m *meter) Float64Counter(name string, opts ...metric.Float64CounterOption) (metric.Float64Counter, error) {
	return m.floats(name, counter, metric.NewFloat64CounterConfig(opts...), nil)
}

// Int64UpDownCounter implements metric.Meter.
func (m *meter) Int64UpDownCounter(name string, opts ...metric.Int64UpDownCounterOption) (metric.Int64UpDownCounter, error) {
	return m.ints(name, gauge, metric.NewInt64UpDownCounterConfig(opts...), nil)
}

// Float64UpDownCounter implements metric.Meter.
func (m *meter) Float64UpDownCounter(name string, opts ...metric.Float64UpDownCounterOption) (metric.Float64UpDownCounter, error) {
	return m.floats(name, gauge, metric.NewFloat64UpDownCounterConfig(opts...), nil)
}

// Int64Histogram implements metric.Meter.
func (m *meter) Int64Histogram(name string, opts ...metric.Int64HistogramOption) (metric.Int64Histogram, error) {
	c := metric.NewInt64HistogramConfig(opts...)
	return m.ints(name, histogram, c, boundsOf(c.ExplicitBucketBoundaries()))
}

// Float64Histogram implements metric.Meter.
func (m *meter) Float64Histogram(name string, opts ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	c := metric.NewFloat64HistogramConfig(opts...)
	return m.floats(name, histogram, c, boundsOf(c.ExplicitBucketBoundaries()))
}

// Int64ObservableGauge implements metric.Meter. Callbacks in its options are not called: register them.
func (m *meter) Int64ObservableGauge(name string, opts ...metric.Int64ObservableGaugeOption) (metric.Int64ObservableGauge, error) {
	i, err := m.instrument(name, gauge, metric.NewInt64ObservableGaugeConfig(opts...), nil)
	return &observedInts{instrument: i}, err
}

// Float64ObservableGauge implements metric.Meter. Callbacks in its options are not called: register them.
func (m *meter) Float64ObservableGauge(name string, opts ...metric.Float64ObservableGaugeOption) (metric.Float64ObservableGauge, error) {
	i, err := m.instrument(name, gauge, metric.NewFloat64ObservableGaugeConfig(opts...), nil)
	return &observedFloats{instrument: i}, err
}

// RegisterCallback implements metric.Meter.
func (m *meter) RegisterCallback(read metric.Callback, _ ...metric.Observable) (metric.Registration, error) {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	r := &registration{of: m.of}
	m.of.callbacks[r] = read
	return r, nil
}

// observer takes what callbacks observe.
type observer struct {
	embedded.Observer

	mu     sync.Mutex
	values map[*instrument]map[key]*series
}

func (o *observer) observe(i *instrument, v float64, attrs attribute.Set) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.values[i] == nil {
		o.values[i] = make(map[key]*series)
	}
	if len(o.values[i]) >= mostSeries-1 && o.values[i][attrs.Equivalent()] == nil {
		attrs = overflow
	}
	o.values[i][attrs.Equivalent()] = &series{attrs: attrs, sum: v}
}

// ObserveInt64 implements metric.Observer.
func (o *observer) ObserveInt64(of metric.Int64Observable, v int64, opts ...metric.ObserveOption) {
	if g, ok := of.(*observedInts); ok {
		o.observe(g.instrument, float64(v), metric.NewObserveConfig(opts).Attributes())
	}
}

// ObserveFloat64 implements metric.Observer.
func (o *observer) ObserveFloat64(of metric.Float64Observable, v float64, opts ...metric.ObserveOption) {
	if g, ok := of.(*observedFloats); ok {
		o.observe(g.instrument, v, metric.NewObserveConfig(opts).Attributes())
	}
}
