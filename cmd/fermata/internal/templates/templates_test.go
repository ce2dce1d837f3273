package templates

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/recipe"
	"github.com/fermata-go/fermata/recipe/recipetest"
)

// TestTemplates runs the tests of all templates, also with a crash at every append, and checks that they visit all of them.
func TestTemplates(t *testing.T) {
	for _, template := range All() {
		t.Run(template.Name, func(t *testing.T) {
			if template.IsDialogue() { // its tests are run with the command, which has its actions: see the scripts
				schemaLine(t, filepath.Join(template.Name, DialogueSchemaFile), filepath.Join(template.Name, dialogue.FileName))
				return
			}
			files, err := recipetest.Find(template.Name)
			if err != nil || len(files) == 0 {
				t.Fatalf("recipes %v, %v", files, err)
			}
			recipetest.Run(t, recipetest.Options{Crash: !testing.Short()}, files...)
			for _, file := range files {
				report, err := recipetest.Check(t.Context(), file, recipetest.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if c := report.Coverage; len(c.NodesMissed)+len(c.EdgesMissed) > 0 {
					t.Errorf("%s: its tests do not visit %v, %v", file, c.NodesMissed, c.EdgesMissed)
				}
				schemaLine(t, filepath.Join(template.Name, SchemaFile), file)
			}
		})
	}
}

// schemaLine checks that editors find the schema by the first line of a file.
func schemaLine(t *testing.T, schema, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	path, ok := strings.CutPrefix(first, "# yaml-language-server: $schema=")
	if got := filepath.Join(filepath.Dir(file), path); !ok || got != filepath.FromSlash(schema) {
		t.Errorf("%s begins with %q, which leads to %s", file, first, got)
	}
}

// TestEveryFolderIsListed compares the list with the folders.
func TestEveryFolderIsListed(t *testing.T) {
	entries, err := folders.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var there, listed []string
	for _, e := range entries {
		there = append(there, e.Name())
	}
	for _, template := range All() {
		listed = append(listed, template.Name)
	}
	slices.Sort(listed)
	if diff := cmp.Diff(there, listed); diff != "" {
		t.Errorf("folders and list differ (-folders +list):\n%s", diff)
	}
	if _, ok := Named("nothing"); ok {
		t.Error("there is a template that is not there")
	}
}

func TestWrite(t *testing.T) {
	template, _ := Named("nested")
	folder := filepath.Join(t.TempDir(), "new", "signing")
	written, err := template.Write(folder)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(folder, "recipe.yaml"), filepath.Join(folder, "sign-off", "recipe.yaml"), filepath.Join(folder, SchemaFile)}
	if diff := cmp.Diff(want, written); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
	r, err := recipe.Load(folder, recipe.Options{})
	if err != nil || r.Name() != "signing" {
		t.Errorf("loaded %v, %v; it has the folder's name", r, err)
	}

	// What is there stays: nothing is written where one file would have to be overwritten.
	other := t.TempDir()
	mine := filepath.Join(other, "sign-off", "recipe.yaml")
	if err := create(mine, []byte("mine")); err != nil {
		t.Fatal(err)
	}
	_, err = template.Write(other)
	exists, ok := errors.AsType[*ExistsError](err)
	if !ok || !slices.Equal(exists.Files, []string{mine}) {
		t.Errorf("writing over a file: %v", err)
	}
	if data, _ := os.ReadFile(mine); string(data) != "mine" {
		t.Errorf("the file holds %q", data)
	}
	if _, err := os.Stat(filepath.Join(other, "recipe.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("recipe.yaml beside it: %v", err)
	}

	// A schema that is there is kept: it may be the one that the editor is set to.
	again := t.TempDir()
	if err := create(filepath.Join(again, SchemaFile), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if _, err := template.Write(again); err != nil {
		t.Error(err)
	}
	if data, _ := os.ReadFile(filepath.Join(again, SchemaFile)); string(data) != "{}" {
		t.Errorf("the schema is now %q", data)
	}
}
