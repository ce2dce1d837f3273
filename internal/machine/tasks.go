package machine

import (
	"slices"
	"strings"
)

func (m *Machine) newTask() *Task {
	if n := len(m.free); n > 0 {
		t := m.free[n-1]
		m.free = m.free[:n-1]
		*t = Task{Ops: t.Ops[:0], taskPlace: taskPlace{slots: t.slots[:0]}}
		return t
	}
	return &Task{}
}

// set changes the state of a task and the counts.
func (m *Machine) set(t *Task, to State) {
	switch t.State {
	case Broken:
		m.broken--
	case Backoff:
		m.backoff--
	case Waiting:
		m.waiting--
	case Ready, Inside, Leaving, Choosing:
	}
	t.State, t.atWork = to, false
	switch to {
	case Broken:
		m.broken++
	case Backoff:
		m.backoff++
	case Waiting:
		m.waiting++
	case Ready, Leaving:
		m.list(t)
	case Inside, Choosing:
	}
}

// list puts a task on the list that Next looks at.
func (m *Machine) list(t *Task) {
	if !t.listed {
		t.listed = true
		m.ready = append(m.ready, t)
	}
}

// hand marks a start as handed out.
func (m *Machine) hand(s Start) {
	if s.Task != nil && !s.Task.busy {
		s.Task.busy = true
		m.busy++
	}
	m.start = append(m.start, s)
}

// heard records the first news of a task that was handed out.
func (m *Machine) heard(t *Task) {
	if t.busy {
		t.busy = false
		m.busy--
	}
}

// Abandon returns a task that was handed out and stopped without an outcome. It may be handed out again.
func (m *Machine) Abandon(t *Task) {
	m.heard(t)
	m.list(t)
}

// Alone reports whether only this task and the subgraphs around it are open. Then nothing else can happen while it
// runs.
func (m *Machine) Alone(t *Task) bool {
	if len(m.tokens) > 0 || m.mapped > 0 {
		return false
	}
	depth := 1
	for p := t.scope.parent; p != nil; p = p.scope.parent {
		depth++
	}
	return depth == len(m.tasks)
}

// drop removes a task that has ended, with its timers.
func (m *Machine) drop(t *Task) {
	for i := range t.Ops {
		if !t.Ops[i].Done {
			m.dropTimer(t, &t.Ops[i])
		}
	}
	if last := len(m.tasks) - 1; last >= 0 && m.tasks[last] == t {
		m.tasks = m.tasks[:last]
	} else if i := slices.Index(m.tasks, t); i >= 0 {
		m.tasks = append(m.tasks[:i], m.tasks[i+1:]...)
	}
	m.heard(t)
	m.set(t, Choosing) // not counted
	t.scope.live--
	t.ID = 0 // callers that still hold it see that it is gone
	if t.listed {
		if i := slices.Index(m.ready, t); i >= 0 {
			m.ready = append(m.ready[:i], m.ready[i+1:]...)
		}
	}
	if t.Node < len(m.flat) && m.flat[t.Node].Sub == nil {
		if len(t.Ops) > 0 {
			clear(t.Ops)
		}
		m.free = append(m.free, t)
	}
}

// dropTimer drops the timer of a call, if it has one.
func (m *Machine) dropTimer(t *Task, op *Op) {
	if op.Due != 0 {
		m.dropped = append(m.dropped, m.TaskID(t)+" "+op.ID)
	}
}

// giveUp drops an open task with everything inside it.
func (m *Machine) giveUp(t *Task) {
	m.dropInside(t)
	if t.State == Backoff {
		m.dropped = append(m.dropped, "retry "+m.TaskID(t))
	}
	m.drop(t)
}

// dropInside drops what is left inside a subgraph that failed, or that was left early on another plan (law J8).
func (m *Machine) dropInside(parent *Task) {
	if parent.inside == nil && parent.items == nil && !m.isSub(parent) && !m.replanned() {
		return
	}
	for _, t := range slices.Clone(m.tasks) {
		if t.scope.parent == parent {
			m.giveUp(t)
		}
	}
	m.dropTokens(func(t *token) bool { return t.scope.parent == parent })
	for i := range parent.items {
		if s := parent.items[i].scope; s != nil {
			delete(m.scopes, s.space.prefix)
		}
	}
	if parent.items != nil && parent.begun < parent.of {
		m.mapped--
	}
	parent.inside, parent.items, parent.of, parent.begun, parent.active, parent.over = nil, nil, 0, 0, 0, 0
}

func (m *Machine) hasChild(parent *Task) bool {
	return slices.ContainsFunc(m.tasks, func(t *Task) bool { return t.scope.parent == parent })
}

