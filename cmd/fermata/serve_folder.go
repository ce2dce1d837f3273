package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/api"
	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/recipe"
	"github.com/fermata-go/fermata/schema"
)

// servedFile is a file of a folder that defines something.
type servedFile struct {
	file     string
	loaded   loaded               // nil where it could not be loaded, now or before
	problems []definition.Problem // why it cannot be loaded now
	notes    []string             // what may keep its runs from ending well on this machine
}

// loadFolder loads all that a folder defines, for a store. What cannot be loaded is in the list with its problems, and with what it
// was before where it could be loaded then.
func (m *Main) loadFolder(folder, agents string, d dsn, before []servedFile) ([]servedFile, error) {
	was := make(map[string]*servedFile, len(before))
	for i := range before {
		if before[i].loaded != nil {
			was[before[i].file] = &before[i]
		}
	}
	files, err := definitionFiles(folder, func(path string) bool { return was[path] != nil && stillThere(path) || defines(path) })
	if err != nil {
		return nil, err
	}
	served := make([]servedFile, len(files))
	names := make(map[string]string)
	for i, file := range files {
		served[i].file = file
		l, err := m.load(file, agents)
		if err == nil {
			err = servable(l, d)
		}
		if err == nil {
			err = claimName(l.Name(), file, names)
		}
		if err != nil {
			if served[i].problems = problemsOf(file, err); served[i].problems == nil {
				served[i].problems = []definition.Problem{{File: file, Message: err.Error()}}
			}
			continue
		}
		served[i].loaded, served[i].notes = l, m.serveNotes(l)
	}
	for i := range served { // a name that another file has taken meanwhile is that file's
		if old := was[served[i].file]; served[i].loaded == nil && old != nil && names[old.loaded.Name()] == "" {
			served[i].loaded, names[old.loaded.Name()] = old.loaded, old.file
			served[i].notes = []string{"its file cannot be loaded any more: this is what it was before"}
		}
	}
	return served, nil
}

// claimName gives a name to a file of a folder. A name that can be no part of a path is refused, and one that another file has.
func claimName(name, file string, names map[string]string) error {
	if err := api.CheckName(name); err != nil {
		return invalidf("its name is %v; give it one with metadata.name", err)
	}
	if names[name] != "" {
		return invalidf("its name %q is that of %s already; give one of them another metadata.name", name, names[name])
	}
	names[name] = file
	return nil
}

// servable refuses a recipe that asks for another kind of store than the one that is served.
func servable(l loaded, d dsn) error {
	r, ok := l.(*recipe.Recipe)
	if !ok || r.Persistence() == recipe.Ephemeral || r.Persistence() == d.kind {
		return nil
	}
	return invalidf("it asks for a store of kind %s (state.persistence), and %v is one of kind %s: serve it with --store %s, or let it say ephemeral",
		r.Persistence(), d, d.kind, dsn{kind: r.Persistence()}.about().Address)
}

// serveNotes say what may keep the runs of a definition from ending well on this machine.
func (m *Main) serveNotes(l loaded) (notes []string) {
	for _, p := range append(m.unready(l), m.unreadyEmbedder(l)...) {
		notes = append(notes, p.Message)
	}
	if err := needPlaces(l); err != nil {
		notes = append(notes, err.Error())
	}
	return notes
}

// definitionFiles finds what a folder defines: in each folder below it the recipe or dialogue that stands for the folder, or else
// every file that is one, as defines says. Hidden folders and node_modules are left out.
func definitionFiles(folder string, defines func(path string) bool) (files []string, err error) {
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, invalidf("there is no folder %s%s", folder, nearbyFile(folder))
	case err != nil:
		return nil, err
	case !info.IsDir():
		return []string{folder}, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, name := range recipeNames {
		if i := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name && !e.IsDir() }); i >= 0 {
			files = append(files, filepath.Join(folder, name))
			break
		}
	}
	whole := len(files) > 0
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules":
		case e.IsDir():
			below, err := definitionFiles(path, defines)
			if err != nil {
				return nil, err
			}
			files = append(files, below...)
		case !whole && defines(path):
			files = append(files, path)
		}
	}
	return files, nil
}

// defines reports whether a file says that it is a recipe or a dialogue.
func defines(path string) bool {
	if ext := filepath.Ext(path); ext != ".yaml" && ext != ".yml" && ext != ".json" {
		return false
	}
	if isDialogue(path) {
		return true
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	var keys struct {
		Kind     string
		Topology yaml.Node
	}
	if yaml.NewDecoder(bytes.NewReader(data)).Decode(&keys) != nil {
		return bytes.Contains(data, []byte("\ntopology:"))
	}
	return keys.Kind == "Recipe" || !keys.Topology.IsZero()
}

// recipe is the recipe of the file; nil where it is none, or could not be loaded.
func (s *servedFile) recipe() *recipe.Recipe {
	r, _ := s.loaded.(*recipe.Recipe)
	return r
}

// definitions are what the API starts runs and conversations of.
func definitions(files []servedFile, talks *talking) (all []api.Definition) {
	for i := range files {
		if d, ok := files[i].loaded.(*dialogue.Dialogue); ok {
			all = append(all, api.Definition{
				Name: d.Name(), Plan: d.Plan(), Kind: dialogueKind, Source: d.Source(), Notes: files[i].notes, Talks: talks.talksOf(d),
				Context: d.Inputs(), Languages: d.Languages(),
			})
		}
		r := files[i].recipe()
		if r == nil {
			continue
		}
		all = append(all, api.Definition{
			Name: r.Name(), Plan: r.Plan(), Kind: recipeKind, Source: r.Source(), Notes: files[i].notes, Schedules: schedules(talks.house.Runtime, r),
			Input: func(raw json.RawMessage) (any, error) { return recipeInput(r, raw) },
		})
	}
	return all
}

// recipeInput checks the input of a run as the command run does.
func recipeInput(r *recipe.Recipe, raw json.RawMessage) (any, error) {
	var input map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&input); err != nil || input == nil {
		return nil, &schema.Error{Problems: []schema.Problem{{Message: "expected an object that names inputs"}}}
	}
	checked, err := r.Input(input)
	if wrong, ok := errors.AsType[*recipe.InputError](err); ok {
		places := make([]schema.Problem, len(wrong.Problems))
		for i, p := range wrong.Problems {
			places[i] = schema.Problem{Path: "/" + p.Name, Message: p.Message}
		}
		return nil, &inputError{wrong, &schema.Error{Problems: places}}
	}
	return checked, err
}

// inputError is an input that does not fit, in the words of the command run, with the places.
type inputError struct {
	said   *recipe.InputError
	places *schema.Error
}

func (e *inputError) Error() string { return e.said.Error() }

func (e *inputError) Unwrap() []error { return []error{e.said, e.places} }
