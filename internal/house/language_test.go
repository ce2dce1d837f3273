package house

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// The text that users and maintainers read is plain English: pages of Markdown, doc comments of exported names, texts
// of errors, and help. The rules are below.

// summaryLength is the most characters that the first sentence of a doc comment has.
const summaryLength = 100

// clause matches a sentence whose subject is a clause; a question may begin like this.
var clause = regexp.MustCompile(`^(?:What|Whoever|Whatever|Whether|Whosoever|Who|What's)\b.*\s.*[^?]$`)

// phrases are not used, and what to write instead. The list grows.
var phrases = []struct {
	found   *regexp.Regexp
	instead string
}{
	{phrase(`who(?:so)?ever|whomever|who(?:so)?ever's`), "name who acts: the process that owns the run, the caller"},
	{phrase(`somebody`), "someone, a person, another process"},
	{phrase(`(?:is|are|was|were) not there`), "does not exist, is absent"},
	{phrase(`anew`), "again"},
	{phrase(`(?:is|are|was|were) let`), "may, is allowed to"},
	{phrase(`(?:takes?|took|taken|taking) (?:\w+ )?up`), "resume, claim, continue"},
	{phrase(`(?:comes?|came) by`), "receive, find"},
	{phrase(`oftener`), "more often"},
	{phrase(`in the place of`), "instead of"},
	{phrase(`(?:looks?|looked) whether`), "checks whether"},
	{phrase(`(?:is|are|was) told of|tells? of`), "reports, is notified of"},
	{phrase(`(?:comes?|came) of (?:it|them|this|that)`), "results"},
	{phrase(`(?:tells?|says?|reports?) all that is wrong`), "reports every problem"},
	{phrase(`all that is wrong`), "every problem"},
	{phrase(`by eights`), "octal"},
	{phrase(`has (?:its|their) say`), "name what acts"},
	{phrase(`read on`), "next steps"},
	{phrase(`is said by itself`), "default message"},
	{phrase(`pokes?`), "signals, notifies"},
	{phrase(`what comes of`), "the result of"},
	{phrase(`some way does not`), "not on every path"},
	{phrase(`the last time before`), "previous"},
	{phrase(`goes? its own way|going its own way`), "continues independently"},
	{phrase(`(?:is|are) at home`), "belongs to"},
	{phrase(`(?:is|are) (?:of|for) no use`), "useless, not needed"},
	{phrase(`in silence`), "silently"},
	{phrase(`the matter of`), "name it"},
	{phrase(`by turns`), "alternately"},
	{phrase(`(?:has|have) to say for (?:it|them)sel`), "documents"},
	{phrase(`minded|mindful`), "name it"},
	{phrase(`hindmost|foremost|uppermost`), "last, first, top"},
	{phrase(`thereupon|whereupon|whereby|wherein|thereof|hereby`), "then, by which, in which"},
	{phrase(`of its own accord`), "automatically"},
	{phrase(`what is no \w+`), "anything else, a text that is not JSON"},
	{phrase(`(?:is|are) (?:told|said) at once`), "reports every problem in one pass"},
	{phrase(`nobody (?:drives|owns)`), "without an owner"},
	{phrase(`whatever nobody`), "the runs without an owner"},
	{phrase(`takes? (?:\w+ )?for (?:an? )?(?:errors?|problems?)`), "treat as errors"},
	{phrase(`how (?:it|a run|they) (?:goes|go|stands|stand)(?: on)?`), "progress, state"},
	{phrase(`what (?:became|becomes) of`), "the status of, the result of"},
	{phrase(`(?:has|have|having) behind (?:it|them)`), "contains, follows"},
	{phrase(`come to a rest|comes to a rest`), "rests, stops"},
	{phrase(`(?:goes|go|went|gone|going) on with (?:it|them|the run|a run|that)`), "continue it, resume it"},
}

