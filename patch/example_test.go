package patch_test

import (
	"encoding/json"
	"fmt"

	"github.com/fermata-go/fermata/patch"
)

func ExampleDiff() {
	before := []byte(`{"title":"A long day","text":"Once"}`)
	p, err := patch.Diff(before, []byte(`{"title":"A long day","text":"Once upon a time","done":true}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, _ := json.Marshal(p)
	fmt.Println(string(text))
	doc, _ := p.Apply(before)
	fmt.Println(string(doc))
	// Output:
	// [{"op":"append","path":"/text","value":" upon a time"},{"op":"add","path":"/done","value":true}]
	// {"title":"A long day","text":"Once upon a time","done":true}
}

func ExampleDocument() {
	doc := patch.New()
	for _, text := range []string{
		`[{"op":"add","path":"","value":{"tags":[]}}]`,
		`[{"op":"add","path":"/tags/-","value":"lon"}]`,
		`[{"op":"append","path":"/tags/0","value":"g"}]`,
		`[{"op":"append","path":"/tag/0","value":"er"}]`,
	} {
		var p patch.Patch
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			fmt.Println(err)
		}
		if err := doc.Apply(p); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(string(doc.JSON()))
	// Output:
	// operation 0, append "/tag/0": expected a member "tag" in the object at "", found none
	// {"tags":["long"]}
}

func ExamplePatch_Pure() {
	p := patch.Patch{{Op: patch.Append, Path: "/text", Value: json.RawMessage(`" upon a time"`)}}
	pure, err := p.Pure([]byte(`{"text":"Once"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, _ := json.Marshal(pure)
	fmt.Println(string(text))
	// Output: [{"op":"replace","path":"/text","value":"Once upon a time"}]
}
