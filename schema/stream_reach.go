package schema

import "slices"

// reach is all that applies to a value of one kind at a place. The kind, which is known from the first character, often
// settles an anyOf: of a schema or null, say, only the schema is left where an object begins. What it does not settle,
// the parts of the value may: see option.
type reach struct {
	never bool    // no value of this kind can be valid
	rules []*rule // each of these holds
	own   []*rule // of these, what must be checked when the value is closed, with the library
	whole []*rule // own, and those with alternatives that the kind leaves open

	open    [][]*reach // these alternatives: of each list one fits
	alone   bool       // of some of these lists only one may fit
	options []option   // what may apply in all, each a way to settle the lists; none where these are too many

	free     bool // any string will do
	watched  bool // an open string may turn out not to fit
	maxLen   int  // least of the rules'; < 0 for no bound
	maxItems int  // likewise
	tuple    int  // items with rules of their own
}

// option is one way to settle the alternatives at a place: one of each list, and what holds beside them.
type option struct {
	*reach
	of int // the possibility of the place that it belongs to
}

// mostOptions is how many options are followed at a place, each a bit of a word. Where there are more, the library
// decides when the value is closed.
const mostOptions = 64

// reach works out what a rule means for values of one kind.
func (b *outliner) reach(r *rule, k kinds) *reach {
	at := &r.reaches[k.slot()]
	if *at == nil {
		x := newReach()
		*at = x
		b.collect(x, r, k)
		x.conclude()
	}
	return *at
}

func newReach() *reach { return &reach{maxLen: -1, maxItems: -1} }

// collect adds a rule to what applies, and what follows from it for a value of kind k. No schema leads back to itself
// without going down into the value (see selfReference), so this ends.
func (b *outliner) collect(x *reach, r *rule, k kinds) {
	if slices.Contains(x.rules, r) {
		return
	}
	x.rules = append(x.rules, r)
	x.never = x.never || r.kinds&k == 0
	if r.whole&k != 0 {
		x.own = append(x.own, r)
	}
	for _, part := range r.parts {
		b.collect(x, part, k)
	}
	unsettled := false
	for _, list := range r.either {
		unsettled = b.choose(x, list, k) || unsettled
	}
	if unsettled {
		x.whole = append(x.whole, r)
	}
}

// choose adds a list of alternatives, and reports whether the kind of the value leaves several of them.
func (b *outliner) choose(x *reach, list choice, k kinds) bool {
	var left []*reach
	var only *rule
	for _, one := range list.rules {
		switch {
		case one != nil:
			if y := b.reach(one, k); !y.never {
				left, only = append(left, y), one
			}
		case !list.alone:
			return false // one that anything fits is enough
		default:
			y := newReach()
			y.conclude()
			left, only = append(left, y), nil
		}
	}
	switch len(left) {
	case 0:
		x.never = true
	case 1:
		if only != nil {
			b.collect(x, only, k)
		}
	default:
		x.open = append(x.open, left)
		x.alone = x.alone || list.alone
		return true
	}
	return false
}

// conclude sums up what the rules say.
func (x *reach) conclude() {
	for _, r := range x.own {
		x.whole = with(x.whole, r)
	}
	x.free = len(x.whole) == 0
	for _, r := range x.rules {
		x.maxLen = least(x.maxLen, r.maxLen)
		x.maxItems = least(x.maxItems, r.maxItems)
		x.tuple = max(x.tuple, len(r.prefix))
		x.free = x.free && r.quick != nil && r.quick.kinds&aString != 0 && r.quick.free()
		x.watched = x.watched || r.chosen
	}
	x.listOptions()
	x.watched = x.watched || x.maxLen >= 0 ||
		len(x.options) > 0 && !slices.ContainsFunc(x.options, func(o option) bool { return !o.watched })
}

// listOptions lists the options, unless they are too many.
func (x *reach) listOptions() {
	if len(x.open) == 0 || x.never {
		return
	}
	base := newReach()
	base.rules, base.own = x.rules, x.own
	options := []*reach{base}
	for _, list := range x.open {
		var longer []*reach
		for _, o := range options {
			for _, y := range list {
				x.alone = x.alone || y.alone
				longer = append(longer, o.and(y)...)
				if len(longer) > mostOptions {
					return
				}
			}
		}
		options = longer
	}
	for _, o := range options {
		o.conclude()
		x.options = append(x.options, option{reach: o})
	}
}

// and lists what x is together with each option of y.
func (x *reach) and(y *reach) (all []*reach) {
	add := func(y *reach) {
		z := newReach()
		z.rules, z.own = slices.Clone(x.rules), slices.Clone(x.own)
		for _, r := range y.rules {
			z.rules = with(z.rules, r)
		}
		for _, r := range y.whole {
			z.own = with(z.own, r)
		}
		all = append(all, z)
	}
	if len(y.options) == 0 {
		add(y)
	}
	for _, o := range y.options {
		add(o.reach)
	}
	return all
}

func least(a, b int) int {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}

// meeting is the rules of a place, and a kind of value there.
type meeting struct {
	rules [4]*rule
	kind  kinds
}

