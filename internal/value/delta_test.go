package value_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/journal"
)

// What each kind of change is written as.
func TestJ7_deltas(t *testing.T) {
	type inner struct {
		A, B int
		C    string `json:",omitempty"`
	}
	type state struct {
		N      int               `json:"n"`
		S      string            `json:"s"`
		Gone   string            `json:"gone,omitempty"`
		List   []inner           `json:"list"`
		Words  []string          `json:"words"`
		Sub    inner             `json:"sub"`
		P      *inner            `json:"p"`
		Labels map[string]string `json:"labels"`
		Any    any               `json:"any"`
		Bytes  []byte            `json:"bytes"`
	}
	long := strings.Repeat("0123456789", 5)
	start := func() *state {
		return &state{
			N: 1, S: long, Gone: "x", List: []inner{{1, 2, "c"}, {3, 4, ""}}, Words: []string{"a", "b", "c"}, Sub: inner{1, 2, ""},
			P: &inner{}, Labels: map[string]string{"a": "1", "b": "2"}, Any: map[string]any{"x": []any{1, "y"}, "z": true},
			Bytes: []byte(long),
		}
	}
	tests := []struct {
		name   string
		change func(*state)
		want   string
	}{
		{"nothing", func(*state) {}, ``},
		{"a number", func(s *state) { s.N = 2 }, `[1,{"n":[0,2]}]`},
		{"a string grows", func(s *state) { s.S += "é<" }, `[1,{"s":[4,50,"é\u003c"]}]`},
		{"a string changes in the middle", func(s *state) { s.S = s.S[:20] + "x" }, `[1,{"s":[4,20,"x"]}]`},
		{"a string becomes another", func(s *state) { s.S = "x" + s.S[:3] }, `[1,{"s":[0,"x012"]}]`},
		{"a member goes", func(s *state) { s.Gone = "" }, `[1,{},["gone"]]`},
		{"a member goes and one changes", func(s *state) { s.Gone, s.N = "", 5 }, `[1,{"n":[0,5]},["gone"]]`},
		{"an element is added", func(s *state) { s.List = append(s.List, inner{5, 6, ""}) }, `[1,{"list":[2,2,[{"A":5,"B":6}]]}]`},
		{"elements go", func(s *state) { s.Words = s.Words[:1] }, `[1,{"words":[2,1,[]]}]`},
		{"an element changes", func(s *state) { s.List[1].B = 9 }, `[1,{"list":[3,{"1":[1,{"B":[0,9]}]},2,[]]}]`},
		{
			"an element changes and one is added", func(s *state) { s.List[0].C = ""; s.List = append(s.List, inner{}) },
			`[1,{"list":[3,{"0":[1,{},["C"]]},2,[{"A":0,"B":0}]]}]`,
		},
		{"an element is new altogether", func(s *state) { s.List[1] = inner{7, 8, "d"} }, `[1,{"list":[3,{"1":[0,{"A":7,"B":8,"C":"d"}]},2,[]]}]`},
		{"all elements change", func(s *state) { s.Words = []string{"x", "y", "z"} }, `[1,{"words":[0,["x","y","z"]]}]`},
		{"a list becomes nil", func(s *state) { s.Words = nil }, `[1,{"words":[0,null]}]`},
		{"a list becomes empty", func(s *state) { s.Words = s.Words[:0] }, `[1,{"words":[2,0,[]]}]`},
		{"a struct inside", func(s *state) { s.Sub.A = 3 }, `[1,{"sub":[1,{"A":[0,3]}]}]`},
		{"behind a pointer", func(s *state) { s.P.B = 3 }, `[1,{"p":[1,{"B":[0,3]}]}]`},
		{"a pointer becomes nil", func(s *state) { s.P = nil }, `[1,{"p":[0,null]}]`},
		{
			"keys", func(s *state) { delete(s.Labels, "a"); s.Labels["c"] = "3"; s.Labels["b"] = "4" },
			`[1,{"labels":[1,{"b":[0,"4"],"c":[0,"3"]},["a"]]}]`,
		},
		{"in an interface", func(s *state) { s.Any.(map[string]any)["x"].([]any)[0] = 2 }, `[1,{"any":[1,{"x":[3,{"0":[0,2]},2,[]]}]}]`},
		{
			"a list in an interface grows", func(s *state) { m := s.Any.(map[string]any); m["x"] = append(m["x"].([]any), nil) },
			`[1,{"any":[1,{"x":[2,2,[null]]}]}]`,
		},
		{"the same number of another type", func(s *state) { s.Any.(map[string]any)["x"].([]any)[0] = json.Number("1") }, ``},
		{"bytes grow", func(s *state) { s.Bytes = append(s.Bytes, 1, 2) }, `[1,{"bytes":[4,64,"ODkBAg=="]}]`},
	}
	codec, err := value.For[state]()
	noError(t, err)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, snapshot, err := codec.Delta(nil, start())
			noError(t, err)
			v := start()
			tt.change(v)
			delta, next, err := codec.Delta(snapshot, v)
			noError(t, err)
			if diff := cmp.Diff(tt.want, string(delta)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			same(t, "the snapshot", marshal(t, v), marshal(t, next))
		})
	}
}

