package machine

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"

	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// A snapshot is
//
//	format   1 byte: 5
//	layout   16 bytes: which plan, and how its nodes and values are numbered
//	state    see state
//	check    4 bytes, little endian: CRC-32C of all before
//
// It holds the fold alone, so it is as large as what is open in the run, and not as long as its journal.
const snapshotFormat = 6

// layoutSize is how long a layout is.
const layoutSize = 16

// ErrSnapshot says that a snapshot cannot be used, or made. The journal has all that it would have said (law J6).
var ErrSnapshot = errors.New("no snapshot of this machine")

// Snapshot encodes the fold of all entries up to Head. Tasks that are handed out are ready again in the copy, and the
// entries and timers of Flush, Closed and Dropped are not in it: take it between an append and the next input.
func (m *Machine) Snapshot() ([]byte, error) {
	if len(m.out) > 0 {
		return nil, fmt.Errorf("%w: %d entries are not appended", ErrSnapshot, len(m.out))
	}
	c := &coder{m: m, layout: layoutOf(m.plan)}
	c.data = append(append(c.data, snapshotFormat), c.layout[:]...)
	if c.state(); c.err != nil {
		return nil, c.err
	}
	return binary.LittleEndian.AppendUint32(c.data, checksum(c.data)), nil
}

// Restore makes the machine that Snapshot encoded. It refuses data that is damaged, of another format, or of a plan whose
// nodes, values or edges are not those of p. The machine may keep parts of data.
func Restore(p *plan.Plan, data []byte) (*Machine, error) {
	body := len(data) - crc32.Size
	switch {
	case body < 1+layoutSize:
		return nil, fmt.Errorf("%w: %d bytes", ErrSnapshot, len(data))
	case checksum(data[:body]) != binary.LittleEndian.Uint32(data[body:]):
		return nil, fmt.Errorf("%w: its check does not fit", ErrSnapshot)
	case data[0] != snapshotFormat:
		return nil, fmt.Errorf("%w: format %d, this version reads %d", ErrSnapshot, data[0], snapshotFormat)
	}
	c := &coder{m: New(p), reading: true, layout: layoutOf(p), data: data[1+layoutSize : body]}
	if string(data[1:1+layoutSize]) != string(c.layout[:]) {
		return nil, fmt.Errorf("%w: it was made on another plan", ErrSnapshot)
	}
	if c.state(); c.err == nil && len(c.data) > 0 {
		c.fail("%d bytes after the end", len(c.data))
	}
	if c.err != nil {
		return nil, c.err
	}
	c.m.touchAll()
	return c.m, nil
}

func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// layoutOf says how a plan numbers its nodes and values. The fingerprint covers neither order, as no journal needs it.
func layoutOf(p *plan.Plan) (layout [layoutSize]byte) {
	h := sha256.New()
	add := func(s string) { h.Write([]byte(s + "\x00")) }
	add(p.Fingerprint())
	names := func(p *plan.Plan) {
		if d := p.Dataflow(); d != nil {
			for _, name := range d.Names {
				add(name)
			}
		}
	}
	names(p)
	for _, f := range p.Flat() {
		if add(f.Path); f.Sub != nil {
			names(f.Sub)
		}
	}
	copy(layout[:], h.Sum(nil))
	return layout
}

// state is the machine. Counts that follow from other parts are made anew.
func (c *coder) state() {
	m := c.m
	c.ghosts()
	c.text(&m.status)
	c.text(&m.reason)
	c.text(&m.lost)
	number(c, &m.head)
	number(c, &m.at)
	number(c, &m.latest)
	number(c, &m.started)
	number(c, &m.active)
	number(c, &m.value)
	number(c, &m.final)
	c.flags(&m.stopped)
	number(c, &m.takeovers.n)
	number(c, &m.takeovers.last)
	record(c, &m.body)
	record(c, &m.finished)
	record(c, &m.blocked)
	record(c, &m.heldFor)
	number(c, &m.heldAt)
	c.breakpoints()
	list(c, &m.interrupts, func(in *journal.Interrupt) { record(c, in) })
	c.people()
	c.mail()
	c.used()
	c.undoing()
	c.outline()
	c.forks()
	for i := range m.tasks {
		c.task(i)
	}
	for _, s := range c.scopes {
		c.scope(s)
	}
	list(c, &m.tokens, c.token)
	c.count()
}

// ghosts are the nodes that the plan does not have, and how often each node was visited.
func (c *coder) ghosts() {
	m := c.m
	list(c, &m.names, c.text)
	if c.reading && len(m.names) > 0 {
		m.ghosts = make(map[string]int, len(m.names))
		for i, name := range m.names {
			m.ghosts[name] = len(m.flat) + i
		}
	}
	c.visits(&m.space)
	c.within("node", len(m.space.visits), len(m.flat)+len(m.names), len(m.flat)+len(m.names)+1)
}

