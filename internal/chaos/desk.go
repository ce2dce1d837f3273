package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
)

// desk starts runs, answers them, and looks how they end. It drives none.
type desk struct {
	o     *options
	store journal.Store
	rt    *fermata.Runtime
	graph *graph.Graph[work]

	seeds map[string]uint64 // of all runs
	open  map[string]bool   // those that are on their way
}

// newDesk opens the store past the network that is cut. The database may be restarted under it, though.
func newDesk(ctx context.Context, db *database, o *options) (*desk, error) {
	store, err := open(ctx, db.kind, db.address(true))
	if err != nil {
		return nil, err
	}
	g, err := (&world{}).workload()
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	rt, err := fermata.New(fermata.Options{Store: store, Name: "desk"})
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return &desk{o: o, store: store, rt: rt, graph: g, seeds: make(map[string]uint64), open: make(map[string]bool)}, nil
}

func (d *desk) close() {
	_ = d.rt.Close()
	_ = d.store.Close()
}

// work goes on until all runs have ended or, undisturbed, nothing more happens. calm ends the disturbance.
func (d *desk) work(ctx context.Context, calm func(), f *faults) {
	ended, undisturbed := 0, false
	moved, told := time.Now(), time.Now()
	for ctx.Err() == nil && ended < d.o.runs {
		d.start(ctx)
		d.answer(ctx)
		if n := d.look(ctx); n > 0 {
			ended, moved = ended+n, time.Now()
		}
		if time.Since(told) > 5*time.Second {
			told = time.Now()
			d.o.tell("  %d of %d runs have ended; %s", ended, d.o.runs, faultsText(f.count()))
		}
		if time.Since(moved) > d.o.patient {
			if undisturbed {
				return
			}
			d.o.tell("  nothing has ended for %s: nothing is disturbed any more", d.o.patient)
			calm()
			undisturbed, moved = true, time.Now()
		}
		wait(ctx, 50*time.Millisecond)
	}
}

// start keeps as many runs on their way as there may be. A start that fails may have come through: its id is tried again.
func (d *desk) start(ctx context.Context) {
	for n := len(d.seeds); n < d.o.runs && len(d.open) < d.o.flight; n++ {
		id, seed := fmt.Sprintf("run-%05d", n), d.o.seed+uint64(n)
		_, err := d.graph.Start(ctx, d.rt, work{Seed: seed}, fermata.WithID(id), fermata.Queued())
		if err != nil && !errors.Is(err, fermata.ErrConflict) {
			return
		}
		d.seeds[id], d.open[id] = seed, true
	}
}

// answer answers what is asked.
func (d *desk) answer(ctx context.Context) {
	list, err := d.rt.Inbox(ctx, journal.InboxFilter{})
	if err != nil {
		return // the database is down
	}
	for _, q := range list {
		_ = d.rt.Answer(ctx, q.ID, answerOf(d.seeds[q.Run]), fermata.Hold())
	}
}

// look finds out which runs have ended.
func (d *desk) look(ctx context.Context) (ended int) {
	rows, err := d.store.Runs(ctx, journal.RunFilter{})
	if err != nil {
		return 0
	}
	for _, row := range rows {
		if d.open[row.ID] && row.Ended() {
			delete(d.open, row.ID)
			ended++
		}
	}
	return ended
}

// ends is how all runs stand.
func (d *desk) ends(ctx context.Context) map[string]end {
	all := make(map[string]end)
	for id, seed := range d.seeds {
		res, err := d.rt.Result(ctx, id, d.graph.Plan())
		e := end{seed: seed, status: res.Status, err: errors.Join(err, res.Err)}
		if err == nil && res.Status == fermata.Completed {
			e.err = json.Unmarshal(res.Output, &e.state)
		}
		all[id] = e
	}
	return all
}

// show writes the journal of a run, for whoever has to find out what went wrong.
func (d *desk) show(ctx context.Context, id string) {
	d.o.tell("\n  the journal of %s", id)
	for e, err := range d.store.Read(ctx, id, 0) {
		if err != nil {
			d.o.tell("  %v", err)
			return
		}
		d.o.tell("  %4d %s %-18s %-14s %d %s %s", e.Seq, clock(time.UnixMicro(e.At)), e.Kind, e.Node, e.Attempt, e.Op, e.Body)
	}
}
