package expression

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Refuses returns why a value is not of this type, as far as kinds and members show, or "". Path is where that is
// within the value, "" for the whole. A type that is open refuses nothing.
func (t *Type) Refuses(v any) (path, why string) { return t.refuses(v, nil, 0) }

func (t *Type) refuses(v any, at []string, depth int) (path, why string) {
	if t == nil || t.Open || t.Kinds == 0 || depth > maxTypeDepth {
		return "", ""
	}
	k := kindOfValue(v)
	if k&NumberKind != 0 {
		k = NumberKind // 1.0 may be a whole number
	}
	if k&t.Kinds == 0 {
		return strings.Join(at, "."), fmt.Sprintf("is %s where %s is expected", kindOfValue(v), t.Kinds)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range t.Names() {
			inner, there := v[name]
			if !there && !t.Fields[name].Missing {
				return strings.Join(append(slices.Clone(at), name), "."), "is not there"
			}
			if !there {
				continue
			}
			if path, why = t.Fields[name].refuses(inner, append(slices.Clone(at), name), depth+1); why != "" {
				return path, why
			}
		}
	case []any:
		for i := range v {
			if path, why = t.items.refuses(v[i], append(slices.Clone(at), strconv.Itoa(i)), depth+1); why != "" {
				return path, why
			}
		}
	}
	return "", ""
}
