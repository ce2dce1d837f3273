package node

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/loss"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/schema"
)

// Reasoning is what a model is asked by [Reason], and what it may do before it answers. Of its fields only Prompt or
// Messages is needed.
type Reasoning struct {
	// ID names the reasoning within its task, instead of its order, so that code in front of it may change (law N2), and
	// so may its prompt while a person is asked. Loops give distinct occurrences.
	ID string

	Model    string          // which model of the program, see [Context.LLM]: "careful", "openai:gpt-5". Defaults to the program's own choice
	System   string          // how the model is to behave
	Messages []model.Message // what was said before
	Prompt   string          // what the user says now, behind Messages

	// Schema is what the answer must fit. Defaults to the schema of Out; where that is a string, any text is an answer. Out may leave
	// out members of a schema of your own. Once it has other members, a recorded answer is read whole or stops the run (law J8).
	Schema *schema.Schema

	Tools     []Tool     // what the model may call
	Approval  *Approval  // for calls of tools that have no Approval of their own; nil for none
	Interrupt *Asking    // lets the model ask a person, see [AskPerson]; nil for no
	Stream    StreamMode // what observers see of the answer while it is made. Defaults to nothing
	DataType  string     // of the events that show the answer. Defaults to the schema's id

	Limits      Limits
	MaxTokens   int      // of each reply; 0 leaves it to the model. A reply that is cut off is an error, model.ErrTruncated
	Temperature *float64 // nil leaves it to the model
}

// StreamMode says what observers see of an answer while it is made. In each mode they see its end, and nothing that
// its schema cannot allow; [Structured] has the same events.
type StreamMode string

// The modes.
const (
	StreamOff      StreamMode = ""         // nothing but the outcome
	StreamPatch    StreamMode = "patch"    // what is added, as it comes
	StreamSnapshot StreamMode = "snapshot" // the whole of it, each time that something is added: for small values
)

// Limits is how far a reasoning may go. Reaching one is a [*LimitError], never a silent end (law F4).
type Limits struct {
	Turns   int   // how often the model is asked. Defaults to 20
	Repairs int   // how often it is shown what is wrong with its answers and calls, and asked again. Defaults to 2; below 0 for never
	Tokens  int64 // read and said, in all turns. Defaults to no limit
	Cost    int64 // micro-dollars, in all turns. Defaults to no limit
}

const (
	defaultTurns   = 20
	defaultRepairs = 2
)

// LimitError says which limit of a reasoning was reached (law F4).
type LimitError struct {
	Limit  string // turns, tokens or cost
	Max    string
	Reason string // why it counts as reached although the sum is below it, "" where it is not
}

func (e *LimitError) Error() string {
	text := fmt.Sprintf("the reasoning's limit of %s (%s) was reached", e.Limit, e.Max)
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

// Is reports whether target is ErrLimit.
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// ErrOutput says that a model did not give what it was asked for, though it was shown what was wrong.
var ErrOutput = fault.Sentinel("output", "the model's answer is not what was asked for")

// OutputError is the last answer of a model that failed its schema, with the problems.
type OutputError struct {
	Output   string           // the model's last text
	Problems []schema.Problem // what its schema does not allow
	Repairs  int              // how often the model was shown what was wrong
}

func (e *OutputError) Error() string {
	err := schema.Error{Problems: e.Problems}
	return fmt.Sprintf("%v, after %d of its repairs: %v\nits last answer was: %s", ErrOutput, e.Repairs, &err, clip(e.Output))
}

// Is reports whether target is ErrOutput.
func (e *OutputError) Is(target error) bool { return target == ErrOutput }

// clip is enough of a text for an error.
func clip(text string) string {
	const most = 500
	if short := []rune(text); len(short) > most {
		return string(short[:most]) + "…"
	}
	return text
}

// Reason asks a model for an Out, checks the answer and returns it, in one durable call. The model may call tools, and
// ask a person; while it waits for one, the error is [ErrSuspended]: return it. When the answer arrives, or another
// process continues the run, the node's function runs again from its first line, and the call continues where it was:
// no recorded call of a model or tool is repeated (laws J5 and N1). If an answer does not fit its schema, the model
// sees it with the problems, see [Limits].
//
// The calls of one reply run in parallel. A final failure of one of them ends the reasoning at once, even if others
// wait for people. When the code has changed under a run that waits here, the prompts, and tools that were not called,
// may be others; a recorded call, question or approval that has no place any more is [ErrDiverged] (law N3).
//
// Errors are recorded where they are final: [*OutputError] and [*LimitError]; a new attempt of the task starts a new
// reasoning. Failures of the model are those of [LLM.Generate]: a new attempt makes the call that failed again, and
// those before it are kept.
func Reason[Out any](ctx Context, r Reasoning) (Out, error) {
	var out Out
	own := r.Schema != nil // then an answer may have members that Out leaves out
	if _, text := any(out).(string); !text && r.Schema == nil {
		var err error
		if r.Schema, err = schema.For[Out](); err != nil {
			return out, fmt.Errorf("the type of the answer: %w", err)
		}
	}
	t := reasoner{Reasoning: &r, fits: func(value []byte) error {
		var probe Out
		if err := json.Unmarshal(value, &probe); err != nil {
			return &schema.Error{Problems: []schema.Problem{{Message: err.Error()}}}
		}
		return nil
	}}
	if own {
		t.shape = loss.Shape(reflect.TypeFor[Out]())
	}
	op, err := t.run(ctx)
	if err != nil {
		return out, err
	}
	if !op.Known || own && op.Shape == t.shape { // what the type leaves out, its author left out when the model was asked
		return decode[Out](op)
	}
	return recorded[Out](ctx, op)
}
