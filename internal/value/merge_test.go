package value_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/internal/value"
	"github.com/fermata-go/fermata/plan"
)

type address struct {
	City   string `json:"city"`
	Street string `json:"street"`
}

type Audit struct {
	By   string `json:"by"`
	Note string `json:"note,omitempty"`
}

type label[T any] struct {
	Value T   `json:"value"`
	Votes int `json:"votes" merge:"sum"`
}

// merged has a field of every kind; those of the second half have rules.
type merged struct {
	Title  string  `json:"title"`
	Count  int     `json:"count"`
	Ratio  float64 `json:"ratio"`
	Done   bool    `json:"done"`
	Home   address `json:"home"`
	Work   *address
	Tags   []string          `json:"tags"`
	Labels map[string]string `json:"labels"`
	Any    any               `json:"any"`
	At     time.Time         `json:"at,omitzero"`
	Topic  label[[]string]   `json:"topic"`
	Tree   *tree             `json:"tree,omitempty"`
	*Audit

	Log    []string            `json:"log" merge:"append"`
	Calls  []call              `json:"calls" merge:"append"`
	Seen   []string            `json:"seen" merge:"union"`
	Index  map[string][]string `json:"index" merge:"union"`
	Byte   int8                `json:"byte" merge:"sum"`
	Units  uint64              `json:"units" merge:"sum"`
	Cost   float64             `json:"cost" merge:"sum"`
	Spent  *int                `json:"spent" merge:"sum"`
	High   int                 `json:"high" merge:"max"`
	Low    string              `json:"low" merge:"min"`
	Latest time.Time           `json:"latest" merge:"max"`
	Oldest *time.Time          `json:"oldest" merge:"min"`
	Due    time.Time           `json:"due,omitzero" merge:"min"`
	Pick   address             `json:"pick" merge:"first"`
	Final  map[string]int      `json:"final" merge:"last"`
	Bag    any                 `json:"bag" merge:"union"`
	Exact  json.Number         `json:"exact" merge:"sum"`
}

func mergedCodec(t testing.TB) plan.Codec {
	t.Helper()
	codec, err := value.For[merged]()
	if err != nil {
		t.Fatal(err)
	}
	return codec
}

func start() *merged {
	five, at := 5, time.Unix(100, 0).UTC()
	return &merged{
		Title: "t", Work: &address{City: "c"}, Tags: []string{"a"}, Labels: map[string]string{"k": "v"},
		Any: map[string]any{"x": json.Number("1")}, Audit: &Audit{By: "me"}, Log: []string{"1", "2"}, Seen: []string{"a", "b"},
		Index: map[string][]string{"a": {"x"}, "b": {"y"}}, Byte: 100, Units: 3, Cost: 0.5, Spent: &five, High: 10, Low: "m",
		Latest: at, Oldest: &at, Due: at, Final: map[string]int{"a": 1}, Bag: []any{"p"}, Exact: "1",
	}
}

type edits []func(*merged)

