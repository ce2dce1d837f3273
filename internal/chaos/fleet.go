package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// fleet are the workers.
type fleet struct {
	env    []string
	faults *faults

	mu      sync.Mutex
	workers []*worker // by their places
	births  int
	over    bool
}

// worker is a process.
type worker struct {
	name  string
	cmd   *exec.Cmd
	stdin io.Closer
	said  *bytes.Buffer
	ended chan struct{}
}

func newFleet(db *database, ledger string, lease time.Duration, f *faults) *fleet {
	return &fleet{faults: f, env: append(os.Environ(),
		workerKind+"="+db.kind, workerStore+"="+db.address(false), workerLedger+"="+ledger, workerLease+"="+lease.String(),
	)}
}

// hire starts a worker in a place. One that ends by itself is replaced.
func (f *fleet) hire(place int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	f.births++
	w := &worker{name: fmt.Sprintf("worker-%d", f.births), said: &bytes.Buffer{}, ended: make(chan struct{})}
	w.cmd = exec.Command(self) //nolint:noctx // it is killed, which is the point
	w.cmd.Env, w.cmd.Stderr = slices.Concat(f.env, []string{workerName + "=" + w.name}), w.said
	if w.stdin, err = w.cmd.StdinPipe(); err != nil {
		return err
	}
	if err := w.cmd.Start(); err != nil {
		return err
	}
	if place == len(f.workers) {
		f.workers = append(f.workers, w)
	} else {
		f.workers[place] = w
	}
	go func() {
		_ = w.cmd.Wait()
		close(w.ended)
		f.faults.ended(w.name)
		wait(context.Background(), 100*time.Millisecond)
		_ = f.hire(place)
	}()
	return nil
}

// at is the worker in a place.
func (f *fleet) at(place int) *worker {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.workers[place]
}

// dismiss ends all workers.
func (f *fleet) dismiss() {
	f.mu.Lock()
	f.over = true
	all := f.workers
	f.mu.Unlock()
	for _, w := range all {
		_ = thaw(w.cmd.Process)
		_ = w.stdin.Close()
		_ = w.cmd.Process.Kill()
		<-w.ended
	}
}
