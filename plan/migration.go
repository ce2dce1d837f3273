package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/nearest"
)

// Migration says where the nodes of a plan are in the plan that takes its place (law J8). The zero value moves none.
type Migration struct {
	// Nodes are new paths of nodes, by their old ones: {"review": "approve", "inner/pay": "inner/charge"}. What is in
	// a subgraph moves with it, where no longer path says otherwise. Nodes that are not named keep their paths.
	Nodes map[string]string
}

// Path is where a node of the old plan is in the new one.
func (m Migration) Path(old string) string {
	for at := len(old); at > 0; at = strings.LastIndexByte(old[:at], '/') {
		if to, ok := m.Nodes[old[:at]]; ok {
			return to + old[at:]
		}
	}
	return old
}

// Sources are the paths that a node of the new plan may have had in the old one, in alphabetical order; its own among
// them when nothing was moved there.
func (m Migration) Sources(path string) []string {
	var all []string
	for _, old := range slices.Sorted(maps.Keys(m.Nodes)) {
		to := m.Nodes[old]
		if rest, ok := strings.CutPrefix(path, to); ok && (rest == "" || rest[0] == '/') && m.Path(old+rest) == path {
			all = append(all, old+rest)
		}
	}
	if len(all) == 0 && m.Path(path) == path {
		all = append(all, path)
	}
	return all
}

// Check reports every name that the migration gets wrong: one that the old plan, given by its outline, does not have,
// one that the new plan does not have, and two nodes that would become one. An old outline that is not known is nil.
func (m Migration) Check(oldOutline []byte, p *Plan) error {
	var known []string
	if oldOutline != nil {
		older, err := readOutline(oldOutline)
		if err != nil {
			return fmt.Errorf("the old plan: %w", err)
		}
		known = older.paths("")
	}
	now := make([]string, len(p.flat))
	for i := range p.flat {
		now[i] = p.flat[i].Path
	}
	var problems []error
	taken := make(map[string]string)
	for _, old := range slices.Sorted(maps.Keys(m.Nodes)) {
		to := m.Nodes[old]
		if known != nil && !slices.Contains(known, old) {
			problems = append(problems, fmt.Errorf("%s -> %s: the old plan has no node %q%s", old, to, old, nearest.Hint(old, known)))
		}
		if !slices.Contains(now, to) {
			problems = append(problems, fmt.Errorf("%s -> %s: the new plan has no node %q%s", old, to, to, nearest.Hint(to, now)))
		}
		if first, twice := taken[to]; twice {
			problems = append(problems, fmt.Errorf("%s -> %s: %q goes there already", old, to, first))
		}
		taken[to] = old
	}
	return errors.Join(problems...)
}

// paths are the paths of all nodes of an outline.
func (o *outline) paths(prefix string) []string {
	var all []string
	for i := range o.Nodes {
		n := &o.Nodes[i]
		all = append(all, prefix+n.Name)
		if n.Sub != nil {
			all = append(all, n.Sub.paths(prefix+n.Name+"/")...)
		}
	}
	return all
}
