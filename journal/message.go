package journal

// SentBody is the body of MessageSent. The entry's Value is the message. One with the ID of an earlier message has no effect.
type SentBody struct {
	Name string `json:"name"`         // calls that wait for this name take it
	ID   string `json:"id,omitempty"` // its sender's; "" for none
	By   string `json:"by,omitempty"` // who sent it; "" for nobody named
}

// AwaitedBody is the body of MessageAwaited: a call that takes the oldest message of a name.
type AwaitedBody struct {
	Name string `json:"name"`
	Due  int64  `json:"due,omitempty"` // until when it waits, microseconds; 0 for ever
}

// RepliedBody is the body of MessageReplied. The entry's Value is the answer. A call whose message is refused takes the next one.
type RepliedBody struct {
	Message uint64 `json:"message"`           // seq of the message
	ID      string `json:"id,omitempty"`      // the message's
	Error   string `json:"error,omitempty"`   // instead of an answer
	Refused bool   `json:"refused,omitempty"` // it does not fit the type of the call that had taken it
}
