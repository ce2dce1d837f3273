package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/nearest"
)

// Migration says where the nodes and values of a plan are in the plan that takes its place (law J8). The zero value moves
// none.
type Migration struct {
	// Nodes are new paths of nodes, by their old ones: {"review": "approve", "inner/pay": "inner/charge"}.
	// Nodes inside a subgraph move with it, unless a longer path is given. Nodes that are not named keep their
	// paths.
	Nodes map[string]string

	// Values are new names of values, by their old ones: {"approval_prompt": "prompt_data"}. In a dataflow they are what
	// nodes read and write, in a subgraph behind its path ("inner/prompt"); elsewhere they are members of the state, and
	// count for every state whose type does not have the old name. A value whose new name is "" is dropped.
	Values map[string]string

	// State converts what the run holds, after Values: each state that a token or a task has, also in subgraphs; in a
	// dataflow each record of what a node has written or the run was given, an object with the values by name. It is
	// asked once, before the run goes on, and what it returns is recorded. It returns what it does not mean as it is. An
	// error refuses the migration.
	State func(old json.RawMessage) (json.RawMessage, error)
}

// Standing is where a path of a run goes on, and with which state.
type Standing struct {
	Node  string          // "" for a path that has ended
	By    string          // the task, "ask#1", or the node that the state is on its way to: as errors name it
	State json.RawMessage // JSON
	Waits bool            // for the other branches, at the node where they meet
	Left  bool            // the node has run with the state, and what it has made is on its way
}

// Misfit is a value that a run holds, or lacks, and that has no place in a plan (law J8). It does not show the value itself.
type Misfit struct {
	Value  string // its name or path: "amount", "items.0.price"
	Reason string // who holds or reads it, and what is against it
	Hint   string // "" or which names may be the same
}

// Applicable returns the declared renames ([Definition].Renamed) that apply to a run of another plan. These are
// nodes that only the earlier plan has, by the given outline, and all values.
func (p *Plan) Applicable(oldOutline []byte) Migration {
	declared := p.def.Renamed
	if declared == nil || declared.Empty() {
		return Migration{}
	}
	older, err := readOutline(oldOutline)
	if err != nil {
		return Migration{}
	}
	m := Migration{Values: declared.Values, State: declared.State}
	for _, old := range older.paths("") {
		to, moved := declared.Nodes[old]
		_, kept := p.index[old]
		_, there := p.index[to]
		if !moved || kept || !there {
			continue
		}
		if m.Nodes == nil {
			m.Nodes = make(map[string]string)
		}
		m.Nodes[old] = to
	}
	return m
}

// Empty reports whether the migration changes nothing.
func (m Migration) Empty() bool { return len(m.Nodes)+len(m.Values) == 0 && m.State == nil }

// Renamed returns the new name of a value; false if it keeps its name. The scope is the path of its subgraph in
// the new plan, "" for the run. The name is "" for a value that is dropped.
func (m Migration) Renamed(scope, name string) (string, bool) {
	for old, to := range m.Values {
		was, oldName := cutValue(old)
		if oldName != name || m.Path(was) != scope {
			continue
		}
		_, to = cutValue(to)
		return to, true
	}
	return name, false
}

// cutValue takes the path of a subgraph off the name of a value.
func cutValue(value string) (scope, name string) {
	if cut := strings.LastIndexByte(value, '/'); cut >= 0 {
		return value[:cut], value[cut+1:]
	}
	return "", value
}

// checkValues reports the names of values that the dataflows of either plan do not have.
func (m Migration) checkValues(older *outline, newer map[string]bool) (problems []error) {
	was := make(map[string]bool)
	if older != nil {
		older.values("", was)
	}
	for _, old := range slices.Sorted(maps.Keys(m.Values)) {
		to := m.Values[old]
		scope, name := cutValue(old)
		if known := inScope(was, scope); len(known) > 0 && !slices.Contains(known, name) {
			problems = append(problems, fmt.Errorf("value %s -> %s: the old plan has no value %q%s", old, to, name, nearest.Hint(name, known)))
		}
		if to == "" {
			continue
		}
		scope, name = cutValue(to)
		if known := inScope(newer, scope); len(known) > 0 && !slices.Contains(known, name) {
			problems = append(problems, fmt.Errorf("value %s -> %s: the new plan has no value %q%s", old, to, name, nearest.Hint(name, known)))
		}
	}
	return problems
}

// inScope are the names of values in a subgraph.
func inScope(values map[string]bool, scope string) (names []string) {
	for _, value := range slices.Sorted(maps.Keys(values)) {
		if in, name, _ := strings.Cut(value, "/"); scope == "" && in == "" {
			names = append(names, name)
		} else if rest, ok := strings.CutPrefix(value, scope+"/"); ok && scope != "" && !strings.Contains(rest, "/") {
			names = append(names, rest)
		}
	}
	return names
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

// Sources returns the paths that a node of the new plan may have had in the old one, sorted. Its own is among
// them if nothing was moved there.
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

// Check reports every name that the migration gets wrong. Those are names that the old plan, given by its outline, does
// not have, names that the new plan does not have, and two nodes that would become one. An old outline that is not
// known is nil.
func (m Migration) Check(oldOutline []byte, p *Plan) error {
	var known []string
	var older *outline
	if oldOutline != nil {
		var err error
		if older, err = readOutline(oldOutline); err != nil {
			return fmt.Errorf("the old plan: %w", err)
		}
		known = older.paths("")
	}
	now := make([]string, len(p.flat))
	for i := range p.flat {
		now[i] = p.flat[i].Path
	}
	names := make(map[string]bool)
	p.outlined().values("", names)
	problems := m.checkValues(older, names)
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
