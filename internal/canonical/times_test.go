package canonical_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/internal/canonical"
)

type day struct{ time.Time }

func (d day) MarshalJSON() ([]byte, error) { return json.Marshal(d.Format(time.DateOnly)) }

type hidden struct {
	At   time.Time  `json:"-"`
	Zero time.Time  `json:",omitzero"`
	None *time.Time `json:",omitempty"`
	List []time.Time
}

// A time whose offset has seconds is refused, wherever it is, and with the path to it: JSON would write another moment.
func TestN10_TimesWithSecondsInTheirOffsetAreRefused(t *testing.T) {
	local := time.FixedZone("LMT", 53*60+28)
	odd := time.Date(1890, 1, 1, 0, 0, 0, 0, local)
	for _, tt := range []struct {
		value any
		path  string // "-" where it is kept
	}{
		{odd, ""},
		{&odd, ""},
		{stamped{odd}, ""},
		{[]time.Time{{}, odd}, "/1"},
		{[1]stamped{{odd}}, "/0"},
		{map[string]any{"a": []any{1, inner{&odd}}}, "/a/1/At"},
		{map[time.Time]int{odd: 1}, ""},
		{map[string]time.Time{"a/b": odd}, "/a~1b"},
		{deep{Next: &deep{Any: odd}}, "/Next/Any"},
		{deep{inner: inner{&odd}}, "/At"},
		{&hidden{List: []time.Time{odd}}, "/List/0"},
		{odd.UTC(), "-"},
		{odd.In(time.FixedZone("", 3600)), "-"},
		{day{odd}, "-"},
		{deep{}, "-"},
		{hidden{At: odd, Zero: time.Time{}.In(local)}, "-"},
		{map[string]any{"a": nil, "b": "c", "d": []any{nil, json.Number("1")}}, "-"},
		{nil, "-"},
	} {
		_, err := canonical.Marshal(tt.value, 0)
		want := "the offset of the time is 3208 seconds, which JSON cannot hold: expected whole minutes; call UTC()"
		if tt.path != "" {
			want = tt.path + ": " + want
		}
		if tt.path == "-" && err != nil || tt.path != "-" && (err == nil || err.Error() != want) {
			t.Errorf("%#v gives %v, want %s", tt.value, err, want)
		}
	}
}

// words writes itself where its address is known.
type words struct{ text string }

func (w *words) MarshalJSON() ([]byte, error) {
	if w.text == "bad" {
		return nil, errors.New("bad words")
	}
	return json.Marshal(strings.Fields(w.text))
}

func (w *words) UnmarshalJSON(data []byte) error {
	var list []string
	err := json.Unmarshal(data, &list)
	w.text = strings.Join(list, " ")
	return err
}

type says struct{ First, Second words }

// Methods with a pointer receiver are called for values as for their addresses.
func TestN8_MethodsOfTheAddressAreCalled(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  string
	}{
		{words{"a b"}, `["a","b"]`},
		{&words{"a b"}, `["a","b"]`},
		{says{words{"a"}, words{"b c"}}, `{"First":["a"],"Second":["b","c"]}`},
		{[2]says{{}, {Second: words{"d"}}}, `[{"First":[],"Second":[]},{"First":[],"Second":["d"]}]`},
		{[]words{{"a"}}, `[["a"]]`},
		{(*words)(nil), `null`},
	} {
		if data, err := canonical.Marshal(tt.value, 0); err != nil || string(data) != tt.want {
			t.Errorf("%#v gives %s, %v, want %s", tt.value, data, err, tt.want)
		}
	}
	if _, err := canonical.Marshal(says{Second: words{"bad"}}, 0); err == nil {
		t.Error("the error of the method is lost")
	}
}
