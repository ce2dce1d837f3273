package fermata_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/node"
)

type (
	shape  interface{ area() float64 }
	square struct{ Side float64 }

	// secretive writes more than it reads.
	secretive struct{ Name, also string }

	// initial is a key that is written as the first letter of its name.
	initial struct{ name string }
)

func (s square) area() float64 { return s.Side * s.Side }

func (s secretive) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"name": s.Name, "also": s.also})
}

func (i initial) MarshalText() ([]byte, error) { return []byte(i.name[:1]), nil }

func (i *initial) UnmarshalText(text []byte) error { i.name = string(text); return nil }

// refusedCalls are calls that are refused for what they are given, or for what came of them.
func refusedCalls() map[string]func(ctx node.Context) error {
	type call = func(ctx node.Context) error
	calls := map[string]call{
		"a request without JSON": func(ctx node.Context) error { _, err := node.Interrupt[bool](ctx, math.NaN()); return err },
		"an answer without JSON": func(ctx node.Context) error { _, err := node.Interrupt[chan int](ctx, nil); return err },
		"an option that is no answer": func(ctx node.Context) error {
			_, err := node.Interrupt[int](ctx, nil, node.Options("many"))
			return err
		},
		"a schema that is none": func(ctx node.Context) error {
			_, err := node.Interrupt[int](ctx, nil, node.ResponseSchema([]byte(`{"type": 1}`)))
			return err
		},
		"a default that is no answer": func(ctx node.Context) error {
			_, err := node.Interrupt[int](ctx, nil, node.Within(time.Hour), node.OrDefault("many"))
			return err
		},
		"a role with control characters": func(ctx node.Context) error {
			_, err := node.Interrupt[int](ctx, nil, node.Role("chief\x1b[8m"))
			return err
		},
		"an event without JSON":    func(ctx node.Context) error { return node.Emit(ctx, node.EventMessage, math.Inf(1)) },
		"a heartbeat without JSON": func(ctx node.Context) error { return node.Heartbeat(ctx, math.NaN()) },
	}
	add := func(name string, kind []node.StepOption, make func(ctx node.Context, opts ...node.StepOption) error) {
		calls[name] = func(ctx node.Context) error { return make(ctx, kind...) }
	}
	for name, kind := range map[string][]node.StepOption{"": nil, ", once": {node.AtMostOnce()}} {
		add("a number without JSON"+name, kind, stepThatMakes(math.NaN()))
		add("an error"+name, kind, stepThatMakes(struct{ Err error }{errors.New("no")}))
		add("an interface"+name, kind, stepThatMakes(struct{ Shape shape }{square{2}}))
		add("more than is read"+name, kind, stepThatMakes(secretive{"x", "y"}))
		add("keys that become one"+name, kind, stepThatMakes(map[initial]int{{"ann"}: 1, {"abe"}: 2}))
		add("keys that become one, in any"+name, kind, stepThatMakes[any]([]any{1, map[initial]int{{"ann"}: 1, {"abe"}: 2}}))
	}
	return calls
}

func stepThatMakes[T any](value T) func(ctx node.Context, opts ...node.StepOption) error {
	return func(ctx node.Context, opts ...node.StepOption) error {
		v, err := node.Step(ctx, "make", func(node.Context) (T, error) { return value, nil }, opts...)
		if err == nil {
			return fmt.Errorf("it is taken, and gives %v", v)
		}
		return err
	}
}

// TestN3_N8_N10_ANodeMayGoOnAfterARefusedCall has a node go on after each of these calls: with a step, a question, and again a
// step. Whenever it runs again, it is told the same, and finds what it has recorded.
func TestN3_N8_N10_ANodeMayGoOnAfterARefusedCall(t *testing.T) {
	for name, call := range refusedCalls() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told []string
			goesOn := func(ctx node.Context, s state) (state, error) {
				err := call(ctx)
				if err == nil {
					return s, errors.New("it is taken")
				}
				switch {
				case errors.Is(err, node.ErrSuspended) || errors.Is(err, fermata.ErrDiverged) || ctx.Err() != nil:
					return s, err
				case errors.Is(err, node.ErrOutcomeUnknown) && strings.HasSuffix(name, ", once"):
					return s, err // the process died before it knew
				}
				text := fmt.Sprint(err, errors.Is(err, node.ErrNotStorable))
				told = append(told, text)
				if _, err := node.Step(ctx, "behind", func(node.Context) (int, error) { return 1, nil }); err != nil {
					return s, err
				}
				if _, err := node.Interrupt[bool](ctx, nil, node.ID("go on")); err != nil {
					return s, err
				}
				_, err = node.Step(ctx, "last", func(node.Context) (int, error) { return 2, nil })
				s.Log = append(s.Log, text)
				return s, err
			}
			g := single(goesOn)
			rt, _ := inMemory(t)
			run := start(t, rt, g, state{})
			answer(t, rt, question(t, run).ID, true)
			ends(t, run, fermata.Completed)
			if len(told) != 2 {
				t.Errorf("live, and replayed: %q", told)
			}
			fermatatest.Crash(t, g.Plan(), func() any { return &state{} }, fermatatest.Answers(map[string][]any{"a": {true}}))
			for i, text := range told {
				if text != told[0] {
					t.Errorf("told %q, and the %d. time %q", told[0], i+1, text)
				}
			}
			if name == "a schema that is none" || name == "a role with control characters" {
				return // of these knows the engine alone
			}
			c := fermatatest.NewContext(t).Answer("go on", true)
			if _, err := fermatatest.Run(c, goesOn, state{}); err != nil {
				t.Error(err)
			}
			c.Replay()
		})
	}
}
