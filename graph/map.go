package graph

import "github.com/fermata-go/fermata/plan"

// Limit lets at most n items of a map be at work at once. 0, the default, does not limit. It is for [Map] and [MapKeep]
// and means nothing to other nodes.
func Limit(n int) NodeOption {
	return func(p *plan.Node) {
		if p.Map == nil {
			p.Map = &plan.Map{} // Compile says that the node is no map
		}
		p.Map.Limit = n
	}
}

// Of is a graph of one node: for the items of a [Map] whose work is a function.
func Of[S any](name string, f Func[S], opts ...NodeOption) *Builder[S] {
	return New[S](name).Node(name, f, opts...).Edge(Start, name)
}

// Map adds a node that runs child once for each item of a list (law G5). gather receives the results in the order of
// the items, independently of timing. Each item's tasks are journaled by themselves, as "notify#1.3/send#1" (first
// visit, third item): they fail, are tried again, wait for people and are resumed alone. At most [Limit] items are at
// work at once; one that waits for a person is, too. No items give no results. A failed item fails the node, once the
// items at work have ended, and a retry of the run runs it and those that had not begun; [MapKeep] keeps failures
// instead.
//
// The functions items and gather are pure: they may be called again after a crash.
func Map[S, C any](
	b *Builder[S], name string, items func(S) ([]C, error), child *Graph[C], gather func(S, []C) (S, error), opts ...NodeOption,
) *Builder[S] {
	if gather == nil {
		b.problem("map %q has no function that gathers its results", name)
		return b
	}
	return mapOver(b, name, items, child, false, func(s S, results []Item[C]) (S, error) {
		values := make([]C, len(results))
		for i := range results {
			values[i] = results[i].Value
		}
		return gather(s, values)
	}, opts)
}

// Item is the outcome of one item of a [MapKeep].
type Item[C any] struct {
	Value C     // the state that the item ended with; zero where it failed
	Err   error // why it failed. After a restart only its text and its kind (errors.Is) are known
}

// MapKeep is [Map] with failures kept in their place among the results.
func MapKeep[S, C any](
	b *Builder[S], name string, items func(S) ([]C, error), child *Graph[C], gather func(S, []Item[C]) (S, error), opts ...NodeOption,
) *Builder[S] {
	if gather == nil {
		b.problem("map %q has no function that gathers its results", name)
		return b
	}
	return mapOver(b, name, items, child, true, gather, opts)
}

func mapOver[S, C any](
	b *Builder[S], name string, items func(S) ([]C, error), child *Graph[C], keep bool, gather func(S, []Item[C]) (S, error), opts []NodeOption,
) *Builder[S] {
	if child == nil || items == nil {
		b.problem("map %q: a graph and the function that gives its items are needed", name)
		return b
	}
	m := &plan.Map{
		Keep: keep,
		Split: func(v any) ([]any, error) {
			list, err := items(*v.(*S)) //nolint:forcetypeassert // the codec makes nothing else
			if err != nil {
				return nil, err
			}
			all := make([]any, len(list))
			for i := range list {
				all[i] = &list[i]
			}
			return all, nil
		},
		Gather: func(v any, results []plan.Item) (any, error) {
			list := make([]Item[C], len(results))
			for i, r := range results {
				if list[i].Err = r.Err; r.Err == nil {
					list[i].Value = *r.Value.(*C) //nolint:forcetypeassert // the codec makes nothing else
				}
			}
			s, err := gather(*v.(*S), list) //nolint:forcetypeassert // the codec makes nothing else
			return &s, err
		},
	}
	return b.add(plan.Node{Name: name, Kind: plan.Sub, Sub: child.plan, Map: m}, opts)
}
