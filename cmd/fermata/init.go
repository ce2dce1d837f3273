package main

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata/cmd/fermata/internal/templates"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/internal/nearest"
)

// initFlags are the flags of fermata init.
type initFlags struct {
	template string
	list     bool
	json     bool
}

func (m *Main) initCommand() *cobra.Command {
	var f initFlags
	c := &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "Begin a recipe or a dialogue from a template that runs at once",
		Long: "Write a first recipe or dialogue into a folder, by default the current one. It runs at once, explains its parts in " +
			"comments, and holds its tests. Its JSON Schema is written beside it, so that editors complete and explain. " +
			"Nothing is overwritten.",
		Example: "fermata init refund\nfermata init orders --template batch\nfermata init dialogue\nfermata init --list",
		Args:    atMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			folder := "."
			if len(args) > 0 {
				folder = args[0]
			}
			return m.begin(folder, &f)
		},
	}
	flags := c.Flags()
	flags.StringVarP(&f.template, "template", "t", "", "the `name` of a template (default the one that is called as the folder is, else "+templates.All()[0].Name+")")
	flags.BoolVar(&f.list, "list", false, "list the templates, and write nothing")
	flags.BoolVar(&f.json, "json", false, "write the list, or what was written, as JSON")
	_ = c.RegisterFlagCompletionFunc("template", cobra.FixedCompletions(templateNames(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func templateNames() []string {
	var names []string
	for _, t := range templates.All() {
		names = append(names, t.Name)
	}
	return names
}

// begin writes a template into a folder, or lists them.
func (m *Main) begin(folder string, f *initFlags) error {
	if f.list {
		m.listTemplates(f)
		return nil
	}
	t, ok := templates.Named(f.template)
	if f.template == "" {
		t, ok = templateFor(folder), true
	}
	if !ok {
		return usagef("there is no template %q%s; there are %s", f.template, nearest.Hint(f.template, templateNames()),
			strings.Join(templateNames(), ", "))
	}
	written, err := t.Write(folder)
	if exists, ok := errors.AsType[*templates.ExistsError](err); ok {
		return &exit{code: exitConflict, err: &withAdvice{exists, "another folder: " + m.command(initIn("FOLDER", t)...)}}
	}
	if err != nil {
		return err
	}
	test, run := m.command("test", folder), m.command(runOf(folder, t)...)
	if f.json {
		m.writeLine(initReport{Template: t.Name, Files: written, Next: []string{test, run}})
		return nil
	}
	does := "run it"
	if t.IsDialogue() {
		does = "talk to it"
	}
	s, styles := m.out, m.out.Styles()
	for _, file := range written {
		s.Println(styles.Good.Apply(s.Glyphs().Done) + " " + file)
	}
	commands := term.Table{Indent: 2, Rows: [][]string{
		{styles.Code.Apply(test), styles.Faint.Apply("run its tests")},
		{styles.Code.Apply(run), styles.Faint.Apply(does)},
	}}
	s.Println("")
	s.Println(commands.Lines(s)...)
	return nil
}

// templateFor is the template of a folder when none is named: the one that is called as it is, else the first.
func templateFor(folder string) templates.Template {
	if t, ok := templates.Named(filepath.Base(folder)); ok {
		return t
	}
	return templates.All()[0]
}

// initIn is how the template is written elsewhere.
func initIn(folder string, t templates.Template) []string {
	args := []string{"init", folder}
	if t.Name != templates.All()[0].Name {
		args = append(args, "--template", t.Name)
	}
	return args
}

// runOf is how the recipe is run, or the dialogue held.
func runOf(folder string, t templates.Template) []string {
	if t.IsDialogue() {
		return []string{"chat", folder}
	}
	args := []string{"run", folder}
	if name, file, ok := strings.Cut(t.Input, "=@"); ok {
		args = append(args, "--input", name+"=@"+filepath.Join(folder, file))
	}
	return args
}

// initReport is the line of what was written.
type initReport struct {
	Template string   `json:"template"`
	Files    []string `json:"files"`
	Next     []string `json:"next"` // commands
}

func (m *Main) listTemplates(f *initFlags) {
	list := term.Table{}
	for _, t := range templates.All() {
		if f.json {
			m.writeLine(struct {
				Template string   `json:"template"`
				About    string   `json:"about"`
				Files    []string `json:"files"`
			}{t.Name, t.About, t.Files()})
			continue
		}
		list.Rows = append(list.Rows, []string{m.out.Styles().Strong.Apply(t.Name), t.About})
	}
	if !f.json {
		m.out.Println(m.out.Fit(list.Lines(m.out))...)
	}
}
