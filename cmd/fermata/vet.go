package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/definition"
)

// vetFinding is what vet found at one place.
type vetFinding struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Severity string `json:"severity"` // error, advice
	Rule     string `json:"rule"`
	Message  string `json:"message"`
	Fix      string `json:"fix,omitempty"` // what --fix would do
}

// The severities of a vetFinding.
const (
	vetError  = "error"
	vetAdvice = "advice"
)

// vetFlags are the flags of fermata vet.
type vetFlags struct {
	fix    bool
	json   bool
	strict bool
}

func (m *Main) vetCommand() *cobra.Command {
	var f vetFlags
	c := &cobra.Command{
		Use:   "vet [PACKAGE…]",
		Short: "Check Go nodes for code that goes wrong when it runs again",
		Long: "Check Go nodes for code that goes wrong when it runs again: effects outside of steps, the machine's clock, random numbers, " +
			"the order of maps, goroutines that share keys. Packages are named as for go vet, and default to the one in this folder. " +
			"An error goes wrong as soon as the node waits, or blocks the run; advice is about what goes wrong after a crash or a " +
			"failure, and does not change the exit code. A comment //fermata:ignore REASON silences a line. " +
			"The analyzer is a program of the version of Fermata that the module requires; it is built when it is first needed. " +
			"The same without advice is go vet with the tool fermata-vet.",
		Example: "fermata vet ./...\nfermata vet --fix ./orders\nfermata vet --json --strict ./...",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			return m.vet(c.Context(), args, &f)
		},
	}
	c.Flags().BoolVar(&f.fix, "fix", false, "apply suggested changes, and show findings without one")
	c.Flags().BoolVar(&f.json, "json", false, "write one line of JSON for each finding")
	c.Flags().BoolVar(&f.strict, "strict", false, "treat advice as errors")
	return c
}

func (m *Main) vet(ctx context.Context, packages []string, f *vetFlags) error {
	if i := slices.IndexFunc(packages, func(p string) bool { return strings.HasPrefix(p, "-") }); i >= 0 {
		return usagef("expected a package, found %q", packages[i])
	}
	tool, err := vetTool(ctx)
	if err != nil {
		return cmp.Or(ctx.Err(), err)
	}
	if f.fix {
		if _, err := goVet(ctx, tool, packages, "-fix"); err != nil {
			return err
		}
	}
	out, err := goVet(ctx, tool, packages, "-json")
	if err != nil {
		return err
	}
	findings, err := readFindings(out)
	if err != nil {
		return err
	}
	failed := false
	for i := range findings {
		failed = failed || findings[i].Severity == vetError || f.strict
		if f.json {
			m.writeLine(findings[i])
		}
	}
	if !f.json {
		m.showVet(findings, packages)
	}
	if failed {
		return &exit{code: exitInvalid}
	}
	return nil
}

// goVet has the go command call the tool for each package, as it calls its own vet: it compiles what is needed, and keeps
// what was found for packages that stay as they are. The flag fermata.packages keeps what it found when others were asked for
// apart: see vet.Analyzer.
func goVet(ctx context.Context, tool string, packages []string, mode string) ([]byte, error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	asked := "-fermata.packages=" + strings.Join(append([]string{here}, packages...), " ")
	var out, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", append([]string{"vet", "-vettool=" + tool, mode, "-fermata.advice", asked}, packages...)...)
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err = cmd.Run()
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &failed) && mode == "-json":
		return nil, invalidf("go vet: %s", withoutHeads(stderr.String()))
	case err != nil && mode == "-json":
		return nil, err
	}
	return append(out.Bytes(), stderr.Bytes()...), nil
}

// withoutHeads leaves out the lines that name packages.
func withoutHeads(text string) string {
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(text), "\n"), func(line string) bool { return strings.HasPrefix(line, "# ") })
	return strings.Join(lines, "\n")
}

// diagnostic is a finding as go vet writes it.
type diagnostic struct {
	Category string `json:"category"`
	Posn     string `json:"posn"`
	Message  string `json:"message"`
	Fixes    []struct {
		Message string `json:"message"`
	} `json:"suggested_fixes"`
}

// readFindings reads what go vet writes: for each package its name behind a #, and an object by package and analyzer. A
// package and its tests are two, which have most files in common.
func readFindings(out []byte) ([]vetFinding, error) {
	var findings []vetFinding
	decoder := json.NewDecoder(strings.NewReader(withoutHeads(string(out))))
	for decoder.More() {
		var found map[string]map[string]json.RawMessage
		if err := decoder.Decode(&found); err != nil {
			return nil, fmt.Errorf("go vet wrote something else than findings: %w", err)
		}
		for _, by := range found {
			for _, raw := range by {
				var list []diagnostic
				if err := json.Unmarshal(raw, &list); err != nil {
					return nil, invalidf("go vet: %s", raw)
				}
				for _, d := range list {
					findings = append(findings, d.finding())
				}
			}
		}
	}
	sort.Slice(findings, func(i, j int) bool {
		a, b := &findings[i], &findings[j]
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message)) < 0
	})
	return slices.Compact(findings), nil
}

func (d *diagnostic) finding() vetFinding {
	f := vetFinding{Severity: vetError, Message: d.Message}
	rule, advice := strings.CutPrefix(d.Category, vetAdvice+"-")
	if f.Rule = rule; advice {
		f.Severity = vetAdvice
	}
	if len(d.Fixes) > 0 {
		f.Fix = d.Fixes[0].Message
	}
	f.File = d.Posn
	for _, n := range []*int{&f.Column, &f.Line} {
		i := strings.LastIndexByte(f.File, ':')
		if i < 0 {
			break
		}
		*n, _ = strconv.Atoi(f.File[i+1:])
		f.File = f.File[:i]
	}
	if here, err := os.Getwd(); err == nil {
		if short, err := filepath.Rel(here, f.File); err == nil && !strings.HasPrefix(short, "..") {
			f.File = short
		}
	}
	return f
}

// showVet shows findings as compilers do, and how many there are.
func (m *Main) showVet(findings []vetFinding, packages []string) {
	s := m.out
	styles := s.Styles()
	if len(findings) == 0 {
		s.Println(styles.Good.Apply(s.Glyphs().Done) + " " + strings.Join(packages, " ") + "  " + styles.Faint.Apply("nothing found"))
		return
	}
	failures, fixes, shown := 0, 0, []definition.Problem{}
	for _, f := range findings {
		text := f.Message
		if f.Severity == vetAdvice {
			text = vetAdvice + ": " + text
		} else {
			failures++
		}
		if f.Fix != "" {
			fixes++
		}
		shown = append(shown, definition.Problem{File: f.File, Line: f.Line, Column: f.Column, Message: text})
	}
	m.showPlaces(s, shown)
	var counts []string
	if failures > 0 {
		counts = append(counts, styles.Bad.Apply(term.Count(failures, "error")))
	}
	if n := len(findings) - failures; n > 0 {
		counts = append(counts, fmt.Sprintf("%d of advice", n))
	}
	if fixes > 0 {
		counts = append(counts, fmt.Sprintf("--fix mends %d", fixes))
	}
	s.Println(strings.Join(counts, ", "))
}
