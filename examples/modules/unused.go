package main

import (
	"maps"
	"slices"
)

// Unused is a module that go.mod requires and no package or test imports here. It may be needed on other systems, with
// other build tags, or as a tool, and so may its version: it says what others have to be content with.
type Unused struct {
	Module   string   `json:"module"`
	Version  string   `json:"version"`
	Indirect bool     `json:"indirect,omitempty"` // marked so in go.mod
	By       []string `json:"by,omitempty"`       // modules of go.mod that require it, too
}

// requiring is what is required, and what is listed.
type requiring struct {
	File    GoMod
	Origins map[string]Origin
	Asks    []Ask
}

// findUnused finds what go.mod requires and nothing imports, and who else requires it. Of the requirement graph only the
// versions count that go.mod has chosen.
func findUnused(in requiring) []Unused {
	chosen := make(map[string]string)
	for _, r := range in.File.Require {
		chosen[r.Path] = r.Version
	}
	by := make(map[string]map[string]bool)
	for _, a := range in.Asks {
		if a.At == "" || chosen[a.By] != a.At {
			continue
		}
		if by[a.Module] == nil {
			by[a.Module] = make(map[string]bool)
		}
		by[a.Module][a.By] = true
	}
	unused := []Unused{}
	for _, r := range in.File.Require {
		if _, listed := in.Origins[r.Path]; !listed {
			unused = append(unused, Unused{r.Path, r.Version, r.Indirect, slices.Sorted(maps.Keys(by[r.Path]))})
		}
	}
	return unused
}

// idle are the requirements without an import that only modules which go, and each other, ask for.
func idle(unused []Unused, gone map[string]bool) []string {
	goes := maps.Clone(gone)
	var list []string
	for found := true; found; {
		found = false
		for _, u := range unused {
			needed := func(by string) bool { return !goes[by] }
			if goes[u.Module] || len(u.By) == 0 || !u.Indirect || slices.ContainsFunc(u.By, needed) {
				continue
			}
			goes[u.Module], found = true, true
			list = append(list, u.Module)
		}
	}
	slices.Sort(list)
	return list
}
