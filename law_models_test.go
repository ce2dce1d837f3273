package fermata_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// cents are prices that are easy to sum up: a cent for each token that is read, two for each that is said.
func cents() model.Prices { return model.Prices{Input: 1e10, Output: 2e10} }

// prompted is a node that asks a model what the state says, and keeps the answer.
func prompted(prompts ...string) graph.Func[state] {
	return func(ctx node.Context, s state) (state, error) {
		for _, prompt := range prompts {
			result, err := ctx.LLM().Complete(ctx, prompt)
			if err != nil {
				return s, err
			}
			s.Text = result.Text
			s.N += result.TokensIn + result.TokensOut
		}
		return s, nil
	}
}

func withModels(t *testing.T, services ...any) (*fermata.Runtime, journal.Store) {
	t.Helper()
	store := memory.New()
	return newRuntime(t, fermata.Options{Store: store, Services: services}), store
}

// A call of a model is recorded with what it took; when its node runs again, it is not made again.
func TestJ5_CallsOfModelsAreRecorded(t *testing.T) {
	m := scripted.Texts("a short draft", "two words")
	rt, store := withModels(t, model.Priced(m, cents()))
	var seen []node.Completion
	g := single(func(ctx node.Context, s state) (state, error) {
		draft, err := ctx.LLM().Complete(ctx, "write a draft", node.System("be brief"))
		if err != nil {
			return s, err
		}
		seen = append(seen, *draft)
		if _, err := node.Interrupt[bool](ctx, draft.Text); err != nil {
			return s, err
		}
		last, err := ctx.LLM().Generate(ctx, model.Ask("shorter"), node.CallID("shorten"))
		if err != nil {
			return s, err
		}
		s.Text = last.Text
		return s, nil
	})
	run := start(t, rt, g, state{}, fermata.WithID("run_m"))
	answer(t, rt, question(t, run).ID, true)
	res := ends(t, run, fermata.Completed)

	first := node.Completion{
		Text: "a short draft", TokensIn: 5, TokensOut: 3, Cost: 110_000,
		Response: model.Response{
			Parts: []model.Part{{Text: "a short draft"}}, Finish: model.FinishStop, Model: "scripted",
			Usage: model.Usage{Input: 5, Output: 3, Cost: 110_000, Priced: true},
		},
	}
	if diff := cmp.Diff([]node.Completion{first, first}, seen); diff != "" {
		t.Errorf("what the node got, and got again (-want +got):\n%s", diff)
	}
	brief := *model.Ask("write a draft")
	brief.System, brief.Key = "be brief", "run_m/a#1/model:llm#1"
	shorter := *model.Ask("shorter")
	shorter.Key = "run_m/a#1/model:shorten#1"
	if diff := cmp.Diff([]model.Request{brief, shorter}, m.Requests()); diff != "" {
		t.Errorf("what the model was asked (-want +got):\n%s", diff)
	}
	usage := fermata.Usage{Calls: 2, Input: 6, Output: 5, Cost: 160_000}
	if diff := cmp.Diff([]any{"two words", usage, map[string]fermata.Usage{"a": usage}},
		[]any{res.State.Text, res.Usage, res.UsageByNode}); diff != "" {
		t.Errorf("the result (-want +got):\n%s", diff)
	}
	var recorded []string
	for _, e := range entries(t, store, run.ID()) {
		if e.Kind == journal.StepFinished {
			recorded = append(recorded, fmt.Sprintf("%s %s %s", e.Op, e.Value, e.Body))
		}
	}
	want := []string{
		`model:llm#1 {"parts":[{"text":"a short draft"}],"finish":"stop","model":"scripted"} {"usage":{"calls":1,"in":5,"out":3,"cost":110000}}`,
		`model:shorten#1 {"parts":[{"text":"two words"}],"finish":"stop","model":"scripted"} {"usage":{"calls":1,"in":1,"out":2,"cost":50000}}`,
	}
	if diff := cmp.Diff(want, recorded); diff != "" {
		t.Errorf("journal (-want +got):\n%s", diff)
	}
}

