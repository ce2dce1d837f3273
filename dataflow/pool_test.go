package dataflow_test

import (
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/node"
)

// TestJ20_KeysOfPoolsAreReadFromInputs: a node's key comes from what it reads, and a function over another type is refused.
func TestJ20_KeysOfPoolsAreReadFromInputs(t *testing.T) {
	type order struct{ Customer string }
	charge := func(_ node.Context, in order) (int, error) { return len(in.Customer), nil }
	g := dataflow.Must(dataflow.New("shop", dataflow.Func("charge", "paid", charge,
		dataflow.Pool("bank"), dataflow.PoolKey(func(o order) string { return o.Customer }))))
	flat := g.Plan().Flat()[0]
	if key, err := flat.PoolKey(&order{Customer: "ann"}); key != "ann" || err != nil || flat.Pool != "bank" {
		t.Errorf("pool %q, key %q, %v", flat.Pool, key, err)
	}
	_, err := dataflow.New("shop", dataflow.Func("charge", "paid", charge,
		dataflow.Pool("bank"), dataflow.PoolKey(func(o struct{ Name string }) string { return o.Name })))
	if err == nil || !strings.Contains(err.Error(), "its PoolKey takes struct { Name string }, expected a function of its inputs, struct { Customer string") {
		t.Errorf("the error is %v", err)
	}
	_, err = dataflow.New("shop", dataflow.Func("charge", "paid", charge, dataflow.PoolKey(func(o order) string { return o.Customer })))
	if err == nil || !strings.Contains(err.Error(), "it has a key of a pool, and no pool") {
		t.Errorf("the error is %v", err)
	}
}
