//go:build linux

package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A question whose deadline has passed is called overdue wherever it is shown, and no command is offered that would answer it (law
// H4): the run goes on by its deadline.
func TestH4_WhatIsOverdueIsNotOfferedForAnAnswer(t *testing.T) {
	dir := place(t, strings.Replace(refund, "options:", "timeout_seconds: 3600, on_timeout: {answer: reject}, options:", 1))
	path := filepath.Join(dir, "runs.db")
	m, stdout, stderr := command(t)
	run := func(code int, args ...string) string {
		t.Helper()
		stdout.Reset()
		stderr.Reset()
		if got := m.Run(t.Context(), append(args, "--store", path)); got != code {
			t.Fatalf("%v: exit code %d, want %d: %s", args, got, code, stderr)
		}
		return stdout.String() + stderr.String()
	}
	run(exitPaused, "run", dir, "--id", "r", "--quiet")
	for _, tc := range []struct {
		late bool
		has  []string
		not  string
	}{
		{false, []string{"tasks answer"}, "overdue"},
		{true, []string{"overdue since ", "fermata resume r"}, "tasks answer"},
	} {
		m.Now = time.Now
		if tc.late {
			m.Now = func() time.Time { return time.Now().Add(2 * time.Hour) }
		}
		for _, args := range [][]string{{"runs", "show", "r"}, {"tasks", "show", "r"}} {
			got := run(exitCompleted, args...)
			for _, want := range tc.has {
				if !strings.Contains(got, want) {
					t.Errorf("%v, late: %v: expected %q in\n%s", args, tc.late, want, got)
				}
			}
			if strings.Contains(got, tc.not) {
				t.Errorf("%v, late: %v: found %q in\n%s", args, tc.late, tc.not, got)
			}
		}
		if got := run(exitCompleted, "tasks"); strings.Contains(got, "overdue since ") != tc.late {
			t.Errorf("tasks, late: %v:\n%s", tc.late, got)
		}
	}
}
