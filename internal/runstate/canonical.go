package runstate

import (
	"reflect"

	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/plan"
)

// Canonical returns a value as the journal would return it, stored or not (law N10). It fails for a value that
// cannot be stored (law N8). If own, it may change the value's own memory, but nothing behind pointers, which
// others may hold.
func Canonical(codec plan.Codec, v any, known *value.Known, own bool) (final any, err error) {
	defer guard.Recover(&err)
	if k, ok := codec.(value.Changer); ok {
		final, err = k.Finalize(v, known, true, own)
	} else {
		var data []byte
		if data, err = codec.Encode(v); err == nil {
			final, err = codec.Decode(data)
		}
	}
	if err != nil {
		return nil, runtype.NotStorable(err)
	}
	return final, nil
}

// IsCopy reports whether Canonical has copied a value: both are behind pointers, and those differ.
func IsCopy(final, given any) bool {
	t := reflect.TypeOf(final)
	return t == reflect.TypeOf(given) && t != nil && t.Kind() == reflect.Pointer && final != given
}

// ChangeOf makes a value canonical and returns its delta to a snapshot, and the next snapshot. final is the value to
// give away, nil where that is a copy of the snapshot. The codec may run the author's marshalers (law N7).
func (s *State) ChangeOf(codec plan.Codec, snap, out any) (delta []byte, next, final any, err error) {
	defer guard.Recover(&err)
	codec = s.Sized(codec)
	if k, ok := codec.(value.Changer); ok {
		return value.Change(k, snap, out, &s.Known)
	}
	if final, err = Canonical(codec, out, &s.Known, true); err == nil {
		delta, next, err = codec.Delta(snap, final)
	}
	return delta, next, final, err
}

// Sized wraps a codec with the runtime's size limit.
func (s *State) Sized(codec plan.Codec) plan.Codec { return value.Within(codec, s.MaxValue()) }

// CanonicalOutput makes a node's output canonical. A dataflow node may write nothing.
func CanonicalOutput(flat *plan.Flat, out any, known *value.Known) (any, error) {
	codec := OutputCodec(flat)
	if codec == nil {
		return out, nil
	}
	return Canonical(codec, out, known, true)
}

// InputCodec returns the codec of a node's input.
func InputCodec(flat *plan.Flat) plan.Codec {
	if flat.Flow != nil {
		return flat.Flow.Input
	}
	return flat.Owner.State()
}

// OutputCodec returns the codec of a node's output; nil for none.
func OutputCodec(flat *plan.Flat) plan.Codec {
	if flat.Flow != nil {
		return flat.Flow.Output
	}
	return flat.Owner.State()
}

// ResultCodec returns the codec of a plan's result.
func ResultCodec(p *plan.Plan) plan.Codec {
	if r := p.Result(); r != nil {
		return r.Output
	}
	return p.State()
}
