package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
)

// finding is what doctor found out about one thing.
type finding struct {
	Check  string `json:"check"`
	State  string `json:"state"` // ok, warning, error
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"`
}

// The states of a finding.
const (
	findingOK      = "ok"
	findingWarning = "warning"
	findingError   = "error"
)

func ok(check, format string, args ...any) finding {
	return finding{Check: check, State: findingOK, Found: fmt.Sprintf(format, args...)}
}

func doubtful(check, found, advice string) finding {
	return finding{check, findingWarning, found, advice}
}

func bad(check, found, advice string) finding { return finding{check, findingError, found, advice} }

func (m *Main) doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check this machine: the store, the terminal, and the programs that are used",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			findings := m.diagnose(c.Context())
			failed := false
			for _, f := range findings {
				failed = failed || f.State == findingError
				if asJSON {
					m.writeLine(f)
				}
			}
			if !asJSON {
				m.showFindings(findings)
			}
			if failed {
				return &exit{code: exitStore}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write one line of JSON for each check")
	return c
}

func (m *Main) diagnose(ctx context.Context) []finding {
	v := buildVersion()
	findings := []finding{ok("version", "%s, %s %s", v.Version, v.Go, v.Platform)}
	findings = append(findings, m.diagnoseStore(ctx)...)
	findings = append(findings, m.diagnoseTerminal(), m.diagnoseProgram(ctx, "git", "git", "--version"), m.diagnoseEditor())
	zone, offset := m.Now().Zone()
	findings = append(findings, ok("time zone", "%s, UTC%+03d:%02d", zone, offset/3600, offset/60%60))
	return append(findings, m.diagnoseEnvironment())
}

func (m *Main) diagnoseTerminal() finding {
	yes := func(is bool) string {
		if is {
			return "a terminal"
		}
		return "no terminal"
	}
	w, h := m.err.Size()
	found := fmt.Sprintf("stdin is %s, stdout %s, stderr %s", yes(m.terminal() != nil), yes(m.out.TTY), yes(m.err.TTY))
	if m.err.TTY {
		var can []string
		for _, c := range []struct {
			is   bool
			name string
		}{{m.err.Live, "redraws"}, {m.err.Color, "colours"}, {m.err.Unicode, "Unicode"}} {
			if c.is {
				can = append(can, c.name)
			}
		}
		found += fmt.Sprintf("; %dx%d, %s", w, h, strings.Join(append(can, "TERM="+m.Getenv("TERM")), ", "))
	}
	if m.terminal() == nil || !m.err.TTY {
		found += "; questions are not asked here"
	}
	return ok("terminal", "%s", found)
}

// slowest is how long a program may take to say its version.
const slowest = 5 * time.Second

func (m *Main) diagnoseProgram(ctx context.Context, check, name string, args ...string) finding {
	path, err := exec.LookPath(name)
	if err != nil {
		return doubtful(check, "not found", "recipes that call "+name+" fail, examples/release is one")
	}
	ctx, cancel := context.WithTimeout(ctx, slowest)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, args...).Output()
	if err != nil {
		return doubtful(check, path+" does not run: "+err.Error(), "")
	}
	return ok(check, "%s (%s)", term.OneLine(string(out)), path)
}

func (m *Main) diagnoseEditor() finding {
	editor := m.editor()
	if _, err := exec.LookPath(editor[0]); err != nil {
		return doubtful("editor", editor[0]+" is not found", "set EDITOR to write long answers in it")
	}
	return ok("editor", "%s", strings.Join(editor, " "))
}

// variables are the environment variables that the command looks at.
func variables() []string {
	names, secrets := []string{"FERMATA_STORE"}, []string(nil)
	for _, k := range serverKinds() {
		about := k.About()
		names, secrets = append(names, about.Variable), append(secrets, about.Secrets...)
	}
	return slices.Concat(names, []string{keysFileVariable, keysVariable, "FERMATA_ROLE", "FERMATA_NAME"}, secrets, []string{
		"XDG_STATE_HOME", "HOME", "USER", "VISUAL", "EDITOR", "TERM", "NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LC_ALL", "LC_CTYPE", "LANG", "TZ",
	})
}

// diagnoseEnvironment names the variables that are set. Their values may be nobody's business.
func (m *Main) diagnoseEnvironment() finding {
	var set []string
	for _, name := range variables() {
		if m.Getenv(name) != "" {
			set = append(set, name)
		}
	}
	if len(set) == 0 {
		return ok("environment", "none of %s is set", strings.Join(variables(), ", "))
	}
	return ok("environment", "set: %s", strings.Join(set, ", "))
}

func (m *Main) showFindings(findings []finding) {
	s, styles, glyphs := m.out, m.out.Styles(), m.out.Glyphs()
	names := 0
	for _, f := range findings {
		names = max(names, len(f.Check))
	}
	width := s.Width()
	if !s.TTY {
		width = 1 << 16
	}
	for _, f := range findings {
		mark := styles.Good.Apply(glyphs.Done)
		switch f.State {
		case findingWarning:
			mark = styles.Wait.Apply("!")
		case findingError:
			mark = styles.Bad.Apply(glyphs.Failed)
		}
		text := f.Found
		if f.Advice != "" {
			text += "\n" + f.Advice
		}
		for i, line := range term.Wrap(term.Plain(text), width-names-4) {
			lead := mark + " " + term.Pad(f.Check, names)
			if i > 0 {
				lead = strings.Repeat(" ", names+2)
			}
			s.Println(lead + "  " + line)
		}
	}
	if runtime.GOOS == "windows" {
		s.Println(styles.Faint.Apply("Windows: programs that a recipe starts are ended without their children."))
	}
}
