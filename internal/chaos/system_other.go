//go:build !unix

package main

import (
	"errors"
	"os"
	"os/exec"
)

var errNotHere = errors.New("processes cannot be frozen on this system")

func freeze(*os.Process) error { return errNotHere }
func thaw(*os.Process) error   { return errNotHere }

func (db *database) signal(bool) error { return db.server.Process.Kill() }

func (db *database) unprivileged(*exec.Cmd) error { return nil }
