package loss_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/internal/canonical"
	_ "github.com/fermata-go/fermata/internal/lawtest" // draws the same cases in each run
	"github.com/fermata-go/fermata/internal/loss"
)

// A value that turns into zero, or into another number, is lost; another form of it is not.
func TestJ8_WhatATypeLosesIsFound(t *testing.T) {
	for _, tt := range []struct {
		name, was, is string
		want          []loss.Lost
	}{
		{"a renamed field", `{"amount":120}`, `{"Total":0}`, []loss.Lost{{Path: "amount", Gone: true, Near: "Total"}}},
		{"a field that held zero", `{"amount":0,"list":[],"in":{"x":""}}`, `{"Total":0}`, nil},
		{"a new field", `{"amount":120}`, `{"amount":120,"Total":0}`, nil},
		{"an object in an object", `{"in":{"deep":{"x":3}}}`, `{}`, []loss.Lost{{Path: "in", Gone: true}}},
		{"objects that hold nothing", `{"in":{"deep":{"x":0}}}`, `{}`, nil},
		{"a nested field", `{"in":[{"price":3}]}`, `{"in":[{"cost":0}]}`, []loss.Lost{{Path: "in.0.price", Gone: true, Near: "cost"}}},
		{"other letters", `{"Amount":120}`, `{"amount":120}`, nil},
		{"a number as a float", `{"n":9007199254740993}`, `{"n":9007199254740992}`, []loss.Lost{{Path: "n"}}},
		{"a number in another form", `{"n":100.0}`, `{"n":1e2}`, nil},
		{"a time in UTC", `{"at":"2024-01-01T01:00:00+01:00"}`, `{"at":"2024-01-01T00:00:00Z"}`, nil},
		{"a text that is read as nothing", `{"at":"x"}`, `{"at":""}`, []loss.Lost{{Path: "at"}}},
		{"a shorter list", `[1,2,3]`, `[1,2]`, []loss.Lost{{Path: ""}}},
		{"an object as a text", `{"d":{"s":3}}`, `{"d":"3s"}`, nil},
		{"a large number as a float", `1000000000000000000001`, `1e+21`, []loss.Lost{{}}},
		{"a large float as a number", `1e+21`, `1000000000000000000000`, nil},
		{"a fraction of too many digits", `0.1000000000000000055`, `0.1`, nil},
		{"numbers in a list", `[1,9007199254740993]`, `[1,9007199254740992]`, []loss.Lost{{Path: "1"}}},
		{"a longer list", `{"a":[1,2]}`, `{"a":[1,2,0]}`, []loss.Lost{{Path: "a"}}},
		{"null as a number", `{"n":null}`, `{"n":0}`, []loss.Lost{{Path: "n"}}},
		{"null as a text", `[null]`, `[""]`, []loss.Lost{{Path: "0"}}},
		{"null as an object", `null`, `{"n":0}`, []loss.Lost{{}}},
		{"null as a list", `null`, `[0,0]`, []loss.Lost{{}}},
		{"null as an empty list", `{"n":null,"m":null}`, `{"n":[],"m":{}}`, nil},
		{"null that is left out", `{"n":null}`, `{}`, nil},
		{"an object as nothing", `{"d":{"s":3}}`, `{"d":null}`, []loss.Lost{{Path: "d"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := loss.Of([]byte(tt.was), []byte(tt.is))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The value that a type keeps whole loses nothing; without any of its fields it loses each that holds something.
func TestJ8_LossesOfDrawnFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		was := make(map[string]int)
		for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,4}`), 1, 6, rapid.ID).Draw(t, "names") {
			was[name] = rapid.IntRange(0, 2).Draw(t, name)
		}
		kept := make(map[string]int)
		var want []string
		for name, n := range was {
			if rapid.Bool().Draw(t, "keep "+name) {
				kept[name] = n
			} else if n != 0 {
				want = append(want, name)
			}
		}
		older, _ := json.Marshal(was)
		newer, _ := json.Marshal(kept)
		lost, err := loss.Of(older, newer)
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]bool)
		for _, l := range lost {
			got[l.Path] = l.Gone
		}
		expected := make(map[string]bool)
		for _, name := range want {
			expected[name] = true
		}
		if !reflect.DeepEqual(got, expected) {
			t.Errorf("of %s as %s: lost %v, want %v", older, newer, got, want)
		}
	})
}

// A bare value is compared like one inside of an object, whatever its type.
func TestJ8_BareValuesAreCompared(t *testing.T) {
	for _, tt := range []struct {
		was  string
		into any
		want bool
	}{
		{`9007199254740993`, new(float64), true},
		{`9007199254740993`, new(float32), true},
		{`9223372036854775807`, new(float64), true},
		{`9007199254740992`, new(float64), false},
		{`0.5`, new(float32), false},
		{`0.1`, new(float32), false},
		{`0.123456789`, new(float32), true},
		{`9007199254740993`, new(int64), false},
		{`null`, new(int), true},
		{`null`, new(string), true},
		{`null`, new(float64), true},
		{`null`, new(*int), false},
		{`null`, new([]int), false},
		{`null`, new(any), false},
		{`9007199254740993`, new(any), false},
		{`9007199254740993`, new(json.Number), false},
		{`[9007199254740993]`, new([]float64), true},
		{`[9007199254740993]`, new([]any), false},
		{`{"a":9007199254740993}`, new(map[string]float64), true},
		{`{"a":9007199254740993}`, new(map[string]any), false},
		{`{"a":[{"b":9007199254740993}]}`, new(map[string][]map[string]float64), true},
	} {
		if err := canonical.Decode([]byte(tt.was), tt.into); err != nil {
			t.Fatal(err)
		}
		if lost, got := loss.In([]byte(tt.was), tt.into); got != tt.want {
			t.Errorf("%s as %T: lost %v, %v, want %v", tt.was, tt.into, lost, got, tt.want)
		}
	}
}
