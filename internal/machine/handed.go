package machine

import "slices"

// LeaveOff takes back starts that are not carried out. Their tasks may be handed out again.
func (m *Machine) LeaveOff(starts []Start) {
	for _, s := range starts {
		if s.Task != nil {
			m.Abandon(s.Task)
			continue
		}
		for i := range m.tokens {
			if tok := &m.tokens[i]; tok.busy && s.Join != nil && tok.at == s.Join.at && slices.Contains(s.Join.vias, tok.via) {
				tok.busy = false
				m.busy--
			}
		}
	}
}

// Without returns busy without the given starts, which were not carried out.
func Without(busy []Handed, starts []Start) []Handed {
	for _, s := range starts {
		busy = slices.DeleteFunc(busy, func(h Handed) bool {
			if s.Task != nil {
				return h.task == s.Task.ID
			}
			return h.task == 0 && h.at == s.Join.at && slices.Contains(s.Join.vias, h.via)
		})
	}
	return busy
}
