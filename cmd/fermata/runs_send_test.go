package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// TestM3_RunsSend sends messages to a run that a program executes: the reply is printed, a refusal is an error, and `runs show` says
// which message the run waits for.
func TestM3_RunsSend(t *testing.T) {
	m, stdout, stderr := command(t)
	path := filepath.Join(t.TempDir(), "runs.db")
	g := graph.Of("adds", func(ctx node.Context, sum int) (int, error) {
		for {
			m, err := node.ReceiveMessage[int](ctx, "add")
			switch {
			case err != nil:
				return sum, err
			case m.Value < 0:
				err = m.Refuse(errors.New("below 0"))
			case m.Value == 0:
				return sum, m.Reply("bye")
			default:
				sum += m.Value
				err = m.Reply(map[string]int{"sum": sum})
			}
			if err != nil {
				return sum, err
			}
		}
	}).MustCompile()
	plans := func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return g.Plan(), nil }
	rt, err := fermata.New(fermata.Options{Store: sqlite.MustOpen(path), Plans: plans})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	ctx, stop := context.WithCancel(t.Context())
	worked := make(chan error, 1)
	go func() { worked <- rt.Work(ctx, fermata.WorkOptions{}) }()
	defer func() {
		stop()
		if err := <-worked; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}()
	run, err := g.Start(t.Context(), rt, 0, fermata.WithID("sum"))
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range rt.Events(t.Context(), "sum", 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type() == "run.paused" {
			break
		}
	}
	do := func(code int, args ...string) string {
		t.Helper()
		stdout.Reset()
		stderr.Reset()
		if got := m.Run(t.Context(), append([]string{"--store", path}, args...)); got != code {
			t.Errorf("%v: exit code %d, expected %d: %s", args, got, code, stderr)
		}
		return stdout.String()
	}
	if shown := do(0, "runs", "show", "sum"); !strings.Contains(shown, "waits for message add\n") || !strings.Contains(shown, "runs send sum add JSON") {
		t.Errorf("runs show:\n%s", shown)
	}
	if shown := do(0, "runs", "show", "sum", "--json"); !strings.Contains(shown, `"awaits":[{"message":"add","task":"adds#1"}]`) {
		t.Errorf("runs show --json:\n%s", shown)
	}
	got := []string{
		do(0, "runs", "send", "sum", "add", "5", "--wait", "--timeout", "2m", "--id", "a"), do(0, "runs", "send", "sum", "add", "5", "--wait", "--timeout", "2m", "--id", "a"),
		do(exitInvalid, "runs", "send", "sum", "add", "--wait", "--timeout", "2m", "--", "-1"),
		do(0, "runs", "send", "sum", "add", "0", "--wait", "--timeout", "2m", "--json"),
	}
	want := []string{"{\"sum\":5}\n", "{\"sum\":5}\n", "", `{"type":"replied","run":"sum","message":"add","reply":"bye"}` + "\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if res, err := run.Wait(t.Context()); err != nil || res.State != 5 {
		t.Errorf("the sum is %d, %v", res.State, err)
	}
	do(exitConflict, "runs", "send", "sum", "add", "1")
	if !strings.Contains(stderr.String(), "takes no more messages") {
		t.Errorf("after the end: %s", stderr)
	}
}