// within reports whether a scope is inside a task, at any depth.
func (s *scope) within(t *Task) bool {
	for ; s != nil; s = s.up() {
		if s.parent == t {
			return true
		}
	}
	return false
}

// inside reports whether a scope is outer or lies in it, at any depth.
func (s *scope) inside(outer *scope) bool {
	for ; s != nil; s = s.up() {
		if s == outer {
			return true
		}
	}
	return false
}

// up returns the scope around a scope, nil for the run.
func (s *scope) up() *scope {
	if s.parent == nil {
		return nil
	}
	return s.parent.scope
}

// Handed is a start that Next handed out, without news since. It is a task, or a join whose branches are being merged.
type Handed struct {
	task uint64 // its id; 0 for a join
	via  uint64 // of the join's first token
	at   int    // flat index of the join's node
}

// Busy returns what was handed out without news since.
func (m *Machine) Busy() []Handed {
	if m.busy == 0 {
		return nil
	}
	var busy []Handed
	for _, t := range m.tasks {
		if t.busy {
			busy = append(busy, Handed{task: t.ID})
		}
	}
	for i := range m.tokens {
		if tok := &m.tokens[i]; tok.busy {
			busy = append(busy, Handed{via: tok.via, at: tok.at})
		}
	}
	return busy
}

// SetBusy marks starts as handed out in a machine that was folded again meanwhile.
func (m *Machine) SetBusy(busy []Handed) {
	for _, h := range busy {
		if t := m.ByID(h.task); h.task != 0 && t != nil && !t.busy {
			t.busy = true
			m.busy++
		}
		for i := range m.tokens {
			if tok := &m.tokens[i]; h.task == 0 && tok.via == h.via && tok.at == h.at && !tok.busy {
				tok.busy = true
				m.busy++
			}
		}
	}
}

// space names and numbers tasks. The run and its subgraphs share one; each item of a map has its own, so that
// names do not depend on the order of items.
type space struct {
	prefix string   // of paths: "notify#1.3/"; "" for the run
	base   int      // flat index of the first node in it
	cut    int      // length of the part of a node's path that prefix replaces
	visits []uint32 // visits so far, by node
	inARow int      // tasks that have started since the run last waited, if pauses is the machine's
	pauses int      // see progress
	paths  []string // made so far, by node
}

func (m *Machine) pathOf(sp *space, at int) string {
	if at >= len(m.flat) {
		return m.names[at-len(m.flat)]
	}
	if sp.prefix == "" {
		return m.flat[at].Path
	}
	if sp.paths == nil {
		sp.paths = make([]string, len(sp.visits))
	}
	if at < sp.base || at-sp.base >= len(sp.paths) {
		return m.flat[at].Path // of another plan (law J8)
	}
	path := &sp.paths[at-sp.base]
	if *path == "" {
		*path = sp.prefix + m.flat[at].Path[sp.cut:]
	}
	return *path
}

// visit returns the counter of a node's visits.
func (m *Machine) visit(sp *space, at int) *uint32 {
	if i := at - sp.base; at < len(m.flat) && i >= 0 && i < len(sp.visits) {
		return &sp.visits[i]
	}
	return &m.space.visits[at]
}

// resolve returns the node and space of a path in an entry. An unknown node is added to the ghosts (law J8).
func (m *Machine) resolve(path string) (*space, int) {
	if sp, at := m.lookup(path); at >= 0 {
		return sp, at
	}
	if m.ghosts == nil {
		m.ghosts = make(map[string]int)
	}
	i := len(m.space.visits)
	m.ghosts[path] = i
	m.names = append(m.names, path)
	m.space.visits = append(m.space.visits, 0)
	return &m.space, i
}

// lookup returns the node of a path; below 0 for none.
func (m *Machine) lookup(path string) (*space, int) {
	if i, ok := m.plan.Index(path); ok {
		return &m.space, i
	}
	if prefix, rest, ok := cutItem(path); ok {
		if s := m.scopes[prefix]; s != nil {
			if i, ok := m.plan.Index(m.flat[s.parent.Node].Path + "/" + rest); ok {
				return s.space, i
			}
		}
	}
	if i, ok := m.ghosts[path]; ok {
		return &m.space, i
	}
	return nil, -1
}

// cutItem cuts a path after the last item of a map: "notify#1.3/" and "send".
func cutItem(path string) (prefix, rest string, ok bool) {
	hash := strings.LastIndexByte(path, '#')
	if hash < 0 {
		return "", "", false
	}
	slash := strings.IndexByte(path[hash:], '/')
	if slash < 0 {
		return "", "", false
	}
	return path[:hash+slash+1], path[hash+slash+1:], true
}
