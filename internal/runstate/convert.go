package runstate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

// Converter converts a value of a run; see plan.Migration.
type Converter = func(old json.RawMessage) (json.RawMessage, error)

// conversion is a value that a migration has changed.
type conversion struct {
	base  uint64 // seq of the value before
	data  []byte // as the migration returned it
	whole []byte // as the plan's codec writes it
	delta []byte // from the value at base to whole
}

// TakesValues converts the run's values, and checks that the plan keeps all of them.
func (s *State) TakesValues(m *machine.Machine, moves plan.Migration) error {
	var err error
	if s.conversions, err = s.converted(m, moves); err != nil {
		return err
	}
	return s.keepsValues(m)
}

// Ahead folds a journal again and applies renames: the run's state after a migration.
func (s *State) Ahead(entries iter.Seq2[journal.Entry, error], moves plan.Migration) (*machine.Machine, error) {
	m, err := s.folded(entries)
	if err != nil {
		return nil, err
	}
	m.Rename(moves.Nodes, moves.Values)
	return m, nil
}

// folded folds a journal again.
func (s *State) folded(entries iter.Seq2[journal.Entry, error]) (*machine.Machine, error) {
	m := machine.New(s.Plan)
	for e, err := range entries {
		if err != nil {
			return nil, s.StoreError(s.ID, err)
		}
		if err := m.Apply(&e); err != nil {
			return nil, s.ReplayError(s.ID, e.Seq, err)
		}
	}
	return m, nil
}

// converted applies a migration to all values of a run.
func (s *State) converted(m *machine.Machine, moves plan.Migration) (all []conversion, err error) {
	if len(moves.Values) == 0 && moves.State == nil {
		return nil, nil
	}
	convert := func(ref uint64, codec plan.Codec, rename func(data []byte) ([]byte, error)) {
		c := s.Values.Find(ref)
		known := slices.ContainsFunc(all, func(c conversion) bool { return c.base == ref })
		if err != nil || known || c == nil || c.Data == nil || codec == nil {
			return
		}
		var made *conversion
		if made, err = s.conversionOf(c, codec, moves, rename); made != nil {
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

// conversionOf applies a migration to one value; nil if it does not change.
func (s *State) conversionOf(c *Cell, codec plan.Codec, moves plan.Migration, rename func(data []byte) ([]byte, error)) (*conversion, error) {
	invalid := func(err error) (*conversion, error) {
		return nil, &runtype.Error{Code: runtype.CodeInvalid, Run: s.ID, Err: fmt.Errorf("migration: value %d: %w", c.Ref, err)}
	}
	data := c.Data
	if len(moves.Values) > 0 {
		var err error
		if data, err = rename(data); err != nil {
			return invalid(err)
		}
	}
	if moves.State != nil {
		made, err := guard.Result(func() (any, error) { return moves.State(slices.Clone(data)) })
		if err != nil {
			return invalid(err)
		}
		if data, _ = made.(json.RawMessage); len(data) > s.MaxValue() {
			return invalid(runtype.NotStorable(&canonical.Excess{Limit: s.MaxValue(), Found: len(data)}))
		}
		if !json.Valid(data) {
			return invalid(errors.New("function State returned no JSON"))
		}
	}
	if bytes.Equal(data, c.Data) {
		return nil, nil
	}
	whole, err := recoded(codec, data)
	if err != nil {
		whole = data // keepsValues reports what does not fit
	}
	delta, err := journal.Diff(c.Data, whole)
	if err != nil {
		return invalid(err)
	}
	return &conversion{base: c.Ref, data: data, whole: whole, delta: delta}, nil
}

// renameState renames members of a state that its type does not have.
func renameState(data []byte, codec plan.Codec, moves plan.Migration) ([]byte, error) {
	var kept map[string]json.RawMessage
	if again, err := recoded(codec, data); err == nil && !dynamic(codec) {
		_ = json.Unmarshal(again, &kept) // no object has no members
	}
	return renameMembers(data, func(name string) (string, bool) {
		if _, there := kept[name]; there {
			return name, false
		}
		to, ok := moves.Values[name]
		return to, ok
	})
}

// dynamic reports whether a codec accepts any names.
func dynamic(codec plan.Codec) bool {
	again, err := recoded(codec, []byte(`{"\ufffd":1}`))
	return err == nil && len(again) > len("{}") && bytes.Contains(again, []byte("\ufffd"))
}

// renameMembers renames members of an object, and drops those without a new name.
func renameMembers(data []byte, to func(name string) (string, bool)) ([]byte, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return data, nil //nolint:nilerr // no object
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

// Replan moves the run to another plan, with the values that a migration has converted.
func (s *State) Replan(m *machine.Machine, now int64, why journal.ResumedBody) error {
	if err := m.Resume(now, why); err != nil {
		return err
	}
	return s.ConvertAll(m, now, why.By)
}

// ConvertAll records the converted values, in the append of the migration.
func (s *State) ConvertAll(m *machine.Machine, now int64, by string) error {
	for _, c := range s.conversions {
		if err := m.Convert(now, c.base, c.delta, journal.ResumedBody{Reason: machine.ReasonReplan, By: by}); err != nil {
			return err
		}
		s.Values.Put(m.Head(), nil, nil)
		s.Values.Find(m.Head()).Data = c.whole
	}
	return nil
}