func phrase(words string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:` + words + `)\b`) }

// slip is a place where the text is not as the rules want it.
type slip struct {
	at   string // "plan/plan.go:12"
	rule string
	text string
}

func (s slip) String() string { return fmt.Sprintf("%s: %s: %q", s.at, s.rule, s.text) }

// TestLanguage finds slips of language in pages, comments, texts of errors and help.
func TestLanguage(t *testing.T) {
	for _, s := range languageSlips(readTree(t)) {
		t.Error(s)
	}
}

// languageSlips are all slips of the tree.
func languageSlips(w *tree) []slip {
	var all []slip
	for _, f := range w.files {
		switch {
		case strings.HasSuffix(f.path, ".md") && !isRecord(f.path):
			all = append(all, markdownSlips(f)...)
		case f.ast != nil && !f.isTest() && !f.generated():
			all = append(all, goSlips(w, f)...)
		}
	}
	return all
}

// isRecord reports whether a page is a record of its day: decisions and the changelog are not rewritten.
func isRecord(page string) bool {
	base := path.Base(page)
	return page == "CHANGELOG.md" || strings.HasPrefix(page, "docs/adr/") && base < "059" || strings.Contains(page, "testdata/")
}

var (
	htmlComment = regexp.MustCompile(`(?s)<!--.*?-->`)
	codeBlock   = regexp.MustCompile("(?ms)^ *```.*?\n *```$")
	codeSpan    = regexp.MustCompile("`[^`]*`")
	linkTarget  = regexp.MustCompile(`\]\([^)\s]*\)`)
	listItem    = regexp.MustCompile(`^\s*(?:[-*]|\d+\.)\s+`)
)

// passage is text that belongs together: a paragraph, an item of a list, a cell of a table, a heading.
type passage struct {
	line int
	text string
}

// passages are the passages of a page, without its code.
func passages(page string) []passage {
	blank := func(s string) string { return visual.ReplaceAllString(s, " ") }
	page = codeBlock.ReplaceAllStringFunc(htmlComment.ReplaceAllStringFunc(page, blank), blank)
	page = codeSpan.ReplaceAllStringFunc(page, func(s string) string { return "C" + strings.Repeat("\n", strings.Count(s, "\n")) })
	page = linkTarget.ReplaceAllLiteralString(page, "]")
	var all []passage
	open := false
	for i, line := range strings.Split(page, "\n") {
		trimmed := strings.TrimSpace(line)
		item := listItem.MatchString(line)
		switch {
		case trimmed == "" || strings.HasPrefix(line, "    ") && !open:
			open = false
		case strings.HasPrefix(trimmed, "#"):
			all, open = append(all, passage{i + 1, strings.TrimLeft(trimmed, "# ")}), false
		case strings.HasPrefix(trimmed, "|"):
			for cell := range strings.SplitSeq(strings.Trim(trimmed, "|"), "|") {
				all = append(all, passage{i + 1, strings.TrimSpace(cell)})
			}
			open = false
		case open && !item:
			all[len(all)-1].text += " " + trimmed
		default:
			all, open = append(all, passage{i + 1, listItem.ReplaceAllString(trimmed, "")}), true
		}
	}
	return all
}

func markdownSlips(f *file) []slip {
	var all []slip
	for _, p := range passages(f.text) {
		all = append(all, textSlips(f.path+":"+strconv.Itoa(p.line), strings.ReplaceAll(p.text, "*", ""))...)
	}
	return all
}

// sentenceEnd matches the end of a sentence, or of a part that could be one.
var sentenceEnd = regexp.MustCompile(`([.!?:])\s+`)

