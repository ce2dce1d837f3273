package recipe

import (
	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
)

// What a person can do about what they review.
const (
	actApprove  = "approve"
	actEdit     = "edit"
	actReject   = "reject"
	actSendBack = "send_back"
)

var reviewKeys = []string{"value", "edit", "reject", "send_back"}

// review is a question about a value: approve it, edit it, reject it, or send it back with a note.
type review struct {
	document.Spot
	value    expression.Path
	edit     bool
	reject   document.Word // where a rejected value leads; "" ends the path
	sendBack document.Word // "" where it cannot be sent back
}

// readReview reads review: a path, or a mapping that says more.
func (n *step) readReview(o *document.Object) {
	if !o.Has("review") {
		return
	}
	at := o.At("review")
	for _, other := range []string{"options", "response"} {
		if o.Has(other) {
			o.Report.Add(o.At(other), "review and %s exclude each other; the answer to a review is approve, edit, reject or send_back", other)
		}
	}
	r := &review{Spot: at, edit: true}
	value := document.Word{Spot: at}
	switch at.Node.Kind {
	case yaml.ScalarNode:
		value.Text = at.Node.Value
	case yaml.MappingNode:
		sub := document.NewObject(at, o.Report, reviewKeys)
		value = sub.NeedText("value", "the path of what is looked at")
		r.edit = !sub.Has("edit") || sub.Flag("edit")
		r.reject, r.sendBack = sub.Text("reject"), sub.Text("send_back")
	default:
		o.Report.Add(at, "expected the path of what is looked at, or {value: path, send_back: node, …}; found %s", document.Describe(at.Node))
		return
	}
	n.review = r
	if value.Text == "" {
		return
	}
	var ok bool
	switch r.value, ok = pathAt(value, o.Report); {
	case !ok:
	case r.value.Optional:
		o.Report.Add(value.Spot, "what is looked at must be there; write %s without ?", document.Quote(value.Text))
	case len(r.value.Segments) == 0:
		o.Report.Add(value.Spot, `"." is the whole blackboard; expected the path of one value, such as draft`)
	}
	for x := n.expiry; x != nil; x = x.then {
		if text, ok := x.answer.(string); ok && x.do == "answer" {
			x.answer = map[string]any{"action": text}
		}
	}
}

// actions are what a person can do, as the schema has them.
func (r *review) actions() []any {
	list := []any{actApprove}
	if r.edit {
		list = append(list, actEdit)
	}
	list = append(list, actReject)
	if r.sendBack.Text != "" {
		list = append(list, actSendBack)
	}
	return list
}

// outcome is the schema of what a review leaves on the blackboard under the node's id.
func (r *review) outcome() map[string]any {
	return map[string]any{
		"type": "object", "required": []any{"action", "note"}, "additionalProperties": false,
		"properties": map[string]any{
			"action": map[string]any{"type": "string", "enum": r.actions()},
			"note":   map[string]any{"type": "string"},
		},
	}
}

// answer is the schema of an answer, where what is looked at has a schema of its own. What deadlines answer is checked
// without one: nobody edits then.
func (r *review) answer(value any, defs map[string]any) map[string]any {
	properties := map[string]any{
		"action": map[string]any{"type": "string", "enum": r.actions()},
		"note":   map[string]any{"type": "string", "minLength": 1, "contentMediaType": "text/plain"},
	}
	doc := map[string]any{
		"type": "object", "required": []any{"action"}, "additionalProperties": false, "properties": properties,
	}
	var conditions []any
	is := func(action string) map[string]any {
		return map[string]any{
			"required": []any{"action"}, "properties": map[string]any{"action": map[string]any{"const": action}},
		}
	}
	if r.edit && value != nil {
		properties["value"] = value
		conditions = append(conditions, map[string]any{
			"if": is(actEdit), "then": map[string]any{"required": []any{"value"}},
			"else": map[string]any{"properties": map[string]any{"value": false}},
		})
	}
	if r.sendBack.Text != "" {
		conditions = append(conditions, map[string]any{"if": is(actSendBack), "then": map[string]any{"required": []any{"note"}}})
	}
	if len(conditions) > 0 {
		doc["allOf"] = conditions
	}
	if len(defs) > 0 {
		doc["$defs"] = defs
	}
	return doc
}
