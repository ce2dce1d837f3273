package guide_test

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/schedule"
)

func Example_occurrences() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	rt := runtime()
	defer rt.Close()
	report := graph.New[Trip]("report").Node("write", func(_ node.Context, t Trip) (Trip, error) { return t, nil }).
		Edge(graph.Start, "write").MustCompile()
	// [guide: occurrences]
	nightly := schedule.Schedule{
		Name: "nightly", Cron: "30 2 * * *", Zone: "Europe/Berlin",
		Start: func(ctx context.Context, o schedule.Occurrence, opts ...fermata.StartOption) error {
			_, err := report.Start(ctx, rt, Trip{To: o.Time.Format(time.DateOnly)}, opts...)
			return err
		},
	}
	next, err := schedule.Upcoming(nightly, time.Date(2027, 3, 27, 12, 0, 0, 0, time.UTC), 2)
	if err != nil {
		fmt.Println(err)
	}
	for _, o := range next {
		fmt.Println(o.Time)
	}
	s, err := schedule.New(rt, nightly)
	if err == nil {
		err = s.Run(ctx) // until ctx is done, in each process
	}
	fmt.Println(err)
	// [guide: end]

	// Output:
	// 2027-03-28 03:30:00 +0200 CEST
	// 2027-03-29 02:30:00 +0200 CEST
	// context canceled
}
