package vet

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// ignoreMark begins a comment that silences a line.
const ignoreMark = "//fermata:ignore"

// ignored are the lines that comments silence.
type ignored struct {
	lines  map[string]map[int]bool
	silent []token.Pos // of comments that say no reason: they silence nothing
}

// readIgnored collects the comments: each is for its own line, and one that stands alone for the line below it.
func readIgnored(pass *analysis.Pass) *ignored {
	g := &ignored{lines: map[string]map[int]bool{}}
	for _, file := range pass.Files {
		for _, group := range file.Comments {
			for _, comment := range group.List {
				reason, ok := strings.CutPrefix(comment.Text, ignoreMark)
				if !ok || reason != "" && !strings.HasPrefix(reason, " ") && !strings.HasPrefix(reason, "\t") {
					continue
				}
				if strings.TrimSpace(reason) == "" {
					g.silent = append(g.silent, comment.Pos())
					continue
				}
				p := pass.Fset.Position(comment.Pos())
				if g.lines[p.Filename] == nil {
					g.lines[p.Filename] = map[int]bool{}
				}
				g.lines[p.Filename][p.Line] = true
				if last := group.List[len(group.List)-1]; startsLine(pass, comment.Pos()) {
					g.lines[p.Filename][pass.Fset.Position(last.End()).Line+1] = true
				}
			}
		}
	}
	return g
}

// startsLine reports whether only white space stands before a comment in its line.
func startsLine(pass *analysis.Pass, pos token.Pos) bool {
	p := pass.Fset.Position(pos)
	text, err := pass.ReadFile(p.Filename)
	if err != nil || p.Offset > len(text) || p.Column-1 > p.Offset {
		return false
	}
	return strings.TrimSpace(string(text[p.Offset-(p.Column-1):p.Offset])) == ""
}

func (g *ignored) at(files *token.FileSet, pos token.Pos) bool {
	p := files.Position(pos)
	return g.lines[p.Filename][p.Line]
}

// complain reports comments without a reason.
func (g *ignored) complain(c *checker) {
	for _, pos := range g.silent {
		c.report(finding{
			pos: pos, rule: ruleIgnore,
			text: ignoreMark + " silences nothing without a reason: write why this line is right, behind it",
		})
	}
}
