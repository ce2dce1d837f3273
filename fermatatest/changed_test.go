package fermatatest_test

import (
	"testing"

	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/node"
)

// A node that is tested by itself has each change that its code asks for, also when it is replayed (law N13).
func TestN13_ANodeUnderTestHasTheChange(t *testing.T) {
	ctx := fermatatest.NewContext(t)
	say := func(ctx node.Context, _ string) (string, error) {
		changed, err := node.Changed(ctx, "politer")
		if err != nil || !changed {
			return "old", err
		}
		return node.Step(ctx, "say", func(node.Context) (string, error) { return "please", nil })
	}
	for range 2 {
		if got, err := fermatatest.Run(ctx, say, ""); err != nil || got != "please" {
			t.Fatalf("got %q, %v", got, err)
		}
	}
}
