package value_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/state"
)

type grown struct {
	Text string         `json:"text"`
	N    int            `json:"n,omitempty"`
	More map[string]any `json:"more,omitempty"`
}

// plainState and heldState have the same JSON.
type plainState struct {
	Title string           `json:"title"`
	List  []grown          `json:"list"`
	Map   map[string]grown `json:"map"`
	Ints  map[int]int      `json:"ints"`
}

type heldState struct {
	Title string                   `json:"title"`
	List  state.List[grown]        `json:"list"`
	Map   state.Map[string, grown] `json:"map"`
	Ints  state.Map[int, int]      `json:"ints"`
}

// both are a plain state and one with lists and maps of package state that have to stay alike.
type both struct {
	plain plainState
	held  heldState
}

func drawGrown(t *rapid.T) grown {
	g := grown{Text: rapid.StringMatching(`[a-c<é]{0,30}`).Draw(t, "text"), N: rapid.IntRange(0, 3).Draw(t, "n")}
	if rapid.Bool().Draw(t, "more") {
		g.More = map[string]any{rapid.StringMatching(`[ab]`).Draw(t, "key"): json.Number(fmt.Sprint(rapid.IntRange(0, 9).Draw(t, "value")))}
	}
	return g
}

// change does one drawn thing to both.
func (b *both) change(t *rapid.T) {
	key := rapid.StringMatching(`[a-f]{1,2}`)
	switch rapid.IntRange(0, 8).Draw(t, "what") {
	case 0:
		b.plain.Title += "x"
		b.held.Title += "x"
	case 1, 2:
		for range rapid.SampledFrom([]int{1, 1, 40}).Draw(t, "times") {
			g := drawGrown(t)
			b.plain.List, b.held.List = append(b.plain.List, g), b.held.List.Append(g)
		}
	case 3:
		if n := len(b.plain.List); n > 0 {
			i := rapid.IntRange(0, n-1).Draw(t, "i")
			g := b.held.List.At(i)
			if g.N++; rapid.Bool().Draw(t, "other") {
				g = drawGrown(t)
			}
			b.plain.List[i], b.held.List = g, b.held.List.Set(i, g)
		}
	case 4:
		to := rapid.IntRange(0, len(b.plain.List)).Draw(t, "to")
		from := rapid.IntRange(0, to).Draw(t, "from")
		b.plain.List, b.held.List = slices.Clone(b.plain.List[from:to]), b.held.List.Slice(from, to)
	case 5, 6:
		k, g := key.Draw(t, "key"), drawGrown(t)
		b.plain.Map[k], b.held.Map = g, b.held.Map.Set(k, g)
	case 7:
		k := key.Draw(t, "key")
		delete(b.plain.Map, k)
		b.held.Map = b.held.Map.Delete(k)
	case 8:
		k := rapid.IntRange(-30, 30).Draw(t, "key")
		b.plain.Ints[k]++
		n, _ := b.held.Ints.Get(k)
		b.held.Ints = b.held.Ints.Set(k, n+1)
	}
}

// empty reports whether something is empty: a plain list is then null or [], which a held one does not tell apart.
func (p *plainState) empty() bool { return len(p.List) == 0 || len(p.Map) == 0 || len(p.Ints) == 0 }

func (p *plainState) clone() *plainState {
	return &plainState{p.Title, slices.Clone(p.List), maps.Clone(p.Map), maps.Clone(p.Ints)}
}

