package guide_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
	"github.com/fermata-go/fermata/telemetry"
)

func Example_sleep() {
	ctx := context.Background()
	dir, remove := scratch()
	defer remove()
	file := filepath.Join(dir, "trips.db")
	clock := fermatatest.NewClock(fermatatest.Epoch)
	// [guide: sleep]
	remind := func(ctx node.Context, t Trip) (Trip, error) {
		booked, err := node.Now(ctx)
		if err != nil {
			return t, err
		}
		if err := node.Sleep(ctx, 72*time.Hour); err != nil {
			return t, err
		}
		t.Notes = append(t.Notes, "booked on "+booked.Format("Jan 2")+", reminded now")
		return t, nil
	}
	g := graph.New[Trip]("remind").Node("remind", remind).Edge(graph.Start, "remind").MustCompile()
	options := fermata.Options{
		Store: sqlite.MustOpen(file),
		Clock: clock, // only here: it lets days pass at once
		Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return g.Plan(), nil },
	}
	rt, err := fermata.New(options)
	check(err)
	run, err := g.Start(ctx, rt, Trip{To: "Porto"}, fermata.WithID("run_7"))
	check(err)
	for e, err := range run.Events(ctx, 0) {
		check(err)
		if e.Type() == "timer.set" {
			break
		}
	}
	check(rt.Close()) // the process ends while the run sleeps

	clock.Advance(100 * time.Hour)
	rt, err = fermata.New(options) // what became due meanwhile is done now, by itself
	check(err)
	for e, err := range rt.Events(ctx, run.ID(), 0, true) {
		check(err)
		if e.Type() == "timer.fired" {
			fmt.Println("woken on", e.Time().Format("Jan 2 at 15:04"))
		}
	}
	run, err = g.Resume(ctx, rt, run.ID())
	check(err)
	res, err := run.Wait(ctx)
	check(err)
	fmt.Println(res.State.Notes[0])
	// [guide: end]
	check(rt.Close())
	check(options.Store.Close())

	// Output:
	// woken on Jan 5 at 04:00
	// booked on Jan 1, reminded now
}

func Example_change() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	refund := refunds()
	// [guide: change]
	run, err := refund.Start(ctx, rt, Claim{Amount: 120}, fermata.WithID("run_7"))
	check(err)
	res, err := run.Wait(ctx) // it waits in "review", and meanwhile the program changes
	check(err)

	renamed := graph.New[Claim]("refund").
		Node("decide", review, graph.Human()).
		Edge(graph.Start, "decide").
		MustCompile()
	_, err = renamed.Resume(ctx, rt, run.ID())
	fmt.Println(err)

	longer := graph.New[Claim]("refund").
		Node("review", review, graph.Human()).
		Node("pay", func(_ node.Context, c Claim) (Claim, error) { c.Receipt = "paid"; return c, nil }).
		Edge(graph.Start, "review").Edge("review", "pay").
		MustCompile()
	check(rt.Answer(ctx, res.Interrupts[0].ID, true, fermata.AsRole("manager"), fermata.Hold()))
	run, err = longer.Resume(ctx, rt, run.ID())
	check(err)
	res, err = run.Wait(ctx)
	check(err)
	fmt.Println(res.Status, res.State.Receipt)
	// [guide: end]

	// Output:
	// run run_7: the plan does not fit the run: task review#1 is open, and the plan has no node "review"
	// node review removed; node decide added; the entry was review and is decide
	// if review is decide now, a migration can say so
	// completed paid
}

func Example_changed() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	refund := refunds()
	limit := func(node.Context) (int, error) { return 500, nil }
	// [guide: changed]
	run, err := refund.Start(ctx, rt, Claim{Amount: 120}, fermata.WithID("run_7"))
	check(err)
	res, err := run.Wait(ctx) // it waits in "review", and meanwhile the function changes
	check(err)

	changed := graph.New[Claim]("refund").
		Node("review", func(ctx node.Context, c Claim) (Claim, error) {
			limits, err := node.Changed(ctx, "limits") // false where the question was asked without a limit
			if err != nil {
				return c, err
			}
			if limits {
				if _, err := node.Step(ctx, "limit", limit); err != nil {
					return c, err
				}
			}
			return review(ctx, c)
		}, graph.Human()).
		Edge(graph.Start, "review").
		MustCompile()
	check(rt.Answer(ctx, res.Interrupts[0].ID, true, fermata.AsRole("manager"), fermata.Hold()))
	run, err = changed.Resume(ctx, rt, run.ID())
	check(err)
	res, err = run.Wait(ctx)
	check(err)
	fmt.Println(res.Status, res.Err)
	// [guide: end]

	// Output:
	// completed <nil>
}