// Changes that each find their way into the result.
func TestG4_whatBranchesChanged(t *testing.T) {
	seven, early, late := 7, time.Unix(50, 0).UTC(), time.Unix(200, 0).UTC()
	tests := []struct {
		name  string
		edits edits
		want  func(*merged)
	}{
		{"nothing", edits{func(*merged) {}, func(*merged) {}}, func(*merged) {}},
		{
			"different fields",
			edits{
				func(s *merged) { s.Title = "x" }, func(s *merged) { s.Count = 3 }, func(s *merged) { s.Ratio = -1 },
				func(s *merged) { s.Done = true }, func(s *merged) { s.Any = nil },
			},
			func(s *merged) { s.Title, s.Count, s.Ratio, s.Done, s.Any = "x", 3, -1, true, nil },
		},
		{
			"fields of one struct",
			edits{func(s *merged) { s.Home.City = "x" }, func(s *merged) { s.Home.Street = "y" }},
			func(s *merged) { s.Home = address{"x", "y"} },
		},
		{
			"fields behind a pointer",
			edits{func(s *merged) { s.Work.City = "x" }, func(s *merged) { s.Work.Street = "y" }},
			func(s *merged) { s.Work = &address{"x", "y"} },
		},
		{
			"fields of a type with parameters",
			edits{func(s *merged) { s.Topic.Votes = 2 }, func(s *merged) { s.Topic = label[[]string]{[]string{"n"}, 3} }},
			func(s *merged) { s.Topic = label[[]string]{[]string{"n"}, 5} },
		},
		{
			"fields of an embedded struct",
			edits{func(s *merged) { s.By = "x" }, func(s *merged) { s.Note = "y" }},
			func(s *merged) { s.Audit = &Audit{"x", "y"} },
		},
		{
			"an embedded struct goes",
			edits{func(s *merged) { s.Count = 1 }, func(s *merged) { s.Audit = nil }},
			func(s *merged) { s.Count, s.Audit = 1, nil },
		},
		{"a list, by one", edits{func(*merged) {}, func(s *merged) { s.Tags = nil }}, func(s *merged) { s.Tags = nil }},
		{
			"append",
			edits{func(s *merged) { s.Log = append(s.Log, "a") }, func(s *merged) { s.Log = append(s.Log, "b", "c") }},
			func(s *merged) { s.Log = []string{"1", "2", "a", "b", "c"} },
		},
		{
			"append to nothing",
			edits{func(s *merged) { s.Calls = []call{{Tool: "x"}} }, func(s *merged) { s.Calls = []call{} }},
			func(s *merged) { s.Calls = []call{{Tool: "x"}} },
		},
		{
			"union of lists",
			edits{func(s *merged) { s.Seen = []string{"b", "c", "d"} }, func(s *merged) { s.Seen = []string{"a", "b", "d", "e"} }},
			func(s *merged) { s.Seen = []string{"b", "c", "d", "e"} },
		},
		{
			"union of maps",
			edits{
				func(s *merged) { delete(s.Index, "a"); s.Index["c"] = []string{"z"} },
				func(s *merged) { s.Index["b"] = nil; s.Index["c"] = []string{"z"} },
			},
			func(s *merged) { s.Index = map[string][]string{"b": nil, "c": {"z"}} },
		},
		{
			"union in an interface",
			edits{func(s *merged) { s.Bag = []any{"p", 1} }, func(s *merged) { s.Bag = []string{"q"} }},
			func(s *merged) { s.Bag = []any{1, "q"} },
		},
		{
			"sums",
			edits{
				func(s *merged) { s.Byte, s.Units, s.Cost, s.Spent, s.Exact = 127, 1, 1, nil, "10" },
				func(s *merged) { s.Byte, s.Units, s.Cost, s.Spent, s.Exact = 50, 4, 2, &seven, "100000000000000000000" },
			},
			func(s *merged) {
				two := 2
				s.Byte, s.Units, s.Cost, s.Spent, s.Exact = 77, 2, 2.5, &two, "100000000000000000009"
			},
		},
		{
			"the largest and smallest",
			edits{
				func(s *merged) { s.High, s.Low, s.Latest, s.Oldest = 3, "b", late, &late },
				func(s *merged) { s.High, s.Low, s.Latest, s.Oldest = 4, "a", early, &early },
				func(s *merged) { s.High, s.Low, s.Oldest = 2, "c", nil },
			},
			func(s *merged) { s.High, s.Low, s.Latest, s.Oldest = 4, "a", late, &early },
		},
		{
			"the first and last",
			edits{
				func(*merged) {}, func(s *merged) { s.Pick.City, s.Final = "1", nil },
				func(s *merged) { s.Pick.Street, s.Final = "2", map[string]int{"b": 2} }, func(*merged) {},
			},
			func(s *merged) { s.Pick.City, s.Final = "1", map[string]int{"b": 2} },
		},
	}
	codec := mergedCodec(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base := start()
			var branches []any
			for _, edit := range tt.edits {
				b := start()
				edit(b)
				branches = append(branches, b)
			}
			got, err := codec.Merge(base, branches)
			noError(t, err)
			want := start()
			tt.want(want)
			same(t, "the result", marshal(t, want), marshal(t, got))
			same(t, "the base", marshal(t, start()), marshal(t, base))
		})
	}
}

const (
	anyRule  = `nothing says what to take; declare a rule on the field: merge:"append|edit|union|sum|max|min|first|last"`
	textRule = `nothing says what to take; declare a rule on the field: merge:"max|min|first|last"`
	someRule = `nothing says what to take; declare a rule on the field: merge:"first|last"`
)

func conflict(field, reason string, branches ...int) *plan.MergeConflictError {
	return &plan.MergeConflictError{Field: field, Branches: branches, Reason: reason}
}

