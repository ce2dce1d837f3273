package house

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The pages do not go on claiming that a thing is missing once it exists. A passage that makes such a claim holds a
// marker, which readers do not see:
//
//	<!-- missing: symbol fermata.Runtime.Signal -->   no package declares this; the parent has to exist
//	<!-- missing: command fermata console -->         the command has no such subcommand
//	<!-- missing: release 0.1.0 -->                   CHANGELOG.md has no such heading
//
// A passage without a marker is refused, whatever else it says: use another word where no claim is made.

var (
	claims = regexp.MustCompile(`(?i)\bnot \w* ?yet\b|\bno \w+ yet\b|\byet to\b|\bplanned\b|\bmissing\b|\bdoes not exist\b|\bdo not exist\b|` +
		`\bno such\b|\bfor now\b|\bnot implemented\b|\b(?:is|are) to come\b|\bin the future\b|\bcomes? later\b|\bunsupported\b|\bnot supported\b`)
	// innocent are words about values of users, which may be missing at any time.
	innocent = regexp.MustCompile(`(?i)\b(?:what|it|one) (?:is|may be) missing|\bmissing (?:values?|members?|names?|inputs?|tests?)\b`)

	claimMarker = regexp.MustCompile(`<!-- missing: (\w+) (\S.*?) -->`)
)

// claimPages reports whether a page is checked: it describes Fermata as it is.
func claimPages(page string) bool {
	return strings.HasSuffix(page, ".md") && !strings.HasPrefix(page, "docs/adr/") && !strings.Contains(page, "testdata/") && page != "CHANGELOG.md"
}

// A claim that a thing is missing names the thing, and the thing is missing.
func TestMissingThingsAreMissing(t *testing.T) {
	w := readTree(t)
	world := newWorld(t, w)
	markers := 0
	for _, f := range w.files {
		if !claimPages(f.path) {
			continue
		}
		for _, p := range claimsOf(f.text) {
			if len(p.markers) == 0 {
				t.Errorf("%s:%d: %q claims that a thing is missing, and no marker names it: <!-- missing: symbol x.Y -->", f.path, p.line, p.claim)
			}
			for _, m := range p.markers {
				markers++
				if err := world.missing(m[0], m[1]); err != nil {
					t.Errorf("%s:%d: %v", f.path, p.line, err)
				}
			}
		}
	}
	if markers < 5 { // there are fewer with each thing that is made
		t.Errorf("only %d markers: are they still found?", markers)
	}
}

// claimed is a passage with a claim, or with a marker.
type claimed struct {
	line    int
	claim   string      // the first of its words
	markers [][2]string // kind and name
}

// claimsOf are the passages of a page that claim something is missing, or hold a marker: items of lists, rows of tables,
// paragraphs.
func claimsOf(page string) []claimed {
	blank := func(s string) string { return visual.ReplaceAllString(s, " ") }
	page = codeBlock.ReplaceAllStringFunc(page, blank)
	var all []claimed
	begin, text := 0, ""
	end := func() {
		c := claimed{line: begin}
		for _, m := range claimMarker.FindAllStringSubmatch(text, -1) {
			c.markers = append(c.markers, [2]string{m[1], m[2]})
		}
		words := codeSpan.ReplaceAllLiteralString(htmlComment.ReplaceAllLiteralString(text, ""), "C")
		c.claim = claims.FindString(innocent.ReplaceAllLiteralString(strings.Join(strings.Fields(words), " "), ""))
		if c.claim != "" || len(c.markers) > 0 {
			all = append(all, c)
		}
		text = ""
	}
	for i, line := range strings.Split(page, "\n") {
		if text != "" && (strings.TrimSpace(line) == "" || listItem.MatchString(line) || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "#")) {
			end()
		}
		if text == "" {
			begin = i + 1
		}
		if strings.TrimSpace(line) != "" {
			text += line + " "
		}
	}
	end()
	return all
}

// world is what exists.
type world struct {
	symbols  map[string]bool   // "fermata", "fermata.Runtime", "fermata.Runtime.Start", "journal.RunFilter.Status"
	aliases  map[string]string // "fermata.Options": "runtype.Options"
	commands map[string]bool   // "run", "runs", "prune"
	changes  string            // the changelog
}

func newWorld(t *testing.T, w *tree) *world {
	t.Helper()
	all := &world{
		symbols: make(map[string]bool), aliases: make(map[string]string), commands: make(map[string]bool),
		changes: w.find(t, "CHANGELOG.md").text,
	}
	for dir, files := range w.packages() {
		name := path.Base(dir)
		if dir == "." {
			name = "fermata"
		}
		for _, f := range files {
			if f.ast.Name.Name != "main" {
				all.declare(name, f.ast)
			}
			if dir == "cmd/fermata" {
				all.command(f.ast)
			}
		}
	}
	all.follow()
	if !all.symbols["fermata.Runtime.Start"] || !all.symbols["journal.RunFilter.Status"] || !all.commands["run"] {
		t.Fatal("symbols and commands are not found any more")
	}
	return all
}

