package main

import (
	"maps"
	"slices"
)

// Module is a module as far as it is used here.
type Module struct {
	Path      string `json:"path"`
	Version   string `json:"version,omitempty"`
	Replaced  string `json:"replaced,omitempty"`
	Own       bool   `json:"own,omitempty"`
	Tests     bool   `json:"tests,omitempty"`     // only tests lead to it
	Packages  int    `json:"packages"`            // that are built
	Lines     int    `json:"lines"`               // of Go in them
	Importers int    `json:"importers,omitempty"` // packages of the own module that import it
}

// counted is what is known of packages.
type counted struct {
	Packages []Package
	Origins  map[string]Origin
	Sources  []Source
	Counts   [][]int // lines, of the packages of the sources
}

// grouped is what is known of modules.
type grouped struct {
	Modules []Module       // in the order of their paths
	Sizes   map[string]int // lines by package
}

// group adds up packages by module. What only tests import counts for modules that only tests lead to.
func group(in counted) grouped {
	g := grouped{Sizes: make(map[string]int)}
	for i, s := range in.Sources {
		for k, part := range s.Parts {
			g.Sizes[part.Package] = in.Counts[i][k]
		}
	}
	w := newWorld(in.Packages)
	built := w.reach(w.own(), "")
	used := make(map[string]bool) // modules that are in the build
	for path := range built {
		used[w.by[path].Module] = true
	}
	by := make(map[string]*Module)
	for i := range in.Packages {
		p := &in.Packages[i]
		if used[p.Module] && !built[p.Path] {
			continue
		}
		m := by[p.Module]
		if m == nil {
			o := in.Origins[p.Module]
			m = &Module{Path: p.Module, Version: o.Version, Replaced: o.Replaced, Own: p.Own, Tests: !used[p.Module]}
			by[p.Module] = m
		}
		m.Packages++
		m.Lines += g.Sizes[p.Path]
	}
	for module, n := range importers(w) {
		by[module].Importers = n
	}
	for _, path := range slices.Sorted(maps.Keys(by)) {
		g.Modules = append(g.Modules, *by[path])
	}
	return g
}

// importers are how many packages of the own module import each other module.
func importers(w *world) map[string]int {
	count := make(map[string]int)
	for i := range w.all {
		if !w.all[i].Own {
			continue
		}
		modules := make(map[string]bool)
		for _, path := range w.all[i].Imports {
			if p := w.by[path]; !p.Own {
				modules[p.Module] = true
			}
		}
		for m := range modules {
			count[m]++
		}
	}
	return count
}
