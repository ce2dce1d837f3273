package runtype

import (
	"slices"

	"github.com/fermata-go/fermata/journal"
)

// Breaks are the breakpoints of a run: nodes at whose visits it is held (law J19).
type Breaks = journal.Breaks

// BreakBefore holds the run before each visit of some nodes, named by their paths (law J19).
func BreakBefore(nodes ...string) StartOption {
	return func(o *StartOptions) { o.Breaks.Before = slices.Concat(o.Breaks.Before, nodes) }
}

// BreakAfter holds the run behind each visit of some nodes, named by their paths (law J19).
func BreakAfter(nodes ...string) StartOption {
	return func(o *StartOptions) { o.Breaks.After = slices.Concat(o.Breaks.After, nodes) }
}

// ResumeOptions configure a resumption.
type ResumeOptions struct {
	Breaks *Breaks // other breakpoints; nil to keep those that there are
}

// ResumeOption configures a resumption.
type ResumeOption func(*ResumeOptions)

// WithBreaks gives the run other breakpoints; the zero value gives none (law J19).
func WithBreaks(b Breaks) ResumeOption { return func(o *ResumeOptions) { o.Breaks = &b } }

// BreaksOf returns the breakpoints that options give; nil for none.
func BreaksOf(opts []ResumeOption) *Breaks {
	var o ResumeOptions
	for _, opt := range opts {
		opt(&o)
	}
	return o.Breaks
}
