package house

import (
	"regexp"
	"strings"
	"testing"
)

// copied matches a block of Go code, and in front of it the file that it is copied from.
var copied = regexp.MustCompile("(?s)(?:<!-- from: (\\S+) -->\n)?```go\n(.*?)```")

// The examples of CONTRIBUTING.md are code that is compiled: each stands, word for word, in the file of tests named with it.
func TestExamplesOfContributingAreCompiled(t *testing.T) {
	w := readTree(t)
	page := w.find(t, "CONTRIBUTING.md").text
	found := copied.FindAllStringSubmatchIndex(page, -1)
	if len(found) < 3 {
		t.Fatalf("CONTRIBUTING.md has %d examples; expected a slot type, a kind of agents and a store at least", len(found))
	}
	for _, m := range found {
		line := 1 + strings.Count(page[:m[0]], "\n")
		if m[2] < 0 {
			t.Errorf("CONTRIBUTING.md:%d: the example does not say which file it is from: expected <!-- from: dir/file_test.go -->", line)
			continue
		}
		source := w.find(t, page[m[2]:m[3]])
		if !source.isTest() || !strings.Contains(source.text, "\n"+page[m[4]:m[5]]) {
			t.Errorf("CONTRIBUTING.md:%d: the example is not in %s: copy it from there", line, source.path)
		}
	}
}
