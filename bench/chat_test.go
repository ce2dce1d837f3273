package bench

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/bench/internal/contest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/node"
)

// chat is a graph that says one of the messages a visit, until all are said.
func chat(all []message) func(immutable bool) *graph.Graph[messages] {
	return func(immutable bool) *graph.Graph[messages] {
		return promising(graph.New[messages]("chat"), immutable).
			Node("say", pure(func(s messages) messages { return said(s, all) })).
			Edge(graph.Start, "say").
			Route("say", until(func(s messages) bool { return s.Count == len(all) }, "say"), "say", graph.End).
			MustCompile()
	}
}

func said(s messages, all []message) messages {
	s.Messages = append(s.Messages, all[s.Count])
	s.Count++
	return s
}

// chatThenAsk is a chat that asks in the end, and is over when it is answered.
func chatThenAsk(all []message) *graph.Graph[messages] {
	return graph.New[messages]("chat").
		Node("say", func(ctx node.Context, s messages) (messages, error) {
			if s.Count == len(all) {
				return ask(ctx, s)
			}
			return said(s, all), nil
		}).
		Edge(graph.Start, "say").
		Route("say", until(func(s messages) bool { return s.Count > len(all) }, "say"), "say", graph.End).
		MustCompile()
}

// BenchmarkChat10000 appends one message of 400 bytes a visit, 10,000 times, then opens the run again.
func BenchmarkChat10000(b *testing.B) {
	const length = 400
	visits := sized(10_000)
	g := chatThenAsk(written(visits, length))
	said := visits * (length + len(`{"role":"user","content":""},`))
	var opening, bytesOnDisk, elapsed float64
	for b.Loop() {
		store, path := open(b, sqlite.Normal)
		rt := newRuntime(b, fermata.Options{Store: store})
		ctx := context.Background()
		began := time.Now()
		run, err := g.Start(ctx, rt, messages{})
		if err != nil {
			b.Fatal(err)
		}
		if res, err := run.Wait(ctx); err != nil || res.Status != fermata.Paused {
			b.Fatal(res.Status, err)
		}
		elapsed += time.Since(began).Seconds()
		bytesOnDisk += float64(size(b, path))
		began = time.Now()
		fresh := newRuntime(b, fermata.Options{Store: store}) // nothing of the run is in its memory
		again, err := g.Resume(ctx, fresh, run.ID())
		if err != nil {
			b.Fatal(err)
		}
		opening += time.Since(began).Seconds() * 1000
		if res, err := again.Wait(ctx); err != nil || res.Status != fermata.Paused {
			b.Fatal(res.Status, err)
		}
	}
	b.ReportMetric(bytesOnDisk/float64(b.N)/float64(said), "disk/said")
	b.ReportMetric(opening/float64(b.N), "ms/open")
	b.ReportMetric(elapsed/float64(b.N)*1e6/float64(visits), "us/visit")
}

// reopening resumes a chat that waits, by a runtime that knows nothing of it. Judged is a chat that is then answered.
func reopening(name string, h *host, g *graph.Graph[messages], visits int) contest.Contestant {
	ctx, id := context.Background(), ""
	waits := func(run *graph.Run[messages]) (string, error) {
		res, err := run.Wait(ctx)
		if err == nil && res.Status != fermata.Paused {
			err = fmt.Errorf("the run is %s", res.Status)
		}
		if err != nil {
			return "", err
		}
		return res.Interrupts[0].ID, nil
	}
	reopen := func(then func(rt *fermata.Runtime, run *graph.Run[messages], asked string) error) error {
		rt, err := fermata.New(fermata.Options{Store: h.kept})
		if err != nil {
			return err
		}
		run, err := g.Resume(ctx, rt, id)
		if err != nil {
			return err
		}
		asked, err := waits(run)
		if err == nil && then != nil {
			err = then(rt, run, asked)
		}
		return errors.Join(err, rt.Close())
	}
	return contest.Contestant{
		Name: name, Over: h.close,
		Ready: func() error {
			if err := h.renew(); err != nil {
				return err
			}
			run, err := g.Start(ctx, h.rt, messages{})
			if err != nil {
				return err
			}
			id = run.ID()
			_, err = waits(run)
			return err
		},
		Run: func() error { return reopen(nil) },
		Check: func() error {
			return reopen(func(rt *fermata.Runtime, run *graph.Run[messages], asked string) error {
				if err := rt.Answer(ctx, asked, true); err != nil {
					return err
				}
				s, err := ended(run.Wait(ctx))
				if wrong := holding(visits, visits+1)(s); err == nil && wrong != "" {
					err = errors.New(wrong)
				}
				return err
			})
		},
	}
}
