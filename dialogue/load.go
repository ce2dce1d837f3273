package dialogue

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/node"
)

// FileName is the dialogue of a folder.
const FileName = "dialogue.yaml"

// Load reads a dialogue from a file, or from the file dialogue.yaml of a folder. A dialogue that cannot be held is a
// *definition.Error with every problem, each with its line and column; a file that cannot be read is the error of the
// file system.
func Load(path string, opts Options) (*Dialogue, error) {
	name := path
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		name = filepath.Join(path, FileName)
		info, err = os.Stat(name)
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s: the folder holds no %s: %w", path, FileName, os.ErrNotExist)
		}
	}
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() && info.Size() > document.MaxBytes {
		return nil, fmt.Errorf("%s: the file has %d bytes; at most %d are read", name, info.Size(), document.MaxBytes)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if opts.Files == nil {
		opts.Files = os.DirFS(filepath.Dir(name))
	}
	return Parse(data, name, opts)
}

// Parse compiles the text of a dialogue, YAML or JSON. The name is the file's in messages, and gives a dialogue without
// metadata.name its name. Translations come from Options.Files.
func Parse(data []byte, name string, opts Options) (*Dialogue, error) {
	return stored{Format: storedFormat, File: name, Text: string(data)}.compile(opts)
}

// kindLine is the key that says what a file is, in one that cannot be parsed.
var kindLine = regexp.MustCompile(`(?m)^kind:[ \t]*["']?Dialogue\b`)

// Is reports whether a text of YAML or JSON says that it is a dialogue, however wrong it may be.
func Is(text []byte) bool {
	src := document.Read("", text, new(document.Report))
	if src.Root == nil {
		return len(text) <= document.MaxBytes && kindLine.Match(text)
	}
	if src.Root.Kind != yaml.MappingNode {
		return false
	}
	for k, v := range document.Entries(src.Root) {
		if k.Value == "kind" {
			return v.Kind == yaml.ScalarNode && v.Value == fileKind
		}
	}
	return false
}

// Restore compiles what Source gave, and reads no file. Actions that are Go functions come from opts again; those that
// the file defines are made by opts.ActionsFrom of what they kept (see [Action].Source).
func Restore(text []byte, opts Options) (*Dialogue, error) {
	var s stored
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("the stored dialogue cannot be read: %w", err)
	}
	if s.Format != storedFormat {
		return nil, fmt.Errorf("the stored dialogue has the format %q; expected %q", s.Format, storedFormat)
	}
	return s.compile(opts)
}

// storedFormat is the format of stored dialogues. A later one has another number; all of them stay readable (J9).
const storedFormat = "fermata/dialogue/1"

// stored is a dialogue as it is kept with its conversations.
type stored struct {
	Format  string            `json:"format"`
	File    string            `json:"file"`
	Text    string            `json:"text"`
	Actions map[string][]byte `json:"actions,omitempty"` // what those that the file defines are made of, where that is more than the file

	Translations []translated `json:"translations,omitempty"` // all of them
	Language     string       `json:"language,omitempty"`     // that of a translation, for one of them
}

