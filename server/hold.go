package server

import (
	"time"

	"github.com/fermata-go/fermata"
)

// held is why nothing begins in a run (law J18).
type held struct {
	By     string    `json:"by,omitempty"`
	Note   string    `json:"note,omitempty"`
	Before string    `json:"before,omitempty"` // of a breakpoint: the task that begins once the run is released
	After  string    `json:"after,omitempty"`  // of a breakpoint: the task that has ended
	Since  time.Time `json:"since"`
}

func heldOf(r *fermata.Result) *held {
	if r.Hold == nil {
		return nil
	}
	return &held{By: r.Hold.By, Note: r.Hold.Note, Before: r.Hold.Before, After: r.Hold.After, Since: r.Hold.Since}
}