// sentences splits a passage; each keeps its last sign.
func sentences(text string) []string {
	var all []string
	for part := range strings.SplitSeq(sentenceEnd.ReplaceAllString(text, "$1\n"), "\n") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

// textSlips are the slips of a passage.
func textSlips(at, text string) []slip {
	var all []slip
	for _, s := range sentences(text) {
		if clause.MatchString(s) {
			all = append(all, slip{at, "the subject is a clause: name what acts", s})
		}
	}
	return append(all, phraseSlips(at, text)...)
}

// phraseSlips are the phrases of a text that are not used. The usage of a flag or a label may be a clause: "who cancels".
func phraseSlips(at, text string) []slip {
	var all []slip
	for _, p := range phrases {
		for _, m := range p.found.FindAllString(text, -1) {
			all = append(all, slip{at, "write: " + p.instead, m})
		}
	}
	return all
}

// goSlips are the slips of a Go file: its doc comments, texts of errors and help.
func goSlips(w *tree, f *file) []slip {
	var all []slip
	comment := func(group *ast.CommentGroup, summary bool) {
		if group == nil {
			return
		}
		at, text := w.at(group.Pos()), group.Text()
		for _, p := range passages(strings.ReplaceAll(text, "\t", "    ")) {
			all = append(all, textSlips(at, p.text)...)
		}
		if first := new(doc.Package).Synopsis(text); summary && utf8.RuneCountInString(first) > summaryLength {
			all = append(all, slip{at, fmt.Sprintf("the first sentence has more than %d characters", summaryLength), first})
		}
	}
	comment(f.ast.Doc, true)
	for _, d := range f.ast.Decls {
		exportedDocs(d, comment)
	}
	command := strings.HasPrefix(f.path, "cmd/")
	ast.Inspect(f.ast, func(n ast.Node) bool {
		texts, read := shownTexts(n), textSlips
		if command && len(texts) == 0 {
			texts, read = proseTexts(n), phraseSlips
		}
		for _, text := range texts {
			value := constantText(text)
			if value != "" {
				value = strings.ToUpper(value[:1]) + value[1:]
			}
			for _, p := range passages(value) {
				all = append(all, read(w.at(text.Pos()), p.text)...)
			}
		}
		return !command || len(texts) == 0 // the parts of a text are not read once more
	})
	return all
}

// proseTexts are the texts of a node of the command, which writes nearly all its texts for people: those with a space that
// are no JSON. The texts of tags and imports are not its own.
func proseTexts(n ast.Node) []ast.Expr {
	e, ok := n.(ast.Expr)
	if !ok {
		return nil
	}
	if text := constantText(e); !strings.Contains(text, " ") || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "json:") {
		return nil
	}
	return []ast.Expr{e}
}

// exportedDocs calls do with the comments of the exported names of a declaration. The first sentence of a name's own
// comment is its summary; comments of fields and of methods of interfaces have none.
func exportedDocs(d ast.Decl, do func(group *ast.CommentGroup, summary bool)) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && exportedReceiver(d) {
			do(d.Doc, true)
		}
	case *ast.GenDecl:
		some := false
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					some = true
					do(s.Doc, true)
					memberDocs(s.Type, do)
				}
			case *ast.ValueSpec:
				if slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
					some = true
					do(s.Doc, true)
					do(s.Comment, false)
				}
			}
		}
		if some {
			do(d.Doc, true)
		}
	}
}

// memberDocs calls do with the comments of exported fields and methods.
func memberDocs(t ast.Expr, do func(group *ast.CommentGroup, summary bool)) {
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
		if len(f.Names) == 0 || slices.ContainsFunc(f.Names, (*ast.Ident).IsExported) {
			do(f.Doc, false)
			do(f.Comment, false)
		}
	}
}

// exportedReceiver reports whether users can call a function: it has no receiver, or one of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	name, _, _ := strings.Cut(functionName(d), ".")
	return ast.IsExported(strings.Trim(name, "(*)"))
}

// makesErrors matches the functions whose first text is that of an error.
var makesErrors = regexp.MustCompile(`^(?:fmt\.Errorf|errors\.New|fault\.Sentinel|usagef|(?:\w+\.)?invalid|\w*\.?[a-z]*[eE]rrorf)$`)

// helpFields are the members of a command that hold its help.
var helpFields = []string{"Short", "Long", "Usage"}

