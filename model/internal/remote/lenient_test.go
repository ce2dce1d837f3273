package remote_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/model/internal/remote"
)

type lenient struct {
	Text   remote.Text
	Number remote.Number
	Plain  string
	List   []struct{ Text remote.Text }
	Raw    json.RawMessage
}

// Members of another type than expected are taken as they are, or left out.
func TestDecode(t *testing.T) {
	for data, want := range map[string]lenient{
		`{"text":"a\n\u00e9","number":7}`:                      {Text: "a\né", Number: 7},
		`{"text":{"a": 1},"number":"7","plain":"b"}`:           {Text: `{"a": 1}`, Number: 7, Plain: "b"},
		`{"text":7,"number":7.9}`:                              {Text: "7", Number: 7},
		`{"text":true,"number":true,"list":[]}`:                {Text: "true", List: []struct{ Text remote.Text }{}},
		`{"text":null,"number":null,"list":null}`:              {},
		`{"plain":7,"list":{"a":1},"text":"behind"}`:           {Text: "behind"},
		`{"list":[7,{"text":"a"}]}`:                            {List: []struct{ Text remote.Text }{{}, {"a"}}},
		`{"number":1e300,"text":"\ud800"}`:                     {Number: math.MaxInt64, Text: "\ufffd"},
		`{"number":-1e300,"text":"` + "\xff" + `"}`:            {Number: math.MinInt64, Text: "\ufffd"},
		`{"number":"NaN","raw":[1, 2]}`:                        {Raw: json.RawMessage("[1, 2]")},
		`{"number":{"a":1},"raw":null}`:                        {Raw: json.RawMessage("null")},
		`null`:                                                 {},
		`{"number":9223372036854775807,"text":"","other":"c"}`: {Number: math.MaxInt64},
	} {
		var got lenient
		if err := remote.Decode([]byte(data), &got); err != nil {
			t.Errorf("%s: %v", data, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", data, diff)
		}
	}
	for _, data := range []string{``, `{`, `[]`, `7`, `"text"`, `{"text":"a"}}`, `{"text":"` + "\n" + `"}`} {
		if err := remote.Decode([]byte(data), new(lenient)); err == nil {
			t.Errorf("%s is taken for an object", data)
		}
	}
	for data, want := range map[string]bool{``: false, `null`: false, `7`: false, `[]`: false, `{}`: true, `{"text":7}`: true} {
		if got := remote.DecodeObject(json.RawMessage(data), new(lenient)); got != want {
			t.Errorf("%s is an object: %v", data, got)
		}
	}
}

// FuzzDecode: whatever is an object or null is decoded, and nothing else.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"text":"a","number":"1e9","plain":7,"list":[{"text":[]}],"raw":{}}`))
	f.Add([]byte(`{"list":[{"text":"\ud800"}],"number":-0.0}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		start := bytes.TrimLeft(data, " \t\r\n")
		object := json.Valid(data) && (bytes.HasPrefix(start, []byte("{")) || bytes.HasPrefix(start, []byte("null")))
		if err := remote.Decode(data, new(lenient)); (err == nil) != object {
			t.Errorf("%q: %v", data, err)
		}
	})
}
