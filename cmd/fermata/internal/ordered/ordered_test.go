package ordered_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/cmd/fermata/internal/ordered"
)

func TestDecode(t *testing.T) {
	tests := []struct {
		in   string
		want ordered.Value
	}{
		{`{"b":1,"a":[true,null,"x"],"b":2}`, ordered.Object{
			{Name: "b", Value: json.Number("2")},
			{Name: "a", Value: ordered.Array{true, nil, "x"}},
		}},
		{`[]`, ordered.Array{}},
		{`{}`, ordered.Object{}},
		{`1.50`, json.Number("1.50")},
		{`"<&>"`, "<&>"},
	}
	for _, tt := range tests {
		got, err := ordered.Decode([]byte(tt.in))
		if err != nil {
			t.Errorf("Decode(%s): %v", tt.in, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Decode(%s) (-want +got):\n%s", tt.in, diff)
		}
	}
	for _, in := range []string{``, `{`, `[1,`, `1 2`, `{"a"}`, `}`, `nul`} {
		if v, err := ordered.Decode([]byte(in)); err == nil {
			t.Errorf("Decode(%q) = %v, want an error", in, v)
		}
	}
}

func TestObject(t *testing.T) {
	o := ordered.Object{}.Set("z", 1).Set("a", "<b>").Set("z", 2)
	data, err := ordered.Encode(o)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"z":2,"a":"<b>"}`; string(data) != want {
		t.Errorf("Encode = %s, want %s", data, want)
	}
	if !o.Has("a") || o.Has("b") || o.Get("z") != 2 || o.Get("b") != nil {
		t.Errorf("Has and Get disagree with %v", o)
	}
}

// FuzzDecode holds Decode against encoding/json: both take the same texts, and what was decoded encodes to a text
// that means the same.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"b":1,"a":[true,null,"x"],"b":2}`, `[1e3,-0.5]`, `"\u00e9"`, `{`, `1 2`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ordered.Decode(data)
		if json.Valid(data) != (err == nil) {
			t.Fatalf("json.Valid(%q) = %v, Decode: %v", data, json.Valid(data), err)
		}
		if err != nil {
			return
		}
		out, err := ordered.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(canonical(t, data), canonical(t, out)) {
			t.Errorf("%s came back as %s", data, out)
		}
	})
}

func canonical(t *testing.T, data []byte) []byte {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
