package fermata_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/schema"
)

// Results of one step, as its program changes.
type (
	receipt      struct{ Amount int }
	receiptTotal struct{ Total int }
	receiptText  struct{ Amount string }
	receiptMore  struct {
		Amount int
		Tip    int
	}
	receiptBoth struct {
		Amount int `json:"Amount,omitempty"`
		Total  int
	}
	receiptEmpty struct{}
	receipts     struct{ Items []receipt }
	receiptsNow  struct{ Items []receiptTotal }
)

// records is a node that records a value in a step, asks, and tells what it has read.
func records[T any](made T) *plan.Plan {
	return graph.New[state]("records").Node("charge", func(ctx node.Context, s state) (state, error) {
		got, err := node.Step(ctx, "charge", func(node.Context) (T, error) { return made, nil })
		if err != nil {
			return s, err
		}
		if _, err := node.Interrupt[bool](ctx, nil, node.ID("go on")); err != nil {
			return s, err
		}
		data, err := json.Marshal(got)
		s.Text = string(data)
		return s, err
	}).Edge(graph.Start, "charge").MustCompile().Plan()
}

// swallows is records with code that ignores errors.
func swallows[T any]() *plan.Plan {
	return graph.New[state]("records").Node("charge", func(ctx node.Context, s state) (state, error) {
		got, _ := node.Step(ctx, "charge", func(node.Context) (T, error) { var made T; return made, nil })
		_, err := node.Interrupt[bool](ctx, nil, node.ID("go on"))
		data, _ := json.Marshal(got)
		s.Text = string(data)
		return s, err
	}).Edge(graph.Start, "charge").MustCompile().Plan()
}

// A step that was recorded with one type is read into another one whole, or the run is blocked with the step, the field and the
// one that may stand for it; nothing is written but the block. With code that fits it goes on by itself.
func TestJ8_ARecordedStepNeverReadsZero(t *testing.T) {
	for _, tt := range []struct {
		name     string
		old, now *plan.Plan
		want     string // what the node reads; "" where it is stopped
		path     string
		near     string
	}{
		{"the same", records(receipt{120}), records(receipt{}), `{"Amount":120}`, "", ""},
		{"a field is added", records(receipt{120}), records(receiptMore{}), `{"Amount":120,"Tip":0}`, "", ""},
		{"a field is kept beside a new one", records(receipt{120}), records(receiptBoth{}), `{"Amount":120,"Total":0}`, "", ""},
		{"a field that holds nothing is removed", records(receiptMore{120, 0}), records(receipt{}), `{"Amount":120}`, "", ""},
		{"any value", records(receipt{120}), records[any](nil), `{"Amount":120}`, "", ""},
		{"a field is renamed", records(receipt{120}), records(receiptTotal{}), "", "Amount", "Total"},
		{"a field is removed", records(receiptMore{120, 7}), records(receipt{}), "", "Tip", ""},
		{"all fields are removed", records(receipt{120}), records(receiptEmpty{}), "", "Amount", ""},
		{"a field has another type", records(receipt{120}), records(receiptText{}), "", "Amount", ""},
		{"a field within a list is renamed", records(receipts{[]receipt{{1}, {2}}}), records(receiptsNow{}), "", "Items.0.Amount", "Total"},
		{"the whole has another type", records(receipt{120}), records(""), "", "", ""},
		{"an integer as a float", records(int64(120)), records(0.5), `120`, "", ""},
		{"an integer that no float holds", records(int64(9007199254740993)), records(0.5), "", "", ""},
		{"the largest integer as a float", records(int64(math.MaxInt64)), records(0.5), "", "", ""},
		{"a float as a shorter one", records(0.123456789), records(float32(0)), "", "", ""},
		{"integers of a list as floats", records([]int64{1, 9007199254740993}), records([]float64{}), "", "1", ""},
		{"integers of a map as floats", records(map[string]int64{"a": 9007199254740993}), records(map[string]float64{}), "", "a", ""},
		{"nothing as a number", records((*int)(nil)), records(0), "", "", ""},
		{"nothing as a struct", records((*receipt)(nil)), records(receipt{}), "", "", ""},
		{"nothing as nothing", records((*receipt)(nil)), records(&receipt{1}), "null", "", ""},
		{"an array that grows", records([2]int{120, 7}), records([3]int{}), "", "", ""},
		{"an integer as any value", records(int64(9007199254740993)), records[any](nil), `9007199254740993`, "", ""},
		{"the code ignores errors", records(receipt{120}), swallows[receiptTotal](), "", "Amount", "Total"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store := untouchedStore()
			first := newRuntime(t, fermata.Options{Store: store})
			run, err := first.Start(timeLimit(t), tt.old, &state{})
			if err != nil {
				t.Fatal(err)
			}
			res, err := run.Wait(timeLimit(t))
			if err != nil || res.Status != fermata.Paused {
				t.Fatalf("the run is %s (%v), error %v", res.Status, res.Err, err)
			}
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			rt := newRuntime(t, fermata.Options{Store: store})
			answer(t, rt, res.Interrupts[0].ID, true, fermata.Hold())
			before := lines(t, store, run.ID())
			looks, err := rt.CanResume(timeLimit(t), journal.RunFilter{}, fermata.ResumeCheck{Plans: always(tt.now), Replay: true})
			if err != nil || len(looks) != 1 || looks[0].CanGoOn() != (tt.want != "") {
				t.Errorf("CanResume gives %+v, %v", looks, err)
			}
			if run, err = rt.Resume(timeLimit(t), run.ID(), tt.now); err != nil {
				t.Fatal(err)
			}
			if res, err = run.Wait(timeLimit(t)); err != nil {
				t.Fatal(err)
			}
			if tt.want != "" {
				var s state
				if err := json.Unmarshal(res.Output, &s); err != nil || res.Status != fermata.Completed || s.Text != tt.want {
					t.Errorf("the run is %s with %s (%v), want %s", res.Status, res.Output, res.Err, tt.want)
				}
				return
			}
			var changed *node.RecordedError
			if res.Status != fermata.Blocked || !errors.Is(res.Err, fermata.ErrPlanChanged) || !errors.As(res.Err, &changed) {
				t.Fatalf("the run is %s: %v; want it blocked for a *node.RecordedError", res.Status, res.Err)
			}
			want := []string{"charge#1", "step:charge#1", tt.path, tt.near}
			if diff := cmp.Diff(want, []string{changed.Task, changed.Call, changed.Path, changed.Near}); diff != "" {
				t.Errorf("%v (-want +got):\n%s", changed, diff)
			}
			if strings.Contains(changed.Error(), "120") {
				t.Errorf("the error shows the value: %v", changed)
			}
			if diff := cmp.Diff(append(before, "run.blocked "+changed.Error()), without(lines(t, store, run.ID()), "run.resumed")); diff != "" {
				t.Errorf("the journal (-want +got):\n%s", diff)
			}
			if run, err = rt.Retry(timeLimit(t), run.ID(), tt.old); err != nil {
				t.Fatal(err)
			}
			if res, err = run.Wait(timeLimit(t)); err != nil || res.Status != fermata.Completed {
				t.Errorf("the run is %s (%v), error %v", res.Status, res.Err, err)
			}
		})
	}
}

