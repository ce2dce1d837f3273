package machine

import "slices"

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
