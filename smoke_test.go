package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"encoding/json"
	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

type S struct {
	N   int
	Log []string
	OK  bool
}

type jc struct{}

func (jc) Encode(v any) ([]byte, error) { return json.Marshal(v) }
func (jc) Decode(b []byte) (any, error) { var s S; err := json.Unmarshal(b, &s); return &s, err }
func (c jc) Copy(v any) (any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return c.Decode(b)
}
func (c jc) Delta(o, n any) ([]byte, any, error) {
	a, _ := json.Marshal(o)
	b, err := json.Marshal(n)
	if err != nil {
		return nil, nil, err
	}
	d, err := journal.Diff(a, b)
	if err != nil {
		return nil, nil, err
	}
	x, err := c.Decode(b)
	return d, x, err
}

func def(t *testing.T) *plan.Plan {
	c := jc{}
	tries := 0
	p, err := plan.New(plan.Definition{Name: "t", Kind: "graph", Entry: []string{"a"}, State: c,
		Nodes: []plan.Node{
			{Name: "a", Kind: plan.Task, Run: func(ctx node.Context, in any) (any, error) {
				s := in.(*S)
				s.Log = append(s.Log, ctx.Info().Task())
				s.N++
				return s, nil
			}},
			{Name: "ask", Kind: plan.Task, Retry: plan.Retry{Attempts: 3, Backoff: time.Millisecond}, Run: func(ctx node.Context, in any) (any, error) {
				s := in.(*S)
				v, err := node.Step(ctx, "x", func(context.Context) (int, error) { fmt.Println("effect"); return 5, nil })
				if err != nil {
					return nil, err
				}
				if tries++; tries < 3 {
					return nil, errors.New("flaky")
				}
				node.Emit(ctx, "status", "hello")
				ok, err := node.Interrupt[bool](ctx, map[string]int{"n": v}, node.Prompt("ok?"))
				if err != nil {
					return nil, err
				}
				if err := node.Sleep(ctx, 5*time.Millisecond); err != nil {
					return nil, err
				}
				s.OK = ok
				return s, nil
			}, Route: func(ctx node.Context, v any) (string, error) {
				if v.(*S).N < 2 {
					return "a", nil
				}
				return node.End, nil
			}},
		},
		Edges: []plan.Edge{{From: "a", To: "ask", Kind: plan.Plain}, {From: "ask", To: "a", Kind: plan.Choice}, {From: "ask", To: node.End, Kind: plan.Choice}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSmoke(t *testing.T) {
	rt, err := fermata.New(fermata.Options{Logger: slog.Default()})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	run, err := rt.Start(ctx, def(t), &S{})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for e, err := range run.Events(ctx, 0) {
			if err != nil {
				fmt.Println("ERR", err)
				return
			}
			d, _ := e.MarshalJSON()
			fmt.Println(string(d))
		}
		fmt.Println("events end")
	}()
	for {
		res, err := run.Wait(ctx)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%+v\n", res)
		if res.Status != fermata.Paused {
			break
		}
		if err := rt.Answer(ctx, res.Interrupts[0].ID, true); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(20 * time.Millisecond)
	rt.Close()
}
