package recipe

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/plan"
)

// poolKeys are those of a pool that a recipe declares.
var poolKeys = []string{"concurrent", "starts", "per_seconds", "burst"}

// mostPlaces is how many places a pool may have that all processes share (law J20).
const mostPlaces = 1000

// pools are those that a recipe declares, by name.
type pools map[string]plan.Pool

// readPools reads the pools that nodes of the recipe name.
func readPools(o *document.Object) pools {
	all := make(pools)
	for _, p := range o.Pairs("pools") {
		if fault := nameFault(p.Key.Text); fault != "" {
			o.Report.Add(p.Key.Spot, "the pool %s %s", document.Quote(p.Key.Text), fault)
		}
		all[p.Key.Text] = readPool(p.Value, o.Report)
	}
	return all
}

func readPool(at document.Spot, r *document.Report) (pool plan.Pool) {
	o := document.NewObject(at, r, poolKeys)
	if at.Node.Kind != yaml.MappingNode {
		return pool
	}
	pool.Concurrent, pool.Burst = o.Number("concurrent", 1, 0), o.Number("burst", 1, 0)
	if pool.Concurrent > mostPlaces {
		r.Add(o.At("concurrent"), "a pool has at most %d places, since each change of one writes all of them; found %d", mostPlaces, pool.Concurrent)
	}
	starts, per := o.Number("starts", 1, 0), o.SecondsOf("per_seconds")
	switch {
	case o.Has("starts") != o.Has("per_seconds"):
		r.Add(at, "starts and per_seconds belong together: starts: 50 and per_seconds: 60 are 50 starts a minute")
	case starts > 0:
		pool.Every = max(per/time.Duration(starts), 1)
	case o.Has("burst"):
		r.Add(o.At("burst"), "burst is what may go beyond a rate; give starts and per_seconds too")
	case !o.Has("concurrent"):
		r.Add(at, "the pool limits nothing; give concurrent, or starts and per_seconds")
	}
	return pool
}

// poolPart is what a node says about its pool.
type poolPart struct {
	pool    document.Word   // the name of the pool; "" for none
	poolKey expression.Path // of the key in it; no text for none
}

func (p *poolPart) readPool(o *document.Object) {
	p.pool = o.Text("pool")
	if key := o.Text("pool_key"); key.Text != "" {
		p.poolKey, _ = pathAt(key, o.Report)
	}
	if o.Has("pool_key") && !o.Has("pool") {
		o.Report.Add(o.At("pool_key"), "pool_key is for a node in a pool; give pool too")
	}
}

// checkPool checks the pool of a node, and what its key is read from.
func (c *checked) checkPool(n *step, a *agent, before expression.Names) {
	if n.pool.Text == "" {
		return
	}
	if _, declared := c.pools[n.pool.Text]; !declared {
		known := slices.Sorted(maps.Keys(c.pools))
		c.report.Add(n.pool.Spot, "there is no pool %s%s", document.Quote(n.pool.Text), c.report.NearestOr(n.pool.Text, known))
	}
	if a.calls() != nil {
		c.report.Add(n.pool.Spot, "a recipe takes no place in a pool where it is called: give pool to its own nodes")
		return
	}
	if n.poolKey.Text == "" {
		return
	}
	before.Failure = expression.Absent
	if n.each != nil {
		before = c.flow.arguments(n, before)
	}
	at := n.Member("pool_key")
	if t := c.checkPath(n.poolKey, at, before, n); t.Kinds != 0 && t.Never(poolKeyKinds) {
		c.report.Add(at, "%s is %s, and keys are texts, numbers and booleans", document.Quote(n.poolKey.Text), t.Kinds)
	}
}

const poolKeyKinds = expression.TextKind | expression.NumberKind | expression.BoolKind | expression.NullKind

// compilePool puts a node into its pool.
func (n *step) compilePool(pn *plan.Node) {
	if pn.Pool = n.pool.Text; pn.Pool == "" || n.poolKey.Text == "" {
		return
	}
	path := n.poolKey
	pn.PoolKey = func(v any) (string, error) {
		bb, err := board(v)
		if err != nil {
			return "", definite{err}
		}
		found, _, err := path.In(bb)
		if err != nil {
			return "", definite{err}
		}
		if found == nil && path.Optional {
			return "", nil
		}
		switch found.(type) {
		case string, bool, json.Number:
			return expression.Text(found), nil
		}
		return "", definite{fmt.Errorf("path %q: expected a text, a number or a boolean, found %s", path.Text, expression.Describe(found))}
	}
}
