package value_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
)

var (
	_ plan.Codec = (*value.Typed[int])(nil)
	_ plan.Codec = (*value.Objects)(nil)
)

type (
	flat struct {
		N     int                  `json:"n"`
		Name  string               `json:"name,omitempty"`
		On    bool                 `json:"on"`
		F     float64              `json:"f,omitzero"`
		At    time.Time            `json:"at,omitzero"`
		Small [3]int8              `json:"small"`
		Sub   struct{ X, Y int16 } `json:"sub"`
		Q     int                  `json:"q,string"`
		QS    string               `json:"qs,string,omitempty"`
	}
	message struct {
		Role    string    `json:"role"`
		Content string    `json:"content"`
		Calls   []call    `json:"calls,omitempty"`
		Meta    *call     `json:"meta,omitempty"`
		Raw     []byte    `json:"raw"`
		Scores  []float32 `json:"scores"`
	}
	call struct {
		Tool string         `json:"tool"`
		Args map[string]any `json:"args"`
	}
	base struct {
		ID     string
		Shadow int
	}
	Deep  struct{ Deepest map[string]int }
	Extra struct {
		Note string `json:"note,omitempty"`
		*Deep
	}
	wide struct {
		base `fermata:"transient"`
		*Extra
		Shadow   string
		Messages []message               `json:"messages"`
		Any      any                     `json:"any"`
		Labels   map[string]string       `json:"labels,omitempty"`
		ByInt    map[int8][]string       `json:"by_int"`
		ByAddr   map[netip.Addr]*message `json:"by_addr"`
		Groups   map[string][]message    `json:"groups"`
		Raw      json.RawMessage         `json:"raw"`
		Number   json.Number             `json:"number"`
		Big      *big.Int                `json:"big"`
		Tree     *tree                   `json:"tree"`
		Objects  map[string]any          `json:"objects"`
		Matrix   [][]int                 `json:"matrix"`
		Pairs    [2]*string              `json:"pairs"`
		Quoted   *int                    `json:"quoted,string"`
		ignored  map[string]int          `fermata:"transient"`
		Skipped  chan int                `json:"-" fermata:"transient"`
	}
	tree struct {
		V    int             `json:"v"`
		Kids []tree          `json:"kids,omitempty"`
		By   map[string]tree `json:"by,omitempty"`
		Up   *tree           `json:"up,omitempty"`
	}
)

// texts are strings that meet each other's beginnings, and some that are no UTF-8.
func texts() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "<&>\u2028\"\\\n\x01\x7f", "\xff", "\xfe", "\ufffd", "é", "日本語", "0123456789abcdef"}),
		rapid.Map(rapid.IntRange(0, 40), func(n int) string { return strings.Repeat("ab", n) + "é" }),
		rapid.Map(rapid.IntRange(0, 9), func(n int) string { return strings.Repeat("x", 20) + string([]byte("日本語")[:n]) }),
		rapid.String(),
	)
}

// keys are texts of which no two become one in JSON.
func keys() *rapid.Generator[string] {
	return texts().Filter(func(s string) bool {
		return s == "\xff" || !strings.Contains(strings.ToValidUTF8(s, "\ufffd"), "\ufffd")
	})
}

func numbersJSON() *rapid.Generator[json.Number] {
	return rapid.SampledFrom([]json.Number{"", "0", "-0", "1", "1.0", "12345678901234567890", "1e21"})
}

// anys are values of an interface: what JSON gives, Go's numbers, and others.
func anys(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.Just[any](nil), rapid.Map(rapid.Bool(), toAny[bool]), rapid.Map(texts(), toAny[string]),
		rapid.Map(numbersJSON(), toAny[json.Number]), rapid.Map(rapid.IntRange(-2, 2), toAny[int]),
		rapid.Map(rapid.Float64(), toAny[float64]), rapid.Map(rapid.Float32(), toAny[float32]), rapid.Map(rapid.Uint64(), toAny[uint64]),
		rapid.Map(rapid.Int8(), toAny[int8]), rapid.Map(times(), toAny[time.Time]),
		rapid.Just[any](map[string]int{"b": 1, "a": 2}), rapid.Just[any](call{Tool: "t"}), rapid.Just[any](&call{}),
		rapid.Just[any]([]any(nil)), rapid.Just[any](map[string]any(nil)), rapid.Just[any]([]string{"x"}),
	)
	if depth == 0 {
		return leaf
	}
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(anys(depth-1), 0, 4), toAny[[]any]),
		rapid.Map(rapid.MapOfN(keys(), anys(depth-1), 0, 4), toAny[map[string]any]))
}

