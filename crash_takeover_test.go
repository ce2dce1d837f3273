package fermata_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/testserver"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/postgres"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// A doomed worker is this test binary, started again. Its node ends the process, in the way that the environment says.
const (
	doomedFolder = "FERMATA_TEST_DOOMED"        // where it notes what it does, and has its file
	doomedServer = "FERMATA_TEST_DOOMED_SERVER" // a PostgreSQL server in place of the file
	doomedSchema = "FERMATA_TEST_DOOMED_SCHEMA"
	doomedBy     = "FERMATA_TEST_DOOMED_BY" // exit, kill; "" for not at all
)

// doomedTakeovers is how often a doomed run is taken over.
const doomedTakeovers = 2

func doomedStore(folder, server, schema string) (journal.Store, error) {
	if server != "" {
		return postgres.OpenWith(server, postgres.Options{Schema: schema})
	}
	return sqlite.Open(filepath.Join(folder, "runs.db"))
}

// doomed is a graph whose node gives a heartbeat in its first attempt, which fails, and ends its process in the second.
func doomed(folder, by string) *graph.Graph[state] {
	return single(func(ctx node.Context, s state) (state, error) {
		if ctx.Info().Attempt == 1 {
			return s, errors.Join(errFlaky, node.Heartbeat(ctx, 7))
		}
		last, ok := node.LastHeartbeat[int](ctx)
		f, err := os.OpenFile(filepath.Join(folder, "passes"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return s, err
		}
		if _, err := fmt.Fprintln(f, last, ok); err != nil {
			return s, err
		}
		if err := f.Close(); err != nil {
			return s, err
		}
		switch by {
		case "exit":
			os.Exit(3)
		case "kill":
			me, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = me.Kill()
			}
			time.Sleep(time.Minute)
			return s, err
		}
		s.N = last
		return s, nil
	}, graph.Retry(2, time.Millisecond))
}

func doomedWorker(store journal.Store, g *graph.Graph[state]) fermata.Options {
	return fermata.Options{
		Store: store, Lease: longLeaseOfTheDoomed,
		Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return g.Plan(), nil },
	}
}

// longLeaseOfTheDoomed is a lease that nobody has to wait for: the dead are known to be dead.
const longLeaseOfTheDoomed = 30 * time.Second

// beDoomed is the main function of a doomed worker. It works until its run is set aside.
func beDoomed(folder string) int {
	store, err := doomedStore(folder, os.Getenv(doomedServer), os.Getenv(doomedSchema))
	if err == nil {
		var rt *fermata.Runtime
		if rt, err = fermata.New(doomedWorker(store, doomed(folder, os.Getenv(doomedBy)))); err == nil {
			err = rt.Work(context.Background(), fermata.WorkOptions{Every: 50 * time.Millisecond, Takeovers: doomedTakeovers})
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// TestJ11_ANodeThatEndsItsProcessIsSetAside checks, with processes that end, that a run which takes its process with it is
// taken over so many times and then set aside with a reason, that a heartbeat from before is read each time, and that Retry
// takes it up.
func TestJ11_ANodeThatEndsItsProcessIsSetAside(t *testing.T) {
	t.Parallel()
	if machineKnowsTheDead() {
		for _, kind := range []string{"sqlite", "postgres"} {
			for _, by := range []string{"exit", "kill"} {
				t.Run(kind+"/"+by, func(t *testing.T) { testDoomed(t, kind, by) })
			}
		}
	}
}

// machineKnowsTheDead reports whether processes can be found to be gone here.
func machineKnowsTheDead() bool {
	_, err := os.Stat("/proc/self/stat")
	return err == nil
}

func testDoomed(t *testing.T, kind, by string) {
	folder, server, schema := t.TempDir(), "", ""
	if kind == "postgres" {
		server, schema = testserver.Postgres(t), testserver.Schema(t)
	}
	store, err := doomedStore(folder, server, schema)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	desk := newRuntime(t, fermata.Options{Store: store})
	const run = "run_doomed"
	start(t, desk, doomed(folder, ""), state{}, fermata.WithID(run), fermata.Queued())
	processes := 0
	for ; processes <= doomedTakeovers+1; processes++ {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), doomedFolder+"="+folder, doomedServer+"="+server, doomedSchema+"="+schema, doomedBy+"="+by)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if setAside := awaitDoom(t, desk, run, ended); setAside {
			_ = cmd.Process.Kill()
			t.Log("the process that was killed:", <-ended)
			break
		}
	}
	if processes != doomedTakeovers+1 {
		t.Errorf("%d processes were lost, expected the first one and %d that took over", processes, doomedTakeovers)
	}
	info, err := desk.Info(t.Context(), run)
	if err != nil || info.Status != string(fermata.Blocked) || !strings.Contains(info.Error, "its process was lost 3 times, with a#1 at work") {
		t.Errorf("the run is %s: %s, %v", info.Status, info.Error, err)
	}
	passes, err := os.ReadFile(filepath.Join(folder, "passes"))
	if n := bytes.Count(passes, []byte("7 true\n")); err != nil || n != processes || len(passes) != n*len("7 true\n") {
		t.Errorf("the node was called with %q, %v", passes, err)
	}
	healed := doomed(folder, "")
	last := newRuntime(t, doomedWorker(store, healed))
	if _, err := last.Retry(t.Context(), run, healed.Plan()); err != nil {
		t.Fatal(err)
	}
	endsSomewhere(t, last, run)
}

// awaitDoom waits until a run is set aside, or a process has ended.
func awaitDoom(t *testing.T, rt *fermata.Runtime, run string, ended chan error) (setAside bool) {
	t.Helper()
	for began := time.Now(); ; {
		select {
		case err := <-ended:
			t.Log("a process ended:", err)
			return false
		case <-time.After(20 * time.Millisecond):
		}
		info, err := rt.Info(t.Context(), run)
		switch {
		case err != nil:
			t.Fatal(err)
		case info.Status == string(fermata.Blocked) && strings.Contains(info.Error, "was lost 3 times"):
			return true
		case info.Ended() || time.Since(began) > time.Minute:
			t.Fatalf("the run is %s: %s", info.Status, info.Error)
		}
	}
}
