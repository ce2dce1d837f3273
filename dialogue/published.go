package dialogue

import (
	_ "embed" // for the schema
	"strings"
)

//go:embed dialogue.schema.json
var published string

// Schema is the JSON Schema of dialogue files, for editors. A dialogue that passes it may still be wrong: names,
// expressions and the ways through flows are checked by Load.
func Schema() []byte {
	var types, members []string
	for _, k := range kinds {
		types = append(types, `"`+string(k.is().name)+`"`)
		if !k.is().whole {
			members = append(members, types[len(types)-1])
		}
	}
	fill := strings.NewReplacer(`"(types of slots)"`, strings.Join(types, ", "), `"(types of members)"`, strings.Join(members, ", "))
	return []byte(fill.Replace(published))
}
