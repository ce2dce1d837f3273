package plan_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/internal/golden"
	"github.com/fermata-go/fermata/plan"
)

// drawn compares a drawing with its golden.
func drawn(t *testing.T, name, got string) {
	t.Helper()
	golden.Open(t, "testdata/drawings/*.txtar").Compare(t, name, got)
}

// Every form of every shape is pinned, and is what its reader can read.
func TestDrawings(t *testing.T) {
	for name, p := range shapes(t) {
		t.Run(name, func(t *testing.T) {
			drawn(t, name+".mmd", p.Mermaid())
			drawn(t, name+".dot", p.DOT())
			drawn(t, name+".txt", p.Text())
			doc, err := p.JSON()
			if err != nil {
				t.Fatal(err)
			}
			drawn(t, name+".json", string(doc))
			if err := readable(p); err != nil {
				t.Error(err)
			}
		})
	}
}

// The label and the color that a presentation says are drawn; what is no color gets into no drawing.
func TestDrawingsOfPresentations(t *testing.T) {
	shown := func(n plan.Node, presentation string) plan.Node {
		n.Presentation = []byte(presentation)
		return n
	}
	p := compile(t, define("shown", "a", []plan.Node{
		shown(task("a"), `{"label":"Read \n the letter","color":"#3a6","x":12}`),
		shown(human("b"), `{"label":"<b>\"Is it good?\"</b>","color":"teal"}`),
		shown(task("c"), `{"label":7,"color":"red;fill:url(http://x)"}`),
		shown(task("d"), `[]`),
	}, edge("a", "b"), edge("b", "c"), edge("c", "d")))
	drawn(t, "shown.mmd", p.Mermaid())
	drawn(t, "shown.dot", p.DOT())
	drawn(t, "shown.txt", p.Text())
	drawn(t, "shown.svg", p.SVG())
	doc, err := p.JSON()
	if err != nil {
		t.Fatal(err)
	}
	drawn(t, "shown.json", string(doc))
}

// The path that a run took is marked in every form, in subgraphs as well.
func TestDrawingsShowThePathTaken(t *testing.T) {
	d := plan.Drawing{Plan: shapes(t)["nested"], Taken: map[string]string{
		"start here": "completed", "inner": "running", "inner/prepare": "completed", "inner/draft": "running",
		"inner/draft/write": "failed", "inner/draft/good": "paused", "publish": "skipped", "give up": "odd\x1b",
		"not a node": "completed",
	}}
	drawn(t, "taken.mmd", d.Mermaid())
	drawn(t, "taken.dot", d.DOT())
	drawn(t, "taken.txt", d.Text())
	if err := errorsOf(checkMermaid(d.Mermaid()), checkDOT(d.DOT())); err != nil {
		t.Error(err)
	}
}

// The same goes for dataflows, and for what runs once for each item.
func TestDrawingsOfDataflowsShowThePathTaken(t *testing.T) {
	d := plan.Drawing{Plan: shapes(t)["flow-nested"], Taken: map[string]string{
		"split": "completed", "embed": "running", "embed/clip": "completed", "embed/call": "failed", "describe": "completed",
		"improve": "paused", "improve/generate": "completed", "improve/quality_gate": "odd", "store": "skipped",
	}}
	drawn(t, "flow-taken.mmd", d.Mermaid())
	drawn(t, "flow-taken.dot", d.DOT())
	drawn(t, "flow-taken.txt", d.Text())
	if err := errorsOf(checkMermaid(d.Mermaid()), checkDOT(d.DOT())); err != nil {
		t.Error(err)
	}
}

// What has no room is drawn below, and no line is wider than it must be.
func TestTextKeepsToItsWidth(t *testing.T) {
	p := compile(t, deep(8))
	narrow := plan.Drawing{Plan: p, Width: 34}.Text()
	drawn(t, "narrow.txt", narrow)
	for line := range strings.Lines(narrow) {
		if columns := len([]rune(strings.TrimSuffix(line, "\n"))); columns > 34 {
			t.Errorf("%d columns: %s", columns, line)
		}
	}
	for i := range 8 {
		for _, title := range []string{"◇ gate ", "● left ", "● right "} {
			if n := strings.Count(narrow, title+itoa(i)+"\n"); n != 1 {
				t.Errorf("%s%d is drawn %d times", title, i, n)
			}
		}
	}
}

