package definitiontest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// told keeps what a test would have been told.
type told struct {
	testing.TB
	errors []string
}

func (r *told) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// TestSchemasThatOweSomething checks that what a schema lacks is said.
func TestSchemasThatOweSomething(t *testing.T) {
	doc := Schema(t, []byte(`{
		"properties": {"a": {"description": "A"}, "b": {"$ref": "#/$defs/b"}, "c": {"$ref": "#/$defs/c"}, "d": {}},
		"allOf": [
			{"if": {"properties": {"type": {"const": "x"}}, "required": ["type"]}, "then": {"$ref": "#/$defs/x"}},
			{"if": {"properties": {"type": {"const": "y"}}}, "then": {"$ref": "#/$defs/x"}}
		],
		"$defs": {"b": {"description": "B"}, "c": {}, "x": {"properties": {"type": {"const": "x", "description": "X"}}}}
	}`))
	r := &told{TB: t}
	kinds := doc.Kinds(r, "", "type")
	want := []string{
		": the type y is described by #/$defs/x, which is of x",
		": #/$defs/x is also valid without type",
	}
	if diff := cmp.Diff(want, r.errors); diff != "" || !cmp.Equal(kinds, []string{"x", "y"}) {
		t.Errorf("kinds %v (-want +got):\n%s", kinds, diff)
	}
	r = &told{TB: t}
	doc.Explains(r, 6)
	if len(r.errors) != 3 || !cmp.Equal(doc.Keys(), []string{"a", "b", "c", "d"}) {
		t.Errorf("keys %v, found %q; expected that c and d are not explained, and that there are too few", doc.Keys(), r.errors)
	}
}
