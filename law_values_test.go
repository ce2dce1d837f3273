package fermata_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// newYork is a zone with daylight saving.
func newYork(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Skip("no zones here:", err)
	}
	return zone
}

type (
	veiled struct {
		Kept    string
		Dropped string `json:"-"`
		hidden  int
	}
	emptied struct {
		List []int          `json:",omitempty"`
		Map  map[string]int `json:",omitempty"`
		Any  any            `json:",omitempty"`
		Zero float64        `json:",omitempty"`
	}
	celsius  float64 // it writes whole degrees
	embedder struct {
		time.Time
		Note string
	}
)

func (c celsius) MarshalText() ([]byte, error) {
	return []byte(big.NewInt(int64(math.Round(float64(c)))).String()), nil
}

func (c *celsius) UnmarshalText(text []byte) error {
	return json.Unmarshal(text, (*float64)(c))
}

// sameStep makes a step in a node that is run twice, and compares what the step returned.
func sameStep[T any](value T) func(t *testing.T) {
	return func(t *testing.T) {
		rt, _ := inMemory(t)
		var got []T
		run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
			v, err := node.Step(ctx, "make", func(node.Context) (T, error) { return value, nil })
			if err != nil {
				return s, err
			}
			got = append(got, v)
			_, err = node.Interrupt[bool](ctx, nil)
			return s, err
		}), state{})
		answer(t, rt, question(t, run).ID, true)
		ends(t, run, fermata.Completed)
		if len(got) != 2 || !reflect.DeepEqual(got[0], got[1]) {
			t.Errorf("live, and replayed:\n%#v\n%#v", got[0], got[1:])
		}
	}
}

// A step returns live what a replay will return.
func TestN10_AStepReturnsWhatItRecorded(t *testing.T) {
	york, one, none := newYork(t), 1, (*int)(nil)
	pointer := &one
	spring := time.Date(2026, 3, 7, 12, 0, 0, 0, york) // the night before the clocks change
	t.Run("text", sameStep("caf\xe9"))
	t.Run("time", sameStep(spring))
	t.Run("now", sameStep(time.Now()))
	t.Run("time of half an hour", sameStep(time.Date(2026, 3, 7, 12, 0, 0, 0, time.FixedZone("IST", 19800))))
	t.Run("time in a struct", sameStep(struct{ At time.Time }{spring}))
	t.Run("time embedded", sameStep(embedder{spring, "lost"}))
	t.Run("times as keys", sameStep(map[time.Time]int{spring: 1}))
	t.Run("any", sameStep[any](7))
	t.Run("anys", sameStep(map[string]any{"n": 7, "list": []int{1}, "deep": map[string]int{"a": 1}, "at": spring, "none": []any(nil)}))
	t.Run("dropped", sameStep(veiled{"a", "b", 1}))
	t.Run("omitted", sameStep(emptied{[]int{}, map[string]int{}, []int{}, math.Copysign(0, -1)}))
	t.Run("nil", sameStep([]int(nil)))
	t.Run("empty", sameStep([]int{}))
	t.Run("pointers", sameStep(&pointer))
	t.Run("pointer to nil", sameStep(&none))
	t.Run("raw", sameStep(json.RawMessage(`{"b": 1, "a": "<"}`)))
	t.Run("raw nil", sameStep(json.RawMessage(nil)))
	t.Run("number", sameStep(json.Number("")))
	t.Run("lossy", sameStep(celsius(20.4)))
	t.Run("big", sameStep(big.NewInt(7)))
	t.Run("negative zero", sameStep(math.Copysign(0, -1)))
	t.Run("large", sameStep(uint64(math.MaxUint64)))
	t.Run("a key that is no UTF-8", sameStep(map[string]int{"caf\xe9": 1}))
	t.Run("texts", sameStep(struct{ A, B string }{"ok", "\xff\xfe"}))
	t.Run("octets", sameStep([]byte("\xff")))
}

// A time whose offset has seconds would be another moment once it is read: every call that keeps values refuses it (laws N8 and N10).
func TestN10_TimesThatJSONCannotHoldAreRefused(t *testing.T) {
	odd := time.Date(1890, 1, 1, 0, 0, 0, 0, time.FixedZone("LMT", 53*60+28))
	deep := map[string]any{"list": []any{1, struct{ At *time.Time }{&odd}}}
	for name, call := range map[string]func(ctx node.Context) error{
		"step":             func(ctx node.Context) error { return stepOf(ctx, odd) },
		"step of any":      func(ctx node.Context) error { return stepOf(ctx, deep) },
		"step embedded":    func(ctx node.Context) error { return stepOf(ctx, embedder{odd, ""}) },
		"heartbeat":        func(ctx node.Context) error { return node.Heartbeat(ctx, odd) },
		"heartbeat of any": func(ctx node.Context) error { return node.Heartbeat(ctx, deep) },
		"event":            func(ctx node.Context) error { return node.Emit(ctx, node.EventMessage, deep) },
		"request":          func(ctx node.Context) error { _, err := node.Interrupt[bool](ctx, odd); return err },
		"default answer": func(ctx node.Context) error {
			_, err := node.Interrupt[time.Time](ctx, nil, node.Within(time.Hour), node.OrDefault(odd))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			rt, _ := inMemory(t)
			run := start(t, rt, single(func(ctx node.Context, s state) (state, error) { return s, call(ctx) }), state{})
			res := ends(t, run, fermata.Failed)
			if !errors.Is(res.Err, node.ErrNotStorable) || !strings.Contains(res.Err.Error(), "the offset of the time is 3208 seconds") {
				t.Errorf("the error is %v", res.Err)
			}
		})
	}
	t.Run("answer", func(t *testing.T) {
		rt, _ := inMemory(t)
		run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
			at, err := node.Interrupt[time.Time](ctx, nil)
			s.Text = at.Format(time.RFC3339)
			return s, err
		}), state{})
		q := question(t, run)
		for _, value := range []any{odd, &odd} {
			if err := rt.Answer(t.Context(), q.ID, value); !errors.Is(err, node.ErrNotStorable) {
				t.Errorf("the answer gives %v", err)
			}
		}
		answer(t, rt, q.ID, odd.UTC())
		if got := ends(t, run, fermata.Completed).State.Text; got != "1889-12-31T23:06:32Z" {
			t.Errorf("the node read %s", got)
		}
	})
}

