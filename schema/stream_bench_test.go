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
	"bank":{"type":"object","properties":{"by":{"const":"bank"},"number":{"type":"string"}},"required":["number"]}}}`

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
	alternatives := make([]map[string]string, 2200)
	for i := range alternatives {
		alternatives[i] = map[string]string{"by": []string{"card", "bank"}[i%2], "number": "0123456789"}
	}
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
		{"alternatives", func() (*schema.Schema, error) {
			return schema.Parse([]byte(`{"items":{"anyOf":[{"$ref":"#/$defs/card"},{"$ref":"#/$defs/bank"}]},` + payments))
		}, alternatives},
		{"library", func() (*schema.Schema, error) { // beyond what is checked without decoding
			return schema.Parse([]byte(`{"items":{"oneOf":[{"$ref":"#/$defs/card"},{"$ref":"#/$defs/bank"}]},` + payments))
		}, alternatives},
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
		b.Run(bm.name, func(b *testing.B) { benchStream(b, s, string(text)) })
	}
}

func benchStream(b *testing.B, s *schema.Schema, text string) {
	const chunk = 20
	b.ReportAllocs()
	st, rest := s.Stream(), text
	for b.Loop() { // one chunk
		n := min(chunk, len(rest))
		if d, err := st.Write(rest[:n]); err != nil || len(d.Refused) > 0 {
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
