package recipe

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/mcp"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// Options say what a recipe may use. The zero value works.
type Options struct {
	// Library has agents that are Go functions.
	Library *Library
	// Agents is the path of a file with more agents: the same key agents that a recipe has. Defaults to none.
	Agents string
	// Dir is where programs are run and relative paths start. Defaults to the recipe's folder, and for Parse to the
	// working directory.
	Dir string
	// Env finds the variables that ${NAME} stands for. Defaults to os.LookupEnv.
	Env func(name string) (string, bool)
	// Stores are the kinds of stores that the program has, for state.persistence: sqlite, postgres, redis, and those of
	// its own. A recipe that asks for another is an error. Defaults to none.
	Stores []string
	// Allow limits what the recipe may reach. Defaults to no limits but that it reads files of its own folder only.
	Allow *Allow
	// Tests is the path of a file with tests of the recipe, and with agents that only they need: the keys tests and
	// agents that a recipe has. Defaults to none: a recipe's own tests are always read.
	Tests string
	// Servers has the connections to MCP servers, which are made when they are needed; its owner closes it. Defaults to
	// none: a recipe with agents of kind mcp is refused.
	Servers *mcp.Pool
	// Models are the names of the models that the runtime has, and of the providers that stand before a colon: the names of
	// a [model.Set]. Defaults to nil: which model an agent names is not checked before it is asked.
	Models []string
	// ModelFor says which of the program's models an agent asks, by the names of the agent and of the model that it is
	// written with: a test replaces models by it. Defaults to the one that it is written with.
	ModelFor func(agent, model string) string

	stage *Stage // what stands in for agents; nil outside of tests
}

// Library holds agents that are Go functions, by the name that recipes use. Models know those of [AddTool] better.
type Library struct {
	Agents map[string]AgentFunc

	tools map[string]*node.Tool // what models are told of them
}

// Recipe is a compiled recipe. It is immutable and safe for concurrent use.
type Recipe struct {
	doc    *draft
	plan   *plan.Plan
	source []byte                              // see Source
	digest string                              // of the source
	again  func(stage *Stage) (*Recipe, error) // compiles it once more, for a test

	warnings []definition.Problem       // that hold on every machine
	sort     func([]definition.Problem) // by their places
}

// fileName is the recipe of a folder.
const fileName = "recipe.yaml"

// Load reads a recipe from a file, or from the file recipe.yaml of a folder. A recipe that cannot be run is a
// *definition.Error with every problem; a file that cannot be read is the error of the file system.
func Load(path string, opts Options) (*Recipe, error) {
	name := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		name = filepath.Join(path, fileName)
		if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s: the folder holds no %s: %w", path, fileName, os.ErrNotExist)
		}
	}
	data, err := readFile(name, document.MaxBytes)
	if err != nil {
		return nil, err
	}
	if opts.Dir == "" {
		opts.Dir = filepath.Dir(name)
	}
	return Parse(data, name, opts)
}

// readFile reads a file of at most limit bytes.
func readFile(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder; expected a file", name)
	case info.Mode().IsRegular() && info.Size() > limit:
		return nil, fmt.Errorf("%s: the file has %d bytes; at most %d are read", name, info.Size(), limit)
	}
	return os.ReadFile(name)
}

// Parse compiles the text of a recipe. The name is the file's in messages, and gives a recipe without metadata.name
// its name.
func Parse(data []byte, name string, opts Options) (*Recipe, error) {
	s := stored{Format: storedFormat, File: name, Text: string(data), AgentsFile: opts.Agents}
	if opts.Agents != "" {
		agents, err := readFile(opts.Agents, document.MaxBytes)
		if err != nil {
			return nil, fmt.Errorf("agents: %w", err)
		}
		s.Agents = string(agents)
	}
	if opts.Tests != "" {
		tests, err := readFile(opts.Tests, document.MaxBytes)
		if err != nil {
			return nil, fmt.Errorf("tests: %w", err)
		}
		s.testsFile, s.tests = opts.Tests, string(tests)
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, err
	}
	s.Dir = dir
	return s.compile(opts, false)
}