func toAny[T any](v T) any { return v }

func times() *rapid.Generator[time.Time] {
	return rapid.SampledFrom([]time.Time{
		{},
		time.Unix(1, 5), time.Unix(1, 5).UTC(), time.Now(),
		time.Unix(1e9, 0).In(time.FixedZone("x", 3600)),
	})
}

func flats() *rapid.Generator[flat] {
	return rapid.Custom(func(t *rapid.T) (v flat) {
		v.N, v.Name, v.On = rapid.IntRange(-1, 1).Draw(t, "n"), texts().Draw(t, "name"), rapid.Bool().Draw(t, "on")
		v.F, v.At = rapid.Float64().Draw(t, "f"), times().Draw(t, "at")
		v.Small[rapid.IntRange(0, 2).Draw(t, "i")] = rapid.Int8Range(0, 1).Draw(t, "small")
		v.Sub.Y, v.Q, v.QS = rapid.Int16Range(0, 1).Draw(t, "y"), rapid.IntRange(0, 2).Draw(t, "q"), strings.ToValidUTF8(texts().Draw(t, "qs"), "?")
		return v
	})
}

func messages() *rapid.Generator[message] {
	return rapid.Custom(func(t *rapid.T) (v message) {
		v.Role, v.Content = rapid.SampledFrom([]string{"user", "ai"}).Draw(t, "role"), texts().Draw(t, "content")
		args := rapid.MapOfN(keys(), anys(1), 0, 2)
		if rapid.Bool().Draw(t, "more") {
			v.Calls = []call{{Tool: texts().Draw(t, "tool"), Args: args.Draw(t, "args")}}
			v.Meta = &call{Args: args.Draw(t, "args")}
			v.Raw = []byte(texts().Draw(t, "raw"))
			v.Scores = []float32{rapid.Float32().Draw(t, "score")}
		}
		return v
	})
}

func trees(depth int) *rapid.Generator[tree] {
	return rapid.Custom(func(t *rapid.T) (v tree) {
		v.V = rapid.IntRange(0, 3).Draw(t, "v")
		if depth > 0 {
			v.Kids = rapid.SliceOfN(trees(depth-1), 0, 3).Draw(t, "kids")
			v.By = rapid.MapOfN(keys(), trees(depth-1), 0, 2).Draw(t, "by")
			v.Up = rapid.Ptr(trees(depth-1), true).Draw(t, "up")
		}
		return v
	})
}

func addresses() *rapid.Generator[netip.Addr] {
	return rapid.Map(rapid.ByteRange(0, 3), func(b byte) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, b}) })
}

func wides() *rapid.Generator[wide] {
	return rapid.Custom(func(t *rapid.T) (v wide) {
		v.ID, v.Shadow, v.base.Shadow = texts().Draw(t, "id"), texts().Draw(t, "shadow"), 7
		if rapid.Bool().Draw(t, "extra") {
			v.Extra = &Extra{Note: texts().Draw(t, "note")}
			if rapid.Bool().Draw(t, "deep") {
				v.Deep = &Deep{Deepest: rapid.MapOfN(keys(), rapid.IntRange(0, 1), 0, 2).Draw(t, "deepest")}
			}
		}
		v.Messages = rapid.SliceOfN(messages(), 0, 4).Draw(t, "messages")
		v.Any = anys(3).Draw(t, "any")
		v.Labels = rapid.MapOfN(keys(), texts(), 0, 3).Draw(t, "labels")
		v.ByInt = rapid.MapOfN(rapid.Int8Range(0, 3), rapid.SliceOfN(texts(), 0, 3), 0, 3).Draw(t, "ints")
		v.ByAddr = rapid.MapOfN(addresses(), rapid.Ptr(messages(), true), 0, 3).Draw(t, "addresses")
		v.Groups = rapid.MapOfN(keys(), rapid.SliceOfN(messages(), 0, 3), 0, 3).Draw(t, "groups")
		v.Raw = rapid.SampledFrom([]json.RawMessage{nil, []byte(`null`), []byte(` {"a" : [ 1,2] }`), []byte(`{"a":[1,2]}`), []byte(`"<"`)}).Draw(t, "raw")
		v.Number = numbersJSON().Draw(t, "number")
		v.Big = rapid.Ptr(rapid.Map(rapid.Int64(), func(n int64) big.Int { return *big.NewInt(n) }), true).Draw(t, "big")
		v.Tree = rapid.Ptr(trees(2), true).Draw(t, "tree")
		v.Objects = rapid.MapOfN(keys(), anys(2), 0, 3).Draw(t, "objects")
		v.Matrix = rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 1), 0, 3), 0, 3).Draw(t, "matrix")
		v.Pairs[1] = rapid.Ptr(texts(), true).Draw(t, "pair")
		v.Quoted = rapid.Ptr(rapid.IntRange(0, 1), true).Draw(t, "quoted")
		v.ignored, v.Skipped = map[string]int{"x": 1}, make(chan int)
		if rapid.IntRange(0, 3).Draw(t, "nils") == 0 {
			v.Messages, v.Labels, v.ByInt, v.ByAddr, v.Groups, v.Objects, v.Matrix = nil, nil, nil, nil, nil, nil, nil
		}
		return v
	})
}

