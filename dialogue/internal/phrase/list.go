package phrase

import (
	"errors"
	"slices"
)

// List is the kind of lists: []any of the values of the slot's Items.
var List = &Kind{
	name: "list", many: true, answer: (*reading).listAnswer,
	check: func(s Slot) error {
		if s.Items == nil {
			return nil
		}
		if kind := s.Items.kind(); kind.scan == nil && kind != Text {
			return errors.New("a list of lists cannot be said")
		}
		return s.Items.check()
	},
}

// listAnswer reads the members of a list: "apples, pears and plums".
func (r *reading) listAnswer(s Slot) (Value, bool) {
	items := Slot{}
	if s.Items != nil {
		items = *s.Items
	}
	if why, n := r.language.skips.at(r.line, 0); n > 0 && n == len(r.says) && why == NoneTaken && !r.cut {
		return r.value([]any{}, 0, len(r.tokens), 0.9).Value, true
	}
	var values []found
	if items.inWords() {
		values = r.texts(items)
	} else {
		values = r.all(items.scanner(r.language))
	}
	if len(values) == 0 {
		return Value{}, false
	}
	members := make([]any, len(values))
	for n, v := range values {
		if v.Reason != "" {
			return r.refusal(because(WrongMember, Args{"place": n + 1, "reason": v.Reason}), v.i, v.j).Value, true
		}
		if r.refused(v) {
			return Value{}, false
		}
		members[n] = v.Value.Value
	}
	score := 1.0
	if !items.inWords() {
		var ok bool
		if score, ok = r.outside(values); !ok {
			return Value{}, false
		}
	}
	v := r.value(members, values[0].i, values[len(values)-1].j, score).Value
	if !items.inWords() {
		v.Left = r.left(s, values)
	}
	return v, true
}

// outside is how sure values are when other words stand around and between them.
func (r *reading) outside(values []found) (float64, bool) {
	if r.cut {
		return 0, false
	}
	others := 0
	for _, t := range r.says {
		inside := slices.ContainsFunc(values, func(v found) bool { return t >= v.i && t < v.j })
		if !inside && r.language.class(r.tokens[t].fold) == content {
			others++
		}
	}
	return max(0.3, 1-0.15*float64(others)), true
}

// texts are the members of a list of texts.
func (r *reading) texts(items Slot) []found {
	var all []found
	if len(r.says) == 0 {
		return nil
	}
	from, to := r.trimmed(items.Names)
	i := from
	add := func(j int) {
		if j > i {
			a, b := r.says[i], r.says[j-1]+1
			start, end := r.wide(a, b)
			v := Value{Value: r.text[start:end], Text: r.text[start:end], Start: start, End: end, Score: 1}
			all = append(all, found{r.checked(items, v), a, b})
		}
	}
	for j := from; j < to; j++ {
		if r.language.is(r.wordAt(j), ands) {
			add(j)
			i = j + 1
		} else if j > i && r.separates(j) {
			add(j)
			i = j
		}
	}
	add(to)
	return all
}

// separates reports whether a comma, a semicolon, an ampersand or a new line stands before a spoken word.
func (r *reading) separates(j int) bool {
	for t := r.says[j-1] + 1; t < r.says[j]; t++ {
		switch r.tokens[t].sign {
		case ',', ';', '&', '\n', '/', '+', '•':
			return true
		}
	}
	return false
}
