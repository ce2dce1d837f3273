package main

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/dialogue"
)

// fileReport is what validate found in one file.
type fileReport struct {
	File     string        `json:"file"`
	OK       bool          `json:"ok"`
	Name     string        `json:"name,omitempty"`
	Nodes    int           `json:"nodes,omitempty"`
	Flows    int           `json:"flows,omitempty"` // of a dialogue
	Problems []fileProblem `json:"problems"`
	Warnings []fileProblem `json:"warnings,omitempty"` // what is no error, and may keep a run from ending well

	warned []definition.Problem
}

type fileProblem struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
}

func (m *Main) validateCommand() *cobra.Command {
	var f validateFlags
	c := &cobra.Command{
		Use:   "validate FILE|FOLDER…",
		Short: "Check recipes and dialogues without running anything",
		Long: "Check recipes and dialogues: keys, names, schemas, expressions, and that every node can be reached and can come to an end. It " +
			"reports every problem in one pass, each with its file, line and column. Of a folder it checks all that fermata serve loads: " +
			"its recipe.yaml or dialogue.yaml, or else every recipe and dialogue, and so in the folders below. With --watch it checks again after each change " +
			"of these files, or of files that they may use, until Ctrl-C. Warnings name parts of a valid recipe that can still fail a " +
			"run, and what is missing on this machine, such as the key of a model.",
		Example: "fermata validate refund.yaml\nfermata validate refund.yaml --watch\nfermata validate recipes --json",
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return m.needFile("validate")
			case f.watch:
				return m.watchFiles(c.Context(), args, &f)
			}
			return m.validate(args, &f)
		},
	}
	c.Flags().StringVar(&f.agents, "agents", "", "a `file` with agents that the recipes name")
	c.Flags().BoolVar(&f.json, "json", false, "write one line of JSON for each file")
	c.Flags().BoolVar(&f.strict, "strict", false, "treat warnings as problems")
	c.Flags().BoolVarP(&f.watch, "watch", "w", false, "check again at each change, until Ctrl-C")
	return c
}

// validateFlags are the flags of fermata validate.
type validateFlags struct {
	agents string
	json   bool
	strict bool
	watch  bool
}

func (m *Main) validate(args []string, f *validateFlags) error {
	failed := false
	for _, c := range toCheck(args, nil) {
		report, problems, err := m.check(c, f)
		if err != nil {
			return err
		}
		failed = failed || !report.OK
		m.showReport(&report, problems, f.json)
	}
	if failed {
		return &exit{code: exitInvalid}
	}
	return nil
}

// showReport shows what was found in a file.
func (m *Main) showReport(report *fileReport, problems []definition.Problem, asJSON bool) {
	switch {
	case asJSON:
		m.writeLine(report)
	case report.OK:
		s := m.out
		s.Println(s.Styles().Good.Apply(s.Glyphs().Done) + " " + report.File + "  " +
			s.Styles().Faint.Apply(report.Name+", "+report.size()))
		m.showWarnings(s, report.warned)
	default:
		m.showProblems(m.out, problems)
		m.showWarnings(m.out, report.warned)
	}
}

// size says how much there is in a file.
func (r *fileReport) size() string {
	if r.Flows > 0 {
		return term.Count(r.Flows, "flow")
	}
	return term.Count(r.Nodes, "node")
}

// checkedFile is a file for validate.
type checkedFile struct {
	file   string
	served map[string]string // the names that its folder has so far, with their files; nil for a file that was named alone
	err    error             // why a folder cannot be looked through
}

// toCheck are the files that the arguments of validate mean: of a folder all that serve loads. The folder stands for its recipe.yaml
// or dialogue.yaml. Files that were definitions before stay it while they are there, whatever they hold now.
func toCheck(args []string, before map[string]fileReport) (all []checkedFile) {
	was := func(path string) bool {
		_, ok := before[path]
		return ok && stillThere(path)
	}
	for _, arg := range args {
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			all = append(all, checkedFile{file: arg})
			continue
		}
		files, err := definitionFiles(arg, func(path string) bool { return was(path) || defines(path) })
		if err == nil && len(files) == 0 {
			err = invalidf("there is no recipe or dialogue in %s or below it%s", arg, filesIn(arg))
		}
		if err != nil {
			all = append(all, checkedFile{file: arg, err: err})
			continue
		}
		served := make(map[string]string)
		whole, _ := recipeFile(arg)
		for _, file := range files {
			if file == whole {
				file = arg
			}
			all = append(all, checkedFile{file: file, served: served})
		}
	}
	return all
}

