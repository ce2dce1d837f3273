package expression

import (
	"slices"
)

// Vocabulary numbers all names that a definition can set, so that the names of a place are a list.
type Vocabulary struct {
	index map[string]int
	words []string
}

// NewVocabulary makes an empty one. All names of a definition that are compared or joined share one.
func NewVocabulary() *Vocabulary { return &Vocabulary{index: make(map[string]int)} }

func (v *Vocabulary) number(name string) int {
	i, ok := v.index[name]
	if !ok {
		i = len(v.words)
		v.index[name] = i
		v.words = append(v.words, name)
	}
	return i
}

// Names holds what the blackboard holds at a place of a definition: a type for each name. It is true for every path to
// the place. Copies are cheap and share what is not set, so that a long definition stays cheap.
type Names struct {
	Vocabulary *Vocabulary
	chunks     []*chunk
	Rest       *Type // type of any name that is not listed; nil: such a name is missing
	Failure    *Type // what the name error stands for: absent where there is none
}

const chunkSize = 32

type chunk [chunkSize]*Type

// NoNames are none, with a vocabulary of their own.
func NoNames() Names { return Names{Vocabulary: NewVocabulary(), Failure: Absent} }

// AnyNames may be any.
func AnyNames() Names {
	return Names{Vocabulary: NewVocabulary(), Rest: Anything, Failure: Absent}
}

// at is the type of the name with a number; nil where it is not listed.
func (n Names) at(i int) *Type {
	if c := i / chunkSize; c < len(n.chunks) && n.chunks[c] != nil {
		return n.chunks[c][i%chunkSize]
	}
	return nil
}

func (n Names) orRest(t *Type) *Type {
	switch {
	case t != nil:
		return t
	case n.Rest != nil:
		return n.Rest
	}
	return Absent
}

// typ is the type of a name.
func (n Names) typ(name string) *Type {
	t := n.Board(name)
	if name != ErrorName || n.Failure.Kinds == 0 {
		return t
	}
	if n.Failure.Missing {
		return Union(n.Failure.Present(), t)
	}
	return n.Failure
}

// Board is the type of a name of the blackboard itself.
func (n Names) Board(name string) *Type {
	i, ok := n.Vocabulary.index[name]
	if !ok {
		return n.orRest(nil)
	}
	return n.orRest(n.at(i))
}

// Listed says whether the file says something of the name.
func (n Names) Listed(name string) bool {
	i, ok := n.Vocabulary.index[name]
	return ok && n.at(i) != nil || name == ErrorName && n.Failure.Kinds != 0
}

// Has says whether something of that name may be there.
func (n Names) Has(name string) bool { return n.typ(name).Kinds != 0 }

// Set gives a name a type.
func (n *Names) Set(name string, t *Type) { n.put(n.Vocabulary.number(name), t) }

func (n *Names) put(i int, t *Type) {
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

// List are all names that may be there and are known, sorted.
func (n Names) List() []string {
	var all []string
	for c, chunk := range n.chunks {
		for i := range chunkSize {
			if chunk != nil && chunk[i] != nil && chunk[i].Kinds != 0 {
				all = append(all, n.Vocabulary.words[c*chunkSize+i])
			}
		}
	}
	slices.Sort(all)
	return all
}

// Object is the type of the whole.
func (n Names) Object() *Type {
	t := &Type{Kinds: ObjectKind, Rest: n.Rest, Fields: make(map[string]*Type)}
	for _, name := range n.List() {
		t.Fields[name] = n.Board(name)
	}
	return t
}

// Join is what is there where two ways meet, and whether that is more than n said. After too many rounds a name that
// still changes may be anything.
func (n Names) Join(other Names, widen bool) (Names, bool) {
	out, changed := n, false
	rest := n.Rest
	if (n.Rest == nil) != (other.Rest == nil) {
		rest = Anything.optional()
	} else if n.Rest != other.Rest {
		rest = Union(n.Rest, other.Rest)
	}
	for c := range max(len(n.chunks), len(other.chunks)) {
		if c < len(n.chunks) && c < len(other.chunks) && n.chunks[c] == other.chunks[c] && n.Rest == other.Rest {
			continue
		}
		for i := c * chunkSize; i < (c+1)*chunkSize; i++ {
			a, b := n.at(i), other.at(i)
			if a == nil && b == nil {
				continue
			}
			a, b = n.orRest(a), other.orRest(b)
			u := Union(a, b)
			if u.same(a) {
				u = a
			} else if widen {
				missing := u.Missing
				u = Anything.With(func(t *Type) { t.Missing = missing })
			}
			changed = changed || u != a
			out.put(i, u)
		}
	}
	if rest != n.Rest && !(rest != nil && n.Rest != nil && rest.same(n.Rest)) {
		out.Rest, changed = rest, true
	}
	if f := Union(n.Failure, other.Failure); !f.same(n.Failure) {
		out.Failure, changed = f, true
	}
	return out, changed
}

// Present are the names where each that may be there is.
func (n Names) Present() Names {
	for i := range n.Vocabulary.words {
		if t := n.at(i); t != nil && t.Kinds != 0 {
			n.put(i, t.Present())
		}
	}
	if n.Rest != nil {
		n.Rest = n.Rest.Present()
	}
	return n
}

// AfterFailure are the names where error is known.
func (n Names) AfterFailure() Names {
	n.Failure = FailureType
	return n
}

// FailureType is the type of the name error where it is known.
var FailureType = &Type{Kinds: ObjectKind, Fields: map[string]*Type{
	"message": Plain(TextKind), "task": Plain(TextKind),
}}

// Certain is n, where what is certain in other is certain.
func (n Names) Certain(other Names) Names {
	out := n
	if n.Rest != nil && n.Rest.Missing && other.Rest != nil && !other.Rest.Missing {
		out.Rest = Anything
	}
	for i := range max(len(n.chunks), len(other.chunks)) * chunkSize {
		a, b := n.at(i), other.at(i)
		if a == nil && b == nil {
			continue
		}
		if a = n.orRest(a); a.Missing && a.Kinds != 0 && !other.orRest(b).Missing {
			out.put(i, a.Present())
		}
	}
	return out
}

// Same says whether two are the same.
func (n Names) Same(other Names) bool {
	both := func(a, b *Type) bool { return a == b || a != nil && b != nil && a.same(b) }
	if !both(n.Rest, other.Rest) || !both(n.Failure, other.Failure) {
		return false
	}
	for i := range max(len(n.chunks), len(other.chunks)) * chunkSize {
		if !both(n.at(i), other.at(i)) {
			return false
		}
	}
	return true
}
