package recipe

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// KindReview is the kind of the questions of reviews. The question shows {"value": …}, and with inputs_map "evidence".
// An answer is {"action": …}, with the edited "value" and a "note".
const KindReview = "review"

// reviewStep is a review that is asked.
type reviewStep struct {
	*review
	schema any            // of the value; nil where none is known, not even its type
	defs   map[string]any // that the schema refers to
}

// checkReview checks what is looked at, and finds out what it may be edited to.
func (c *checked) checkReview(n *step, before expression.Names) {
	r := n.review
	if r == nil || len(r.value.Segments) == 0 {
		return
	}
	c.checkPath(r.value, r.Spot, before, n)
	for x := n.expiry; x != nil; x = x.then {
		if answer, ok := x.answer.(map[string]any); ok && answer["action"] == actEdit {
			c.report.Add(x.Spot, "nobody edits at a deadline; expected the answer approve, reject or send_back")
		}
	}
	if r.edit {
		_, _, problem := c.reviewed(r)
		if problem != "" {
			c.report.Add(r.Spot, "%s", problem)
		}
	}
}

// reviewed is the schema that an edited value must fit: all that the recipe says of its place. So it can be taken when it
// is answered, and not be refused when it is written.
func (d *draft) reviewed(r *review) (schema any, defs map[string]any, problem string) {
	if len(r.value.Segments) == 0 {
		return nil, nil, "" // what is wrong with it has been reported
	}
	root, rest := r.value.Segments[0], r.value.Segments[1:]
	var found []any
	for _, list := range [][]port{d.state, d.outputs, d.inputs} {
		for _, p := range list {
			if p.name.Text != root || p.shape == nil || p.shape.Doc == nil {
				continue
			}
			doc, ok := descend(p.shape.Doc, rest)
			if !ok {
				return nil, nil, fmt.Sprintf("what %s may be edited to does not follow from the schema of %s, which does not say "+
					"directly what is at %s; review %s as a whole, or write edit: false", document.Quote(r.value.Text), document.Quote(root),
					document.Quote(strings.Join(rest, ".")), root)
			}
			if doc == nil {
				continue
			}
			refers, local := references(doc)
			if refers && (!local || len(rest) > 0 || len(found) > 0) {
				return nil, nil, fmt.Sprintf("the schema of %s refers to another one; write out what %s may be, or edit: false",
					document.Quote(root), document.Quote(r.value.Text))
			}
			if refers {
				defs, _ = p.shape.Doc["$defs"].(map[string]any)
			}
			if !slices.ContainsFunc(found, func(other any) bool { return reflect.DeepEqual(other, any(doc)) }) {
				found = append(found, doc)
			}
		}
	}
	switch {
	case len(found) == 0:
		return nil, nil, ""
	case len(found) > 1:
		return map[string]any{"allOf": found}, defs, ""
	}
	return found[0], defs, ""
}

// edited takes what a person may edit the value to: where nothing declares its place, a value of the type that it has.
func (f *flow) edited(out *expression.Names, r *review) {
	if !r.edit || len(r.value.Segments) == 0 {
		return
	}
	root, rest := r.value.Segments[0], r.value.Segments[1:]
	declared, defs, problem := f.document.reviewed(r)
	if problem != "" || out.Board(root).Kinds == 0 {
		return // it has been reported
	}
	out.Set(root, out.Board(root).Changed(rest, func(t *expression.Type) *expression.Type {
		if declared == nil {
			return t.Unlisted()
		}
		return expression.Union(t, expression.TypeOfSchema(declaredAs(declared, defs)))
	}))
}

// declaredAs is the schema of a value that several parts of the recipe say something of: what the first of them allows.
func declaredAs(schema any, defs map[string]any) map[string]any {
	doc, _ := schema.(map[string]any)
	if all, ok := doc["allOf"].([]any); ok && len(doc) == 1 {
		doc, _ = all[0].(map[string]any)
	}
	if defs == nil {
		return doc
	}
	doc = maps.Clone(doc)
	doc["$defs"] = defs
	return doc
}

// composing are the keywords that say something about members from afar.
var composing = []string{
	"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "patternProperties", "prefixItems",
	"enum", "const", "unevaluatedProperties", "unevaluatedItems", "contains", "uniqueItems",
}

// descend is the schema at a place within values of a schema, nil where it says nothing of it; not ok where more than that
// place's own schema counts.
func descend(doc map[string]any, segments []string) (map[string]any, bool) {
	for _, s := range segments {
		for _, keyword := range composing {
			if _, ok := doc[keyword]; ok {
				return nil, false
			}
		}
		member := "additionalProperties"
		if _, err := strconv.Atoi(s); err == nil && doc["type"] != "object" {
			member = "items"
		}
		next, said := doc[member]
		if properties, ok := doc["properties"].(map[string]any); ok && properties[s] != nil {
			next, said = properties[s], true
		}
		if !said || next == true {
			return nil, true
		}
		inner, ok := next.(map[string]any)
		if !ok {
			return nil, false
		}
		doc = inner
	}
	return doc, true
}

