package recipe

import (
	"encoding/json"
	"fmt"

	"github.com/fermata-go/fermata/internal/document"
)

// CheckAnswer says before a run begins what is wrong with an answer to the questions of a node. The path names the node
// ("pay/review" in a recipe that is called). It returns nil for an answer that fits, and for one whose schema is known only once the node
// asks, so that an answer that passes can still be refused then (law H2). Of a review, the action alone is an answer.
func (r *Recipe) CheckAnswer(path string, answer json.RawMessage) error {
	k := testChecker{checked: &checked{draft: r.doc}, steps: make(map[string]placed)}
	k.place(r.doc, "")
	n, ok := k.steps[path]
	switch {
	case !ok:
		return nil
	case n.kind == typeRouter:
		return fmt.Errorf("%s is a router: it asks nobody", document.Quote(path))
	}
	value, err := document.Decode(answer)
	if err != nil {
		return err
	}
	if text, ok := value.(string); ok && n.kind == typeHuman && n.review != nil {
		value = map[string]any{"action": text}
	}
	if err := k.answersTo(n).Check(value); err != nil {
		return fmt.Errorf("%s", oneLine(err))
	}
	return nil
}
