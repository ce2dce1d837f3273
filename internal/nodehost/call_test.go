package nodehost_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/nodehost"
)

// The parts of identities, from the outside of a reasoning to a step of a tool that it has called.
func TestN2_TheIdentityOfACall(t *testing.T) {
	const (
		reason = "reason:a:b~c#1"
		try    = reason + "~2"
		tool   = "tool:" + try + nodehost.Inside + "book#3"
		step   = "step:" + tool + nodehost.Inside + "pay:it#1"
	)
	type parts struct {
		Kind                 nodehost.Kind
		Scope, Untried, Text string
	}
	tests := map[string]parts{
		"":            {"", "", "", ""},
		"step:pay#1":  {"step", "", "step:pay#1", "step:pay#1"},
		"step:a~b#1":  {"step", "", "step:a~b#1", "step:a~b#1"},
		reason:        {"reason", "", reason, reason},
		try:           {"reason", "", reason, try},
		tool:          {"tool", try, tool, "tool:reason:a:b~c#1~2/book#3"},
		step:          {"step", tool, step, "step:tool:reason:a:b~c#1~2/book#3/pay:it#1"},
		"int_1":       {"int_1", "", "int_1", "int_1"},
		"step:s~2#10": {"step", "", "step:s~2#10", "step:s~2#10"},
	}
	for id, want := range tests {
		got := parts{nodehost.CallKind(id), nodehost.CallScope(id), nodehost.CallUntried(id), nodehost.CallText(id)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", id, diff)
		}
	}
	for _, inside := range []struct {
		id, outer string
		want      bool
	}{
		{step, tool, true},
		{step, try, true},
		{step, reason, false},
		{tool, try, true},
		{tool, tool, false},
		{step, "", false},
		{"step:pay#1", "", false},
		{"tool:xreason:p#1" + nodehost.Inside + "b#1", "reason:p#1", false},
	} {
		if got := nodehost.CallInside(inside.id, inside.outer); got != inside.want {
			t.Errorf("%q inside of %q: %t", inside.id, inside.outer, got)
		}
	}
}
