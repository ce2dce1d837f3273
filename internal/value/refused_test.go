package value_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/value"
)

type (
	hasChannel struct{ Done chan int }
	hasFunc    struct {
		Steps []struct{ Run func() }
	}
	hasComplex struct{ M map[string][]complex128 }
	hasKey     struct{ M map[[2]bool]string }
	writesOnly struct{ X int }
	hasWriter  struct{ W *writesOnly }
	hasBigMap  struct {
		M map[string]struct{ N big.Int }
	}
	hidden     struct{ V int }
	hasHidden  struct{ *hidden }
	deepInside struct{ Inner *hasChannel }
	embedder   struct{ deepInside }
)

func (writesOnly) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

func TestN8_typesThatCannotBeKept(t *testing.T) {
	tests := []struct {
		err  error
		want *value.Error
	}{
		{errorOf[hasChannel](), &value.Error{Path: "hasChannel.Done", Reason: "a channel has no JSON form"}},
		{errorOf[hasFunc](), &value.Error{Path: "hasFunc.Steps[].Run", Reason: "a function has no JSON form"}},
		{errorOf[hasComplex](), &value.Error{Path: "hasComplex.M[][]", Reason: "a complex number has no JSON form"}},
		{errorOf[hasKey](), &value.Error{Path: "hasKey.M", Reason: "a map with keys of type [2]bool has no JSON form: " +
			"keys are strings, integers, or types with MarshalText and UnmarshalText"}},
		{errorOf[hasWriter](), &value.Error{Path: "hasWriter.W", Reason: "value_test.writesOnly has MarshalJSON, " +
			"but no method to read back what it writes: add UnmarshalJSON"}},
		{errorOf[hasBigMap](), &value.Error{Path: "hasBigMap.M[].N", Reason: "encoding/json does not call MarshalJSON " +
			"of a big.Int that is in a map: use *big.Int"}},
		{errorOf[hasHidden](), &value.Error{Path: "hasHidden.hidden", Reason: "encoding/json cannot set an embedded " +
			"pointer to an unexported struct: embed the struct itself"}},
		{errorOf[embedder](), &value.Error{Path: "embedder.deepInside.Inner.Done", Reason: "a channel has no JSON form"}},
		{errorOf[chan int](), &value.Error{Path: "chan int", Reason: "a channel has no JSON form"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(error(tt.want), tt.err); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

func errorOf[S any]() error { _, err := value.For[S](); return err }

type shape interface{ Area() float64 }

type square struct{ Side float64 }

func (s square) Area() float64 { return s.Side * s.Side }

type panics struct{ on bool }

func (p panics) MarshalText() ([]byte, error) {
	if p.on {
		panic("boom")
	}
	return []byte("calm"), nil
}
func (*panics) UnmarshalText([]byte) error { return nil }

type fickle struct{ list []int }

func (f fickle) MarshalJSON() ([]byte, error) { return json.Marshal(f.list) }
func (f *fickle) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &f.list); err != nil || len(f.list) > 2 {
		return fmt.Errorf("at most 2, found %d", len(f.list))
	}
	return nil
}

type node struct {
	Name string         `json:"name"`
	Next *node          `json:"next"`
	Kids []*node        `json:"kids"`
	By   map[string]any `json:"by"`
	F    float64        `json:"f"`
	S    shape          `json:"s"`
	N    json.Number    `json:"n"`
	P    panics         `json:"p"`
	X    fickle         `json:"x"`
	Raw  json.RawMessage
}

// Every way in which a value cannot be kept: an error with the Go path, and a snapshot that is as it was.
func TestN8_valuesThatCannotBeKept(t *testing.T) {
	codec, err := value.For[node]()
	noError(t, err)
	cycle := &node{Name: "a"}
	cycle.Next = &node{Name: "b", Next: cycle}
	bushy := &node{}
	bushy.Kids = []*node{bushy, bushy, bushy}
	inAny := map[string]any{}
	inAny["list"] = []any{1, inAny}
	assigned := map[string]bool{"not a number": true, "no number": true, "a method that panics": true, "no JSON": true}
	tests := []struct {
		name  string
		value *node
		want  *value.Error
	}{
		{"a cycle of pointers", cycle, &value.Error{Path: "node.Next.Next", Reason: "a cycle: this is what it is in"}},
		{"a cycle with many ways", bushy, &value.Error{Path: "node.Kids[0]", Reason: "a cycle: this is what it is in"}},
		{"a cycle in an interface", &node{By: inAny}, &value.Error{Path: `node.By["list"][1]`, Reason: "a cycle: this is what it is in"}},
		{"not a number", &node{Kids: []*node{{}, {F: math.NaN()}}}, &value.Error{
			Path:   "node.Kids[1].F",
			Reason: "NaN has no JSON form: expected a finite number",
		}},
		{"an infinite float in an interface", &node{By: map[string]any{"x": float32(math.Inf(-1))}}, &value.Error{
			Path:   `node.By["x"]`,
			Reason: "-Inf has no JSON form: expected a finite number",
		}},
		{"a channel in an interface", &node{By: map[string]any{"x": []any{make(chan int)}}}, &value.Error{
			Path:   `node.By["x"][0]`,
			Reason: "a channel has no JSON form",
		}},
		{"an interface with methods", &node{S: square{2}}, &value.Error{
			Path:   "node.S",
			Reason: "a value in the interface value_test.shape cannot be read back: use a concrete type, or any",
		}},
		{"no number", &node{N: "12x"}, &value.Error{Path: "node.N", Reason: `expected a number, found the json.Number "12x"`}},
		{"a method that panics", &node{P: panics{true}}, &value.Error{Path: "node.P", Reason: "its own code panicked: boom"}},
		{"what its own code refuses", &node{X: fickle{[]int{1, 2, 3}}}, &value.Error{
			Path:   "node.X",
			Reason: "what its own code writes cannot be read back: at most 2, found 3",
		}},
		{"no JSON", &node{Raw: []byte("{")}, &value.Error{Path: "node.Raw", Reason: "json: error calling MarshalJSON for type " +
			"*json.RawMessage: unexpected end of JSON input"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := codec.Encode(tt.value)
			wantError(t, "Encode", tt.want, err)
			if !assigned[tt.name] { // a copy takes these as they are
				_, err = codec.Copy(tt.value)
				wantError(t, "Copy", tt.want, err)
			}
			_, _, err = codec.Delta(nil, tt.value)
			wantError(t, "the first Delta", tt.want, err)

			good := &node{Name: "before", Kids: []*node{{Name: "k"}}, By: map[string]any{"y": 1}, X: fickle{[]int{1}}}
			_, snapshot, err := codec.Delta(nil, good)
			noError(t, err)
			bad := *tt.value
			bad.Name = "after" // changed before what is wrong is met: must not reach the snapshot
			if tt.name != "a cycle of pointers" && tt.name != "a cycle with many ways" {
				_, _, err = codec.Delta(snapshot, &bad)
				wantError(t, "Delta", tt.want, err)
			} else if _, _, err = codec.Delta(snapshot, tt.value); err == nil {
				t.Error("Delta takes a cycle")
			}
			same(t, "the snapshot after an error", marshal(t, good), marshal(t, snapshot))
			good.Name = "later"
			delta, _, err := codec.Delta(snapshot, good)
			noError(t, err)
			same(t, "the delta after an error", []byte(`[1,{"name":[0,"later"]}]`), delta)
		})
	}
}

func wantError(t *testing.T, what string, want *value.Error, err error) {
	t.Helper()
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("%s (-want +got)\n%s", what, diff)
	}
}

func TestN8_dynamicValuesThatCannotBeKept(t *testing.T) {
	codec := value.Dynamic()
	cycle := map[string]any{}
	cycle["a/b"] = []any{nil, cycle}
	tests := []struct {
		value any
		want  *value.Error
	}{
		{cycle, &value.Error{Path: "/a~1b/1", Reason: "a cycle: this is what it is in"}},
		{map[string]any{"x": []any{math.Inf(1)}}, &value.Error{Path: "/x/0", Reason: "+Inf has no JSON form: expected a finite number"}},
		{map[string]any{"x": func() {}}, &value.Error{Path: "/x", Reason: "a function has no JSON form"}},
		{map[string]any{"x": map[string]any{"y": json.Number("x")}}, &value.Error{Path: "/x/y", Reason: `expected a number, found the json.Number "x"`}},
		{map[string]any{"x": panics{true}}, &value.Error{Path: "/x", Reason: "its own code panicked: boom"}},
		{[]any{1}, &value.Error{Reason: "expected a map[string]any, found []interface {}"}},
		{nil, &value.Error{Reason: "expected a map[string]any, found <nil>"}},
	}
	for _, tt := range tests {
		_, err := codec.Encode(tt.value)
		wantError(t, "Encode", tt.want, err)
		_, err = codec.Copy(tt.value)
		wantError(t, "Copy", tt.want, err)
		_, _, err = codec.Delta(nil, tt.value)
		wantError(t, "the first Delta", tt.want, err)
		snapshot, err := codec.Decode([]byte(`{"keep":1}`))
		noError(t, err)
		_, _, err = codec.Delta(snapshot, tt.value)
		wantError(t, "Delta", tt.want, err)
		same(t, "the snapshot after an error", []byte(`{"keep":1}`), marshal(t, snapshot))
	}
}

func TestWrongValues(t *testing.T) {
	codec, err := value.For[flat]()
	noError(t, err)
	for _, tt := range []struct {
		value any
		found string
	}{{nil, "nil"}, {flat{}, "value_test.flat"}, {(*flat)(nil), "*value_test.flat(nil)"}, {3, "int"}} {
		_, err := codec.Encode(tt.value)
		wantError(t, "Encode", &value.Error{Path: "flat", Reason: "expected a *value_test.flat, found " + tt.found}, err)
	}
	v := &flat{}
	_, _, err = codec.Delta(v, v)
	wantError(t, "Delta", &value.Error{Path: "flat", Reason: "the value is its own snapshot: changes cannot be seen"}, err)
	m := map[string]any{"x": 1}
	_, _, err = value.Dynamic().Delta(m, m)
	wantError(t, "Delta", &value.Error{Reason: "the value is its own snapshot: changes cannot be seen"}, err)
	for _, data := range []string{``, `{`, `{} {}`, `[]`, `{"n":"x"}`} {
		if _, err := codec.Decode([]byte(data)); !errors.As(err, new(*value.Error)) {
			t.Errorf("Decode of %s: %v", data, err)
		}
		if _, err := value.Dynamic().Decode([]byte(data)); data != `{"n":"x"}` && !errors.As(err, new(*value.Error)) {
			t.Errorf("Decode of %s: %v", data, err)
		}
	}
}

func TestN8_limit(t *testing.T) {
	codec, err := value.For[wide]()
	noError(t, err)
	codec = codec.WithLimit(1000)
	small := &wide{Messages: []message{{Role: "user"}}}
	_, snapshot, err := codec.Delta(nil, small)
	noError(t, err)
	large := &wide{Messages: []message{{Role: "user"}, {Content: strings.Repeat("x", 2000)}}}
	_, err = codec.Encode(large)
	want := &value.Error{Path: "wide.Messages[1].Content", Reason: "takes more than the limit of 1000 bytes; this part takes 2002 bytes of " +
		"the 2090 bytes that were found so far; keep it elsewhere and store a reference to it, or raise Options.MaxValue"}
	wantError(t, "Encode", want, err)
	_, _, err = codec.Delta(snapshot, large)
	wantError(t, "Delta", want, err)
	same(t, "the snapshot after an error", marshal(t, small), marshal(t, snapshot))
	_, err = value.Dynamic().WithLimit(10).Encode(map[string]any{"a": 1, "b": strings.Repeat("x", 20)})
	var tooLarge *value.Error // what was found before it depends on the order of the map
	if !errors.As(err, &tooLarge) || tooLarge.Path != "/b" ||
		!strings.HasPrefix(tooLarge.Reason, "takes more than the limit of 10 bytes; this part takes 22 bytes of the ") {
		t.Errorf("Encode: %v", err)
	}
}

func TestFlat(t *testing.T) {
	tests := []struct {
		name string
		got  bool
		want bool
	}{
		{"scalars, strings, times, arrays", flatOf[flat](t), true},
		{"a list", flatOf[struct{ L []int }](t), false},
		{"a map that JSON ignores", flatOf[struct {
			N int
			m map[string]int `fermata:"transient"`
		}](t), false},
		{"a pointer", flatOf[struct{ P *int }](t), false},
		{"an interface", flatOf[struct{ A any }](t), false},
		{"a time", flatOf[time.Time](t), true},
		{"a big.Int", flatOf[big.Int](t), false},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: Flat is %v", tt.name, tt.got)
		}
	}
}