// Whatever is done to lists and maps of package state, they are written as slices and maps are, the delta is the one
// that these get, and package journal makes the new JSON of the old one with it.
func TestJ7_PersistentDeltasAreThoseOfPlainValues(t *testing.T) {
	must := func(codec plan.Codec, err error) value.Changer {
		if err != nil {
			t.Fatal(err)
		}
		return codec.(value.Changer) //nolint:forcetypeassert // codecs of this package are
	}
	plainKeeps, heldKeeps := must(value.For[plainState]()), must(value.For[heldState]())
	rapid.Check(t, func(t *rapid.T) {
		b := both{plain: plainState{Map: map[string]grown{}, Ints: map[int]int{}}}
		var known [2]value.Known
		data, heldSnap, err := heldKeeps.Delta(nil, &b.held)
		if err != nil {
			t.Fatal(err)
		}
		doc := new(journal.Document)
		if err := doc.Apply(data); err != nil {
			t.Fatal(err)
		}
		_, plainSnap, err := plainKeeps.Delta(nil, &b.plain)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			before := b.plain.clone()
			for range rapid.IntRange(1, 3).Draw(t, "changes") {
				b.change(t)
			}
			if rapid.IntRange(0, 9).Draw(t, "reopen") == 0 { // so that nothing is shared with the snapshot
				text, err := heldKeeps.Encode(&b.held)
				if err != nil {
					t.Fatal(err)
				}
				back, err := heldKeeps.Decode(text)
				if err != nil {
					t.Fatal(err)
				}
				b.held = *back.(*heldState)
			}
			want, next, _, err := value.Change(plainKeeps, plainSnap, b.plain.clone(), &known[0])
			if err != nil {
				t.Fatal(err)
			}
			plainSnap = next
			node := b.held
			got, next, final, err := value.Change(heldKeeps, heldSnap, &node, &known[1])
			if err != nil {
				t.Fatal(err)
			}
			heldSnap = next
			if final != any(&node) {
				t.Fatalf("the value was copied")
			}
			if !before.empty() && !b.plain.empty() && string(got) != string(want) {
				t.Fatalf("delta %s, expected %s", got, want)
			}
			if len(got) > 0 {
				if err := doc.Apply(got); err != nil {
					t.Fatalf("delta %s: %v", got, err)
				}
			}
			text, err := heldKeeps.Encode(&b.held)
			if err != nil {
				t.Fatal(err)
			}
			var journaled, live any
			if err := json.Unmarshal(doc.JSON(), &journaled); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &live); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(live, journaled); diff != "" {
				t.Fatalf("after %s the journal holds (-want +got):\n%s", got, diff)
			}
			if plainText, err := plainKeeps.Encode(&b.plain); !b.plain.empty() && (err != nil || string(plainText) != string(text)) {
				t.Fatalf("written as %s, expected %s (%v)", text, plainText, err)
			}
			if diff := cmp.Diff(b.held, *heldSnap.(*heldState)); diff != "" {
				t.Fatalf("the snapshot (-want +got):\n%s", diff)
			}
		}
	})
}

// Elements are settled as they are put in, so that a look at the state finds nothing to do.
func TestN10_ElementsAreSettledWhenPutIn(t *testing.T) {
	type item struct {
		At   time.Time
		Text string
		Any  any
		List []int `json:",omitempty"`
	}
	codec, err := value.For[struct{ Items state.List[item] }]()
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	v := struct{ Items state.List[item] }{state.ListOf(item{at, "caf\xe9", map[string]int{"a": 1}, []int{}})}
	data, err := codec.Encode(&v)
	if err != nil {
		t.Fatal(err)
	}
	back, err := codec.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	want := back.(*struct{ Items state.List[item] }).Items.At(0)
	identicalIn(t, want, v.Items.At(0))
	var known value.Known
	if final, err := codec.Finalize(&v, &known, true, true); err != nil || final != any(&v) {
		t.Errorf("it became another value (%v)", err)
	}
}

func identicalIn[T any](t *testing.T, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(time.Location{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An element that cannot be stored is refused with its place, stored or not.
func TestN8_PersistentElementsThatCannotBeKept(t *testing.T) {
	type items struct {
		List state.List[any]
		Map  state.Map[string, any]
	}
	codec, err := value.For[items]()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		v    items
		want string
	}{
		{items{List: state.ListOf[any](1, "x", make(chan int))}, `items.List[2]: a channel has no JSON form`},
		{items{Map: state.Map[string, any]{}.Set("a", map[string]any{"f": func() {}})}, `items.Map["a"]["f"]: a function has no JSON form`},
	} {
		var known value.Known
		if _, err := codec.Finalize(&tt.v, &known, true, true); err == nil || err.Error() != tt.want {
			t.Errorf("got %v, expected %s", err, tt.want)
		}
		if _, err := codec.Encode(&tt.v); err == nil || err.Error() != tt.want {
			t.Errorf("got %v, expected %s", err, tt.want)
		}
	}
	for want, err := range map[string]error{
		"List: a state.List[uint8] would be one text in JSON: use []uint8": errorOf[struct{ List state.List[byte] }](),
		"List[]: a channel has no JSON form":                               errorOf[struct{ List state.List[chan int] }](),
		"Map: keys of type value_test.spoken write or read themselves, and those of a state.Map[github.com/fermata-go/fermata/internal/value_test.spoken,int] do not: use a type without MarshalText and UnmarshalText": errorOf[struct {
			Map state.Map[spoken, int]
		}](),
	} {
		if err == nil || fmt.Sprint(err) != "struct { "+want && !contains(err.Error(), want) {
			t.Errorf("got %v, expected %s", err, want)
		}
	}
}

type spoken string

func (spoken) MarshalText() ([]byte, error) { return nil, nil }

func contains(s, part string) bool { return len(s) >= len(part) && s[len(s)-len(part):] == part }
