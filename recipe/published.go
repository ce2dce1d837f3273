package recipe

import (
	"bytes"
	_ "embed" // for the schema
)

//go:embed recipe.schema.json
var published []byte

// Schema is the JSON Schema of recipe files, for editors. A recipe that passes it may still be wrong: names,
// expressions and the graph are checked by Load. The definition agentsFile in it is that of agents files.
func Schema() []byte { return bytes.Clone(published) }
