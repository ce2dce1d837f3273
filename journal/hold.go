package journal

// HeldBody is the body of RunHeld: why nothing begins in the run until a RunReleased (law J18).
type HeldBody struct {
	By   string `json:"by,omitempty"`   // who holds the run
	Note string `json:"note,omitempty"` // why
}

// ReleasedBody is the body of RunReleased.
type ReleasedBody struct {
	By   string `json:"by,omitempty"`   // who released the run
	Note string `json:"note,omitempty"` // why
}