func Example_events() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	// [guide: events]
	find := func(ctx node.Context, t Trip) (Trip, error) {
		if err := node.Emit(ctx, node.EventStatus, map[string]any{"looking for": t.To}); err != nil {
			return t, err
		}
		_, err := node.Step(ctx, "look up", func(node.Context) (string, error) { return "TP 571", nil })
		return t, err
	}
	g := graph.New[Trip]("find").Node("find", find).Edge(graph.Start, "find").MustCompile()
	run, err := g.Start(ctx, rt, Trip{To: "Porto"})
	check(err)
	var last uint64
	for e, err := range run.Events(ctx, 0) { // to the end of the run
		check(err)
		fmt.Println(e.Seq(), e.Task(), e.Type())
		last = e.Seq()
		if e.Type() == "status" {
			break // a reader goes away …
		}
	}
	for e, err := range run.Events(ctx, last) { // … and comes back: nothing is lost, nothing comes twice
		check(err)
		fmt.Println(e.Seq(), e.Task(), e.Type())
	}
	// [guide: end]

	// Output:
	// 1  run.started
	// 2 find#1 node.started
	// 3 find#1 status
	// 4 find#1 step.finished
	// 5 find#1 node.finished
	// 6  run.finished
}

func Example_stream() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	// [guide: stream]
	tell := func(ctx node.Context, t Trip) (Trip, error) {
		out, err := node.Stream(ctx, "answer")
		if err != nil {
			return t, err
		}
		for _, word := range []string{"Off ", "to ", t.To, "!"} {
			if err := out.Write(word); err != nil {
				return t, err
			}
		}
		return t, out.Close()
	}
	g := graph.New[Trip]("tell").Node("tell", tell).Edge(graph.Start, "tell").MustCompile()
	run, err := g.Start(ctx, rt, Trip{To: "Porto"})
	check(err)
	for e, err := range run.Events(ctx, 0) {
		check(err)
		if e.Type() == "text.end" {
			data, err := e.Data()
			check(err)
			fmt.Println(e.Type(), string(data))
		}
	}
	// [guide: end]

	// Output: text.end {"channel":"answer","segmentId":"seg_tell#1/stream:answer#1","text":"Off to Porto!"}
}

func Example_recover() {
	ctx := context.Background()
	began := make(chan struct{}, 2)
	booking := graph.New[Trip]("book").
		Node("quote", quote).
		Node("book", func(ctx node.Context, t Trip) (Trip, error) {
			began <- struct{}{}
			if len(began) == 2 { // the second time
				t.Notes = append(t.Notes, "booked")
				return t, nil
			}
			<-ctx.Done() // the process ends
			return t, ctx.Err()
		}).
		Edge(graph.Start, "quote").Edge("quote", "book").
		MustCompile()
	store := memory.New()
	rt, err := fermata.New(fermata.Options{Store: store})
	check(err)
	_, err = booking.Start(ctx, rt, Trip{To: "Porto", Days: 2}, fermata.WithID("run_7"))
	check(err)
	for len(began) == 0 {
		time.Sleep(time.Millisecond)
	}
	check(rt.Close())
	rt, err = fermata.New(fermata.Options{Store: store})
	check(err)
	defer rt.Close()
	// [guide: recover]
	cut, err := rt.Runs(ctx, journal.RunFilter{Status: string(fermata.Running)}) // those that nobody drives now
	check(err)
	for _, info := range cut {
		run, err := booking.Resume(ctx, rt, info.ID) // the graph by info.Plan, where there are several
		check(err)
		res, err := run.Wait(ctx)
		check(err)
		fmt.Println(run.ID(), res.Status, res.State.Notes)
	}
	// [guide: end]

	// Output: run_7 completed [booked]
}

func Example_workers() {
	ctx := context.Background()
	booking := booking().MustCompile()
	store := memory.New()
	// [guide: workers]
	options := fermata.Options{
		Store: store,                                                                                     // the same for all processes: a file, PostgreSQL or Redis
		Plans: func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return booking.Plan(), nil }, // by RunInfo.Plan
	}
	desk, err := fermata.New(options) // one process takes orders
	check(err)
	_, err = booking.Start(ctx, desk, Offer{To: "Porto", Price: 25}, fermata.WithID("run_7"), fermata.Queued())
	check(err)

	worker, err := fermata.New(options) // and any number of others see to them
	check(err)
	working, stop := context.WithCancel(ctx)
	err = worker.Work(working, fermata.WorkOptions{
		Concurrency: 100,
		Rested: func(r fermata.Result) {
			fmt.Println(r.Run, r.Status)
			stop() // only here: a service works until it is told to stop
		},
	})
	check(err)
	// [guide: end]
	check(worker.Close())
	check(desk.Close())

	// Output: run_7 completed
}

