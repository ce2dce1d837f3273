package fermata_test

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-go/fermata"
)

// A fork tries what would have been: here, had the manager said no.
func ExampleRuntime_Fork() {
	ctx := context.Background()
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	g := approval()
	run, err := g.Start(ctx, rt, refund{Cents: 25_000}, fermata.WithID("run_paid"))
	if err != nil {
		panic(err)
	}
	res, err := run.Wait(ctx)
	if err != nil {
		panic(err)
	}
	if err := rt.Answer(ctx, res.Interrupts[0].ID, true, fermata.AsRole("manager")); err != nil {
		panic(err)
	}
	if _, err := run.Wait(ctx); err != nil {
		panic(err)
	}

	fork, err := rt.Fork(ctx, run.ID(), g.Plan(), fermata.ForkOptions{ID: "run_refused", AskAgain: []string{"decide#1"}})
	if err != nil {
		panic(err)
	}
	asked, err := fork.Wait(ctx)
	if err != nil {
		panic(err)
	}
	if err := rt.Answer(ctx, asked.Interrupts[0].ID, false, fermata.AsRole("manager")); err != nil {
		panic(err)
	}
	if _, err := fork.Wait(ctx); err != nil {
		panic(err)
	}
	diff, err := rt.Diff(ctx, fermata.At{Run: "run_paid"}, fermata.At{Run: "run_refused"})
	if err != nil {
		panic(err)
	}
	fmt.Print(diff)
	// Output:
	// A  run_paid at seq 9      refund  completed
	// B  run_refused at seq 11  refund  completed  a fork of run_paid at seq 5
	// alike up to seq 5
	//
	// answers
	//   decide#1  true  ->  false  Refund it?
	//
	// tasks
	//   decide#1  finished  ->  finished
	//
	// state
	//   /Decision  "paid"  ->  "refused"
}

// Pruning deletes runs that have ended, and what nobody needs any more with them.
func ExampleRuntime_Prune() {
	ctx := context.Background()
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	for _, cents := range []int64{100, 25_000} {
		run, err := approval().Start(ctx, rt, refund{Cents: cents})
		if err != nil {
			panic(err)
		}
		if _, err := run.Wait(ctx); err != nil {
			panic(err)
		}
	}
	pruned, err := rt.Prune(ctx, fermata.PruneOptions{Before: time.Now().Add(time.Second)})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(pruned.Runs), pruned.Runs[0].Status) // the other one waits for somebody
	// Output: 1 completed
}
