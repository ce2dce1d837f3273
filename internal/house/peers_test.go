package house

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// shownBy matches what a row of docs/peers.md ends with: a test, and the file that has it.
var shownBy = regexp.MustCompile("`(Test\\w+)` in \\[[^]]+\\]\\(([^)]+)\\) \\|$")

// Each row of docs/peers.md names a test that exists, in the file where it is, and none is there twice.
func TestRowsOfPeersNameTests(t *testing.T) {
	w := readTree(t)
	page := w.find(t, "docs/peers.md")
	rows, seen := 0, make(map[string]bool)
	for n, line := range strings.Split(page.text, "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| Behaviour ") {
			continue
		}
		rows++
		m := shownBy.FindStringSubmatch(line)
		switch {
		case m == nil:
			t.Errorf("docs/peers.md:%d: expected a row that ends with `TestName` in [file](../file)", n+1)
		case seen[m[1]]:
			t.Errorf("docs/peers.md:%d: %s is in another row, too", n+1, m[1])
		case !strings.Contains(w.find(t, path.Join("docs", m[2])).text, "\nfunc "+m[1]+"(t *testing.T"):
			t.Errorf("docs/peers.md:%d: %s has no test %s", n+1, path.Join("docs", m[2]), m[1])
		}
		if m != nil {
			seen[m[1]] = true
		}
	}
	if rows < 30 {
		t.Errorf("docs/peers.md has %d rows; expected the table", rows)
	}
}
