package schema_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/schema"
)

type benchItem struct {
	Name  string            `json:"name"`
	Note  string            `json:"note,omitempty"`
	Score float64           `json:"score"`
	Count int               `json:"count"`
	Open  bool              `json:"open"`
	Tags  []string          `json:"tags"`
	More  map[string]string `json:"more,omitempty"`
}

type benchList struct {
	Title string      `json:"title"`
	Items []benchItem `json:"items"`
}

type benchTree struct {
	Name string     `json:"name"`
	Next *benchTree `json:"next"`
}

const payments = `"$defs":{
	"card":{"type":"object","properties":{"by":{"const":"card"},"number":{"type":"string"}},"required":["number"]},
	"bank":{"type":"object","properties":{"by":{"const":"bank"},"number":{"type":"string"}},"required":["number"]},
	"late-card":{"type":"object","properties":{"way":{"const":"card"},"number":{"type":"string"}},"required":["number","way"]},
	"late-bank":{"type":"object","properties":{"way":{"const":"bank"},"number":{"type":"string"}},"required":["number","way"]},
	"large":{"type":"object","minProperties":3},
	"v1":{"type":"object","properties":{"by":{"const":1},"number":{"type":"string"}},"required":["number"]},
	"v2":{"type":"object","properties":{"by":{"const":2},"number":{"type":"string"}},"required":["number"]},
	"tree":{"oneOf":[
		{"type":"object","properties":{"by":{"const":"leaf"},"words":{"type":"string"}},"additionalProperties":false},
		{"type":"object","properties":{"by":{"const":"two"},"left":{"$ref":"#/$defs/tree"},"right":{"$ref":"#/$defs/tree"}},"additionalProperties":false},
		{"type":"null"}]}}}`

// refers is a list of what fits one of the named payments.
func refers(keyword string, names ...string) func() (*schema.Schema, error) {
	var refs []string
	for _, name := range names {
		refs = append(refs, fmt.Sprintf(`{"$ref":"#/$defs/%s"}`, name))
	}
	return func() (*schema.Schema, error) {
		return schema.Parse([]byte(`{"items":{"` + keyword + `":[` + strings.Join(refs, ",") + `]},` + payments))
	}
}

func payment(mark string, values ...any) []map[string]any {
	all := make([]map[string]any, 2200)
	for i := range all {
		all[i] = map[string]any{mark: values[i%2], "number": "0123456789"}
	}
	return all
}

func unionTree(depth int) map[string]any {
	if depth == 0 {
		return map[string]any{"by": "leaf", "words": "a few words"}
	}
	return map[string]any{"by": "two", "left": unionTree(depth - 1), "right": unionTree(depth - 1)}
}

// BenchmarkStream measures what 20 bytes cost, parsed and checked, of an object of about 100 KB.
func BenchmarkStream(b *testing.B) {
	flat := map[string]string{}
	for i := range 100 {
		flat[fmt.Sprintf("member%d", i)] = strings.Repeat("a line of text\n", 65)
	}
	list := benchList{Title: "a list"}
	for i := range 900 {
		list.Items = append(list.Items, benchItem{
			Name: fmt.Sprintf("item %d", i), Note: "a short remark, \"quoted\"", Score: math.Sqrt(float64(i)), Count: i,
			Open: i%2 == 0, Tags: []string{"one", "two"}, More: map[string]string{"é": "ü"},
		})
	}
	var tree *benchTree
	for range 200 {
		tree = &benchTree{strings.Repeat("words ", 85), tree}
	}
	numbers := make([][]int, 200)
	for i := range numbers {
		for j := range 125 {
			numbers[i] = append(numbers[i], i*j)
		}
	}
	first, late := payment("by", "card", "bank"), payment("way", "card", "bank")
	for _, bm := range []struct {
		name   string
		schema func() (*schema.Schema, error)
		value  any
	}{
		{"flat", schema.For[map[string]string], flat},
		{"list", schema.For[benchList], list},
		{"deep", schema.For[*benchTree], tree},
		{"numbers", schema.For[[][]int], numbers},
		{"one-string", schema.For[string], strings.Repeat("a line of text\n", 6500)},
		{"any-of", refers("anyOf", "card", "bank"), first},
		{"one-of", refers("oneOf", "card", "bank"), first},
		{"one-of-late", refers("oneOf", "late-card", "late-bank"), late},
		{"one-of-numbers", refers("oneOf", "v1", "v2"), payment("by", 1, 2)},
		{"one-of-tree", refers("oneOf", "tree"), []any{unionTree(10)}},
		{"undecided", refers("oneOf", "late-card", "late-bank", "large"), late}, // the library decides
		{"library", func() (*schema.Schema, error) {
			return schema.Parse([]byte(`{"items":{"not":{"required":["iban"]}}}`))
		}, first},
		{"no-schema", func() (*schema.Schema, error) { return nil, nil }, list},
	} {
		text, err := json.Marshal(bm.value)
		if err != nil {
			b.Fatal(err)
		}
		s, err := bm.schema()
		if err != nil {
			b.Fatal(err)
		}
		b.Run(bm.name, func(b *testing.B) { benchStream(b, s, string(text), false) })
	}
	unknown, err := json.Marshal(list)
	if err != nil {
		b.Fatal(err)
	}
	s, err := schema.Parse([]byte(`{"properties":{"items":{"items":{"properties":{
		"names":{},"notes":{},"scores":{},"counts":{},"opened":{},"tag":{},"other":{}},"additionalProperties":false}}}}`))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("unknown", func(b *testing.B) { benchStream(b, s, string(unknown), true) })
}

func benchStream(b *testing.B, s *schema.Schema, text string, refused bool) {
	const chunk = 20
	b.ReportAllocs()
	st, rest := s.Stream(), text
	for b.Loop() { // one chunk
		n := min(chunk, len(rest))
		if d, err := st.Write(rest[:n]); err != nil || !refused && len(d.Refused) > 0 {
			b.Fatal(d.Refused, err)
		}
		if rest = rest[n:]; rest == "" {
			if _, err := st.Close(); err != nil {
				b.Fatal(err)
			}
			st, rest = s.Stream(), text
		}
	}
	b.ReportMetric(float64(len(text))/1024, "KB")
}