// The lines of a dataflow are cut and broken, but for the names of nodes.
func TestTextOfDataflowsKeepsToItsWidth(t *testing.T) {
	for name, p := range flows(t) {
		for width := 44; width <= 120; width += 4 {
			text := plan.Drawing{Plan: p, Width: width}.Text()
			for line := range strings.Lines(text) {
				if columns := len([]rune(strings.TrimSuffix(line, "\n"))); columns > width {
					t.Errorf("%s in %d columns has %d: %s", name, width, columns, line)
				}
			}
			for i := range p.Flat() {
				if n := p.Flat()[i].Name; !regexp.MustCompile(`[●◇☻▣] ` + regexp.QuoteMeta(n) + `( |\n)`).MatchString(text) {
					t.Errorf("%s in %d columns has no %s", name, width, n)
				}
			}
		}
	}
	drawn(t, "flow-narrow.txt", plan.Drawing{Plan: flows(t)["flow-nested"], Width: 40}.Text())
	drawn(t, "flow-narrower.txt", plan.Drawing{Plan: flows(t)["flow-nested"], Width: 24}.Text())
}

// Loops that are nested deeper than there are bars have the last bar together, and every node is drawn all the same.
func TestTextOfLoopsInLoops(t *testing.T) {
	drawn(t, "flow-deep.txt", wired(t, loopsInLoops(t, 8)).Text())
	if err := checkText(wired(t, loopsInLoops(t, 200))); err != nil {
		t.Error(err)
	}
}

// loopsInLoops is a dataflow of n loops, each in the one before.
func loopsInLoops(t testing.TB, n int) plan.Definition {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "step%d: v%d > v%d\n", i, i, i+1)
	}
	for i := range n {
		next := "END"
		if i < n-1 {
			next = "check" + itoa(i+1)
		}
		fmt.Fprintf(&text, "check%d: v%d ? step%d=again %s=on\n", i, n, n-1-i, next)
	}
	return flow(t, "deep", text.String())
}

