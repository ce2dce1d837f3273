package dialogue

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/document"
)

// sayStep is the other word for a step of type inform.
const sayStep = "say"

// everyStep are the keys that all steps have.
var everyStep = []string{"id", "type", "next"}

// stepKeys are the keys of steps by their types.
var stepKeys = map[string][]string{
	string(CollectStep): slices.Concat(everyStep, []string{"slot", "message", "options", "again", "metadata"}),
	string(ConfirmStep): slices.Concat(everyStep, []string{"message", "options", "on_deny", "choices", "metadata"}),
	string(InformStep):  informKeys,
	sayStep:             informKeys,
	string(ActionStep): slices.Concat(everyStep, []string{
		"call", "inputs", "outputs", "on_error", "retries", "timeout_seconds", "final",
	}),
	string(SetStep):    slices.Concat(everyStep, []string{"values"}),
	string(BranchStep): slices.Concat(everyStep, []string{"cases", "default"}),
	string(WhileStep):  slices.Concat(everyStep, []string{"when", "steps"}),
	string(CallStep):   slices.Concat(everyStep, []string{"flow", "inputs", "outputs"}),
	string(LinkStep):   {"id", "type", "flow", "inputs"},
}

var (
	informKeys = slices.Concat(everyStep, []string{"message", "options", "wait_for_ack", "metadata"})
	caseKeys   = []string{"when", "next"}
)

// steps reads a list of steps. One that cannot be read is there without anything, so that the others keep their places.
func (f *file) steps(o *document.Object) []Step {
	var all []Step
	for _, at := range o.List("steps") {
		all = append(all, f.step(at))
	}
	return all
}

// step reads a step. Its type decides which keys it may have.
func (f *file) step(at document.Spot) Step {
	if at.Node.Kind != yaml.MappingNode {
		f.report.Add(at, "expected a step such as {id: who, type: collect, slot: payee, message: …}, found %s", document.Describe(at.Node))
		return Step{}
	}
	loose := document.NewObject(at, f.report, nil)
	kind := loose.NeedText("type", document.OneOf(stepTypes()))
	st := Step{ID: loose.Text("id").Text, Type: StepType(kind.Text)}
	known, ok := stepKeys[kind.Text]
	if !ok {
		if kind.Text != "" {
			f.report.Add(kind.Spot, "type is %s; expected %s%s", document.Quote(kind.Text), document.OneOf(stepTypes()), f.meantStep(kind.Text))
		}
		return st
	}
	if kind.Text == sayStep {
		st.Type = InformStep
	}
	f.fill(&st, document.NewObject(at, f.report, known))
	return st
}

// stepWords are types of steps as other systems call them.
var stepWords = map[string]StepType{
	"set_slots": SetStep, "set_slot": SetStep, "assign": SetStep, "ask": CollectStep, "question": CollectStep, "respond": InformStep, "utter": InformStep,
	"if": BranchStep, "switch": BranchStep, "condition": BranchStep, "loop": WhileStep, "for": WhileStep, "subflow": CallStep, "goto": LinkStep, "jump": LinkStep,
}

// meantStep is the end of a message about a type of steps that there is not.
func (f *file) meantStep(found string) string {
	if here, ok := stepWords[found]; ok {
		return fmt.Sprintf("; did you mean %q?", here)
	}
	return f.report.Hint(found, stepTypes())
}

// fill reads all that a step of any type may have; what its type does not is not known to the object.
func (f *file) fill(st *Step, o *document.Object) {
	st.Next = o.Text("next").Text
	st.Message, st.Texts = f.message(o, "message")
	st.Options, st.Metadata = words(o.Words("options")), o.Mapping("metadata")
	st.Slot, st.Again = o.Text("slot").Text, o.Flag("again")
	st.OnDeny, st.WaitForAck = o.Text("on_deny").Text, o.Flag("wait_for_ack")
	if st.Type == ConfirmStep {
		for _, at := range o.List("choices") {
			st.Alternatives = append(st.Alternatives, f.alternative(at))
		}
	}
	st.Call, st.Flow = o.Text("call").Text, o.Text("flow").Text
	st.Inputs, st.Outputs, st.Values = assignments(o, "inputs"), assignments(o, "outputs"), assignments(o, "values")
	for i, out := range st.Outputs {
		if st.Type == ActionStep && out.Value == "." {
			st.Outputs[i].Value = "" // all of the result
		}
	}
	st.OnError, st.Retries, st.Timeout = o.Text("on_error").Text, o.Number("retries", 0, 0), o.Seconds()
	if o.Has("final") {
		final := o.Flag("final")
		st.Final = &final
	}
	st.Default, st.Cases = o.Text("default").Text, f.cases(o)
	if st.Type == WhileStep {
		st.When, st.Steps = o.Text("when").Text, f.steps(o)
	}
}

// assignments reads a mapping of names to texts, in written order; nil where it is not there.
func assignments(o *document.Object, key string) []Assignment {
	if !o.Has(key) {
		return nil
	}
	all := []Assignment{}
	for _, p := range o.Texts(key) {
		all = append(all, Assignment{Name: p.Key.Text, Value: p.Value.Text})
	}
	return all
}

// cases reads the ways that a branch can take: a list of {when, next}, or a mapping of expressions to steps.
func (f *file) cases(o *document.Object) []Case {
	if !o.Has("cases") {
		return nil
	}
	var all []Case
	if o.IsMapping("cases") {
		for _, p := range o.Texts("cases") {
			path := document.Index(document.Join(o.Path, "cases"), len(all))
			f.places[path] = written{value: p.Key.Spot}
			f.places[path+".when"], f.places[path+".next"] = written{value: p.Key.Spot}, written{value: p.Value.Spot}
			all = append(all, Case{When: p.Key.Text, Next: p.Value.Text})
		}
		return all
	}
	for _, at := range o.List("cases") {
		c := document.NewObject(at, f.report, caseKeys)
		if at.Node.Kind == yaml.MappingNode {
			c.NeedText("when", "an expression")
			c.NeedText("next", "the step that follows where it holds")
		}
		all = append(all, Case{When: c.Text("when").Text, Next: c.Text("next").Text})
	}
	return all
}
