package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/otel/metric"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/mcp"
	"github.com/fermata-go/fermata/model"
)

// Main is the command with everything that it touches of the outside: tests make one of their own.
type Main struct {
	Name    string // how the command was called: os.Args[0]
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Getenv  func(string) string
	Environ func() []string
	// Exit ends the process at once. It is called for a second Ctrl-C only.
	Exit func(code int)
	// Now tells the time. Defaults to time.Now.
	Now func() time.Time

	out, err *term.Screen
	global   globalFlags
	token    string // the resume token that the environment holds, "" for none
	used
	shownHints
}

// used is what runs use besides the store.
type used struct {
	models   model.Set            // of the environment
	servers  mcp.Pool             // of recipes
	measures metric.MeterProvider // of what is opened; nil for none
}

// shownHints are about the commands that people are shown.
type shownHints struct {
	order   []string // the commands as help lists them
	shown   string   // what --store takes in the commands that are shown, "" for none; see storeDSN
	forgets bool     // runs are kept in memory only, which ends with the command
	warned  bool     // that --store has a password was said
	hidden  string   // what is said about secrets that those commands do not have
	noHelp  error    // why help could not be shown: there is no such command
}

// globalFlags are the flags of all commands.
type globalFlags struct {
	store       string
	keysFile    string // with the keys of a sealed store
	acceptClear bool   // read what is not sealed, too
	allow       []string
	quiet       bool
	verbose     bool
}

// Run runs the command with the given arguments and returns its exit code; see exitCodes. Output that could not be written is an
// error, whatever the command has done.
func (m *Main) Run(ctx context.Context, args []string) int {
	code := m.run(ctx, args)
	if err := m.out.Err(); err != nil {
		m.complain(fmt.Errorf("writing to standard output: %w", err))
		if code == exitCompleted {
			return exitStore
		}
	}
	return code
}

func (m *Main) run(ctx context.Context, args []string) int {
	if m.Now == nil {
		m.Now = time.Now
	}
	if m.Environ == nil {
		m.Environ = os.Environ
	}
	m.out, m.err = term.New(m.Stdout, m.Getenv), term.New(m.Stderr, m.Getenv)
	var failed error
	if m.models, failed = findModels(); failed != nil {
		m.complain(failed)
		return exitInvalid
	}
	defer func() { _ = m.servers.Close() }() // a program that does not end well has been ended all the same
	m.takeToken()
	root := m.rootCommand()
	root.SetArgs(args)
	root.SetIn(m.Stdin)
	root.SetOut(m.out)
	root.SetErr(m.err)
	called, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = m.noHelp
	}
	if err == nil {
		return exitCompleted
	}
	code := exitOf(err)
	if wasSaid(err) {
		return code
	}
	m.complain(err)
	if code == exitUsage {
		m.err.Println("", "  "+m.err.Styles().Code.Apply(m.commandPath(called)+" --help"))
	}
	return code
}

// commandPath is how a command is called: "fermata tasks answer".
func (m *Main) commandPath(c *cobra.Command) string {
	return strings.Replace(c.CommandPath(), c.Root().Name(), m.program(), 1)
}

// program is how the command can be called again, for the commands that are shown to be copied.
func (m *Main) program() string {
	name := filepath.ToSlash(m.Name)
	switch {
	case strings.Contains(name, "/go-build"): // go run: the binary is gone afterwards
		if _, err := os.Stat(filepath.Join("cmd", "fermata", "main.go")); err == nil {
			return "go run ./cmd/fermata"
		}
		return "go run github.com/fermata-go/fermata/cmd/fermata"
	case strings.Contains(name, "/") && !filepath.IsAbs(m.Name):
		return name
	}
	return "fermata"
}

// command is a command line to be copied: the program, the store where it would not be found without, the rules where
// they were named, and the arguments, quoted for a shell where they need it. It holds no password.
func (m *Main) command(args ...string) string {
	parts := []string{m.program()}
	for _, arg := range args {
		parts = append(parts, shellQuote(arg))
	}
	if m.shown != "" {
		parts = append(parts, "--store", shellQuote(m.shown))
	}
	if m.global.keysFile != "" {
		parts = append(parts, "--keys-file", shellQuote(m.global.keysFile))
	}
	for _, rule := range m.global.allow {
		parts = append(parts, "--allow", shellQuote(rule))
	}
	return strings.Join(parts, " ")
}

func shellQuote(arg string) string {
	plain := arg != "" && strings.IndexFunc(arg, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=@%+,#", r))
	}) < 0
	if plain {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// user is who runs the command, as far as the environment says, or the system knows.
func (m *Main) user() string {
	for _, name := range []string{"USER", "LOGNAME", "USERNAME"} {
		if v := m.Getenv(name); v != "" {
			return v
		}
	}
	if me, err := user.Current(); err == nil {
		return me.Username
	}
	return ""
}

// terminal is the terminal that stdin is, nil where it is none.
func (m *Main) terminal() *os.File {
	if f, ok := m.Stdin.(*os.File); ok && term.IsTerminal(f) {
		return f
	}
	return nil
}
