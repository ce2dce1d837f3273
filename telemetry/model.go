package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/fermata-go/fermata/journal"
)

// Attributes and names of the semantic conventions for generative AI. They are our own constants: the conventions
// still move, and a change of theirs must not change what a run is seen as unnoticed.
const (
	keyOperation    = attribute.Key("gen_ai.operation.name")
	keyInputTokens  = attribute.Key("gen_ai.usage.input_tokens")
	keyOutputTokens = attribute.Key("gen_ai.usage.output_tokens")
	keyCachedTokens = attribute.Key("gen_ai.usage.cache_read.input_tokens")
	keyTokenType    = attribute.Key("gen_ai.token.type")
	keyCost         = attribute.Key("fermata.cost") // in dollars

	keyTool = attribute.Key("gen_ai.tool.name")

	operationChat = "chat"
	operationTool = "execute_tool"
	typeInput     = "input"
	typeOutput    = "output"
)

// stepBody is the body of step.finished with what a call of a model took. Calls of other kinds have none.
type stepBody struct {
	journal.StepBody
	Usage *usage `json:"usage"`
}

// usage is what a call of a model took.
type usage struct {
	Input  int64 `json:"in"` // tokens, the cached ones among them
	Output int64 `json:"out"`
	Cached int64 `json:"cached"`
	Cost   int64 `json:"cost"` // micro-dollars; 0 also where it is not known
}

func (u *usage) dollars() float64 { return float64(u.Cost) / 1e6 }

// attributes are what the span of a call of a model says besides; none for other calls.
func (u *usage) attributes() []attribute.KeyValue {
	if u == nil {
		return nil
	}
	attrs := []attribute.KeyValue{
		keyOperation.String(operationChat), keyInputTokens.Int64(u.Input), keyOutputTokens.Int64(u.Output),
	}
	if u.Cached > 0 {
		attrs = append(attrs, keyCachedTokens.Int64(u.Cached))
	}
	if u.Cost > 0 {
		attrs = append(attrs, keyCost.Float64(u.dollars()))
	}
	return attrs
}

// used measures a call of a model.
func (m *meter) used(plan, node string, u *usage) {
	if m == nil || u == nil {
		return
	}
	operation := metric.WithAttributes(keyOperation.String(operationChat))
	m.tokens.Record(context.Background(), u.Input, m.set(labels{plan, node, keyTokenType, typeInput}), operation)
	m.tokens.Record(context.Background(), u.Output, m.set(labels{plan, node, keyTokenType, typeOutput}), operation)
	if u.Cost > 0 {
		m.cost.Add(context.Background(), u.dollars(), m.set(labels{plan: plan, node: node}))
	}
}
