package journal

// HeldBody is the body of RunHeld: why nothing begins in the run until a RunReleased (law J18).
type HeldBody struct {
	By     string `json:"by,omitempty"`     // who holds the run
	Note   string `json:"note,omitempty"`   // why
	Before string `json:"before,omitempty"` // of a breakpoint: the task that begins once the run is released
	After  string `json:"after,omitempty"`  // of a breakpoint: the task that has ended
}

// ReleasedBody is the body of RunReleased.
type ReleasedBody struct {
	By   string `json:"by,omitempty"`   // who released the run
	Note string `json:"note,omitempty"` // why
}

// Breaks are the breakpoints of a run: nodes at whose visits it is held (law J19).
type Breaks struct {
	Before []string `json:"before,omitempty"` // paths of nodes; the run is held before each of their visits
	After  []string `json:"after,omitempty"`  // paths of nodes; the run is held behind each of their visits
}

// Empty reports whether there are none.
func (b *Breaks) Empty() bool { return b == nil || len(b.Before)+len(b.After) == 0 }
