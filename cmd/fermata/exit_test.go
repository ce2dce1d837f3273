package main

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/journal"
)

// The exit codes are a promise.
func TestExitCodes(t *testing.T) {
	door := func(code fermata.Code) error { return &fermata.Error{Code: code, Err: errors.New("x")} }
	tests := []struct {
		err  error
		want int
	}{
		{nil, 0},
		{door(fermata.CodeFailed), 1},
		{door(fermata.CodeInternal), 1},
		{door("a code of later"), 1},
		{usagef("x"), 2},
		{errors.New("unknown flag: --x"), 2},
		{door(fermata.CodeNotFound), 2},
		{&journal.StoreError{Err: journal.ErrNotFound}, 2},
		{door(fermata.CodeInvalid), 3},
		{invalidf("x"), 3},
		{&definition.Error{}, 3},
		{&fs.PathError{Err: fs.ErrNotExist}, 3},
		{door(fermata.CodeStopped), 4},
		{door(fermata.CodeExpired), 5},
		{door(fermata.CodeLimit), 5},
		{door(fermata.CodeCancelled), 6},
		{door(fermata.CodeConflict), 7},
		{door(fermata.CodePlanChanged), 7},
		{door(fermata.CodeForbidden), 8},
		{door(fermata.CodeStore), 8},
		{&journal.StoreError{Err: journal.ErrCorrupt}, 8},
		{&journal.StoreError{Err: &fs.PathError{Err: fs.ErrPermission}}, 8},
	}
	for _, tt := range tests {
		for _, err := range []error{tt.err, fmt.Errorf("around it: %w", tt.err), &withAdvice{tt.err, "do this"}} {
			if tt.err == nil {
				err = nil
			}
			if got := exitOf(err); got != tt.want {
				t.Errorf("exitOf(%T %v) = %d, want %d", tt.err, err, got, tt.want)
			}
		}
	}
}

func TestExitCodesOfResults(t *testing.T) {
	tests := []struct {
		status fermata.Status
		err    error
		want   int
	}{
		{fermata.Completed, nil, 0},
		{fermata.Failed, errors.New("x"), 1},
		{fermata.Failed, &fermata.Error{Code: fermata.CodeFailed, Err: errors.New("x")}, 1},
		{fermata.Failed, &fermata.Error{Code: fermata.CodeInvalid, Err: errors.New("x")}, 1},
		{fermata.Stuck, nil, 1},
		{"a status of later", nil, 1},
		{fermata.Running, nil, 4},
		{fermata.Paused, nil, 4},
		{fermata.Failed, &fermata.Error{Code: fermata.CodeLimit, Err: errors.New("x")}, 5},
		{fermata.Failed, &fermata.Error{Code: fermata.CodeExpired, Err: errors.New("x")}, 5},
		{fermata.Expired, nil, 5},
		{fermata.Cancelled, nil, 6},
	}
	for _, tt := range tests {
		if got := exitOfResult(&fermata.Result{Status: tt.status, Err: tt.err}); got != tt.want {
			t.Errorf("a run that is %s (%v): %d, want %d", tt.status, tt.err, got, tt.want)
		}
	}
}