func without(all []string, prefix string) (left []string) {
	for _, l := range all {
		if !strings.HasPrefix(l, prefix) {
			left = append(left, l)
		}
	}
	return left
}

// What a model has answered is not read as zero either, unless the author gave a schema of their own and takes a part of it.
func TestJ8_ARecordedReasoningNeverReadsZero(t *testing.T) {
	m := scripted.Func(func(string) (string, error) { return `{"Amount":120}`, nil })
	reasons := func(reason func(ctx node.Context) error) func(ctx node.Context) error {
		return func(ctx node.Context) error {
			if err := reason(ctx); err != nil {
				return err
			}
			_, err := node.Interrupt[bool](ctx, nil)
			return err
		}
	}
	c := fermatatest.NewContext(t).WithLLM(m)
	if err := c.Do(reasons(func(ctx node.Context) error {
		_, err := node.Reason[receipt](ctx, node.Reasoning{Prompt: "how much?"})
		return err
	})); !errors.Is(err, node.ErrSuspended) {
		t.Fatal(err)
	}
	err := c.Answer("", true).Do(reasons(func(ctx node.Context) error {
		_, err := node.Reason[receiptTotal](ctx, node.Reasoning{Prompt: "how much?"})
		return err
	}))
	var changed *node.RecordedError
	if !errors.As(err, &changed) || changed.Path != "Amount" || changed.Near != "Total" {
		t.Errorf("the error is %v, want a *node.RecordedError of Amount", err)
	}
}

