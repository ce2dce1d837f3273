package guide_test

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// Refund is a refund that has to be decided.
type Refund struct{ Amount int }

func Example_find() {
	ctx := context.Background()
	rt, err := fermata.New(fermata.Options{})
	check(err)
	defer rt.Close()
	// [guide: labels]
	g := graph.New[Refund]("refund").Node("decide", func(ctx node.Context, s Refund) (Refund, error) {
		size := "small"
		if s.Amount > 100 {
			size = "large"
		}
		return s, node.Label(ctx, "size", size) // recorded once
	}).Edge(graph.Start, "decide").MustCompile()
	for n, amount := range []int{5, 500, 700} {
		run, err := g.Start(ctx, rt, Refund{Amount: amount}, fermata.WithLabel("team", "red"), fermata.WithID(fmt.Sprint("r", n)))
		check(err)
		_, err = run.Wait(ctx)
		check(err)
	}
	// [guide: end]

	// [guide: pages]
	q := journal.RunQuery{Statuses: []string{"completed"}, Labels: map[string]string{"size": "large"}, Limit: 1}
	for more := true; more; more = q.After != "" {
		page, err := rt.FindRuns(ctx, q)
		check(err)
		for _, run := range page.Runs {
			fmt.Println(run.ID, run.Plan, run.Labels["team"])
		}
		q.After = page.Next
	}
	counts, err := rt.CountRuns(ctx, journal.RunQuery{}, "label:size") // or "status", "plan"
	check(err)
	for _, c := range counts.By {
		fmt.Println(c.Value, c) // at most 10,000 are counted: "10000+"
	}
	// [guide: end]

	// Output:
	// r2 refund red
	// r1 refund red
	// large 2
	// small 1
}

func Example_bulk() {
	ctx := context.Background()
	rt, err := fermata.New(fermata.Options{})
	check(err)
	defer rt.Close()
	g := graph.New[Refund]("refund").Node("ask", func(ctx node.Context, s Refund) (Refund, error) {
		_, err := node.Interrupt[bool](ctx, s.Amount)
		return s, err
	}).Edge(graph.Start, "ask").MustCompile()
	for n, customer := range []string{"8", "7", "7"} {
		run, err := g.Start(ctx, rt, Refund{}, fermata.WithLabel("customer", customer), fermata.WithID(fmt.Sprint("r", n)))
		check(err)
		_, err = run.Wait(ctx)
		check(err)
	}
	// [guide: bulk]
	q := journal.RunQuery{Labels: map[string]string{"customer": "7"}, Statuses: []string{"paused"}}
	for r, err := range rt.CancelRuns(ctx, q, fermata.BulkOptions{Reason: "ordered twice", By: "eve"}) {
		check(err) // the store has failed, or ctx is done
		fmt.Println(r.Info.ID, r.Err)
	}
	// [guide: end]

	// Output:
	// r2 <nil>
	// r1 <nil>
}

func Example_feed() {
	ctx := context.Background()
	rt, err := fermata.New(fermata.Options{})
	check(err)
	defer rt.Close()
	g := graph.New[Refund]("refund").Node("pay", func(_ node.Context, s Refund) (Refund, error) { return s, nil }).Edge(graph.Start, "pay").MustCompile()
	begin := func(id string) {
		run, err := g.Start(ctx, rt, Refund{}, fermata.WithID(id))
		check(err)
		_, err = run.Wait(ctx)
		check(err)
	}
	begin("r1")
	begin("r2")
	func() {
		// [guide: feed]
		cursor := ""                                           // the start; read the one that you have stored
		for change, err := range rt.Feed(ctx, cursor, false) { // true: and go on with changes to come
			check(err)
			fmt.Println(change.Run.ID, change.Run.Status, change.Gone)
			cursor = change.Cursor // store it once the change is dealt with
		}
		// [guide: end]
		_ = cursor
	}()
	time.AfterFunc(50*time.Millisecond, func() { begin("r3") })
	// [guide: feed-now]
	cursor, err := rt.FeedCursor(ctx)
	check(err)
	page, err := rt.FindRuns(ctx, journal.RunQuery{})
	check(err)
	fmt.Println(len(page.Runs))
	for change, err := range rt.Feed(ctx, cursor, true) {
		check(err)
		fmt.Println(change.Run.ID) // look at it again
		break
	}
	// [guide: end]

	// Output:
	// r1 completed false
	// r2 completed false
	// 2
	// r3
}
