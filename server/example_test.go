package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/server"
)

// The handler shows what a run asks, takes the answer, and tells what became of it.
func ExampleNew() {
	type order struct{ Paid bool }
	pay := graph.New[order]("pay").Node("approve", func(ctx node.Context, o order) (order, error) {
		paid, err := node.Interrupt[bool](ctx, nil, node.Prompt("Pay 120?"))
		o.Paid = paid
		return o, err
	}).Edge(graph.Start, "approve").MustCompile()

	rt, err := fermata.New(fermata.Options{})
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	front := httptest.NewServer(server.New(rt, server.Options{})) // a program: http.ListenAndServe("127.0.0.1:8080", …)
	defer front.Close()

	run, err := pay.Start(context.Background(), rt, order{}, fermata.WithID("run_1"))
	if err != nil {
		panic(err)
	}
	asked, err := run.Wait(context.Background())
	if err != nil {
		panic(err)
	}
	question := asked.Interrupts[0]
	fmt.Println(question.Prompt)

	post := func(body string) *http.Response {
		res, err := http.Post(front.URL+"/interrupts/"+question.ID+"/answer", "application/json", strings.NewReader(body))
		if err != nil {
			panic(err)
		}
		_ = res.Body.Close()
		return res
	}
	fmt.Println(post(`{"value": "yes"}`).Status)
	fmt.Println(post(`{"value": true, "by": "Ada"}`).Status)
	if _, err := run.Wait(context.Background()); err != nil {
		panic(err)
	}

	res, err := http.Get(front.URL + "/runs/run_1/events?after=8")
	if err != nil {
		panic(err)
	}
	defer res.Body.Close()
	events, err := io.ReadAll(res.Body)
	if err != nil {
		panic(err)
	}
	_, end, _ := strings.Cut(string(events), "event: ")
	fmt.Println(strings.TrimSpace(end))
	// Output:
	// Pay 120?
	// 422 Unprocessable Entity
	// 200 OK
	// end
	// data: {"run":"run_1","seq":9,"status":"completed"}
}
