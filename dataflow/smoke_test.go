package dataflow_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/node"
)

type query struct {
	Text string
	TopK int `default:"5"`
}
type hits struct {
	Docs   []string
	Scores []float64
}

func TestSmoke(t *testing.T) {
	search := dataflow.Node("search", func(_ node.Context, in query) (hits, error) {
		return hits{Docs: []string{in.Text, fmt.Sprint(in.TopK)}, Scores: []float64{1, 2}}, nil
	})
	answer := dataflow.Func("answer", "reply", func(_ node.Context, in struct{ Docs []string }) (string, error) {
		return fmt.Sprint(in.Docs), nil
	})
	rag, err := dataflow.New("rag", search, answer)
	if err != nil {
		t.Fatal(err)
	}
	res, err := rag.Run(context.Background(), dataflow.Values{"text": "hello"})
	t.Log(res, err)
	rt, _ := fermata.New(fermata.Options{})
	defer rt.Close()
	run, err := rag.Start(context.Background(), rt, dataflow.Values{"text": "hello"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Wait(context.Background())
	t.Log(r.Outputs, string(r.Output), err)
	for ev, err := range run.Events(context.Background(), 0) {
		t.Log(ev.Entry.Seq, ev.Entry.Kind, ev.Entry.Node, string(ev.Entry.Body), string(ev.Entry.Value), err)
	}
	fermatatest.Crash(t, rag.Plan(), func() any { in, _ := rag.Input(dataflow.Values{"text": "hello"}); return in })
}

func loop() *dataflow.Graph {
	type draft struct {
		Prompt   string
		Feedback string `default:"none"`
	}
	generate := dataflow.Func("generate", "draft", func(_ node.Context, in draft) (string, error) {
		return in.Prompt + "/" + in.Feedback, nil
	})
	type eval struct {
		Score    float64
		Feedback string
	}
	evaluate := dataflow.Node("evaluate", func(_ node.Context, in struct{ Draft string }) (eval, error) {
		return eval{float64(len(in.Draft)) / 40, "more after " + in.Draft}, nil
	})
	gate := dataflow.Route("quality_gate", func(_ node.Context, in struct {
		Score     float64
		Threshold float64 `default:"0.9"`
	},
	) (string, error) {
		if in.Score >= in.Threshold {
			return dataflow.END, nil
		}
		return "generate", nil
	}, "generate", dataflow.END)
	return dataflow.Must(dataflow.New("refine", generate, evaluate, gate))
}

func TestLoop(t *testing.T) {
	g := loop()
	res, err := g.Run(context.Background(), dataflow.Values{"prompt": "p"})
	t.Log(res.Outputs, err)
	t.Logf("%+v", g.Describe())
	t.Log("\n" + g.Plan().Text() + g.Plan().Mermaid())
	report := fermatatest.Crash(t, g.Plan(), func() any { in, _ := g.Input(dataflow.Values{"prompt": "p"}); return in })
	t.Log(report)
}
