package plan_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/plan"
)

// Every form of every shape is pinned, and is what its reader can read.
func TestDrawings(t *testing.T) {
	for name, p := range shapes(t) {
		t.Run(name, func(t *testing.T) {
			golden(t, "drawings/"+name+".mmd", p.Mermaid())
			golden(t, "drawings/"+name+".dot", p.DOT())
			golden(t, "drawings/"+name+".txt", p.Text())
			doc, err := p.JSON()
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "drawings/"+name+".json", string(doc))
			if err := readable(p); err != nil {
				t.Error(err)
			}
		})
	}
}

// The path that a run took is marked in every form, in subgraphs as well.
func TestDrawingsShowThePathTaken(t *testing.T) {
	d := plan.Drawing{Plan: shapes(t)["nested"], Taken: map[string]string{
		"start here": "completed", "inner": "running", "inner/prepare": "completed", "inner/draft": "running",
		"inner/draft/write": "failed", "inner/draft/good": "paused", "publish": "skipped", "give up": "odd\x1b",
		"not a node": "completed",
	}}
	golden(t, "drawings/taken.mmd", d.Mermaid())
	golden(t, "drawings/taken.dot", d.DOT())
	golden(t, "drawings/taken.txt", d.Text())
	if err := errorsOf(checkMermaid(d.Mermaid()), checkDOT(d.DOT())); err != nil {
		t.Error(err)
	}
}

// What has no room is drawn below, and no line is wider than it must be.
func TestTextKeepsToItsWidth(t *testing.T) {
	p := compile(t, deep(8))
	narrow := plan.Drawing{Plan: p, Width: 34}.Text()
	golden(t, "drawings/narrow.txt", narrow)
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
	mermaidNode = regexp.MustCompile(`^(\w+)(\["[^"]*"\]|\{"[^"]*"\}|\[/"[^"]*"/\]|\(\[(?:START|END)\]\)|\(\(\(STOP\)\)\))$`)
	mermaidSub  = regexp.MustCompile(`^subgraph (\w+)\["[^"]*"\]$`)
	mermaidLink = regexp.MustCompile(`^(\w+) (?:-->|==>|-\.->)(?:\|"[^"]*"\|)? (\w+)$`)
	mermaidTail = regexp.MustCompile(`^(linkStyle [\d,]+ [\w:\-]+( \d+)?|classDef \w+ [\w:#,]+|class [\w,]+ \w+)$`)
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
		if entityLess.MatchString(strings.NewReplacer("-->", "", "==>", "", "-.->", "").Replace(entity.ReplaceAllString(line, ""))) {
			return fail("a character that should be an entity")
		}
		if styled && !mermaidTail.MatchString(line) {
			return fail("something follows the styles")
		}
		switch {
		case mermaidTail.MatchString(line):
			styled = true
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

var textTitle = regexp.MustCompile(`^[ │├└╞╘┃─╌┈═]*[●◇☻▣] (.*)$`)

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
