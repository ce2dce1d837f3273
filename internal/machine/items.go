package machine

import (
	"slices"
	"strconv"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
)

// item is one item of a map (law G5). Items are taken up in their order.
type item struct {
	ref     uint64             // its input
	scope   *scope             // while it is at work
	ends    []arrival          // the paths that it ended with, none where it failed
	slots   []slot             // of a dataflow: the values that it ended with
	failure journal.FailedBody // zero for success
}

// itemMade records the input of an item.
func (m *Machine) itemMade(e *journal.Entry, t *Task, body journal.RouteBody) error {
	if t == nil && m.replanned() {
		return nil // what it led to says so itself
	}
	if t == nil || !m.isMap(t) && !m.replanned() {
		return m.corrupt(e, "an item of a task that is no map, or not open")
	}
	if t.State == Ready && t.items == nil && body.Of <= mostItems {
		t.of = body.Of
		t.items = make([]item, 0, min(t.of, 1024)) // what an entry says may be anything
		m.mapped++
		m.set(t, Inside)
	}
	if t.State != Inside || body.Of != t.of || body.Item != len(t.items)+1 || body.Item > t.of || !e.HasValue() {
		return m.corrupt(e, "item %d of %d (at most %d are allowed) of a task that is %s with %d of %d items",
			body.Item, body.Of, mostItems, t.State, len(t.items), t.of)
	}
	t.items = append(t.items, item{ref: e.Seq})
	return nil
}

// mostItems is how many items a map may have.
const mostItems = 1 << 24

// beginItem takes up the item of a map that a path leads into, if that is the next one.
func (m *Machine) beginItem(path string) {
	prefix, _, ok := cutItem(path)
	if !ok || m.scopes[prefix] != nil {
		return
	}
	for _, t := range m.tasks {
		if t.begun < len(t.items) && m.isMap(t) && m.itemPrefix(t, t.begun+1) == prefix {
			m.takeUp(t)
			return
		}
	}
}

func (m *Machine) isMap(t *Task) bool { return t.Node < len(m.flat) && m.flat[t.Node].Map != nil }

// itemPrefix is what the paths of an item's tasks begin with.
func (m *Machine) itemPrefix(t *Task, number int) string {
	return m.pathOf(t.scope.space, t.Node) + "#" + strconv.Itoa(int(t.Visit)) + "." + strconv.Itoa(number) + "/"
}

// takeUp begins the next item: its token is put at the first nodes of the subgraph. That an item was taken up is no fact
// of its own: the first task in it says so, which begins at the same time.
func (m *Machine) takeUp(t *Task) {
	f := &m.flat[t.Node]
	sp := &space{prefix: m.itemPrefix(t, t.begun+1), base: t.Node + 1, cut: len(f.Path) + 1, visits: make([]uint32, f.Size)}
	it := &t.items[t.begun]
	it.scope = &scope{parent: t, item: t.begun + 1, space: sp}
	t.active++
	if t.begun++; t.begun == t.of {
		m.mapped--
	}
	if m.scopes == nil {
		m.scopes = make(map[string]*scope)
	}
	m.scopes[sp.prefix] = it.scope
	if f.Sub.Dataflow() != nil {
		m.openInside(it.scope, t, it.ref)
		return
	}
	m.spread(token{ref: it.ref, own: true, scope: it.scope, via: it.ref, fromNode: t.Node, fromVisit: t.Visit}, f.Entries)
}

// startItems takes up as many items of maps as may be at work at once, and begins their first tasks.
func (m *Machine) startItems(at int64) error {
	for t := m.nextItem(); t != nil; t = m.nextItem() {
		next := func() string {
			return nodehost.TaskID(m.itemPrefix(t, t.begun+1)+m.flat[m.flat[t.Node].Entries[0]].Name, 1)
		}
		if full, err := m.full(at, nil, next); full || err != nil {
			return err
		}
		from := len(m.tokens)
		m.takeUp(t)
		err := m.startTokens(at, from)
		if err == nil && !m.isEnding() && !m.isHeld() {
			err = m.startFlows(at)
		}
		if err != nil || m.isEnding() || m.isHeld() {
			return err
		}
	}
	return nil
}