// declare notes the exported names of a file: types with their fields and methods, functions, variables, constants.
func (a *world) declare(pkg string, f *ast.File) {
	a.symbols[pkg] = true
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := strings.NewReplacer("(*", "", ")", "").Replace(functionName(d))
			a.symbols[pkg+"."+name] = true
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					a.symbols[pkg+"."+s.Name.Name] = true
					if of, ok := s.Type.(*ast.SelectorExpr); ok && s.Assign.IsValid() {
						a.aliases[pkg+"."+s.Name.Name] = fmt.Sprint(of.X, ".", of.Sel)
					}
					a.members(pkg+"."+s.Name.Name, s.Type)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						a.symbols[pkg+"."+n.Name] = true
					}
				}
			}
		}
	}
}

// follow gives aliases the fields and methods of the types that they name.
func (a *world) follow() {
	for _, symbol := range slices.Collect(maps.Keys(a.symbols)) {
		for alias, of := range a.aliases {
			if member, ok := strings.CutPrefix(symbol, of+"."); ok {
				a.symbols[alias+"."+member] = true
			}
		}
	}
}

func (a *world) members(of string, t ast.Expr) {
	var fields *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields = t.Methods
	default:
		return
	}
	for _, f := range fields.List {
		for _, n := range f.Names {
			a.symbols[of+"."+n.Name] = true
		}
	}
}

// command notes the names of the commands that a file makes: Use: "run FILE".
func (a *world) command(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		kv, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		key, isName := kv.Key.(*ast.Ident)
		value, isText := kv.Value.(*ast.BasicLit)
		if isName && isText && key.Name == "Use" {
			if use, err := strconv.Unquote(value.Value); err == nil {
				name, _, _ := strings.Cut(use, " ")
				a.commands[name] = true
			}
		}
		return true
	})
}

// missing reports an error unless a thing is missing, and its parent is not: a name that is misspelt proves nothing.
func (a *world) missing(kind, name string) error {
	switch kind {
	case "symbol":
		at := strings.LastIndex(name, ".")
		if at < 0 || !a.symbols[name[:at]] {
			return fmt.Errorf("symbol %s: expected a name in a package or a type that exists", name)
		}
		if a.symbols[name] {
			return fmt.Errorf("%s exists: the page says that it is missing", name)
		}
	case "command":
		words := strings.Fields(name)
		if len(words) < 2 || words[0] != "fermata" || slices.ContainsFunc(words[1:len(words)-1], func(c string) bool { return !a.commands[c] }) {
			return fmt.Errorf("command %s: expected fermata and a command, below one that exists", name)
		}
		if a.commands[words[len(words)-1]] {
			return fmt.Errorf("the command %s exists: the page says that it is missing", name)
		}
	case "release":
		if strings.Contains(a.changes, "\n## ["+name+"]") {
			return fmt.Errorf("release %s exists: the page says that it is missing", name)
		}
	default:
		return fmt.Errorf("%s %s: expected symbol, command or release", kind, name)
	}
	return nil
}

// codeName matches a name of Go in a page: a package or a type of the root, and what it has.
var codeName = regexp.MustCompile("`((?:[a-z]+|Runtime|Options)\\.[A-Z][\\w.]*|checked\\.\\w+)`")

// The glossary and the page on architecture name symbols that exist.
func TestPagesNameSymbols(t *testing.T) {
	w := readTree(t)
	world := newWorld(t, w)
	for page, least := range map[string]int{"docs/reference/glossary.md": 40, "docs/architecture.md": 30} {
		f, found := w.find(t, page), 0
		for _, m := range codeName.FindAllStringSubmatchIndex(f.text, -1) {
			name := f.text[m[2]:m[3]]
			switch owner, _, _ := strings.Cut(name, "."); owner {
			case "Runtime", "Options":
				name = "fermata." + name
			case "checked":
				name = "recipe." + name
			}
			if found++; !world.symbols[name] {
				t.Errorf("%s:%d: there is no symbol %s", f.path, f.line(m[2]), name)
			}
		}
		if found < least {
			t.Errorf("%s: found only %d names", page, found)
		}
	}
}

// The check above finds claims and markers, and sees what exists.
func TestClaimsAreRead(t *testing.T) {
	const page = "Nothing is missing.\n\n- a `missing` key\n- Not\n  yet there <!-- missing: command fermata console -->\n| no such row |\n\n```text\nmissing\n```\n"
	got := fmt.Sprint(claimsOf(page))
	if want := "[{1 missing []} {4 Not yet [[command fermata console]]} {6 no such []}]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	a := &world{
		symbols: map[string]bool{"p": true, "p.T": true, "p.T.M": true}, commands: map[string]bool{"runs": true, "show": true},
		changes: "\n## [0.1.0]\n",
	}
	for _, m := range [][2]string{{"symbol", "p.N"}, {"symbol", "p.T.N"}, {"command", "fermata console"}, {"command", "fermata runs pack"}, {"release", "0.2.0"}} {
		if err := a.missing(m[0], m[1]); err != nil {
			t.Error(err)
		}
	}
	for _, m := range [][2]string{
		{"symbol", "p.T"},
		{"symbol", "p.T.M"},
		{"symbol", "q.T"},
		{"symbol", "p.U.M"},
		{"symbol", "p"},
		{"command", "fermata runs"},
		{"command", "fermata runs show"},
		{"command", "fermata rums pack"},
		{"command", "console"},

		{"key", "x"},
	} {
		if a.missing(m[0], m[1]) == nil {
			t.Errorf("%s %s: accepted", m[0], m[1])
		}
	}
}
