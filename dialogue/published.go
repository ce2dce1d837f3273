package dialogue

import (
	_ "embed" // for the schema
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
	"github.com/fermata-go/fermata/internal/document"
)

//go:generate gzip -9 -n -k -f dialogue.schema.json

//go:embed dialogue.schema.json.gz
var published []byte // compressed, for the weight of the command (ADR 060)

//go:embed translation.schema.json
var publishedTranslation []byte

// TranslationSchema is the JSON Schema of translation files, for editors. Load checks that a translation has all
// texts of its dialogue, under the same names.
func TranslationSchema() []byte { return slices.Clone(publishedTranslation) }

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
	fill := strings.NewReplacer(`"(types of slots)"`, strings.Join(types, ", "), `"(types of members)"`, strings.Join(members, ", "),
		`"(calendars)"`, `"`+strings.Join(phrase.Calendars(), `", "`)+`"`)
	return []byte(fill.Replace(string(document.Unpacked(published))))
}
