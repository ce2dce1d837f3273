package fermata

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// converter makes another value of one that a run holds; see plan.Migration.
type converter = func(old json.RawMessage) (json.RawMessage, error)

// conversion is what a migration has made of a value.
type conversion struct {
	base  uint64
	data  []byte // as the migration made it
	whole []byte // as the plan's codec writes it
	delta []byte // from the value at base
}

// takesValues converts what the run holds, and checks that the plan keeps all of it.
func (d *drive) takesValues(m *machine.Machine, moves plan.Migration) error {
	var err error
	if d.conversions, err = d.converted(m, moves); err != nil {
		return err
	}
	return d.keepsValues(m)
}

// ahead folds a journal once more and renames what is open: how the run would stand after a migration.
func (d *drive) ahead(entries iter.Seq2[journal.Entry, error], moves plan.Migration) (*machine.Machine, error) {
	m, err := d.folded(entries)
	if err != nil {
		return nil, err
	}
	m.Rename(moves.Nodes, moves.Values)
	return m, nil
}

// folded folds a journal once more.
func (d *drive) folded(entries iter.Seq2[journal.Entry, error]) (*machine.Machine, error) {
	m := machine.New(d.plan)
	for e, err := range entries {
		if err != nil {
			return nil, d.rt.storeError(d.id, err)
		}
		if err := m.Apply(&e); err != nil {
			return nil, d.rt.replayError(d.id, e.Seq, err)
		}
	}
	return m, nil
}

// converted asks a migration what it makes of all that the run holds.
func (d *drive) converted(m *machine.Machine, moves plan.Migration) (all []conversion, err error) {
	if len(moves.Values) == 0 && moves.State == nil {
		return nil, nil
	}
	convert := func(ref uint64, codec plan.Codec, rename func(data []byte) ([]byte, error)) {
		c := d.vals.find(ref)
		known := slices.ContainsFunc(all, func(c conversion) bool { return c.base == ref })
		if err != nil || known || c == nil || c.data == nil || codec == nil {
			return
		}
		var made *conversion
		if made, err = d.conversionOf(c, codec, moves, rename); made != nil {
			all = append(all, *made)
		}
	}
	for _, held := range m.States() {
		convert(held.Ref, held.Codec, func(data []byte) ([]byte, error) { return renameState(data, held.Codec, moves) })
	}
	for _, rec := range m.Records() {
		convert(rec.Ref, rec.Codec, func(data []byte) ([]byte, error) {
			return renameMembers(data, func(name string) (string, bool) { return moves.Renamed(rec.Scope, name) })
		})
	}
	return all, err
}

// conversionOf is what a migration makes of one value, nil where it stays as it is.
func (d *drive) conversionOf(c *cell, codec plan.Codec, moves plan.Migration, rename func(data []byte) ([]byte, error)) (*conversion, error) {
	invalid := func(err error) (*conversion, error) {
		return nil, &Error{Code: CodeInvalid, Run: d.id, Err: fmt.Errorf("migration: value %d: %w", c.ref, err)}
	}
	data := c.data
	if len(moves.Values) > 0 {
		var err error
		if data, err = rename(data); err != nil {
			return invalid(err)
		}
	}
	if moves.State != nil {
		made, err := mapped(func() (any, error) { return moves.State(slices.Clone(data)) })
		if err != nil {
			return invalid(err)
		}
		if data, _ = made.(json.RawMessage); len(data) > d.maxValue() {
			return invalid(notStorable(&canonical.Excess{Limit: d.maxValue(), Found: len(data)}))
		}
		if !json.Valid(data) {
			return invalid(errors.New("function State returned no JSON"))
		}
	}
	if bytes.Equal(data, c.data) {
		return nil, nil
	}
	whole, err := recoded(codec, data)
	if err != nil {
		whole = data // keepsValues says what does not fit
	}
	delta, err := journal.Diff(c.data, whole)
	if err != nil {
		return invalid(err)
	}
	return &conversion{base: c.ref, data: data, whole: whole, delta: delta}, nil
}

// renameState renames the members of a state that its type does not have.
func renameState(data []byte, codec plan.Codec, moves plan.Migration) ([]byte, error) {
	var kept map[string]json.RawMessage
	if again, err := recoded(codec, data); err == nil && !dynamic(codec) {
		_ = json.Unmarshal(again, &kept) // nothing is kept of what is no object
	}
	return renameMembers(data, func(name string) (string, bool) {
		if _, there := kept[name]; there {
			return name, false
		}
		to, ok := moves.Values[name]
		return to, ok
	})
}

// dynamic reports whether a codec keeps whatever names there are.
func dynamic(codec plan.Codec) bool {
	again, err := recoded(codec, []byte(`{"\ufffd":1}`))
	return err == nil && len(again) > len("{}") && bytes.Contains(again, []byte("\ufffd"))
}

// renameMembers renames members of an object, and drops those that have no name any more.
func renameMembers(data []byte, to func(name string) (string, bool)) ([]byte, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return data, nil //nolint:nilerr // it is no object
	}
	changed := make(map[string]json.RawMessage, len(members))
	moved := false
	for _, name := range slices.Sorted(maps.Keys(members)) {
		now, renamed := to(name)
		if !renamed {
			now = name
		}
		if moved = moved || renamed; now == "" {
			continue
		}
		if _, twice := changed[now]; twice {
			return nil, fmt.Errorf("two values would be called %q", now)
		}
		changed[now] = members[name]
	}
	if !moved {
		return data, nil
	}
	return json.Marshal(changed)
}

// replan lets the run go on with another plan, and with what a migration has made of its values.
func (d *drive) replan(m *machine.Machine, now int64, why journal.ResumedBody) error {
	if err := m.Resume(now, why); err != nil {
		return err
	}
	return d.convertAll(m, now, why.By)
}

// convertAll records what a migration has made of values. All of it is in the append that records the migration.
func (d *drive) convertAll(m *machine.Machine, now int64, by string) error {
	for _, c := range d.conversions {
		if err := m.Convert(now, c.base, c.delta, journal.ResumedBody{Reason: machine.ReasonReplan, By: by}); err != nil {
			return err
		}
		d.vals.put(m.Head(), nil, nil)
		d.vals.find(m.Head()).data = c.whole
	}
	return nil
}
