package house

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// Properties draw the same cases in each run of the suite: a package whose tests use rapid imports internal/lawtest, which
// sets the seed.
func TestPropertiesHaveASeed(t *testing.T) {
	const draws, seeds = "pgregory.net/rapid", "github.com/fermata-go/fermata/internal/lawtest"
	imported := make(map[string]map[string]bool)
	for _, f := range readTree(t).goFiles(true) {
		if !strings.HasSuffix(f.path, "_test.go") {
			continue
		}
		for _, spec := range f.ast.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			if imported[f.dir()] == nil {
				imported[f.dir()] = make(map[string]bool)
			}
			imported[f.dir()][path] = true
		}
	}
	some := 0
	for _, dir := range slices.Sorted(maps.Keys(imported)) {
		if !imported[dir][draws] {
			continue
		}
		some++
		if dir != "internal/lawtest" && !imported[dir][seeds] {
			t.Errorf("%s: tests import %s, and none imports %s: import it, so that a property fails for a change and not for luck", dir, draws, seeds)
		}
	}
	if some < 10 {
		t.Errorf("only %d packages were seen that draw", some)
	}
}
