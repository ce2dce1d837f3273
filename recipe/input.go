package recipe

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/internal/expression"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/schema"
)

// InputError says everything that is wrong with a run's inputs.
type InputError struct{ Problems []InputProblem }

// InputProblem is what is wrong with one input.
type InputProblem struct {
	Name    string // of the input
	Message string // what was expected and found
}

// Error lists the problems, one a line.
func (e *InputError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = fmt.Sprintf("input %q: %s", p.Name, p.Message)
	}
	return strings.Join(lines, "\n")
}

func (e *InputError) add(name, format string, args ...any) {
	e.Problems = append(e.Problems, InputProblem{Name: name, Message: fmt.Sprintf(format, args...)})
}

// Input checks a run's inputs and returns the blackboard that the run starts with. That is the inputs and the defaults
// of inputs and state. Values are what encoding/json writes, json.RawMessage included. It reports every problem at
// once, as an *InputError.
func (r *Recipe) Input(raw map[string]any) (map[string]any, error) { return r.doc.begin(raw) }

// begin makes the blackboard that a run, or a call, begins with.
func (d *draft) begin(raw map[string]any) (map[string]any, error) {
	faults := &InputError{}
	bb := make(map[string]any, len(raw))
	declared := portsOf(d.inputs)
	for _, name := range expression.Keys(raw) {
		v, err := expression.Dynamic(raw[name])
		if err != nil {
			faults.add(name, "%v", err)
			continue
		}
		if _, ok := declared[name]; !ok && !d.inputsOpen {
			faults.add(name, "there is no such input%s", hintInput(name, declared.names()))
			continue
		}
		if err := declared.checkOne(name, v); err != nil {
			faults.add(name, "%v", oneLine(err))
		}
		bb[name] = v
	}
	for _, p := range d.inputs {
		name := p.name.Text
		if _, given := raw[name]; given {
			continue
		}
		if !p.optional {
			faults.add(name, "it is missing; %s", expected(p.shape))
			continue
		}
		bb[name] = expression.Clone(p.fallback)
	}
	for _, p := range d.state {
		if _, taken := bb[p.name.Text]; p.optional && !taken {
			bb[p.name.Text] = expression.Clone(p.fallback)
		}
	}
	if len(faults.Problems) > 0 {
		return nil, faults
	}
	return bb, nil
}

func hintInput(name string, declared []string) string {
	if len(declared) == 0 {
		return "; the recipe takes none"
	}
	return newReport().NearestOr(name, declared)
}

// expected says what a schema wants, as far as one word can.
func expected(s *document.Shape) string {
	kinds := kindsOf(s)
	if len(kinds) == 0 || s.Doc["type"] != kinds[0] {
		return "expected a value"
	}
	if about, ok := s.Doc["description"].(string); ok && about != "" {
		return fmt.Sprintf("expected %s: %s", article(kinds[0]), about)
	}
	return "expected " + article(kinds[0])
}

func article(kind string) string {
	switch kind {
	case "array", "integer", "object":
		return "an " + kind
	case "null":
		return "null"
	}
	return "a " + kind
}

// oneLine writes the problems of a schema in one line.
func oneLine(err error) string {
	se, ok := errors.AsType[*schema.Error](err)
	if !ok {
		return err.Error()
	}
	parts := make([]string, len(se.Problems))
	for i, p := range se.Problems {
		parts[i] = p.String()
	}
	return strings.Join(parts, "; ")
}

// Output returns the result of a run that ends with this blackboard. Declared outputs must be set and fit their
// schemas. Without declared outputs, the whole blackboard is the result. The plan applies Output itself when a run
// ends.
func (r *Recipe) Output(blackboard map[string]any) (map[string]any, error) {
	if r.doc.outputsOpen {
		return blackboard, nil
	}
	return portsOf(r.doc.outputs).finish(blackboard)
}

// maxInputFile bounds a file that an input is read from.
const maxInputFile = 16 << 20

