package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/dialogue"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/recipe"
	"github.com/fermata-go/fermata/schema"
)

// called is the node of the recipe that is made around an agent. What an agent gives that is no object has this name.
const called = "result"

// actions makes the actions that dialogues define under their key actions: of agents and of recipes, as recipes have them.
type actions struct {
	m       *Main
	dir     string           // where the files are that the dialogue names; "" for a dialogue that is restored
	recipes []*recipe.Recipe // what was made
}

// keptAction is an action as it is kept with conversations.
type keptAction struct {
	Spec   json.RawMessage `json:"spec"`   // as the dialogue has it
	Recipe json.RawMessage `json:"recipe"` // the source of the recipe that it runs
}

// from makes an action of what a dialogue says of it, or of what was kept: of {recipe: FILE}, or of an agent.
func (a *actions) from(name string, spec any) (dialogue.Action, error) {
	opts, err := a.m.recipeOptions("")
	if err != nil {
		return dialogue.Action{}, err
	}
	var kept keptAction
	var r *recipe.Recipe
	if source, ok := spec.([]byte); ok {
		if err := json.Unmarshal(source, &kept); err != nil {
			return dialogue.Action{}, fmt.Errorf("the stored action cannot be read: %w", err)
		}
		if r, err = recipe.Restore(kept.Recipe, opts); err != nil {
			return dialogue.Action{}, err
		}
	} else {
		agent, err := agentOf(spec)
		if err != nil {
			return dialogue.Action{}, err
		}
		opts.Dir = cmp.Or(a.dir, ".")
		if r, err = around(name, agent, opts); err != nil {
			return dialogue.Action{}, err
		}
		if kept.Spec, err = json.Marshal(agent); err != nil {
			return dialogue.Action{}, err
		}
		kept.Recipe = r.Source()
	}
	a.recipes = append(a.recipes, r)
	return actionOf(r, kept)
}

// agentOf is the agent that an action names.
func agentOf(spec any) (map[string]any, error) {
	agent, ok := spec.(map[string]any)
	if !ok {
		return nil, errors.New("expected {recipe: FILE}, or an agent as recipes have them, such as {kind: expr, set: {…}}")
	}
	file, ok := agent["recipe"]
	if !ok {
		return agent, nil
	}
	for key := range agent {
		if key != "recipe" && key != "description" {
			return nil, &definition.PathError{Path: key, Message: fmt.Sprintf("an action that is a recipe has no %q; expected {recipe: FILE}", key)}
		}
	}
	agent = maps.Clone(agent)
	delete(agent, "recipe")
	agent["kind"], agent["file"] = "recipe", file
	return agent, nil
}

// around makes a recipe of one node, which calls the agent. Problems have their places in what the dialogue says.
func around(name string, agent map[string]any, opts recipe.Options) (*recipe.Recipe, error) {
	file := filepath.Join(opts.Dir, dialogue.FileName)
	doc := map[string]any{
		"metadata": map[string]any{"name": name},
		"agents":   map[string]any{name: agent},
		"topology": map[string]any{
			"entry_point": called,
			"nodes":       []any{map[string]any{"type": "agent", "id": called, "agent_ref": name}},
			"edges":       []any{},
		},
	}
	if set, ok := agent["set"].(map[string]any); ok && agent["kind"] == "expr" {
		if err := independent(set); err != nil {
			return nil, err
		}
		given := make(map[string]any, len(set))
		for key := range set {
			given[key] = map[string]any{}
		}
		doc["interface"] = map[string]any{"outputs": given}
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	r, err := recipe.Parse(text, file, opts)
	faults, ok := errors.AsType[*definition.Error](err)
	if !ok {
		return r, err
	}
	var all []error
	for _, p := range faults.Problems {
		at, within := strings.CutPrefix(p.Path, document.Join("agents", name))
		switch {
		case p.File != file:
			return nil, &definition.Error{Problems: slices.DeleteFunc(slices.Clone(faults.Problems), func(p definition.Problem) bool { return p.File == file })}
		case within:
			message := strings.Replace(p.Message, "agent "+document.Quote(name)+": ", "", 1)
			if message = strings.ReplaceAll(message, "of the recipe", "of the dialogue"); strings.TrimPrefix(at, ".") == "file" {
				at = ".recipe"
			}
			all = append(all, &definition.PathError{Path: strings.TrimPrefix(at, "."), Message: message})
		}
	}
	if len(all) == 0 {
		return nil, err
	}
	return nil, errors.Join(all...)
}

// independent refuses an expression that reads a name which another one of the same action sets: the order in which they
// are written is not kept.
func independent(set map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(set)) {
		for _, name := range namesOf(set[key]) {
			if _, ok := set[name]; ok && name != key {
				return &definition.PathError{Path: document.Join("set", key), Message: fmt.Sprintf(
					"it reads %q, which this action sets, too; each expression of an action knows what the action is given, and nothing else", name)}
			}
		}
	}
	return nil
}

// namesOf are the names that an expression reads; none where it is wrong, which is reported elsewhere.
func namesOf(text any) []string {
	s, ok := text.(string)
	if !ok {
		return nil
	}
	code, fault := expression.Compile(s)
	if fault != nil {
		return nil
	}
	return code.Names()
}

// actionOf is the action that runs a recipe of one node. A recipe is run itself, instead of the one around it.
func actionOf(r *recipe.Recipe, kept keptAction) (_ dialogue.Action, err error) {
	var agent struct {
		Kind, Description string
		Stream            string
		Input, Output     json.RawMessage
		Set               map[string]any
	}
	if err := json.Unmarshal(kept.Spec, &agent); err != nil {
		return dialogue.Action{}, fmt.Errorf("the stored action cannot be read: %w", err)
	}
	a := dialogue.Action{
		Description: agent.Description, Plan: r.Plan(),
		Input: func(in map[string]any) (any, error) { return r.Input(in) },
	}
	if a.Source, err = json.Marshal(kept); err != nil {
		return a, err
	}
	in, out := agent.Input, json.RawMessage(r.Plan().Definition().Output)
	a.Stream = agent.Stream != "" && agent.Stream != "off"
	switch agent.Kind {
	case "recipe":
		nodes := r.Plan().Definition().Nodes
		i := slices.IndexFunc(nodes, func(n plan.Node) bool { return n.Name == called })
		a.Plan = nodes[i].Sub
		a.Input = func(in map[string]any) (any, error) { return nodes[i].In(in) }
		in, out = a.Plan.Definition().Input, a.Plan.Definition().Output
	case "expr":
		if in == nil {
			in, err = readBy(agent.Set)
		}
	}
	if err == nil && in != nil {
		a.In, err = schema.Parse(in)
	}
	if err == nil && out != nil {
		a.Out, err = schema.Parse(out)
	}
	return a, err
}

// readBy is the schema of what expressions read. Where one says what happens without a name, it is not needed.
func readBy(set map[string]any) (json.RawMessage, error) {
	properties, required := make(map[string]any), []string{}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		text, _ := set[key].(string)
		for _, name := range namesOf(text) {
			properties[name] = map[string]any{}
			if !strings.Contains(text, "??") && !strings.Contains(text, "?.") && !slices.Contains(required, name) {
				required = append(required, name)
			}
		}
	}
	return json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
}
