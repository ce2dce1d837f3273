package dialogue

import (
	"fmt"
	"testing"
)

// TestCommandSchemasAreCompiledOnce compiles one schema for each set of flows that turns show a model, and keeps a
// bounded number of them.
func TestCommandSchemasAreCompiledOnce(t *testing.T) {
	def := Definition{Name: "many"}
	for i := range mostCommandSchemas + 1 {
		def.Flows = append(def.Flows, Flow{Name: fmt.Sprint("flow", i), Trigger: []string{fmt.Sprint("word", i)}, Steps: []Step{{ID: "tell", Type: InformStep, Message: "Yes."}}})
	}
	d, err := Compile(def, Options{})
	if err != nil {
		t.Fatal(err)
	}
	compiled := func(flows ...*flow) string {
		t.Helper()
		s, err := d.commandSchema(flows, nil)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := d.commandSchema(flows, nil); err != nil || again != s {
			t.Errorf("compiled again for the same flows (%v)", err)
		}
		if n := len(d.commands.byFlows); n > mostCommandSchemas {
			t.Errorf("%d schemas are kept, expected at most %d", n, mostCommandSchemas)
		}
		return s.ID()
	}
	if compiled(d.order[0]) == compiled(d.order[0], d.order[1]) {
		t.Error("one schema for different flows")
	}
	for i := range d.order {
		compiled(d.order[i])
	}
}
