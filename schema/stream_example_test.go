package schema_test

import (
	"fmt"

	"github.com/fermata-go/fermata/schema"
)

func ExampleStream() {
	type answer struct {
		Text  string   `json:"text"`
		Score int      `json:"score"`
		Tags  []string `json:"tags"`
	}
	s, err := schema.For[answer]()
	if err != nil {
		fmt.Println(err)
		return
	}
	st := s.Stream()
	for _, chunk := range []string{`{"text":"Once up`, `on a time","scor`, `e":"ten","tags":["lo`, `ng"]}`} {
		delta, err := st.Write(chunk)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, op := range delta.Patch {
			fmt.Println(op.Op, op.Path, string(op.Value))
		}
		for _, p := range delta.Refused {
			fmt.Println("refused:", p)
		}
	}
	if _, err := st.Close(); err != nil {
		fmt.Println(err)
	}
	fmt.Println(string(st.JSON()))
	// Output:
	// add  {}
	// add /text "Once up"
	// append /text "on a time"
	// add /tags []
	// add /tags/0 "lo"
	// refused: /score: expected an integer, found a string
	// append /tags/0 "ng"
	// {"text":"Once upon a time","tags":["long"]}
}

func ExampleSchema_CheckPartial() {
	s, err := schema.Parse([]byte(`{
		"properties": {"state": {"enum": ["open", "closed"]}, "note": {"type": "string", "minLength": 10}},
		"required": ["state", "note"]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.CheckPartial([]byte(`{"note":"to"}`)))
	fmt.Println(s.CheckPartial([]byte(`{"state":"opne"}`)))
	// Output:
	// <nil>
	// /state: expected "open" or "closed", found the string "opn…"; did you mean "open"?
}

// What tells alternatives apart decides when it comes, first or last.
func ExampleStream_alternatives() {
	s, err := schema.Parse([]byte(`{"oneOf": [
		{"properties": {"by": {"const": "card"}, "number": {"type": "string"}}, "required": ["by", "number"]},
		{"properties": {"by": {"const": "bank"}, "number": {"type": "integer"}}, "required": ["by", "number"]}
	], "type": "object"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	st := s.Stream()
	for _, chunk := range []string{`{"number":12,`, `"by":"card",`, `"by":"bank"}`} {
		delta, err := st.Write(chunk)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, p := range delta.Refused {
			fmt.Println("refused:", p)
		}
		fmt.Println(string(st.JSON()))
	}
	// Output:
	// {"number":12}
	// refused: /by: expected "bank", found the string "c…"
	// {"number":12}
	// {"number":12,"by":"bank"}
}
