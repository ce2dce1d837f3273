package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/journal/crypt"
)

// sealedRecipe asks a person about a text.
const sealedRecipe = `
metadata: {name: sealed}
interface: {inputs: {who: {type: string}}, outputs: {review: {type: string}}}
entry_point: review
nodes:
  - {type: human, id: review, prompt: "Pay {{ who }}?"}
edges: []
`

// A store is sealed with keys of a file or of the environment, never of the command line; and without the key it is refused.
func TestJ15_TheCommandSealsAStore(t *testing.T) {
	const name = "Rumpelstiltskin"
	dir := t.TempDir()
	write := func(file, text string) string {
		t.Helper()
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	made := func(id string) string {
		t.Helper()
		k, err := crypt.NewKey(id)
		if err != nil {
			t.Fatal(err)
		}
		return k.Line()
	}
	one, two := made("one"), made("two")
	secret := strings.Fields(one)[1]
	recipe, store := write("sealed.yaml", sealedRecipe), filepath.Join(dir, "runs.db")
	first, both, other := write("first.keys", one), write("both.keys", two+"\n"+one+"\n"), write("other.keys", two)
	steps := []struct {
		args []string
		env  string // FERMATA_KEYS
		code int
		says string
	}{
		{[]string{"run", recipe, "--input", "who=" + name, "--id", "run_1", "--no-input", "--keys-file", secret}, "", exitUsage, "not shown"},
		{[]string{"run", recipe, "--input", "who=" + name, "--id", "run_1", "--no-input", "--keys-file", one}, "", exitUsage, "not shown"},
		{[]string{"run", recipe, "--input", "who=" + name, "--id", "run_1", "--no-input"}, "one " + secret[1:], exitUsage, "FERMATA_KEYS: key"},
		{[]string{"run", recipe, "--input", "who=" + name, "--id", "run_1", "--no-input", "--keys-file", first}, "", exitPaused, "--keys-file"},
		{[]string{"runs", "ls"}, "", exitStore, "key one; no key was given: give it in --keys-file"},
		{[]string{"runs", "ls", "--keys-file", other}, "", exitStore, "key one is missing; found two"},
		{[]string{"runs", "ls", "--accept-clear"}, "", exitUsage, "--accept-clear: expected keys"},
		{[]string{"tasks", "ls"}, one, exitCompleted, "Pay " + name + "?"},
		{[]string{"trace", "run_1", "--keys-file", both}, "", exitCompleted, name},
		{[]string{"doctor", "--keys-file", both}, "", exitCompleted, "1 run"},
		{[]string{"resume", "run_1", "--answer", "review=" + name + " is paid", "--no-input", "--keys-file", both}, "", exitCompleted, name + " is paid"},
		{[]string{"runs", "ls", "--keys-file", first}, "", exitStore, "key two is missing; found one"},
		{[]string{"runs", "export", "run_1", "--keys-file", both}, "", exitCompleted, name},
	}
	for _, step := range steps {
		m, stdout, stderr := command(t)
		known := m.Getenv
		m.Getenv = func(name string) string {
			if name == keysVariable {
				return step.env
			}
			return known(name)
		}
		code := m.Run(t.Context(), append(step.args, "--store", store))
		said := stdout.String() + stderr.String()
		if code != step.code || !strings.Contains(said, step.says) || strings.Contains(said, secret[1:20]) {
			t.Errorf("%q: exit %d, expected %d and %q:\n%s", step.args, code, step.code, step.says, said)
		}
	}
	files, err := filepath.Glob(store + "*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil || bytes.Contains(data, []byte(name)) {
			t.Errorf("%s holds the text in clear, %v", file, err)
		}
	}
}

// A store that was clear goes on sealed, if that is asked for.
func TestJ15_TheCommandGoesOnWithAClearStore(t *testing.T) {
	dir := t.TempDir()
	recipe, store, file := filepath.Join(dir, "r.yaml"), filepath.Join(dir, "runs.db"), filepath.Join(dir, "keys")
	k, err := crypt.NewKey("k")
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{recipe: sealedRecipe, file: k.Line()} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		args []string
		code int
	}{
		{[]string{"run", recipe, "--input", "who=Ann", "--id", "run_1", "--no-input"}, exitPaused},
		{[]string{"runs", "ls", "--keys-file", file}, exitStore},
		{[]string{"resume", "run_1", "--no-input", "--answer", "review=yes", "--keys-file", file, "--accept-clear"}, exitCompleted},
		{[]string{"runs", "show", "run_1", "--keys-file", file, "--accept-clear"}, exitCompleted},
		{[]string{"runs", "ls"}, exitStore},
	} {
		m, stdout, stderr := command(t)
		if code := m.Run(t.Context(), append(step.args, "--store", store)); code != step.code {
			t.Errorf("%q: exit %d, expected %d:\n%s", step.args, code, step.code, stdout.String()+stderr.String())
		}
	}
}
