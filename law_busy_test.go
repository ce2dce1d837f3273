package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// A model's provider that wants to be left alone for up to an hour is asked again after that; one that wants more is not
// waited for, whatever attempts there are: the failure says so.
func TestF1_AModelThatIsBusyForLong(t *testing.T) {
	for wait, tries := range map[time.Duration]int{time.Minute: 2, time.Hour: 2, 2 * time.Hour: 1, 300 * 24 * time.Hour: 1} {
		t.Run(fmt.Sprint(wait), func(t *testing.T) {
			asked := 0
			m := scripted.New(scripted.Script{Func: func(*model.Request) (scripted.Reply, error) {
				if asked++; asked == 1 {
					return scripted.Reply{Err: &model.Error{Kind: model.ErrRateLimited, RetryAfter: wait}}, nil
				}
				return scripted.Reply{Text: "well"}, nil
			}})
			g := graph.Of("ask", func(ctx node.Context, s string) (string, error) {
				return node.Reason[string](ctx, node.Reasoning{Prompt: "?"})
			}, graph.Retry(5, time.Millisecond)).MustCompile()
			report, broken := fermatatest.Rehearse(t.Context(), g.Plan(), func() any { s := ""; return &s },
				fermatatest.WithOptions(fermata.Options{Services: []any{model.Model(m)}}))
			if len(broken) > 0 || asked != tries || errors.Is(report.Result.Err, model.ErrRateLimited) != (tries == 1) {
				t.Errorf("asked %d times, %s: %v %v", asked, report.Result.Status, report.Result.Err, broken)
			}
			if tries == 1 && !strings.Contains(report.Result.Err.Error(), "again in "+wait.String()) {
				t.Errorf("it does not say when: %v", report.Result.Err)
			}
		})
	}
}

// A reply that breaks in the middle is asked for again as long as nobody has seen anything of it (law E2): not where it is
// streamed.
func TestE2_ABrokenReplyIsAskedForAgainUnseen(t *testing.T) {
	for stream, tries := range map[node.StreamMode]int{node.StreamOff: 2, node.StreamPatch: 1} {
		t.Run("stream "+string(stream), func(t *testing.T) {
			asked := 0
			m := model.Func(func(context.Context, *model.Request) iter.Seq2[model.Chunk, error] {
				asked++
				return func(yield func(model.Chunk, error) bool) {
					if !yield(model.Chunk{Text: `{"title":"Le`}, nil) {
						return
					}
					if asked == 1 {
						yield(model.Chunk{}, &model.Error{Kind: model.ErrUnavailable, Message: "the connection broke"})
						return
					}
					_ = yield(model.Chunk{Text: `tter"}`}, nil) && yield(model.Chunk{Finish: model.FinishStop}, nil)
				}
			})
			type letter struct {
				Title string `json:"title"`
			}
			g := graph.Of("ask", func(ctx node.Context, _ letter) (letter, error) {
				return node.Reason[letter](ctx, node.Reasoning{Prompt: "?", Stream: stream})
			}).MustCompile()
			got, err := g.Run(t.Context(), letter{}, model.Retrying(m, model.RetryPolicy{Backoff: time.Millisecond}))
			if asked != tries || (err == nil) != (tries == 2) || err == nil && got.Title != "Letter" {
				t.Errorf("asked %d times: %+v, %v", asked, got, err)
			}
		})
	}
}
