package value

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// This file merges what is in interfaces by the rules. A nil is nothing there.

// anyRule is a rule for interfaces.
func anyRule(name string) rule {
	return func(m *merge, c *contest) {
		var base any
		if c.base != nil {
			base = *(*any)(c.base)
		}
		offers := make([]any, len(c.sides))
		for i, s := range c.sides {
			if s.at != nil {
				offers[i] = *(*any)(s.at)
			}
		}
		if v, ok := m.resolveValues(name, base, offers, c.sides); ok {
			*(*any)(c.into) = v
		}
	}
}

// numeralRule is a rule for json.Number.
func numeralRule(name string) rule {
	return func(m *merge, c *contest) {
		var base any
		if c.base != nil {
			base = *(*json.Number)(c.base)
		}
		offers := make([]any, len(c.sides))
		for i, s := range c.sides {
			if s.at != nil {
				offers[i] = *(*json.Number)(s.at)
			}
		}
		if v, ok := m.resolveValues(name, base, offers, c.sides); ok {
			*(*json.Number)(c.into), _ = v.(json.Number)
		}
	}
}

// resolveValues merges what the sides offer by a rule, or notes a conflict.
func (m *merge) resolveValues(rule string, base any, offers []any, sides []side) (merged any, ok bool) {
	for i, v := range offers {
		m.branch = sides[i].branch
		offers[i] = m.plain(v)
	}
	base = m.plain(base)
	some := func(v any) bool { return v != nil }
	if m.p.err != nil || !slices.ContainsFunc(offers, some) {
		return nil, m.p.err == nil
	}
	all := append([]any{base}, offers...)
	switch lists, objects := only[[]any](all), only[map[string]any](all); {
	case (rule == ruleAppend || rule == ruleEdit) && lists:
		return m.appendValues(rule, base, offers, sides)
	case rule == ruleUnion && lists:
		return m.unionValues(base, offers, sides)
	case rule == ruleUnion && objects:
		return m.unionObjects(base, offers, sides)
	case rule == ruleSum && only[json.Number](all):
		return m.sumValues(base, offers, sides)
	case (rule == ruleMax || rule == ruleMin) && (only[json.Number](offers) || only[string](offers)):
		return extremeOf(rule, offers), true
	}
	needs := map[string]string{
		ruleAppend: "lists", ruleEdit: "lists", ruleUnion: "lists or objects, all of one kind", ruleSum: "numbers",
		ruleMax: "numbers or strings, all of one kind", ruleMin: "numbers or strings, all of one kind",
	}
	found := make([]string, 0, len(all))
	for _, v := range all {
		if k := kindOf(v); v != nil && !slices.Contains(found, k) {
			found = append(found, k)
		}
	}
	slices.Sort(found)
	m.conflict(sides, fmt.Sprintf(`merge:"%s" needs %s, found %s`, rule, needs[rule], strings.Join(found, ", ")))
	return nil, false
}

// plain is a value as JSON has it, at least on the outside.
func (m *merge) plain(v any) any {
	switch x := v.(type) {
	case nil, bool, string:
		return v
	case map[string]any:
		if x == nil {
			return nil
		}
		return v
	case []any:
		if x == nil {
			return nil
		}
		return v
	}
	return m.p.copyAny(v)
}

// only reports whether all values that are there are of one type.
func only[T any](values []any) bool {
	for _, v := range values {
		if _, ok := v.(T); !ok && v != nil {
			return false
		}
	}
	return true
}

// kindOf names what a plain value is, for people.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		return "number"
	case []any:
		return "list"
	}
	return "object"
}

// differsAny is differs for values in interfaces.
func (m *merge) differsAny(old, new any) bool {
	if sameLeaf(old, new) {
		return false
	}
	p := m.p
	start, first, noted := len(p.buf), len(p.parts), len(p.todo)
	p.deltaAt(place{slot: &old}, old, new)
	changed := len(p.buf) > start
	p.takeBack(start, first, noted)
	return changed
}

func (m *merge) appendValues(rule string, base any, offers []any, sides []side) (merged any, ok bool) {
	old, _ := base.([]any)
	held := make([][]any, len(offers))
	size := 0
	for i, v := range offers {
		held[i], _ = v.([]any)
		size += len(held[i])
	}
	first, ok := m.leading(rule, sides, func(i int) bool {
		same := len(held[i]) >= len(old)
		for j := 0; same && j < len(old); j++ {
			same = !m.differsAny(old[j], held[i][j])
		}
		return same
	})
	if !ok {
		return nil, false
	}
	made := append(make([]any, 0, size), held[first]...)
	for i, list := range held {
		if i != first {
			made = append(made, list[len(old):]...)
		}
	}
	return made, true
}

func (m *merge) unionValues(base any, offers []any, sides []side) (merged any, ok bool) {
	texts := func(v any) []string {
		list, _ := v.([]any)
		all := make([]string, len(list))
		for i, x := range list {
			all[i] = m.textOf(x)
		}
		return all
	}
	old, sets := texts(base), make([][]string, len(offers))
	for i, v := range offers {
		m.branch = sides[i].branch
		sets[i] = texts(v)
	}
	chosen := unionOf(old, sets)
	made := make([]any, len(chosen))
	for i, x := range chosen {
		made[i] = offers[x.set].([]any)[x.index] //nolint:forcetypeassert // it has the element
	}
	return made, true
}

func (m *merge) textOf(v any) string {
	start := len(m.p.buf)
	m.p.writeAny(v)
	return m.cut(start)
}

func (m *merge) unionObjects(base any, offers []any, sides []side) (merged any, ok bool) {
	old, _ := base.(map[string]any)
	objects := make([]members[any], len(offers))
	for i, v := range offers {
		object, _ := v.(map[string]any)
		objects[i] = object
	}
	made := make(map[string]any, len(objects[0]))
	maps.Copy(made, objects[0])
	put := func(name string, c claim) {
		if c.has {
			made[name] = objects[c.side][name]
		} else {
			delete(made, name)
		}
	}
	return made, unionOfMembers(m, sides, old, objects, m.differsAny, m.textOf, put)
}

func (m *merge) sumValues(base any, offers []any, sides []side) (merged any, ok bool) {
	first, _ := base.(json.Number)
	of := make([]json.Number, len(offers))
	for i, v := range offers {
		of[i], _ = v.(json.Number)
	}
	sum, ok := sumNumerals(first, of)
	if !ok {
		m.conflict(sides, `merge:"sum" has numbers to add that are too large to calculate with`)
		return nil, false
	}
	return sum, true
}

// extremeOf is the largest or smallest of numbers or of strings.
func extremeOf(rule string, offers []any) any {
	var best any
	for _, v := range offers {
		switch x := v.(type) {
		case json.Number:
			if was, ok := best.(json.Number); !ok || compareNumerals(x, was) == sign(rule) {
				best = x
			}
		case string:
			if was, ok := best.(string); !ok || (x > was) == (rule == ruleMax) && x != was {
				best = x
			}
		}
	}
	return best
}