// What cannot be merged is reported in full, and in the order of the fields.
func TestG4_conflicts(t *testing.T) {
	prefix := `merge:"append" takes what is added behind the elements that were there at the fork, ` +
		`and some of those were changed or removed: only add, or use another rule`
	apart := `merge:"union" takes what is the same in all of them, and they gave this member different values: ` +
		`give it the same, let one branch write it, or use another rule`
	tests := []struct {
		name  string
		edits edits
		want  plan.MergeConflictsError
	}{
		{
			"the same value is a conflict all the same",
			edits{func(s *merged) { s.Done = true }, func(s *merged) { s.Done = true }},
			plan.MergeConflictsError{conflict("done", someRule, 0, 1)},
		},
		{
			"all of them, in order",
			edits{
				func(s *merged) { s.Any, s.Home.Street, s.Title = 1, "x", "1" },
				func(*merged) {},
				func(s *merged) { s.Title, s.Home, s.Any, s.Tags = "1", address{"y", "y"}, 2, nil },
				func(s *merged) { s.Tags, s.Any = append(s.Tags, "b"), 3 },
			},
			plan.MergeConflictsError{
				conflict("title", textRule, 0, 2), conflict("home.street", textRule, 0, 2),
				conflict("tags", strings.Replace(someRule, "first", "append|edit|union|first", 1), 2, 3), conflict("any", anyRule, 0, 2, 3),
			},
		},
		{
			"a pointer that becomes nil",
			edits{func(s *merged) { s.Work = nil }, func(s *merged) { s.Work.City = "x" }},
			plan.MergeConflictsError{conflict("Work", someRule, 0, 1)},
		},
		{
			"a field of a struct that one removed",
			edits{func(s *merged) { s.Note = "x" }, func(s *merged) { s.Audit = nil }, func(s *merged) { s.Log = nil }, func(s *merged) { s.Log = nil }},
			plan.MergeConflictsError{
				conflict("by", "one of them removed the embedded struct that it is in, where another changed it", 0, 1),
				conflict("log", prefix, 2, 3),
			},
		},
		{
			"append changes what was there",
			edits{func(s *merged) { s.Log[1] = "x" }, func(s *merged) { s.Log = append(s.Log, "3") }},
			plan.MergeConflictsError{conflict("log", prefix, 0, 1)},
		},
		{
			"members of a union",
			edits{
				func(s *merged) { s.Index["c"], s.Index["a"] = []string{"1"}, nil },
				func(s *merged) { s.Index["c"] = []string{"2"}; delete(s.Index, "a") },
				func(s *merged) { s.Index["c"] = []string{"1"} },
			},
			plan.MergeConflictsError{conflict("index.a", apart, 0, 1), conflict("index.c", apart, 0, 1, 2)},
		},
		{
			"sums that do not fit",
			edits{
				func(s *merged) { s.Byte, s.Units, s.Cost = 127, math.MaxUint64, math.MaxFloat64 },
				func(s *merged) { s.Byte, s.Units, s.Cost = 101, 4, math.MaxFloat64 },
			},
			plan.MergeConflictsError{
				conflict("byte", `merge:"sum" gives a number that does not fit the type int8: use a larger one`, 0, 1),
				conflict("units", `merge:"sum" gives a number that does not fit the type uint64: use a larger one`, 0, 1),
				conflict("cost", `merge:"sum" gives a number that does not fit the type float64`, 0, 1),
			},
		},
		{
			"values that are not for the rule",
			edits{func(s *merged) { s.Bag = "x" }, func(s *merged) { s.Bag = map[string]any{} }},
			plan.MergeConflictsError{conflict("bag", `merge:"union" needs lists or objects, all of one kind, found list, object, string`, 0, 1)},
		},
	}
	codec := mergedCodec(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base := start()
			var branches []any
			for _, edit := range tt.edits {
				b := start()
				edit(b)
				branches = append(branches, b)
			}
			_, err := codec.Merge(base, branches)
			if diff := cmp.Diff(error(tt.want), err); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			same(t, "the base", marshal(t, start()), marshal(t, base))
		})
	}
}

