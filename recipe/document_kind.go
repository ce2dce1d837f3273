package recipe

import (
	"slices"

	"go.yaml.in/yaml/v4"
)

// apiVersion is the version of recipes that this package reads.
const apiVersion = "fermata/v1"

func (o *object) version() {
	if v := o.text("apiVersion"); o.has("apiVersion") && v.text != apiVersion {
		o.report.add(v.spot, "apiVersion is %s; expected %s (%s is read, too)", quote(v.text), apiVersion, foreignVersion)
	}
}

// foreignVersion is the version of documents of another library that are read here, as far as they are known. What is in
// one and not known is no error.
const foreignVersion = "coreason.ai/v2"

// foreignKeys are keys of such documents that are kept, and that nothing here reads.
var foreignKeys = []string{"parameters"}

// isForeign says whether the document is of the other library.
func isForeign(o *object) bool { return o.text("apiVersion").text == foreignVersion }

// readKind reads what kind of document it is.
func (d *document) readKind(o *object) {
	kinds := []string{recipeKind}
	if d.src.foreign {
		kinds = []string{recipeKind, foreignKind}
		if d.parameters = o.freely("parameters"); d.parameters != nil {
			o.report.warn(o.at("parameters"), "parameters are kept, and nothing reads them; let agents read an input, or a name of state.properties with a default")
		}
	} else {
		o.version()
	}
	if kind := o.text("kind"); o.has("kind") && !slices.Contains(kinds, kind.text) {
		hint := ""
		switch kind.text {
		case "Agents":
			hint = "; a file of agents is given with --agents, beside a recipe"
		case "Dialogue":
			hint = "; dialogues cannot be run yet"
		}
		o.report.add(kind.spot, "kind is %s; expected %s%s", quote(kind.text), oneOf(kinds), hint)
	}
}

// recipeKind is the kind of recipes; those of the other library may have another.
const (
	recipeKind  = "Recipe"
	foreignKind = "RecipeDefinition"
)

// freely reads a mapping of any keys, which is kept; nil where it is not there.
func (o *object) freely(key string) map[string]any {
	if !o.has(key) || o.object(key, nil).node.Kind != yaml.MappingNode {
		return nil
	}
	m, _ := o.value(key).(map[string]any)
	return m
}
