package dialogue

import "slices"

// candidates are the flows that a turn may be about: those that are going on, and of the others the ones that are nearest
// to what was said; equally near ones are in declared order.
func (t *Turn) candidates(most int) []*flow {
	var active, others []*flow
	for _, f := range t.Dialogue.order {
		switch {
		case slices.Contains(t.Active, f.Name):
			active = append(active, f)
		case !f.named():
		case !slices.Contains(t.Shut, f.Name) || t.Dialogue.phrases.asksFor(t, f.Name): // one that is asked for is refused by name
			others = append(others, f)
		}
	}
	if len(others) <= most {
		return append(active, others...)
	}
	nearest := t.Dialogue.phrases.ranker.flows(t.Text)
	nearest = slices.DeleteFunc(nearest, func(name string) bool {
		return !slices.ContainsFunc(others, func(f *flow) bool { return f.Name == name })
	})
	for _, name := range nearest[:most] {
		active = append(active, t.Dialogue.flows[name])
	}
	return active
}

// Candidates returns the flows that the turn may be about, for NLUs that cannot look at all of them. They are those that
// are going on, and at most so many others: those whose words are nearest to the message.
func (t *Turn) Candidates(most int) []string {
	var names []string
	for _, f := range t.candidates(most) {
		names = append(names, f.Name)
	}
	return names
}
