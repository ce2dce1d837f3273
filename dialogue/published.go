package dialogue

import (
	"bytes"
	_ "embed" // for the schema
)

//go:embed dialogue.schema.json
var published []byte

// Schema is the JSON Schema of dialogue files, for editors. A dialogue that passes it may still be wrong: names,
// expressions and the ways through flows are checked by Load.
func Schema() []byte { return bytes.Clone(published) }