func (c *coder) visits(sp *space) {
	inARow := c.m.startedIn(sp) // a machine that is read begins to count how often it waits
	number(c, &inARow)
	sp.inARow = inARow
	list(c, &sp.visits, func(n *uint32) { number(c, n) })
}

func (c *coder) breakpoints() {
	m := c.m
	breaks, reached := m.breaks, m.reached
	record(c, &breaks)
	list(c, &reached, c.text)
	list(c, &m.passed, c.text)
	if c.reading {
		m.setBreaks(breaks)
		m.reached = reached
	}
}

func (c *coder) people() {
	asked := func(q *question) {
		c.text(&q.id)
		c.text(&q.node)
		list(c, &q.notBy, c.text)
	}
	p := &c.m.people
	list(c, &p.open, asked)
	list(c, &p.apart, asked)
	list(c, &p.signed, func(s *Signature) {
		c.text(&s.Node)
		c.text(&s.By)
		list(c, &s.notBy, c.text)
	})
}

// undoing is what the run has to undo. The tasks that undo are in no scope of the plan's.
func (c *coder) undoing() {
	m := c.m
	list(c, &m.pile, c.undo)
	record(c, &m.end)
	c.flags(&m.begun)
}

func (c *coder) undo(u *undo) {
	number(c, &u.seq)
	c.node(&u.at, -1)
	c.text(&u.of)
	c.node(&u.from, 0)
	number(c, &u.ref)
	c.bytes(&u.value)
	c.flags(&u.done)
}

func (c *coder) mail() {
	mail := &c.m.mail
	var queued []message
	for _, name := range slices.Sorted(maps.Keys(mail.queued)) {
		queued = append(queued, mail.queued[name]...)
	}
	list(c, &queued, func(q *message) {
		number(c, &q.seq)
		record(c, &q.body)
		number(c, &q.at)
		c.bytes(&q.value)
	})
	for i := range queued {
		if c.reading {
			mail.add(queued[i])
		}
	}
	ids := slices.Sorted(maps.Keys(mail.ids))
	list(c, &ids, c.text)
	if c.reading && len(ids) > 0 {
		mail.ids = make(map[string]bool, len(ids))
		for _, id := range ids {
			mail.ids[id] = true
		}
	}
}

func (c *coder) used() {
	u := &c.m.used
	record(c, &u.all)
	record(c, &u.byNode)
	for _, at := range slices.Sorted(maps.Keys(u.byNode)) {
		c.within("node", at, 0, len(c.m.space.visits))
	}
}

// outline says which tasks and scopes there are, and which lies in which.
func (c *coder) outline() {
	m := c.m
	c.gather()
	in := make([]int, len(m.tasks))
	for i, t := range m.tasks {
		if !c.reading {
			in[i] = c.scopeAt[t.scope]
		}
	}
	list(c, &in, func(at *int) { number(c, at) })
	if c.reading {
		m.tasks = make([]*Task, len(in))
		for i := range in {
			m.tasks[i] = new(Task)
		}
	}
	list(c, &c.scopes, func(s **scope) { c.enclosed(s, in) })
	if len(c.scopes) == 0 || c.scopes[0] != &m.root {
		c.fail("the run has no scope")
		return
	}
	for i, t := range m.tasks {
		if c.within("scope", in[i], 0, len(c.scopes)) {
			t.scope = c.scopes[in[i]]
		}
	}
}

// gather numbers the tasks and scopes that there are: the run first, and each behind the one that it lies in.
func (c *coder) gather() {
	c.taskAt, c.scopeAt = make(map[*Task]int), make(map[*scope]int)
	if c.reading {
		return
	}
	inside := make(map[*scope][]*Task)
	for i, t := range c.m.tasks {
		c.taskAt[t] = i
		inside[t.scope] = append(inside[t.scope], t)
	}
	add := func(s *scope) {
		if s != nil {
			c.scopeAt[s] = len(c.scopes)
			c.scopes = append(c.scopes, s)
		}
	}
	add(&c.m.root)
	if c.m.begun {
		add(c.m.undoScope())
	}
	for i := 0; i < len(c.scopes); i++ { //nolint:intrange // it grows
		for _, t := range inside[c.scopes[i]] {
			add(t.inside)
			for k := range t.items {
				add(t.items[k].scope)
			}
		}
	}
	for _, t := range c.m.tasks {
		if _, ok := c.scopeAt[t.scope]; !ok {
			c.fail("a task lies nowhere")
		}
	}
}

