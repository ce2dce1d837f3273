package fermata_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/node"
)

const reasonRounds = 6

// aboutRound is what the model of a child asks a person: answerAll answers with the round.
type aboutRound struct {
	Round int `json:"round"`
}

// model is a model whose calls are effects. It calls a tool and asks a person, and then repeats what it was told.
func (o outside) model() model.Func {
	return func(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
		return func(yield func(model.Chunk, error) bool) {
			if err := o.effect(ctx, fmt.Sprint("model ", len(req.Messages))); err != nil {
				yield(model.Chunk{}, err)
				return
			}
			reply := model.Response{Finish: model.FinishStop}
			if last := req.Messages[len(req.Messages)-1]; len(req.Messages) == 1 {
				reply.Finish = model.FinishCalls
				for i, name := range []string{"book", "ask_person"} {
					call := &model.ToolCall{ID: fmt.Sprint("call_", i), Name: name, Arguments: json.RawMessage(`{"round":` + last.Text() + `}`)}
					reply.Parts = append(reply.Parts, model.Part{Kind: model.CallPart, Call: call})
				}
			} else {
				reply.Parts = []model.Part{{Text: fmt.Sprintf(`{"booked":%q,"said":%s}`, last.Parts[0].Result.Text, last.Parts[1].Result.Text)}}
			}
			for chunk, err := range reply.Chunks() {
				if !yield(chunk, err) {
					return
				}
			}
		}
	}
}

// reasonGraph reasons round by round: each time a model is asked twice, a tool is called and a person asked.
func reasonGraph(o outside) *graph.Graph[order] {
	book, err := node.NewTool("book", "books a round", func(ctx node.Context, in aboutRound) (string, error) {
		return fmt.Sprint("booked ", in.Round), o.effect(ctx, "tool")
	})
	if err != nil {
		panic(err)
	}
	b := graph.New[order]("reason").Node("reason", func(ctx node.Context, s order) (order, error) {
		got, err := node.Reason[struct {
			Booked string `json:"booked"`
			Said   int    `json:"said"`
		}](ctx, node.Reasoning{
			Prompt: fmt.Sprint(s.Rounds + 1), Tools: []node.Tool{book}, Interrupt: node.AskPerson[aboutRound, int](), Stream: node.StreamPatch,
		})
		if err != nil {
			return s, err
		}
		s.Rounds, s.Amount = s.Rounds+1, s.Amount+got.Said
		return s.note("%s", got.Booked), nil
	})
	b.Route("reason", func(_ node.Context, s order) (string, error) {
		if s.Rounds < reasonRounds {
			return "reason", nil
		}
		return graph.End, nil
	}, "reason", graph.End)
	return b.Edge(graph.Start, "reason").MustCompile()
}

// A process is killed at any moment while a model reasons, calls a tool and asks a person. What was answered is not
// asked again: there is one call of each more at most for each kill, and it has the same key.
func TestJ5_Kill9WhileReasoning(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	want := childResult{Status: fermata.Completed, State: order{Rounds: reasonRounds}}
	for round := 1; round <= reasonRounds; round++ {
		want.State.Amount += round
		want.State = want.State.note("booked %d", round)
	}
	finished := make(map[string]bool)
	killed := killed(t, "reason", folder, kills(30, 500), 30*time.Millisecond, func(run string, r childResult) {
		finished[run] = true
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("%s (-want +got):\n%s", run, diff)
		}
	})
	checkKilled(t, folder, finished, killed, 3*reasonRounds)
}