// Embedded pointers that a branch sets, and what is behind the same pointer twice.
func TestG4_embeddedPointersAndSharedOnes(t *testing.T) {
	type state struct {
		*Audit `fermata:"transient"`
		*Extra `fermata:"transient"`
		N      int
		P, Q   *address
	}
	codec, err := value.For[state]()
	noError(t, err)
	shared := &address{City: "c"}
	got, err := codec.Merge(
		&state{P: &address{City: "c"}, Q: &address{City: "c"}},
		[]any{
			&state{Audit: &Audit{"x", "y"}, P: shared, Q: shared},
			&state{Extra: &Extra{Note: "", Deep: &Deep{map[string]int{"a": 1}}}, P: &address{City: "c", Street: "s"}, Q: &address{City: "c"}},
			&state{N: 2, P: &address{City: "d"}, Q: &address{City: "c"}},
		})
	noError(t, err)
	want := &state{
		Audit: &Audit{By: "x"}, Extra: &Extra{Deep: &Deep{map[string]int{"a": 1}}}, N: 2,
		P: &address{"d", "s"}, Q: &address{City: "c"},
	}
	same(t, "the result", marshal(t, want), marshal(t, got))
}

type (
	badRule struct {
		Sub struct {
			Log []string `merge:"apend"`
		}
	}
	badFit struct {
		N []*struct {
			Log *bool `merge:"sum"`
		}
	}
	onIgnored struct {
		N int `json:"-" merge:"sum"`
	}
	onHidden struct {
		n int `merge:"sum"` //nolint:unused // that is the point
	}
	onEmbed struct {
		Audit `merge:"first"`
	}
	onBytes struct {
		B []byte `merge:"append"`
	}
	onCoded struct {
		P panics `merge:"max"`
	}
)

func TestG4_rulesThatDoNotFit(t *testing.T) {
	tests := []struct {
		err  error
		want *value.Error
	}{
		{errorOf[badRule](), &value.Error{Path: "badRule.Sub.Log", Reason: `no merge rule "apend": expected append, edit, union, sum, ` +
			`max, min, first or last; did you mean "append"?`}},
		{errorOf[badFit](), &value.Error{Path: "badFit.N[].Log", Reason: `the merge rule "sum" does not fit a *bool: expected first or last`}},
		{errorOf[onIgnored](), &value.Error{Path: "onIgnored.N", Reason: `the merge rule "sum" is on a field that encoding/json ` +
			`does not write: export it, or remove the rule`}},
		{errorOf[onHidden](), &value.Error{Path: "onHidden.n", Reason: `the merge rule "sum" is on a field that encoding/json ` +
			`does not write: export it, or remove the rule`}},
		{errorOf[onEmbed](), &value.Error{Path: "onEmbed.Audit", Reason: `the merge rule "first" is on an embedded struct, whose ` +
			`fields are merged one by one: put it on those fields, or give the struct a JSON name`}},
		{errorOf[onBytes](), &value.Error{Path: "onBytes.B", Reason: `the merge rule "append" does not fit a []uint8: expected first or last`}},
		{errorOf[onCoded](), &value.Error{Path: "onCoded.P", Reason: `the merge rule "max" does not fit a value_test.panics: expected first or last`}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(error(tt.want), tt.err); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	_, err := value.Dynamic().WithRules(map[string]string{"b/c": "sums", "a": "first"})
	want := &value.Error{Path: "/b~1c", Reason: `no merge rule "sums": expected append, edit, union, sum, max, min, first or last; did you mean "sum"?`}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestG4_objects(t *testing.T) {
	rules := map[string]string{"log": "append", "seen": "union", "sum": "sum", "max": "max", "min": "min", "first": "first", "last": "last"}
	tests := []struct {
		name, base string
		branches   []string
		want       string
	}{
		{"nothing", `{"a":1}`, []string{`{"a":1}`, `{"a":1}`}, `{"a":1}`},
		{"new, changed and removed", `{"a":1,"b":2,"c":[1]}`, []string{`{"a":1,"b":2,"c":[1],"d":4}`, `{"a":5,"b":2,"c":[1]}`, `{"a":1,"c":[1]}`}, `{"a":5,"c":[1],"d":4}`},
		{"rules where nothing was", `{}`, []string{`{"log":[1],"seen":{"a":1},"sum":1,"max":"a"}`, `{"log":[2],"seen":{"b":1},"sum":2,"max":"b"}`}, `{"log":[1,2],"max":"b","seen":{"a":1,"b":1},"sum":3}`},
		{"append", `{"log":[{"a":1}]}`, []string{`{"log":[{"a":1},2]}`, `{"log":[{"a":1},2,3]}`}, `{"log":[{"a":1},2,2,3]}`},
		{"union", `{"seen":[{"a":1},2]}`, []string{`{"seen":[{"a":1},3]}`, `{"seen":[2,{"a":1},4,3]}`}, `{"seen":[{"a":1},3,4]}`},
		{"sums", `{"sum":0.5}`, []string{`{"sum":2}`, `{"sum":1.5}`, `{"sum":null}`}, `{"sum":2.5}`},
		{"both removed it", `{"max":1,"log":[],"sum":1,"first":1}`, []string{`{}`, `{}`}, `{}`},
		{"one removed it", `{"max":1,"first":1,"last":1}`, []string{`{"max":2,"first":2,"last":2}`, `{}`}, `{"first":2,"max":2}`},
		{"numbers in order", `{"max":1,"min":1}`, []string{`{"max":9,"min":-2}`, `{"max":10,"min":-1.5}`}, `{"max":10,"min":-2}`},
		{"a conflict", `{}`, []string{`{"z":1,"b":[],"max":[],"log":[1],"sum":1e999}`, `{"b":[],"z":1,"max":1,"log":2,"sum":1}`}, `5 fields cannot be merged:
  field "b" was changed by branches 0 and 1: nothing says what to take; declare a rule on the field: merge:"append|edit|union|first|last"
  field "log" was changed by branches 0 and 1: merge:"append" needs lists, found list, number
  field "max" was changed by branches 0 and 1: merge:"max" needs numbers or strings, all of one kind, found list, number
  field "sum" was changed by branches 0 and 1: merge:"sum" has numbers to add that are too large to calculate with
  field "z" was changed by branches 0 and 1: nothing says what to take; declare a rule on the field: merge:"sum|max|min|first|last"`},
	}
	codec, err := value.Dynamic().WithRules(rules)
	noError(t, err)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base, branches := decodeAll(t, codec, []byte(tt.base), tt.branches)
			got, err := codec.Merge(base, branches)
			if conflicts, ok := errors.AsType[plan.MergeConflictsError](err); ok {
				same(t, "the error", []byte(tt.want), []byte(conflicts.Error()))
			} else {
				noError(t, err)
				same(t, "the result", []byte(tt.want), marshal(t, got))
			}
			same(t, "the base", canonical(t, []byte(tt.base)), marshal(t, base))
		})
	}
}

