package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/nearest"
)

// The groups of commands, as help shows them.
const (
	groupRun   = "run"
	groupWatch = "watch"
	groupWrite = "write"
	groupOther = "other"
)

func (m *Main) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "fermata",
		Short: "Run workflows that wait for people, survive anything in between, and finish once",
		Long: "Fermata runs recipes: graphs of programs, expressions and people. Every run is a journal in a store, so it can " +
			"wait for days, lose its process at any moment, and still do everything once.",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return emptyFlags(cmd)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q%s", args[0], suggestion(cmd, args[0]))
			}
			return cmd.Help()
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&m.global.store, "store", "", storeHelp())
	flags.StringVar(&m.global.keysFile, "keys-file", "", keysHelp)
	flags.BoolVar(&m.global.acceptClear, "accept-clear", false, "read what is not sealed in a sealed store, too: of a store that was clear before")
	flags.StringArrayVar(&m.global.allow, "allow", nil,
		"limit what recipes may reach to `rules`: exec=PROGRAM, http=ADDRESS, files=FOLDER, none (default $FERMATA_ALLOW)")
	flags.BoolVarP(&m.global.quiet, "quiet", "q", false, "show no progress")
	flags.BoolVarP(&m.global.verbose, "verbose", "v", false, "show log lines")
	flags.BoolP("help", "h", false, "show what the command does")

	root.AddGroup(
		&cobra.Group{ID: groupRun, Title: "Run"}, &cobra.Group{ID: groupWatch, Title: "Look and answer"},
		&cobra.Group{ID: groupWrite, Title: "Write recipes"}, &cobra.Group{ID: groupOther, Title: "Other"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			m.order = append(m.order, c.Name())
			root.AddCommand(c)
		}
	}
	add(groupRun, m.runCommand(), m.chatCommand(), m.resumeCommand(), m.workCommand(), m.scheduleCommand(), m.serveCommand())
	add(groupWatch, m.runsCommand(), m.tasksCommand(), m.traceCommand(), m.eventsCommand(), m.feedCommand())
	add(groupWrite, m.initCommand(), m.validateCommand(), m.testCommand(), m.vetCommand(), m.devCommand(), m.graphCommand(), m.schemaCommand())
	add(groupOther, m.tokensCommand(), m.sessionsCommand(), m.auditCommand(), m.doctorCommand(), m.versionCommand())
	root.SetHelpCommandGroupID(groupOther)
	root.SetCompletionCommandGroupID(groupOther)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if args := c.Flags().Args(); c == root && len(args) > 0 && args[0] != "help" {
			m.noHelp = usagef("unknown command %q%s", args[0], suggestion(c, args[0]))
			return
		}
		m.help(c)
	})
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedName() == "token" {
			return usagef(errTokenShown)
		}
		if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
			return usagef("%v%s", err, unknownFlag(c, unknown.GetSpecifiedName()))
		}
		return usagef("%v", err)
	})
	return root
}

// suggestion ends a message about a command that does not exist: those below other commands that have the name, or the nearest one.
func suggestion(c *cobra.Command, name string) string {
	var names, below []string
	if name == "list" {
		name = "ls"
	}
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		names = append(names, sub.Name())
		for _, inner := range sub.Commands() {
			if inner.Name() == name && inner.IsAvailableCommand() {
				below = append(below, sub.Name()+" "+name)
			}
		}
	}
	if len(below) > 0 {
		return "; did you mean " + document.OneOf(below) + "?"
	}
	return nearest.Hint(name, names)
}

// unknownFlag adds the nearest flag of the command to the error of one that it does not have.
func unknownFlag(c *cobra.Command, name string) string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	if near := nearest.Name("--"+name, names); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// help says what a command does: its purpose, how it is called, examples, what is below it, its flags.
func (m *Main) help(c *cobra.Command) {
	s, styles := m.out, m.out.Styles()
	width := min(s.Width(), 110)
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	s.Println(term.Wrap(text, width)...)
	use := strings.Replace(c.UseLine(), c.Root().Name(), m.program(), 1)
	if c.HasAvailableSubCommands() && !c.Runnable() || c == c.Root() {
		use = m.commandPath(c) + " COMMAND"
	}
	s.Println("", styles.Strong.Apply("Usage"), "  "+strings.ReplaceAll(use, " [flags]", ""))
	if c.Example != "" {
		s.Println("", styles.Strong.Apply("Examples"))
		for line := range strings.SplitSeq(strings.Trim(c.Example, "\n"), "\n") {
			s.Println("  " + strings.TrimSpace(line))
		}
	}
	m.helpCommands(c)
	m.helpFlags("Flags", c.LocalNonPersistentFlags(), width)
	inherited := pflag.NewFlagSet("", pflag.ContinueOnError)
	inherited.AddFlagSet(c.Root().PersistentFlags())
	m.helpFlags("Everywhere", inherited, width)
	if c == c.Root() {
		s.Println("", "Exit codes: 0 completed, 1 failed, 2 usage, 3 invalid file or input, 4 paused, 5 deadline or limit,",
			"6 cancelled, 7 conflict, or a run that cannot go on here, 8 store, network or authorisation.")
	}
}

func (m *Main) helpCommands(c *cobra.Command) {
	s, styles := m.out, m.out.Styles()
	groups := c.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands"}}
	}
	commands, names := slices.Clone(c.Commands()), 0
	for _, sub := range commands {
		names = max(names, len(sub.Name()))
	}
	slices.SortStableFunc(commands, func(a, b *cobra.Command) int {
		return slices.Index(m.order, a.Name()) - slices.Index(m.order, b.Name())
	})
	for _, g := range groups {
		t := term.Table{Indent: 2}
		for _, sub := range commands {
			if sub.IsAvailableCommand() && sub.GroupID == g.ID && (sub.Name() != "help" || sub.GroupID == "") {
				t.Rows = append(t.Rows, []string{term.Pad(sub.Name(), names), sub.Short})
			}
		}
		if len(t.Rows) > 0 {
			s.Println("", styles.Strong.Apply(g.Title))
			s.Println(s.Fit(t.Lines(s))...)
		}
	}
}

func (m *Main) helpFlags(title string, flags *pflag.FlagSet, width int) {
	names, texts, column := []string{}, []string{}, 0
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, text := pflag.UnquoteUsage(f)
		name := "    --" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", --" + f.Name
		}
		if value != "" {
			name += " " + value
		}
		names, texts = append(names, name), append(texts, text)
		column = max(column, len(name))
	})
	if len(names) == 0 {
		return
	}
	m.out.Println("", m.out.Styles().Strong.Apply(title))
	for i, name := range names {
		for j, line := range term.Wrap(texts[i], max(width-column-4, 20)) {
			if j > 0 {
				name = ""
			}
			m.out.Println("  " + term.Pad(name, column) + "  " + line)
		}
	}
}
