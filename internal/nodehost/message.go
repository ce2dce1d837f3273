package nodehost

import (
	"errors"
	"fmt"
	"time"

	"github.com/fermata-go/fermata/internal/printable"
)

// MessageHost is a [Host] whose runs get messages.
type MessageHost interface {
	// Receive returns op with the oldest message that a call may take and that its type can hold, or suspends the task. Messages
	// that do not fit are refused, on record. Without a message in time the op has a failure.
	Receive(pass uint64, op Op, want MessageWant) (Op, error)
	// Reply records the answer to a message, as the outcome of op.
	Reply(pass uint64, op Op, r MessageReply) error
}

// MessageWant says which message a call takes.
type MessageWant struct {
	Name    string                   // of the message
	Limited bool                     // the call waits for Within; otherwise for ever
	Within  time.Duration            // how long the call waits, if it is limited; 0 takes what is there
	Fits    func(value []byte) error // says why the call cannot take a value; nil for one that it can
}

// MessageReply is the answer to a message.
type MessageReply struct {
	Message uint64 // seq of the message's entry
	ID      string // of the message
	Value   []byte // JSON; nil beside an error
	Error   string // instead of a value; "" for none
}

// CheckMessageName refuses the name of a message that is empty, too long or cannot be shown (law H9).
func CheckMessageName(name string) error {
	const longest = 200
	switch {
	case name == "":
		return errors.New("the message has no name")
	case len(name) > longest:
		return fmt.Errorf("the name of the message has %d bytes; expected %d at most", len(name), longest)
	}
	return printable.Check("the name of the message", name)
}