// compile is all of loading but the reading of files.
func (s stored) compile(opts Options) (*Dialogue, error) {
	r := &document.Report{Expected: "a dialogue", Meant: meant}
	f := &file{src: document.Read(s.File, []byte(s.Text), r), report: r, opts: opts, kept: s.Actions}
	if f.src.Root == nil {
		return nil, r.Err()
	}
	f.def.Name = nameOf(s.File)
	if f.read(); f.src.Root.Kind != yaml.MappingNode {
		return nil, r.Err()
	}
	opts.Actions = slices.Concat(opts.Actions, f.actions)
	if s.Translations == nil {
		s.Translations = f.readTranslations(opts.Files)
	}
	d, err := f.compile(opts)
	if err != nil {
		return nil, err
	}
	s.Actions = f.kept
	f.warn(d)
	for _, t := range s.Translations {
		in, err := f.translate(t, opts)
		if err != nil {
			return nil, err
		}
		if d.translations == nil {
			d.translations = make(map[string]*Dialogue)
		}
		d.translations[t.Language] = in
		if in != nil {
			in.base = d
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	r.Sort(r.Warnings)
	d.warnings = r.Warnings
	d.modelAt, d.embedderAt = f.problem("settings.model"), f.problem("settings.embedder")
	language := s.Language
	for _, tag := range append(keysOf(d.translations), "") {
		if s.Language = tag; tag == d.settings.Language {
			s.Language = ""
		}
		if err := d.In(s.Language).keep(s); err != nil {
			return nil, err
		}
	}
	return d.In(language), nil
}

// keep notes the source of a dialogue.
func (d *Dialogue) keep(s stored) (err error) {
	if d.source, err = json.Marshal(s); err != nil {
		return err
	}
	sum := sha256.Sum256(append([]byte(planKind+"\x00"), d.source...))
	d.digest = "def_" + hex.EncodeToString(sum[:16])
	return nil
}

// compile compiles what was read. Names, types and ways are not followed in parts that could not be read whole.
func (f *file) compile(opts Options) (*Dialogue, error) {
	known := slices.Clone(f.report.Problems)
	c := &compiler{opts: opts, hints: &f.report.Hints, torn: torn(known)}
	c.report = func(path string, offset int, message string) { f.tell(known, path, offset, message) }
	d := c.build(f.def)
	nlu := c.newPhrases()
	if err := f.report.Err(); err != nil {
		return nil, err
	}
	return d, d.finish(opts, nlu)
}

// tell reports what the compiler has found, but for what may only follow from a problem that is known: one with what is
// around it, or within it.
func (f *file) tell(known []definition.Problem, path string, offset int, message string) {
	at, nearest := f.places.find(path)
	for _, p := range known {
		if within(path, p.Path) || within(p.Path, nearest) {
			return
		}
	}
	if offset >= 0 && at.Node.Kind == yaml.ScalarNode {
		f.report.Inside(at, offset, "%s", message)
		return
	}
	f.report.Add(at, "%s", message)
}

// within reports whether a path leads into what is at another one, or to it. The whole file holds nothing in this.
func within(path, other string) bool {
	rest, ok := strings.CutPrefix(path, other)
	return ok && other != "" && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// apart are the keys of a file that say nothing of slots, flows and actions.
var apart = []string{"", "$schema", "apiVersion", "kind", "metadata", "settings", "patterns", "chitchat", "synonyms", "labels", "tests"}

// torn tells of a flow by its path whether something in it could not be read, or in what all flows see.
func torn(known []definition.Problem) func(path string) bool {
	all := slices.ContainsFunc(known, func(p definition.Problem) bool {
		first, rest, _ := strings.Cut(p.Path, ".")
		first, _, _ = strings.Cut(first, "[")
		return !slices.Contains(apart, first) && (first != "flows" || rest == "")
	})
	return func(path string) bool {
		return all || slices.ContainsFunc(known, func(p definition.Problem) bool { return within(p.Path, path) })
	}
}

// readActions has the actions made that the file defines.
func (f *file) readActions(o *document.Object) {
	kept := make(map[string][]byte)
	for _, p := range o.Pairs("actions") {
		a, err := f.action(p)
		if err != nil {
			f.actionFault(p.Value, err)
			a = Action{Run: func(node.Context, map[string]any) (any, error) { return nil, nil }}
		}
		if a.Name = p.Key.Text; slices.ContainsFunc(f.opts.Actions, func(b Action) bool { return b.Name == a.Name }) {
			f.report.Add(p.Key.Spot, "the action %q is one of the program already", a.Name)
			continue
		}
		if a.Source != nil {
			kept[a.Name] = a.Source
		}
		f.actions = append(f.actions, a)
	}
	f.kept = kept
}

// action makes one action of what the file says of it, or of what was kept.
func (f *file) action(p document.Pair) (Action, error) {
	if f.opts.ActionsFrom == nil {
		return Action{}, errors.New("actions cannot be defined here; the program gives them (Options.Actions)")
	}
	if source, ok := f.kept[p.Key.Text]; ok {
		return f.opts.ActionsFrom(p.Key.Text, source)
	}
	spec, err := document.Text(p.Value.Node)
	if err != nil {
		return Action{}, err
	}
	return f.opts.ActionsFrom(p.Key.Text, spec)
}

// actionFault reports what is wrong with an action: with another file that it names, at a place within what is said of
// it, or with all of it; errors that are joined are several such problems.
func (f *file) actionFault(at document.Spot, err error) {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range several.Unwrap() {
			f.actionFault(at, one)
		}
		return
	}
	if other, ok := errors.AsType[*definition.Error](err); ok {
		for _, p := range other.Problems {
			f.report.Add(at, "%s", p)
		}
		return
	}
	if within, ok := errors.AsType[*definition.PathError](err); ok && within.Path != "" {
		at, _ = f.places.find(document.Join(at.Path, within.Path))
		err = errors.New(within.Message)
	}
	f.report.Add(at, "%v", err)
}

// meant says what a key of another kind of file means here.
func meant(found string, known []string) string {
	words := map[string]string{
		"name": "metadata", "description": "metadata", "say": "message", "text": "message", "prompt": "message", "ask": "message", "question": "message",
		"if": "when", "condition": "when", "then": "next", "goto": "next", "action": "call", "agent": "call", "agent_ref": "call", "else": "default",
		"triggers": "trigger", "intents": "trigger", "examples": "trigger", "enum": "choices", "default": "initial", "required": "optional",
		"inputs_map": "inputs", "outputs_map": "outputs", "max_retries": "retries", "on_failure": "on_error", "validation": "validate",
	}
	if w := words[found]; slices.Contains(known, w) {
		return fmt.Sprintf("; did you mean %q?", w)
	}
	return ""
}

// nameOf is the name of a dialogue that gives itself none.
func nameOf(path string) string { return document.NameOf(path, FileName, planKind) }

// Source is a text that holds all that the dialogue was compiled from, for Restore. It is nil for one that Compile made
// of Go values: its program has it.
func (d *Dialogue) Source() []byte { return slices.Clone(d.source) }

// Digest names Source, and is empty where there is none. Runtime.SaveDefinition returns the same for the kind "dialogue",
// and fermata.WithDefinition takes it.
func (d *Dialogue) Digest() string { return d.digest }
