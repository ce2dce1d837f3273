package plan_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/plan"
)

// A conflict names the field, the branches and what to do; the names of branches and join where they are known.
func TestG4_conflictsTeach(t *testing.T) {
	conflict := func(field string, branches ...int) *plan.MergeConflictError {
		return &plan.MergeConflictError{Field: field, Branches: branches, Reason: "declare a rule"}
	}
	named := plan.MergeConflictsError{conflict("a.b", 0, 2), conflict("c", 1, 7)}
	named.Name("publish", []string{"research", "review", "price"})
	tests := []struct {
		err  error
		want string
	}{
		{conflict("customer.city", 0, 2), `field "customer.city" was changed by branches 0 and 2: declare a rule`},
		{conflict("", 0, 1, 3), `the whole value was changed by branches 0, 1 and 3: declare a rule`},
		{conflict("x", 4), `field "x" was changed by branch 4: declare a rule`},
		{plan.MergeConflictsError{conflict("x", 0, 1)}, `field "x" was changed by branches 0 and 1: declare a rule`},
		{named, "2 fields cannot be merged:" +
			"\n  join \"publish\": field \"a.b\" was changed by branches \"research\" and \"price\": declare a rule" +
			"\n  join \"publish\": field \"c\" was changed by branches \"review\" and 7: declare a rule"},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, tt.err.Error()); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	first, ok := errors.AsType[*plan.MergeConflictError](fmt.Errorf("join: %w", named))
	want := &plan.MergeConflictError{
		Node: "publish", Field: "a.b", Branches: []int{0, 2}, Names: []string{"research", "price"}, Reason: "declare a rule",
	}
	if diff := cmp.Diff(want, first); !ok || diff != "" {
		t.Errorf("found %v (-want +got)\n%s", ok, diff)
	}
}
