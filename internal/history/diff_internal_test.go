package history

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
	"github.com/fermata-go/fermata/internal/question"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawJSON draws a JSON value; names and numbers are few, so that two of them have much in common.
func drawJSON(t *rapid.T, depth int) any {
	kinds := []string{"null", "bool", "number", "text", "object", "list"}
	if depth == 0 {
		kinds = kinds[:4]
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "null":
		return nil
	case "bool":
		return rapid.Bool().Draw(t, "bool")
	case "number":
		return json.Number(strconv.Itoa(rapid.IntRange(0, 3).Draw(t, "number")))
	case "text":
		return rapid.SampledFrom([]string{"", "a", "~/"}).Draw(t, "text")
	case "object":
		object := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "members") {
			object[rapid.SampledFrom([]string{"", "a", "b/c", "~1"}).Draw(t, "name")] = drawJSON(t, depth-1)
		}
		return object
	}
	list := []any{}
	for range rapid.IntRange(0, 3).Draw(t, "elements") {
		list = append(list, drawJSON(t, depth-1))
	}
	return list
}

// What a comparison lists is all that differs: made to the one value, the changes give the other, and the way back
// is the same list with old and new exchanged.
func TestChangesTurnOneValueIntoTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawJSON(t, 3), drawJSON(t, 3)
		there, err := compareJSON(jsonOf(a), jsonOf(b))
		if err != nil {
			t.Fatal(err)
		}
		back, err := compareJSON(jsonOf(b), jsonOf(a))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := question.Exact(changed(t, jsonOf(a), there)); err != nil || !reflect.DeepEqual(got, b) {
			t.Fatalf("%s changed by %s is %v (%v), want %s", jsonOf(a), jsonOf(there), got, err, jsonOf(b))
		}
		for i := range back {
			back[i].Old, back[i].New = back[i].New, back[i].Old
		}
		if diff := cmp.Diff(there, back); diff != "" {
			t.Fatalf("back (-there +back):\n%s", diff)
		}
		if (len(there) == 0) != reflect.DeepEqual(a, b) {
			t.Fatalf("%s and %s have %d changes", jsonOf(a), jsonOf(b), len(there))
		}
	})
}

// changed makes changes to a value, the last ones of a list first.
func changed(t *rapid.T, doc []byte, changes []Change) []byte {
	v, err := question.Exact(doc)
	if err != nil {
		t.Fatal(err)
	}
	gone := []Change{}
	for _, c := range changes {
		if c.New == nil {
			gone = append(gone, c)
			continue
		}
		value, err := question.Exact(c.New)
		if err != nil {
			t.Fatal(err)
		}
		path := []string{}
		if c.Path != "" {
			path = splitPath(c.Path)
		}
		if n := len(path); c.Old == nil && n > 0 {
			if list, ok := at(v, path[:n-1]).([]any); ok && path[n-1] == strconv.Itoa(len(list)) {
				path[n-1] = "-"
			}
		}
		if v, err = setAt(v, path, value); err != nil {
			t.Fatalf("%s: %v", c.Path, err)
		}
	}
	slices.Reverse(gone)
	for _, c := range gone {
		path := splitPath(c.Path)
		last := path[len(path)-1]
		switch in := at(v, path[:len(path)-1]).(type) {
		case map[string]any:
			delete(in, last)
		case []any:
			if v, err = setAt(v, path[:len(path)-1], in[:len(in)-1]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return jsonOf(v)
}

func at(v any, path []string) any {
	for _, name := range path {
		v, _ = step(v, name)
	}
	return v
}

// Paths are read as they are written.
func TestSplitPath(t *testing.T) {
	for path, want := range map[string]string{
		"amount": "amount", "items.0.price": "items|0|price", "/items/0": "items|0", "/a.b/~01~1": "a.b|~1/", "/": "",
	} {
		if got := strings.Join(splitPath(path), "|"); got != want {
			t.Errorf("%q is %q, want %q", path, got, want)
		}
	}
}
