package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/fermata-go/fermata/node"
)

// A token comes from a file, standard input or the environment, and is shown nowhere; as an argument it is refused.
func TestH5_ATokenIsNoArgument(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "runs.db")
	q := asked(t, path, node.RequireToken())
	if q.Token == "" {
		t.Fatal("the question has no token")
	}
	file := filepath.Join(dir, "token")
	if err := os.WriteFile(file, []byte(q.Token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		args       []string
		stdin, env string
		code       int
		says       string
	}{
		{[]string{"show", q.ID}, "", "", exitCompleted, "--token-file FILE"},
		{[]string{"claim", q.ID}, "", "", exitStore, "to present it: --token-file FILE"},
		{[]string{"claim", q.ID, "--token", q.Token}, "", "", exitUsage, "is not an argument"},
		{[]string{"claim", q.ID, "--token=" + q.Token}, "", "", exitUsage, "is not an argument"},
		{[]string{"claim", q.ID, "--token-file", empty}, "", "", exitUsage, "found nothing"},
		{[]string{"claim", q.ID, "--token-file", "-"}, "guessed", "", exitStore, "not the one that was given out"},
		{[]string{"claim", q.ID, "--token-file", "-"}, q.Token + "\n", "", exitCompleted, "claimed"},
		{[]string{"release", q.ID}, "", "", exitCompleted, "released"},
		{[]string{"reassign", q.ID, "--to", "tester"}, "", "", exitStore, "to present it"},
		{[]string{"reassign", q.ID, "--to", "tester"}, "", q.Token, exitCompleted, "reassigned"},
		{[]string{"escalate", q.ID, "--to-role", "chief", "--token-file", file}, "", "guessed", exitCompleted, "escalated"},
		{[]string{"answer", q.ID, "--value", "true", "--role", "chief"}, "", "", exitStore, "to present it"},
		{[]string{"answer", q.ID, "--value", "true", "--role", "chief", "--token-file", file}, "", "", exitCompleted, "answered"},
	} {
		m, stdout, stderr := command(t)
		m.Stdin = strings.NewReader(step.stdin)
		known := m.Getenv
		m.Getenv = func(name string) string {
			if name == tokenVariable {
				return step.env
			}
			return known(name)
		}
		code := m.Run(t.Context(), slices.Concat([]string{"tasks"}, step.args, []string{"--store", path}))
		said := stdout.String() + stderr.String()
		if code != step.code || !strings.Contains(said, step.says) || strings.Contains(said, q.Token) {
			t.Errorf("%q: exit code %d, expected %d and %q, and no token:\n%s", step.args, code, step.code, step.says, said)
		}
	}
}

// No flag of any command takes a secret: there are files and variables of the environment for those.
func TestH5_NoFlagTakesASecret(t *testing.T) {
	m, _, _ := command(t)
	m.Run(t.Context(), []string{"version"}) // makes its screens
	secret := regexp.MustCompile(`(?i)token|secret|passw|credential|key`)
	flags := 0
	for _, c := range leaves(m.rootCommand()) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			flags++
			if f.Value.Type() != "bool" && secret.MatchString(f.Name) && !strings.HasSuffix(f.Name, "-file") {
				t.Errorf("%s takes --%s as an argument, which the process list shows", c.CommandPath(), f.Name)
			}
		})
	}
	if flags < 50 {
		t.Errorf("%d flags were looked at", flags)
	}
}

// An address with a password can be an argument, as with other programs; it is said each time who sees it, and what to do.
func TestH5_APasswordInStoreIsWarnedOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		store string
		warns bool
	}{
		{"redis://:sesam@127.0.0.1:1/0", true},
		{"redis://127.0.0.1:1/0?pasword=sesam", true},
		{"host=127.0.0.1 port=1 password=sesam", true},
		{"redis://127.0.0.1:1/0", false},
		{"postgres//u:sesam@host/db", false},
		{filepath.Join(t.TempDir(), "runs.db"), false},
	} {
		m, stdout, stderr := command(t)
		m.Run(t.Context(), []string{"runs", "ls", "--store", tt.store})
		said := stdout.String() + stderr.String()
		if strings.Contains(said, "sesam") || strings.Contains(said, "every user of this machine can read the arguments") != tt.warns {
			t.Errorf("--store %s: %s", tt.store, said)
		}
	}
}

// A program that a recipe runs is not given the token that the command was.
func TestH5_ProgramsAreNotGivenTheToken(t *testing.T) {
	t.Setenv(tokenVariable, "SECRETTOKEN")
	m, _, _ := command(t)
	m.Getenv = os.Getenv
	m.Run(t.Context(), []string{"version"})
	if m.token != "SECRETTOKEN" || slices.ContainsFunc(os.Environ(), func(v string) bool { return strings.Contains(v, "SECRETTOKEN") }) {
		t.Errorf("the command has %q, and the environment of its programs still has it", m.token)
	}
}

// The id is compared and comes first; the name is shown behind it, decides nothing, and cannot be taken for an id.
func TestH6_NamesAreShownAndNeverCompared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	task := asked(t, path, node.Role("chief")).ID
	said := func(want int, args ...string) string {
		t.Helper()
		m, stdout, stderr := command(t)
		code := m.Run(context.WithoutCancel(t.Context()), append(args, "--store", path))
		if code != want {
			t.Fatalf("%q: exit code %d, expected %d: %s", args, code, want, stderr)
		}
		return stdout.String() + stderr.String()
	}
	tasks := func(want int, says string, args ...string) {
		t.Helper()
		if text := said(want, append([]string{"tasks"}, args...)...); !strings.Contains(text, says) {
			t.Errorf("%q: expected %q in\n%s", args, says, text)
		}
	}
	chief := []string{"--role", "chief"}
	as := func(id, name string, args ...string) []string {
		return slices.Concat(args, []string{"--as", id, "--name", name}, chief)
	}
	tasks(exitCompleted, `as u17 "Ada Lovelace"`, as("u17", "Ada Lovelace", "claim", task)...)
	tasks(exitCompleted, `claimed by  u17 "Ada Lovelace"`, "show", task)
	tasks(exitCompleted, `claimed by u17 "Ada Lovelace"`, "ls")
	tasks(exitConflict, `by u17`, as("u18", "Ada Lovelace", "answer", task, "--value", "true")...)
	tasks(exitConflict, `by u17`, as("Ada Lovelace", "u17", "answer", task, "--value", "true")...)
	tasks(exitCompleted, `released`, as("U17", "somebody else", "release", task)...)
	tasks(exitCompleted, `reassigned`, as("u17", "Ada", "reassign", task, "--to", "u18", "--to-name", `x" (u19`)...)
	tasks(exitCompleted, `assigned to  u18 "x\" (u19"`, "show", task)
	tasks(exitStore, `it is for u18`, as("u19", "u18", "answer", task, "--value", "true")...)
	tasks(exitCompleted, `answered`, as("u18", "U18", "answer", task, "--value", "true")...)
	tasks(exitCompleted, "answered by  u18\n", "show", task)
	if text := said(exitCompleted, "trace", "run_1"); !strings.Contains(text, `claimed by u17 "Ada Lovelace"`) || !strings.Contains(text, `to u18 "x\" (u19"`) {
		t.Errorf("the trace does not say who they are and what they are called:\n%s", text)
	}
}
