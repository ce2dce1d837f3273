package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// table is the report for people.
func table(r Report) string {
	var b strings.Builder
	part := func(title, text string) { fmt.Fprintf(&b, "\n  %s\n\n%s", title, text) }
	fmt.Fprintf(&b, "  %s   %s\n\n%s", r.Module, r.Toolchain, grid{right: []int{1, 2}, rows: [][]string{
		{"its own", count(r.Own.Packages, "package"), count(r.Own.Lines, "line")},
		{
			"its dependencies", count(r.Others.Packages, "package"), count(r.Others.Lines, "line"),
			fmt.Sprintf("from %s; go.mod requires %s, %s directly", count(r.Built, "module"), number(r.Required), number(r.Direct)),
		},
	}})
	if len(r.Ranked) > 0 {
		part("Weight: how often a walk along imports from here is in the module, of 100 steps outside", ranked(r.Ranked))
		fmt.Fprintf(&b, "\n  %s\n", settling(r))
	}
	if len(r.Drops) > 0 {
		part("What would go if nothing here imported a direct dependency", drops(r.Drops, len(r.Ranked)))
	}
	if len(r.Tests) > 0 {
		part("In tests alone", tested(r.Tests))
	}
	if len(r.Unused) > 0 {
		part("Required, and imported by nothing that is built or tested here; `go mod why -m MODULE` looks further", idlers(r.Unused))
	}
	return b.String()
}

// nameWidth is how long the path of a module may be in the table.
const nameWidth = 40

func ranked(rows []Row) string {
	g := grid{right: []int{0, 3, 5, 6}}
	g.add("", "module", "version", "weight", "", "packages", "lines")
	for i, r := range rows {
		how := "through " + names(r.Through, 1)
		if r.Importers > 0 {
			how = "direct, from " + count(r.Importers, "package")
		}
		g.add(
			number(i+1), shorten(r.Path, nameWidth), release(r.Module), fmt.Sprintf("%.1f", 100*r.Weight),
			bar(r.Weight/rows[0].Weight), number(r.Packages), number(r.Lines), how,
		)
	}
	return g.String()
}

// settling says what the order is worth.
func settling(r Report) string {
	if !r.Settled {
		return fmt.Sprintf("not settled after %s: the order may still change, the weights changed by %.2g in the last one",
			count(r.Round, "round"), r.Change)
	}
	return fmt.Sprintf("settled after %s: the order stayed, the weights changed by %.2g", count(r.Round, "round"), r.Change)
}

func drops(list []Drop, most int) string {
	g, kept := grid{right: []int{1, 2}}, 0
	g.add("module", "packages", "lines")
	for _, d := range list {
		if d.Packages == 0 {
			kept++
			continue
		}
		if len(g.rows) > most {
			continue
		}
		var also []string
		if d.Stays {
			also = append(also, "of it, and it stays: another dependency imports it")
		}
		if len(d.With) > 0 {
			also = append(also, "with "+names(d.With, 2))
		}
		if n := len(d.Idle); n > 0 {
			also = append(also, "and "+count(n, "requirement")+" without an import")
		}
		g.add(shorten(d.Module, nameWidth), number(d.Packages), number(d.Lines), strings.Join(also, ", "))
	}
	text := g.String()
	if more := len(list) - kept - (len(g.rows) - 1); more > 0 {
		text += fmt.Sprintf("  and %d more\n", more)
	}
	if kept > 0 {
		text += fmt.Sprintf("  nothing with %d more: other dependencies import the same\n", kept)
	}
	return text
}

func tested(rows []Row) string {
	g := grid{right: []int{2, 3}}
	g.add("module", "version", "packages", "lines")
	for _, r := range rows {
		g.add(shorten(r.Path, nameWidth), release(r.Module), number(r.Packages), number(r.Lines))
	}
	return g.String()
}

func idlers(list []Unused) string {
	g := grid{}
	g.add("module", "version", "also required by")
	for _, u := range list {
		by := "none"
		if len(u.By) > 0 {
			by = names(u.By, 2)
		}
		g.add(shorten(u.Module, nameWidth), version(u.Version), by)
	}
	return g.String()
}

// release is a module's version, and what it was replaced by.
func release(m Module) string {
	if m.Replaced != "" {
		return "replaced"
	}
	return version(m.Version)
}

// version is a version without the hash of a commit: its date tells more.
func version(v string) string {
	parts := strings.Split(v, "-")
	if n := len(parts); n >= 3 && len(parts[n-1]) == 12 {
		if stamp := parts[n-2]; len(stamp) >= 14 {
			return strings.Join(append(parts[:n-2:n-2], stamp[len(stamp)-14:len(stamp)-6]), "-")
		}
	}
	return v
}

// names lists the first modules of several, without the host that most are on.
func names(modules []string, most int) string {
	list := make([]string, 0, most)
	for _, m := range modules[:min(most, len(modules))] {
		list = append(list, shorten(strings.TrimPrefix(m, "github.com/"), 28))
	}
	text := strings.Join(list, ", ")
	if more := len(modules) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// shorten takes elements out of the middle of a path that has more than n characters.
func shorten(path string, n int) string {
	parts := strings.Split(path, "/")
	for cut := 1; utf8.RuneCountInString(path) > n && len(parts)-cut >= 3; cut++ {
		path = strings.Join(slices.Concat(parts[:1], []string{"…"}, parts[1+cut:]), "/")
	}
	return path
}

// bar draws a share of 1.
func bar(share float64) string {
	const width = 10
	eighths := max(1, int(share*width*8+0.5))
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return text
}

// count says a number with its noun: "1 line", "1,234 lines".
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + one + "s"
}

// number writes thousands apart.
func number(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// grid is rows of cells in columns.
type grid struct {
	right []int // columns that are flush right
	rows  [][]string
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

func (g grid) String() string {
	var widths []int
	for _, row := range g.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	flush := make([]bool, len(widths))
	for _, i := range g.right {
		if i < len(flush) {
			flush[i] = true
		}
	}
	var b strings.Builder
	for _, row := range g.rows {
		padded := make([]string, len(row))
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if padded[i] = cell + pad; flush[i] {
				padded[i] = pad + cell
			}
		}
		b.WriteString(strings.TrimRight("  "+strings.Join(padded, "  "), " ") + "\n")
	}
	return b.String()
}
