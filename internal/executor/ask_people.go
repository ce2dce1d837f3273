package executor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/internal/question"
)

// apart returns the people who may not answer a question, by name, and the nodes whose answerers may not (law
// H6).
func (h *host) apart(q *nodehost.Question) (people, nodes []string, err error) {
	if q.FourEyes {
		started := h.run.Machine.Started()
		if question.IsNobody(started.By) {
			return nil, nil, question.ErrNoStarter
		}
		people = []string{started.By}
		f := started.Fork
		if h.run.check != nil && h.run.check.IsCopied() { // a copied question was checked when it was first asked
			f = nil
		}
		switch {
		case f == nil || question.SamePerson(f.By, started.By):
		case question.IsNobody(f.By):
			return nil, nil, question.ErrNoForker
		default:
			people = append(people, f.By)
		}
	}
	if nodes, err = h.named(q.NotBy); err != nil {
		return nil, nil, err
	}
	return people, nodes, h.answerable(q, people, nodes)
}

// named returns the paths of the nodes that a question names. They must be in the graph of the node that asks.
func (h *host) named(names []string) (paths []string, err error) {
	flat, above := h.run.Plan.Flat(), h.path[:strings.LastIndexByte(h.path, '/')+1]
	own := flat[h.node].Path
	within := own[:strings.LastIndexByte(own, '/')+1]
	for _, name := range names {
		if _, ok := h.run.Plan.Index(within + name); !ok {
			var known []string
			for i := range flat {
				if rest, ok := strings.CutPrefix(flat[i].Path, within); ok && !strings.Contains(rest, "/") {
					known = append(known, rest)
				}
			}
			return nil, fmt.Errorf("four eyes: NotBy names %q, and the plan has no such node%s", name, nearest.Hint(name, known))
		}
		paths = append(paths, above+name)
	}
	return paths, nil
}

// answerable refuses a question that nobody can be shown to be allowed to answer. That is so if earlier
// answerers are unknown, or if the only person asked is excluded. The error names nobody.
func (h *host) answerable(q *nodehost.Question, people, nodes []string) error {
	forOne := func(other string) bool { return question.SamePerson(q.Assignee, other) }
	if slices.ContainsFunc(people, forOne) {
		return question.ErrForOne
	}
	for _, s := range h.run.Machine.People().AgainstNew(h.path, nodes) {
		switch {
		case question.IsNobody(s.By):
			return fmt.Errorf("four eyes: nobody knows who answered %s, so it cannot be said who else may answer; "+
				"let answers there come with a name (fermata.AsPerson, or --as NAME)", s.Node)
		case forOne(s.By):
			return question.ErrForOne
		}
	}
	return nil
}