// compile is all of loading but the reading of the main file and the agents file. kept says that all others are in the
// stored text.
func (s stored) compile(opts Options, kept bool) (*Recipe, error) {
	if opts.Env == nil {
		opts.Env = os.LookupEnv
	}
	r := newReport()
	l := &loader{stored: &s, opts: opts, report: r, kept: kept, done: make(map[string]*nested)}
	main := l.document(s.Text, []string{filepath.ToSlash(filepath.Base(s.File))})
	if err := r.Err(); err != nil {
		return nil, err
	}
	text, err := s.text()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append([]byte(planKind+"\x00"), text...))
	again := func(stage *Stage) (*Recipe, error) {
		opts := opts
		opts.stage = stage
		return s.compile(opts, true)
	}
	return &Recipe{
		doc: main.doc, plan: main.plan, source: text, digest: "def_" + hex.EncodeToString(sum[:16]), again: again,
		warnings: r.Warnings, sort: r.Sort,
	}, nil
}

// compile checks the document and makes its plan.
func (d *draft) compile(r *document.Report) *plan.Plan {
	c := d.check(r)
	p, err := c.newPlan()
	if err != nil {
		if faults, ok := errors.AsType[*plan.Error](err); ok {
			c.topology(faults)
		} else {
			r.Add(d.Spot, "%v", err)
		}
	}
	c.checkTests(p)
	return p
}

// nameOf is the name of a recipe that gives itself none.
func nameOf(file string) string { return document.NameOf(file, fileName, planKind) }

// addLibrary adds the agents that are Go functions.
func (d *draft) addLibrary(lib *Library, r *document.Report) {
	if lib == nil {
		return
	}
	for name, f := range maps.All(lib.Agents) {
		if before, twice := d.agents[name]; twice {
			r.Add(before.Spot, "the agent %s is a Go function of the library already", document.Quote(name))
			continue
		}
		a := &agent{name: name, kind: goKind, tool: lib.tools[name]}
		a.work = &goAgent{agent: a, function: f}
		d.agents[name] = a
	}
}

// Plan is the compiled plan. Its value is a map[string]any, the blackboard; start it with what Input gives.
func (r *Recipe) Plan() *plan.Plan { return r.plan }

// Name is the recipe's name: metadata.name, or the file's.
func (r *Recipe) Name() string { return r.doc.name }

// Parameters returns the parameters of a document of apiVersion coreason.ai/v2, or nil. Nothing else reads them.
func (r *Recipe) Parameters() map[string]any {
	m, _ := expression.Clone(r.doc.parameters).(map[string]any)
	return m
}

// Presentation is what the recipe says about how it is shown, as it is written; nil for nothing. That of a node is in its
// plan ([plan.Node]).
func (r *Recipe) Presentation() map[string]any {
	m, _ := expression.Clone(r.doc.presentation).(map[string]any)
	return m
}

// Ephemeral is the persistence of a recipe that takes any store.
const Ephemeral = "ephemeral"

// Persistence returns the kind of store that the recipe's state.persistence asks for. It is sqlite, postgres or redis,
// or Ephemeral, which is the default and accepts any store.
func (r *Recipe) Persistence() string {
	return cmp.Or(r.doc.persistence, Ephemeral)
}

// Metadata is what the recipe says about itself, as it is written; nil for nothing.
func (r *Recipe) Metadata() map[string]any {
	m, _ := expression.Clone(r.doc.metadata).(map[string]any)
	return m
}

// Source returns a text for Restore that holds everything that the recipe was compiled from. These are its file, the
// agents file and the folder. The text holds no values of the environment.
func (r *Recipe) Source() []byte { return append([]byte(nil), r.source...) }

// Digest returns the digest of Source, for fermata.WithDefinition. Runtime.SaveDefinition returns the same for the kind
// "recipe".
func (r *Recipe) Digest() string { return r.digest }
