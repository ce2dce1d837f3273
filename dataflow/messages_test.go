package dataflow_test

import (
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/node"
)

// TestM1_StartOrSendADataflow checks that the first message starts the run, and that the second one goes to the same run.
func TestM1_StartOrSendADataflow(t *testing.T) {
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	sum := dataflow.Unary("sum", "start", "sum", func(ctx node.Context, start int) (int, error) {
		for range 2 {
			n, err := node.Receive[int](ctx, "add")
			if err != nil {
				return 0, err
			}
			start += n
		}
		return start, nil
	})
	g := dataflow.Must(dataflow.New("sum", sum))
	var run *dataflow.Run
	for _, n := range []int{5, 7} {
		if run, err = g.StartOrSend(t.Context(), rt, dataflow.Values{"start": 1}, fermata.WithID("sum-1"), fermata.WithMessage("add", n)); err != nil {
			t.Fatal(err)
		}
	}
	res, err := run.Wait(t.Context())
	if err != nil || res.Status != fermata.Completed || res.Outputs["sum"] != 13 {
		t.Errorf("%s, %v, %v", res.Status, res.Outputs, err)
	}
}
