package fermatatest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/schema"
)

type (
	invoice struct {
		Amount float64 `json:"amount"`
		Kind   string  `json:"kind" enum:"bill,credit"`
	}
	invoiceNext struct {
		Amount float64 `json:"amount"`
		Kind   string  `json:"kind" enum:"bill"`
		Due    string  `json:"due,omitempty"`
	}
	invoiceNamed struct {
		Amount float64 `json:"amount" jsonschema:"In euros"`
		Kind   string  `json:"kind" enum:"bill,credit"`
	}
)

func TestPinSchema(t *testing.T) {
	file := filepath.Join(t.TempDir(), "schemas", "invoice.schema.json")
	t.Setenv("FERMATA_UPDATE", "")
	r := &recorder{T: t}
	fermatatest.PinSchema[invoice](r, file)
	text := `{
  "type": "object",
  "properties": {
    "amount": {
      "type": "number"
    },
    "kind": {
      "type": "string",
      "enum": [
        "bill",
        "credit"
      ]
    }
  },
  "required": [
    "amount",
    "kind"
  ],
  "additionalProperties": false
}
`
	want := []string{"pinned schema: there is no " + file + " yet; run the test with FERMATA_UPDATE=1 to write it:\n" + text}
	if diff := cmp.Diff(want, r.wrong); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	t.Setenv("FERMATA_UPDATE", "1")
	fermatatest.PinSchema[invoice](t, file)
	t.Setenv("FERMATA_UPDATE", "")
	data, err := os.ReadFile(file)
	if diff := cmp.Diff(text, string(data)); diff != "" || err != nil {
		t.Errorf("(-want +got)\n%s (%v)", diff, err)
	}
	r.wrong = nil
	fermatatest.PinSchema[invoice](r, file)
	fermatatest.PinSchema[invoiceNext](r, file)
	fermatatest.PinSchema[invoiceNamed](r, file)
	want = []string{
		"pinned schema: that of invoiceNext is no longer what " + file + ` holds
  what was written before may no longer be read: 1 incompatible change:
    /kind: "credit" is no longer allowed
  who knows the old version may not read what is written now: 1 incompatible change:
    /due: was not allowed, is allowed now
if that is right, run the test with FERMATA_UPDATE=1 and review the change`,
		"pinned schema: that of invoiceNamed is no longer what " + file + ` holds
  what was written before is still read
  who knows the old version still reads what is written now
if that is right, run the test with FERMATA_UPDATE=1 and review the change`,
	}
	if diff := cmp.Diff(want, r.wrong); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestSchemaCompatible(t *testing.T) {
	old, err := schema.Parse([]byte(`{"title":"Order","type":"integer"}`))
	if err != nil {
		t.Fatal(err)
	}
	next, err := schema.Parse([]byte(`{"title":"Order","type":"number"}`))
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{T: t}
	fermatatest.SchemaCompatible(r, old, next, schema.Backward)
	fermatatest.SchemaCompatible(r, old, next, schema.Both)
	want := []string{"two versions of the schema Order: 1 incompatible change:\n  was an integer, is a number now"}
	if diff := cmp.Diff(want, r.wrong); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
