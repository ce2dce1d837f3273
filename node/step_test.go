package node_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/node"
)

var errDeclined = errors.New("declined")

// What a step asks its host for, by what is known of it.
func TestJ5_AStepAndItsHost(t *testing.T) {
	once := []node.StepOption{node.AtMostOnce()}
	tests := []struct {
		name   string
		known  *nodehost.Op
		opts   []node.StepOption
		do     func(ctx node.Context) (int, error)
		value  int
		err    string // "" for none
		called bool
		want   []string
	}{
		{
			"new", nil, nil, func(node.Context) (int, error) { return 7, nil },
			7, "", true,
			[]string{"Begin step:s#1", "Record step:s#1 value=7 failure="},
		},
		{
			"new, and fails", nil, nil, func(node.Context) (int, error) { return 7, errDeclined },
			0, "declined", true,
			[]string{"Begin step:s#1", "Record step:s#1 value= failure=declined"},
		},
		{
			"fails without a text", nil, nil, func(node.Context) (int, error) { return 0, errors.New("") },
			0, "*errors.errorString", true,
			[]string{"Begin step:s#1", "Record step:s#1 value= failure=*errors.errorString"},
		},
		{
			"recorded", &nodehost.Op{Done: true, Value: []byte("5")}, nil, nil,
			5, "", false,
			[]string{"Begin step:s#1"},
		},
		{
			"recorded failure", &nodehost.Op{Done: true, Failure: "declined"}, nil, nil,
			0, "declined", false,
			[]string{"Begin step:s#1"},
		},
		{
			"recorded with another type", &nodehost.Op{Done: true, Value: []byte(`"five"`)}, nil, nil,
			0, "task in/a#2: step:s#1 recorded a value as a string, and int has no place for it; keep the field beside the new one, until no run waits that has recorded it", false,
			[]string{"Begin step:s#1"},
		},
		{
			"at most once", nil, once, func(node.Context) (int, error) { return 7, nil },
			7, "", true,
			[]string{"Begin once:s#1", "Intend once:s#1", "Record once:s#1 value=7 failure="},
		},
		{
			"at most once, and fails", nil, once, func(node.Context) (int, error) { return 0, errDeclined },
			0, "declined", true,
			[]string{"Begin once:s#1", "Intend once:s#1", "Record once:s#1 value= failure=declined"},
		},
		{
			"at most once, begun before", &nodehost.Op{Begun: true}, once, nil,
			0, "task in/a#2, once:s#1: step outcome unknown: started, never recorded", false,
			[]string{"Begin once:s#1"},
		},
		{
			"waits inside", nil, nil, func(ctx node.Context) (int, error) { return 0, node.Sleep(ctx, time.Hour) },
			0, "the task waits", true,
			[]string{"Begin step:s#1", "Begin sleep:step:s#1/sleep#1", "Sleep sleep:step:s#1/sleep#1 1h0m0s"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost()
			if tt.known != nil {
				kind := nodehost.KindStep
				if tt.opts != nil {
					kind = nodehost.KindOnce
				}
				tt.known.Kind, tt.known.ID = kind, string(kind)+":s#1"
				h.ops[tt.known.ID] = tt.known
			}
			called := false
			got, err := node.Step(h.next(t), "s", func(ctx node.Context) (int, error) { called = true; return tt.do(ctx) }, tt.opts...)
			text := ""
			if err != nil {
				text = err.Error()
			}
			if got != tt.value || text != tt.err || called != tt.called {
				t.Errorf("it returned %d and %q (called: %t), want %d and %q (called: %t)", got, text, called, tt.value, tt.err, tt.called)
			}
			if diff := cmp.Diff(tt.want, h.calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

// The error of a step is text from the first pass on: what its cause was cannot be asked, because a replay could not
// say.
func TestJ5_AStepsErrorIsTheSameOnEveryPass(t *testing.T) {
	h := newHost()
	var texts []string
	for range 2 {
		_, err := node.Step(h.next(t), "s", func(node.Context) (int, error) { return 0, errDeclined })
		var failed *node.StepError
		if !errors.As(err, &failed) || errors.Is(err, errDeclined) {
			t.Fatalf("the error is %T: %v", err, err)
		}
		texts = append(texts, failed.Step+": "+failed.Message)
	}
	if diff := cmp.Diff([]string{"step:s#1: declined", "step:s#1: declined"}, texts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// part is a value that JSON keeps only a part of.
type part struct {
	Kept   string
	Any    any
	List   []string `json:",omitempty"`
	hidden string
}

// The value of a step is what was recorded, from the first pass on: a replay could not give back what JSON does not
// keep, and code that decides by it would take another way.
func TestJ5_AStepsValueIsTheSameOnEveryPass(t *testing.T) {
	h := newHost()
	var values []part
	for range 2 {
		v, err := node.Step(h.next(t), "s", func(node.Context) (part, error) {
			return part{Kept: "kept", Any: int64(1<<53 + 1), List: []string{}, hidden: "lost"}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, v)
	}
	if diff := cmp.Diff(values[1], values[0], cmp.AllowUnexported(part{})); diff != "" {
		t.Errorf("the passes see different values (-replay +first):\n%s", diff)
	}
}

// A step whose context is done has no outcome: nothing is recorded.
func TestF3_ACancelledStepIsNotRecorded(t *testing.T) {
	h := newHost()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := node.Step(h.next(t).WithContext(ctx), "s", func(c node.Context) (int, error) {
		cancel()
		return 0, c.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if diff := cmp.Diff([]string{"Begin step:s#1"}, h.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// When the host refuses, the step says why, and does nothing that was not stored before.
func TestJ2_AStepStopsWhereItsHostFails(t *testing.T) {
	broken := errors.New("the store is gone")
	for call, did := range map[string]bool{"Begin": false, "Intend": false, "Record": true} {
		for _, fails := range []bool{false, true} {
			h := newHost()
			h.fail[call] = broken
			called := false
			_, err := node.Step(h.next(t), "s", func(node.Context) (int, error) {
				called = true
				if fails {
					return 0, errDeclined
				}
				return 1, nil
			}, node.AtMostOnce())
			if !errors.Is(err, broken) || called != did {
				t.Errorf("%s fails: the error is %v, and the step was done: %t", call, err, called)
			}
		}
	}
}

func TestN8_AStepThatCannotBeStored(t *testing.T) {
	h := newHost()
	_, err := node.Step(h.next(t), "s", func(node.Context) (chan int, error) { return make(chan int), nil })
	if !errors.Is(err, node.ErrNotStorable) || !strings.HasPrefix(err.Error(), "task in/a#2, step:s#1: ") {
		t.Errorf("the error is %v", err)
	}
}

// Calls are named by kind, key and count; inside a step its name goes before.
func TestN2_NamesOfCalls(t *testing.T) {
	h := newHost()
	ctx := h.next(t)
	one := func(ctx node.Context) (int, error) { return 1, nil }
	step := func(ctx node.Context, key string) {
		if _, err := node.Step(ctx, key, one); err != nil {
			t.Fatal(err)
		}
	}
	step(ctx, "a")
	step(ctx, "b")
	step(ctx, "a")
	if _, err := node.Step(ctx, "outer", func(ctx node.Context) (int, error) {
		step(ctx, "a")
		step(ctx, "a")
		return 1, node.Emit(ctx, node.EventStatus, 1)
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := node.Now(ctx); err != nil {
		t.Fatal(err)
	}
	var begun []string
	for _, c := range h.calls {
		if id, ok := strings.CutPrefix(c, "Begin "); ok {
			begun = append(begun, id)
		}
	}
	want := []string{
		"step:a#1", "step:b#1", "step:a#2", "step:outer#1", "step:step:outer#1/a#1", "step:step:outer#1/a#2", "emit:step:outer#1/status#1", "now:now#1",
	}
	if diff := cmp.Diff(want, begun); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Keys that would be mistaken for names of inner calls are refused.
func TestN2_KeysHaveNoControlCharacters(t *testing.T) {
	h := newHost()
	for _, key := range []string{"a" + nodehost.Inside + "b", "a\nb", "\x00"} {
		if _, err := node.Step(h.next(t), key, func(node.Context) (int, error) { return 1, nil }); err == nil || len(h.calls) > 0 {
			t.Errorf("key %q: error %v, calls %q", key, err, h.calls)
		}
		if _, err := node.Interrupt[bool](h.next(t), nil, node.ID(key)); err == nil || len(h.calls) > 0 {
			t.Errorf("question %q: error %v, calls %q", key, err, h.calls)
		}
	}
}

// A key for the outside world is the same for every try of a step and different for any other. It can stand in an HTTP
// header.
func TestJ5_IdempotencyKeys(t *testing.T) {
	h := newHost()
	ctx := h.next(t)
	var keys []string
	note := func(ctx context.Context) { keys = append(keys, node.IdempotencyKey(ctx)) }
	note(ctx)
	step := func(ctx node.Context) (int, error) {
		note(ctx)
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		note(inner)
		_, err := node.Step(ctx, "inner", func(ctx node.Context) (int, error) { note(ctx); return 1, nil })
		return 1, err
	}
	for range 2 {
		if _, err := node.Step(ctx, "outer", step); err != nil {
			t.Fatal(err)
		}
	}
	note(t.Context())
	want := []string{
		"run_1/in/a#2",
		"run_1/in/a#2/step:outer#1", "run_1/in/a#2/step:outer#1", "run_1/in/a#2/step:step:outer#1/inner#1",
		"run_1/in/a#2/step:outer#2", "run_1/in/a#2/step:outer#2", "run_1/in/a#2/step:step:outer#2/inner#1",
		"",
	}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The time is recorded like a step of a kind of its own: every pass sees the same.
func TestJ5_NowIsRecorded(t *testing.T) {
	h := newHost()
	h.now = noon.In(time.FixedZone("CEST", 2*3600))
	first, err := node.Now(h.next(t))
	if err != nil || !first.Equal(noon) || first.Location() != time.UTC {
		t.Errorf("now is %v, error %v", first, err)
	}
	if diff := cmp.Diff([]string{"Begin now:now#1", `Record now:now#1 value="2026-05-01T12:00:00Z" failure=`}, h.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	h.now = noon.Add(time.Hour)
	again, err := node.Now(h.next(t))
	if err != nil || again != first {
		t.Errorf("on replay now is %v, error %v", again, err)
	}
}

func TestN1_SleepSetsATimerOnce(t *testing.T) {
	h := newHost()
	if err := node.Sleep(h.next(t), time.Hour); !errors.Is(err, node.ErrSuspended) {
		t.Errorf("the error is %v", err)
	}
	if diff := cmp.Diff([]string{"Begin sleep:sleep#1", "Sleep sleep:sleep#1 1h0m0s"}, h.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	h.ops["sleep:sleep#1"].Done = true
	ctx := h.next(t)
	if err := node.Sleep(ctx, time.Hour); err != nil {
		t.Errorf("the error is %v", err)
	}
	if err := node.Sleep(ctx, time.Minute); !errors.Is(err, node.ErrSuspended) {
		t.Errorf("the error is %v", err)
	}
	if diff := cmp.Diff([]string{"Begin sleep:sleep#1", "Begin sleep:sleep#2", "Sleep sleep:sleep#2 1m0s"}, h.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// What is emitted is encoded, named by its type, and not emitted again.
func TestN4_EmitHappensOnce(t *testing.T) {
	h := newHost()
	say := func(ctx node.Context) error {
		return errors.Join(node.Emit(ctx, node.EventMessage, "hi"), node.Emit(ctx, node.EventMessage, map[string]int{"n": 1}), node.Emit(ctx, node.EventDiagnostic, nil))
	}
	if err := say(h.next(t)); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Begin emit:message#1", `Emit emit:message#1 message "hi"`, "Begin emit:message#2", `Emit emit:message#2 message {"n":1}`,
		"Begin emit:diagnostic#1", "Emit emit:diagnostic#1 diagnostic null",
	}
	if diff := cmp.Diff(want, h.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if err := say(h.next(t)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Begin emit:message#1", "Begin emit:message#2", "Begin emit:diagnostic#1"}, h.calls); diff != "" {
		t.Errorf("on replay (-want +got):\n%s", diff)
	}
	err := node.Emit(h.next(t), "text.delta", "hi")
	if want := `emit: event type "text.delta": expected message, status or diagnostic`; err == nil || err.Error() != want || len(h.calls) > 0 {
		t.Errorf("the error is %v, want %s; calls %q", err, want, h.calls)
	}
	if err := node.Emit(h.next(t), node.EventStatus, make(chan int)); !errors.Is(err, node.ErrNotStorable) {
		t.Errorf("the error is %v", err)
	}
}

func TestE2_StreamsAreShownInPieces(t *testing.T) {
	h := newHost()
	talk := func(ctx node.Context) error {
		s, err := node.Stream(ctx, "answer")
		if err != nil {
			return err
		}
		return errors.Join(s.Write("Hel"), s.Write("lo"), s.Close())
	}
	if err := talk(h.next(t)); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Begin stream:answer#1", `Chunk stream:answer#1 answer "Hel" last=false`, `Chunk stream:answer#1 answer "lo" last=false`,
		`Chunk stream:answer#1 answer "" last=true`,
	}
	if diff := cmp.Diff(want, h.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if err := talk(h.next(t)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Begin stream:answer#1"}, h.calls); diff != "" {
		t.Errorf("on replay (-want +got):\n%s", diff)
	}
	h.fail["Begin"] = node.ErrTaskOver
	if _, err := node.Stream(h.next(t), "answer"); !errors.Is(err, node.ErrTaskOver) {
		t.Errorf("the error is %v", err)
	}
}
