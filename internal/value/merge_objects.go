package value

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Merge does what [Typed.Merge] does, for objects. Each member is one field with the rule given for it.
func (k *Objects) Merge(base any, branches []any) (merged any, err error) {
	from, err := asObject(base)
	if err != nil {
		return nil, err
	}
	if len(branches) == 0 {
		return k.Copy(base)
	}
	of := make([]map[string]any, len(branches))
	for i, b := range branches {
		if of[i], err = k.own(from, of[:i], b); err != nil {
			return nil, inBranch(i, err)
		}
	}
	m := newMerge(k.limit)
	m.p.share = k.share
	defer func() {
		if r := recover(); r != nil {
			f := &failure{reason: fmt.Sprintf("its own code panicked: %v", r)}
			err = inBranch(m.branch, locate(f, reflect.ValueOf(of[m.branch]), pointerPath))
		}
	}()
	m.objects(k.rules, from, of)
	switch {
	case m.p.err != nil:
		err = inBranch(m.branch, checkObject(m.p, of[m.branch]))
	case len(m.conflicts) > 0:
		err = m.conflicts
	}
	m.release()
	if err != nil {
		return nil, err
	}
	return of[0], nil
}

// own is a branch's object, with names that JSON tells apart.
func (k *Objects) own(base map[string]any, others []map[string]any, branch any) (map[string]any, error) {
	v, err := asObject(branch)
	if err != nil {
		return nil, err
	}
	at := reflect.ValueOf(v).UnsafePointer()
	same := func(other map[string]any) bool { return reflect.ValueOf(other).UnsafePointer() == at }
	if j := slices.IndexFunc(others, same); j >= 0 || same(base) {
		return nil, &Error{Reason: notItsOwn(j)}
	}
	if validKeys(v) {
		return v, nil
	}
	data, err := k.Encode(v)
	if err != nil {
		return nil, err
	}
	back, err := k.Decode(data)
	if err != nil {
		return nil, err
	}
	return asObject(back)
}

// objects merges objects member by member, into the first.
func (m *merge) objects(rules map[string]string, base map[string]any, of []map[string]any) {
	type change struct {
		name   string
		branch int
	}
	var changes []change
	for i, object := range of {
		m.branch = i
		kept := 0
		for name, v := range object {
			was, had := base[name]
			if had {
				kept++
			}
			if !had || m.differsAny(was, v) {
				changes = append(changes, change{name, i})
			}
		}
		if kept == len(base) {
			continue
		}
		for name := range base {
			if _, has := object[name]; !has {
				changes = append(changes, change{name, i})
			}
		}
	}
	if m.p.err != nil {
		return
	}
	slices.SortStableFunc(changes, func(a, b change) int { return strings.Compare(a.name, b.name) })
	for len(changes) > 0 && m.p.err == nil {
		name := changes[0].name
		m.sides = m.sides[:0]
		for len(changes) > 0 && changes[0].name == name {
			m.sides = append(m.sides, side{branch: changes[0].branch})
			changes = changes[1:]
		}
		m.way = append(m.way[:0], "", name)
		m.decideMember(rules[name], name, base[name], of)
	}
}

// decideMember finds what becomes of a member that the sides changed.
func (m *merge) decideMember(rule, name string, base any, of []map[string]any) {
	sides, result := m.sides, of[0]
	take := func(s side) {
		if v, has := of[s.branch][name]; has {
			result[name] = v
		} else {
			delete(result, name)
		}
	}
	switch {
	case len(sides) == 1 || rule == ruleFirst:
		take(sides[0])
		return
	case rule == ruleLast:
		take(sides[len(sides)-1])
		return
	}
	offers := make([]any, len(sides))
	for i, s := range sides {
		offers[i] = of[s.branch][name]
	}
	if rule == "" {
		allowed := rulesFor(base)
		for _, v := range offers {
			fits := rulesFor(v)
			allowed = slices.DeleteFunc(allowed, func(r string) bool { return !slices.Contains(fits, r) })
		}
		m.conflict(sides, noRule(allowed))
		return
	}
	if v, ok := m.resolveValues(rule, base, offers, sides); ok && v != nil {
		result[name] = v
	} else if ok {
		take(sides[0])
	}
}
