package telemetry

import (
	"cmp"
	"context"
	"errors"

	"go.opentelemetry.io/otel/metric"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/printable"
	"github.com/fermata-go/fermata/journal"
)

// WatchInbox measures fermata.interrupt.open: the number of open or claimed questions, by role.
//
// It counts up to journal.MaxCount of each role, and reads the store whenever measurements are collected. One process per store is enough. It does nothing without a
// MeterProvider; stop before the runtime is closed.
func (t *Telemetry) WatchInbox(rt *fermata.Runtime) (stop func() error, err error) {
	w := watch{of: t.meter}
	open := w.gauge("fermata.interrupt.open", "{interrupt}", "Questions that are open or claimed.")
	return w.begin(func(ctx context.Context, o metric.Observer) error { return observeInbox(ctx, rt, o, open) })
}

// WatchStore measures what no process knows alone, whenever measurements are collected.
//
// It is WatchInbox and more: the runs of the store by status, up to journal.MaxCount each; the runs that wait for a worker, by
// queue, and how long the first of them has waited; the processes that execute runs. One process per store is enough.
func (t *Telemetry) WatchStore(rt *fermata.Runtime) (stop func() error, err error) {
	w := watch{of: t.meter}
	open := w.gauge("fermata.interrupt.open", "{interrupt}", "Questions that are open or claimed.")
	runs := w.gauge("fermata.runs", "{run}", "Runs in the store.")
	waiting := w.gauge("fermata.backlog", "{run}", "Runs that wait for a worker.")
	age := w.gauge("fermata.backlog.age", "s", "How long the run that has waited longest waits for a worker.")
	processes := w.gauge("fermata.processes", "{process}", "Processes that execute runs of the store.")
	return w.begin(func(ctx context.Context, o metric.Observer) error {
		counts, err := rt.CountRuns(ctx, journal.RunQuery{}, journal.CountStatus)
		for _, c := range counts.By {
			o.ObserveInt64(runs, int64(c.N), metric.WithAttributes(keyStatus.String(c.Value)))
		}
		list, late := rt.Backlog(ctx)
		if late == nil && (len(list) == 0 || list[0].Queue != "") { // the default queue is always told of
			list = append([]fermata.Backlog{{}}, list...)
		}
		for _, b := range list {
			queue := metric.WithAttributes(keyQueue.String(printable.Line(cmp.Or(b.Queue, "default"))))
			o.ObserveInt64(waiting, int64(b.Runs), queue)
			o.ObserveInt64(age, int64(b.Longest.Seconds()), queue)
		}
		n, unknown := rt.Processes(ctx)
		if unknown == nil {
			o.ObserveInt64(processes, int64(n))
		}
		return errors.Join(err, late, unknown, observeInbox(ctx, rt, o, open))
	})
}

// observeInbox measures the questions that wait for people.
func observeInbox(ctx context.Context, rt *fermata.Runtime, o metric.Observer, open metric.Int64Observable) error {
	q := journal.InterruptQuery{States: []string{journal.Open, journal.Claimed}}
	counts, err := rt.CountInterrupts(ctx, q, journal.CountRole)
	if err != nil {
		return err
	}
	byRole := map[string]int{"": 0}
	for _, c := range counts.By {
		byRole[c.Value] = c.N
	}
	for role, n := range byRole {
		o.ObserveInt64(open, int64(n), metric.WithAttributes(keyRole.String(printable.Line(role))))
	}
	return nil
}

// watch makes gauges that are read together. One without a meter makes none.
type watch struct {
	of    *meter
	made  []metric.Observable
	wrong []error
}

func (w *watch) gauge(name, unit, about string) metric.Int64Observable {
	if w.of == nil {
		return nil
	}
	g, err := w.of.of.Int64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(about))
	w.made, w.wrong = append(w.made, g), append(w.wrong, err)
	return g
}

// begin has them read whenever measurements are collected, until stop is called.
func (w *watch) begin(read metric.Callback) (stop func() error, err error) {
	if w.of == nil {
		return func() error { return nil }, nil
	}
	if err := errors.Join(w.wrong...); err != nil {
		return nil, err
	}
	registered, err := w.of.of.RegisterCallback(read, w.made...)
	if err != nil {
		return nil, err
	}
	return registered.Unregister, nil
}
