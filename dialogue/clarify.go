package dialogue

import "github.com/fermata-go/fermata/node"

// clarify asks which of several flows is meant.
func (d *Dialogue) clarify(ctx node.Context, s *State, flows []string) error {
	var names, titles []string
	for _, name := range flows {
		if f := d.flows[name]; f != nil && f.named() && !d.shut(s, f) {
			names, titles = append(names, name), append(titles, f.title())
		}
	}
	if len(names) == 0 {
		return d.missed(ctx, s)
	}
	if s.Misses++; d.settings.Misses > 0 && s.Misses >= d.settings.Misses { // what has to be asked about was not understood
		return d.handOff(ctx, s, Delta{})
	}
	if p, _ := d.patternOf(OnClarify, s.top()); p.flow != "" {
		return d.pattern(ctx, s, OnClarify, s.top(), nil)
	}
	text, err := d.words(ctx, s, OnClarify, s.top(), map[string]any{"flow": d.language.Any(titles)})
	if err != nil {
		return err
	}
	task := NewCollect(text, flowSlot, titles...)
	s.Clarify, s.Pending, s.Asked = names, &task, nil
	return nil
}

// titles are what the flows are called that users can begin now.
func (d *Dialogue) titles(s *State) (all []string) {
	for _, f := range d.order {
		if f.named() && !d.shut(s, f) {
			all = append(all, f.title())
		}
	}
	return all
}

// flowSlot is the slot that a question which flow is meant asks for.
const flowSlot = "flow_name"

// asksFlow reports whether a task is that question.
func asksFlow(pending *PendingTask) bool { return pending != nil && pending.Slot == flowSlot }
