package fermatatest

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
)

// apart are the tasks whose calls were made by several goroutines of the node: they come in any order.
func (tr *trial) apart() map[string]bool {
	return tr.tasksWith(func(e *journal.Entry) bool { return e.Flags&journal.FlagApart != 0 })
}

// tasksWith are the tasks that have an entry of some kind.
func (tr *trial) tasksWith(is func(e *journal.Entry) bool) map[string]bool {
	all := make(map[string]bool)
	for i := range tr.journal {
		if e := &tr.journal[i]; is(e) {
			all[taskOf(e)] = true
		}
	}
	return all
}

// outermost is the call that another one was made inside of, however deep.
func outermost(op string) string {
	for scope := nodehost.CallScope(op); scope != ""; scope = nodehost.CallScope(scope) {
		op = scope
	}
	return op
}

// toolOf is the call of a tool that an entry is of, or was made inside of; "" for none.
func toolOf(op string) string {
	for op != "" && !ofTool(op) {
		op = nodehost.CallScope(op)
	}
	return op
}

func ofTool(op string) bool { return nodehost.CallKind(op) == nodehost.KindTool }

// inTurn puts what each tool recorded behind what the task did, by the names of the calls: tools are at work beside each
// other, and who of them comes first is no outcome.
func inTurn(list, tools []string) []string {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(tools[a], tools[b]) })
	sorted := make([]string, len(list))
	for i, from := range order {
		sorted[i] = list[from]
	}
	return sorted
}