// Calls of models are told apart by their order or their name, whichever model they ask, and by the step around them.
func TestN2_CallsOfModelsHaveTheirNames(t *testing.T) {
	fast, careful := scripted.Func(echo("fast")), scripted.Func(echo("careful"))
	rt, store := withModels(t, model.Set{"fast": fast, model.Default: careful})
	complete := func(ctx node.Context, llm node.LLM, opts ...node.CallOption) error {
		_, err := llm.Complete(ctx, "?", opts...)
		return err
	}
	g := single(func(ctx node.Context, s state) (state, error) {
		err := errors.Join(complete(ctx, ctx.LLM()), complete(ctx, ctx.LLM("fast")), complete(ctx, ctx.LLM("fast"), node.CallID("check")))
		if err != nil {
			return s, err
		}
		return node.Step(ctx, "inside", func(ctx node.Context) (state, error) {
			return s, complete(ctx, ctx.LLM("fast"))
		})
	})
	run := start(t, rt, g, state{})
	ends(t, run, fermata.Completed)
	var got []string
	for _, e := range entries(t, store, run.ID()) {
		if e.Kind == journal.StepFinished && strings.HasPrefix(e.Op, "model:") {
			reply := model.Response{}
			decodeInto(t, e.Value, &reply)
			got = append(got, strings.ReplaceAll(e.Op, nodehost.Inside, "/")+" "+reply.Text())
		}
	}
	want := []string{"model:llm#1 careful: ?", "model:llm#2 fast: ?", "model:check#1 fast: ?", "model:step:inside#1/llm#1 fast: ?"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func echo(name string) func(string) (string, error) {
	return func(prompt string) (string, error) { return name + ": " + prompt, nil }
}

// A failure of a model is recorded with its kind: code decides by it as before, when it runs again. The next attempt
// asks again, and what the failed one took counts, by node and in all, wherever the sum is read from.
func TestJ5_FailuresOfModelsKeepTheirKind(t *testing.T) {
	m := scripted.New(scripted.Script{Replies: []scripted.Reply{
		{Text: "cut", Finish: model.FinishTruncated, Usage: &model.Usage{Input: 10, Output: 1}},
		{Err: &model.Error{Kind: model.ErrRateLimited, Message: "slow down", RetryAfter: 2 * time.Second}},
		{Err: errors.New("the line is dead")},
		{Text: "done", Usage: &model.Usage{Input: 20, Output: 2}},
	}})
	rt, store := withModels(t, m)
	var seen []string
	g := graph.New[state]("kinds").
		Node("a", func(ctx node.Context, s state) (state, error) {
			cut, err := ctx.LLM().Complete(ctx, "first")
			seen = append(seen, fmt.Sprintf("%s|%t|%v", cut.Text, errors.Is(err, model.ErrTruncated), err))
			if _, asked := node.Interrupt[bool](ctx, nil); asked != nil {
				return s, asked
			}
			if _, err := ctx.LLM().Complete(ctx, "second"); err != nil {
				if failed, ok := errors.AsType[*model.Error](err); ok {
					seen = append(seen, fmt.Sprint(failed.Kind == model.ErrRateLimited, failed.RetryAfter))
				}
				_, err = ctx.LLM().Complete(ctx, "third")
				return s, err
			}
			return s, nil
		}, graph.Retry(2, time.Millisecond)).
		Node("b", prompted()).Edge(graph.Start, "a").Edge("a", "b").MustCompile()
	run := start(t, rt, g, state{})
	answer(t, rt, question(t, run).ID, true)
	// The second attempt makes the first call anew, as "done", and there is no reply to the next.
	res := ends(t, run, fermata.Failed)
	cut := "cut|true|the model's reply was cut off"
	want := []string{cut, cut, "true 2s", "done|false|<nil>"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	usage := fermata.Usage{Calls: 2, Input: 30, Output: 3, Unpriced: 2}
	stored, err := newRuntime(t, fermata.Options{Store: store}).Result(t.Context(), run.ID(), nil)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]fermata.Usage{"a": usage}
	if diff := cmp.Diff([]any{usage, by, usage, by}, []any{res.Usage, res.UsageByNode, stored.Usage, stored.UsageByNode}); diff != "" {
		t.Errorf("what was used (-want +got):\n%s", diff)
	}
	if !errors.As(res.Err, new(*node.StepError)) || !strings.Contains(res.Err.Error(), scripted.ErrNoReply.Error()) {
		t.Errorf("the run failed with %v", res.Err)
	}
}

// What a streamed call shows is shown once; its whole text is stored with the reply that it belongs to.
func TestN4_AStreamedCallIsShownOnce(t *testing.T) {
	m := scripted.New(scripted.Script{Replies: []scripted.Reply{{Reasoning: "hm well", Text: "yes and no"}}})
	rt, store := withModels(t, m)
	g := single(func(ctx node.Context, s state) (state, error) {
		if _, err := ctx.LLM().Complete(ctx, "is it?", node.Streamed()); err != nil {
			return s, err
		}
		return review()(ctx, s)
	})
	run := start(t, rt, g, state{})
	answer(t, rt, question(t, run).ID, decision{Approve: true})
	ends(t, run, fermata.Completed)
	var got []string
	for _, l := range lines(t, store, run.ID()) {
		if strings.HasPrefix(l, "text.") || strings.HasPrefix(l, "step.") {
			got = append(got, strings.ReplaceAll(l, nodehost.Inside, "/"))
		}
	}
	want := []string{
		"text.start a#1 stream:model:llm#1/reasoning#1",
		"text.start a#1 stream:model:llm#1/answer#1",
		"text.end a#1 stream:model:llm#1/reasoning#1",
		"text.end a#1 stream:model:llm#1/answer#1",
		`step.finished a#1 model:llm#1 = {"parts":[{"kind":"reasoning","text":"hm well"},{"text":"yes and no"}],"finish":"stop","model":"scripted"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A limit on what models take fails the run and is named. What runs may end, no model is asked and no task starts any
// more; with more room the run goes on from there.
func TestF4_TheLimitsOfTokensAndCost(t *testing.T) {
	cases := map[string]struct {
		limits plan.Limits
		more   plan.Limits
		want   fermata.LimitError
	}{
		"tokens": {plan.Limits{Tokens: 5}, plan.Limits{Tokens: 100}, fermata.LimitError{Limit: "tokens", Max: "5"}},
		"cost":   {plan.Limits{Cost: model.Dollars(0.08)}, plan.Limits{Cost: model.Dollars(1)}, fermata.LimitError{Limit: "cost", Max: "$0.08"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			build := func(limits plan.Limits) *graph.Graph[state] {
				return graph.New[state]("spend").
					Node("a", prompted("one"), graph.Retry(3, time.Millisecond)).Node("b", prompted("two", "three")).Node("c", logged).
					Edge(graph.Start, "a").Edge("a", "b").Edge("b", "c").Limits(limits).MustCompile()
			}
			m := scripted.Texts("first reply", "second reply", "third reply")
			rt, store := withModels(t, model.Priced(m, cents()))
			run := start(t, rt, build(c.limits), state{})
			res := ends(t, run, fermata.Failed)
			hasLimit(t, res.Err, c.want)
			if diff := cmp.Diff(fermata.Usage{Calls: 2, Input: 2, Output: 4, Cost: 100_000}, res.Usage); diff != "" {
				t.Errorf("used (-want +got):\n%s", diff)
			}
			reached := fmt.Sprintf("the run's limit of %s (%s) was reached", c.want.Limit, c.want.Max)
			journaled := lines(t, store, run.ID())
			if diff := cmp.Diff([]string{"node.failed b#1 " + reached, "run.finished failed " + reached}, journaled[len(journaled)-2:]); diff != "" {
				t.Errorf("the end of the journal (-want +got):\n%s", diff)
			}
			stored, err := rt.Result(t.Context(), run.ID(), nil)
			if err != nil {
				t.Fatal(err)
			}
			hasLimit(t, stored.Err, c.want)

			same, err := build(c.limits).Retry(timeLimit(t), rt, run.ID())
			if err != nil {
				t.Fatal(err)
			}
			hasLimit(t, ends(t, same, fermata.Failed).Err, c.want)
			again, err := build(c.more).Retry(timeLimit(t), rt, run.ID())
			if err != nil {
				t.Fatal(err)
			}
			res = ends(t, again, fermata.Completed)
			if diff := cmp.Diff([]any{state{Text: "third reply", N: 9, Log: []string{"c#1"}}, 3}, []any{res.State, len(m.Requests())}); diff != "" {
				t.Errorf("with more room (-want +got):\n%s", diff)
			}
		})
	}
}

func hasLimit(t *testing.T, err error, want fermata.LimitError) {
	t.Helper()
	refused(t, err, refusal{fermata.CodeLimit, fermata.ErrLimit})
	limit, ok := errors.AsType[*fermata.LimitError](err)
	if !ok {
		t.Fatalf("the error is %v, want a *LimitError in it", err)
	}
	if diff := cmp.Diff(want, *limit); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// There is no way around a limit: not by the last call of a run, an error that is swallowed or caught, another
// attempt, nor a run that is not stored.
func TestF4_ALimitIsNoSuccess(t *testing.T) {
	swallows := func(ctx node.Context, s state) (state, error) {
		_, err := prompted("one", "two", "three")(ctx, s)
		if !errors.Is(err, fermata.ErrLimit) {
			return s, fmt.Errorf("the error is %w, want a limit", err)
		}
		return s, nil
	}
	fails := func(ctx node.Context, s state) (state, error) {
		_, _ = prompted("one", "two")(ctx, s)
		return s, errFlaky
	}
	waits := func(ctx node.Context, s state) (state, error) {
		if s, err := prompted("one", "two")(ctx, s); err != nil {
			return s, err
		}
		return review()(ctx, s)
	}
	cases := map[string]graph.Func[state]{
		"the last call": prompted("one", "two"), "swallowed": swallows, "caught": prompted("one", "two", "three"), "another attempt": fails, "a wait": waits,
	}
	for name, f := range cases {
		t.Run(name, func(t *testing.T) {
			build := func() *graph.Graph[state] {
				return graph.New[state]("spend").Node("a", f, graph.Retry(5, time.Millisecond)).Node("rescue", logged).
					Edge(graph.Start, "a").OnError("a", "rescue").Limits(plan.Limits{Tokens: 4}).MustCompile()
			}
			want := fermata.LimitError{Limit: "tokens", Max: "4"}
			m := scripted.Func(func(string) (string, error) { return "said", nil })
			rt, store := withModels(t, m)
			run := start(t, rt, build(), state{})
			hasLimit(t, ends(t, run, fermata.Failed).Err, want)
			if got := count(lines(t, store, run.ID()), "node.started"); got != 1 {
				t.Errorf("%d attempts and tasks were started, want 1", got)
			}
			if got := len(m.Requests()); got != 2 {
				t.Errorf("the model was asked %d times, want 2", got)
			}
			if name == "a wait" {
				return // without a store nobody can be asked
			}
			_, err := fermata.Evaluate(timeLimit(t), build().Plan(), &state{}, fermata.Options{Services: []any{m}})
			hasLimit(t, err, want)
		})
	}
}

// A limit that cannot be kept, because a model does not say what it takes, counts as reached.
func TestF4_WhatIsNotKnownReachesALimit(t *testing.T) {
	silent := scripted.New(scripted.Script{Rules: []scripted.Rule{{Reply: scripted.Reply{Text: "well", Usage: &model.Usage{}}}}})
	cases := map[string]struct {
		limits plan.Limits
		want   fermata.LimitError
	}{
		"cost": {plan.Limits{Cost: 1e6}, fermata.LimitError{
			Limit: "cost", Max: "$1.00",
			Reason: "what a call of a model costs is not known, so that the limit cannot be kept; give the model prices (model.Priced)",
		}},
		"tokens": {plan.Limits{Tokens: 1000}, fermata.LimitError{
			Limit: "tokens", Max: "1000", Reason: "a model does not say how many tokens a call took, so that the limit cannot be kept",
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rt, _ := withModels(t, silent)
			g := graph.New[state]("spend").Node("a", prompted("one")).Edge(graph.Start, "a").Limits(c.limits).MustCompile()
			hasLimit(t, ends(t, start(t, rt, g, state{}), fermata.Failed).Err, c.want)
		})
	}
}

// A program without the model that a node asks for says so, and what to do.
func TestJ5_AMissingModelIsAFailureLikeOthers(t *testing.T) {
	fast := model.Set{"fast": scripted.Texts(), "careful": scripted.Texts()}
	cases := map[string]struct {
		services []any
		name     []string
		want     string
	}{
		"none": {nil, nil, "no such model: the program offers none, or several without names; " +
			`add one to Options.Services: a model.Model, or model.Set{"default": m, "fast": …} for several`},
		"no set": {[]any{scripted.Texts()}, []string{"fast"}, `no such model: "fast" is asked for, and the program offers no model.Set; ` +
			`add one to Options.Services: a model.Model, or model.Set{"default": m, "fast": …} for several`},
		"no default": {[]any{fast}, nil, "no such model: the set has careful, fast; name one of them, or call one default"},
		"misspelt":   {[]any{fast}, []string{"fats"}, `no such model: none is called "fats"; the set has careful, fast; did you mean "fast"?`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rt, _ := withModels(t, c.services...)
			run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
				_, err := ctx.LLM(c.name...).Complete(ctx, "?")
				return s, err
			}), state{})
			err := ends(t, run, fermata.Failed).Err
			if want := "run " + run.ID() + ", task a#1: " + c.want; !errors.Is(err, model.ErrNoModel) || err.Error() != want {
				t.Errorf("the error is\n%v, want\n%s", err, want)
			}
		})
	}
}

// Wherever a process dies: a call that is recorded is never paid again, a call whose record was lost once more at
// most, and the sums are those of a run without a crash.
func TestJ5_CrashesAroundCallsOfModels(t *testing.T) {
	for name, opts := range map[string][]node.CallOption{"whole": nil, "streamed": {node.Streamed()}} {
		t.Run(name, func(t *testing.T) {
			var asked calls
			m := model.Priced(scripted.Func(func(prompt string) (string, error) {
				asked.add(prompt)
				return "about " + prompt, nil
			}), cents())
			g := single(func(ctx node.Context, s state) (state, error) {
				first, err := ctx.LLM().Complete(ctx, "one", opts...)
				if err != nil {
					return s, err
				}
				d, err := node.Interrupt[decision](ctx, first.Text)
				if err != nil {
					return s, err
				}
				second, err := ctx.LLM().Complete(ctx, "two "+d.Note, opts...)
				if err != nil {
					return s, err
				}
				s.Text = first.Text + ", " + second.Text
				return s, nil
			})
			report := fermatatest.Crash(t, g.Plan(), func() any { return &state{} },
				fermatatest.Answers(map[string][]any{"a": {decision{Approve: true, Note: "and more"}}}),
				fermatatest.Effects(asked.all), fermatatest.WithOptions(fermata.Options{Services: []any{m}}))
			usage := fermata.Usage{Calls: 2, Input: 4, Output: 6, Cost: 160_000}
			got := []any{report.Result.Status, report.Result.Value, report.Result.Usage, report.Result.UsageByNode}
			want := []any{
				fermata.Completed, &state{Text: "about one, about two and more"}, usage, map[string]fermata.Usage{"a": usage},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			t.Logf("%d appends, %d crashes", len(report.Appends), report.Crashes)
		})
	}
}

// The same where the limit is reached: it ends every run in the same place.
func TestF4_CrashesAroundALimit(t *testing.T) {
	m := scripted.Func(func(prompt string) (string, error) { return "about " + prompt, nil })
	g := graph.New[state]("spend").
		Node("a", prompted("one")).Node("b", prompted("two", "three", "four")).
		Edge(graph.Start, "a").Edge("a", "b").Limits(plan.Limits{Tokens: 9}).MustCompile()
	report := fermatatest.Crash(t, g.Plan(), func() any { return &state{} },
		fermatatest.WithOptions(fermata.Options{Services: []any{m}}))
	hasLimit(t, report.Result.Err, fermata.LimitError{Limit: "tokens", Max: "9"})
	if diff := cmp.Diff(fermata.Usage{Calls: 3, Input: 3, Output: 6, Unpriced: 3}, report.Result.Usage); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
