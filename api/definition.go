package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/identity"
	"github.com/fermata-go/fermata/internal/nearest"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/schema"
)

// Definition is what runs are started of.
type Definition struct {
	// Name is that by which runs are started. Defaults to the plan's.
	Name string
	// Plan is executed. It is needed.
	Plan *plan.Plan
	// Kind and Source are kept with each run (fermata.Runtime.SaveDefinition), so that a process without this definition can
	// resume it: "recipe", and recipe.Recipe.Source. Defaults to none: only programs that have the plan resume its runs.
	Kind   string
	Source []byte
	// Input checks the input of a run and makes the plan's first value of it. The input is any JSON; one that was left out is
	// {}. An error with a *schema.Error in it names the places. Defaults to the plan's own schema and codec.
	Input func(raw json.RawMessage) (any, error)
	// Talks serves conversations, where the definition is a dialogue: a handler of package dialogue/web. It is mounted below
	// /api/dialogues/{name}, and no runs of the definition are started otherwise. Defaults to none.
	Talks http.Handler
	// Context is the JSON Schema of what a conversation is begun with, for people who begin one: dialogue.Dialogue.Inputs. It is
	// shown as the schema of the inputs. Defaults to the plan's.
	Context json.RawMessage
	// Languages are the tags of those in which conversations are held, where there are several: dialogue.Dialogue.Languages.
	// Defaults to none.
	Languages []string
	// Schedules are shown with the definition. Package schedule starts their runs. Defaults to none.
	Schedules []Schedule
	// Notes say what may keep its runs from ending well, for people. Defaults to none.
	Notes []string

	schema *schema.Schema // of the input; nil for any
}

// CheckName reports why a definition cannot have a name: names are parts of paths.
func CheckName(name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/{}?#% ") {
		return fmt.Errorf("%q: expected a plain name, which is part of a path: no / { } ? # %% or space", name)
	}
	return nil
}

// complete fills in defaults.
func (d *Definition) complete() error {
	if d.Plan == nil {
		return fmt.Errorf("api: definition %q has no Plan", d.Name)
	}
	if d.Name == "" {
		d.Name = d.Plan.Name()
	}
	if err := CheckName(d.Name); err != nil {
		return fmt.Errorf("api: definition %w", err)
	}
	if (d.Kind == "") != (len(d.Source) == 0) {
		return fmt.Errorf("api: definition %q: expected Kind and Source, found one of the two", d.Name)
	}
	if d.Input != nil {
		return nil
	}
	if text := d.Plan.Definition().Input; len(text) > 0 {
		parsed, err := schema.Parse(text)
		if err != nil {
			return fmt.Errorf("api: definition %q: the schema of its input: %w", d.Name, err)
		}
		d.schema = parsed
	}
	d.Input = d.decode
	return nil
}

// decode checks an input by the plan's schema, and decodes it as the plan's values.
func (d *Definition) decode(raw json.RawMessage) (any, error) {
	if d.schema != nil {
		if err := d.schema.Check(raw); err != nil {
			return nil, err
		}
	}
	return d.Plan.State().Decode(raw)
}

// definitionRow is a definition in the list.
type definitionRow struct {
	Name        string   `json:"name" jsonschema:"By which runs are started"`
	Kind        string   `json:"kind" jsonschema:"Who made its plan: recipe, dialogue, graph, dataflow"`
	Version     string   `json:"version,omitempty"`
	Description string   `json:"description,omitempty"`
	Queue       string   `json:"queue,omitempty" jsonschema:"The queue of its runs, where it names one"`
	Notes       []string `json:"notes,omitempty" jsonschema:"What may keep its runs from ending well"`
	Talks       string   `json:"conversations,omitempty" jsonschema:"Of a dialogue: where conversations are begun"`
	Languages   []string `json:"languages,omitempty" jsonschema:"Of a dialogue that has several: their tags"`
}

// definitionShown is a definition by itself.
type definitionShown struct {
	definitionRow
	Fingerprint string          `json:"fingerprint" jsonschema:"Of the plan: equal for equal plans"`
	Inputs      json.RawMessage `json:"inputs" jsonschema:"JSON Schema of the input of a run, or of the context of a conversation; true for any"`
	Outputs     json.RawMessage `json:"outputs" jsonschema:"JSON Schema of the outputs; true for any"`
	SVG         string          `json:"svg" jsonschema:"The drawing of the plan"`
}

func (d *Definition) row() definitionRow {
	def := d.Plan.Definition()
	row := definitionRow{
		Name: d.Name, Kind: def.Kind, Version: def.Version, Description: def.Doc, Queue: def.Queue, Notes: d.Notes,
	}
	if d.Talks != nil {
		row.Talks = dialoguePath(escaped(d.Name)) + "/conversations"
		if len(d.Languages) > 1 {
			row.Languages = d.Languages
		}
	}
	return row
}

// dialoguePath is where the conversations of a dialogue are mounted.
func dialoguePath(name string) string { return "/api/dialogues/" + name }

