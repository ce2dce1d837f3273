package recipe

import (
	"maps"
	"path/filepath"
	"slices"
)

// Folders returns the working directories of programs that agents start, sorted. It covers the agents of the recipe and
// of the recipes in it. The process that runs a run needs these folders: a program whose folder does not exist fails.
// Agents that no node calls start nothing.
func (r *Recipe) Folders() []string {
	all := make(map[string]bool)
	r.doc.eachProgram(make(map[*draft]bool), func(folder, _ string) { all[folder] = true })
	return slices.Sorted(maps.Keys(all))
}

// Programs returns the programs that agents start by a bare name, looked up in PATH, sorted. It covers the agents and
// MCP servers of the recipe and of the recipes in it. Agents that no node calls start nothing.
func (r *Recipe) Programs() []string {
	all := make(map[string]bool)
	r.doc.eachProgram(make(map[*draft]bool), func(_, program string) {
		if filepath.Base(program) == program {
			all[program] = true
		}
	})
	return slices.Sorted(maps.Keys(all))
}

// eachProgram tells of the programs that agents start, and of the folders that they are started in.
func (d *draft) eachProgram(seen map[*draft]bool, yield func(folder, program string)) {
	if seen[d] {
		return
	}
	seen[d] = true
	for name := range d.called() {
		a := d.agents[name]
		if w, starts := can[starter](a); starts && w.program() != "" {
			yield(d.dir, w.program())
		}
		if to := a.callee(); to != nil {
			to.doc.eachProgram(seen, yield)
		}
	}
}
