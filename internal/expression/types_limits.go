package expression

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/fermata-go/fermata/internal/document"
)

// limits are what a schema says beside types: bounds, lengths, patterns. Only values that are always the same are held
// against it when a recipe is loaded.
type limits struct {
	doc, root map[string]any
	shape     *document.Shape // once it was needed; without a compiled schema where the part does not stand alone
}

// followed are the keywords that types say all of, for values that are no lists or objects.
var followed = map[string]bool{"type": true, "title": true, "description": true, "default": true, "examples": true, "enum": true}

// limited is the type with what its schema says beside it.
func (r schemaReader) limited(t *Type, doc map[string]any) *Type {
	more := t.Kinds&(ListKind|ObjectKind) != 0
	for word := range doc {
		more = more || !followed[word]
	}
	if !more || len(doc) == 0 {
		return t
	}
	return t.With(func(u *Type) { u.limits = &limits{doc: doc, root: r.root} })
}

func (l *limits) same(o *limits) bool {
	return l == o || l != nil && o != nil && reflect.DeepEqual(l.doc, o.doc)
}

// check checks a value against the schema.
func (l *limits) check(v any) error {
	if l.shape == nil {
		doc := maps.Clone(l.doc)
		for _, word := range []string{"$defs", "definitions"} { // that references lead to
			if defs, ok := l.root[word]; ok && doc[word] == nil {
				doc[word] = defs
			}
		}
		l.shape = &document.Shape{Doc: doc}
		if standsAlone(doc) || reflect.DeepEqual(l.doc, l.root) {
			_ = l.shape.Compile() // what does not compile alone is checked in the run
		}
	}
	if l.shape.Compiled == nil {
		return nil
	}
	return l.shape.Check(v)
}

// unfixed is the type of a value that is not always the same any more.
func (t *Type) unfixed() *Type { return t.With(func(u *Type) { u.fixed = nil }) }

// constants are the values of which the value certainly may be each.
func (t *Type) constants() []any {
	switch {
	case t.fixed != nil:
		return t.fixed
	case !t.Open:
		return t.Values
	}
	return nil
}

// cut is a text for a message, cut where it is long.
func cut(s string) string {
	const shown = 60
	if r := []rune(s); len(r) > shown {
		return string(r[:shown]) + "…"
	}
	return s
}

// misfitLimits holds what is always the same, or one of a few, against what a schema says beside types.
func (t *Type) misfitLimits(want *Type, subject string) string {
	if want.limits == nil {
		return ""
	}
	all := t.constants()
	for _, v := range all {
		err := want.limits.check(v)
		if err == nil {
			continue
		}
		return fmt.Sprintf("%s %s %s, which does not fit: %v", subject, verbOf(all), cut(literal(v)), err)
	}
	return ""
}

// standsAlone reports whether all references of a part of a schema lead to definitions.
func standsAlone(schema any) bool {
	switch s := schema.(type) {
	case map[string]any:
		for word, v := range s {
			ref, isRef := v.(string)
			if strings.HasPrefix(word, "$") && isRef && !strings.HasPrefix(ref, "#/$defs/") && !strings.HasPrefix(ref, "#/definitions/") {
				return false // $ref to the whole, $dynamicRef, $id
			}
			if !standsAlone(v) {
				return false
			}
		}
	case []any:
		for _, v := range s {
			if !standsAlone(v) {
				return false
			}
		}
	}
	return true
}