// reachOf is what several rules together mean for a value of kind k; nil where there are none. What is around
// alternatives adds rules of its own to those of the parts, so that the same few meet again and again.
func (st *Stream) reachOf(rules []*rule, k kinds) *reach {
	switch len(rules) {
	case 0:
		return nil
	case 1:
		return rules[0].reaches[k.slot()]
	}
	at := meeting{kind: k}
	if copy(at.rules[:], rules) < len(rules) {
		return together(rules, k)
	}
	x := st.met[at]
	if x == nil {
		if st.met == nil {
			st.met = make(map[meeting]*reach)
		}
		x = together(rules, k)
		st.met[at] = x
	}
	return x
}

func together(rules []*rule, k kinds) *reach {
	x := newReach()
	for _, r := range rules {
		one := r.reaches[k.slot()]
		x.never = x.never || one.never
		x.alone = x.alone || one.alone
		x.rules = append(x.rules, one.rules...)
		x.own = append(x.own, one.own...)
		x.whole = append(x.whole, one.whole...)
		x.open = append(x.open, one.open...)
	}
	x.conclude()
	return x
}

// certain reports whether a closed scalar certainly fits. The text is that of a string, or else its JSON.
func (x *reach) certain(k kinds, text []byte) bool {
	switch {
	case x.never:
		return false
	case len(x.options) > 0:
		return x.fitsOption(k, text)
	case len(x.whole) > 0:
		return false
	}
	for _, r := range x.rules {
		if k == aNumber && r.few {
			if n, ok := integerOf(text); !ok || !slices.Contains(r.listed, n) {
				return false
			}
			continue
		}
		q := r.quick
		if q == nil || q.kinds&k == 0 {
			return false
		}
		var ok bool
		switch k {
		case aString:
			ok = q.text(text, true)
		case aNumber:
			ok = (&reader{text}).number(q, 0) == len(text)
		default:
			ok = q.literal(string(text))
		}
		if !ok {
			return false
		}
	}
	return true
}

// fitsOption reports whether a closed scalar certainly fits one of the options, and only one where no more may.
func (x *reach) fitsOption(k kinds, text []byte) bool {
	fits := 0
	for _, o := range x.options {
		switch {
		case o.certain(k, text):
			fits++
		case x.alone && !o.excludes(k, text):
			return false
		}
		if fits > 0 && !x.alone {
			return true
		}
	}
	return fits == 1
}

// excludes reports whether a closed scalar certainly does not fit, for it is none of those that are allowed.
func (x *reach) excludes(k kinds, text []byte) bool {
	return x.never || slices.ContainsFunc(x.rules, func(r *rule) bool {
		switch {
		case k == aString && r.chosen:
			return !slices.Contains(r.words, string(text))
		case k == aNumber && r.few:
			n, ok := integerOf(text)
			return ok && !slices.Contains(r.listed, n)
		}
		return false
	})
}

// integerOf reads a number that is written as a plain integer, and is none of the largest.
func integerOf(text []byte) (n int64, ok bool) {
	end, whole := (&reader{text}).digits(0)
	if !whole || end != len(text) {
		return 0, false
	}
	return integer(text)
}

// begun reports whether an open string may still become one that fits. Of what it finds wrong it names the rule, or
// none where it is several alternatives that say no.
func (x *reach) begun(text []byte, length int) (by *rule, ok bool) {
	for _, r := range x.rules {
		if r.maxLen >= 0 && length > r.maxLen {
			return r, false
		}
		if r.chosen && !slices.ContainsFunc(r.words, func(word string) bool { return beginsWith(word, text) }) {
			return r, false
		}
	}
	if len(x.options) > 0 && !slices.ContainsFunc(x.options, func(o option) bool {
		_, ok := o.begun(text, length)
		return ok
	}) {
		return nil, false
	}
	return nil, true
}

func beginsWith(word string, text []byte) bool {
	return len(word) >= len(text) && word[:len(text)] == string(text)
}

// member finds the rules of a member of an object, its name without memory of its own where a rule knows it, and the
// rule that does not allow it.
func (x *reach) member(name []byte) (rules []*rule, known string, against *rule) {
	if x == nil {
		return nil, "", nil
	}
	for _, r := range x.rules {
		listed := false
		if m, ok := r.members[string(name)]; ok {
			listed, known = true, m.name
			rules = with(rules, m.rule)
		}
		for _, p := range r.patterns {
			if p.pattern.MatchString(string(name)) {
				listed = true
				rules = with(rules, p.rule)
			}
		}
		switch {
		case listed:
		case r.closed:
			against = r
		default:
			rules = with(rules, r.others)
		}
	}
	return rules, known, against
}

// item finds the rules of an item of an array.
func (x *reach) item(i int) (rules []*rule) {
	if x == nil {
		return nil
	}
	for _, r := range x.rules {
		if i < len(r.prefix) {
			rules = with(rules, r.prefix[i])
		} else {
			rules = with(rules, r.items)
		}
	}
	return rules
}

func with(rules []*rule, r *rule) []*rule {
	switch {
	case r == nil || slices.Contains(rules, r):
		return rules
	case rules == nil:
		return r.alone
	}
	return append(slices.Clip(rules), r)
}
