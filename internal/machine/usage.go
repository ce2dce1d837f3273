package machine

import (
	"strconv"

	"github.com/fermata-go/fermata/journal"
)

// usages are what the calls of models took, as the journal has it: also those of attempts that failed, and of runs
// before a retry. The zero value is a run without such calls.
type usages struct {
	all    journal.Usage
	byNode map[int]journal.Usage // by index of the node
}

// stepBody is the body of a step's outcome.
func (m *Machine) stepBody(e *journal.Entry) (journal.StepBody, error) {
	body, err := bodyOf[journal.StepBody](m, e)
	if err == nil && body.Usage != nil && !body.Usage.Sound() {
		err = m.corrupt(e, "its usage has an amount below zero")
	}
	return body, err
}

// use adds what a recorded step took.
func (m *Machine) use(t *Task, u *journal.Usage) {
	if u == nil {
		return
	}
	m.used.all = m.used.all.Add(*u)
	if m.used.byNode == nil {
		m.used.byNode = make(map[int]journal.Usage)
	}
	m.used.byNode[t.Node] = m.used.byNode[t.Node].Add(*u)
}

// Usage is what the run's calls of models took, attempts that failed among them.
func (m *Machine) Usage() journal.Usage { return m.used.all }

// UsageByNode is Usage by the path of the node, nil where there was none.
func (m *Machine) UsageByNode() map[string]journal.Usage {
	if len(m.used.byNode) == 0 {
		return nil
	}
	by := make(map[string]journal.Usage, len(m.used.byNode))
	for index := range m.space.visits {
		if u, ok := m.used.byNode[index]; ok {
			by[m.pathOf(&m.space, index)] = u
		}
	}
	return by
}

// Limit is a limit of the run.
type Limit struct {
	Name   string // tokens or cost
	Max    string
	Reason string // why it counts as reached although the sum is below it
}

// Spent is the limit on what models may take that has been reached, nil for none (law F4). A limit counts as reached,
// too, once a call was made of which it is not known what it took: it could not be kept.
func (m *Machine) Spent() *Limit {
	if m.used.byNode == nil {
		return nil
	}
	limits := m.plan.Limits()
	switch u := &m.used.all; {
	case limits.Tokens > 0 && u.Tokens() >= limits.Tokens:
		return &Limit{Name: "tokens", Max: strconv.FormatInt(limits.Tokens, 10)}
	case limits.Tokens > 0 && u.Uncounted > 0:
		return &Limit{
			Name: "tokens", Max: strconv.FormatInt(limits.Tokens, 10),
			Reason: "a model does not say how many tokens a call took, so that the limit cannot be kept",
		}
	case limits.Cost > 0 && u.Cost >= limits.Cost:
		return &Limit{Name: "cost", Max: journal.Dollars(limits.Cost)}
	case limits.Cost > 0 && u.Unpriced > 0:
		return &Limit{
			Name: "cost", Max: journal.Dollars(limits.Cost),
			Reason: "what a call of a model costs is not known, so that the limit cannot be kept; give the model prices (model.Priced)",
		}
	}
	return nil
}

// endSpent ends the run at a limit that has been reached.
func (m *Machine) endSpent(at int64) error { return m.End(at, journal.FinishedBody{Status: Failed}) }

// spent names the limit that has been reached in the end of a run that fails, whatever it was that failed then.
func (m *Machine) spent(body journal.FinishedBody) journal.FinishedBody {
	if body.Status != Failed || body.Limit != "" {
		return body
	}
	l := m.Spent()
	if l == nil {
		return body
	}
	body.Limit, body.Max, body.Reason, body.Error = l.Name, l.Max, l.Reason, l.Error()
	return body
}

// Error says which limit was reached.
func (l *Limit) Error() string {
	text := "the run's limit of " + l.Name + " (" + l.Max + ") was reached"
	if l.Reason != "" {
		text += ": " + l.Reason
	}
	return text
}
