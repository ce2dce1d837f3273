package dialogue

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/nearest"
)

// TaskType says what a pending task wants of the user.
type TaskType string

// The types of pending tasks.
const (
	CollectTask TaskType = "collect" // a value for a slot
	ConfirmTask TaskType = "confirm" // an explicit yes
	InformTask  TaskType = "inform"  // nothing, or that they have read it
)

// PendingTask is something that a flow has to say or to ask. Flows return it, and never interrupt the run themselves.
// It is the request of the gate's interrupt, and as JSON one of
//
//	{"type":"collect","prompt","slot","options?","metadata?"}
//	{"type":"confirm","prompt","options","metadata?"}
//	{"type":"inform","prompt","wait_for_ack?","options?","metadata?"}
//
// NewCollect, NewConfirm and NewInform make them.
type PendingTask struct {
	Type       TaskType       `json:"type"`
	Prompt     string         `json:"prompt"`
	Slot       string         `json:"slot,omitempty"`         // of a collect task
	WaitForAck bool           `json:"wait_for_ack,omitempty"` // of an inform task: it waits until the user has read it
	Options    []string       `json:"options,omitempty"`      // quick replies
	Metadata   map[string]any `json:"metadata,omitempty"`     // for those who show it
}

// NewCollect is a task that asks for the value of a slot.
func NewCollect(prompt, slot string, options ...string) PendingTask {
	return PendingTask{Type: CollectTask, Prompt: prompt, Slot: slot, Options: options}
}

// NewConfirm is a task that asks for an explicit yes. The options default to yes and no.
func NewConfirm(prompt string, options ...string) PendingTask {
	if len(options) == 0 {
		options = []string{"yes", "no"}
	}
	return PendingTask{Type: ConfirmTask, Prompt: prompt, Options: options}
}

// NewInform is a task that tells something and goes on at once. Set WaitForAck to wait until the user has read it.
func NewInform(prompt string, options ...string) PendingTask {
	return PendingTask{Type: InformTask, Prompt: prompt, Options: options}
}

// IsCollect reports whether the task asks for a slot.
func (t PendingTask) IsCollect() bool { return t.Type == CollectTask }

// IsConfirm reports whether the task asks for a yes.
func (t PendingTask) IsConfirm() bool { return t.Type == ConfirmTask }

// IsInform reports whether the task tells something.
func (t PendingTask) IsInform() bool { return t.Type == InformTask }

// RequiresInput reports whether the flow waits for the user. It does for collect and confirm, and for an inform that waits
// for its acknowledgement.
func (t PendingTask) RequiresInput() bool {
	return t.IsCollect() || t.IsConfirm() || t.IsInform() && t.WaitForAck
}

// ErrTask says that a pending task is none of the three.
var ErrTask = fault.Sentinel("dialogue.task", "not a pending task")

// Check says what is wrong with a task that comes from elsewhere; the error is an ErrTask. nil for nothing.
func (t PendingTask) Check() error {
	known := []string{string(CollectTask), string(ConfirmTask), string(InformTask)}
	switch {
	case !slices.Contains(known, string(t.Type)):
		return fmt.Errorf("%w: type is %q; expected collect, confirm or inform%s", ErrTask, t.Type, nearest.Hint(string(t.Type), known))
	case t.IsCollect() && t.Slot == "":
		return fmt.Errorf("%w: a collect task names the slot that it asks for", ErrTask)
	case !t.IsCollect() && t.Slot != "":
		return fmt.Errorf("%w: a task of type %s has no slot, found %q", ErrTask, t.Type, t.Slot)
	case t.IsConfirm() && len(t.Options) == 0:
		return fmt.Errorf("%w: a confirm task has options, such as yes and no", ErrTask)
	case !t.IsInform() && t.WaitForAck:
		return fmt.Errorf("%w: only an inform task waits for an acknowledgement, not one of type %s", ErrTask, t.Type)
	}
	return nil
}

// ParseTask reads a task from JSON and checks it.
func ParseTask(data []byte) (PendingTask, error) {
	var t PendingTask
	if err := json.Unmarshal(data, &t); err != nil {
		return t, fmt.Errorf("%w: %w", ErrTask, err)
	}
	return t, t.Check()
}
