// Package templates has the recipes and dialogues that fermata init writes. Each is a folder here: it runs as it is, explains itself in
// comments, and holds its tests.
//
// [All] lists them, [Named] finds one, and [Template.Write] writes one into a folder, where it overwrites nothing. To add
// one, add a folder with a recipe.yaml or a dialogue.yaml, a line in the list below, and its name to the embedded folders.
package templates

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/recipe"
)

//go:embed approval batch dialogue model nested parallel review
var folders embed.FS

// Where editors find the JSON Schema: in the folder of the template. The first line of each recipe and dialogue names it.
const (
	SchemaFile         = ".fermata/recipe.schema.json"
	DialogueSchemaFile = ".fermata/dialogue.schema.json"
)

// Template is a recipe or a dialogue to begin with.
type Template struct {
	Name  string
	About string
	Input string // what fermata run needs after --input: "orders=@orders.csv", the file in the folder; "" for nothing
}

// The first is the default.
var all = []Template{
	{Name: "approval", About: "pay small refunds, ask a person about large ones"},
	{Name: "batch", About: "go through a CSV, keep what fails, and sum up the rest", Input: "orders=@orders.csv"},
	{Name: "parallel", About: "check something in three ways at once, and ask where there are findings"},
	{Name: "review", About: "draft something, have it reviewed, and write it again until it is good"},
	{Name: "model", About: "let a model read a letter and draft a reply (offline at first), and ask about urgent ones"},
	{Name: "nested", About: "call one recipe from another, twice"},
	{Name: "dialogue", About: "talk with users until a table is booked; no model is needed"},
}

// All lists the templates; the first is the one to take where none is named.
func All() []Template { return slices.Clone(all) }

// Named finds a template.
func Named(name string) (Template, bool) {
	i := slices.IndexFunc(all, func(t Template) bool { return t.Name == name })
	if i < 0 {
		return Template{}, false
	}
	return all[i], true
}

// IsDialogue reports whether it is a dialogue, and no recipe.
func (t Template) IsDialogue() bool { return slices.Contains(t.Files(), dialogue.FileName) }

// schema is the JSON Schema that goes with the template, and where it is written.
func (t Template) schema() (file string, text []byte) {
	if t.IsDialogue() {
		return DialogueSchemaFile, dialogue.Schema()
	}
	return SchemaFile, recipe.Schema()
}

// Files are the paths of its files, with slashes, sorted.
func (t Template) Files() []string {
	var files []string
	_ = fs.WalkDir(folders, t.Name, func(path string, e fs.DirEntry, err error) error { // the folder is in the program
		if err == nil && !e.IsDir() {
			files = append(files, strings.TrimPrefix(path, t.Name+"/"))
		}
		return err
	})
	return files
}

// ExistsError is what Write returns where it would have to overwrite something.
type ExistsError struct{ Files []string }

func (e *ExistsError) Error() string {
	verb := "exists"
	if len(e.Files) > 1 {
		verb = "exist"
	}
	return fmt.Sprintf("%s %s already, and nothing is overwritten", strings.Join(e.Files, ", "), verb)
}

// Write writes the template's files and the schema into a folder, and returns their paths. It makes the folder, and
// keeps an existing schema. If another of its files exists, it writes nothing and returns an *ExistsError.
func (t Template) Write(folder string) ([]string, error) {
	files := t.Files()
	var there []string
	for _, name := range files {
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
			there = append(there, filepath.Join(folder, name))
		}
	}
	if len(there) > 0 {
		return nil, &ExistsError{there}
	}
	var written []string
	for _, name := range files {
		data, err := folders.ReadFile(t.Name + "/" + name)
		if err == nil {
			err = create(filepath.Join(folder, name), data)
		}
		if err != nil {
			return written, err
		}
		written = append(written, filepath.Join(folder, name))
	}
	name, text := t.schema()
	schema := filepath.Join(folder, name)
	err := create(schema, text)
	switch {
	case errors.Is(err, fs.ErrExist):
		return written, nil
	case err != nil:
		return written, err
	}
	return append(written, schema), nil
}

// create writes a file that is not there yet.
func create(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
