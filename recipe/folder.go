package recipe

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-go/fermata/internal/document"
)

// Folders returns the working directories of programs that agents start, sorted. It covers the agents of the recipe and
// of the recipes in it. The process that runs a run needs these folders: a program whose folder does not exist fails.
// Agents that no node calls start nothing.
func (r *Recipe) Folders() []string {
	all := make(map[string]bool)
	r.doc.eachProgram(func(folder string, _ *agent, _ *command) { all[folder] = true })
	return slices.Sorted(maps.Keys(all))
}

// Programs returns the programs that agents start by a bare name, looked up in PATH, sorted. It covers the agents and
// MCP servers of the recipe and of the recipes in it. Agents that no node calls start nothing.
func (r *Recipe) Programs() []string {
	all := make(map[string]bool)
	r.doc.eachProgram(func(_ string, _ *agent, c *command) {
		if isBare(c.argv[0]) {
			all[c.argv[0]] = true
		}
	})
	return slices.Sorted(maps.Keys(all))
}

// isBare reports whether a program is looked for in PATH.
func isBare(program string) bool { return filepath.Base(program) == program }

// warnAbsent warns of programs that this machine cannot start. That is no error: a recipe may be checked on one machine and run on
// another one.
func (d *draft) warnAbsent(r *document.Report) {
	d.eachProgram(func(folder string, a *agent, c *command) {
		program := c.argv[0]
		if !isBare(program) && !filepath.IsAbs(program) {
			program = filepath.Join(folder, program)
		}
		_, err := exec.LookPath(program)
		if err == nil || errors.Is(err, exec.ErrDot) {
			return
		}
		var why string
		switch words := strings.Fields(c.words[0].Text); {
		case len(words) > 1 && len(c.words) == 1:
			r.Warn(c.words[0].Spot, "the program %s has spaces in its name; the program and each of its arguments are items of the list of their own: command: [%s]",
				document.Quote(c.words[0].Text), strings.Join(quotedWords(words), ", "))
			return
		case isBare(program):
			why = "no folder of PATH (" + os.Getenv("PATH") + ") has it"
		case errors.Is(err, fs.ErrNotExist):
			why = "there is no file " + program
		default:
			why = program + " cannot be executed"
		}
		r.Warn(c.words[0].Spot, "this machine cannot start the program %s: %s; install it, or leave runs to a worker that has it",
			document.Quote(c.words[0].Text), a.secrets.text(why))
	})
}

// quotedWords are words as they stand in a list of YAML.
func quotedWords(words []string) []string {
	quoted := slices.Clone(words)
	for i, w := range quoted {
		if !plainWord.MatchString(w) {
			quoted[i] = strconv.Quote(w)
		}
	}
	return quoted
}

var plainWord = regexp.MustCompile(`^[A-Za-z./_][A-Za-z0-9./_-]*$`)

// eachProgram tells of the programs that agents start, and of the folders that they are started in.
func (d *draft) eachProgram(yield func(folder string, a *agent, c *command)) {
	for d := range d.family(false) {
		for name := range d.called() {
			a := d.agents[name]
			if w, starts := can[starter](a); starts && len(w.starts().argv) > 0 && w.starts().argv[0] != "" {
				yield(d.dir, a, w.starts())
			}
		}
	}
}