// The journal grows with what was appended, not with what was there; neither do snapshots grow by more (law J7).
func TestJ7_appendCostsWhatWasAppended(t *testing.T) {
	type state struct {
		Messages []message            `json:"messages"`
		Groups   map[string][]message `json:"groups"`
	}
	codec, err := value.For[state]()
	noError(t, err)
	v := &state{Groups: map[string][]message{"g": nil}}
	_, snapshot, err := codec.Delta(nil, v)
	noError(t, err)
	dynamic, d := value.Dynamic(), map[string]any{"messages": []any{}}
	_, objects, err := dynamic.Delta(nil, d)
	noError(t, err)
	for i := range 2000 {
		m := message{Role: "user", Content: fmt.Sprintf("message %04d", i)}
		v.Messages, v.Groups["g"] = append(v.Messages, m), append(v.Groups["g"], m)
		d["messages"] = append(d["messages"].([]any), map[string]any{"role": "user", "content": m.Content})
		var delta []byte
		delta, snapshot, err = codec.Delta(snapshot, v)
		noError(t, err)
		if i > 0 && len(delta) > 250 {
			t.Fatalf("message %d takes %d bytes: %s", i, len(delta), delta)
		}
		delta, objects, err = dynamic.Delta(objects, d)
		noError(t, err)
		if i > 0 && len(delta) > 100 {
			t.Fatalf("message %d takes %d bytes: %s", i, len(delta), delta)
		}
	}
	same(t, "the snapshot", marshal(t, v), marshal(t, snapshot))
	same(t, "the objects", marshal(t, d), marshal(t, objects))
}

func FuzzDynamic(f *testing.F) {
	f.Add([]byte(`{"a":[1,2,{"b":"c"}],"d":"0123456789abcdefgh"}`), []byte(`{"a":[1,3],"d":"0123456789abcdefgh!","e":null}`))
	f.Add([]byte(`{"x":"\ud800","y":1e400}`), []byte("{\"x\":\"\xff\",\"\xfe\":0}"))
	f.Add([]byte(`null`), []byte(`{"":{"":[[]]}}`))
	f.Fuzz(func(t *testing.T, from, to []byte) {
		codec := value.Dynamic()
		snapshot, err := codec.Decode(from)
		if err != nil {
			return
		}
		v, err := codec.Decode(to)
		if err != nil {
			return
		}
		before, after := must(t)(codec.Encode(snapshot)), must(t)(codec.Encode(v))
		same(t, "Encode", marshal(t, v), after)
		doc, err := journal.ParseDocument(before)
		noError(t, err)
		delta, next, err := codec.Delta(snapshot, v)
		noError(t, err)
		noError(t, doc.Apply(delta))
		sameValue(t, "the document after "+string(delta), after, doc.JSON())
		same(t, "the snapshot", after, must(t)(codec.Encode(next)))
		delta, _, err = codec.Delta(next, v)
		noError(t, err)
		if len(delta) > 0 {
			t.Fatalf("%s is a delta of nothing", delta)
		}
	})
}
