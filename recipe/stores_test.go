package recipe

import (
	"strings"
	"testing"

	"github.com/fermata-go/fermata/journal/storekind"
	"github.com/fermata-go/fermata/journal/stores"
)

// Every kind of store that outlives its process is a word of state.persistence, and no program of a recipe inherits where it is.
func TestEveryKindOfStore(t *testing.T) {
	const text = "name: r\nstate: {persistence: KIND}\nnodes:\n  - {type: end, id: done}\n"
	kinds := stores.All().At(storekind.File, storekind.Server)
	for _, k := range kinds {
		about := k.About()
		_, err := Parse([]byte(strings.ReplaceAll(text, "KIND", about.Name)), "r.yaml", Options{})
		if err == nil || !strings.Contains(err.Error(), "persistence "+about.Name+" is not configured") {
			t.Errorf("a recipe that asks for %s, which is not configured: %v", about.Name, err)
		}
		if left := inherited([]string{about.Variable + "=secret"}); about.Variable != "" && len(left) > 0 {
			t.Errorf("programs of recipes inherit %s", about.Variable)
		}
	}
	if _, err := Parse([]byte(strings.ReplaceAll(text, "KIND", "mine")), "r.yaml", Options{Stores: []string{"mine"}}); err != nil && strings.Contains(err.Error(), "persistence") {
		t.Errorf("a recipe that asks for a store of the program's own: %v", err)
	}
}
