package house

import (
	"fmt"
	"go/ast"
	"go/doc"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The pages of docs/tutorial, docs/how-to, docs/reference and docs/explanation show only code that is compiled and output
// that was printed: a block of Go is a region of a test in docs/guide, a block of text or a drawing is the output of an
// example there, which go test compares with what the example prints. A line above the block says which:
//
//	<!-- guide: first -->           the region between "// [guide: first]" and "// [guide: end]"
//	<!-- prints: Example_first -->  the example's output
//
// go test ./internal/house -update writes the blocks as they have to be.
//
// An unmarked block is an error, except in the pages below.
var ownSnippets = map[string]string{
	"docs/tutorial/recipe.md":        "cmd/fermata runs its commands",
	"docs/how-to/observe.md":         "telemetry compares its code with an example",
	"docs/how-to/channels.md":        "the module channels compares its code with an example",
	"docs/how-to/write-a-channel.md": "likewise",
}

// guidePages are the pages that show code of docs/guide.
func guidePages(w *tree) []*file {
	var pages []*file
	for _, f := range w.files {
		if strings.HasSuffix(f.path, ".md") && slices.Contains([]string{"docs/tutorial", "docs/how-to", "docs/reference", "docs/explanation"}, f.dir()) {
			pages = append(pages, f)
		}
	}
	return pages
}

const guideFolder = "docs/guide"

var (
	regionLine = regexp.MustCompile(`^\s*// \[guide: (.+)\]$`)
	shownBlock = regexp.MustCompile("(?m)^<!-- (guide|prints): (.+) -->\n```(go|text|mermaid)\n((?s:.*?))```$")
	anyBlock   = regexp.MustCompile("(?m)^```(go|text|mermaid)$")
)

// regions are the pieces of a file that pages show, by name, moved to the left margin.
func regions(text string) (map[string]string, error) {
	found := make(map[string]string)
	name, begin := "", 0
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		m := regionLine.FindStringSubmatch(line)
		switch {
		case m == nil:
		case m[1] == "end" && name == "":
			return nil, fmt.Errorf("line %d ends a region, and none is open", i+1)
		case m[1] == "end":
			found[name], name = atMargin(lines[begin:i]), ""
		case name != "":
			return nil, fmt.Errorf("line %d begins region %q inside of region %q", i+1, m[1], name)
		case found[m[1]] != "":
			return nil, fmt.Errorf("line %d begins region %q a second time", i+1, m[1])
		default:
			name, begin = m[1], i+1
		}
	}
	if name != "" {
		return nil, fmt.Errorf("region %q has no end", name)
	}
	return found, nil
}

// atMargin takes the indentation of the first line from all of them, and empty lines from both ends.
func atMargin(lines []string) string {
	text := strings.Trim(strings.Join(lines, "\n"), "\n")
	indent := text[:len(text)-len(strings.TrimLeft(text, "\t"))]
	return strings.ReplaceAll(strings.TrimPrefix(text, indent), "\n"+indent, "\n") + "\n"
}

// shown is all that pages may show, as the lines above their blocks name it.
func shown(t *testing.T, w *tree) map[string]string {
	t.Helper()
	all := make(map[string]string)
	var parsed []*ast.File
	for _, f := range w.goFiles(true) {
		if f.dir() != guideFolder {
			continue
		}
		parsed = append(parsed, f.ast)
		found, err := regions(f.text)
		if err != nil {
			t.Fatalf("%s: %v", f.path, err)
		}
		for name, text := range found {
			if all["guide: "+name] != "" {
				t.Fatalf("%s: region %q is in another file, too", f.path, name)
			}
			all["guide: "+name] = text
		}
	}
	for _, example := range doc.Examples(parsed...) {
		if example.Output == "" {
			t.Errorf("%s: Example%s is compiled and not run: it has no output", guideFolder, example.Name)
		}
		all["prints: Example"+example.Name] = example.Output
	}
	return all
}

func TestTheGuideIsCompiled(t *testing.T) {
	w := readTree(t)
	all := shown(t, w)
	unused := maps.Clone(all)
	pages := guidePages(w)
	if len(pages) < 20 {
		t.Fatalf("found only %d pages", len(pages))
	}
	for _, f := range pages {
		missing := false
		text := shownBlock.ReplaceAllStringFunc(f.text, func(block string) string {
			m := shownBlock.FindStringSubmatch(block)
			what := m[1] + ": " + m[2]
			want, ok := all[what]
			if !ok {
				t.Errorf("%s shows %q; %s has %s", f.path, what, guideFolder, strings.Join(slices.Sorted(maps.Keys(all)), ", "))
				missing = true
				return block
			}
			delete(unused, what)
			return fmt.Sprintf("<!-- %s -->\n```%s\n%s```", what, m[3], want)
		})
		if blocks, marked := len(anyBlock.FindAllString(f.text, -1)), len(shownBlock.FindAllString(f.text, -1)); ownSnippets[f.path] == "" && blocks != marked {
			t.Errorf("%s has %d blocks of go, text or mermaid, and %d of them have a line above that says where they come from", f.path, blocks, marked)
		}
		switch {
		case text == f.text || missing:
		case *update:
			if err := os.WriteFile(filepath.Join(w.root, filepath.FromSlash(f.path)), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s does not show the code of %s as it is; go test ./internal/house -update writes it there", f.path, guideFolder)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(unused)) {
		if name, ok := strings.CutPrefix(what, "guide: "); ok {
			t.Errorf("no page shows the region %q of %s", name, guideFolder)
		}
	}
}

// The check above sees what it is there to see.
func TestRegionsAreFound(t *testing.T) {
	got, err := regions("a\n\t// [guide: x]\n\n\tb {\n\t\tc\n\t}\n\n\t// [guide: end]\nd\n")
	if want := (map[string]string{"x": "b {\n\tc\n}\n"}); err != nil || !maps.Equal(got, want) {
		t.Errorf("got %q, %v", got, err)
	}
	for _, broken := range []string{
		"// [guide: x]\n", "// [guide: end]\n", "// [guide: x]\n// [guide: y]\n// [guide: end]\n",
		"// [guide: x]\na\n// [guide: end]\n// [guide: x]\nb\n// [guide: end]\n",
	} {
		if _, err := regions(broken); err == nil {
			t.Errorf("%q is accepted", broken)
		}
	}
	const page = "<!-- guide: x -->\n```go\na\n```\n\n```text\nb\n```\n"
	if m := shownBlock.FindAllStringSubmatch(page, -1); len(m) != 1 || m[0][2] != "x" || m[0][4] != "a\n" {
		t.Errorf("found %q", m)
	}
}
