package machine

import (
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// spread puts a token on its way to every target: where there are several, it becomes several (law G2).
func (m *Machine) spread(tok token, targets []int) {
	switch len(targets) {
	case 0:
		m.endPath(&tok)
		return
	case 1:
		m.move(&tok, targets[0])
		return
	}
	f := newFork(&tok, targets)
	tok.own = false
	for i, at := range targets {
		if tok.leaves = f.branch(i); !m.stopped {
			m.move(&tok, at)
		}
	}
}

// move puts a token on its way to a node, or ends its path.
func (m *Machine) move(tok *token, at int) {
	switch at {
	case plan.EndIndex:
		m.endPath(tok)
	case plan.StopIndex:
		if m.stopped {
			return // the first one has ended the run
		}
		m.stopped, m.final = true, m.outside(tok)
		m.dropTokens(func(*token) bool { return true })
	default:
		n := len(m.tokens)
		if n < cap(m.tokens) {
			m.tokens = m.tokens[:n+1]
		} else {
			m.tokens = append(m.tokens, token{})
		}
		m.tokens[n] = *tok
		m.tokens[n].at = at
		tok.scope.live++
	}
}

// outside is the value that a run which is stopped ends with: of the state that the run itself has, not of a
// subgraph with a state of its own.
func (m *Machine) outside(tok *token) uint64 {
	ref := tok.ref
	for t := tok.scope.parent; t != nil; t = t.scope.parent {
		if t.Node >= len(m.flat) || m.flat[t.Node].In != nil || m.flat[t.Node].Out != nil || m.flat[t.Node].Map != nil {
			ref = t.Ref
		}
	}
	return ref
}

// endPath ends a path (law F6): of the run, or of the subgraph that it runs in.
func (m *Machine) endPath(tok *token) {
	tok.scope.ends = append(tok.scope.ends, arrival{ref: tok.ref, own: tok.own, leaves: tok.leaves})
}

// closeScope checks whether a scope is over after something in it has come to its end.
func (m *Machine) closeScope(s *scope) {
	if s.live > 0 || len(s.ends) == 0 {
		return
	}
	switch t := s.parent; {
	case t == nil:
		if !m.stopped {
			m.final = s.ends[len(s.ends)-1].ref
		}
	case s.item > 0:
		m.itemOver(t, s)
	default:
		t.Result = s.ends[0].ref
		m.set(t, Leaving)
	}
}

// takeTokens finds the token that a task starts from, or all those that a join takes. Where the plan has changed since,
// the journal knows better than the plan which there were (law J8).
func (m *Machine) takeTokens(e *journal.Entry, at spot) (token, []arrival, error) {
	body, err := bodyOf[journal.BeginBody](m, e)
	if err != nil {
		return token{}, nil, err
	}
	var tok token
	var taken []arrival
	for _, via := range body.From {
		fits := func(t token) bool { return t.via == via && (taken == nil || t.scope == tok.scope) }
		i := slices.IndexFunc(m.tokens, func(t token) bool { return fits(t) && t.at == at.at && t.scope.space == at.space })
		if i < 0 && m.replanned() {
			if i = slices.IndexFunc(m.tokens, fits); i < 0 {
				continue
			}
		}
		if i < 0 {
			return tok, nil, m.corrupt(e, "no token that entry %d has sent is on its way here", via)
		}
		t := m.tokens[i]
		if taken == nil {
			tok = t
		}
		taken = append(taken, arrival{ref: t.ref, own: t.own, leaves: t.leaves})
		m.removeToken(i)
	}
	if len(taken) > 0 {
		return tok, taken, nil
	}
	tok, err = m.takeToken(e, at)
	if err != nil {
		return tok, nil, err
	}
	return tok, []arrival{{ref: tok.ref, own: tok.own, leaves: tok.leaves}}, nil
}

func (m *Machine) dropTokens(which func(t *token) bool) {
	for i := len(m.tokens) - 1; i >= 0; i-- {
		if which(&m.tokens[i]) {
			m.removeToken(i)
		}
	}
}

func (m *Machine) removeToken(i int) {
	m.tokens[i].scope.live--
	if m.tokens[i].busy {
		m.busy--
	}
	if last := len(m.tokens) - 1; i == last {
		m.tokens = m.tokens[:last]
	} else {
		m.tokens = append(m.tokens[:i], m.tokens[i+1:]...)
	}
}

// takeToken finds the token that a task starts from. Where the plan has changed since, the journal knows better
// than the plan where the token went (law J8).
func (m *Machine) takeToken(e *journal.Entry, at spot) (tok token, err error) {
	found := -1
	for i := range m.tokens {
		if t := &m.tokens[i]; t.ref == e.Base {
			if here := t.at == at.at && t.scope.space == at.space; here || found < 0 {
				if found = i; here {
					break
				}
			}
		}
	}
	if found >= 0 && (m.tokens[found].at == at.at && m.tokens[found].scope.space == at.space || m.replanned()) {
		tok = m.tokens[found]
		m.removeToken(found)
		return tok, nil
	}
	if m.replanned() && e.Base > 0 {
		return m.tokenOfOld(e), nil
	}
	return token{}, m.corrupt(e, "no token with value %d is on its way here", e.Base)
}

// tokenOfOld returns a token that another plan sent to a place where this one would not (law J8). Without a
// known place, it has no scope.
func (m *Machine) tokenOfOld(e *journal.Entry) token {
	for _, t := range m.tasks {
		if t.State == Choosing && t.Result == e.Base {
			tok := token{ref: e.Base, scope: t.scope, leaves: t.leaves}
			m.dropInside(t)
			m.drop(t)
			return tok
		}
	}
	tok := token{ref: e.Base, scope: &m.root}
	parent := m.enclosing(e.Node, e.Base)
	if prefix, rest, ok := cutItem(e.Node); ok && parent != nil && m.isMap(parent) && !strings.Contains(rest, "/") {
		tok.scope = m.scopes[prefix]
		return tok
	}
	if parent != nil {
		tok.scope = m.insideOf(parent)
		parent.Result, tok.scope.ends = 0, nil
		m.set(parent, Inside)
	} else {
		m.root.ends, m.final = nil, 0
	}
	return tok
}

// insideOf is the scope inside a subgraph's task.
func (m *Machine) insideOf(t *Task) *scope {
	if t.inside == nil {
		t.inside = &scope{parent: t, space: t.scope.space}
	}
	return t.inside
}

func (m *Machine) nodeFinished(e *journal.Entry, t *Task) error {
	if t.undo != nil {
		m.undone(t, nil)
		return nil
	}
	if t.scope.flow != nil {
		m.flowFinished(e, t)
		return nil
	}
	ref, own := t.Ref, t.Own
	if e.HasValue() {
		ref, own = e.Seq, true
	}
	if m.done(t, e.Seq, ref, true) {
		own = false // the undo is given it
	}
	if t.Node < len(m.flat) && m.flat[t.Node].Gate() {
		m.set(t, Choosing)
		t.Result, t.Own = ref, own
		return nil
	}
	tok := token{ref: ref, own: own, scope: t.scope, leaves: t.leaves, via: e.Seq, fromNode: t.Node, fromVisit: t.Visit}
	m.dropInside(t)
	m.drop(t)
	var next []int
	if tok.fromNode < len(m.flat) {
		next = m.flat[tok.fromNode].Next
	}
	m.spread(tok, next)
	m.closeScope(tok.scope)
	return nil
}

func (m *Machine) routeTaken(e *journal.Entry, at spot, t *Task) error {
	body, err := bodyOf[journal.RouteBody](m, e)
	if err != nil {
		return err
	}
	if body.Of > 0 {
		return m.itemMade(e, t, body)
	}
	to := m.target(at, e.To)
	if t == nil {
		return m.redirect(e, at, to)
	}
	left := e.Flags&(journal.FlagCatch|journal.FlagExpired) != 0
	if err := m.routes(e, t); err != nil {
		return err
	}
	if t.State != Broken && t.State != Choosing && !left {
		m.entered(e, t, to)
		return nil
	}
	if t.scope.flow != nil && e.Flags&journal.FlagItem == 0 {
		m.flowRouted(e, at, t, body)
		return nil
	}
	tok := token{
		ref: t.Result, own: t.Own, scope: t.scope, leaves: t.leaves, via: e.Seq, fromNode: at.at, fromVisit: e.Visit,
	}
	if left {
		if t.Result == 0 || e.Flags&journal.FlagExpired != 0 { // a deadline leaves with the input
			tok.ref = t.Ref
		} else {
			tok.own = true
		}
		if e.Flags&journal.FlagCatch != 0 {
			tok.cause = causeOf(nodehost.TaskID(e.Node, int(e.Visit)), &t.Error)
		}
	}
	failed := e.Flags&journal.FlagItem != 0
	if failed && t.scope.item > 0 {
		m.itemFailed(t)
	}
	m.dropInside(t)
	m.drop(t)
	switch {
	case failed:
	case len(body.To) > 0:
		targets := make([]int, len(body.To))
		for i, name := range body.To {
			targets[i] = m.target(at, name)
		}
		m.spread(tok, targets)
	default:
		m.move(&tok, to)
	}
	m.closeScope(tok.scope)
	return nil
}

// entered puts a token at the first nodes of a subgraph (law G6).
func (m *Machine) entered(e *journal.Entry, t *Task, to int) {
	tok := token{ref: t.Ref, scope: m.insideOf(t), via: e.Seq, fromNode: t.Node, fromVisit: e.Visit}
	if e.HasValue() {
		tok.ref, tok.own = e.Seq, true
	}
	m.set(t, Inside)
	if t.Node < len(m.flat) && m.flat[t.Node].Sub != nil && m.flat[t.Node].Sub.Dataflow() != nil {
		m.openInside(tok.scope, t, tok.ref)
		return
	}
	if t.Node < len(m.flat) && slices.Contains(m.flat[t.Node].Entries, to) {
		m.spread(tok, m.flat[t.Node].Entries)
		return
	}
	m.move(&tok, to)
}

// redirect sends a token where the journal says, when the plan that is folded now would have sent it elsewhere.
func (m *Machine) redirect(e *journal.Entry, from spot, to int) error {
	for i := range m.tokens {
		if m.tokens[i].fromNode == from.at && m.tokens[i].fromVisit == e.Visit && m.tokens[i].scope.space == from.space {
			tok := m.tokens[i]
			m.removeToken(i)
			m.move(&tok, to)
			m.closeScope(tok.scope)
			return nil
		}
	}
	if m.replanned() {
		return nil // the task that it led to says so itself
	}
	return m.lose(e)
}

// target is the index of the node that a route names: among those that the node declares where it can be.
func (m *Machine) target(from spot, to string) int {
	switch to {
	case node.End:
		return plan.EndIndex
	case node.Stop:
		return plan.StopIndex
	}
	if from.at < len(m.flat) {
		for _, choice := range m.flat[from.at].Choices {
			if choice.Index >= 0 && m.pathOf(from.space, choice.Index) == to {
				return choice.Index
			}
		}
	}
	_, at := m.resolve(to)
	return at
}
