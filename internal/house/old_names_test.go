package house

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// oldNames are words that the code had for what the glossary has other words for.
var oldNames = map[string]string{
	"crew": "workers", "drive": "execute", "drives": "executes", "driven": "executed", "driving": "executing",
	"glide": "fast path", "parking": "paused cache", "parked": "paused", "alarm": "timer", "alarms": "timers",
	"bell": "notifier", "settle": "finalize", "settles": "finalizes", "settled": "final", "settling": "finalizing",
}

// publicOldNames are exported, and stay for users of them.
var publicOldNames = []string{"ErrDriven", "DrivenError"}

// nameWord matches the words of a name in camel case.
var nameWord = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)

// Files and names are in the words of the glossary.
func TestNamesUseTheWordsOfTheGlossary(t *testing.T) {
	w := readTree(t)
	for _, f := range w.goFiles(false) {
		if strings.HasPrefix(f.path, "examples/") {
			continue // the words of their own field
		}
		if instead, ok := oldName(strings.TrimSuffix(path.Base(f.path), ".go")); ok {
			t.Errorf("%s: the glossary has another word: %s", f.path, instead)
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if instead, ok := oldName(id.Name); ok {
					t.Errorf("%s: %s: the glossary has another word: %s", w.at(id.Pos()), id.Name, instead)
				}
			}
			return true
		})
	}
}

func oldName(name string) (instead string, ok bool) {
	if slices.Contains(publicOldNames, name) {
		return "", false
	}
	for _, word := range nameWord.FindAllString(name, -1) {
		if instead, ok := oldNames[strings.ToLower(word)]; ok {
			return instead, true
		}
	}
	return "", false
}
