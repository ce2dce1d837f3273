package schema_test

import (
	"fmt"

	"github.com/fermata-go/fermata/schema"
)

// Risk is one of a few values, which its schema lists.
type Risk string

// SchemaEnum lists them.
func (Risk) SchemaEnum() []Risk { return []Risk{"low", "high"} }

// Decision is a contract with a name and a version.
type Decision struct {
	Approve bool   `json:"approve"`
	Risk    Risk   `json:"risk"`
	Via     string `json:"via" enum:"mail,phone"`
}

// SchemaIdentity names the contract.
func (Decision) SchemaIdentity() schema.Identity {
	return schema.Identity{ID: "acme/decision", Version: "2"}
}

func ExampleSchema_Identity() {
	s, err := schema.For[Decision]()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Identity())
	fmt.Println(s.Check([]byte(`{"aprove": true, "risk": "hihg", "via": "mail"}`)))
	// Output:
	// {acme/decision 2}
	// 3 problems:
	//   /approve: required, but missing; expected a boolean
	//   /aprove: unknown property; did you mean "approve"?
	//   /risk: expected "low" or "high", found the string "hihg"; did you mean "high"?
}

func ExampleFragments() {
	shared, err := schema.NewFragments(map[string][]byte{
		"money": []byte(`{"type": "object", "properties": {"amount": {"type": "number", "minimum": 0}}}`),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := shared.Parse([]byte(`{"properties": {"total": {"$ref": "fragment:money"}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Check([]byte(`{"total": {"amount": -1}}`)))
	fmt.Println(string(s.JSON()))
	// Output:
	// /total/amount: expected at least 0, found -1
	// {"properties":{"total":{"$ref":"#/$defs/money"}},"$defs":{"money":{"type":"object","properties":{"amount":{"type":"number","minimum":0}}}}}
}

func ExampleCompatible() {
	old, err := schema.Parse([]byte(`{"type": "object", "properties": {"amount": {"type": "number"}, "kind": {"enum": ["x", "y"]}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	next, err := schema.Parse([]byte(`{"type": "object", "properties": {"amount": {"type": "integer"}, "kind": {"enum": ["y"]}}, "required": ["amount"]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(schema.Compatible(old, next, schema.Backward))
	// Output:
	// 3 incompatible changes:
	//   /amount: was a number, is an integer now
	//   /amount: was optional, is required now
	//   /kind: "x" is no longer allowed
}
