package fermata_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/internal/teststore"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// deaf is a clock whose timers never fire, so that its runtime notices no deadline by itself.
type deaf struct{ *clock }

func (deaf) AfterFunc(time.Duration, func()) func() bool { return func() bool { return true } }

// everyStore opens a store of each kind, and a sealed one.
func everyStore() map[string]func(t *testing.T) journal.Store {
	stores := map[string]func(t *testing.T) journal.Store{
		"memory": func(*testing.T) journal.Store { return memory.New() },
		"sqlite": func(t *testing.T) journal.Store { return sqliteStore(t) },
		"sealed": func(t *testing.T) journal.Store { return sealedBy(t, memory.New(), "k1") },
	}
	for _, name := range testserver.Kinds() {
		stores[name] = func(t *testing.T) journal.Store { return teststore.Open(t, name) }
	}
	return stores
}

// lateVerbs is what people and programs do to a run from outside, by name. q is its open question, which ann has claimed, and free
// is one that nobody has claimed; startOrSend sends another message by the call that would start the run.
func lateVerbs(t *testing.T, rt *fermata.Runtime, q, free *fermata.Interrupt, startOrSend func() error) map[string]func() error {
	ann, boss := fermata.AsPerson("ann"), []fermata.AnswerOption{fermata.AsPerson("boss"), fermata.AsRole("head")}
	ctx := timeLimit(t)
	return map[string]func() error{
		"answer":           func() error { return rt.Answer(ctx, q.ID, true, ann) },
		"answer, and hold": func() error { return rt.Answer(ctx, q.ID, true, ann, fermata.Hold()) },
		"answer badly":     func() error { return rt.Answer(ctx, q.ID, "perhaps", ann) },
		"answer several":   func() error { return rt.AnswerAll(ctx, map[string]any{q.ID: true}, ann) },
		"release":          func() error { return rt.Release(ctx, q.ID, "ann") },
		"forward":          func() error { return rt.Reassign(ctx, q.ID, fermata.Assignment{Person: "bob"}, ann) },
		"take over":        func() error { return rt.Reassign(ctx, q.ID, fermata.Assignment{Person: "boss"}, boss...) },
		"escalate":         func() error { return rt.Escalate(ctx, q.ID, fermata.Assignment{Role: "head"}, ann) },
		"a new token":      func() error { _, err := rt.NewToken(ctx, q.ID); return err },
		"send":             func() error { return rt.Send(ctx, q.Run, "payments", paid{Amount: 2}) },
		"send with an id":  func() error { return rt.Send(ctx, q.Run, "payments", paid{Amount: 2}, fermata.MessageID("new")) },
		"call":             func() error { return rt.Call(ctx, q.Run, "payments", paid{Amount: 2}, nil) },
		"claim":            func() error { return rt.Claim(ctx, free.ID, "ann", "") },
		"start or send":    startOrSend,
	}
}

// After its deadline a run takes nothing from outside, and each refusal says which deadline passed when: on every store, whether
// the process that is asked has the run in memory or not, knows its plan or not, and whether or not somebody has ended the run.
func TestF9_NothingIsTakenAfterTheDeadline(t *testing.T) {
	t.Parallel()
	hour := epoch.Add(time.Hour)
	g := single(func(ctx node.Context, s state) (state, error) {
		_, err := node.Interrupt[bool](ctx, "well?", node.Override("head"))
		return s, err
	})
	for name, open := range everyStore() {
		for _, who := range []string{"a process that knows no plan", "the process that executed it", "after a process has ended it"} {
			t.Run(name+", "+who, func(t *testing.T) {
				t.Parallel()
				store, clock := open(t), newClock()
				rt := newRuntime(t, fermata.Options{Store: store, Clock: deaf{clock}})
				run := start(t, rt, g, state{}, fermata.Until(hour), fermata.WithMessage("payments", paid{Amount: 1}, fermata.MessageID("old")))
				q := question(t, run)
				if err := rt.Claim(t.Context(), q.ID, "ann", ""); err != nil {
					t.Fatal(err)
				}
				free := question(t, start(t, rt, g, state{}, fermata.Until(hour)))
				clock.AdvanceTo(hour.Add(3 * time.Minute))
				if who != "the process that executed it" {
					if err := rt.Close(); err != nil {
						t.Fatal(err)
					}
					o := fermata.Options{Store: store, Clock: deaf{clock}}
					if strings.HasPrefix(who, "after") {
						o.Clock, o.Plans = clock, func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return nil, nil }
					}
					rt = newRuntime(t, o)
				}
				if strings.HasPrefix(who, "after") {
					eventually(t, "the run ends", func() bool {
						info, err := rt.Info(t.Context(), run.ID())
						second, err2 := rt.Info(t.Context(), free.Run)
						return err == nil && err2 == nil && info.Status == "expired" && second.Status == "expired"
					})
				}
				again := func() error {
					_, err := g.StartOrSend(t.Context(), rt, state{}, fermata.WithID(run.ID()), fermata.WithMessage("payments", paid{Amount: 3}))
					return err
				}
				for verb, do := range lateVerbs(t, rt, &q, &free, again) {
					err := do()
					late, ok := errors.AsType[*fermata.LateError](err)
					var door *fermata.Error
					if !ok || late.Run != run.ID() && verb != "claim" || !late.Until.Equal(hour) || late.Now.Before(hour) || !errors.As(err, &door) ||
						door.Code != fermata.CodeExpired || !errors.Is(err, fermata.ErrExpired) {
						t.Errorf("%s: the error is %v; want one that names the deadline", verb, err)
					} else if !strings.Contains(err.Error(), hour.UTC().Format(time.RFC3339)) || !strings.Contains(err.Error(), "3m0s ago") {
						t.Errorf("%s: %v; want the deadline, and how long ago it was", verb, err)
					}
				}
				if err := rt.Answer(t.Context(), q.ID, true, fermata.AsPerson("eve")); !errors.Is(err, fermata.ErrClaimed) && !errors.Is(err, fermata.ErrForbidden) &&
					!errors.Is(err, fermata.ErrExpired) {
					t.Errorf("another person is refused with %v", err)
				}
				if err := rt.Send(t.Context(), run.ID(), "payments", paid{Amount: 1}, fermata.MessageID("old")); err != nil {
					t.Errorf("a message that the run had before has an effect: %v", err) // law M2
				}
				var door *fermata.Error
				if err := rt.Cancel(t.Context(), run.ID(), "too late", "ann"); !errors.As(err, &door) ||
					door.Code != fermata.CodeExpired && door.Code != fermata.CodeConflict {
					t.Errorf("a cancel is refused with %v", err)
				}
				for _, e := range entries(t, store, run.ID()) {
					if e.At >= hour.UnixMicro() && e.Kind != journal.RunFinished && e.Kind != journal.InterruptResolved && e.Kind != journal.RunResumed {
						t.Errorf("%s was recorded after the deadline", e.Kind)
					}
					switch e.Kind {
					case journal.InterruptResolved:
						if body := bodyOf[journal.ResolvedBody](t, &e); body.State != journal.Withdrawn {
							t.Errorf("the question is %s after the deadline", body.State)
						}
					case journal.RunFinished:
						if body := bodyOf[journal.FinishedBody](t, &e); body.Status != "expired" {
							t.Errorf("the run is %s", body.Status)
						}
					}
				}
			})
		}
	}
}