func schemaOr(text []byte) json.RawMessage {
	if len(text) == 0 {
		return json.RawMessage("true")
	}
	return bytes.Clone(text)
}

// catalogue is what runs are started of at a time. It never changes.
type catalogue struct {
	definitions map[string]*Definition
	names       []string // of definitions, sorted
	faults      []Fault
}

// Fault is a file with definitions that cannot be loaded.
type Fault struct {
	File string `json:"file"`
	// Name is the definition that is still served as the file was before; "" for none.
	Name     string         `json:"definition,omitempty" jsonschema:"The definition that is still served as the file was before"`
	Problems []FaultProblem `json:"problems"`
}

// FaultProblem is one thing that is wrong with a file.
type FaultProblem struct {
	File    string `json:"file"`
	Line    int    `json:"line,omitempty" jsonschema:"From 1; none where it is about the whole file"`
	Column  int    `json:"column,omitempty" jsonschema:"From 1, in characters"`
	Path    string `json:"path,omitempty" jsonschema:"Where in the document, as topology.nodes[2].agent_ref"`
	Message string `json:"message"`
}

// Replace serves other definitions from now on, each name once. A request that is being served ends with those that it found. faults
// are shown beside them. Runs keep the plans that they have. Where it fails, all stays as it was.
func (h *Handler) Replace(definitions []Definition, faults ...Fault) error {
	c := &catalogue{definitions: make(map[string]*Definition, len(definitions)), faults: faults}
	for i := range definitions {
		d := definitions[i]
		if err := d.complete(); err != nil {
			return err
		}
		if c.definitions[d.Name] != nil {
			return fmt.Errorf("api: two definitions are called %q", d.Name)
		}
		c.definitions[d.Name] = &d
	}
	c.names = slices.Sorted(maps.Keys(c.definitions))
	h.now.Store(c)
	return nil
}

// find finds the definition of a name, where the person has one of the rights for its plan. Another one is hidden: neither found nor
// named as the nearest.
func (h *Handler) find(who *person, name string, rights ...identity.Right) (*Definition, error) {
	c, shown := h.now.Load(), []string{}
	may := func(d *Definition) bool {
		return slices.ContainsFunc(rights, func(right identity.Right) bool { return h.may(who, right, d.Plan.Name()) })
	}
	if d, ok := c.definitions[name]; ok && may(d) {
		return d, nil
	}
	for _, other := range c.names {
		if may(c.definitions[other]) {
			shown = append(shown, other)
		}
	}
	near := nearest.Hint(name, shown)
	if near == "" {
		near = "; GET /api/definitions lists what there is"
	}
	if name == "" {
		return nil, malformed(`the body has no member "definition": expected the name of one%s`, near)
	}
	return nil, refused(http.StatusNotFound, fermata.CodeNotFound, "there is no definition %q%s", name, near)
}

type listedDefinitions struct {
	Definitions []definitionRow `json:"definitions"`
	Faults      []Fault         `json:"faults,omitempty" jsonschema:"Files that cannot be loaded"`
}

func (h *Handler) listDefinitions(in *request) (*answer, error) {
	c := h.now.Load()
	out := listedDefinitions{Definitions: make([]definitionRow, 0, len(c.names))}
	for _, name := range c.names {
		if d := c.definitions[name]; h.may(in.who, identity.View, d.Plan.Name()) {
			out.Definitions = append(out.Definitions, d.row())
		}
	}
	for i := range c.faults {
		if h.seesFault(in.who, &c.faults[i]) {
			out.Faults = append(out.Faults, c.faults[i])
		}
	}
	return &answer{body: out}, nil
}

// seesFault reports whether a person is shown why a file cannot be loaded: an author of the definition that it was or, where it never
// was one, of the one that a file of that name holds by default.
func (h *Handler) seesFault(who *person, f *Fault) bool {
	name := f.Name
	if name == "" {
		name = strings.TrimSuffix(path.Base(f.File), path.Ext(f.File))
	}
	if name == "recipe" {
		name = path.Base(path.Dir(f.File))
	}
	return h.may(who, identity.Author, name)
}

func (h *Handler) showDefinition(in *request) (*answer, error) {
	d, err := h.find(in.who, in.PathValue("name"), identity.View)
	if err != nil {
		return nil, err
	}
	def := d.Plan.Definition()
	inputs := def.Input
	if len(d.Context) > 0 {
		inputs = d.Context
	}
	return &answer{body: definitionShown{
		definitionRow: d.row(), Fingerprint: d.Plan.Fingerprint(), Inputs: schemaOr(inputs), Outputs: schemaOr(def.Output),
		SVG: d.Plan.SVG(),
	}}, nil
}

func (h *Handler) drawDefinition(in *request) (*answer, error) {
	d, err := h.find(in.who, in.PathValue("name"), identity.View)
	if err != nil {
		return nil, err
	}
	return drawn(d.Plan.SVG()), nil
}
