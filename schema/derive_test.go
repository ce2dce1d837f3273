package schema_test

import (
	"encoding/json"
	"math"
	"math/big"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/schema"
)

type (
	Ticket struct {
		ID       string         `json:"id" jsonschema:"Given by the desk"`
		Priority int8           `json:"priority,omitempty"`
		Tags     []string       `json:"tags"`
		Notes    []string       `json:"notes,omitempty"`
		Owner    *Person        `json:"owner"`
		Opened   time.Time      `json:"opened"`
		Closed   time.Time      `json:"closed,omitzero"`
		Raw      []byte         `json:"raw"`
		Extra    map[string]any `json:"extra,omitempty"`
		Any      any            `json:"any"`
		Text     json.RawMessage
		Score    float64
		Secret   string `json:"-"`
		Base
		*Audit
		internal int
	}
	Person struct {
		Name  string `json:"name"`
		Email string `json:"email,omitempty" jsonschema:"Where <answers> go"`
	}
	Base  struct{ Version uint16 }
	Audit struct{ By string }

	Tree struct {
		Name     string           `json:"name"`
		Children []Tree           `json:"children,omitempty"`
		Parent   *Tree            `json:"parent" jsonschema:"Above"`
		Named    map[string]*Tree `json:"named"`
	}
	Forest struct {
		First  Tree `json:"first"`
		Second Tree `json:"second"`
	}
	Quoted struct {
		N int   `json:",string"`
		P *bool `json:",string"`
	}
	Keys struct {
		ByInt  map[int]string
		ByUint map[uint8]string
		ByAddr map[netip.Addr]string
	}
	Exact struct {
		Long  int64
		Big   uint64
		Huge  *big.Int
		Num   json.Number
		Point [2]float32
		Wait  time.Duration
		Addr  netip.Addr
	}
)

const treeDef = `{"type":"object","properties":{"name":{"type":"string"},` +
	`"children":{"type":"array","items":{"$ref":"#/$defs/Tree"}},` +
	`"parent":{"anyOf":[{"$ref":"#/$defs/Tree"},{"type":"null"}],"description":"Above"},` +
	`"named":{"type":["object","null"],"additionalProperties":{"anyOf":[{"$ref":"#/$defs/Tree"},{"type":"null"}]}}},` +
	`"required":["name","parent","named"],"additionalProperties":false}`

