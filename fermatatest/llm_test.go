package fermatatest_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// summary is the state of a node that asks a model.
type summary struct {
	Text       string
	TokensUsed int
}

func summarise(ctx node.Context, s summary) (summary, error) {
	result, err := ctx.LLM().Complete(ctx, "Summarise: "+s.Text, node.Streamed())
	if err != nil {
		return s, fmt.Errorf("summarise: %w", err)
	}
	s.Text = result.Text
	s.TokensUsed += result.TokensIn + result.TokensOut
	return s, nil
}

// A model is given as it is, or as a function; a replay asks it nothing.
func TestJ5_WithLLM(t *testing.T) {
	asked := 0
	answer := func(prompt string) (string, error) {
		asked++
		return "short: " + prompt, nil
	}
	for name, m := range map[string]any{"a function": answer, "a model": scripted.Func(answer)} {
		t.Run(name, func(t *testing.T) {
			asked = 0
			c := fermatatest.NewContext(t).WithLLM(m)
			out, err := fermatatest.Run(c, summarise, summary{Text: "a long story"})
			if err != nil {
				t.Fatal(err)
			}
			c.Replay()
			want := summary{Text: "short: Summarise: a long story", TokensUsed: 4 + 5}
			if diff := cmp.Diff([]any{want, 1, want.Text}, []any{out, asked, c.Text("answer")}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			steps := []fermatatest.Step{{
				Key: "llm", Value: `{"parts":[{"text":"short: Summarise: a long story"}],"finish":"stop","model":"scripted"}`,
			}}
			if diff := cmp.Diff(steps, c.Steps()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A failed call is made again by the next attempt, and by no replay.
func TestF1_WithAModelThatFails(t *testing.T) {
	c := fermatatest.NewContext(t).WithLLM(scripted.New(scripted.Script{
		Replies: []scripted.Reply{{Err: &model.Error{Kind: model.ErrUnavailable}}, {Text: "well"}},
	}))
	_, err := fermatatest.Run(c, summarise, summary{})
	if !errors.Is(err, model.ErrUnavailable) {
		t.Fatalf("the error is %v", err)
	}
	c.Replay()
	out, err := fermatatest.Run(c.Retry(), summarise, summary{})
	if err != nil || out.Text != "well" {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestWithLLMRefusesWhatIsNone(t *testing.T) {
	defer func() {
		want := "WithLLM is given a string; expected a model.Model or a func(prompt string) (string, error)"
		if got := recover(); got != want {
			t.Errorf("it said %v, want %s", got, want)
		}
	}()
	fermatatest.NewContext(inExample{TB: t}).WithLLM("a model")
}

// A node that asks a model is tested with a function in the model's place.
func ExampleContext_WithLLM() {
	t := inExample{}
	c := fermatatest.NewContext(t).WithLLM(func(prompt string) (string, error) { return "processed", nil })
	out, err := fermatatest.Run(c, summarise, summary{Text: "a ticket"})
	fmt.Println(out.Text, err)
	// Output: processed <nil>
}