func flatOf[S any](t *testing.T) bool {
	t.Helper()
	codec, err := value.For[S]()
	noError(t, err)
	return codec.Flat()
}

// What encoding/json does not keep, a copy does not keep either: before and after a restart are alike.
func TestN1_copyKeepsWhatIsStored(t *testing.T) {
	type state struct {
		L       []int
		Any     any
		private int  `fermata:"transient"`
		Skipped *int `json:"-" fermata:"transient"`
	}
	codec, err := value.For[state]()
	noError(t, err)
	one := 1
	v := &state{L: []int{1}, Any: []any{1, 2.5, int8(3), call{Tool: "x"}}, private: 1, Skipped: &one}
	copied, err := codec.Copy(v)
	noError(t, err)
	decoded, err := codec.Decode(marshal(t, v))
	noError(t, err)
	if diff := cmp.Diff(decoded, copied, cmp.AllowUnexported(state{})); diff != "" {
		t.Errorf("(-decoded +copied)\n%s", diff)
	}
}

// One codec serves any number of goroutines.
func TestConcurrentUse(t *testing.T) {
	codec, err := value.For[wide]()
	noError(t, err)
	shared := &wide{Groups: map[string][]message{"a": {{Role: "x"}}}, Objects: map[string]any{"k": []any{1}}}
	want := marshal(t, shared)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			_, snapshot, err := codec.Delta(nil, shared)
			for range 200 {
				if err != nil {
					t.Error(err)
					return
				}
				copied, copyErr := codec.Copy(shared)
				if copyErr != nil {
					t.Error(copyErr)
					return
				}
				c := copied.(*wide)
				c.Groups["a"] = append(c.Groups["a"], message{Role: "y"})
				c.Objects["k"] = 2
				_, snapshot, err = codec.Delta(snapshot, c)
			}
		})
	}
	wg.Wait()
	same(t, "the shared value", want, marshal(t, shared))
}