// ParseInput reads inputs from texts such as "amount=120", as a command line has them. The input's schema decides: a
// string stays as it is, anything else is JSON. Where the schema allows a string beside other types, or says nothing,
// JSON is taken as JSON if it fits and as text otherwise. "name=@file" reads the value from a file, and "name=@@x" is
// the text "@x". Pass the result to Input, which checks it.
func (r *Recipe) ParseInput(pairs []string) (map[string]any, error) {
	faults := &InputError{}
	declared := portsOf(r.doc.inputs)
	raw := make(map[string]any, len(pairs))
	for _, pair := range pairs {
		name, text, ok := strings.Cut(pair, "=")
		switch _, twice := raw[name]; {
		case !ok:
			faults.add(pair, "expected name=value, as in %s=…; name=@file reads the value from a file", quoteName(pair))
			continue
		case name == "":
			faults.add(name, "the name before = is empty in %s; expected name=value", document.Quote(pair))
			continue
		case twice:
			faults.add(name, "it is given twice")
			continue
		}
		p, known := declared[name]
		if !known && !r.doc.inputsOpen {
			faults.add(name, "there is no such input%s", hintInput(name, declared.names()))
			continue
		}
		text, err := fileOrText(text)
		if err != nil {
			faults.add(name, "%v", err)
			continue
		}
		v, err := valueOf(text, p.shape)
		if err != nil {
			faults.add(name, "%v", err)
			continue
		}
		raw[name] = v
	}
	if len(faults.Problems) > 0 {
		return nil, faults
	}
	return raw, nil
}

func quoteName(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\n\"'") {
		return "name"
	}
	return s
}

// fileOrText is the content of the file that @ names, or the text itself.
func fileOrText(text string) (string, error) {
	name, isFile := strings.CutPrefix(text, "@")
	switch {
	case !isFile:
		return text, nil
	case strings.HasPrefix(name, "@"):
		return name, nil
	case name == "":
		return "", errors.New("expected the path of a file after @; @@ begins a text with @")
	}
	data, err := readFile(name, maxInputFile)
	return string(data), err
}

// valueOf reads a text as its schema wants it.
func valueOf(text string, s *document.Shape) (any, error) {
	kinds := kindsOf(s)
	if len(kinds) == 1 && kinds[0] == "string" {
		return text, nil
	}
	v, err := document.Decode([]byte(text))
	loose := len(kinds) == 0 || slices.Contains(kinds, "string")
	if err == nil && (!loose || s.Check(v) == nil) {
		return v, nil
	}
	if loose {
		return text, nil
	}
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = article(k)
	}
	return nil, fmt.Errorf("expected %s as JSON%s, found %s", document.OneOf(words), examples[kinds[0]], document.Quote(text))
}

// examples are values of some types as JSON, as the end of what is expected.
var examples = map[string]string{
	"number": " such as 120", "integer": " such as 120", "boolean": ", true or false", "array": ` such as ["a","b"]`, "object": ` such as {"a":1}`,
}

// kindsOf are the types that a schema names; none where it does not say.
func kindsOf(s *document.Shape) []string {
	if s == nil || s.Doc == nil {
		return nil
	}
	switch kind := s.Doc["type"].(type) {
	case string:
		return []string{kind}
	case []any:
		var all []string
		for _, k := range kind {
			if text, ok := k.(string); ok {
				all = append(all, text)
			}
		}
		return all
	}
	return nil
}

// Func makes an agent of a typed function: the arguments are decoded into In by encoding/json. Names that In does not
// have are left out.
func Func[In, Out any](f func(ctx node.Context, in In) (Out, error)) AgentFunc {
	return func(ctx node.Context, args map[string]any) (any, error) {
		var in In
		data, err := json.Marshal(args)
		if err == nil {
			err = json.Unmarshal(data, &in)
		}
		if err != nil {
			return nil, definite{fmt.Errorf("the arguments do not fit %T: %w", in, err)}
		}
		return f(ctx, in)
	}
}

// AddTool adds a typed function as an agent, see [Func], with a description for models. Models that have it among their
// tools ("agent:NAME") see the description and the schema of its arguments, which is that of In (see [schema.For]).
// AddTool fails as [node.NewTool] does, and if the library has an agent of that name.
func AddTool[In, Out any](l *Library, name, description string, f func(ctx node.Context, in In) (Out, error)) error {
	t, err := node.NewTool(name, description, f)
	if err != nil {
		return err
	}
	if _, twice := l.Agents[name]; twice {
		return fmt.Errorf("the library has an agent %q already", name)
	}
	if l.Agents == nil {
		l.Agents = make(map[string]AgentFunc)
	}
	if l.tools == nil {
		l.tools = make(map[string]*node.Tool)
	}
	l.Agents[name], l.tools[name] = Func(f), &t
	return nil
}
