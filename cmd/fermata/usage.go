package main

import (
	"maps"
	"slices"
	"strconv"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/journal"
)

// shownUsage is what the models of a run took, in --json.
type shownUsage struct {
	fermata.Usage
	Nodes map[string]fermata.Usage `json:"nodes"` // by the path of the node
}

func usageOf(result *fermata.Result) *shownUsage {
	if result.Usage.Calls == 0 {
		return nil
	}
	return &shownUsage{Usage: result.Usage, Nodes: result.UsageByNode}
}

// showUsage shows what the models of a run took, in all and, where several nodes called them, by node.
func (m *Main) showUsage(result *fermata.Result) {
	if result.Usage.Calls == 0 {
		return
	}
	s := m.out
	t := term.Table{Head: []string{"MODELS", "CALLS", "TOKENS IN", "TOKENS OUT", "COST"}, Right: []bool{false, true, true, true, true}}
	row := func(name string, u fermata.Usage) {
		t.Rows = append(t.Rows, []string{
			term.OneLine(name), number(u.Calls), number(u.Input), number(u.Output), costOf(u),
		})
	}
	if len(result.UsageByNode) > 1 {
		for _, path := range slices.Sorted(maps.Keys(result.UsageByNode)) {
			row(path, result.UsageByNode[path])
		}
	}
	row("in all", result.Usage)
	s.Println("")
	s.Println(s.Fit(t.Lines(s))...)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// costOf is a cost in dollars; it says so where that of some calls, or of all, is not known.
func costOf(u fermata.Usage) string {
	switch {
	case u.Unpriced == 0:
		return journal.Dollars(u.Cost)
	case u.Unpriced == u.Calls:
		return "not known"
	}
	return journal.Dollars(u.Cost) + " and " + term.Count(int(u.Unpriced), "call") + " without a price"
}
