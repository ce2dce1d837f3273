package house

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	semantics    = "docs/semantics.md"
	architecture = "docs/architecture.md"
)

var update = flag.Bool("update", false, "write the table of imports into docs/architecture.md")

// law is a law of docs/semantics.md.
type law struct {
	number string // "J5"
	later  bool   // marked as planned, or as kept in part: no test has to cite it yet
}

var (
	lawLine     = regexp.MustCompile(`(?m)^- \*\*([A-Z]\d+)\*\*( \*\((?:planned|in part)\)\*)?`)
	testName    = regexp.MustCompile(`^(?:Test|Fuzz|Benchmark|Example)([A-Z]\d+)_`)
	lawMentions = regexp.MustCompile(`\b[Ll]aws? ([A-Z]\d+)(?:(?:, | and | to |-)([A-Z]\d+))*`)
	lawNumber   = regexp.MustCompile(`[A-Z]\d+`)
)

// readLaws reads the laws; a number is given once.
func readLaws(t *testing.T, w *tree) map[string]law {
	t.Helper()
	laws := make(map[string]law)
	for _, m := range lawLine.FindAllStringSubmatch(w.find(t, semantics).text, -1) {
		if _, twice := laws[m[1]]; twice {
			t.Errorf("%s: law %s is there twice", semantics, m[1])
		}
		laws[m[1]] = law{number: m[1], later: m[2] != ""}
	}
	if len(laws) == 0 {
		t.Fatalf("%s holds no law: expected lines that begin with - **J1**", semantics)
	}
	return laws
}

// Whoever names a law, in the name of a test or in a comment, names one that there is.
func TestLawsThatAreCitedExist(t *testing.T) {
	w := readTree(t)
	laws := readLaws(t, w)
	for _, f := range w.files {
		if f.ast == nil && !strings.HasSuffix(f.path, ".md") {
			continue
		}
		for _, at := range lawMentions.FindAllStringIndex(f.text, -1) {
			for _, number := range lawNumber.FindAllString(f.text[at[0]:at[1]], -1) {
				if _, ok := laws[number]; !ok {
					t.Errorf("%s:%d: there is no law %s in %s", f.path, f.line(at[0]), number, semantics)
				}
			}
		}
	}
	for number, where := range citations(w) {
		if _, ok := laws[number]; !ok {
			t.Errorf("%s: there is no law %s in %s", where[0], number, semantics)
		}
	}
}

// Every law that is not planned is kept by a test that cites it.
func TestLawsAreTested(t *testing.T) {
	w := readTree(t)
	cited := citations(w)
	laws := readLaws(t, w)
	for _, number := range slices.Sorted(maps.Keys(laws)) {
		if len(cited[number]) == 0 && !laws[number].later {
			t.Errorf("no test cites law %s: name the one that keeps it Test%s_…", number, number)
		}
	}
}

// citations are the tests that cite a law in their names: law -> places.
func citations(w *tree) map[string][]string {
	cited := make(map[string][]string)
	for _, f := range w.goFiles(true) {
		for name, object := range functions(f) {
			if m := testName.FindStringSubmatch(name); m != nil {
				cited[m[1]] = append(cited[m[1]], w.at(object.Pos())+": "+name)
			}
		}
	}
	return cited
}

var (
	link   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fenced = regexp.MustCompile("(?ms)^```.*?\n```$|`[^`\n]*`")
	visual = regexp.MustCompile(`[^\n]`)
)

// prose is a document with spaces in place of its code: in Go, New[T]("x") is no link.
func prose(text string) string {
	return fenced.ReplaceAllStringFunc(text, func(block string) string { return visual.ReplaceAllString(block, " ") })
}

var (
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	anchored = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// anchors are the headings of a page as links name them.
func anchors(page string) map[string]bool {
	all := make(map[string]bool)
	for _, m := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllLiteralString(page, ""), -1) {
		all[strings.ReplaceAll(anchored.ReplaceAllLiteralString(strings.ToLower(strings.TrimSpace(m[1])), ""), " ", "-")] = true
	}
	return all
}

// Links between the documents lead to files that exist and to headings that these files have.
func TestDocumentsLinkToWhatIsThere(t *testing.T) {
	w := readTree(t)
	for _, f := range w.files {
		if !strings.HasSuffix(f.path, ".md") {
			continue
		}
		text := prose(f.text)
		for _, at := range link.FindAllStringSubmatchIndex(text, -1) {
			to, anchor, _ := strings.Cut(text[at[2]:at[3]], "#")
			if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
				continue
			}
			target, line := path.Join(f.dir(), to), 1+strings.Count(text[:at[0]], "\n")
			if to == "" {
				target = f.path
			}
			if _, err := os.Stat(filepath.Join(w.root, filepath.FromSlash(target))); err != nil {
				t.Errorf("%s:%d: the link leads to %s, which does not exist", f.path, line, to)
				continue
			}
			if anchor != "" && strings.HasSuffix(target, ".md") && !anchors(w.find(t, target).text)[anchor] {
				t.Errorf("%s:%d: %s has no heading #%s", f.path, line, target, anchor)
			}
		}
	}
}

// Each decision is listed in docs/README.md, in order, and no row is there twice.
func TestDecisionsAreListed(t *testing.T) {
	w := readTree(t)
	index := w.find(t, "docs/README.md").text
	rows, last := make(map[string]bool), ""
	for line := range strings.SplitSeq(index, "\n") {
		row, _, is := strings.Cut(strings.TrimPrefix(line, "| "), " |")
		if !is || !strings.HasPrefix(line, "| ") || row == "" || row == "|" {
			continue
		}
		if rows[row] {
			t.Errorf("docs/README.md has two rows for %s", row)
		}
		if strings.Contains(row, "(adr/") {
			if row < last {
				t.Errorf("docs/README.md lists %s behind %s", row, last)
			}
			last = row
		}
		rows[row] = true
	}
	for _, f := range w.files {
		if f.dir() == "docs/adr" && !strings.Contains(index, "(adr/"+path.Base(f.path)+")") {
			t.Errorf("docs/README.md does not list %s", f.path)
		}
	}
}

const tableBegin, tableEnd = "<!-- imports: written by internal/house -->\n", "<!-- end of imports -->\n"

// docs/architecture.md shows the table of imports as it is.
func TestArchitectureShowsTheTableOfImports(t *testing.T) {
	w := readTree(t)
	f := w.find(t, architecture)
	before, rest, ok := strings.Cut(f.text, tableBegin)
	got, after, ended := strings.Cut(rest, tableEnd)
	if !ok || !ended {
		t.Fatalf("%s: expected the table of imports between %q and %q", architecture, tableBegin, tableEnd)
	}
	want := tableInMarkdown()
	if got == want {
		return
	}
	if !*update {
		t.Fatalf("%s does not show the table of internal/house/imports_test.go; write it there with "+
			"go test ./internal/house -update. Expected:\n%s", architecture, want)
	}
	text := before + tableBegin + want + tableEnd + after
	if err := os.WriteFile(filepath.Join(w.root, architecture), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func tableInMarkdown() string {
	var b strings.Builder
	b.WriteString("| Package | imports of this module | because |\n|---|---|---|\n")
	for _, r := range table {
		var may []string
		for _, m := range r.may {
			if m != anything && m != public {
				m = "`" + inWords(m) + "`"
			}
			may = append(may, m)
		}
		if len(may) == 0 {
			may = []string{"nothing"}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", inWords(r.pkg), strings.Join(may, ", "), r.because)
	}
	return b.String()
}

func inWords(dir string) string {
	if dir == "." {
		return "fermata"
	}
	return dir
}
