package recipe

import (
	"bytes"
	_ "embed" // for the schemas
)

//go:embed recipe.schema.json
var published []byte

// Schema is the JSON Schema of recipe files, for editors. A recipe that passes it may still be wrong: names,
// expressions and the graph are checked by Load. The definition agentsFile in it is that of agents files.
func Schema() []byte { return bytes.Clone(published) }

//go:embed trace.schema.json
var publishedTrace []byte

// TraceSchema is the JSON Schema of a [Trace].
func TraceSchema() []byte { return bytes.Clone(publishedTrace) }
