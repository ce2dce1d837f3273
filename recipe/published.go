package recipe

import (
	"bytes"
	_ "embed" // for the schemas

	"github.com/fermata-go/fermata/internal/document"
)

//go:generate gzip -9 -n -k -f recipe.schema.json

//go:embed recipe.schema.json.gz
var published []byte // compressed, for the weight of the command (ADR 060)

// Schema is the JSON Schema of recipe files, for editors. A recipe that passes it may still be wrong: names,
// expressions and the graph are checked by Load. The definition agentsFile in it is that of agents files.
func Schema() []byte { return document.Unpacked(published) }

//go:embed trace.schema.json
var publishedTrace []byte

// TraceSchema is the JSON Schema of a [Trace].
func TraceSchema() []byte { return bytes.Clone(publishedTrace) }
