package recipe

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	slashpath "path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/plan"
)

// nested is a recipe that another one calls as an agent (law G6). Its plan is a subgraph: its tasks, people and timers are
// those of the one run.
type nested struct {
	doc  *draft
	plan *plan.Plan // nil where it was wrong
}

// recipeKindOfAgents are agents that call other recipes.
var recipeKindOfAgents = &agentKind{name: "recipe", does: "calls another recipe", keys: []string{"file"}, read: readRecipeAgent}

// recipeAgent calls another recipe.
type recipeAgent struct {
	*agent
	file   document.Word
	nested *nested // nil where it was wrong
}

func readRecipeAgent(a *agent, o *document.Object) work {
	return &recipeAgent{agent: a, file: o.NeedText("file", "the path of a recipe in this recipe's folder")}
}

// caller is nil: a node is the recipe, see compileNested.
func (a *recipeAgent) caller(*checked, *step) caller { return nil }

func (a *recipeAgent) gives(*flow, *step, expression.Names) *expression.Type { return a.nested.gives() }

func (a *recipeAgent) writes() []string {
	if a.nested == nil {
		return nil
	}
	return namesOf(a.nested.doc.outputs)
}

// maxNested bounds how deep recipes lie in each other.
const maxNested = 16

// family are a recipe and those that it calls, each once: those of agents that are called, or also of others.
func (d *draft) family(others bool) iter.Seq[*draft] {
	return func(yield func(*draft) bool) {
		all := []*draft{d}
		for i := 0; i < len(all); i++ {
			if !yield(all[i]) {
				return
			}
			called := all[i].called()
			for name, a := range all[i].agents {
				if to := a.callee(); to != nil && to.doc != nil && (others || called[name]) && !slices.Contains(all, to.doc) {
					all = append(all, to.doc)
				}
			}
		}
	}
}

// loader reads a recipe and those that it calls.
type loader struct {
	*stored                    // the text of the main recipe, and of all that it names
	opts    Options            // what recipes may use
	report  *document.Report   // what is wrong so far
	kept    bool               // all files are in the stored text: none is read
	done    map[string]*nested // by path; nil while it is read, or where it was wrong
}

// document reads and compiles one recipe; chain leads to it, and its last is its own path from the main recipe's folder,
// with slashes.
func (l *loader) document(text string, chain []string) *nested {
	own := chain[len(chain)-1]
	file := l.File
	if len(chain) > 1 {
		file = l.pathTo(own)
	}
	src := document.Read(file, []byte(text), l.report)
	if src.Root == nil {
		return nil
	}
	d := readDraft(src, l.report)
	d.dir, d.stage = l.Dir, l.opts.stage
	if len(chain) > 1 {
		if d.dir = filepath.FromSlash(slashpath.Dir(own)); !filepath.IsAbs(d.dir) {
			d.dir = filepath.Join(l.Dir, d.dir)
		}
	}
	if d.name == "" {
		d.name = nameOf(file)
	}
	if schedules := l.report; len(chain) == 1 {
		if l.kept { // a run goes on where the zones of its recipe's schedules are not known
			schedules = newReport()
		}
		d.readSchedules(schedules)
	}
	if l.AgentsFile != "" {
		if agents := document.Read(l.AgentsFile, []byte(l.Agents), l.report); agents.Root != nil {
			d.readAgentsFile(agents, l.report)
		}
	}
	if len(chain) == 1 && l.testsFile != "" {
		if tests := document.Read(l.testsFile, []byte(l.tests), l.report); tests.Root != nil {
			d.readTestsFile(tests, l.report)
		}
	}
	d.addLibrary(l.opts.Library, l.report)
	d.expand(l.opts.Env, l.report)
	d.limit(l.opts.Allow, l.report)
	d.readPersistence(l.report, l.opts.Stores)
	d.connect(l.opts.Servers, l.report)
	l.nameModels(d, chain)
	l.callees(d, chain)
	return &nested{doc: d, plan: d.compile(l.report)}
}

// callees loads the recipes that a recipe calls: its own agents, and those of an agents file that its nodes name.
func (l *loader) callees(d *draft, chain []string) {
	used := d.called()
	for _, name := range slices.Sorted(maps.Keys(d.agents)) {
		a := d.agents[name].calls()
		if a == nil || a.file.Text == "" || a.Source != d.Source && !used[name] {
			continue
		}
		a.nested = l.callee(a, l.pathOf(d, a.agent, a.file.Text, chain), chain)
	}
}

// pathOf is the path, from the main recipe's folder and with slashes, of a file that an agent names: one of a called
// recipe's own agents names it from that recipe's folder.
func (l *loader) pathOf(d *draft, a *agent, file string, chain []string) string {
	base := "."
	if a.Source == d.Source && len(chain) > 1 {
		base = slashpath.Dir(chain[len(chain)-1])
	}
	name := slashpath.Clean(filepath.ToSlash(file))
	if !filepath.IsAbs(file) {
		name = slashpath.Join(base, name)
	}
	return name
}

// callee loads one recipe that another one calls; nil, and reported, where that cannot be.
func (l *loader) callee(a *recipeAgent, name string, chain []string) *nested {
	text, name, err := l.open(name)
	if err != nil {
		l.report.Add(a.file.Spot, "%v", err)
		return nil
	}
	chain = append(slices.Clip(chain), name)
	if i := slices.Index(chain, name); i < len(chain)-1 {
		l.report.Add(a.file.Spot, "the recipe calls itself: %s; a recipe cannot lie within itself", strings.Join(chain[i:], " -> "))
		return nil
	}
	if len(chain) > maxNested {
		l.report.Add(a.file.Spot, "recipes lie more than %d deep in each other: %s", maxNested, strings.Join(chain, " -> "))
		return nil
	}
	if before, ok := l.done[name]; ok {
		return before
	}
	l.done[name] = nil
	made := l.document(text, chain)
	l.done[name] = made
	return made
}

