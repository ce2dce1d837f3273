package fermata_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// A deprecated name does the same as the name that replaces it, until the next minor version.
//
//nolint:staticcheck // this test is the one user of the deprecated names
func TestDeprecatedNames(t *testing.T) {
	if graph.END != node.End || dataflow.END != node.End {
		t.Errorf("END is %q and %q, not %q", graph.END, dataflow.END, node.End)
	}

	want := runtype.OptionsOf([]fermata.AnswerOption{fermata.AsPerson("Ada"), fermata.AsRole("clerk", "judge")})
	got := runtype.OptionsOf([]fermata.AnswerOption{fermata.As("Ada"), fermata.InRole("clerk", "judge")})
	if diff := cmp.Diff(want, got); diff != "" || got.By != "Ada" {
		t.Errorf("As and InRole (-want +got):\n%s", diff)
	}

	cached := func(opt graph.NodeOption) *plan.Cache {
		var n plan.Node
		opt(&n)
		return n.Cache
	}
	if diff := cmp.Diff(cached(graph.CacheFor("1", time.Hour)), cached(graph.Cache("1", time.Hour))); diff != "" {
		t.Errorf("Cache with a lifetime (-want +got):\n%s", diff)
	}
}