// nextItem finds a map whose next item may be taken up, nil for none.
func (m *Machine) nextItem() *Task {
	if m.mapped == 0 || m.stopped {
		return nil
	}
	for _, t := range m.tasks {
		if t.begun == len(t.items) || t.State != Inside || !m.isMap(t) || m.broken > 0 && (m.doomed(t.scope) || m.failing(t) != nil) {
			continue
		}
		if limit := m.flat[t.Node].Map.Limit; limit == 0 || t.active < limit {
			return t
		}
	}
	return nil
}

// itemOver notes that all paths of an item have ended.
func (m *Machine) itemOver(t *Task, s *scope) {
	it := &t.items[s.item-1]
	it.ends = s.ends
	m.closeItem(t, it)
}

// itemFailed notes that an item has failed where its map keeps failures.
func (m *Machine) itemFailed(t *Task) {
	s := t.scope
	it := &s.parent.items[s.item-1]
	it.failure = t.Error
	for _, other := range slices.Clone(m.tasks) {
		if other.scope == s && other != t {
			m.giveUp(other)
		}
	}
	m.dropTokens(func(tok *token) bool { return tok.scope == s })
	s.ends = nil
	m.closeItem(s.parent, it)
}

// mapAgain begins the next attempt of a map: items that are done stay done (law J4), and what has failed in the others is
// tried again.
func (m *Machine) mapAgain(t *Task) {
	for _, other := range m.tasks {
		if other.scope.within(t) {
			m.takeUpAgain(other)
		}
	}
	m.goOn(t)
}

// goOn lets a map go on with its items, or with their results where they are all over.
func (m *Machine) goOn(t *Task) {
	if t.over == t.of {
		m.set(t, Leaving)
	} else {
		m.set(t, Inside)
	}
}

func (m *Machine) closeItem(t *Task, it *item) {
	delete(m.scopes, it.scope.space.prefix)
	it.scope = nil
	t.active--
	if t.over++; t.over == t.of {
		m.set(t, Leaving)
	}
}

// Item is the outcome of an item of a map.
type Item struct {
	Join    *Join              // of the paths that it ended with, nil where it failed
	Slots   []Slot             // of a dataflow: the values that it ended with, in the order of its outputs
	Failure journal.FailedBody // zero for success
}

// Items are the items of a map's task that is Leaving, in their order.
func (m *Machine) Items(t *Task) []Item {
	list := make([]Item, len(t.items))
	for i := range t.items {
		if it := &t.items[i]; len(it.ends) > 0 {
			list[i].Join = m.joinOf(it.ends)
			if it.slots != nil {
				list[i].Slots = slotsOf(it.slots)
			}
		} else {
			list[i].Failure = it.failure
		}
	}
	return list
}

// Ending says how what a subgraph's task, or the run (nil), ended with is merged.
func (m *Machine) Ending(t *Task) *Join {
	switch {
	case t != nil && t.inside != nil && len(t.inside.ends) > 0:
		return m.joinOf(t.inside.ends)
	case t != nil:
		return &Join{From: []uint64{t.Result}, Own: []bool{false}}
	case !m.stopped && len(m.root.ends) > 1:
		return m.joinOf(m.root.ends)
	}
	return &Join{From: []uint64{m.final}, Own: []bool{false}}
}

func (m *Machine) joinOf(ends []arrival) *Join {
	j := &Join{From: make([]uint64, len(ends)), Own: make([]bool, len(ends))}
	for i := range ends {
		j.From[i], j.Own[i] = ends[i].ref, ends[i].own
	}
	j.Steps, _ = m.planMerge(ends)
	return j
}
