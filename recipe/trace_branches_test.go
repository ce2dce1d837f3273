package recipe_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/recipe"
)

type notes struct {
	Log []string `json:"log,omitempty" merge:"append"`
}

// A trace tells what branches were merged into, where a gate sent its branches, and the items of a map.
func TestG4_TraceOfBranches(t *testing.T) {
	says := func(text string) graph.Func[notes] {
		return func(_ node.Context, s notes) (notes, error) {
			s.Log = append(s.Log, text)
			if text == "bad" {
				return s, errors.New("bad")
			}
			return s, nil
		}
	}
	last := make(chan struct{})
	b := graph.New[notes]("traced").Node("plan", says("plan")).Node("x", func(ctx node.Context, s notes) (notes, error) {
		<-last // the other way round: the order is the declared one
		return says("x")(ctx, s)
	}).
		Node("y", says("y")).Node("join", says("join"), graph.All())
	b.RouteMany("plan", func(node.Context, notes) ([]string, error) { return []string{"y", "x", graph.End}, nil }, "x", "y", graph.End)
	child := graph.New[notes]("item").Node("send", func(ctx node.Context, s notes) (notes, error) {
		return says(s.Log[0])(ctx, s)
	}).Edge(graph.Start, "send").MustCompile()
	graph.MapKeep(b, "each", func(notes) ([]notes, error) { return []notes{{Log: []string{"good"}}, {Log: []string{"bad"}}}, nil }, child,
		func(s notes, done []graph.Item[notes]) (notes, error) {
			for _, one := range done {
				s.Log = append(s.Log, fmt.Sprint(one.Err))
			}
			return s, nil
		}, graph.Limit(1))
	g := b.Edge(graph.Start, "plan").Edge("x", "join").Edge("y", "join").Edge("join", "each").MustCompile()
	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	run, err := g.Start(t.Context(), rt, notes{})
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range run.Events(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type() == "node.finished" && e.Task() == "y#1" {
			break
		}
	}
	close(last)
	res, err := run.Wait(t.Context())
	if err != nil || res.Status != fermata.Completed {
		t.Fatal(res.Err, err)
	}
	info, err := rt.Info(t.Context(), run.ID())
	if err != nil {
		t.Fatal(err)
	}
	tr, err := recipe.BuildTrace(info, rt.History(context.Background(), run.ID()))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range tr.Steps {
		got = append(got, fmt.Sprintf("%s %s -> %s %s", s.ID, s.Inputs, s.Route, s.Error))
	}
	want := []string{
		`plan#1 {} -> x, y, END `, `x#1 {"log":["plan"]} ->  `, `y#1 {"log":["plan"]} ->  `,
		`join#1 {"log":["plan","x","y"]} ->  `, `each#1 {"log":["plan","x","y","join"]} ->  `,
		`each#1.1/send#1 {"log":["good"]} ->  `, `each#1.2/send#1 {"log":["bad"]} ->  bad`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var routes []string
	for e, err := range rt.Events(t.Context(), run.ID(), 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type() != "route.taken" && (e.Type() != "node.started" || e.Task() != "join#1") {
			continue
		}
		data, err := e.Data()
		if err != nil {
			t.Fatal(err)
		}
		routes = append(routes, e.Task()+" "+string(data))
	}
	wantRoutes := []string{
		`plan#1 {"end":true,"to":["x","y"]}`,
		`join#1 {"base":3,"delta":[1,{"log":[2,1,["x","y"]]}],"from":[8,7]}`,
		`each#1 {"item":1,"of":2,"to":"each#1.1/send","value":{"log":["good"]}}`,
		`each#1 {"item":2,"of":2,"to":"each#1.2/send","value":{"log":["bad"]}}`,
		`each#1.2/send#1 {"because":"failure","end":true}`,
	}
	if diff := cmp.Diff(wantRoutes, routes); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