// laws checks all that a codec promises, over a chain of values.
func laws[S any](t *rapid.T, gen *rapid.Generator[S]) {
	codec, err := value.For[S]()
	if err != nil {
		t.Fatal(err)
	}
	first := gen.Draw(t, "first")
	v := &first
	data := marshal(t, v)
	same(t, "Encode", data, must(t)(codec.Encode(v)))
	decoded, err := codec.Decode(data)
	noError(t, err)
	unchanged(t, codec, decoded, v, "what was decoded") // no spurious delta after a resume
	snapshot, err := codec.Decode(data)
	noError(t, err)
	doc, err := journal.ParseDocument(data)
	noError(t, err)
	settled(t, codec, v)
	for range rapid.IntRange(1, 4).Draw(t, "steps") {
		if rapid.Bool().Draw(t, "again") {
			next := gen.Draw(t, "next")
			v = &next
		} else {
			mutate(t, reflect.ValueOf(v).Elem(), 0) // in place: what the snapshot must not see, and must notice
		}
		before := marshal(t, snapshot)
		data = marshal(t, v)
		delta, next, made, err := value.Change(codec, snapshot, v, new(value.Known))
		noError(t, err)
		if err := doc.Apply(delta); err != nil {
			t.Fatalf("%s\ncannot be applied to %s\nto give %s: %v", delta, before, data, err)
		}
		sameValue(t, "the document after "+string(delta)+" from "+string(before), data, doc.JSON())
		sameValue(t, "the snapshot", data, marshal(t, next))
		made = givenAway(t, codec, made, next)
		identical(t, "a value after Change", given(t)(codec.Decode(doc.JSON())), made)
		identical(t, "the snapshot", made, next)
		v, _ = made.(*S)
		if bytes.Equal(canonical(t, before), canonical(t, data)) && len(delta) > 0 {
			t.Fatalf("%s is a delta of nothing", delta)
		}
		if len(delta) > 0 && !json.Valid(delta) {
			t.Fatalf("%s is no JSON", delta)
		}
		copied, err := codec.Copy(v)
		noError(t, err)
		sameValue(t, "Copy", data, marshal(t, copied))
		mutate(t, reflect.ValueOf(v).Elem(), 0)
		sameValue(t, "the copy after a change", data, marshal(t, copied))
		sameValue(t, "the snapshot after a change", data, marshal(t, next))
		snapshot = next
	}
}

func TestN9_J7_typedValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { laws(t, wides()) })
}

func TestN9_J7_smallTypes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		laws(t, flats())
		laws(t, trees(3))
		laws(t, anys(3))
		laws(t, rapid.SliceOfN(messages(), 0, 40))
		laws(t, texts())
		laws(t, rapid.MapOfN(keys(), rapid.SliceOfN(texts(), 0, 3), 0, 3))
		laws(t, rapid.SliceOfN(flats(), 0, 70))
		laws(t, rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 60), func(b []byte) []byte { return b }))
		laws(t, rapid.Ptr(flats(), true))
	})
}

