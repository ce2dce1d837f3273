package fermata_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
)

// A result that comes after the node's time is dropped: the attempt has failed when the time was up, and what the function
// still does is nobody's.
func TestN11_ALateResultIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 20 * time.Millisecond
		rt, store := inMemory(t)
		leave, left := make(chan struct{}), make(chan error, 1)
		began := time.Now()
		run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
			<-leave
			_, err := node.Step(ctx, "late", func(node.Context) (int, error) { return 1, nil })
			left <- err
			s.Text = "late"
			return s, nil
		}, graph.Timeout(limit)), state{})
		res := ends(t, run, fermata.Failed)
		if took := time.Since(began); took != limit {
			t.Errorf("the attempt failed after %s, expected %s", took, limit)
		}
		if !errors.Is(res.Err, fermata.ErrTimeout) || !strings.Contains(res.Err.Error(), "more than 20ms") {
			t.Errorf("the error is %v", res.Err)
		}
		close(leave)
		if err := <-left; !errors.Is(err, node.ErrTaskOver) {
			t.Errorf("a call after the time gives %v", err)
		}
		if all := strings.Join(lines(t, store, run.ID()), "\n"); strings.Contains(all, "late") {
			t.Errorf("the journal has something of it:\n%s", all)
		}
	})
}

// A function that returns as soon as its context is done is too late as well, whatever it returns.
func TestN11_AResultAtTheDeadlineIsLate(t *testing.T) {
	for name, result := range map[string]error{"success": nil, "failure": errors.New("its own")} {
		for range 20 {
			rt, _ := inMemory(t)
			run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
				<-ctx.Done()
				return s, result
			}, graph.Timeout(time.Millisecond)), state{})
			res := ends(t, run, fermata.Failed)
			if want := "task a#1: the attempt took too long: more than 1ms"; !strings.HasSuffix(res.Err.Error(), want) {
				t.Fatalf("%s: the error is %v", name, res.Err)
			}
		}
	}
}

// What has no function cannot be bounded, and Compile says so.
func TestN11_SubgraphsAndMapsRefuseATimeout(t *testing.T) {
	inner := single(logged)
	_, sub := graph.New[state]("outer").Sub("sub", inner, graph.Timeout(time.Second)).Edge(graph.Start, "sub").Compile()
	_, each := graph.Map(graph.New[state]("outer"), "each", func(state) ([]state, error) { return nil, nil }, inner,
		func(s state, _ []state) (state, error) { return s, nil }, graph.Timeout(time.Second)).Edge(graph.Start, "each").Compile()
	for name, err := range map[string]error{"sub": sub, "each": each} {
		if err == nil || !strings.Contains(err.Error(), "give it to the nodes inside") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: Compile says %v", name, err)
		}
	}
}
