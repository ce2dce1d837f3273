package dialogue

import (
	"errors"
	"math"
	"time"

	"github.com/fermata-go/fermata/node"
)

// NLU understands what users say. It is asked once for each message. Its calls to other systems are recorded like any
// step of a node, so it is not asked again after a crash.
type NLU interface {
	Understand(ctx node.Context, t *Turn) ([]Command, error)
}

// Turn is a message, and what an NLU has to know to understand it. It must not be changed.
type Turn struct {
	Text     string
	Dialogue *Dialogue      // its flows, slots and triggers
	Now      time.Time      // when the message came, in the dialogue's time zone
	Active   []string       // the flows that are going on, the active one first
	Pending  *PendingTask   // what was asked; nil for nothing
	Clarify  []string       // the flows that the user was asked to choose from
	Filled   map[string]any // what the active flow knows
	Told     []string       // the slots of the active flow that it has got past, the last one first
	Lines    []Line         // what was said before, the message last

	secrets []string    // the values of private slots
	unsure  any         // the value of which the user is asked whether it is meant; nil for none
	nearby  *nearbyTurn // what an embedder says of the message; nil where there is none
	Shut    []string    // the flows that cannot be begun now, since their condition does not hold
}

// Services are the parts of a program that its conversations use. They are one service in fermata.Options.Services,
// read-only, and belong to the program, not to the plan. The zero value works.
type Services struct {
	// NLU understands users. Defaults to the model that the dialogue names, or to its phrases.
	NLU NLU
	// Handlers act on commands: on those that the program adds, and in place of the dialogue's own.
	Handlers map[CommandType]Handler
	// Embedder makes vectors of texts, by which messages that are no trigger are ranked, beside their words. Defaults to none:
	// words alone count.
	Embedder Embedder
	// Embedders finds the embedder that the settings of a dialogue name, where Embedder is nil. One that it does not find, and none
	// that finds any, leave the ranking to words.
	Embedders func(name string) (Embedder, error)
	// EmbedTimeout is how long a message may take the embedder; then words alone count. Defaults to 2 seconds.
	EmbedTimeout time.Duration
}

// services are the program's, with defaults.
func (d *Dialogue) services(ctx node.Context) *Services {
	given, err := node.Service[*Services](ctx)
	if errors.Is(err, node.ErrNoService) || given == nil {
		return &d.defaults
	}
	if given.NLU != nil {
		return given
	}
	with := *given
	with.NLU = d.defaults.NLU
	return &with
}

// known leaves out commands that hold what cannot be kept, such as a number that is none, and those beyond a bound.
func (d *Dialogue) known(commands []Command) []Command {
	const most = 50 // of one message
	if len(commands) > most {
		commands = commands[:most]
	}
	kept := make([]Command, 0, len(commands))
	for _, c := range commands {
		value, err := plainValue(c.Value)
		if err != nil || c.Type == Silence { // which nobody says
			continue
		}
		if _, err := plainValue(c.Data); err != nil || math.IsNaN(c.Confidence) {
			continue
		}
		c.Value, c.Confidence = value, min(max(c.Confidence, -1), 1)
		kept = append(kept, c)
	}
	return kept
}
