package canonical_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/internal/canonical"
)

type stamped struct{ time.Time }

type inner struct{ At *time.Time }

type deep struct {
	List  []time.Time
	Array [1]time.Time
	Map   map[string]inner
	Keys  map[time.Time]string
	Own   stamped
	inner
	Next *deep
	Any  any
}

// Times are read the same, whatever the zone of the machine.
func TestN10_TimesAreReadTheSameInEveryZone(t *testing.T) {
	york, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Skip("no zones here:", err)
	}
	text := strings.ReplaceAll(`{"List":[T],"Array":[T],"Map":{"a":{"At":T}},"Keys":{T:"k"},"Own":T,"At":T,
		"Next":{"List":[T],"Array":[T],"Own":T},"Any":[1]}`, "T", `"2026-03-07T12:00:00-05:00"`)
	read := func(local *time.Location) (d deep) {
		was := time.Local
		time.Local = local
		defer func() { time.Local = was }()
		if err := canonical.Decode([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	in, out := read(york), read(time.UTC)
	if !reflect.DeepEqual(in, out) {
		t.Errorf("read in New York, and in UTC:\n%+v\n%+v", in, out)
	}
	for _, d := range []*deep{&in, &out} {
		for name, at := range map[string]time.Time{
			"list": d.List[0], "array": d.Array[0], "map": *d.Map["a"].At, "own": d.Own.Time, "embedded": *d.At, "next": d.Next.List[0],
		} {
			if !canonical.IsTime(at) || at.AddDate(0, 0, 1).Format(time.RFC3339) != "2026-03-08T12:00:00-05:00" {
				t.Errorf("%s: %v, a day later %v", name, at, at.AddDate(0, 0, 1))
			}
		}
		for at := range d.Keys {
			if !canonical.IsTime(at) {
				t.Errorf("key %v in %v", at, at.Location())
			}
		}
	}
	for _, at := range []time.Time{time.Now(), in.List[0].In(york), time.Now().In(time.FixedZone("", 0))} {
		if canonical.IsTime(at) || !canonical.IsTime(canonical.Time(at)) || !canonical.Time(at).Equal(at) {
			t.Errorf("%v becomes %v", at, canonical.Time(at))
		}
	}
}

func TestN8_KeysThatBecomeOne(t *testing.T) {
	_, err := canonical.Marshal(map[string]any{"in/side": []any{0, map[string]int{"\xff": 1, "\xfe": 2}}}, 0)
	if err == nil || !strings.HasPrefix(err.Error(), "/in~1side/1/\ufffd: two keys") {
		t.Errorf("got %v", err)
	}
	for _, fine := range []any{
		map[string]int{"\xff": 1, "a": 2},
		map[string]string{"\xff": "\xff", "x": "\xff"},
		[]string{"\xff", "\xff"},
		`\ufffd\ufffd`,
		[]map[string]int{{"\xff": 1}, {"\xfe": 1}},
	} {
		if _, err := canonical.Marshal(fine, 0); err != nil {
			t.Errorf("%q: %v", fine, err)
		}
	}
}

type (
	own     string
	twoOf   struct{ A, B int }
	renamed struct {
		A string `json:"b"`
		B int    `json:"c"`
	}
)

func (own) MarshalText() ([]byte, error) { return []byte("own"), nil }

func TestPlain(t *testing.T) {
	text, bad, yes, n := "ok", "\xff", true, uint8(1)
	for _, v := range []any{&text, &yes, &n, new(3.5), &twoOf{1, 2}, &renamed{"x", 1}, new(own("x")), new(time.Second)} {
		if _, is := v.(*own); canonical.Plain(v) == is {
			t.Errorf("%T: %v", v, canonical.Plain(v))
		}
	}
	for _, v := range []any{
		&bad, &renamed{"\xff", 1}, new([]int), new(map[string]int), new(any), new(*int), new(time.Now()), new(json.Number("1")),
		&struct{ a int }{1}, &struct {
			A int `json:"-"`
		}{1}, &struct {
			A float64 `json:",omitempty"`
		}{1}, &struct{ twoOf }{twoOf{1, 2}},
	} {
		if canonical.Plain(v) {
			t.Errorf("%T is plain", v)
		}
	}
}

func TestText(t *testing.T) {
	for _, s := range []string{"", "plain", "caf\u00e9", "caf\xe9", "\xff\xfe\ufffd", "\xed\xa0\x80"} {
		data, err := json.Marshal(s)
		var want string
		if err == nil {
			err = json.Unmarshal(data, &want)
		}
		if err != nil || canonical.Text(s) != want {
			t.Errorf("%q becomes %q, expected %q (%v)", s, canonical.Text(s), want, err)
		}
	}
}
