package schema_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/schema"
)

type (
	level   string
	grade   int8
	side    bool
	colour  struct{ R, G byte }
	compass int
	choices struct {
		Risk    string           `json:"risk" enum:"low, medium,on hold" jsonschema:"How bad"`
		Maybe   *string          `json:"maybe" enum:"a,b"`
		Tags    []string         `json:"tags,omitempty" enum:"x,y"`
		Deep    [][2]*int8       `json:"deep" enum:"-128,127"`
		Ratio   float64          `json:"ratio" enum:"0.1,1e3,2"`
		Big     uint64           `json:"big" enum:"18446744073709551615"`
		Huge    *big.Int         `json:"huge,omitzero" enum:"99999999999999999999"`
		Number  json.Number      `json:"number" enum:"1.50"`
		Level   level            `json:"level"`
		Narrow  *level           `json:"narrow" enum:"high"`
		Levels  []level          `json:"levels"`
		Grade   *grade           `json:"grade"`
		Side    side             `json:"side"`
		Colour  *colour          `json:"colour"`
		Compass compass          `json:"compass" enum:"N,S"`
		By      map[level]*level `json:"by"`
	}
)

func (level) SchemaEnum() []level   { return []level{"low", "<high>", "high"} }
func (grade) SchemaEnum() []grade   { return []grade{1, -2} }
func (side) SchemaEnum() []side     { return []side{true} }
func (colour) SchemaEnum() []colour { return []colour{{1, 2}, {3, 4}} }

func (c colour) MarshalJSON() ([]byte, error)     { return json.Marshal([]int{int(c.R), int(c.G)}) }
func (c *colour) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &[]any{&c.R, &c.G}) }

func (c compass) MarshalText() ([]byte, error) { return []byte{"NS"[c]}, nil }
func (c *compass) UnmarshalText(text []byte) error {
	*c = compass(strings.Index("NS", string(text)))
	return nil
}