// enclosed is a scope: the task that it is inside of, and the item. The task lies in an earlier one.
func (c *coder) enclosed(at **scope, in []int) {
	m := c.m
	if !c.reading && *at == &m.root || c.reading && len(c.scopes) == 0 {
		*at = &m.root
		return
	}
	if !c.reading && *at == &m.undoing.place || c.reading && m.begun && len(c.scopes) == 1 {
		*at = m.undoScope()
		return
	}
	if c.reading {
		*at = &scope{}
	}
	s, parent := *at, 0
	if !c.reading {
		parent = c.taskAt[s.parent]
	}
	number(c, &parent)
	number(c, &s.item)
	if !c.within("task", parent, 0, len(m.tasks)) || c.reading && !c.within("scope", in[parent], 0, len(c.scopes)) {
		return
	}
	if c.reading {
		s.parent, s.space = m.tasks[parent], c.scopes[in[parent]].space
	}
	switch t := s.parent; {
	case s.item > 0:
		c.itemSpace(s)
	case c.reading && (s.item < 0 || t.inside != nil):
		c.fail("a task is inside twice")
	case c.reading:
		t.inside = s
	}
}

// itemSpace is how the tasks of an item are named and numbered.
func (c *coder) itemSpace(s *scope) {
	m := c.m
	if c.reading {
		s.space = &space{}
	}
	sp := s.space
	c.text(&sp.prefix)
	number(c, &sp.base)
	number(c, &sp.cut)
	c.visits(sp)
	if !c.within("node", sp.base, 0, len(m.flat)) || !c.within("node", sp.base+len(sp.visits), 0, len(m.flat)+1) || sp.prefix == "" {
		c.fail("an item without a name")
		return
	}
	for at := sp.base; at < sp.base+len(sp.visits); at++ {
		c.within("name", sp.cut, 0, len(m.flat[at].Path))
	}
}

// forks are those that something still goes back to, each behind those that it lies in.
func (c *coder) forks() {
	c.forkAt = make(map[*fork]int)
	var all []*fork
	if !c.reading {
		c.m.eachFork(func(f *fork) { all = append(all, f) })
		slices.SortStableFunc(all, func(a, b *fork) int { return cmp.Compare(a.level, b.level) })
		for i, f := range all {
			c.forkAt[f] = i
		}
		c.known = all
	}
	list(c, &all, func(at **fork) {
		if c.reading {
			*at = &fork{}
		}
		f := *at
		number(c, &f.seq)
		number(c, &f.base)
		c.leaves(&f.up)
		list(c, &f.to, func(to *int) { c.node(to, plan.StopIndex) })
		if c.reading {
			**at = *newFork(&token{via: f.seq, ref: f.base, leaves: f.up}, f.to)
			c.known = append(c.known, f)
		}
	})
}

func (c *coder) leaves(leaves *[]leaf) {
	list(c, leaves, func(l *leaf) {
		of := c.forkAt[l.of]
		number(c, &of)
		number(c, &l.at)
		if c.within("fork", of, 0, len(c.known)) && c.within("branch", l.at, 0, len(c.known[of].to)) {
			l.of = c.known[of]
		}
	})
}

func (c *coder) arrivals(arrivals *[]arrival) {
	list(c, arrivals, func(a *arrival) {
		number(c, &a.ref)
		c.flags(&a.own)
		c.leaves(&a.leaves)
	})
}

// node is a node of the plan, one that it does not have, or a number below 0 that is none.
func (c *coder) node(at *int, least int) {
	number(c, at)
	c.within("node", *at, least, len(c.m.space.visits))
}

func (c *coder) token(tok *token) {
	c.node(&tok.at, 0)
	number(c, &tok.ref)
	c.flags(&tok.own)
	at, ok := c.scopeAt[tok.scope]
	if !c.reading && !ok {
		c.fail("a token lies nowhere")
	}
	if number(c, &at); c.within("scope", at, 0, len(c.scopes)) {
		tok.scope = c.scopes[at]
	}
	c.leaves(&tok.leaves)
	number(c, &tok.via)
	c.node(&tok.fromNode, -1)
	number(c, &tok.fromVisit)
	record(c, &tok.cause)
}

// count counts what is not in the snapshot: how much is open, and where.
func (c *coder) count() {
	m := c.m
	if c.err != nil || !c.reading {
		return
	}
	for i := range m.tokens {
		m.tokens[i].scope.live++
	}
	for _, t := range m.tasks {
		t.scope.live++
		to, atWork := t.State, t.atWork
		t.State = Ready
		m.set(t, to)
		t.atWork = atWork
		t.over = t.begun - t.active
		if t.begun < t.of {
			m.mapped++
		}
	}
}