// mutate changes something inside of a value, in place: what is behind its pointers, lists and maps.
func mutate(t *rapid.T, v reflect.Value, depth int) {
	if depth > 6 {
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			mutate(t, v.Elem(), depth+1)
		}
	case reflect.Slice, reflect.Array:
		if v.Len() > 0 {
			mutate(t, v.Index(rapid.IntRange(0, v.Len()-1).Draw(t, "element")), depth+1)
		}
	case reflect.Map:
		keys := v.MapKeys()
		if len(keys) == 0 {
			return
		}
		slicesByText(keys)
		key := keys[rapid.IntRange(0, len(keys)-1).Draw(t, "key")]
		if rapid.Bool().Draw(t, "delete") {
			v.SetMapIndex(key, reflect.Value{})
			return
		}
		c := reflect.New(v.Type().Elem()).Elem()
		c.Set(v.MapIndex(key))
		mutate(t, c, depth+1)
		v.SetMapIndex(key, c)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() || v.Type() == reflect.TypeFor[big.Int]() || v.NumField() == 0 {
			return
		}
		for range 3 {
			if f := v.Field(rapid.IntRange(0, v.NumField()-1).Draw(t, "field")); f.CanSet() {
				mutate(t, f, depth+1)
			}
		}
	case reflect.String:
		if v.CanSet() && v.Type() == reflect.TypeFor[string]() {
			v.SetString(v.String() + "!")
		}
	case reflect.Int, reflect.Int8, reflect.Int16:
		if v.CanSet() {
			v.SetInt(1 - v.Int()%2)
		}
	}
}

func slicesByText(keys []reflect.Value) {
	text := func(v reflect.Value) string {
		if a, ok := reflect.TypeAssert[netip.Addr](v); ok {
			return a.String()
		}
		return fmt.Sprintf("%v", v)
	}
	for i := range keys {
		for j := i; j > 0 && text(keys[j]) < text(keys[j-1]); j-- {
			keys[j], keys[j-1] = keys[j-1], keys[j]
		}
	}
}

func TestN9_J7_dynamicValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.MapOfN(keys(), anys(3), 0, 5)
		codec := value.Dynamic()
		v := gen.Draw(t, "first")
		data := marshal(t, v)
		same(t, "Encode", data, must(t)(codec.Encode(v)))
		identicalObjects(t, given(t)(codec.Decode(data)), given(t)(codec.Finalize(v, new(value.Known), true, true)))
		same(t, "the value that was settled", data, marshal(t, v))
		snapshot, err := codec.Decode(data)
		noError(t, err)
		delta, _, err := codec.Delta(snapshot, v)
		noError(t, err)
		if len(delta) > 0 {
			t.Fatalf("%s is a delta of nothing: %s", delta, data)
		}
		snapshot, err = codec.Decode(data) // that of a value that was settled, as all are that the engine compares
		noError(t, err)
		doc, err := journal.ParseDocument(data)
		noError(t, err)
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "again") {
				v = gen.Draw(t, "next")
			} else {
				mutate(t, reflect.ValueOf(v), 0)
			}
			data = marshal(t, v)
			before := marshal(t, snapshot)
			delta, next, made, err := value.Change(codec, snapshot, v, new(value.Known))
			noError(t, err)
			if err := doc.Apply(delta); err != nil {
				t.Fatalf("%s\ncannot be applied to %s\nto give %s: %v", delta, before, data, err)
			}
			sameValue(t, "the document after "+string(delta)+" from "+string(before), data, doc.JSON())
			made = givenAway(t, codec, made, next)
			identicalObjects(t, given(t)(codec.Decode(doc.JSON())), made)
			identicalObjects(t, made, next)
			copied, err := codec.Copy(v)
			noError(t, err)
			mutate(t, reflect.ValueOf(v), 0)
			sameValue(t, "the copy after a change", data, marshal(t, copied))
			sameValue(t, "the snapshot after a change", data, marshal(t, next))
			snapshot = next
		}
	})
}

// givenAway is the value that the next node gets.
func givenAway(t *rapid.T, codec plan.Codec, made, next any) any {
	t.Helper()
	if made == nil {
		made = given(t)(codec.Copy(next))
	}
	return made
}

func unchanged(t *rapid.T, codec plan.Codec, snapshot, v any, what string) {
	t.Helper()
	delta, _, err := codec.Delta(snapshot, v)
	noError(t, err)
	if len(delta) > 0 {
		t.Fatalf("%s differs from %s by %s", what, marshal(t, v), delta)
	}
}

type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func must(t failer) func([]byte, error) []byte {
	return func(data []byte, err error) []byte { noError(t, err); return data }
}

func noError(t failer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func marshal(t failer, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	noError(t, err)
	return data
}

// canonical is JSON as a decoder sees it: the last of equal members, in order.
func canonical(t failer, data []byte) []byte {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	noError(t, d.Decode(&v))
	return marshal(t, v)
}

func same(t failer, what string, want, got []byte) {
	t.Helper()
	if !bytes.Equal(want, got) {
		t.Fatalf("%s\n(-want +got)\n%s", what, cmp.Diff(string(want), string(got)))
	}
}

func sameValue(t failer, what string, want, got []byte) {
	t.Helper()
	same(t, what, canonical(t, want), canonical(t, got))
}
