package nearest

// maxHints bounds the names that are compared with all others, in a file that is full of mistakes.
const maxHints = 500

// Hints are the hints for all names of one text; after 500 there are no more. The zero value is ready; nil gives none.
type Hints struct{ given int }

// Hint is what the function Hint gives; "" once there have been too many.
func (h *Hints) Hint(found string, candidates []string) string {
	if h == nil {
		return ""
	}
	if h.given++; h.given > maxHints {
		return ""
	}
	return Hint(found, candidates)
}

// Left reports whether there is another hint: who has to gather the candidates need not otherwise.
func (h *Hints) Left() bool { return h != nil && h.given < maxHints }
