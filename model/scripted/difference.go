package scripted

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/model"
)

// lacks says that a request is not in the transcript, and which comes nearest.
func (t *Transcript) lacks(req *model.Request) string {
	const lacking = "its transcript does not have the request"
	if len(t.exchanges) == 0 {
		return lacking + ": it has none"
	}
	asked, err := leavesOf(req)
	if err != nil {
		return lacking + ": " + err.Error()
	}
	var best difference
	line := 0
	for i := range t.exchanges {
		recorded, err := leavesOf(t.exchanges[i].Request)
		if err != nil {
			continue // requests that were read have a JSON form
		}
		if d := compare(recorded, asked); line == 0 || d.smaller(&best) {
			best, line = d, t.exchanges[i].line
		}
	}
	return fmt.Sprintf("%s: the nearest of %d is on line %d and differs at %s", lacking, len(t.exchanges), line, &best)
}

// leaf is a value inside a request that is no map and no list with anything in it, and where it is: a JSON Pointer.
type leaf struct{ at, value string }

// leavesOf are the leaves of a request, in the order of its members' names.
func leavesOf(req *model.Request) ([]leaf, error) {
	tree, err := treeOf(req)
	if err != nil {
		return nil, err
	}
	return appendLeaves(nil, "", tree)
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func appendLeaves(to []leaf, at string, tree any) (_ []leaf, err error) {
	switch v := tree.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if to, err = appendLeaves(to, at+"/"+pointerEscapes.Replace(name), v[name]); err != nil {
				return nil, err
			}
		}
		if len(v) > 0 {
			return to, nil
		}
	case []any:
		for i := range v {
			if to, err = appendLeaves(to, at+"/"+strconv.Itoa(i), v[i]); err != nil {
				return nil, err
			}
		}
		if len(v) > 0 {
			return to, nil
		}
	}
	text, err := json.Marshal(tree)
	return append(to, leaf{at, string(text)}), err
}

// difference is how two requests differ.
type difference struct {
	leaves          int    // how many of them are different, or are in one of the requests only
	at              string // the first
	recorded, asked string // their values there; "" for none
	same            int    // how far these two are the same, in bytes
}

// compare finds how two requests differ.
func compare(recorded, asked []leaf) difference {
	var d difference
	note := func(at, recorded, asked string) {
		if d.leaves++; d.leaves == 1 {
			d.at, d.recorded, d.asked, d.same = at, recorded, asked, commonPrefix(recorded, asked)
		}
	}
	values := make(map[string]string, len(recorded))
	for _, l := range recorded {
		values[l.at] = l.value
	}
	for _, l := range asked {
		if value := values[l.at]; value != l.value {
			note(l.at, value, l.value)
		}
		delete(values, l.at)
	}
	for _, l := range recorded {
		if value, left := values[l.at]; left {
			note(l.at, value, "")
		}
	}
	return d
}

// smaller reports whether two requests have less between them than two others: fewer leaves, or the same longer.
func (d *difference) smaller(than *difference) bool {
	if d.leaves != than.leaves {
		return d.leaves < than.leaves
	}
	return d.same > than.same
}

func (d *difference) String() string {
	show := func(value string) string {
		if value == "" {
			return "nothing"
		}
		return excerpt(value, d.same)
	}
	return fmt.Sprintf("%s: recorded %s, asked %s", d.at, show(d.recorded), show(d.asked))
}

// excerpt is what of a text is around a place in it.
func excerpt(text string, place int) string {
	const before, after = 30, 60
	var b strings.Builder
	from, to := place-before, place+after
	if from > 0 {
		b.WriteString("…")
	}
	for i, r := range text {
		if i >= from && i < to {
			b.WriteRune(r)
		}
	}
	if to < len(text) {
		b.WriteString("…")
	}
	return b.String()
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