// A value that is within the limit is kept, however much of it has changed: what is too long is the change, and then the whole is
// written in its place.
func TestN8_ManyChangesWithinTheLimit(t *testing.T) {
	const limit = 1000
	numbers := func(from int) (list []int, all []any) {
		for i := range 190 {
			list, all = append(list, (from+7*i)%1000+1000), append(all, (from+7*i)%1000+1000)
		}
		return list, all
	}
	for from := range 5 {
		was, wasAny := numbers(from)
		is, isAny := numbers(from + 501)
		typed, err := value.For[struct{ Numbers []int }]()
		noError(t, err)
		_, snapshot, err := typed.WithLimit(limit).Delta(nil, &struct{ Numbers []int }{was})
		noError(t, err)
		delta, next, err := typed.WithLimit(limit).Delta(snapshot, &struct{ Numbers []int }{is})
		noError(t, err)
		if len(delta) > limit+10 {
			t.Errorf("the change takes %d bytes", len(delta))
		}
		same(t, "the next snapshot", marshal(t, &struct{ Numbers []int }{is}), marshal(t, next))
		_, old, err := value.Dynamic().WithLimit(limit).Delta(nil, map[string]any{"a": wasAny})
		noError(t, err)
		_, now, err := value.Dynamic().WithLimit(limit).Delta(old, map[string]any{"a": isAny})
		noError(t, err)
		same(t, "the next snapshot", marshal(t, map[string]any{"a": isAny}), marshal(t, now))
	}
}
