package recipe

import (
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/plan"
)

// renamedKeys are the keys of renamed.
var renamedKeys = []string{"nodes", "values"}

// renamed says which names of earlier versions of the recipe are which now; of a value, "" is that it is needed no more (law J8).
type renamed struct{ nodes, values []document.TextPair }

func readRenamed(o *document.Object) renamed {
	return renamed{nodes: o.Texts("nodes"), values: o.Texts("values")}
}

// migration is what the plan declares; nil for nothing.
func (r *renamed) migration() *plan.Migration {
	if len(r.nodes)+len(r.values) == 0 {
		return nil
	}
	return &plan.Migration{Nodes: textsOf(r.nodes), Values: textsOf(r.values)}
}

func textsOf(pairs []document.TextPair) map[string]string {
	all := make(map[string]string, len(pairs))
	for _, p := range pairs {
		all[p.Key.Text] = p.Value.Text
	}
	return all
}

// checkRenamed checks that new names are there, and old ones are not.
func (c *checked) checkRenamed() {
	taken := make(map[string]string)
	for _, p := range c.renamed.nodes {
		if c.wiring.byID[p.Key.Text] != nil {
			c.report.Add(p.Key.Spot, "the node %s is still there; renamed lists names that are gone", document.Quote(p.Key.Text))
		}
		if c.wiring.byID[p.Value.Text] == nil {
			c.report.Add(p.Value.Spot, "there is no node %s%s", document.Quote(p.Value.Text), c.report.HintOr(p.Value.Text, c.wiring.ids))
		}
		if first, twice := taken[p.Value.Text]; twice {
			c.report.Add(p.Value.Spot, "the node %s is the new name of %s already", document.Quote(p.Value.Text), document.Quote(first))
		}
		taken[p.Value.Text] = p.Key.Text
	}
	for _, p := range c.renamed.values {
		for n := range c.wiring.seen {
			if c.flow.before[n].Listed(p.Key.Text) && !c.flow.before[n].Board(p.Key.Text).Missing {
				c.report.Add(p.Key.Spot, "%s is still on the blackboard; renamed lists names that are gone", document.Quote(p.Key.Text))
				break
			}
		}
	}
}