// shownTexts are the texts that a node of a file shows to users.
func shownTexts(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.CallExpr:
		name := ""
		switch fun := n.Fun.(type) {
		case *ast.Ident:
			name = fun.Name
		case *ast.SelectorExpr:
			if x, ok := fun.X.(*ast.Ident); ok {
				name = x.Name + "." + fun.Sel.Name
			}
		}
		if name == "fault.Sentinel" {
			return n.Args[1:]
		}
		if len(n.Args) > 0 && makesErrors.MatchString(name) {
			return n.Args[:1]
		}
	case *ast.FuncDecl:
		if n.Name.Name == "Error" && n.Recv != nil {
			return textsIn(n.Body)
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(helpFields, key.Name) {
			return []ast.Expr{n.Value}
		}
	}
	return nil
}

// textsIn are the texts in the body of a method that makes the text of an error.
func textsIn(body *ast.BlockStmt) []ast.Expr {
	var all []ast.Expr
	ast.Inspect(body, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && strings.Contains(constantText(e), " ") {
			all = append(all, e)
			return false
		}
		return true
	})
	return all
}

// constantText is the text of literals that are put together; anything else has none.
func constantText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			if err == nil {
				return text
			}
		}
	case *ast.BinaryExpr:
		return constantText(e.X) + constantText(e.Y)
	case *ast.ParenExpr:
		return constantText(e.X)
	}
	return ""
}

// The checks above find the slips that they are written for, and nothing else.
func TestLanguageIsRead(t *testing.T) {
	const page = "# What is wrong\n\nWhat is wrong? This is fine.\nWhoever\nasks waits.\n\n```go\n// Whoever\n```\n\n- a `whoever` in code\n" +
		"- Fine. What a node returns is kept.\n\n| What | Whatever they say counts |\n"
	f := &file{path: "x.md", text: page}
	var got []string
	for _, s := range markdownSlips(f) {
		got = append(got, s.at+" "+s.text)
	}
	want := []string{
		"x.md:1 What is wrong", "x.md:3 Whoever asks waits.", "x.md:3 Whoever",
		"x.md:12 What a node returns is kept.", "x.md:14 Whatever they say counts",
	}
	if !slices.Equal(got, want) {
		t.Errorf("a page: got  %q\nwant %q", got, want)
	}

	fset, parsed := parse(t, `package p

// F does it.
//
// What it does not is left.
func F() error { return errors.New("whoever asks " + "waits") }

// whoever
func f() { _ = fmt.Errorf("%w: fine", err) }

// S has a first sentence that is so long that nobody who reads a list of names would ever want to read it.
type S struct {
	A int // anew
	b int // anew
}

var _ = &cobra.Command{Short: "What it is not", Use: "whoever"}
`)
	got = nil
	for _, s := range goSlips(&tree{root: "/", fset: fset}, &file{path: "p.go", ast: parsed}) {
		at := s.at[strings.LastIndex(s.at, ":")+1:]
		got = append(got, at+" "+s.text)
	}
	want = []string{
		"3 What it does not is left.",
		"13 anew",
		"11 S has a first sentence that is so long that nobody who reads a list of names would ever want to read it.",
		"6 Whoever asks waits", "6 Whoever", "17 What it is not",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("a file: got  %q\nwant %q", got, want)
	}

	fset, parsed = parse(t, `package p

func (e *E) Error() string { return fmt.Sprintf("task %s: what became of it", e.task) }

var ErrE = fault.Sentinel("e", "claimed by somebody")

func f(s *S) { s.Flags.StringVar(&s.a, "anew", "", "x; what is no " + "JSON"); s.Println("asked anew"); _ = `+"`"+`{"a": "asked anew"}`+"`"+` }
`)
	for path, want := range map[string][]string{
		"p.go":             {"3 what became of", "5 somebody"},
		"cmd/fermata/p.go": {"3 what became of", "5 somebody", "7 anew", "7 what is no JSON"},
	} {
		got = nil
		for _, s := range goSlips(&tree{root: "/", fset: fset}, &file{path: path, ast: parsed}) {
			got = append(got, s.at[strings.LastIndex(s.at, ":")+1:]+" "+s.text)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got  %q\nwant %q", path, got, want)
		}
	}
}
