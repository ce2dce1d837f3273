//go:build linux

package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/recipe"
)

// longAgo keeps a paused run "late" of a recipe in a file, whose deadline passed in 2020 and was noticed by nobody.
func longAgo(t *testing.T, dir string) (path string) {
	t.Helper()
	path = filepath.Join(dir, "runs.db")
	store, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2020, time.January, 31, 18, 0, 0, 0, time.UTC)
	rt, err := fermata.New(fermata.Options{Store: store, Clock: fermatatest.NewClock(at)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := recipe.Load(filepath.Join(dir, "recipe.yaml"), recipe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	input, err := r.Input(nil)
	if err != nil {
		t.Fatal(err)
	}
	digest, err := rt.SaveDefinition(t.Context(), "recipe", r.Source())
	if err != nil {
		t.Fatal(err)
	}
	run, err := rt.Start(t.Context(), r.Plan(), input, fermata.WithID("late"), fermata.WithDefinition(digest), fermata.Until(at.Add(time.Hour)))
	if err != nil {
		t.Fatal(err)
	}
	if res, err := run.Wait(t.Context()); err != nil || res.Status != fermata.Paused {
		t.Fatalf("the run is %s, %v", res.Status, err)
	}
	for _, close := range []func() error{rt.Close, store.Close} {
		if err := close(); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// No command gives anything to a run whose deadline has passed, and each says which deadline that is.
func TestF9_CommandsSayThatTheyAreLate(t *testing.T) {
	dir := place(t, refund)
	path := longAgo(t, dir)
	m, stdout, stderr := command(t)
	for _, args := range [][]string{
		{"tasks", "answer", "late", "--value", "approve", "--as", "ann"},
		{"tasks", "answer", "late", "--value", "approve", "--as", "ann", "--resume"},
		{"tasks", "claim", "late", "--as", "ann"},
		{"tasks", "reassign", "late", "--to", "bob", "--as", "ann"},
		{"runs", "send", "late", "payments", "1"},
		{"runs", "cancel", "late"},
	} {
		stdout.Reset()
		stderr.Reset()
		code := m.Run(t.Context(), append(args, "--store", path))
		if code != exitLimit || !strings.Contains(stderr.String(), "the run's deadline passed at 2020-01-31T19:00:00Z") {
			t.Errorf("%v: exit code %d: %s%s", args, code, stdout, stderr)
		}
	}
}

// A retry after the deadline needs a new one, and says so; with it the run goes on and asks again.
func TestF9_ARetryNeedsANewDeadline(t *testing.T) {
	dir := place(t, refund)
	path := longAgo(t, dir)
	m, stdout, stderr := command(t)
	for _, c := range []struct {
		code int
		args string
		says string
	}{
		{exitLimit, "resume late --quiet", ""},
		{exitLimit, "runs retry late", "retry the run with a new one (RetryUntil, or runs retry --deadline)"},
		{exitLimit, "runs retry --plan refund", "retry the run with a new one (RetryUntil, or runs retry --deadline)"},
		{exitInvalid, "runs retry late --deadline 2020-01-31T20:00:00Z", "the deadline 2020-01-31T20:00:00Z has passed: by the store's clock it is 20"},
		{exitPaused, "runs retry late --deadline 2h --no-input", ""},
		{exitCompleted, "tasks answer late --value approve --resume", ""},
	} {
		stdout.Reset()
		stderr.Reset()
		code := m.Run(t.Context(), append(strings.Fields(c.args), "--store", path))
		if all := stdout.String() + stderr.String(); code != c.code || !strings.Contains(all, c.says) {
			t.Errorf("%s: exit code %d, want %d: %s", c.args, code, c.code, all)
		}
	}
}
