package value

import "unsafe"

// Known remembers texts, and lists and maps that nobody changes in place, that were looked at. It is not safe for
// concurrent use.
type Known struct {
	look
	seen seen
	held seen    // maps and lists of interfaces that values of this package alone lead to, and that nobody changes
	last []known // those that are members of the last object that was finalized

	thorough bool // all that is noted was looked at with its texts

	deltas deltas // memory that deltas are written to
}

// Learn takes over the maps and lists of the object that was finalized last with another Known.
func (k *Known) Learn(from *Known) {
	for _, x := range from.last {
		k.held.skip(x.at, x.n)
	}
}

// member notes a member of the object that is being finalized.
func (k *Known) member(v any) {
	if at, n := partsOf(v); n > 0 {
		k.last = append(k.last, known{at: at, n: n})
	}
}

// owns reports whether a map or list in an interface is known, with all that it has.
func (k *Known) owns(v any) bool {
	at, n := partsOf(v)
	return n > 0 && k.held.knows(at, n)
}

// note has a map or list in an interface known.
func (k *Known) note(v any) {
	if at, n := partsOf(v); n > 0 {
		k.held.skip(at, n)
	}
}

// partsOf is where the parts of a map or list in an interface are, and how many; none for other values.
func partsOf(v any) (at unsafe.Pointer, n int) {
	switch v := v.(type) {
	case map[string]any:
		return *(*unsafe.Pointer)(unsafe.Pointer(&v)), len(v)
	case []any:
		return unsafe.Pointer(unsafe.SliceData(v)), len(v)
	}
	return nil, 0
}

// seen is a set of places in memory that were looked at. It grows with the values, forgets what was not met for a while, and
// keeps what it holds from being collected.
type seen struct {
	slots []known // a power of two of them, nil until something is noted
	used  int
	now   uint32 // counts the looks
	swept uint32 // when places were forgotten last
}

type known struct {
	at  unsafe.Pointer
	n   int
	met uint32 // in which look
}

const (
	fewestSlots = 64
	mostSlots   = 1 << 16
	memory      = 64 // looks, after which a place that was not met is forgotten
	longText    = 64 // bytes; shorter texts are looked at again
)

// next begins a look.
func (s *seen) next() {
	if s.now++; s.now-s.swept >= memory && s.used > 0 {
		s.sweep()
	}
}

// forget forgets all places.
func (s *seen) forget() {
	clear(s.slots)
	s.used = 0
}

// skip is how many of n elements or bytes at an address were looked at before; it notes all n.
func (s *seen) skip(at unsafe.Pointer, n int) int {
	slot := s.slot(at)
	if slot == nil {
		return 0
	}
	was := slot.n
	if slot.at == nil {
		s.used++
	} else if was > n {
		was = 0
	}
	*slot = known{at, n, s.now}
	return was
}

// knows reports whether all n elements at an address, and no others, are noted.
func (s *seen) knows(at unsafe.Pointer, n int) bool {
	if s.used == 0 {
		return false
	}
	slot := s.slot(at)
	if slot == nil || slot.at == nil || slot.n != n {
		return false
	}
	slot.met = s.now
	return true
}

// slot is where a place is noted, or is to be; nil where there are too many.
func (s *seen) slot(at unsafe.Pointer) *known {
	for {
		mask := uintptr(len(s.slots) - 1)
		for i, h := uintptr(0), spread(at); i < uintptr(len(s.slots)); i++ {
			switch slot := &s.slots[(h+i)&mask]; {
			case slot.at == at:
				return slot
			case slot.at == nil && s.used < len(s.slots)/4*3:
				return slot
			case slot.at == nil:
				i = uintptr(len(s.slots))
			}
		}
		if len(s.slots) >= mostSlots && s.swept == s.now {
			return nil
		}
		s.sweep()
	}
}

// spread makes a hash of an address.
func spread(at unsafe.Pointer) uintptr {
	h := uintptr(at) >> 3
	return h ^ h>>7 ^ h>>17
}

// sweep forgets what was not met for a while, and makes room where most is left.
func (s *seen) sweep() {
	old, size := s.slots, 0
	for i := range old {
		if old[i].at != nil && s.now-old[i].met < memory {
			size++
		}
	}
	room := fewestSlots
	for room < mostSlots && size > room/2 {
		room *= 2
	}
	s.slots, s.used, s.swept = make([]known, room), 0, s.now
	for i := range old {
		if old[i].at != nil && s.now-old[i].met < memory && s.used < room/4*3 {
			*s.slot(old[i].at) = old[i]
			s.used++
		}
	}
}
