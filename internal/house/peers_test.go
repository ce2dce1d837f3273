package house

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The forms of rows of docs/peers.md.
var (
	// shownBy matches what a row of its first part ends with: a test, and the file that has it.
	shownBy = regexp.MustCompile("^`(Test\\w+)` in \\[([^]]+)\\]\\(([^)]+)\\)$")
	// demandedBy matches which tests of a peer demand a behaviour: a file and a name in it, or a folder of features.
	demandedBy = regexp.MustCompile("^(\\w+) (?:\\(documentation\\)|`(?:\\w+\\.(?:go|py)::\\w+(?:/\\w+)*|features(?:/\\w+)+)`" +
		"(?:, `(?:\\w+\\.(?:go|py)::\\w+(?:/\\w+)*|features(?:/\\w+)+)`)*)$")
	// peerRow matches a row of the table of peers.
	peerRow = regexp.MustCompile(`^\| (\w+) \| \S+/\S+`)
	// totals matches what the page says of itself.
	totals = regexp.MustCompile(`lists (\d+) of them: (\d+) that a test of this module\s+shows, (\d+) that are still to come, and (\d+) that are decided otherwise`)
)

// Each row of docs/peers.md names tests of peers in the form of such names. A row of the first part names a test here that exists, in the
// file where it is, and none is there twice. A row of the others says why it has none. The page counts its rows.
func TestRowsOfPeersNameTests(t *testing.T) {
	w := readTree(t)
	page := w.find(t, "docs/peers.md")
	peers, seen, rows := make(map[string]bool), make(map[string]bool), make(map[string]int)
	part := ""
	for n, line := range strings.Split(page.text, "\n") {
		fault := func(format string, args ...any) {
			t.Errorf("docs/peers.md:%d: "+format, append([]any{n + 1}, args...)...)
		}
		if name, is := strings.CutPrefix(line, "## "); is {
			part = name
		}
		if m := peerRow.FindStringSubmatch(line); part == "" && m != nil {
			peers[m[1]] = true
		}
		if part == "" || !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| Behaviour ") {
			continue
		}
		rows[part]++
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
		if len(cells) != 3 {
			fault("expected three cells, found %d", len(cells))
			continue
		}
		for one := range strings.SplitSeq(cells[1], "; ") {
			if m := demandedBy.FindStringSubmatch(one); m == nil || !peers[m[1]] {
				fault("expected a peer of the first table and its tests, as in LangGraph `test_retry.py::test_name`, found %q", one)
			}
		}
		m := shownBy.FindStringSubmatch(cells[2])
		switch {
		case part != "Shown":
		case m == nil:
			fault("expected a row that ends with `TestName` in [file](../file)")
		case seen[m[1]+" "+m[2]]:
			fault("%s of %s is in another row, too", m[1], m[2])
		case m[3] != "../"+m[2]:
			fault("the link to %s leads to %s", m[2], m[3])
		case !strings.Contains(w.find(t, path.Join("docs", m[3])).text, "\nfunc "+m[1]+"(t *testing.T"):
			fault("%s has no test %s", m[2], m[1])
		default:
			seen[m[1]+" "+m[2]] = true
		}
	}
	m := totals.FindStringSubmatch(page.text)
	if m == nil {
		t.Fatalf("docs/peers.md does not say how many behaviours it lists: expected %s", totals)
	}
	said := strings.Join(m[1:], " ")
	counted := []int{rows["Shown"] + rows["Still to come"] + rows["Decided otherwise"], rows["Shown"], rows["Still to come"], rows["Decided otherwise"]}
	var found []string
	for _, n := range counted {
		found = append(found, strconv.Itoa(n))
	}
	if is := strings.Join(found, " "); is != said || rows["Shown"] < 150 {
		t.Errorf("docs/peers.md counts %s, and has %s", said, is)
	}
}
