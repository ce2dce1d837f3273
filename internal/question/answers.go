package question

import (
	"encoding/json"
	"fmt"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// ToJSON encodes a caller's value, in at most limit bytes. Its marshalers may panic (law N7).
func ToJSON(value any, limit int) (data json.RawMessage, err error) {
	defer guard.Recover(&err)
	switch v := value.(type) {
	case json.RawMessage:
		if len(v) > limit {
			return nil, runtype.NotStorable(&canonical.Excess{Limit: limit, Found: len(v)})
		}
		if !json.Valid(v) {
			return nil, fmt.Errorf("%w: not valid JSON", runtype.ErrInvalid)
		}
		return v, nil
	default:
		if data, err = canonical.Marshal(value, limit); err != nil {
			return nil, runtype.NotStorable(err)
		}
		return data, nil
	}
}

// FromJSON decodes stored JSON into a caller's variable. Its unmarshalers may panic (law N7).
func FromJSON(data json.RawMessage, into any) (err error) {
	defer guard.Recover(&err)
	return canonical.Decode(data, into)
}

// Message checks a message and encodes its value, in at most limit bytes.
func Message(p *runtype.Posted, limit int) (body journal.SentBody, value json.RawMessage, err error) {
	body = p.Body()
	if err := p.Check(); err != nil {
		return body, nil, err
	}
	if value, err = ToJSON(p.Value, limit); err != nil {
		return body, nil, fmt.Errorf("message %q: %w", p.Name, err)
	}
	return body, value, nil
}
