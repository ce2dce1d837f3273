package fermata_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"reflect"
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
