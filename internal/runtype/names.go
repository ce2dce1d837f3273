package runtype

import (
	"fmt"
	"strings"

	"github.com/fermata-go/fermata/node"
)

// QuoteAll returns the names in quotes, with commas between them.
func QuoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, ", ")
}

// Display returns a target's name for people.
func Display(name string) string {
	switch name {
	case node.End:
		return "END"
	case node.Stop:
		return "Stop"
	}
	return name
}
