package telemetry

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/fermata-go/fermata/journal"
)

// meter holds the instruments; see the package's documentation. The methods of a nil meter do nothing.
type meter struct {
	of metric.Meter

	runStarts  metric.Int64Counter
	runTime    metric.Float64Histogram
	taskTime   metric.Float64Histogram
	retries    metric.Int64Counter
	stepTime   metric.Float64Histogram
	questions  metric.Int64Counter
	answerTime metric.Float64Histogram
	appendTime metric.Float64Histogram
	appendSize metric.Int64Histogram
	tokens     metric.Int64Histogram
	cost       metric.Float64Counter

	sets sync.Map // of labels: metric.MeasurementOption
}

// labels are the attributes of a measurement. They are few: a plan has a fixed number of nodes, and the third is one
// of a few words.
type labels struct {
	plan, node string
	key        attribute.Key
	value      string
}

// Boundaries of histograms. People answer in minutes and days, tasks run for milliseconds to minutes.
var (
	waits  = metric.WithExplicitBucketBoundaries(1, 10, 60, 600, 3600, 4*3600, 86400, 7*86400, 30*86400)
	spells = metric.WithExplicitBucketBoundaries(.001, .005, .025, .1, .5, 1, 5, 15, 60, 300, 3600, 86400)
	quick  = metric.WithExplicitBucketBoundaries(.0001, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5)
	sizes  = metric.WithExplicitBucketBoundaries(128, 512, 2048, 8192, 32768, 131072, 524288, 2097152, 8388608)
	tokens = metric.WithExplicitBucketBoundaries(16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576)
)

func newMeter(of metric.Meter) (*meter, error) {
	m := &meter{of: of}
	var errs []error
	counter := func(name, unit, about string) metric.Int64Counter {
		c, err := of.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(about))
		errs = append(errs, err)
		return c
	}
	seconds := func(name, about string, buckets metric.HistogramOption) metric.Float64Histogram {
		h, err := of.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(about), buckets)
		errs = append(errs, err)
		return h
	}
	m.runStarts = counter("fermata.run.started", "{run}", "Runs that were started.")
	m.runTime = seconds("fermata.run.duration", "From the start or retry of a run to its end.", spells)
	m.taskTime = seconds("fermata.task.duration", "From the start of a task to its end, all waiting and retries included.", spells)
	m.retries = counter("fermata.task.retries", "{attempt}", "Failed attempts that another one follows.")
	m.stepTime = seconds("fermata.step.duration", "Time that a step took when it was done.", spells)
	m.questions = counter("fermata.interrupt.opened", "{interrupt}", "Questions that were asked.")
	m.answerTime = seconds("fermata.interrupt.duration", "From a question to its answer or other end.", waits)
	m.appendTime = seconds("fermata.journal.append.duration", "Time that the store took for an append.", quick)
	amounts := func(name, unit, about string, buckets metric.HistogramOption) metric.Int64Histogram {
		h, err := of.Int64Histogram(name, metric.WithUnit(unit), metric.WithDescription(about), buckets)
		errs = append(errs, err)
		return h
	}
	m.appendSize = amounts("fermata.journal.append.size", "By", "Values and bodies in an append, before the store's own encoding.", sizes)
	m.tokens = amounts("gen_ai.client.token.usage", "{token}", "Tokens that calls of models took.", tokens)
	var err error
	m.cost, err = of.Float64Counter("fermata.model.cost", metric.WithUnit("{USD}"), metric.WithDescription("Cost of calls of models, where it is known."))
	return m, errors.Join(append(errs, err)...)
}

// set is the option that gives a measurement its attributes, made once.
func (m *meter) set(l labels) metric.MeasurementOption {
	if known, ok := m.sets.Load(l); ok {
		return known.(metric.MeasurementOption) //nolint:forcetypeassert // nothing else is stored
	}
	attrs := []attribute.KeyValue{keyPlan.String(l.plan)}
	if l.node != "" {
		attrs = append(attrs, keyNode.String(l.node))
	}
	if l.key != "" {
		attrs = append(attrs, l.key.String(l.value))
	}
	inert(attrs)
	made := metric.WithAttributeSet(attribute.NewSet(attrs...))
	m.sets.Store(l, made)
	return made
}

func seconds(micros int64) float64 { return float64(micros) / 1e6 }

func (m *meter) runStarted(plan string) {
	if m != nil {
		m.runStarts.Add(context.Background(), 1, m.set(labels{plan: plan}))
	}
}

func (m *meter) runFinished(plan, status string, took int64) {
	if m != nil {
		m.runTime.Record(context.Background(), seconds(took), m.set(labels{plan: plan, key: keyStatus, value: status}))
	}
}

func (m *meter) taskEnded(plan, node, outcome string, took int64) {
	if m != nil {
		m.taskTime.Record(context.Background(), seconds(took), m.set(labels{plan, node, keyOutcome, outcome}))
	}
}

func (m *meter) retried(plan, node string) {
	if m != nil {
		m.retries.Add(context.Background(), 1, m.set(labels{plan: plan, node: node}))
	}
}

func (m *meter) stepEnded(plan, node, outcome string, took int64) {
	if m != nil {
		m.stepTime.Record(context.Background(), seconds(took), m.set(labels{plan, node, keyOutcome, outcome}))
	}
}

func (m *meter) asked(plan, node string) {
	if m != nil {
		m.questions.Add(context.Background(), 1, m.set(labels{plan: plan, node: node}))
	}
}

func (m *meter) closed(plan, node, state string, took int64) {
	if m != nil {
		m.answerTime.Record(context.Background(), seconds(took), m.set(labels{plan, node, keyState, state}))
	}
}

func (m *meter) appended(plan string, entries []journal.Entry, took time.Duration) {
	if m == nil {
		return
	}
	size := 0
	for i := range entries {
		size += len(entries[i].Value) + len(entries[i].Body)
	}
	set := m.set(labels{plan: plan})
	m.appendTime.Record(context.Background(), took.Seconds(), set)
	m.appendSize.Record(context.Background(), int64(size), set)
}
