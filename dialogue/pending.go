package dialogue

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
//	{"type":"confirm","prompt","slot?","options","choices?","metadata?"}
//	{"type":"inform","prompt","wait_for_ack?","options?","metadata?"}
//
// NewCollect, NewConfirm and NewInform make them.
type PendingTask struct {
	// ID names the question: two with the same ID ask the same. A message that answers it says so in Message.Question.
	ID         string         `json:"id,omitempty"`
	Type       TaskType       `json:"type"`
	Prompt     string         `json:"prompt"`
	Slot       string         `json:"slot,omitempty"`         // of a collect task; of a confirm task whose yes gives it a value
	WaitForAck bool           `json:"wait_for_ack,omitempty"` // of an inform task: it waits until the user has read it
	Options    []string       `json:"options,omitempty"`      // quick replies
	Choices    []TaskChoice   `json:"choices,omitempty"`      // of a confirm task: answers beside yes and no. Options hold their labels, too
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