// The result of a completed run that was another type's is refused with the field, and is there as JSON.
func TestJ8_AResultNeverReadsZero(t *testing.T) {
	store := memory.New()
	rt := newRuntime(t, fermata.Options{Store: store})
	pays := graph.New[bill]("bill").Node("pay", keeps[bill]).Edge(graph.Start, "pay").MustCompile()
	run, err := pays.Start(timeLimit(t), rt, bill{120}, fermata.WithID("run_1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(timeLimit(t)); err != nil {
		t.Fatal(err)
	}
	now := graph.New[billTotal]("bill").Node("pay", keeps[billTotal]).Edge(graph.Start, "pay").MustCompile()
	res, err := rt.Result(timeLimit(t), "run_1", now.Plan())
	var changed *fermata.PlanChangedError
	if !errors.As(err, &changed) || changed.Value != "Amount" || res.Value != nil || string(res.Output) != `{"Amount":120}` {
		t.Errorf("the result is %s, %v, and the error %v", res.Output, res.Value, err)
	}
	if res, err = rt.Result(timeLimit(t), "run_1", nil); err != nil || string(res.Output) != `{"Amount":120}` {
		t.Errorf("the result is %s, and the error %v", res.Output, err)
	}
	more := graph.New[billMore]("bill").Node("pay", keeps[billMore]).Edge(graph.Start, "pay").MustCompile()
	if res, err = rt.Result(timeLimit(t), "run_1", more.Plan()); err != nil || res.Value.(*billMore).Amount != 120 {
		t.Errorf("the result is %s, and the error %v", res.Output, err)
	}
}

// An answer is to the question as it was asked: code that expects another type of it is stopped (law N3).
func TestJ8_AnAnswerNeverReadsZero(t *testing.T) {
	store := memory.New()
	asks := func(ask func(ctx node.Context) error) *plan.Plan {
		return graph.New[state]("asks").Node("a", func(ctx node.Context, s state) (state, error) { return s, ask(ctx) }).Edge(graph.Start, "a").MustCompile().Plan()
	}
	old := asks(func(ctx node.Context) error { _, err := node.Interrupt[receipt](ctx, nil, node.ID("q")); return err })
	now := asks(func(ctx node.Context) error {
		_, err := node.Interrupt[receiptTotal](ctx, nil, node.ID("q"))
		return err
	})
	rt := newRuntime(t, fermata.Options{Store: store})
	run, err := rt.Start(timeLimit(t), old, &state{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := run.Wait(timeLimit(t))
	if err != nil {
		t.Fatal(err)
	}
	answer(t, rt, res.Interrupts[0].ID, receipt{120}, fermata.Hold())
	if run, err = rt.Resume(timeLimit(t), run.ID(), now); err != nil {
		t.Fatal(err)
	}
	if res, err = run.Wait(timeLimit(t)); err != nil || res.Status != fermata.Blocked || !errors.Is(res.Err, fermata.ErrDiverged) {
		t.Errorf("the run is %s (%v), error %v", res.Status, res.Err, err)
	}
}

// Answers of types whose schema does not say what they read, as they read their JSON themselves.
type (
	ownReceipt struct{ Amount int }
	ownTotal   struct{ Total int }
	paysOwn    struct{ In ownReceipt }
	paysTotal  struct{ In ownTotal }
)

func (r ownReceipt) MarshalJSON() ([]byte, error) {
	type plain ownReceipt
	return json.Marshal(plain(r))
}

func (r ownTotal) MarshalJSON() ([]byte, error) {
	type plain ownTotal
	return json.Marshal(plain(r))
}

func (r *ownReceipt) UnmarshalJSON(data []byte) error {
	type plain ownReceipt
	return json.Unmarshal(data, (*plain)(r))
}

func (r *ownTotal) UnmarshalJSON(data []byte) error {
	type plain ownTotal
	return json.Unmarshal(data, (*plain)(r))
}

// The schema of a type that reads its JSON itself says nothing of it: its answer is read whole by another such type, or the run
// is blocked.
func TestJ8_AnAnswerOfATypeThatReadsItselfNeverReadsZero(t *testing.T) {
	rt := newRuntime(t, fermata.Options{Store: memory.New()})
	old := single(func(ctx node.Context, s state) (state, error) {
		_, err := node.Interrupt[paysOwn](ctx, nil, node.ID("q"))
		return s, err
	})
	now := single(func(ctx node.Context, s state) (state, error) {
		_, err := node.Interrupt[paysTotal](ctx, nil, node.ID("q"))
		return s, err
	})
	run := start(t, rt, old, state{})
	answer(t, rt, question(t, run).ID, json.RawMessage(`{"In":{"Amount":120}}`), fermata.Hold())
	res := wait(t, resume(t, rt, now, run.ID()))
	changed, ok := errors.AsType[*node.RecordedError](res.Err)
	if res.Status != fermata.Blocked || !ok || changed.Path != "In.Amount" || changed.Near != "Total" {
		t.Errorf("the run is %s: %v; want it blocked for the Amount of the answer", res.Status, res.Err)
	}
}

// An outcome in the cache that the node's type does not keep is none: the node runs.
func TestJ8_ACachedOutcomeNeverReadsZero(t *testing.T) {
	cache := fermata.NewMemoryCache(0)
	ran := 0
	rt := newRuntime(t, fermata.Options{Cache: cache})
	old := graph.New[billSparse]("bill").Node("pay", func(_ node.Context, s billSparse) (billSparse, error) { ran++; s.Amount = 7; return s, nil }, graph.Cache("1")).
		Edge(graph.Start, "pay").MustCompile()
	now := graph.New[totalSparse]("bill").Node("pay", func(_ node.Context, s totalSparse) (totalSparse, error) { ran++; s.Total = 7; return s, nil }, graph.Cache("1")).
		Edge(graph.Start, "pay").MustCompile()
	for _, p := range []*plan.Plan{old.Plan(), now.Plan()} {
		input, err := p.State().Decode([]byte(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		run, err := rt.Start(timeLimit(t), p, input)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := run.Wait(timeLimit(t)); err != nil || !strings.Contains(string(res.Output), ":7}") {
			t.Errorf("the result is %s (%v), error %v", res.Output, res.Err, err)
		}
	}
	if ran != 2 {
		t.Errorf("the node ran %d times, want 2", ran)
	}
}

// States of which nothing is written while they are empty: both nodes are given the same.
type (
	billSparse struct {
		Amount int `json:"Amount,omitempty"`
	}
	totalSparse struct {
		Total int `json:"Total,omitempty"`
	}
)

// What a model has answered to a schema of the author's is read in part, as long as the type is the one that it was read as;
// another type has a place for all of it, or the run is blocked.
func TestJ8_AReasoningWithItsOwnSchemaNeverReadsZero(t *testing.T) {
	own, err := schema.Parse([]byte(`{"type":"object","required":["Amount"],"properties":{"Amount":{"type":"integer"},"Why":{"type":"string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	m := scripted.Func(func(string) (string, error) { return `{"Amount":120,"Why":"the fee"}`, nil })
	type (
		part  struct{ Amount int }
		same  struct{ Amount int }
		other struct{ Total int }
		more  struct {
			Amount int
			Why    string
		}
	)
	for _, mode := range []node.StreamMode{node.StreamOff, node.StreamPatch} {
		for _, tt := range []struct {
			name string
			now  func(ctx node.Context) (any, error)
			want any // nil where the run is blocked
		}{
			{"the same", reasonsAs[part](own, mode), part{120}},
			{"another name", reasonsAs[same](own, mode), same{120}},
			{"a renamed field", reasonsAs[other](own, mode), nil},
			{"a field more", reasonsAs[more](own, mode), more{120, "the fee"}},
		} {
			t.Run(string(mode)+tt.name, func(t *testing.T) {
				store := memory.New()
				var got any
				g := func(reason func(ctx node.Context) (any, error)) *graph.Graph[state] {
					return single(func(ctx node.Context, s state) (state, error) {
						v, err := reason(ctx)
						if err == nil {
							_, err = node.Interrupt[bool](ctx, nil)
						}
						got = v
						return s, err
					})
				}
				rt := newRuntime(t, fermata.Options{Store: store, Services: []any{model.Model(m)}})
				run := start(t, rt, g(reasonsAs[part](own, mode)), state{})
				res := ends(t, run, fermata.Paused)
				if err := rt.Close(); err != nil {
					t.Fatal(err)
				}
				rt = newRuntime(t, fermata.Options{Store: store, Services: []any{model.Model(m)}})
				if err := rt.Answer(t.Context(), res.Interrupts[0].ID, true); err != nil {
					t.Fatal(err)
				}
				run, err := g(tt.now).Resume(t.Context(), rt, run.ID())
				if err != nil {
					t.Fatal(err)
				}
				if tt.want != nil {
					ends(t, run, fermata.Completed)
					if !reflect.DeepEqual(got, tt.want) {
						t.Errorf("the node is given %v, want %v", got, tt.want)
					}
					return
				}
				res = ends(t, run, fermata.Blocked)
				var changed *node.RecordedError
				if !errors.As(res.Err, &changed) || changed.Path != "Amount" {
					t.Errorf("the error is %v, want a *node.RecordedError of Amount", res.Err)
				}
			})
		}
	}
}

// reasonsAs asks a model for what is read as an Out.
func reasonsAs[Out any](own *schema.Schema, mode node.StreamMode) func(ctx node.Context) (any, error) {
	return func(ctx node.Context) (any, error) {
		return node.Reason[Out](ctx, node.Reasoning{Prompt: "how much?", Schema: own, Stream: mode})
	}
}
