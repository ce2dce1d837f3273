package main

import (
	"cmp"
	"math"
	"slices"
)

// Links are the imports between modules that are in the build.
type Links struct {
	Modules []string `json:"modules"` // the own one first, then in the order of their paths
	Out     [][]Link `json:"out"`     // by module, to others
}

// Link leads from a module to another one.
type Link struct {
	To      int `json:"to"`
	Imports int `json:"imports"` // how many: a package of the one imports a package of the other
}

// weigh counts the imports between modules, without those of tests.
func weigh(packages []Package) Links {
	w := newWorld(packages)
	built := w.reach(w.own(), "")
	own, others := "", make([]string, 0)
	for path := range built {
		if p := w.by[path]; p.Own {
			own = p.Module
		} else {
			others = append(others, p.Module)
		}
	}
	slices.Sort(others)
	l := Links{Modules: append([]string{own}, slices.Compact(others)...)}
	at := make(map[string]int)
	for i, m := range l.Modules {
		at[m] = i
	}
	count := make([]map[int]int, len(l.Modules))
	for path := range built {
		p := w.by[path]
		from := at[p.Module]
		for _, imported := range p.Imports {
			to := at[w.by[imported].Module]
			if to == from {
				continue
			}
			if count[from] == nil {
				count[from] = make(map[int]int)
			}
			count[from][to]++
		}
	}
	l.Out = make([][]Link, len(l.Modules))
	for from := range count {
		for to, n := range count[from] {
			l.Out[from] = append(l.Out[from], Link{to, n})
		}
		slices.SortFunc(l.Out[from], func(a, b Link) int { return a.To - b.To })
	}
	return l
}

// weights are what the loop moves.
type weights struct {
	Links   Links
	Weights []float64 `json:",omitempty"` // those of the round before; none in the first
}

// moved are the weights after a round.
type moved struct {
	Weights []float64
	Change  float64 // from the round before, summed up over modules
}

// onward is how likely it is that a walk goes on; else it begins anew.
const onward = 0.85

// rank walks one step along the imports, wherever it may be: it begins in the own module, follows one of the imports that
// lead out of a module, each as likely, and begins anew now and then, and where nothing leads on. A module's weight is
// how likely the walk is there. This is PageRank for somebody who always comes from the own module.
func rank(in weights) moved {
	now := in.Weights
	if len(now) == 0 {
		now = make([]float64, len(in.Links.Modules))
		now[0] = 1
	}
	to := moved{Weights: make([]float64, len(now))}
	for i, w := range now {
		out, all := in.Links.Out[i], 0
		for _, l := range out {
			all += l.Imports
		}
		if all == 0 {
			to.Weights[0] += w
			continue
		}
		to.Weights[0] += float64(w * (1 - onward)) // rounded on purpose: no machine may add in the same go, and come to other weights
		for _, l := range out {
			to.Weights[l.To] += w * onward * float64(l.Imports) / float64(all)
		}
	}
	for i := range now {
		to.Change += math.Abs(to.Weights[i] - now[i])
	}
	return to
}

// standing is what measure looks at.
type standing struct {
	Links     Links
	Weights   []float64
	Change    float64
	Top       int
	Tolerance float64 `default:"0.000001"`
	Order     []int   `json:",omitempty"` // of the round before
	Round     int     `default:"0"`       // likewise
}

// measured is what it finds.
type measured struct {
	Order   []int // the first modules, by their places in Links
	Round   int
	Settled bool
}

// measure orders the modules. The ranking is settled when the first ones are the same as in the round before, and the
// weights have hardly changed.
func measure(in standing) measured {
	m := measured{Order: order(in.Links, in.Weights), Round: in.Round + 1}
	if in.Top > 0 && in.Top < len(m.Order) {
		m.Order = m.Order[:in.Top]
	}
	m.Settled = in.Change < in.Tolerance && slices.Equal(m.Order, in.Order)
	return m
}

// order is the order of modules by weight, the own one left out.
func order(l Links, weights []float64) []int {
	list := make([]int, 0, len(l.Modules))
	for i := 1; i < len(l.Modules); i++ {
		list = append(list, i)
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Or(cmp.Compare(weights[b], weights[a]), a-b) })
	return list
}

// progress is what the gate decides by.
type progress struct {
	Settled bool
	Round   int
	Rounds  int `default:"200"` // at most
}

// gate goes round until the ranking is settled; a ranking that does not settle is given up, and says so.
func gate(in progress) next {
	if in.Settled || in.Round >= in.Rounds {
		return done
	}
	return again
}