// references reports whether a schema refers to others, and whether all of them are under its own $defs.
func references(v any) (refers, local bool) {
	local = true
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			if text, ok := member.(string); ok && (key == "$ref" || key == "$dynamicRef") {
				refers, local = true, local && strings.HasPrefix(text, "#/$defs/")
				continue
			}
			more, near := references(member)
			refers, local = refers || more, local && near
		}
	case []any:
		for _, member := range v {
			more, near := references(member)
			refers, local = refers || more, local && near
		}
	}
	return refers, local
}

// question makes the options of a review's question, and what is shown: the value, and the evidence beside it.
func (r *reviewStep) question(bb map[string]any, evidence any, cause *node.Failure) (any, []node.AskOption, error) {
	value, _, err := lookUp(r.value, bb, cause)
	if err != nil {
		return nil, nil, fmt.Errorf("review: %w", err)
	}
	request := map[string]any{"value": value}
	if evidence != nil {
		request["evidence"] = evidence
	}
	schema := r.schema
	if schema == nil {
		schema = likeness(value)
	}
	doc, err := json.Marshal(r.answer(schema, r.defs))
	if err != nil {
		return nil, nil, err
	}
	return request, []node.AskOption{node.ShownAs(KindReview), node.ResponseSchema(doc)}, nil
}

// likeness is a schema of the values of the same type: a text stays a text when it is edited.
func likeness(v any) map[string]any {
	switch v.(type) {
	case string:
		return map[string]any{"type": "string", "contentMediaType": "text/plain"}
	case bool:
		return map[string]any{"type": "boolean"}
	case json.Number:
		return map[string]any{"type": "number"}
	case []any:
		return map[string]any{"type": "array"}
	case map[string]any:
		return map[string]any{"type": "object"}
	}
	return map[string]any{}
}

// take says what an answer puts on the blackboard: what was decided under the node's id, and the edited value in its
// place.
func (r *reviewStep) take(id string, bb map[string]any, answer any) (map[string]any, error) {
	said, _ := answer.(map[string]any)
	note, _ := said["note"].(string)
	made := map[string]any{id: map[string]any{"action": said["action"], "note": note}}
	if said["action"] != actEdit {
		return made, nil
	}
	root := r.value.Segments[0]
	edited, err := replaced(bb[root], r.value.Segments[1:], said["value"])
	if err != nil {
		return nil, fmt.Errorf("review: %w", err)
	}
	made[root] = edited
	return made, nil
}

// replaced is a value with another one at a place in it. What leads there is copied: the blackboard shares its values.
func replaced(in any, segments []string, by any) (any, error) {
	if len(segments) == 0 {
		return by, nil
	}
	next, missing := expression.Child(in, segments[0], "")
	if missing != "" {
		return nil, &definition.PathError{Path: strings.Join(segments, "."), Message: missing}
	}
	inner, err := replaced(next, segments[1:], by)
	if err != nil {
		return nil, err
	}
	switch v := in.(type) {
	case map[string]any:
		v = maps.Clone(v)
		v[segments[0]] = inner
		return v, nil
	case []any:
		i, err := strconv.Atoi(segments[0])
		if err != nil {
			return nil, err
		}
		v = slices.Clone(v)
		v[i] = inner
		return v, nil
	}
	return in, nil
}

// decided is what was done about a review.
func decided(id string, bb map[string]any) string {
	said, _ := bb[id].(map[string]any)
	action, _ := said["action"].(string)
	return action
}

// gate makes a gate of a review: what is approved or edited goes on along the node's edges, the rest where it is sent.
func (r *review) gate(pn *plan.Node, edges []plan.Edge) []plan.Edge {
	b := edgeBuilder{from: pn.Name}
	var onward []string
	for _, e := range edges {
		if e.Kind == plan.Plain {
			onward = append(onward, e.To)
			b.add(plan.Choice, e.To, "approved")
			continue
		}
		b.edges = append(b.edges, e)
	}
	reject, id := r.reject.Text, pn.Name
	if reject == "" {
		reject = node.End
	}
	b.add(plan.Choice, reject, "rejected")
	if len(onward) == 0 && pn.Route == nil && pn.RouteMany == nil {
		onward = []string{node.End}
		b.add(plan.Choice, node.End, "approved")
	}
	if r.sendBack.Text != "" {
		b.add(plan.Choice, r.sendBack.Text, "sent back")
	}
	aside := func(v any) (string, error) {
		bb, err := board(v)
		if err != nil {
			return "", definite{err}
		}
		switch decided(id, bb) {
		case actReject:
			return reject, nil
		case actSendBack:
			return r.sendBack.Text, nil
		}
		return "", nil
	}
	one, many := pn.Route, pn.RouteMany
	if one != nil || many == nil && len(onward) == 1 {
		pn.Route = func(ctx node.Context, v any) (string, error) {
			to, err := aside(v)
			if err != nil || to != "" {
				return to, err
			}
			if one == nil {
				return onward[0], nil
			}
			return one(ctx, v)
		}
		return b.edges
	}
	pn.RouteMany = func(ctx node.Context, v any) ([]string, error) {
		to, err := aside(v)
		switch {
		case err != nil:
			return nil, err
		case to != "":
			return []string{to}, nil
		case many == nil:
			return onward, nil
		}
		return many(ctx, v)
	}
	return b.edges
}
