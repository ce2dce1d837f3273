package node

import (
	"errors"
	"fmt"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/patch"
	"github.com/fermata-go/fermata/schema"
)

// Data is a typed value as [Structured], [Draft] and [Reason] show it.
//
//	type Data struct {
//	    DataType                string        // its type, for the programs that show it
//	    Mode                    string        // DataFinal, DataPatch, DataSnapshot or DataDropped
//	    Value                   []byte        // JSON
//	    SchemaID, SchemaVersion string        // of its schema; "" for none
//	    Whole                   func() []byte // of a patch
//	}
type Data = nodehost.Data

// Modes of the events that show a typed value.
const (
	DataFinal    = nodehost.DataFinal    // the whole value as it is in the end
	DataPatch    = nodehost.DataPatch    // how the value goes on
	DataSnapshot = nodehost.DataSnapshot // the value so far
	DataDropped  = nodehost.DataDropped  // what was shown so far does not hold; observers see structured-data.invalidated
)

// DataOption describes a typed value that is shown.
type DataOption func(*dataOptions)

type dataOptions struct {
	key       string
	schema    *schema.Schema
	snapshots bool
}

// DataID names the value within its task, instead of its data type and order (law N2).
func DataID(id string) DataOption { return func(o *dataOptions) { o.key = id } }

// DataSchema replaces the schema that is derived from the value's Go type.
func DataSchema(s *schema.Schema) DataOption { return func(o *dataOptions) { o.schema = s } }

// Snapshots has a [Draft] show the whole value each time, and not what has changed in it.
func Snapshots() DataOption { return func(o *dataOptions) { o.snapshots = true } }

// Structured shows a typed value to observers once, as a final event of the type structured-data. It is checked against
// its schema first (law N8). The data type says what it is to those who show it: "invoice", "chart".
func Structured[T any](ctx Context, dataType string, data T, opts ...DataOption) error {
	d, err := NewDraft[T](ctx, dataType, opts...)
	if err != nil {
		return err
	}
	return d.Finish(data)
}

// Draft is a typed value that is shown while it is made. Intermediate values are transient; [Draft.Finish] stores the
// final value (law E2).
type Draft[T any] struct {
	ctx      Context
	op       nodehost.Op
	dataType string
	dataOptions
	last []byte // what was shown last
}

// NewDraft begins to show a value of a data type. A replay shows nothing again (law N4).
func NewDraft[T any](ctx Context, dataType string, opts ...DataOption) (*Draft[T], error) {
	d := &Draft[T]{ctx: ctx, dataType: dataType, dataOptions: dataOptions{key: dataType}}
	for _, opt := range opts {
		opt(&d.dataOptions)
	}
	if dataType == "" {
		return nil, fmt.Errorf("task %s: a value that is shown needs a data type", ctx.Info().Task())
	}
	if d.schema == nil {
		var err error
		if d.schema, err = schema.For[T](); err != nil {
			return nil, fmt.Errorf("task %s, the type of %s: %w", ctx.Info().Task(), dataType, err)
		}
	}
	var err error
	d.op, err = ctx.begin(nodehost.KindData, d.key)
	return d, err
}

// Show shows the value as it is now: a patch of what has changed since the last time, or a snapshot. The value need not
// be complete, but what there is of it must be able to become what the schema asks for: what cannot is not shown, a
// diagnostic is (once for each time), and the draft goes on.
func (d *Draft[T]) Show(data T) error {
	if d.op.Done {
		return nil
	}
	value, err := d.encode(data)
	if err != nil {
		return err
	}
	if wrong := d.schema.CheckPartial(value); wrong != nil {
		problem := schema.Problem{Message: wrong.Error()}
		if e, ok := errors.AsType[*schema.Error](wrong); ok {
			problem = e.Problems[0]
		}
		return Emit(d.ctx, EventDiagnostic, refusal(d.dataType, problem))
	}
	shown := dataOf(d.dataType, DataSnapshot, d.schema)
	if shown.Value = value; !d.snapshots {
		changes, err := patch.Diff(d.last, value)
		if err != nil {
			return fmt.Errorf("task %s, %s: %w", d.ctx.Info().Task(), nodehost.CallText(d.op.ID), err)
		}
		if len(changes) == 0 {
			return nil
		}
		shown.Mode, shown.Value, shown.Whole = DataPatch, changes.AppendJSON(nil), func() []byte { return value }
	}
	d.last = value
	return d.ctx.host.Data(d.ctx.pass, d.op, shown)
}

// Finish checks the value against the whole schema, shows and stores it. A value that does not fit is an error, and
// nothing is stored (law N8).
func (d *Draft[T]) Finish(data T) error {
	if d.op.Done {
		return nil
	}
	value, err := d.encode(data)
	if err != nil {
		return err
	}
	if wrong := d.schema.Check(value); wrong != nil {
		return fmt.Errorf("task %s, %s: %w", d.ctx.Info().Task(), nodehost.CallText(d.op.ID), wrong)
	}
	final := dataOf(d.dataType, DataFinal, d.schema)
	final.Value = value
	if err := d.ctx.host.Data(d.ctx.pass, d.op, final); err != nil {
		return err
	}
	d.op.Done = true
	return nil
}

func (d *Draft[T]) encode(data T) ([]byte, error) {
	value, err := d.ctx.encode(data)
	if err != nil {
		return nil, fmt.Errorf("task %s, %s: %w: %w", d.ctx.Info().Task(), nodehost.CallText(d.op.ID), ErrNotStorable, err)
	}
	return value, nil
}

// dataOf is what every event about a typed value says of it.
func dataOf(dataType, mode string, s *schema.Schema) Data {
	is := s.Identity()
	if dataType == "" {
		dataType = is.ID
	}
	return Data{DataType: dataType, Mode: mode, SchemaID: is.ID, SchemaVersion: is.Version}
}