func stepOf[T any](ctx node.Context, value T) error {
	_, err := node.Step(ctx, "make", func(node.Context) (T, error) { return value, nil })
	return err
}

// fee writes and reads itself by methods with a pointer receiver, as a text; its field alone says nothing.
type fee struct{ cents int }

func (m *fee) MarshalJSON() ([]byte, error) { return json.Marshal(fmt.Sprintf("%d cents", m.cents)) }

func (m *fee) UnmarshalJSON(data []byte) error {
	_, err := fmt.Sscanf(string(data), "\"%d cents\"", &m.cents)
	return err
}

// A value whose methods have a pointer receiver is kept by them, as in a state: of steps, heartbeats, requests, default answers, and
// answers.
func TestN8_MethodsWithAPointerReceiverAreCalled(t *testing.T) {
	t.Run("step", sameStep(fee{120}))
	t.Run("step of a struct", sameStep(struct{ Price fee }{fee{120}}))
	t.Run("step of a list", sameStep([]fee{{120}}))
	t.Run("step of big.Int", sameStep(*big.NewInt(7)))
	t.Run("heartbeat", func(t *testing.T) {
		rt, _ := inMemory(t)
		run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
			if ctx.Info().Attempt == 1 {
				return s, errors.Join(errFlaky, node.Heartbeat(ctx, fee{120}))
			}
			last, _ := node.LastHeartbeat[fee](ctx)
			s.N = last.cents
			return s, nil
		}, graph.Retry(2, time.Millisecond)), state{})
		if got := ends(t, run, fermata.Completed).State.N; got != 120 {
			t.Errorf("the attempt read %d", got)
		}
	})
	t.Run("answer", func(t *testing.T) {
		rt, _ := inMemory(t)
		run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
			m, err := node.Interrupt[fee](ctx, fee{7}, node.Within(time.Hour), node.OrDefault(fee{9}))
			s.N = m.cents
			return s, err
		}), state{})
		q := question(t, run)
		if string(q.Request) != `"7 cents"` {
			t.Errorf("the request is %s", q.Request)
		}
		answer(t, rt, q.ID, fee{120})
		if got := ends(t, run, fermata.Completed).State.N; got != 120 {
			t.Errorf("the node read %d", got)
		}
	})
}

// stamp writes what it does not read.
type stamp struct{ N int }

func (s stamp) MarshalJSON() ([]byte, error) { return json.Marshal(fmt.Sprint(s.N)) }

// A heartbeat that cannot be read back is refused where it is given, and not where the next attempt begins.
func TestN8_AHeartbeatIsReadBack(t *testing.T) {
	rt, _ := inMemory(t)
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) { return s, node.Heartbeat(ctx, stamp{1}) }), state{})
	if res := ends(t, run, fermata.Failed); !errors.Is(res.Err, node.ErrNotStorable) {
		t.Errorf("the error is %v", res.Err)
	}
}

// Arithmetic on a time gives the same after an answer, across a change of the clocks.
func TestN10_DaysAfterATimeOfAStep(t *testing.T) {
	york := newYork(t)
	rt, _ := inMemory(t)
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		at, err := node.Step(ctx, "when", func(node.Context) (time.Time, error) {
			return time.Date(2026, 3, 7, 12, 0, 0, 0, york), nil
		})
		if err != nil {
			return s, err
		}
		next := at.AddDate(0, 0, 1).UTC().Format(time.RFC3339)
		if _, err := node.Step(ctx, next, func(node.Context) (bool, error) { return true, nil }); err != nil {
			return s, err
		}
		_, err = node.Interrupt[bool](ctx, nil)
		return s, err
	}), state{})
	answer(t, rt, question(t, run).ID, true)
	ends(t, run, fermata.Completed)
}

// A map in which two keys become one is refused where it is made, by everything that keeps a value.
func TestN8_KeysThatBecomeOneAreRefused(t *testing.T) {
	twice := map[string]map[string]int{"in": {"a\xff": 1, "a\xfe": 2}}
	for name, do := range map[string]func(ctx node.Context) error{
		"step": func(ctx node.Context) error {
			_, err := node.Step(ctx, "s", func(node.Context) (any, error) { return twice, nil })
			return err
		},
		"request": func(ctx node.Context) error {
			_, err := node.Interrupt[bool](ctx, twice)
			return err
		},
		"default": func(ctx node.Context) error {
			_, err := node.Interrupt[bool](ctx, nil, node.Within(time.Hour), node.OrDefault(twice))
			return err
		},
		"event": func(ctx node.Context) error { return node.Emit(ctx, node.EventMessage, twice) },
		"data":  func(ctx node.Context) error { return node.Structured(ctx, "d", twice) },
	} {
		t.Run(name, func(t *testing.T) {
			rt, _ := inMemory(t)
			run := start(t, rt, graph.Of("a", func(ctx node.Context, s state) (state, error) { return s, do(ctx) }).MustCompile(), state{})
			res := ends(t, run, fermata.Failed)
			if !errors.Is(res.Err, node.ErrNotStorable) {
				t.Errorf("expected ErrNotStorable, got %v", res.Err)
			}
		})
	}
}
