package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/definition"
	"github.com/fermata-go/fermata/journal"
)

// The exit codes. They are stable: scripts depend on them.
const (
	exitCompleted = 0 // the run completed; the command did what it was asked
	exitFailed    = 1 // the run failed
	exitUsage     = 2 // the command line is wrong
	exitInvalid   = 3 // a file, an input or an answer is not valid
	exitPaused    = 4 // the run is not finished: somebody is waited for, or its execution was stopped
	exitLimit     = 5 // a deadline passed or a limit was reached
	exitCancelled = 6 // the run was cancelled
	exitConflict  = 7 // somebody else was first, or a run cannot go on: it does not fit the plan, or its plan is not known here
	exitStore     = 8 // the store or the network failed, or the caller may not do this
)

// codeExits says which exit code an error at the front door has.
var codeExits = map[fermata.Code]int{
	fermata.CodeFailed:      exitFailed,
	fermata.CodeInvalid:     exitInvalid,
	fermata.CodeNotFound:    exitUsage,
	fermata.CodeConflict:    exitConflict,
	fermata.CodeExpired:     exitLimit,
	fermata.CodeForbidden:   exitStore,
	fermata.CodeLimit:       exitLimit,
	fermata.CodePlanChanged: exitConflict,
	fermata.CodeBlocked:     exitPaused,
	fermata.CodeCancelled:   exitCancelled,
	fermata.CodeStopped:     exitPaused,
	fermata.CodeStore:       exitStore,
	fermata.CodeInternal:    exitFailed,
}

// statusExits says which exit code a run has that stands like this.
var statusExits = map[fermata.Status]int{
	fermata.Running:   exitPaused,
	fermata.Paused:    exitPaused,
	fermata.Completed: exitCompleted,
	fermata.Failed:    exitFailed,
	fermata.Cancelled: exitCancelled,
	fermata.Expired:   exitLimit,
	fermata.Stuck:     exitFailed,
	fermata.Blocked:   exitPaused,
}

// exit is an error with the code that it ends the command with. Where err is nil everything has been said.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// usagef is a command line that says something wrong: a flag, an argument, a name.
func usagef(format string, args ...any) error { return &exit{exitUsage, fmt.Errorf(format, args...)} }

// invalidf is a file, an input or an answer that is not valid.
func invalidf(format string, args ...any) error {
	return &exit{exitInvalid, fmt.Errorf(format, args...)}
}

// wasSaid reports whether an error has nothing to say but its code.
func wasSaid(err error) bool {
	done, ok := errors.AsType[*exit](err)
	return ok && done.err == nil
}

// exitOf is the exit code of an error. What no table knows is a usage error: it comes from reading the command line.
func exitOf(err error) int {
	var (
		done    *exit
		door    *fermata.Error
		loading *definition.Error
		store   *journal.StoreError
		path    *fs.PathError
	)
	switch {
	case err == nil:
		return exitCompleted
	case errors.As(err, &done):
		return done.code
	case errors.As(err, &door):
		if code, ok := codeExits[door.Code]; ok {
			return code
		}
		return exitFailed
	case errors.As(err, &loading):
		return exitInvalid
	case errors.As(err, &store):
		if errors.Is(err, journal.ErrNotFound) {
			return exitUsage
		}
		return exitStore
	case errors.As(err, &path):
		return exitInvalid
	}
	return exitUsage
}

// exitOfResult is the exit code of a run that rests: by its status, and by the limit that failed it.
func exitOfResult(res *fermata.Result) int {
	var door *fermata.Error
	if res.Status == fermata.Failed && errors.As(res.Err, &door) {
		if code := codeExits[door.Code]; code == exitLimit {
			return code
		}
	}
	if code, ok := statusExits[res.Status]; ok {
		return code
	}
	return exitFailed
}
