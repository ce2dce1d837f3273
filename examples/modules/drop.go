package main

import (
	"cmp"
	"maps"
	"slices"
)

// trace finds the direct dependencies that modules come in through: those that lead to one of its packages, by way of
// imports outside of the own module.
func trace(packages []Package) map[string][]string {
	w := newWorld(packages)
	through := make(map[string][]string)
	direct := w.direct()
	for _, d := range slices.Sorted(maps.Keys(direct)) {
		modules := make(map[string]bool)
		for path := range w.reach(direct[d], "") {
			if p := w.by[path]; !p.Own {
				modules[p.Module] = true
			}
		}
		for m := range modules {
			if m != d {
				through[m] = append(through[m], d)
			}
		}
	}
	return through
}

// Drop is what would not be built any more if nothing in the own module imported a direct dependency.
type Drop struct {
	Module   string   `json:"module"`
	Packages int      `json:"packages"`       // its own ones too, unless another dependency needs them
	Lines    int      `json:"lines"`          // in them
	Stays    bool     `json:"stays"`          // another dependency imports it, too
	With     []string `json:"with,omitempty"` // other modules that would go altogether
	Idle     []string `json:"idle,omitempty"` // requirements that nothing imports, and that only what goes asks for
}

// dropping is what is needed to know what goes.
type dropping struct {
	Packages []Package
	Sizes    map[string]int
	Unused   []Unused
}

// drop looks at every direct dependency: what is reached without the imports of it that the own module has? What goes
// with the most lines comes first.
func drop(in dropping) []Drop {
	w := newWorld(in.Packages)
	built := w.reach(w.own(), "")
	drops := []Drop{}
	for d := range w.direct() {
		drops = append(drops, in.without(w, built, d))
	}
	slices.SortFunc(drops, func(a, b Drop) int {
		return cmp.Or(b.Lines-a.Lines, cmp.Compare(a.Module, b.Module))
	})
	return drops
}

// without is what goes with one direct dependency.
func (in *dropping) without(w *world, built map[string]bool, module string) Drop {
	d := Drop{Module: module}
	stays := w.reach(w.own(), module)
	left, gone := make(map[string]bool), make(map[string]bool)
	for path := range stays {
		left[w.by[path].Module] = true
	}
	for path := range built {
		if stays[path] {
			continue
		}
		d.Packages++
		d.Lines += in.Sizes[path]
		if m := w.by[path].Module; !left[m] {
			gone[m] = true
		}
	}
	d.Stays = !gone[module]
	d.Idle = idle(in.Unused, gone)
	delete(gone, module)
	d.With = slices.Sorted(maps.Keys(gone))
	return d
}
