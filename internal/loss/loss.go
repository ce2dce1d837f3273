package loss

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/internal/nearest"
)

// Lost is a part of a value that a type does not keep.
type Lost struct {
	Path string // "amount", "items.0.price"; "" for the whole value
	Gone bool   // the type has no such field; otherwise it reads another value, zero in most cases
	Near string // the name of a field of the type that may stand for it, "" for none
}

func (l Lost) String() string {
	if l.Gone {
		return fmt.Sprintf("%q is not a field any more", l.Path)
	}
	return fmt.Sprintf("%q would be read as another value", l.Path)
}

// Of compares a value with what a type made of it, both as JSON, and lists what was lost, by path.
func Of(was, is []byte) ([]Lost, error) {
	if bytes.Equal(was, is) {
		return nil, nil
	}
	older, err := exact(was)
	if err != nil {
		return nil, err
	}
	newer, err := exact(is)
	if err != nil {
		return nil, err
	}
	var c comparison
	c.compare("", older, newer)
	return c.lost, nil
}

// In returns the first part of a JSON value that its decoded form loses; v points to that form. Values of types that
// keep all there is lose nothing. A float64 is none of them: it reads each integer, and not each as it was.
func In(was []byte, v any) (Lost, bool) {
	switch v.(type) {
	case *any, *json.RawMessage, *map[string]any, *[]any:
		return Lost{}, false
	case *string, *bool, *int, *int64: // which read no other value of their kind
		if string(bytes.TrimSpace(was)) == "null" {
			return Lost{}, true
		}
		return Lost{}, false
	}
	is, err := json.Marshal(v)
	if err != nil {
		return Lost{}, false // its writer receives the error
	}
	lost, err := Of(was, is)
	if err != nil || len(lost) == 0 {
		return Lost{}, false
	}
	return lost[0], true
}

// Member is Of for one member of both objects. A member that was missing held nothing, and so does one that is missing now.
func Member(was, is []byte, name string) ([]Lost, error) {
	older, err := exact(was)
	if err != nil {
		return nil, err
	}
	newer, err := exact(is)
	if err != nil {
		return nil, err
	}
	before, _ := older.(map[string]any)
	after, _ := newer.(map[string]any)
	var c comparison
	if value, there := before[name]; there {
		c.compare(name, value, after[name])
	}
	return c.lost, nil
}

// exact decodes JSON and keeps its numbers as they are written.
func exact(data []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, err
	}
	return v, nil
}

type comparison struct{ lost []Lost }

func (c *comparison) compare(path string, was, is any) {
	switch older := was.(type) {
	case map[string]any:
		if newer, ok := is.(map[string]any); ok {
			c.members(path, older, newer)
			return
		}
	case []any:
		if newer, ok := is.([]any); ok && len(newer) == len(older) {
			for i := range older {
				c.compare(join(path, strconv.Itoa(i)), older[i], newer[i])
			}
			return
		}
		if _, ok := is.([]any); ok {
			c.lost = append(c.lost, Lost{Path: path})
			return
		}
	case json.Number:
		if newer, ok := is.(json.Number); ok {
			if !equal(older.String(), newer.String()) {
				c.lost = append(c.lost, Lost{Path: path})
			}
			return
		}
	}
	if holds(was) && !holds(is) || was == nil && !empty(is) {
		c.lost = append(c.lost, Lost{Path: path})
	}
}

// empty reports whether a value is null, or a list or an object without anything in it.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// members compares objects. As in encoding/json, a name may be written in other letters.
func (c *comparison) members(path string, was, is map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(was)) {
		inner, ok := is[name]
		for other := range is {
			if !ok && strings.EqualFold(other, name) {
				inner, ok = is[other], true
			}
		}
		switch {
		case ok:
			c.compare(join(path, name), was[name], inner)
		case holds(was[name]):
			c.lost = append(c.lost, Lost{Path: join(path, name), Gone: true, Near: near(name, was, is)})
		}
	}
}

// near is the field that a lost one may have become: the nearest of those that are new, or the only one.
func near(name string, was, is map[string]any) string {
	var fresh []string
	for _, other := range slices.Sorted(maps.Keys(is)) {
		if _, known := was[other]; !known {
			fresh = append(fresh, other)
		}
	}
	if len(fresh) == 1 {
		return fresh[0]
	}
	return nearest.Name(name, fresh)
}

// holds reports whether a value says more than the zero of its type does.
func holds(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case json.Number:
		return !equal(v.String(), "0")
	case []any:
		return len(v) > 0
	case map[string]any:
		for _, inner := range v {
			if holds(inner) {
				return true
			}
		}
		return false
	}
	return true
}

// equal compares numbers: an integer to the last digit, others as a float64 holds them.
func equal(a, b string) bool {
	if a == b {
		return true
	}
	x, isX := new(big.Int).SetString(a, 10)
	y, isY := new(big.Int).SetString(b, 10)
	if isX && isY {
		return x.Cmp(y) == 0
	}
	floatX, errX := strconv.ParseFloat(a, 64)
	floatY, errY := strconv.ParseFloat(b, 64)
	switch {
	case errX != nil || errY != nil || floatX != floatY:
		return false
	case isX: // which a float writes with an exponent
		y, _ = new(big.Float).SetFloat64(floatY).Int(nil)
		return x.Cmp(y) == 0
	case isY:
		x, _ = new(big.Float).SetFloat64(floatX).Int(nil)
		return x.Cmp(y) == 0
	}
	return true
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