func TestPlanIsJSON(t *testing.T) {
	p := shapes(t)["pay"]
	within, err := json.Marshal(map[string]any{"plan": p})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := p.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if err := errorsOf(json.Unmarshal(within, &a), json.Unmarshal(alone, &b)); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(a.(map[string]any)["plan"]), fmt.Sprint(b); got != want { //nolint:forcetypeassert // made above
		t.Errorf("expected %s\nfound    %s", want, got)
	}
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// readable checks all forms of a plan's drawing.
func readable(p *plan.Plan) error {
	return errorsOf(checkMermaid(p.Mermaid()), checkDOT(p.DOT()), checkText(p))
}

var (
	mermaidNode = regexp.MustCompile(`^(\w+)(\["[^"]*"\]|\{"[^"]*"\}|\[/"[^"]*"/\]|\(\[(?:START|END|"[^"]*")\]\)|\(\(\(STOP\)\)\))$`)
	mermaidSub  = regexp.MustCompile(`^subgraph (\w+)\["[^"]*"\]$`)
	mermaidLink = regexp.MustCompile(`^(\w+) (?:-->|==>|-\.->)(?:\|"[^"]*"\|)? (\w+)$`)
	mermaidTail = regexp.MustCompile(`^(linkStyle [\d,]+ [\w:#,\-]+( \d+)?|classDef \w+ [\w:#,\-]+( \d+)?|class [\w,]+ \w+)$`)
	entityLess  = regexp.MustCompile("[<>`;%]")
	entity      = regexp.MustCompile(`&?#\d+;`)
)

// checkMermaid reads a flowchart of the form that is drawn here, line by line: quotes hold no quotes, subgraphs are
// closed, links join nodes that were declared before, and nothing follows the styles.
func checkMermaid(text string) error {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != "flowchart TD" {
		return fmt.Errorf("mermaid: the first line is %q", lines[0])
	}
	declared, open, styled := map[string]bool{}, 0, false
	for i, line := range lines[1:] {
		line = strings.TrimSpace(line)
		fail := func(what string) error { return fmt.Errorf("mermaid, line %d: %s: %s", i+2, what, line) }
		if entityLess.MatchString(strings.NewReplacer("-->", "", "==>", "", "-.->", "", "<br/>", "").Replace(entity.ReplaceAllString(line, ""))) {
			return fail("a character that should be an entity")
		}
		if styled && !mermaidTail.MatchString(line) {
			return fail("something follows the styles")
		}
		switch {
		case mermaidTail.MatchString(line):
			styled = true
		case line == "direction TB" && open > 0:
		case line == "end":
			if open--; open < 0 {
				return fail("nothing to end")
			}
		case mermaidSub.MatchString(line):
			open++
			declared[mermaidSub.FindStringSubmatch(line)[1]] = true
		case mermaidNode.MatchString(line):
			id := mermaidNode.FindStringSubmatch(line)[1]
			if declared[id] {
				return fail("declared twice")
			}
			declared[id] = true
		case mermaidLink.MatchString(line):
			ends := mermaidLink.FindStringSubmatch(line)
			if !declared[ends[1]] || !declared[ends[2]] {
				return fail("an end that is not declared")
			}
		default:
			return fail("not understood")
		}
	}
	if open != 0 {
		return fmt.Errorf("mermaid: %d subgraphs are not closed", open)
	}
	return nil
}

var (
	dotAttributes = `(?:\w+=(?:"[^"\\]*"|\w+)(?:, )?)+`
	dotNode       = regexp.MustCompile(`^(\w+) \[` + dotAttributes + `\];$`)
	dotEdge       = regexp.MustCompile(`^(\w+) -> (\w+)(?: \[` + dotAttributes + `\])?;$`)
	dotCluster    = regexp.MustCompile(`^subgraph cluster\d+ \{$`)
)

// checkDOT reads a graph of the form that is drawn here, line by line.
func checkDOT(text string) error {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != "digraph plan {" {
		return fmt.Errorf("dot: the first line is %q", lines[0])
	}
	declared, open := map[string]bool{}, 1
	for i, line := range lines[1:] {
		line = strings.TrimSpace(line)
		switch {
		case open == 0:
			return fmt.Errorf("dot, line %d: something follows the graph: %s", i+2, line)
		case line == "}":
			open--
		case dotCluster.MatchString(line):
			open++
		case dotNode.MatchString(line):
			declared[dotNode.FindStringSubmatch(line)[1]] = true
		case dotEdge.MatchString(line):
			ends := dotEdge.FindStringSubmatch(line)
			if !declared[ends[1]] || !declared[ends[2]] {
				return fmt.Errorf("dot, line %d: an end that is not declared: %s", i+2, line)
			}
		default:
			return fmt.Errorf("dot, line %d: not understood: %s", i+2, line)
		}
	}
	if open != 0 {
		return fmt.Errorf("dot: %d braces are open", open)
	}
	return nil
}

var textTitle = regexp.MustCompile(`^[ │├└╞╘┃─╌┈═╭╰▸]*[●◇☻▣] (.*)$`)

// checkText finds every node of a plan drawn exactly once.
func checkText(p *plan.Plan) error {
	var drawn int
	for line := range strings.Lines(p.Text()) {
		if textTitle.MatchString(strings.TrimSuffix(line, "\n")) {
			drawn++
		}
		if strings.ContainsAny(strings.TrimSuffix(line, "\n"), "\x1b\r\n\t") {
			return fmt.Errorf("text: a control character: %q", line)
		}
	}
	if drawn != len(p.Flat()) {
		return fmt.Errorf("text: %d of %d nodes are drawn:\n%s", drawn, len(p.Flat()), p.Text())
	}
	return nil
}
