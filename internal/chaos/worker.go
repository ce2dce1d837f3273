package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/storekind"
	"github.com/fermata-go/fermata/journal/stores"
	"github.com/fermata-go/fermata/plan"
)

// workerEnv says to a process of this program that it is a worker: the kind of store, its address, the ledger, a name,
// the lease.
const (
	workerKind   = "FERMATA_CHAOS_KIND"
	workerStore  = "FERMATA_CHAOS_STORE"
	workerLedger = "FERMATA_CHAOS_LEDGER"
	workerName   = "FERMATA_CHAOS_NAME"
	workerLease  = "FERMATA_CHAOS_LEASE"
)

// open opens a store. A server that is just being restarted is tried again.
func open(ctx context.Context, kind, address string) (journal.Store, error) {
	at := storekind.Address{Kind: kind, At: address}
	for {
		store, err := stores.All().OpenAt(at, storekind.Options{})
		if err == nil || servers[kind] == nil {
			return store, err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), err)
		}
	}
}

// beWorker drives runs until it is killed, or until its standard input ends with the process that started it.
func beWorker() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
		time.Sleep(5 * time.Second)
		os.Exit(0) //nolint:forbidigo // whoever started this process is gone, and so is all that it might say
	}()
	lease, err := time.ParseDuration(os.Getenv(workerLease))
	if err != nil {
		return err
	}
	ledger, err := os.OpenFile(os.Getenv(workerLedger), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer ledger.Close() //nolint:errcheck // each line is written on its own
	w := &world{ledger: ledger, worker: os.Getenv(workerName)}
	g, err := w.workload()
	if err != nil {
		return err
	}
	store, err := open(ctx, os.Getenv(workerKind), os.Getenv(workerStore))
	if err != nil {
		return err
	}
	defer store.Close() //nolint:errcheck // the process ends
	rt, err := fermata.New(fermata.Options{
		Store: store, Name: w.worker, Lease: lease, Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return g.Plan(), nil },
	})
	if err != nil {
		return err
	}
	defer rt.Close() //nolint:errcheck // the process ends
	if leaser, ok := store.(journal.Leaser); ok {
		go w.watch(ctx, leaser, lease)
	}
	return rt.Work(ctx, fermata.WorkOptions{Concurrency: 8, Every: lease / 5})
}

// starvedLine is the name of a line of the ledger in which a worker says that it was held up, and for how long.
const starvedLine = "-starved"

// watch notes when the machine or the store holds this process up for a good part of its lease. It writes to the store as a
// renewal of leases does.
func (w *world) watch(ctx context.Context, leaser journal.Leaser, lease time.Duration) {
	for last := time.Now(); ctx.Err() == nil; last = time.Now() {
		wait(ctx, lease/20)
		_ = leaser.Beat(ctx, "watch of "+w.worker, lease)
		if took := time.Since(last); took > lease/3 {
			_, _ = fmt.Fprintf(w.ledger, "- %s %s %s %d\n", starvedLine, took, w.worker, time.Now().UnixMicro())
		}
	}
}
