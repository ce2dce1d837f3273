package dataflow_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/node"
)

// words yields the words of a text, each with a blank behind it.
func words(_ node.Context, in struct{ Prompt string }) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for word := range strings.FieldsSeq(in.Prompt) {
			if !yield(word+" ", nil) {
				return
			}
		}
	}
}

// shownBy collects what a reader sees of a run, from its beginning to its end: types and texts, the fold's own entries aside.
func shownBy(t *testing.T, run *dataflow.Run, seen func(text string)) []string {
	t.Helper()
	var all []string
	for e, err := range run.Events(timeLimit(t), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(e.Type(), "text.") {
			continue
		}
		data, err := e.Data()
		if err != nil {
			t.Fatal(err)
		}
		var body struct{ Text string }
		if err := json.Unmarshal(data, &body); err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s %s %q", e.Type(), e.Task(), body.Text))
		if seen != nil && body.Text != "" {
			seen(body.Text)
		}
	}
	return all
}

// Each chunk is shown when it comes, in order: here the next one comes only when the reader has seen the last one. The end
// of the stream does not tell the text again, and the value is stored once, as what the node wrote.
func TestE2_ChunksAreShownAsTheyCome(t *testing.T) {
	saw := make(chan string)
	speak := dataflow.Stream("speak", "said", func(ctx node.Context, in struct{ Prompt string }) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for chunk, err := range words(ctx, in) {
				if !yield(strings.ToUpper(chunk), err) {
					return
				}
				select {
				case <-saw:
				case <-ctx.Done():
					yield("", ctx.Err())
					return
				}
			}
		}
	}, dataflow.Join())
	rt, store := inMemory(t)
	run := start(t, rt, graphOf(t, speak, follow("after", "said", "end")), vals{"prompt": "hold until told"})
	shown := shownBy(t, run, func(text string) { saw <- text })
	same(t, "text events", []string{
		`text.start speak#1 ""`, `text.delta speak#1 "HOLD "`, `text.delta speak#1 "UNTIL "`, `text.delta speak#1 "TOLD "`, `text.end speak#1 ""`,
	}, shown)
	same(t, "outputs", vals{"said": "HOLD UNTIL TOLD ", "end": "HOLD UNTIL TOLD  after"}, ends(t, run, fermata.Completed).Outputs)
	var holding []string
	for _, e := range entries(t, store, run.ID()) {
		if strings.Contains(string(e.Value)+string(e.Body), "UNTIL") && e.Node == "speak" {
			holding = append(holding, e.Kind.String())
		}
	}
	same(t, "the value is stored in", []string{"node.finished"}, holding)
}

type token struct {
	Text string
	N    int
}

// Chunks of any type make a list, or what the program's own reducer makes of them; they are shown as lines of JSON.
func TestE2_Reducers(t *testing.T) {
	tokens := func(_ node.Context, in struct{ N int }) iter.Seq2[token, error] {
		return func(yield func(token, error) bool) {
			for i := range in.N {
				if !yield(token{strings.Repeat("x", i), i}, nil) {
					return
				}
			}
		}
	}
	longest := dataflow.Reduce(func(best string, chunk token) string {
		if len(chunk.Text) > len(best) {
			return chunk.Text
		}
		return best
	})
	sum := dataflow.Reduce(func(n int, chunk token) int { return n + chunk.N })
	g := graphOf(t,
		dataflow.Stream("list", "all", tokens, dataflow.List[token]()),
		dataflow.Stream("longest", "best", tokens, longest),
		dataflow.Stream("sum", "total", tokens, sum))
	for _, tt := range []struct {
		n    int
		want vals
	}{
		{3, vals{"all": []token{{"", 0}, {"x", 1}, {"xx", 2}}, "best": "xx", "total": 3}},
		{0, vals{"all": []token{}, "best": "", "total": 0}},
	} {
		kept, _, _ := outcome(t, g, vals{"n": tt.n})
		same(t, "on a runtime", tt.want, kept)
		same(t, "where nothing is kept", tt.want, evaluated(t, g, vals{"n": tt.n}))
	}
	rt := newRuntime(t, fermata.Options{})
	saw := make(chan struct{}, 1)
	run := start(t, rt, graphOf(t, dataflow.Stream("list", "all", func(ctx node.Context, in struct{ N int }) iter.Seq2[token, error] {
		return func(yield func(token, error) bool) {
			_ = yield(token{"", 0}, nil) && yield(token{"x", 1}, nil)
			select { // a reader that comes when all is over sees what was stored, and no chunks
			case <-saw:
			case <-ctx.Done():
			}
		}
	}, dataflow.List[token]())), vals{"n": 2})
	var text strings.Builder
	shownBy(t, run, func(delta string) {
		text.WriteString(delta)
		select {
		case saw <- struct{}{}:
		default:
		}
	})
	same(t, "lines", "{\"Text\":\"\",\"N\":0}\n{\"Text\":\"x\",\"N\":1}\n", text.String())
}

