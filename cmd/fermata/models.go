package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/journal/storekind"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/providers"
	"github.com/fermata-go/fermata/recipe"
)

// findModels makes the models that the environment has keys for, and scripts. A provider without a key is there, too,
// and says which variable to set.
func findModels() (model.Set, error) {
	set, err := providers.FromEnv(providers.Options{Later: true})
	if err != nil {
		return nil, err
	}
	set["scripted"] = recipe.Scripts()
	return set, nil
}

// services are what runs find here: models, and the embedders that dialogues name.
func (m *Main) services() []any {
	return []any{m.models, &dialogue.Services{Embedders: func(name string) (dialogue.Embedder, error) { return providers.Embedder(name) }}}
}

// recipeOptions are what every recipe may use here.
func (m *Main) recipeOptions(agents string) (recipe.Options, error) {
	allow, err := m.allow()
	return recipe.Options{
		Agents: agents, Stores: kinds().At(storekind.File, storekind.Server).Names(), Allow: allow, Servers: &m.servers, Models: slices.Collect(maps.Keys(m.models)),
	}, err
}

// unready says which parts of a definition ask models that cannot be asked, and why.
func (m *Main) unready(d loaded) []definition.Problem {
	var all []definition.Problem
	r, ok := d.(*recipe.Recipe)
	if !ok {
		return m.unreadyDialogue(d)
	}
	for _, use := range r.Models() {
		if err := m.ready(use.Model); err != nil {
			all = append(all, use.Problem(fmt.Sprintf("agent %q: %v", use.Agent, err)))
		}
	}
	return all
}

// unreadyDialogue says why the model that is to understand users cannot be asked.
func (m *Main) unreadyDialogue(of loaded) []definition.Problem {
	d, ok := of.(*dialogue.Dialogue)
	if !ok || d.Settings().Model == "" {
		return nil
	}
	if err := m.ready(d.Settings().Model); err != nil {
		return []definition.Problem{d.ModelProblem(err.Error())}
	}
	return nil
}

// unreadyEmbedder says why the embedder of a dialogue cannot be asked. Its messages are compared by their words alone then.
func (m *Main) unreadyEmbedder(of loaded) []definition.Problem {
	d, ok := of.(*dialogue.Dialogue)
	if !ok || d.Settings().Embedder == "" {
		return nil
	}
	if _, err := providers.Embedder(d.Settings().Embedder); err != nil {
		return []definition.Problem{d.EmbedderProblem(fmt.Sprintf("messages are compared by their words alone: %v", err))}
	}
	return nil
}

func (m *Main) ready(name string) error {
	if name == "" && m.models[model.Default] == nil {
		return errors.New(`it names no model: set FERMATA_MODEL to one such as "openai:gpt-5", or write model: in the recipe`)
	}
	found, err := m.models.Find(name)
	if err != nil {
		return err
	}
	return model.Ready(found)
}

// warnOfModels says which models cannot be asked from here: the worker that executes the run may have what they need.
func (m *Main) warnOfModels(r *recipe.Recipe) {
	faults := m.unready(r)
	for i := range faults {
		faults[i].Message = "a worker needs more than is set here: " + faults[i].Message
	}
	m.showWarnings(m.err, faults)
}

// needModels refuses a definition whose models cannot be asked: its run would only fail later.
func (m *Main) needModels(r loaded) error {
	var faults []error
	for _, fault := range m.unready(r) {
		faults = append(faults, errors.New(fault.String()))
	}
	if len(faults) == 0 {
		return nil
	}
	return &exit{exitInvalid, errors.Join(faults...)}
}
