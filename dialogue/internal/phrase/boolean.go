package phrase

import "slices"

// Boolean is the kind of truth values: bool.
var Boolean = &Kind{name: "boolean", scan: always((*reading).booleanAt), answer: (*reading).booleanAnswer}

// booleanAt reads true, false, yes, no, on and off.
func (r *reading) booleanAt(i int) (found, bool) {
	if !r.language.is(r.word(i), truth|falsehood) || r.denied(i) {
		return found{}, false
	}
	return r.value(r.language.is(r.word(i), truth), i, i+1, 1), true
}

// contrary reports whether words for both truth values are said: "no yes".
func (r *reading) contrary() bool {
	says := func(of role) bool {
		return slices.ContainsFunc(r.says, func(t int) bool { return r.language.is(r.word(t), of) })
	}
	return says(truth) && says(falsehood)
}

func (r *reading) booleanAnswer(Slot) (Value, bool) {
	yes, no, rest, score := r.assent()
	if yes != no && rest == "" {
		return r.value(yes, 0, len(r.tokens), score).Value, true
	}
	if yes || no || len(r.says) == 0 {
		return Value{}, false
	}
	values := r.all((*reading).booleanAt)
	if len(values) != 1 || r.contrary() {
		return Value{}, false
	}
	v := values[0]
	around, ok := r.around(v.i, v.j)
	if !ok || around < 1 || r.unsure() {
		return Value{}, false
	}
	return v.Value, true
}
