package value

import (
	"reflect"

	"github.com/fermata-go/fermata/internal/canonical"
)

// This file makes objects canonical whose members nobody changes in place (see [Objects.Sharing]). A map or list that
// was made here is known by its address, and stays as it is. All else is copied into the form that JSON gives it, so
// that nothing of the program leads into a value, and the copy is known from then on.

// finalizeShared is Finalize for objects that share.
func (k *Objects) finalizeShared(v map[string]any, known *Known) (final any, err error) {
	known.begin(true, true, true, k.limit)
	p := newPass(k.limit)
	made := p.ownMembers(v, known)
	if p.err != nil {
		return nil, locate(p.err, reflect.ValueOf(v), pointerPath)
	}
	p.release()
	known.last = known.last[:0]
	for _, v := range made {
		known.member(v)
	}
	return made, nil
}

// ownMembers is a map with the members of another one.
func (p *pass) ownMembers(m map[string]any, known *Known) map[string]any {
	made := make(map[string]any, len(m))
	if p.enter() {
		for key, v := range m {
			if !known.valid(key) {
				key = canonical.Text(key)
				_, here := m[key]
				if _, twice := made[key]; here || twice {
					p.fail(twinReason(key))
				}
			}
			if made[key] = p.ownAny(v, known); p.err != nil {
				break
			}
		}
	}
	p.leave()
	return made
}

// ownAny is a value in the form that JSON gives it, with all that is known as it is.
func (p *pass) ownAny(v any, known *Known) any {
	switch is := v.(type) {
	case nil, bool:
		return v
	case string:
		if known.valid(is) {
			return v
		}
		return canonical.Text(is)
	case map[string]any:
		if is == nil {
			return nil
		}
		if !known.owns(v) {
			v = p.ownMembers(is, known)
			known.note(v)
		}
		return v
	case []any:
		if is == nil {
			return nil
		}
		if !known.owns(v) {
			v = p.ownItems(is, known)
			known.note(v)
		}
		return v
	}
	return p.copyAny(v)
}

func (p *pass) ownItems(list []any, known *Known) []any {
	made := make([]any, len(list))
	if p.enter() {
		for i, v := range list {
			if made[i] = p.ownAny(v, known); p.err != nil {
				break
			}
		}
	}
	p.leave()
	return made
}
