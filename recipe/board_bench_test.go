package recipe_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/recipe"
)

// boardLoop counts to its limit, and reads nothing of the blackboard but the count.
const boardLoop = `
interface: {inputs: {n: {type: integer}, limit: {type: integer}, items: {}}}
policy: {max_steps: 100000}
agents:
  count: {kind: expr, set: {n: "n + 1"}}
topology:
  entry_point: count
  nodes:
    - {type: agent, id: count, agent_ref: count}
    - {type: agent, id: done, agent_ref: count}
  edges:
    - {source: count, target: count, when: "n < limit"}
    - {source: count, target: done, when: "n >= limit"}
`

// BenchmarkBoard has a node change one number of a blackboard that has a list of objects beside it.
func BenchmarkBoard(b *testing.B) {
	const visits = 2000
	r, err := recipe.Parse([]byte(boardLoop), "loop.yaml", recipe.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []int{0, 500, 1000, 2000, 4000, 8000} {
		items := make([]any, size)
		for i := range items {
			items[i] = map[string]any{"id": json.Number(fmt.Sprint(i)), "text": fmt.Sprintf("item number %d of the blackboard", i)}
		}
		for _, stored := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d/stored=%t", size, stored), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					input, err := r.Input(map[string]any{"n": 0, "limit": visits, "items": items})
					if err != nil {
						b.Fatal(err)
					}
					if !stored {
						if _, err := fermata.Evaluate(b.Context(), r.Plan(), input, fermata.Options{}); err != nil {
							b.Fatal(err)
						}
						continue
					}
					rt, err := fermata.New(fermata.Options{})
					if err != nil {
						b.Fatal(err)
					}
					run, err := rt.Start(b.Context(), r.Plan(), input)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := run.Wait(b.Context()); err != nil {
						b.Fatal(err)
					}
					if err := rt.Close(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/visits, "us/node")
			})
		}
	}
}

// eachItem calculates for each item of a list.
const eachItem = `
interface: {inputs: {items: {}}}
policy: {max_steps: 100000}
agents:
  size: {kind: expr, set: {size: "len(item.text)"}}
topology:
  entry_point: sizes
  nodes:
    - {type: agent, id: sizes, agent_ref: size, for_each: {in: items, as: item}}
`

// BenchmarkEach has one task for each item of a list.
func BenchmarkEach(b *testing.B) {
	r, err := recipe.Parse([]byte(eachItem), "each.yaml", recipe.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []int{500, 2000, 8000} {
		items := make([]any, size)
		for i := range items {
			items[i] = map[string]any{"id": json.Number(fmt.Sprint(i)), "text": fmt.Sprintf("item number %d of the blackboard", i)}
		}
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				input, err := r.Input(map[string]any{"items": items})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := fermata.Evaluate(b.Context(), r.Plan(), input, fermata.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(size), "us/child")
		})
	}
}