func TestFor_enums(t *testing.T) {
	s, err := schema.For[choices]()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{` +
		`"risk":{"type":"string","enum":["low","medium","on hold"],"description":"How bad"},` +
		`"maybe":{"type":["string","null"],"enum":["a","b",null]},` +
		`"tags":{"type":"array","items":{"type":"string","enum":["x","y"]}},` +
		`"deep":{"type":["array","null"],"items":{"type":"array","items":{"type":["integer","null"],"minimum":-128,"maximum":127,` +
		`"enum":[-128,127,null]},"minItems":2,"maxItems":2}},` +
		`"ratio":{"type":"number","enum":[0.1,1e3,2]},` +
		`"big":{"type":"integer","minimum":0,"maximum":18446744073709551615,"enum":[18446744073709551615]},` +
		`"huge":{"type":["integer","null"],"enum":[99999999999999999999,null]},` +
		`"number":{"type":"number","enum":[1.50]},` +
		`"level":{"type":"string","enum":["low","<high>","high"]},` +
		`"narrow":{"type":["string","null"],"enum":["high",null]},` +
		`"levels":{"type":["array","null"],"items":{"type":"string","enum":["low","<high>","high"]}},` +
		`"grade":{"type":["integer","null"],"minimum":-128,"maximum":127,"enum":[1,-2,null]},` +
		`"side":{"type":"boolean","enum":[true]},` +
		`"colour":{"enum":[[1,2],[3,4],null]},` +
		`"compass":{"type":"string","enum":["N","S"]},` +
		`"by":{"type":["object","null"],"additionalProperties":{"type":["string","null"],"enum":["low","<high>","high",null]},` +
		`"propertyNames":{"enum":["low","<high>","high"]}}},` +
		`"required":["risk","maybe","deep","ratio","big","number","level","narrow","levels","grade","side","colour","compass","by"],` +
		`"additionalProperties":false}`
	if diff := cmp.Diff(want, string(s.JSON())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What encoding/json writes of values that are listed is accepted and comes back the same.
func TestN8_enumsAreAccepted(t *testing.T) {
	text := func(t *rapid.T, name string, all ...string) string { return rapid.SampledFrom(all).Draw(t, name) }
	levels := rapid.SampledFrom([]level{"low", "<high>", "high"})
	gen := rapid.Custom(func(t *rapid.T) choices {
		v := choices{
			Risk: text(t, "risk", "low", "medium", "on hold"), Tags: []string{text(t, "tag", "x", "y")},
			Ratio: rapid.SampledFrom([]float64{0.1, 1000, 2}).Draw(t, "ratio"), Big: 1<<64 - 1, Number: "1.5",
			Level: levels.Draw(t, "level"), Levels: rapid.SliceOf(levels).Draw(t, "levels"), Side: true,
			Grade: rapid.Ptr(rapid.SampledFrom([]grade{1, -2}), true).Draw(t, "grade"),
			By:    map[level]*level{"low": rapid.Ptr(levels, true).Draw(t, "by")},
		}
		if rapid.Bool().Draw(t, "colour") {
			v.Colour = &colour{3, 4}
		}
		return v
	})
	rapid.Check(t, func(t *rapid.T) { check(t, gen) })
}

func TestCheck_enums(t *testing.T) {
	type ticket struct {
		Risk string  `json:"risk" enum:"low,high"`
		By   *string `json:"by" enum:"me"`
	}
	s, err := schema.For[ticket]()
	if err != nil {
		t.Fatal(err)
	}
	want := "2 problems:\n  /by: expected \"me\" or null, found the string \"you\"" +
		"\n  /risk: expected \"low\" or \"high\", found the string \"hihg\"; did you mean \"high\"?"
	if err := s.Check([]byte(`{"risk":"hihg","by":"you"}`)); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

type (
	noneListed  string
	listedTwice float64
	otherListed int
	byPointer   string
	listPanics  string
	listOfLists []string
	withLevel   struct{ level }
)

func (noneListed) SchemaEnum() []noneListed   { return nil }
func (listedTwice) SchemaEnum() []listedTwice { return []listedTwice{1, 2, 1} }
func (otherListed) SchemaEnum() []string      { return []string{"a"} }
func (*byPointer) SchemaEnum() []byPointer    { return []byPointer{"a"} }
func (listPanics) SchemaEnum() []listPanics   { panic("no list") }
func (listOfLists) SchemaEnum() []listOfLists { return []listOfLists{{"a"}} }

func TestFor_enumsRefused(t *testing.T) {
	tests := []struct {
		make func() (*schema.Schema, error)
		want string
	}{
		{schema.For[struct {
			In struct {
				Risk []string `enum:"a,,b"`
			}
		}], `In.Risk: enum:"a,,b": expected values with commas between them, found an empty one`},
		{schema.For[struct {
			S string `enum:"a,b, a"`
		}], `S: enum:"a,b, a": "a" is there twice`},
		{schema.For[struct {
			N float64 `enum:"1,1.0"`
		}], `N: enum:"1,1.0": 1.0 is there twice`},
		{schema.For[struct {
			N int8 `enum:"1,128"`
		}], `N: enum:"1,128": expected what fits Go's int8, found 128`},
		{schema.For[struct {
			N uint `enum:"1.5"`
		}], `N: enum:"1.5": expected an integer, found 1.5`},
		{schema.For[struct {
			N uint `enum:"one"`
		}], `N: enum:"one": expected an integer, found "one"`},
		{schema.For[struct {
			N float32 `enum:"1e39"`
		}], `N: enum:"1e39": expected what fits Go's float32, found 1e39`},
		{schema.For[struct {
			N int `enum:"+7"`
		}], `N: enum:"+7": expected an integer, found "+7"`},
		{schema.For[struct {
			B bool `enum:"true"`
		}], `B: an enum tag is for strings, integers and numbers, and for slices of them, found bool`},
		{schema.For[struct {
			T time.Time `enum:"now"`
		}], `T: an enum tag is for strings, integers and numbers, and for slices of them, found time.Time`},
		{schema.For[struct {
			B []byte `enum:"a"`
		}], `B: an enum tag is for strings, integers and numbers, and for slices of them, found []uint8`},
		{schema.For[struct {
			N int `json:",string" enum:"1"`
		}], `N: an enum tag and the json option "string" do not go together`},
		{schema.For[struct {
			L level `enum:"lower"`
		}], `L: enum:"lower": "lower" is none of the values that level.SchemaEnum lists`},
		{schema.For[noneListed], `noneListed: SchemaEnum: expected at least one value, found none`},
		{schema.For[[]listedTwice], `[]: SchemaEnum: 1 is there twice`},
		{schema.For[otherListed], `otherListed: expected the method func (otherListed) SchemaEnum() []otherListed, on the value and without parameters, found func`},
		{schema.For[byPointer], `byPointer: expected the method func (byPointer) SchemaEnum() []byPointer, on the value`},
		{schema.For[listPanics], `listPanics: the method SchemaEnum is called on a zero value and panics: no list`},
		{schema.For[listOfLists], `listOfLists: SchemaEnum is for strings, booleans, numbers and types with MarshalJSON or MarshalText, found a slice`},
	}
	for _, tt := range tests {
		if _, err := tt.make(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got  %v\nwant %s", err, tt.want)
		}
	}
	if _, err := schema.For[withLevel](); err != nil {
		t.Errorf("the method of an embedded type is taken for the struct's: %v", err)
	}
}
