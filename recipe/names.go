package recipe

import (
	"slices"
)

// vocabulary is all names that a recipe can bring on the blackboard, so that the names of a place are a list by number.
type vocabulary struct {
	index map[string]int
	words []string
}

func newVocabulary() *vocabulary { return &vocabulary{index: make(map[string]int)} }

func (v *vocabulary) number(name string) int {
	i, ok := v.index[name]
	if !ok {
		i = len(v.words)
		v.index[name] = i
		v.words = append(v.words, name)
	}
	return i
}

// names is what the blackboard holds at some place of a recipe: a type for each name, on every way there. It is
// immutable: changed copies share what did not change, so that a long recipe stays cheap.
type names struct {
	vocabulary *vocabulary
	chunks     []*chunk
	rest       *valueType // what any name that is not listed is; nil: it is not there
	failure    *valueType // what the name error stands for: absent where there is none
}

const chunkSize = 32

type chunk [chunkSize]*valueType

// noNames are none, with a vocabulary of their own.
func noNames() names { return names{vocabulary: newVocabulary(), failure: absent} }

// anyNames may be any.
func anyNames() names {
	return names{vocabulary: newVocabulary(), rest: anything, failure: absent}
}

// at is the type of the name with a number; nil where it is not listed.
func (n names) at(i int) *valueType {
	if c := i / chunkSize; c < len(n.chunks) && n.chunks[c] != nil {
		return n.chunks[c][i%chunkSize]
	}
	return nil
}

func (n names) orRest(t *valueType) *valueType {
	switch {
	case t != nil:
		return t
	case n.rest != nil:
		return n.rest
	}
	return absent
}

// typ is the type of a name.
func (n names) typ(name string) *valueType {
	t := n.board(name)
	if name != errorName || n.failure.kinds == 0 {
		return t
	}
	if n.failure.missing {
		return union(n.failure.present(), t)
	}
	return n.failure
}

// board is the type of a name of the blackboard itself.
func (n names) board(name string) *valueType {
	i, ok := n.vocabulary.index[name]
	if !ok {
		return n.orRest(nil)
	}
	return n.orRest(n.at(i))
}

// listed says whether the file says something of the name.
func (n names) listed(name string) bool {
	i, ok := n.vocabulary.index[name]
	return ok && n.at(i) != nil || name == errorName && n.failure.kinds != 0
}

// has says whether something of that name may be there.
func (n names) has(name string) bool { return n.typ(name).kinds != 0 }

// set gives a name a type.
func (n *names) set(name string, t *valueType) { n.put(n.vocabulary.number(name), t) }

func (n *names) put(i int, t *valueType) {
	if n.at(i) == t {
		return
	}
	c := i / chunkSize
	n.chunks = slices.Clone(n.chunks)
	for len(n.chunks) <= c {
		n.chunks = append(n.chunks, nil)
	}
	changed := new(chunk)
	if n.chunks[c] != nil {
		*changed = *n.chunks[c]
	}
	changed[i%chunkSize] = t
	n.chunks[c] = changed
}

// list are all names that may be there and are known, sorted.
func (n names) list() []string {
	var all []string
	for c, chunk := range n.chunks {
		for i := range chunkSize {
			if chunk != nil && chunk[i] != nil && chunk[i].kinds != 0 {
				all = append(all, n.vocabulary.words[c*chunkSize+i])
			}
		}
	}
	slices.Sort(all)
	return all
}

// object is the type of the whole.
func (n names) object() *valueType {
	t := &valueType{kinds: objectKind, rest: n.rest, fields: make(map[string]*valueType)}
	for _, name := range n.list() {
		t.fields[name] = n.board(name)
	}
	return t
}

// join is what is there where two ways meet, and whether that is more than n said. After too many rounds a name that
// still changes may be anything.
func (n names) join(other names, widen bool) (names, bool) {
	out, changed := n, false
	rest := n.rest
	if (n.rest == nil) != (other.rest == nil) {
		rest = anything.optional()
	} else if n.rest != other.rest {
		rest = union(n.rest, other.rest)
	}
	for c := range max(len(n.chunks), len(other.chunks)) {
		if c < len(n.chunks) && c < len(other.chunks) && n.chunks[c] == other.chunks[c] && n.rest == other.rest {
			continue
		}
		for i := c * chunkSize; i < (c+1)*chunkSize; i++ {
			a, b := n.at(i), other.at(i)
			if a == nil && b == nil {
				continue
			}
			a, b = n.orRest(a), other.orRest(b)
			u := union(a, b)
			if u.same(a) {
				u = a
			} else if widen {
				missing := u.missing
				u = anything.with(func(t *valueType) { t.missing = missing })
			}
			changed = changed || u != a
			out.put(i, u)
		}
	}
	if rest != n.rest && !(rest != nil && n.rest != nil && rest.same(n.rest)) {
		out.rest, changed = rest, true
	}
	if f := union(n.failure, other.failure); !f.same(n.failure) {
		out.failure, changed = f, true
	}
	return out, changed
}

// present are the names where each that may be there is.
func (n names) present() names {
	for i := range n.vocabulary.words {
		if t := n.at(i); t != nil && t.kinds != 0 {
			n.put(i, t.present())
		}
	}
	if n.rest != nil {
		n.rest = n.rest.present()
	}
	return n
}

// afterFailure are the names where error is known.
func (n names) afterFailure() names {
	n.failure = failureType
	return n
}

var failureType = &valueType{kinds: objectKind, fields: map[string]*valueType{
	"message": plain(textKind), "task": plain(textKind),
}}
