package phrase

import (
	"encoding/json"
	"slices"
)

// partyAnswer is an answer in words to how many people there are: "just me", "eine Person". Where nobody is named ("nobody"), the
// user is asked whether there are none.
func (r *reading) partyAnswer(s Slot) (Value, bool) {
	const one = json.Number("1")
	isParty := slices.ContainsFunc(s.Names, func(name string) bool {
		return slices.ContainsFunc(foldedWords(name), func(w string) bool {
			_, n := r.language.people.of[w]
			return n
		})
	})
	for k := range r.says {
		switch _, alone := r.language.alones.at(r.line, k); {
		case isParty && alone > 0:
			return r.partyOf(s, one, k, alone)
		case k+1 < len(r.says) && r.is(r.says[k], "a", "an", "one", "1") && r.isCounted(s, r.says[k+1]):
			return r.partyOf(s, one, k, 2)
		}
		if _, nobody := r.language.nobodies.at(r.line, k); isParty && nobody > 0 {
			v, ok := r.partyOf(s, zero, k, nobody)
			v.Left = v.Text
			return v, ok
		}
	}
	return Value{}, false
}

// partyOf is how many people n spoken words from the k-th on say that there are, where nothing else is said.
func (r *reading) partyOf(s Slot, many json.Number, k, n int) (Value, bool) {
	i, j := r.says[k], r.says[k+n-1]+1
	score, ok := r.around(i, j)
	if !ok || score < 0.7 || slices.ContainsFunc(slices.Concat(r.says[:k], r.says[k+n:]), func(t int) bool { return r.language.class(r.tokens[t].fold) == negation }) {
		return Value{}, false
	}
	v := r.value(many, i, j, score)
	v.Left = r.left(s, []found{v})
	return v.Value, true
}

// partyOrNone is an answer in words that says one or zero.
func (r *reading) partyOrNone(s Slot) (Value, bool) {
	if v, ok := r.partyAnswer(s); ok {
		return v, true
	}
	return r.noneAtAll(s)
}