// An error in mid-stream fails the attempt. The next one streams anew, and what the first one brought is in no value.
func TestE4_AnErrorInMidStreamIsTriedAgain(t *testing.T) {
	var c calls
	broken := errors.New("the line is dead")
	speak := dataflow.Stream("speak", "said", func(node.Context, none) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			if c.add("speak") == 1 {
				_ = yield("lost ", nil) && yield("", broken)
				return
			}
			_ = yield("kept ", nil) && yield("at last", nil)
		}
	}, dataflow.Join(), dataflow.Retry(2, 1))
	g := graphOf(t, speak)
	got, _, told := outcome(t, g, vals{})
	same(t, "outputs", vals{"said": "kept at last"}, got)
	same(t, "journal", []string{
		"run.started", "node.started speak#1", "text.start speak#1", "structured-data.invalidated speak#1 retry",
		"node.retrying speak#1 the line is dead",
		"node.started speak#1 attempt 2", "text.start speak#1 attempt 2", "text.end speak#1 attempt 2", "node.finished speak#1 attempt 2",
		"run.finished completed",
	}, told)
	c.reset()
	res, err := graphOf(t, speak.With(dataflow.Retry(1, 0))).Run(timeLimit(t), vals{})
	if !errors.Is(errors.Join(err, res.Err), broken) {
		t.Errorf("without another try: %v, %v", res.Err, err)
	}
}

// A chunk that cannot be shown fails the attempt where it is.
func TestN8_ChunksMustBeJSON(t *testing.T) {
	g := graphOf(t, dataflow.Stream("speak", "n", func(node.Context, none) iter.Seq2[func(), error] {
		return func(yield func(func(), error) bool) { yield(func() {}, nil) }
	}, dataflow.Reduce(func(n int, _ func()) int { return n + 1 })))
	res, err := g.Run(timeLimit(t), vals{})
	if err = errors.Join(err, res.Err); !errors.Is(err, node.ErrNotStorable) || !strings.Contains(err.Error(), "speak#1") {
		t.Errorf("error %v", err)
	}
}

// A stream without a function or a reducer is refused.
func TestE2_StreamsAreCheckedWhenTheGraphIsMade(t *testing.T) {
	err := refusedGraph(t, dataflow.Stream[struct{ Prompt string }, string, string]("speak", "said", nil, dataflow.Reducer[string, string]{}))
	same(t, "error", "dataflow \"test\":\n  node \"speak\": it has no function\n  node \"speak\": it has no reducer; use Join, List or Reduce", err.Error())
}

// A process that dies in mid-stream leaves an attempt behind that another process makes once more, from the beginning; the
// value is that of the whole stream.
func TestJ4_AStreamThatIsCutOffIsMadeAgain(t *testing.T) {
	var c calls
	half := make(chan struct{})
	d := onDisk(t)
	speak := dataflow.Stream("speak", "said", func(ctx node.Context, in struct{ Prompt string }) iter.Seq2[string, error] {
		first := c.add("speak") == 1
		return func(yield func(string, error) bool) {
			for chunk, err := range words(ctx, in) {
				if !yield(chunk, err) {
					return
				}
				if first {
					close(half)
					<-ctx.Done()
					yield("", ctx.Err())
					return
				}
			}
		}
	}, dataflow.Join())
	g := graphOf(t, speak)
	var id string
	d.process(t, func(rt *fermata.Runtime, _ journal.Store) {
		id = start(t, rt, g, vals{"prompt": "a b c"}).ID()
		<-half
	})
	d.process(t, func(rt *fermata.Runtime, store journal.Store) {
		same(t, "outputs", vals{"said": "a b c "}, ends(t, resume(t, rt, g, id), fermata.Completed).Outputs)
		same(t, "streams", []string{"speak: 2"}, c.lines())
		same(t, "ends", []string{"text.end speak#1"}, only(lines(t, store, id), "text.end"))
	})
}

// Wherever the engine dies, the stream's value is the same.
func TestJ1_StreamsSurviveCrashes(t *testing.T) {
	speak := dataflow.Stream("speak", "said", words, dataflow.Join())
	g := graphOf(t, speak, unary("count", "said", "n", func(s string) int { return len(s) }))
	report := fermatatest.Crash(t, g.Plan(), inputOf(t, g, vals{"prompt": "a b c"}))
	same(t, "status", fermata.Completed, report.Result.Status)
}

// inputOf makes a run's input anew for each run.
func inputOf(t testing.TB, g *dataflow.Graph, v vals) func() any {
	t.Helper()
	return func() any {
		in, err := g.Input(v)
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
}

// A stream is given the context that ends it.
func TestF3_CancellingEndsAStream(t *testing.T) {
	ctx, cancel := context.WithCancel(timeLimit(t))
	g := graphOf(t, dataflow.Stream("speak", "said", func(ctx node.Context, _ none) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			if yield("a", nil) {
				cancel()
				<-ctx.Done()
				yield("", ctx.Err())
			}
		}
	}, dataflow.Join()))
	_, err := g.Run(ctx, vals{})
	if !errors.Is(err, context.Canceled) && !errors.Is(err, fermata.ErrStopped) {
		t.Errorf("error %v", err)
	}
}
