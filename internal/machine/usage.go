package machine

import (
	"strconv"

	"github.com/fermata-go/fermata/journal"
)

// usages sums the recorded usage of model calls, including failed attempts and runs before a retry. The zero
// value has no calls.
type usages struct {
	all    journal.Usage         // of the run
	byNode map[int]journal.Usage // by index of the node
}

// stepBody returns the body of a step's outcome.
func (m *Machine) stepBody(e *journal.Entry) (journal.StepBody, error) {
	body, err := bodyOf[journal.StepBody](m, e)
	if err == nil && body.Usage != nil && !body.Usage.Sound() {
		err = m.corrupt(e, "its usage has an amount below zero")
	}
	return body, err
}

// use adds the usage of a recorded step.
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

// Usage returns the usage of the run's model calls, including failed attempts.
func (m *Machine) Usage() journal.Usage { return m.used.all }

// UsageByNode returns Usage by node path; nil for none.
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

// Limit is a limit of the run that was reached.
type Limit struct {
	Name   string // tokens or cost
	Max    string // the limit, as text
	Reason string // why it counts as reached although the sum is below it; "" otherwise
}

// Spent returns the limit on model usage that was reached, nil for none (law F4). It is also reached after a
// call of unknown usage, since it cannot be checked.
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

// endSpent ends the run at a reached limit.
func (m *Machine) endSpent(at int64) error { return m.End(at, journal.FinishedBody{Status: Failed}) }

// spent names the reached limit in the end of a failed run, whatever failed.
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

// Error returns the text of the limit's error.
func (l *Limit) Error() string {
	text := "the run's limit of " + l.Name + " (" + l.Max + ") was reached"
	if l.Reason != "" {
		text += ": " + l.Reason
	}
	return text
}