// pathTo is how messages call a file: its path from where the main recipe's was named.
func (l *loader) pathTo(name string) string {
	file := filepath.FromSlash(name)
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(filepath.Dir(l.File), file)
}

// open reads a file that a recipe names, by its path from the main recipe's folder, with slashes, and keeps its text with the
// recipe. A folder stands for the recipe.yaml in it. All files that recipes name are opened here: no path, and no link, leads
// out of the recipe's folder and those that are allowed beside it.
func (l *loader) open(name string) (text, file string, err error) {
	folder, within, err := l.folderOf(name)
	if err != nil {
		return "", "", err
	}
	for _, file := range []string{name, slashpath.Join(name, fileName)} {
		if text, ok := l.Files[file]; ok {
			return text, file, nil
		}
	}
	if l.kept {
		return "", "", fmt.Errorf("the stored recipe holds no file %s", document.Quote(name))
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", "", err
	}
	defer root.Close() //nolint:errcheck // it was only read
	info, err := root.Stat(within)
	if err == nil && info.IsDir() {
		name, within = slashpath.Join(name, fileName), filepath.Join(within, fileName)
		info, err = root.Stat(within)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", fmt.Errorf("there is no file %s in the folder of the recipe%s", document.Quote(name), l.report.Hint(name, besides(root, name, within)))
	case err != nil:
		return "", "", fmt.Errorf("%s cannot be read: %w; a recipe reads files of its own folder only, unless others are allowed",
			document.Quote(name), errors.Unwrap(err))
	case !info.Mode().IsRegular():
		return "", "", fmt.Errorf("%s is no file that can be read", document.Quote(name))
	}
	f, err := root.Open(within)
	if err != nil {
		return "", "", err
	}
	defer f.Close()                                                 //nolint:errcheck // it was only read
	data, err := io.ReadAll(io.LimitReader(f, document.MaxBytes+1)) // one that is longer is reported where it is parsed
	if err != nil {
		return "", "", err
	}
	if l.Files == nil {
		l.Files = make(map[string]string)
	}
	l.Files[name] = string(data)
	return string(data), name, nil
}

// folderOf finds the folder through which a file may be read, and its path in it: the main recipe's, or one that is allowed
// beside it.
func (l *loader) folderOf(name string) (folder, within string, err error) {
	within = filepath.FromSlash(name)
	if filepath.IsLocal(within) {
		return l.Dir, within, nil
	}
	at := within
	if !filepath.IsAbs(at) {
		at = filepath.Join(l.Dir, within)
	}
	folders := []string{l.Dir}
	if l.opts.Allow != nil {
		folders = append(folders, l.opts.Allow.Folders...)
	}
	for _, folder := range folders {
		if folder, err = filepath.Abs(folder); err != nil {
			return "", "", err
		}
		if within, err := filepath.Rel(folder, at); err == nil && filepath.IsLocal(within) {
			return folder, within, nil
		}
	}
	return "", "", fmt.Errorf("%s is not in the folder of the recipe; the user who runs the recipe can allow others, of the kind files",
		document.Quote(name))
}

// besides are the files in the folder of a file, for a hint.
func besides(root *os.Root, name, within string) []string {
	all, err := fs.ReadDir(root.FS(), filepath.ToSlash(filepath.Dir(within)))
	if err != nil {
		return nil
	}
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = slashpath.Join(slashpath.Dir(name), e.Name())
	}
	return names
}

// input makes the blackboard that a nested recipe begins with: what its interface says is enforced at its door.
func (n *nested) input(args map[string]any) (map[string]any, error) {
	bb, err := n.doc.begin(args)
	if err != nil {
		return nil, fmt.Errorf("the recipe %q: %w", n.doc.name, err)
	}
	return bb, nil
}

// output is what a nested recipe gives.
func (n *nested) output(result any) (any, error) {
	if n.doc.outputsOpen {
		return result, nil
	}
	out, err := portsOf(n.doc.outputs).finish(result)
	if err != nil {
		return nil, fmt.Errorf("the recipe %q: %w", n.doc.name, err)
	}
	return out, nil
}

// nestedStep is a node that calls a recipe.
type nestedStep struct {
	*agentStep
	*nested
}

// compileNested makes a node a subgraph.
func (c *checked) compileNested(pn *plan.Node, n *step, a *agent, state ports) {
	s := &nestedStep{agentStep: n.calling(a, state), nested: a.callee()}
	pn.Kind, pn.Sub, pn.In, pn.Out = plan.Sub, s.nested.plan, s.in, s.out
}

// in are the values that inputs_map names, or those of the blackboard that the nested recipe declares.
func (s *nestedStep) in(v any) (any, error) {
	bb, err := board(v)
	if err != nil {
		return nil, definite{err}
	}
	args := bb
	switch {
	case !s.whole:
		if args, err = bind(s.inputs, bb, nil); err != nil {
			return nil, definite{err}
		}
	case !s.doc.inputsOpen:
		args = make(map[string]any)
		for _, p := range s.doc.inputs {
			if v, ok := bb[p.name.Text]; ok {
				args[p.name.Text] = expression.Clone(v)
			}
		}
	}
	begun, err := s.input(args)
	if err != nil {
		return nil, definite{err}
	}
	return begun, nil
}

func (s *nestedStep) out(v, result any) (any, error) {
	bb, err := board(v)
	if err != nil {
		return nil, definite{err}
	}
	out, err := s.output(result)
	if err != nil {
		return nil, definite{err}
	}
	return s.put(bb, out)
}