func decodeAll(t failer, codec plan.Codec, base []byte, branches []string) (from any, of []any) {
	from, err := codec.Decode(base)
	noError(t, err)
	for _, text := range branches {
		v, err := codec.Decode([]byte(text))
		noError(t, err)
		of = append(of, v)
	}
	return from, of
}

// Values that cannot be merged at all.
func TestN8_valuesThatCannotBeMerged(t *testing.T) {
	codec := mergedCodec(t)
	base, b := start(), start()
	bad := start()
	bad.Cost, b.Cost = math.NaN(), 1
	tests := []struct {
		name     string
		codec    plan.Codec
		base     any
		branches []any
		want     string
	}{
		{"another type", codec, base, []any{start(), 1}, "branch 1: merged: expected a *value_test.merged, found int"},
		{"the base itself", codec, base, []any{base}, "branch 0: merged: the value is the one at the fork: changes cannot be seen"},
		{"one value twice", codec, base, []any{b, b}, "branch 1: merged: the value is that of branch 0: expected one of its own"},
		{"not a number", codec, base, []any{b, bad}, "branch 1: merged.Cost: NaN has no JSON form: expected a finite number"},
		{"no base", codec, nil, nil, "merged: expected a *value_test.merged, found nil"},
		{
			"a channel in an object", value.Dynamic(),
			map[string]any{"c": nil},
			[]any{map[string]any{"x": 1}, map[string]any{"c": make(chan int)}},
			"branch 1: /c: a channel has no JSON form",
		},
	}
	for _, tt := range tests {
		if _, err := tt.codec.Merge(tt.base, tt.branches); err == nil || err.Error() != tt.want {
			t.Errorf("%s: want %q, got %v", tt.name, tt.want, err)
		}
	}
	copied, err := codec.Merge(base, nil)
	noError(t, err)
	same(t, "the merge of no branches", marshal(t, base), marshal(t, copied))
	if copied == any(base) {
		t.Error("the merge of no branches is the base itself")
	}
	pick, err := value.For[panics]()
	noError(t, err)
	if _, err := pick.Merge(&panics{}, []any{&panics{}, &panics{on: true}}); err == nil || err.Error() != "branch 1: panics: its own code panicked: boom" {
		t.Errorf("a method that panics: %v", err)
	}
}
