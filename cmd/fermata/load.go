package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/recipe"
)

// loaded is what a file defines: a recipe or a dialogue.
type loaded interface {
	Name() string
	Plan() *plan.Plan
	Source() []byte
	Warnings() []definition.Problem
}

// The kinds of definitions, as they are kept with runs.
const (
	recipeKind   = "recipe"
	dialogueKind = "dialogue"
)

// definitionKind is the kind of a definition.
func definitionKind(d loaded) string {
	if _, ok := d.(*dialogue.Dialogue); ok {
		return dialogueKind
	}
	return recipeKind
}

// load reads a recipe or a dialogue: what the file says that it is.
func (m *Main) load(file, agents string) (loaded, error) {
	path, err := recipeFile(file)
	if err != nil {
		return nil, err
	}
	if isDialogue(path) {
		return m.loadDialogue(path)
	}
	return m.loadRecipe(path, agents)
}

// isDialogue reports whether a file says that it is a dialogue. One that cannot be read does not.
func isDialogue(file string) bool {
	path, err := recipeFile(file)
	if err != nil {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, document.MaxBytes))
	return err == nil && dialogue.Is(data)
}

func (m *Main) loadDialogue(path string) (loaded, error) {
	return checkedLoad(dialogue.Load(path, m.dialogueOptions(filepath.Dir(path))))
}

// checkedLoad is what was loaded, and nil where it could not be.
func checkedLoad[T loaded](d T, err error) (loaded, error) {
	if err != nil {
		return nil, err
	}
	return d, nil
}

// dialogueOptions are what every dialogue may use here; dir is where the files are that it names, "" for none.
func (m *Main) dialogueOptions(dir string) dialogue.Options {
	return dialogue.Options{ActionsFrom: (&actions{m: m, dir: dir}).from}
}

func (m *Main) loadRecipe(file, agents string) (*recipe.Recipe, error) {
	path, err := recipeFile(file)
	if err != nil {
		return nil, err
	}
	opts, err := m.recipeOptions(agents)
	if err != nil {
		return nil, err
	}
	return recipe.Load(path, opts)
}

// resumable reports whether this command can go on with a run: one that has its definition with it. Others belong to the
// program that has started them.
func resumable(info *fermata.RunInfo) bool { return info.Definition != "" }

// planOf is the plan of a run, if it passes the checks; nil for a run that only its own program can go on with.
func (m *Main) planOf(ctx context.Context, h *house, run fermata.RunInfo, agents string, checks ...func(loaded) error) (*plan.Plan, error) {
	if !resumable(&run) {
		return nil, nil //nolint:nilnil // its plan is unknown here
	}
	r, err := m.definition(ctx, h, run, "", agents)
	if err != nil {
		return nil, err
	}
	for _, check := range checks {
		if err := check(r); err != nil {
			return nil, err
		}
	}
	return r.Plan(), nil
}

// definition compiles what a run is of: what is kept with it, or the given file.
func (m *Main) definition(ctx context.Context, h *house, info fermata.RunInfo, file, agents string) (loaded, error) {
	if file != "" {
		return m.changed(h, info, file, agents)
	}
	if !resumable(&info) {
		return nil, invalidf("run %s of %q was started by a program (%s), and only that program can resume it", info.ID, info.Plan, info.Kind)
	}
	kind, text, err := h.Definition(ctx, info.Definition)
	if err != nil {
		return nil, err
	}
	switch kind {
	case dialogueKind:
		return checkedLoad(dialogue.Restore(text, m.dialogueOptions("")))
	case recipeKind:
	default:
		return nil, invalidf("run %s has a definition of kind %q; expected recipe or dialogue", info.ID, kind)
	}
	opts, err := m.recipeOptions(agents)
	if err != nil {
		return nil, err
	}
	return checkedLoad(recipe.Restore(text, opts))
}

// changed reads the file that a run is to go on with.
func (m *Main) changed(h *house, info fermata.RunInfo, file, agents string) (loaded, error) {
	d, err := m.load(file, agents)
	if err != nil {
		return nil, err
	}
	if r, ok := d.(*recipe.Recipe); ok && r.Persistence() != recipe.Ephemeral && r.Persistence() != h.dsn.kind {
		return nil, invalidf("%s asks for a store of kind %s (state.persistence), and run %s is kept in %v: let the recipe say ephemeral or %s",
			file, r.Persistence(), info.ID, h.dsn, h.dsn.kind)
	}
	return d, nil
}
