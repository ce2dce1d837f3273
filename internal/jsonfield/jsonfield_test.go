package jsonfield_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/jsonfield"
)

type base struct {
	ID     string
	Hidden string
	low    int
}

type Other struct {
	Name   string
	Shared int
	Tagged int `json:"shared_tag"`
}

type Third struct {
	Shared int
	Deep   Deep
	More
}

type More struct{ Far string }

type Deep struct{ X int }

type label string

// every is what encoding/json makes a case of.
type every struct {
	base
	*Other
	Third
	More    `json:"more"` // embedded, but named
	label                 // embedded and not a struct: unexported, so not written
	Hidden  int
	Plain   string
	Renamed string  `json:"renamed"`
	Dash    string  `json:"-,"`
	Skipped string  `json:"-"`
	Bad     string  `json:"a\"b"`
	Space   string  `json:"with space,omitempty"`
	Zero    Deep    `json:",omitzero"`
	Number  int     `json:",string"`
	Pointer *int    `json:"pointer,string,omitempty"`
	List    []int   `json:",string"`
	Float   float64 `json:"Float,omitempty,omitzero"`
	private int
}

type summary struct {
	Name                                  string
	Index                                 []int
	OmitEmpty, OmitZero, Quoted, Optional bool
}

func TestOf(t *testing.T) {
	var got []summary
	if far := jsonfield.Of(reflect.TypeFor[every]())[4]; far.GoPath() != ".Third.More.Far" {
		t.Errorf("GoPath of %s is %s", far.Name, far.GoPath())
	}
	for _, f := range jsonfield.Of(reflect.TypeFor[every]()) {
		got = append(got, summary{f.Name, f.Index, f.OmitEmpty, f.OmitZero, f.Quoted, f.Optional})
		if last := f.Path[len(f.Path)-1]; !reflect.DeepEqual(last, f.Go) || len(f.Path) != len(f.Index) {
			t.Errorf("%s: path ends at %s, the field is %s", f.Name, last.Name, f.Go.Name)
		}
	}
	want := []summary{
		{Name: "ID", Index: []int{0, 0}},
		{Name: "Name", Index: []int{1, 0}, Optional: true},
		{Name: "shared_tag", Index: []int{1, 2}, Optional: true},
		{Name: "Deep", Index: []int{2, 1}},
		{Name: "Far", Index: []int{2, 2, 0}},
		{Name: "more", Index: []int{3}},
		{Name: "Hidden", Index: []int{5}},
		{Name: "Plain", Index: []int{6}},
		{Name: "renamed", Index: []int{7}},
		{Name: "-", Index: []int{8}},
		{Name: "Bad", Index: []int{10}},
		{Name: "with space", Index: []int{11}, OmitEmpty: true},
		{Name: "Zero", Index: []int{12}, OmitZero: true},
		{Name: "Number", Index: []int{13}, Quoted: true},
		{Name: "pointer", Index: []int{14}, OmitEmpty: true, Quoted: true},
		{Name: "List", Index: []int{15}},
		{Name: "Float", Index: []int{16}, OmitEmpty: true, OmitZero: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The names and their order are those that encoding/json writes, for every type here.
func TestOf_agreesWithEncodingJSON(t *testing.T) {
	one := 1
	values := []any{
		every{Other: &Other{}, Space: "x", Zero: Deep{1}, Pointer: &one, Float: 1, label: "x", private: 1, base: base{low: 1}},
		struct { // two of one name at one depth, one of them tagged: the tagged one
			Other
			Rival
		}{},
		struct { // two at one depth, neither tagged: neither, nor the one below
			Third
			Shared2
		}{},
		struct { // the same struct twice
			Twice1
			Twice2
		}{},
		recursive{},
		struct{}{},
	}
	for _, v := range values {
		var got []string
		for _, f := range jsonfield.Of(reflect.TypeOf(v)) {
			got = append(got, f.Name)
		}
		if diff := cmp.Diff(membersOf(t, v), got); diff != "" {
			t.Errorf("%T (-encoding/json +got)\n%s", v, diff)
		}
	}
}

type Rival struct {
	X    int `json:"Name"`
	Kept int
}

type Shared2 struct{ Shared string }

type (
	Twice1 struct{ Deep }
	Twice2 struct {
		Deep
		Own int
	}
)

type recursive struct {
	*recursive
	Next *recursive
	V    int
}

// membersOf reads the names of an object's members in the order in which encoding/json writes them.
func membersOf(t *testing.T, v any) []string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	d := json.NewDecoder(bytes.NewReader(data))
	for depth, isName := 0, false; ; {
		token, err := d.Token()
		if err != nil {
			return names
		}
		if delim, ok := token.(json.Delim); ok {
			if delim == '{' || delim == '[' {
				depth++
			} else {
				depth--
			}
			isName = depth == 1
			continue
		}
		if depth == 1 {
			if isName {
				names = append(names, token.(string))
			}
			isName = !isName
		}
	}
}