func Example_debounce() {
	ctx := context.Background()
	booking := booking().MustCompile()
	desk, err := fermata.New(fermata.Options{Store: memory.New()})
	check(err)
	// [guide: debounce]
	for _, price := range []int{25, 30, 28} {
		run, err := booking.Start(ctx, desk, Offer{To: "Porto", Price: price},
			fermata.Debounce("offer-7", 30*time.Second, 10*time.Minute))
		check(err)
		fmt.Println("replaced:", run.Replaced())
	}
	runs, err := desk.FindRuns(ctx, journal.RunQuery{})
	check(err)
	fmt.Println("runs:", len(runs.Runs))
	// [guide: end]
	check(desk.Close())

	// Output:
	// replaced: false
	// replaced: true
	// replaced: true
	// runs: 1
}

// Charge is a charge of a customer.
type Charge struct{ Customer string }

func Example_sharedPool() {
	ctx := context.Background()
	store := memory.New()
	paid := make(chan bool)
	pay := func(ctx node.Context, c Charge) (Charge, error) {
		select {
		case <-paid:
			return c, nil
		case <-ctx.Done():
			return c, ctx.Err()
		}
	}
	seen := func(rt *fermata.Runtime, n int) []fermata.Place {
		for {
			places, err := rt.Places(ctx, "bank")
			check(err)
			if len(places) == n {
				return places
			}
			time.Sleep(time.Millisecond)
		}
	}
	// [guide: shared-pool]
	charge := graph.New[Charge]("charge").
		Node("pay", pay, graph.Pool("bank")).
		PoolKey("pay", func(c Charge) string { return c.Customer }).
		Edge(graph.Start, "pay").
		MustCompile()

	options := fermata.Options{
		Store: store, // the same for all processes: a file, PostgreSQL or Redis
		Pools: map[string]fermata.Pool{"bank": {Concurrent: 4, Every: time.Second / 50, Burst: 10, Shared: true}},
	}
	var processes []*fermata.Runtime
	for range 2 {
		rt, err := fermata.New(options)
		check(err)
		processes = append(processes, rt)
	}
	var runs []*graph.Run[Charge]
	for i := range 6 {
		run, err := charge.Start(ctx, processes[i%2], Charge{Customer: "ann"}, fermata.WithID(fmt.Sprint("run_", i)))
		check(err)
		runs = append(runs, run)
		seen(processes[0], i+1) // so that they come in this order
	}
	for _, p := range seen(processes[0], 6) { // what Runtime.Places tells of the pool
		if p.Got.IsZero() {
			fmt.Println(p.Run, "of", p.Key, "waits,", p.Ahead, "before it")
		}
	}
	// [guide: end]
	close(paid)
	for _, run := range runs {
		_, err := run.Wait(ctx)
		check(err)
	}
	for _, rt := range processes {
		check(rt.Close())
	}

	// Output:
	// run_4 of ann waits, 0 before it
	// run_5 of ann waits, 1 before it
}

func Example_log() {
	ctx := context.Background()
	booking := booking().MustCompile()
	noTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	// [guide: log]
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelInfo, ReplaceAttr: noTime}))
	provider := sdktrace.NewTracerProvider(sdktrace.WithIDGenerator(telemetry.IDs{})) // and an exporter of yours
	observer, err := telemetry.New(telemetry.Options{TracerProvider: provider})
	check(err)
	rt, err := fermata.New(fermata.Options{Logger: logger, Observer: observer})
	check(err)
	run, err := booking.Start(ctx, rt, Offer{To: "Porto"}, fermata.WithID("run_7"))
	check(err)
	_, err = run.Wait(ctx)
	check(err)
	check(rt.Close()) // the runtime first: what it stores last is exported, too
	check(provider.Shutdown(ctx))
	fmt.Println("trace", telemetry.TraceID("run_7"))
	// [guide: end]

	// Output:
	// level=INFO msg="run started" run=run_7 plan=booking event=run.started seq=1
	// level=INFO msg="run completed" run=run_7 plan=booking event=run.finished seq=8
	// trace 23b6ad3bf30bcc656ac563ce3302eb82
}
