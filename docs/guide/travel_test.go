package guide_test

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// refundsPaid asks a manager and pays.
func refundsPaid() *graph.Graph[Claim] {
	return graph.New[Claim]("refund").
		Node("review", review, graph.Human()).
		Node("pay", func(_ node.Context, c Claim) (Claim, error) {
			c.Receipt = "refused"
			if c.Granted {
				c.Receipt = fmt.Sprint("paid ", c.Amount)
			}
			return c, nil
		}).
		Edge(graph.Start, "review").Edge("review", "pay").
		MustCompile()
}

// decided is a refund that has come to its end.
func decided(ctx context.Context, rt *fermata.Runtime, refund *graph.Graph[Claim], id string, granted bool) {
	run, err := refund.Start(ctx, rt, Claim{Amount: 120}, fermata.WithID(id))
	check(err)
	answered(ctx, rt, run, granted)
}

// answered is a refund whose question has been answered, at its end.
func answered(ctx context.Context, rt *fermata.Runtime, run *graph.Run[Claim], granted bool) {
	res, err := run.Wait(ctx)
	check(err)
	check(rt.Answer(ctx, res.Interrupts[0].ID, granted, fermata.AsRole("manager"), fermata.AsPerson("Ada")))
	_, err = run.Wait(ctx)
	check(err)
}

func Example_history() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	decided(ctx, rt, refundsPaid(), "run_7", true)
	// [guide: history]
	for m, err := range rt.History(ctx, "run_7") {
		check(err)
		if m.Value != nil { // the state, whole
			fmt.Println(m.Entry.Seq, m.Entry.Kind, m.Entry.Node, string(m.Value))
		}
	}
	// [guide: end]

	// Output:
	// 1 run.started  {"Amount":120,"Granted":false,"Receipt":""}
	// 8 node.finished review {"Amount":120,"Granted":true,"Receipt":""}
	// 10 node.finished pay {"Amount":120,"Granted":true,"Receipt":"paid 120"}
}

func Example_forkRun() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	refund := refundsPaid()
	decided(ctx, rt, refund, "run_7", true)
	// [guide: fork run]
	less, err := refund.Fork(ctx, rt, "run_7", graph.ForkOptions[Claim]{
		ID: "run_less", At: 8, // granted, and not paid yet
		Edit: func(c Claim) (Claim, error) { c.Amount = 80; return c, nil },
	})
	check(err)
	res, err := less.Wait(ctx)
	check(err)
	fmt.Println(res.State.Receipt)

	refused, err := refund.Fork(ctx, rt, "run_7", graph.ForkOptions[Claim]{
		ID: "run_refused", AskAgain: []string{"review#1"}, // back to where it was open
	})
	check(err)
	res, err = refused.Wait(ctx)
	check(err)
	fmt.Println(res.Status, "at", res.Interrupts[0].Task)
	check(rt.Answer(ctx, res.Interrupts[0].ID, false, fermata.AsRole("manager"), fermata.AsPerson("Bo")))
	res, err = refused.Wait(ctx)
	check(err)
	fmt.Println(res.State.Receipt)
	// [guide: end]

	// Output:
	// paid 80
	// paused at review#1
	// refused
}

func Example_diff() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	refund := refundsPaid()
	decided(ctx, rt, refund, "run_7", true)
	fork, err := refund.Fork(ctx, rt, "run_7", graph.ForkOptions[Claim]{ID: "run_refused", AskAgain: []string{"review#1"}})
	check(err)
	answered(ctx, rt, fork, false)
	// [guide: diff]
	diff, err := rt.Diff(ctx, fermata.At{Run: "run_7"}, fermata.At{Run: "run_refused"})
	check(err)
	fmt.Print(diff)
	// [guide: end]

	// Output:
	// A  run_7 at seq 11        refund  completed
	// B  run_refused at seq 13  refund  completed  a fork of run_7 at seq 5
	// alike up to seq 5
	//
	// answers
	//   review#1  true  ->  false  Pay it back?
	//
	// tasks
	//   review#1  finished  ->  finished
	//   pay#1     finished  ->  finished
	//
	// state
	//   /Granted  true        ->  false
	//   /Receipt  "paid 120"  ->  "refused"
}

