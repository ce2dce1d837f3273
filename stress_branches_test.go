package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// Many runs with branches at once, while others answer, cancel, stop and read: each ends as it should, or is cancelled,
// and nothing hangs.
func TestH3_ManyRunsWithBranchesAtOnce(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		rt := newRuntime(t, fermata.Options{Store: s})
		w := newWorld()
		child := diamond(stepsIn(w, "item"), asksFor("item"))
		b := graph.New[team]("busy")
		graph.Map(b, "each", itemsOf, child, func(s team, done []team) (team, error) {
			for _, one := range done {
				s.Log = append(s.Log, one.Log...)
			}
			return s, nil
		}, graph.Limit(2))
		b.Node("list", func(_ node.Context, s team) (team, error) {
			s.Log = []string{"x", "y", "z"}
			return s, nil
		}).Node("sleeps", func(ctx node.Context, s team) (team, error) {
			return s, node.Sleep(ctx, time.Millisecond)
		}).Node("tells", func(ctx node.Context, s team) (team, error) { return s, streams(ctx, "answer", "a", "b", "c") }).
			Node("asks", asksFor("asks")).Node("join", says("join"), graph.All())
		g := b.Edge(graph.Start, "list").Edge("list", "each", "sleeps", "tells", "asks").Edge("each", "join").
			Edge("sleeps", "join").Edge("tells", "join").Edge("asks", "join").MustCompile()
		ctx, over := context.WithTimeout(t.Context(), 6*soon) // a store on disk takes its time under the race detector
		var others sync.WaitGroup
		for range 3 {
			others.Go(func() { answerAnybody(ctx, t, rt) })
		}
		runs := 16
		if exploring() {
			runs = 500
		}
		var all sync.WaitGroup
		for i := range runs {
			all.Go(func() {
				run := startTeam(t, rt, g, team{})
				others.Go(func() {
					for _, err := range run.Events(ctx, 0) {
						if err != nil && ctx.Err() == nil {
							t.Error(err)
						}
					}
				})
				if i%4 == 1 {
					time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
					if err := rt.Cancel(ctx, run.ID(), "", ""); err != nil && !errors.Is(err, fermata.ErrConflict) {
						t.Error(err)
					}
				}
				if i%4 == 2 {
					time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
					_ = run.Stop(0)
				}
				if problem := followed(ctx, rt, g, run.ID()); problem != "" {
					t.Error(problem)
				}
			})
		}
		all.Wait()
		over()
		others.Wait()
	})
}

// followed takes a run to its end, whatever others do with it.
func followed(ctx context.Context, rt *fermata.Runtime, g *graph.Graph[team], id string) string {
	for ctx.Err() == nil {
		run, err := g.Resume(ctx, rt, id)
		var res graph.Result[team]
		if err == nil {
			res, err = run.Wait(ctx)
		}
		switch {
		case res.Status == fermata.Cancelled:
			return ""
		case res.Status == fermata.Completed:
			if len(res.State.Log) != 17 {
				return fmt.Sprintf("run %s ends with %q", id, res.State.Log)
			}
			return ""
		case res.Status.Ended():
			return fmt.Sprintf("run %s is %s: %v", id, res.Status, res.Err)
		case err != nil && !errors.Is(err, fermata.ErrStopped) && !errors.Is(err, fermata.ErrConflict):
			return fmt.Sprintf("run %s: %v", id, err)
		}
		time.Sleep(100 * time.Microsecond)
	}
	return fmt.Sprintf("run %s did not come to an end", id)
}

// answerAnybody answers what is asked, one by one or together.
func answerAnybody(ctx context.Context, t *testing.T, rt *fermata.Runtime) {
	for ctx.Err() == nil {
		open, err := rt.Inbox(ctx, journal.InboxFilter{})
		if err != nil && ctx.Err() == nil {
			t.Error(err)
			return
		}
		together := make(map[string]any)
		for i, q := range open {
			if i%2 == 0 {
				together[q.ID] = "yes"
				continue
			}
			err = errors.Join(err, rt.Answer(ctx, q.ID, "yes"))
		}
		err = errors.Join(err, rt.AnswerAll(ctx, together))
		if err != nil && ctx.Err() == nil && !errors.Is(err, node.ErrWithdrawn) && !errors.Is(err, fermata.ErrAnswered) {
			t.Error(err)
			return
		}
		time.Sleep(200 * time.Microsecond)
	}
}