func (m *Main) check(c checkedFile, f *validateFlags) (fileReport, []definition.Problem, error) {
	file, err := c.file, c.err
	var r loaded
	if err == nil {
		r, err = m.load(file, f.agents)
	}
	problems := problemsOf(file, err)
	report := fileReport{File: file, Problems: fileProblems(problems)}
	switch {
	case problems != nil:
		return report, problems, nil
	case err != nil:
		return report, nil, err
	}
	report.Name, report.Nodes = r.Name(), len(r.Plan().Flat())
	if d, ok := r.(*dialogue.Dialogue); ok {
		report.Flows = len(d.Definition().Flows)
	}
	report.warned = slices.Concat(r.Warnings(), m.unready(r), m.unreadyEmbedder(r))
	if c.served != nil {
		if err := claimName(r.Name(), file, c.served); err != nil {
			report.warned = append(report.warned, definition.Problem{File: file, Message: "fermata serve leaves it out: " + err.Error()})
		}
	}
	report.Warnings = fileProblems(report.warned)
	report.OK = len(report.warned) == 0 || !f.strict
	return report, nil, nil
}

func fileProblems(problems []definition.Problem) []fileProblem {
	all := make([]fileProblem, len(problems))
	for i, p := range problems {
		all[i] = fileProblem(p)
	}
	return all
}

// problemsOf are what is wrong with a file that could not be loaded; nil for an error that is no fault of the file.
func problemsOf(file string, err error) []definition.Problem {
	var loading *definition.Error
	switch {
	case errors.As(err, &loading):
		return loading.Problems
	case err != nil && exitOf(err) == exitInvalid:
		return []definition.Problem{{File: file, Message: err.Error()}}
	}
	return nil
}

// showWarnings prints warnings as problems are, and says that they are none.
func (m *Main) showWarnings(s *term.Screen, warnings []definition.Problem) {
	told := slices.Clone(warnings)
	for i := range told {
		told[i].Message = "warning: " + told[i].Message
	}
	m.showPlaces(s, told)
}

// showProblems prints problems as compilers do. On a terminal each comes with its line and a caret.
func (m *Main) showProblems(s *term.Screen, problems []definition.Problem) {
	m.showPlaces(s, problems)
	if s.TTY && len(problems) > 1 {
		s.Println(s.Styles().Bad.Apply(term.Count(len(problems), "problem")))
	}
}

func (m *Main) showPlaces(s *term.Screen, problems []definition.Problem) {
	styles := s.Styles()
	texts := map[string][]string{}
	for _, p := range problems {
		place := strings.TrimSuffix(p.String(), p.Message)
		if !s.TTY {
			s.Println(term.Line(p.String()))
			continue
		}
		lines := term.Wrap(term.Line(place+p.Message), s.Width())
		if rest, ok := strings.CutPrefix(lines[0], term.Line(place)); ok {
			lines[0] = styles.Strong.Apply(term.Line(place)) + rest
		}
		s.Println(lines...)
		if p.Line == 0 {
			continue
		}
		text, read := texts[p.File]
		if !read {
			data, err := os.ReadFile(p.File)
			if err == nil {
				text = strings.Split(string(data), "\n")
			}
			texts[p.File] = text
		}
		s.Println(excerpt(s, text, p.Line, p.Column)...)
	}
}

// excerpt is a line of a file with a caret under a column.
func excerpt(s *term.Screen, text []string, line, column int) []string {
	if line < 1 || line > len(text) {
		return nil
	}
	runes := []rune(strings.ReplaceAll(strings.TrimRight(text[line-1], "\r"), "\t", " "))
	column = min(max(column, 1), len(runes)+1)
	from := 0
	if len(runes) > s.Width()-4 {
		from = max(0, column-s.Width()*2/3)
	}
	before := term.Plain(string(runes[from : column-1]))
	shown := before + term.Plain(string(runes[column-1:]))
	faint, bad := s.Styles().Faint, s.Styles().Bad
	return []string{
		"    " + faint.Apply(s.Cut(shown, s.Width()-4)),
		"    " + strings.Repeat(" ", term.Columns(before)) + bad.Apply(s.Glyphs().Caret),
		"",
	}
}
