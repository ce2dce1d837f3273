package loss_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/fermata-go/fermata/internal/loss"
)

// Coins is a type that another one may embed.
type Coins struct{ Amount int }

type (
	cents  struct{ Amount int }
	pennys struct{ Amount int }
	tree   struct {
		Amount   int
		Children []tree
	}
	forest struct {
		Amount   int
		Children []forest
	}
	spoken  struct{ Amount int }
	spoken2 struct{ Amount int }
)

func (*spoken) UnmarshalJSON([]byte) error  { return nil }
func (*spoken2) UnmarshalJSON([]byte) error { return nil }

// Types that read the same JSON have one shape, whatever they are called; a field of another name or type makes another one.
func TestJ8_AShapeTellsWhatATypeReads(t *testing.T) {
	for _, tt := range []struct {
		a, b reflect.Type
		same bool
	}{
		{reflect.TypeFor[cents](), reflect.TypeFor[pennys](), true},
		{reflect.TypeFor[tree](), reflect.TypeFor[forest](), true},
		{reflect.TypeFor[any](), reflect.TypeFor[json.RawMessage](), true},
		{reflect.TypeFor[cents](), reflect.TypeFor[struct{ Total int }](), false},
		{reflect.TypeFor[cents](), reflect.TypeFor[struct{ Amount int64 }](), false},
		{reflect.TypeFor[cents](), reflect.TypeFor[struct{ Amount []int }](), false},
		{reflect.TypeFor[cents](), reflect.TypeFor[struct {
			Amount int `json:"amount"`
		}](), false},
		{reflect.TypeFor[cents](), reflect.TypeFor[tree](), false},
		{reflect.TypeFor[cents](), reflect.TypeFor[spoken](), false},
		{reflect.TypeFor[spoken](), reflect.TypeFor[spoken2](), false},
		{reflect.TypeFor[struct{ At time.Time }](), reflect.TypeFor[struct{ At string }](), false},
		{reflect.TypeFor[[2]int](), reflect.TypeFor[[3]int](), false},
		{reflect.TypeFor[map[string]int](), reflect.TypeFor[map[int]int](), false},
		{reflect.TypeFor[*cents](), reflect.TypeFor[**cents](), false},
		{reflect.TypeFor[cents](), reflect.TypeFor[any](), false},
		{reflect.TypeFor[struct{ Coins }](), reflect.TypeFor[struct{ Coins Coins }](), false},
	} {
		a, b := loss.Shape(tt.a), loss.Shape(tt.b)
		if (a == b) != tt.same {
			t.Errorf("%v has the shape %q and %v %q; the same should be %t", tt.a, a, tt.b, b, tt.same)
		}
	}
	if got := loss.Shape(reflect.TypeFor[map[string]any]()); got != "" {
		t.Errorf("a type that keeps everything has the shape %q", got)
	}
}
