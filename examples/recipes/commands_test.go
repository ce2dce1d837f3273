package recipes_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/internal/programs"
)

// TestCommandsOfTheHeads runs every command that the head of a recipe shows, in a shell, from the folder of the module,
// as a reader does who copies it. There is no terminal: who is asked nothing there is waited for.
func TestCommandsOfTheHeads(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	bin := t.TempDir()
	if err := programs.Build(t.Context(), bin, "../../cmd/fermata"); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*/recipe.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		for _, command := range commandsOf(t, file) {
			found++
			t.Run(filepath.Dir(file), func(t *testing.T) {
				t.Parallel()
				cmd := exec.CommandContext(t.Context(), "sh", "-c", command+" --no-input")
				cmd.Dir = filepath.Join("..", "..")
				cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
					"FERMATA_STORE="+filepath.Join(t.TempDir(), "runs.db"), "FERMATA_ROLE=", "USER=ann")
				out, err := cmd.CombinedOutput()
				exit, failed := errors.AsType[*exec.ExitError](err)
				const waits = 4
				if err != nil && (!failed || exit.ExitCode() != waits) {
					t.Errorf("%s\n%v\n%s", command, err, out)
				}
			})
		}
	}
	if found == 0 {
		t.Error("no head shows a command")
	}
}

// commandsOf are the commands in the comment that a recipe begins with: lines that are set in, and what follows a line
// that ends in a backslash.
func commandsOf(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	begun := false
	for line := range strings.Lines(string(data)) {
		text, comment := strings.CutPrefix(line, "#")
		if !comment {
			break
		}
		text = strings.TrimSpace(text)
		switch {
		case begun:
			all[len(all)-1] += " " + strings.TrimSuffix(text, `\`)
		case strings.HasPrefix(line, "#   fermata run "):
			all = append(all, strings.TrimSuffix(text, `\`))
		default:
			continue
		}
		begun = strings.HasSuffix(text, `\`)
	}
	return all
}
