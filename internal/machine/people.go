package machine

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// People records who answered which node, and which nodes need different people (law H6). Nodes have their
// current names, also after a migration. The zero value is a run without questions. It does not compare people;
// callers do.
type People struct {
	open   []question  // open ones
	apart  []question  // one for each node and list of nodes that its questions have named
	signed []Signature // each answerer of a node once
}

// question is what four eyes need to know about a question.
type question struct {
	id    string   // id of the interrupt
	node  string   // path of the asking node
	notBy []string // nodes whose answerers may not answer it
}

// Signature is an answer that a person has given.
type Signature struct {
	Node string // path of the node that asked
	By   string // id of the person; "" if unnamed

	notBy []string // nodes that the question named
}

// Note records an entry. Entries without people or renamed nodes change nothing.
func (p *People) Note(e *journal.Entry) error {
	var m Machine
	switch e.Kind {
	case journal.InterruptOpened:
		q, err := bodyOf[journal.Interrupt](&m, e)
		p.opened(&q)
		return err
	case journal.InterruptResolved:
		body, err := bodyOf[journal.ResolvedBody](&m, e)
		p.resolved(e.Op, &body)
		return err
	case journal.RunResumed:
		body, err := bodyOf[journal.ResumedBody](&m, e)
		p.renamed(body.Nodes)
		return err
	default:
		return nil
	}
}

// Sign records that a person answers a question.
func (p *People) Sign(id, by string) {
	p.resolved(id, &journal.ResolvedBody{State: journal.Answered, By: by})
}

func (p *People) opened(q *journal.Interrupt) {
	path, _ := nodehost.CutTask(q.Task)
	asked := question{q.ID, path, slices.Clone(q.NotByNodes)}
	p.open = append(p.open, asked)
	same := func(a question) bool { return a.node == path && slices.Equal(a.notBy, asked.notBy) }
	if len(asked.notBy) > 0 && !slices.ContainsFunc(p.apart, same) {
		p.apart = append(p.apart, asked)
	}
}

// resolved records how a question was closed. An answer by deadline is nobody's.
func (p *People) resolved(id string, body *journal.ResolvedBody) {
	i := p.find(id)
	if i < 0 {
		return
	}
	s := Signature{p.open[i].node, body.By, p.open[i].notBy}
	p.open = slices.Delete(p.open, i, i+1)
	same := func(o Signature) bool { return o.Node == s.Node && o.By == s.By && slices.Equal(o.notBy, s.notBy) }
	if body.State == journal.Answered && !body.Default && !slices.ContainsFunc(p.signed, same) {
		p.signed = append(p.signed, s)
	}
}

func (p *People) find(id string) int {
	for i, q := range slices.Backward(p.open) {
		if q.id == id {
			return i
		}
	}
	return -1
}

func (p *People) renamed(nodes map[string]string) {
	if len(nodes) == 0 {
		return
	}
	moves := plan.Migration{Nodes: nodes}
	all := func(paths []string) []string {
		list := make([]string, len(paths))
		for i := range paths {
			list[i] = moves.Path(paths[i])
		}
		return list
	}
	for _, list := range [][]question{p.open, p.apart} {
		for i := range list {
			list[i].node, list[i].notBy = moves.Path(list[i].node), all(list[i].notBy)
		}
	}
	for i := range p.signed {
		p.signed[i].Node, p.signed[i].notBy = moves.Path(p.signed[i].Node), all(p.signed[i].notBy)
	}
}

// NotBy returns the nodes whose people may not answer an open question. They are the nodes that the question names, and
// those that name its node.
func (p *People) NotBy(id string) []string {
	i := p.find(id)
	if i < 0 {
		return nil
	}
	nodes := slices.Clone(p.open[i].notBy)
	for _, a := range p.apart {
		if anyIs(a.notBy, p.open[i].node) && !slices.Contains(nodes, a.node) {
			nodes = append(nodes, a.node)
		}
	}
	return nodes
}

// Against returns the answers whose people may not answer an open question.
func (p *People) Against(id string) []Signature {
	i := p.find(id)
	if i < 0 {
		return nil
	}
	return p.AgainstNew(p.open[i].node, p.open[i].notBy)
}

// AgainstNew is Against for a question that a node is about to ask.
func (p *People) AgainstNew(path string, notBy []string) []Signature {
	var list []Signature
	for _, s := range p.signed {
		if anyIs(notBy, s.Node) || anyIs(s.notBy, path) {
			list = append(list, s)
		}
	}
	return list
}

// anyIs reports whether the node at path has one of these names, or lies in such a node: in its subgraph, or in
// an item of its map.
func anyIs(names []string, path string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return isOf(name, path) })
}

func isOf(name, path string) bool {
	for {
		want, inside, more := strings.Cut(name, "/")
		have, below, deeper := strings.Cut(path, "/")
		if of, _, item := strings.Cut(have, "#"); want != have && (!item || want != of) {
			return false
		}
		if !more || !deeper {
			return !more
		}
		name, path = inside, below
	}
}

// People returns who has answered what so far.
func (m *Machine) People() *People { return &m.people }

// keepApart updates the excluded nodes of the newest question, and of open questions of nodes that it names.
func (m *Machine) keepApart() {
	last := len(m.interrupts) - 1
	q := &m.interrupts[last]
	named := q.NotByNodes
	q.NotByNodes = m.people.NotBy(q.ID)
	if len(named) == 0 {
		return
	}
	asker, _ := nodehost.CutTask(q.Task)
	for i := range m.interrupts[:last] {
		other := &m.interrupts[i]
		if path, _ := nodehost.CutTask(other.Task); anyIs(named, path) && !slices.Contains(other.NotByNodes, asker) {
			other.NotByNodes = append(slices.Clone(other.NotByNodes), asker)
		}
	}
}

// ApartFrom returns the open questions that need other people than q.
func (m *Machine) ApartFrom(q *journal.Interrupt) []journal.Interrupt {
	var list []journal.Interrupt
	for i := range m.interrupts {
		other := &m.interrupts[i]
		if path, _ := nodehost.CutTask(other.Task); other.ID != q.ID && anyIs(q.NotByNodes, path) {
			list = append(list, *other)
		}
	}
	return list
}

// namedAnew updates the names of nodes in open questions.
func (m *Machine) namedAnew(nodes map[string]string) {
	if len(nodes) == 0 {
		return
	}
	m.people.renamed(nodes)
	for i := range m.interrupts {
		m.interrupts[i].NotByNodes = m.people.NotBy(m.interrupts[i].ID)
	}
}