func Example_migrate() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	refund := refunds()
	// [guide: migrate]
	run, err := refund.Start(ctx, rt, Claim{Amount: 120}, fermata.WithID("run_7"))
	check(err)
	res, err := run.Wait(ctx) // it waits in "review"
	check(err)
	question := res.Interrupts[0].ID

	renamed := graph.New[Claim]("refund").
		Node("decide", review, graph.Human()).
		Edge(graph.Start, "decide").
		MustCompile()
	run, err = renamed.Migrate(ctx, rt, "run_7", plan.Migration{Nodes: map[string]string{"review": "decide"}})
	check(err)
	res, err = run.Wait(ctx)
	check(err)
	fmt.Println(res.Status, "at", res.Interrupts[0].Task)
	check(rt.Answer(ctx, question, true, fermata.AsRole("manager"))) // the question is the same
	res, err = run.Wait(ctx)
	check(err)
	fmt.Println(res.Status, res.State.Granted)
	// [guide: end]

	// Output:
	// paused at decide#1
	// completed true
}

func Example_outlook() {
	ctx := context.Background()
	rt := runtime()
	defer rt.Close()
	refund := refunds()
	// [guide: outlook]
	run, err := refund.Start(ctx, rt, Claim{Amount: 120}, fermata.WithID("run_7"))
	check(err)
	_, err = run.Wait(ctx) // it waits in "review"
	check(err)

	renamed := graph.New[Claim]("refund").
		Node("decide", review, graph.Human()).
		Edge(graph.Start, "decide").
		MustCompile()
	outlooks, err := rt.CanResume(ctx, journal.RunFilter{Plan: "refund"}, fermata.ResumeCheck{
		Plans:  func(context.Context, fermata.RunInfo) (*plan.Plan, error) { return renamed.Plan(), nil },
		Replay: true, // call the open nodes with what is recorded of them
	})
	check(err)
	for _, o := range outlooks {
		fmt.Println(o.Run, o.Verdict)
		fmt.Println(o.Reason)
	}
	// [guide: end]

	// Output:
	// run_7 plan_changed
	// task review#1 is open, and the plan has no node "review"
}

func Example_retention() {
	ctx := context.Background()
	dir, remove := scratch()
	defer remove()
	clock := fermatatest.NewClock(fermatatest.Epoch)
	store := sqlite.MustOpen(filepath.Join(dir, "refunds.db"))
	defer store.Close()
	rt, err := fermata.New(fermata.Options{Store: store, Clock: clock})
	check(err)
	defer rt.Close()
	refund := refundsPaid()
	for _, id := range []string{"run_1", "run_2"} {
		decided(ctx, rt, refund, id, true)
		clock.Advance(20 * 24 * time.Hour)
	}
	run, err := refund.Start(ctx, rt, Claim{Amount: 120}, fermata.WithID("run_3"))
	check(err)
	_, err = run.Wait(ctx)
	check(err)
	// [guide: retention]
	pruned, err := rt.Prune(ctx, fermata.PruneOptions{
		Before: clock.Now().Add(-30 * 24 * time.Hour), // of which nothing was written for 30 days
	})
	check(err)
	for _, run := range pruned.Runs {
		fmt.Println("deleted:", run.ID, run.Status)
	}
	packed, err := rt.Compact(ctx, fermata.CompactOptions{}) // all that are not running
	check(err)
	for _, c := range packed {
		fmt.Println("packed:", c.Run.ID, c.Run.Status, c.Entries, "entries, smaller:", c.After < c.Before)
	}
	// [guide: end]

	// Output:
	// deleted: run_1 completed
	// packed: run_3 paused 5 entries, smaller: true
	// packed: run_2 completed 11 entries, smaller: true
}
