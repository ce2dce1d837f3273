package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
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
		kept.Spec, kept.Recipe = agent, r.Source()
	}
	a.recipes = append(a.recipes, r)
	return actionOf(r, kept)
}

// agentOf is the agent that an action names, with what it sets in written order.
func agentOf(spec any) (json.RawMessage, error) {
	text, _ := spec.(json.RawMessage)
	var agent map[string]any
	if err := json.Unmarshal(text, &agent); err != nil || agent == nil {
		return nil, errors.New("expected {recipe: FILE}, or an agent as recipes have them, such as {kind: expr, set: {…}}")
	}
	file, ok := agent["recipe"]
	if !ok {
		return text, nil
	}
	for key := range agent {
		if key != "recipe" && key != "description" {
			return nil, &definition.PathError{Path: key, Message: fmt.Sprintf("an action that is a recipe has no %q; expected {recipe: FILE}", key)}
		}
	}
	delete(agent, "recipe")
	agent["kind"], agent["file"] = "recipe", file
	return json.Marshal(agent)
}

// around makes a recipe of one node, which calls the agent. Problems have their places in what the dialogue says.
func around(name string, agent json.RawMessage, opts recipe.Options) (*recipe.Recipe, error) {
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
	if set := setBy(agent); set != nil {
		given := make(map[string]any, len(set))
		for _, m := range set {
			given[m.name] = map[string]any{}
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

// calculated is a name that an agent of kind expr sets, and how.
type calculated struct{ name, text string }

// setBy is what an agent of kind expr sets, in written order; nil for another agent.
func setBy(agent json.RawMessage) []calculated {
	var about struct {
		Kind string
		Set  json.RawMessage
	}
	if err := json.Unmarshal(agent, &about); err != nil || about.Kind != "expr" || len(about.Set) == 0 || about.Set[0] != '{' {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(about.Set))
	if _, err := d.Token(); err != nil {
		return nil
	}
	all := []calculated{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		var v any
		if err := d.Decode(&v); err != nil {
			return nil
		}
		name, _ := key.(string)
		text, _ := v.(string)
		all = append(all, calculated{name, text})
	}
	return all
}

// namesOf are the names that an expression reads; none where it is wrong, which is reported elsewhere.
func namesOf(text string) []string {
	code, fault := expression.Compile(text)
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
			in, err = readBy(setBy(kept.Spec))
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

// readBy is the schema of what expressions read: each knows what the action is given, and what those before it have set.
// Where one says what happens without a name, it is not needed.
func readBy(set []calculated) (json.RawMessage, error) {
	properties, required := make(map[string]any), []string{}
	known := make(map[string]bool)
	for _, m := range set {
		for _, name := range namesOf(m.text) {
			if known[name] {
				continue
			}
			properties[name] = map[string]any{}
			if !strings.Contains(m.text, "??") && !strings.Contains(m.text, "?.") && !slices.Contains(required, name) {
				required = append(required, name)
			}
		}
		known[m.name] = true
	}
	return json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
}
