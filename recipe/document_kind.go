package recipe

import (
	"slices"

	"github.com/fermata-go/fermata/internal/document"
)

// apiVersion is the version of recipes that this package reads.
const apiVersion = "fermata/v1"

// checkVersion checks the version of a file that this package reads.
func checkVersion(o *document.Object) {
	if v := o.Text("apiVersion"); o.Has("apiVersion") && v.Text != apiVersion {
		o.Report.Add(v.Spot, "apiVersion is %s; expected %s (%s is read, too)", document.Quote(v.Text), apiVersion, foreignVersion)
	}
}

// foreignVersion is the version of documents of another library that are read here, as far as they are known. What is in
// one and not known is no error.
const foreignVersion = "coreason.ai/v2"

// foreignKeys are keys of such documents that are kept, and that nothing here reads.
var foreignKeys = []string{"parameters"}

// isForeign says whether the document is of the other library.
func isForeign(o *document.Object) bool { return o.Text("apiVersion").Text == foreignVersion }

// readKind reads what kind of document it is.
func (d *draft) readKind(o *document.Object) {
	kinds := []string{recipeKind}
	if d.Source.Foreign {
		kinds = []string{recipeKind, foreignKind}
		if d.parameters = o.Mapping("parameters"); d.parameters != nil {
			o.Report.Warn(o.At("parameters"), "parameters are kept, and nothing reads them; let agents read an input, or a name of state.properties with a default")
		}
	} else {
		checkVersion(o)
	}
	if kind := o.Text("kind"); o.Has("kind") && !slices.Contains(kinds, kind.Text) {
		hint := ""
		switch kind.Text {
		case "Agents":
			hint = "; a file of agents is given with --agents, beside a recipe"
		case "Dialogue":
			hint = "; this is a dialogue, and fermata chat holds it"
		}
		o.Report.Add(kind.Spot, "kind is %s; expected %s%s", document.Quote(kind.Text), document.OneOf(kinds), hint)
	}
}

// recipeKind is the kind of recipes; those of the other library may have another.
const (
	recipeKind  = "Recipe"
	foreignKind = "RecipeDefinition"
)
