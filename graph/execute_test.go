package graph_test

import (
	"errors"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// Execute is Start and Wait: a run that ends or waits is no error, and one that fails is (law F1).
func TestExecute(t *testing.T) {
	rt := fermata.MustNew(fermata.Options{Store: memory.New()})
	defer rt.Close()
	broken := errors.New("broken")
	g := graph.Of("n", func(ctx node.Context, s string) (string, error) {
		switch s {
		case "ask":
			return node.Interrupt[string](ctx, nil, node.Prompt("?"))
		case "fail":
			return "", broken
		}
		return s + "!", nil
	}).MustCompile()
	if res, err := g.Execute(t.Context(), rt, "a"); err != nil || res.Status != fermata.Completed || res.State != "a!" {
		t.Errorf("got %+v, %v", res, err)
	}
	if res, err := g.Execute(t.Context(), rt, "ask", fermata.WithID("q")); err != nil || res.Status != fermata.Paused || len(res.Interrupts) != 1 {
		t.Errorf("got %+v, %v", res, err)
	}
	if res, err := g.Execute(t.Context(), rt, "fail"); !errors.Is(err, broken) || res.Status != fermata.Failed {
		t.Errorf("got %+v, %v", res, err)
	}
	if res, err := g.Execute(t.Context(), rt, "ask", fermata.WithID("q")); !errors.Is(err, fermata.ErrConflict) || res.Run != "" {
		t.Errorf("got %+v, %v", res, err)
	}
}

// MustNew panics where New fails.
func TestMustNew(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || err == nil {
			t.Errorf("expected a panic with an error")
		}
	}()
	fermata.MustNew(fermata.Options{Name: "a\x00b"})
}
