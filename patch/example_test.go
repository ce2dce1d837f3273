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
	for _, op := range p {
		fmt.Println(op.Op, op.Path, string(op.Value))
	}
	doc, err := p.Apply(before)
	fmt.Println(string(doc), err)
	// Output:
	// append /text " upon a time"
	// add /done true
	// {"title":"A long day","text":"Once upon a time","done":true} <nil>
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
	fmt.Println(pure[0].Op, pure[0].Path, string(pure[0].Value))
	// Output: replace /text "Once upon a time"
}