func TestFor(t *testing.T) {
	tests := []struct {
		name string
		make func() (*schema.Schema, error)
		want string
	}{
		{"ticket", schema.For[Ticket], `{"type":"object","properties":{` +
			`"id":{"type":"string","description":"Given by the desk"},` +
			`"priority":{"type":"integer","minimum":-128,"maximum":127},` +
			`"tags":{"type":["array","null"],"items":{"type":"string"}},` +
			`"notes":{"type":"array","items":{"type":"string"}},` +
			`"owner":{"type":["object","null"],"properties":{"name":{"type":"string"},` +
			`"email":{"type":"string","description":"Where <answers> go"}},"required":["name"],"additionalProperties":false},` +
			`"opened":{"type":"string","format":"date-time"},` +
			`"closed":{"type":"string","format":"date-time"},` +
			`"raw":{"type":["string","null"],"contentEncoding":"base64"},` +
			`"extra":{"type":"object","additionalProperties":{}},` +
			`"any":{},"Text":{},"Score":{"type":"number"},` +
			`"Version":{"type":"integer","minimum":0,"maximum":65535},"By":{"type":"string"}},` +
			`"required":["id","tags","owner","opened","raw","any","Text","Score","Version"],"additionalProperties":false}`},
		{"recursive", schema.For[Tree], `{"$ref":"#/$defs/Tree","$defs":{"Tree":` + treeDef + `}}`},
		{"recursive inside", schema.For[Forest], `{"type":"object","properties":{"first":{"$ref":"#/$defs/Tree"},` +
			`"second":{"$ref":"#/$defs/Tree"}},"required":["first","second"],"additionalProperties":false,` +
			`"$defs":{"Tree":` + treeDef + `}}`},
		{"quoted", schema.For[Quoted], `{"type":"object","properties":{"N":{"type":"string"},"P":{"type":["string","null"]}},` +
			`"required":["N","P"],"additionalProperties":false}`},
		{"keys", schema.For[Keys], `{"type":"object","properties":{` +
			`"ByInt":{"type":["object","null"],"additionalProperties":{"type":"string"},"propertyNames":{"pattern":"^-?[0-9]+$"}},` +
			`"ByUint":{"type":["object","null"],"additionalProperties":{"type":"string"},"propertyNames":{"pattern":"^[0-9]+$"}},` +
			`"ByAddr":{"type":["object","null"],"additionalProperties":{"type":"string"}}},` +
			`"required":["ByInt","ByUint","ByAddr"],"additionalProperties":false}`},
		{"exact", schema.For[Exact], `{"type":"object","properties":{` +
			`"Long":{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807},` +
			`"Big":{"type":"integer","minimum":0,"maximum":18446744073709551615},` +
			`"Huge":{"type":["integer","null"]},"Num":{"type":"number"},` +
			`"Point":{"type":"array","items":{"type":"number","minimum":-3.4028235e+38,"maximum":3.4028235e+38},` +
			`"minItems":2,"maxItems":2},` +
			`"Wait":{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807},` +
			`"Addr":{"type":"string"}},` +
			`"required":["Long","Big","Huge","Num","Point","Wait","Addr"],"additionalProperties":false}`},
		{"string", schema.For[string], `{"type":"string"}`},
		{"any", schema.For[any], `{}`},
		{"list", schema.For[[]bool], `{"type":["array","null"],"items":{"type":"boolean"}}`},
		{"nothing", schema.For[struct{}], `{"type":"object","properties":{},"additionalProperties":false}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := tt.make()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(s.JSON())); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			again, err := schema.Parse(s.JSON())
			if err != nil {
				t.Fatalf("the document is no schema: %v", err)
			}
			if again.ID() != s.ID() {
				t.Errorf("ID is %s, of the same document parsed %s", s.ID(), again.ID())
			}
			if kept, err := tt.make(); err != nil || kept != s {
				t.Errorf("a second call gives another schema (%v)", err)
			}
		})
	}
}

type (
	hasChannel struct{ Done chan int }
	hasFunc    struct {
		Steps []struct{ Run func() }
	}
	hasComplex struct{ M map[string][]complex128 }
	hasKey     struct{ M map[[2]bool]string }
	embeds     struct{ hasDeep }
	hasDeep    struct{ Inner *hasChannel }
	ignores    struct {
		Done chan int `json:"-"`
		done chan int
	}
)

func TestFor_refused(t *testing.T) {
	tests := []struct {
		make func() (*schema.Schema, error)
		want string
	}{
		{schema.For[hasChannel], "schema of schema_test.hasChannel: hasChannel.Done: a channel has no JSON form"},
		{schema.For[hasFunc], "schema of schema_test.hasFunc: hasFunc.Steps[].Run: a function has no JSON form"},
		{schema.For[hasComplex], "schema of schema_test.hasComplex: hasComplex.M[][]: a complex number has no JSON form"},
		{schema.For[hasKey], "schema of schema_test.hasKey: hasKey.M: a map with keys of type [2]bool has no JSON form: " +
			"keys are strings, integers, or types with MarshalText"},
		{schema.For[embeds], "schema of schema_test.embeds: embeds.hasDeep.Inner.Done: a channel has no JSON form"},
		{schema.For[chan int], "schema of chan int: chan int: a channel has no JSON form"},
		{func() (*schema.Schema, error) { return schema.Of(nil) }, "schema: expected a type, found nil"},
	}
	for _, tt := range tests {
		_, err := tt.make()
		if err == nil || err.Error() != tt.want {
			t.Errorf("got  %v\nwant %s", err, tt.want)
		}
	}
	if _, err := schema.For[ignores](); err != nil {
		t.Errorf("fields that encoding/json ignores are refused: %v", err)
	}
}

// What encoding/json writes of a type, the type's schema accepts and the type takes back.
func TestN8_whatIsWrittenIsAccepted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.Make[Person]())
		check(t, tickets())
		check(t, trees(3))
		check(t, exacts())
		check(t, rapid.Make[Quoted]())
		check(t, rapid.Make[map[int8][]*uint]())
	})
}

func check[T any](t *rapid.T, gen *rapid.Generator[T]) {
	v := gen.Draw(t, "value")
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.For[T]()
	if err != nil {
		t.Fatal(err)
	}
	var back T
	if err := s.Decode(data, &back); err != nil {
		t.Fatalf("%s\nis refused: %v", data, err)
	}
	again, err := json.Marshal(back)
	if err != nil || string(again) != string(data) {
		t.Fatalf("%s\ncomes back as\n%s (%v)", data, again, err)
	}
}

func tickets() *rapid.Generator[Ticket] {
	return rapid.Custom(func(t *rapid.T) Ticket {
		v := Ticket{
			ID:       rapid.String().Draw(t, "id"),
			Priority: rapid.Int8().Draw(t, "priority"),
			Tags:     rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "tags"),
			Owner:    rapid.Ptr(rapid.Make[Person](), true).Draw(t, "owner"),
			Opened:   times().Draw(t, "opened"),
			Raw:      rapid.SliceOf(rapid.Byte()).Draw(t, "raw"),
			Score:    rapid.Float64().Draw(t, "score"),
			Any:      rapid.OneOf(rapid.Just[any](nil), rapid.Just[any](1.5), rapid.Just[any]("x")).Draw(t, "any"),
			Audit:    rapid.Ptr(rapid.Make[Audit](), true).Draw(t, "audit"),
		}
		if rapid.Bool().Draw(t, "nil") {
			v.Tags, v.Raw = nil, nil
		}
		if rapid.Bool().Draw(t, "more") {
			v.Notes, v.Closed = []string{"<&>"}, times().Draw(t, "closed")
			v.Extra = map[string]any{"n": 1}
		}
		return v
	})
}

func times() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		zone := time.FixedZone("", rapid.IntRange(-23*60, 23*60).Draw(t, "zone")*60)
		return time.Unix(rapid.Int64Range(-6e10, 2e11).Draw(t, "seconds"), rapid.Int64Range(0, 999999999).Draw(t, "ns")).In(zone)
	})
}

func trees(depth int) *rapid.Generator[Tree] {
	return rapid.Custom(func(t *rapid.T) Tree {
		v := Tree{Name: rapid.String().Draw(t, "name")}
		if depth > 0 {
			v.Children = rapid.SliceOfN(trees(depth-1), 0, 2).Draw(t, "children")
			v.Parent = rapid.Ptr(trees(depth-2), true).Draw(t, "parent")
			v.Named = rapid.MapOfN(rapid.String(), rapid.Ptr(trees(depth-2), true), 0, 2).Draw(t, "named")
		}
		return v
	})
}

func exacts() *rapid.Generator[Exact] {
	return rapid.Custom(func(t *rapid.T) Exact {
		return Exact{
			Long: rapid.OneOf(rapid.Int64(), rapid.Just[int64](math.MinInt64), rapid.Just[int64](math.MaxInt64)).Draw(t, "long"),
			Big:  rapid.OneOf(rapid.Uint64(), rapid.Just[uint64](math.MaxUint64)).Draw(t, "big"),
			Huge: new(big.Int).Lsh(big.NewInt(rapid.Int64().Draw(t, "huge")), uint(rapid.IntRange(0, 500).Draw(t, "shift"))),
			Num:  json.Number(rapid.SampledFrom([]string{"0", "-1", "1.50", "1e3", "18446744073709551616"}).Draw(t, "num")),
			Point: [2]float32{
				rapid.Float32().Draw(t, "x"),
				rapid.SampledFrom([]float32{math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 0, 1e30}).Draw(t, "y"),
			},
			Addr: netip.AddrFrom4([4]byte{127, 0, 0, rapid.Byte().Draw(t, "addr")}),
		}
	})
}

// Names of definitions stay apart when two packages use one name.
func TestFor_definitionNames(t *testing.T) {
	type Tree struct{ Next *Tree }
	type both struct {
		A Tree
		B *Forest
	}
	s, err := schema.For[both]()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{`"#/$defs/Tree"`, `"#/$defs/Tree2"`, `"Tree":{`, `"Tree2":{`} {
		if !strings.Contains(string(s.JSON()), name) {
			t.Errorf("%s is not in %s", name, s.JSON())
		}
	}
}
