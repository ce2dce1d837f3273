package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/internal/canonical"
	"github.com/fermata-go/fermata/internal/guard"
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/internal/question"
	"github.com/fermata-go/fermata/internal/runstate"
	"github.com/fermata-go/fermata/internal/runtype"
	"github.com/fermata-go/fermata/journal"
)

// edit replaces values that the fork holds.
func (f *fork) edit() error {
	o := &f.options
	if o.Edit == nil && len(o.Set) == 0 {
		if o.Of != "" {
			return f.invalid("the value of %q is named, and there is no edit", o.Of)
		}
		return nil
	}
	held, err := f.held()
	if err != nil {
		return err
	}
	edited := 0
	for _, h := range held {
		changed, err := f.change(h)
		switch {
		case errors.Is(err, runtype.ErrSkip):
			continue
		case err != nil:
			return err
		case changed != nil:
			if op := f.s.Machine.UnsettledByEdit(h.Ref, o.Of); op != "" {
				return f.unsettled(op)
			}
			body := journal.ResumedBody{By: o.By, Of: o.Of}
			if err := f.s.Machine.Edit(f.now, h.Ref, changed.delta, body); err != nil {
				return err
			}
			f.s.Values.Cells = append(f.s.Values.Cells, runstate.Cell{Ref: f.s.Machine.Head(), Data: changed.whole})
		}
		edited++
	}
	if edited == 0 {
		return f.invalid("no value at seq %d is of the type that the edit is for", o.At)
	}
	f.s.Values.Retain(f.s.Machine)
	return nil
}

// held returns the values to edit, each once.
func (f *fork) held() ([]machine.Held, error) {
	all := f.s.Machine.Holds()
	var list []machine.Held
	var names []string
	for _, h := range all {
		if h.By != "" {
			names = append(names, h.By)
		}
		known := slices.ContainsFunc(list, func(l machine.Held) bool { return l.Ref == h.Ref })
		if !known && h.Codec != nil && (f.options.Of == "" || f.options.Of == h.By) {
			list = append(list, h)
		}
	}
	if len(list) == 0 && f.options.Of != "" {
		return nil, f.invalid("at seq %d there is no open task or token %q; there are: %s", f.options.At, f.options.Of,
			strings.Join(names, ", "))
	}
	return list, nil
}

// edition is an edited value.
type edition struct {
	whole []byte // the value as JSON
	delta []byte // what has changed in it
}

// change edits one value; nil if it does not change.
func (f *fork) change(h machine.Held) (*edition, error) {
	was := f.s.Values.Find(h.Ref).Data
	data, codec := was, h.Codec
	if len(f.options.Set) > 0 {
		if over := canonical.Measure(reflect.ValueOf(f.options.Set), f.s.MaxValue()); over != nil {
			return nil, f.invalid("%w", runtype.NotStorable(over))
		}
		var err error
		if data, err = setJSON(data, f.options.Set); err != nil {
			return nil, f.invalid("%w", err)
		}
	}
	value, err := guard.Decode(codec, data)
	if err != nil {
		return nil, f.invalid("the edited value does not fit the state: %w", err)
	}
	if f.options.Edit != nil {
		if value, err = guard.Result(func() (any, error) { return f.options.Edit(value) }); err != nil {
			if errors.Is(err, runtype.ErrSkip) {
				return nil, runtype.ErrSkip
			}
			return nil, f.invalid("the edit is refused: %w", err)
		}
	}
	whole, err := guard.Encode(f.s.Sized(codec), value)
	if err != nil {
		return nil, f.invalid("%w", runtype.NotStorable(err))
	}
	if f.options.Edit == nil {
		if err := f.allSet(whole); err != nil {
			return nil, err
		}
	}
	delta, err := journal.Diff(was, whole)
	if err != nil {
		return nil, f.invalid("%w", err)
	}
	if len(delta) == 0 {
		return nil, nil
	}
	return &edition{whole: whole, delta: delta}, nil
}

// allSet checks that set members are in the state: a Go type drops members that it does not have.
func (f *fork) allSet(whole []byte) error {
	doc, err := question.Exact(whole)
	if err != nil {
		return f.invalid("%w", err)
	}
	for _, path := range slices.Sorted(maps.Keys(f.options.Set)) {
		names := splitPath(path)
		at, ok := doc, true
		for _, name := range names[:len(names)-1] {
			if at, ok = step(at, name); !ok {
				break
			}
		}
		last := names[len(names)-1]
		if _, there := step(at, last); ok && (there || last == "-" || isZeroJSON(f.options.Set[path])) {
			continue
		}
		return f.invalid("%s: the state has no member %q%s", path, last, nearest.Hint(last, membersOf(at)))
	}
	return nil
}

// isZeroJSON reports whether an encoder may omit a value.
func isZeroJSON(data []byte) bool {
	switch string(bytes.TrimSpace(data)) {
	case "null", "0", `""`, "false", "[]", "{}":
		return true
	}
	return false
}

// splitPath splits a path of Set: a JSON Pointer, or names separated by dots.
func splitPath(path string) []string {
	if !strings.HasPrefix(path, "/") {
		return strings.Split(path, ".")
	}
	names := strings.Split(path[1:], "/")
	for i, name := range names {
		names[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	}
	return names
}

// step returns a member or element of a JSON value.
func step(at any, name string) (any, bool) {
	switch v := at.(type) {
	case map[string]any:
		inner, ok := v[name]
		return inner, ok
	case []any:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(v) {
			return v[i], true
		}
	}
	return nil, false
}

func membersOf(at any) []string {
	if v, ok := at.(map[string]any); ok {
		return slices.Sorted(maps.Keys(v))
	}
	return nil
}

// setJSON puts values into a JSON document, in the order of their paths.
func setJSON(data []byte, set map[string]json.RawMessage) ([]byte, error) {
	doc, err := question.Exact(data)
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(set)) {
		value, err := question.Exact(set[path])
		if err != nil {
			return nil, fmt.Errorf("%s: expected JSON, found %q", path, set[path])
		}
		if doc, err = setAt(doc, splitPath(path), value); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return json.Marshal(doc)
}

// setAt returns doc with another value at a path.
func setAt(doc any, path []string, value any) (any, error) {
	if len(path) == 0 {
		return value, nil
	}
	name := path[0]
	switch at := doc.(type) {
	case map[string]any:
		inner, ok := at[name]
		if !ok && len(path) > 1 {
			return nil, fmt.Errorf("there is no member %q%s", name, nearest.Hint(name, membersOf(at)))
		}
		inner, err := setAt(inner, path[1:], value)
		at[name] = inner
		return at, err
	case []any:
		if name == "-" && len(path) == 1 {
			return append(at, value), nil
		}
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(at) {
			return nil, fmt.Errorf("expected an index below %d, or - to add at the end; found %q", len(at), name)
		}
		at[i], err = setAt(at[i], path[1:], value)
		return at, err
	}
	return nil, fmt.Errorf("expected an object or a list with %q in it, found %s", name, jsonForm(doc))
}

func jsonForm(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a text"
	case bool:
		return "true or false"
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	}
	return "a number"
}
