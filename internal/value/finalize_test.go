package value_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
	"github.com/fermata-go/fermata/internal/value"
)

// identical checks that two values are the same to Go, types in interfaces included.
func identical(t *rapid.T, what string, want, got any) {
	t.Helper()
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("%s: expected\n%s\nfound\n%s", what, show(want), show(got))
	}
}

// identicalObjects is identical for objects of any shape.
func identicalObjects(t *rapid.T, want, got any) {
	t.Helper()
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("expected\n%#v\nfound\n%#v", want, got)
	}
}

func show(v any) string {
	data, err := json.Marshal(v)
	return fmt.Sprintf("%#v: %s %v", reflect.ValueOf(v).Elem(), data, err)
}

func given(t *rapid.T) func(v any, err error) any {
	return func(v any, err error) any {
		t.Helper()
		noError(t, err)
		return v
	}
}

// settled checks that a value settles to what decoding its JSON gives, in each way in which that is asked for.
func settled(t *rapid.T, codec value.Changer, v any) {
	t.Helper()
	data := marshal(t, v)
	known := new(value.Known)
	for range 2 {
		got, err := codec.Finalize(v, known, true, false)
		noError(t, err)
		same(t, "the value that was settled", data, marshal(t, v))
		want := given(t)(codec.Decode(marshal(t, v)))
		identical(t, "a settled value", want, got)
		identical(t, "a value that is settled again", want, given(t)(codec.Finalize(got, known, true, true)))
		identical(t, "a copy", want, given(t)(codec.Copy(got)))
	}
	own := reflect.New(reflect.TypeOf(v).Elem())
	own.Elem().Set(reflect.ValueOf(v).Elem())
	got, err := codec.Finalize(own.Interface(), known, true, true)
	noError(t, err)
	identical(t, "a value that was settled in place", given(t)(codec.Decode(data)), got)
	same(t, "what it only leads to", data, marshal(t, v))
}

type (
	inside struct {
		Kept string
		lost int
	}
	hidesInside struct{ In []inside }
	allows      struct {
		In []inside `fermata:"transient"`
		on bool     `fermata:"transient"`
	}
	unstable struct{ N int }
	lossy    struct{ N int }
	caches   struct {
		N    int
		memo map[string]int //nolint:unused // it is there to be refused
	}
)

func (u unstable) MarshalJSON() ([]byte, error)  { return json.Marshal(u.N + 1) }
func (u *unstable) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &u.N) }
func (u lossy) MarshalJSON() ([]byte, error)     { return json.Marshal(u.N / 10 * 10) }
func (u *lossy) UnmarshalJSON(b []byte) error    { return json.Unmarshal(b, &u.N) }

// A type with a field that JSON drops is refused with its path, and transient fields are empty.
func TestN8_DroppedFieldsAreRefused(t *testing.T) {
	for want, err := range map[string]error{
		"hidesInside.In[].lost": errorOf[hidesInside](),
		"caches.memo":           errorOf[caches](),
		"struct { Deep map[string]struct { a int } }.Deep[].a": errorOf[struct{ Deep map[string]struct{ a int } }](),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want+": encoding/json does not keep this field (it is not exported)") {
			t.Errorf("%s: got %v", want, err)
		}
	}
	for _, err := range []error{errorOf[allows](), errorOf[struct{ _ int }](), errorOf[struct{ a [0]func() }](), errorOf[time.Time]()} {
		if err != nil {
			t.Error(err)
		}
	}
	codec, err := value.For[allows]()
	noError(t, err)
	v := &allows{In: []inside{{"a", 1}}, on: true}
	got, err := codec.Finalize(v, new(value.Known), false, true)
	noError(t, err)
	if want := (&allows{In: []inside{{"a", 0}}}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A value whose methods do not read back what they write is refused; one that only loses something is what is left of it.
func TestN10_MarshalersThatDoNotRoundTrip(t *testing.T) {
	type state struct {
		U []unstable
		L *lossy
	}
	codec, err := value.For[state]()
	noError(t, err)
	_, err = codec.Finalize(&state{U: []unstable{{1}}}, new(value.Known), false, true)
	want := "state.U[0]: its own code does not read back what it writes: it wrote 2, read that, and then wrote 3"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	got, err := codec.Finalize(&state{L: &lossy{17}}, new(value.Known), false, true)
	noError(t, err)
	if s, _ := got.(*state); s.L.N != 10 {
		t.Errorf("got %+v", s.L)
	}
}

// Two keys that become one are refused with the path of their map.
func TestN8_TwinKeys(t *testing.T) {
	type state struct{ M map[string]map[string]int }
	codec, err := value.For[state]()
	noError(t, err)
	bad := &state{M: map[string]map[string]int{"x": {"\xff": 1, "\xfe": 2}}}
	want := `state.M["x"]: two keys of the map become the one name "\ufffd" in JSON`
	_, err = codec.Encode(bad)
	_, settling := codec.Finalize(bad, new(value.Known), true, true)
	_, _, _, changing := value.Change(codec, &state{}, bad, new(value.Known))
	for _, err := range []error{err, settling, changing} {
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "\ufffd", `\ufffd`), want) {
			t.Errorf("got %v", err)
		}
	}
}

// A time whose offset JSON cannot hold is refused.
func TestN8_OffsetsWithSeconds(t *testing.T) {
	type stamp struct{ time.Time }
	type state struct {
		At  map[string]time.Time
		Own stamp
		Any any
	}
	codec, err := value.For[state]()
	noError(t, err)
	at := time.Date(1800, 1, 1, 0, 0, 0, 0, time.FixedZone("LMT", -17762))
	for _, tt := range []struct {
		path  string
		value state
	}{
		{`state.At["a"]`, state{At: map[string]time.Time{"a": at}}},
		{`state.Own`, state{Own: stamp{at}}},
		{`state.Any`, state{Any: at}},
		{`state.Any`, state{Any: stamp{at}}},
		{`state.Any`, state{Any: []time.Time{at}}},
		{`state.Any`, state{Any: map[string]any{"a": &at}}},
	} {
		_, err = codec.Finalize(&tt.value, new(value.Known), false, true)
		if err == nil || !strings.HasPrefix(err.Error(), tt.path) || !strings.Contains(err.Error(), "the offset of the time is -17762 seconds") {
			t.Errorf("%s: got %v", tt.path, err)
		}
	}
}
