package schema_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/fermata-go/fermata/schema"
)

// What is wrong with a value is said without anything that acts, wherever the value or its schema has it.
func TestH9_AnUnfitValueIsSaidWithoutWhatActs(t *testing.T) {
	for _, doc := range []string{
		`{"enum":["approve","reject\u202e"]}`, `{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false}`,
		`{"type":"string","pattern":"^[a-z]\u202e+$"}`, `{"const":"\u202ex"}`, `{"type":"string","format":"date"}`,
		`{"oneOf":[{"type":"object","required":["k\u202e"]},{"type":"integer"}]}`,
	} {
		s, err := schema.Parse([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range []string{`"x\u202e\u009b\u200b\n"`, `{"k\u202e\u009b\nFORGED":1}`, `{"a":"\u202e\u009b"}`, "\"raw\u202e\u009b\""} {
			if err := s.Check([]byte(value)); err != nil {
				said := err.Error()
				if strings.ContainsAny(said, "\u202e\u009b\u200b") || strings.ContainsFunc(said, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) ||
					strings.Contains(said, "\nFORGED") {
					t.Errorf("%s, %s: %q", doc, value, said)
				}
			}
		}
	}
}
