package fermata_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/memory"
	"github.com/fermata-go/fermata/node"
)

// paid is a message of these tests.
type paid struct {
	Amount int `json:"amount"`
}

// collects is a graph whose node takes n messages "payments" and logs their amounts.
func collects(n int, opts ...node.AskOption) *graph.Graph[state] {
	return single(func(ctx node.Context, s state) (state, error) {
		for range n {
			p, err := node.Receive[paid](ctx, "payments", opts...)
			if err != nil {
				return s, err
			}
			s.Log = append(s.Log, fmt.Sprint(p.Amount))
		}
		return s, nil
	})
}

func send(t *testing.T, rt *fermata.Runtime, run, name string, value any, opts ...fermata.SendOption) {
	t.Helper()
	if err := rt.Send(timeLimit(t), run, name, value, opts...); err != nil {
		t.Fatalf("send: %v", err)
	}
}

// pauses waits until a run waits for a message.
func pauses(t *testing.T, rt *fermata.Runtime, run string) {
	t.Helper()
	for e, err := range rt.Events(timeLimit(t), run, 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Entry.Kind == journal.RunPaused {
			return
		}
	}
	t.Fatal("the run has not paused")
}

// TestM1_MessagesAreTakenInTheirOrder checks that messages are taken once each and in the order in which they were sent, before
// the run waits for them and while it does, whatever it costs the process.
func TestM1_MessagesAreTakenInTheirOrder(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		const n = 20
		rt, g := runtimeOn(t, s), collects(n)
		run := start(t, rt, g, state{}, fermata.WithMessage("payments", paid{0}))
		var want []string
		for i := range n {
			if want = append(want, fmt.Sprint(i)); i > 0 {
				send(t, rt, run.ID(), "payments", paid{i})
			}
			if i%7 == 3 { // another process goes on
				if err := rt.Close(); err != nil {
					t.Fatal(err)
				}
				rt = runtimeOn(t, s)
				run = resume(t, rt, g, run.ID())
			}
		}
		if diff := cmp.Diff(want, ends(t, run, fermata.Completed).State.Log); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestM1_TheLongestWaitingCallIsFirst checks that of several calls the one that has waited longest takes the next message, and that
// names keep messages apart.
func TestM1_TheLongestWaitingCallIsFirst(t *testing.T) {
	rt, store := inMemory(t)
	takes := func(name string) graph.Func[state] {
		return func(ctx node.Context, s state) (state, error) {
			p, err := node.Receive[paid](ctx, name)
			if err != nil {
				return s, err
			}
			s.Tags = map[string]int{ctx.Info().Node: p.Amount}
			return s, nil
		}
	}
	g := graph.New[state]("three").
		Node("fork", logged).Node("first", takes("payments")).Node("second", takes("payments")).Node("other", takes("refunds")).
		Node("join", logged, graph.All()).
		Edge(graph.Start, "fork").Edge("fork", "first").Edge("fork", "second").Edge("fork", "other").
		Edge("first", "join").Edge("second", "join").Edge("other", "join").Edge("join", graph.End).
		Merge(func(base state, branches []state) (state, error) {
			base.Tags = make(map[string]int)
			for _, b := range branches {
				maps.Copy(base.Tags, b.Tags)
			}
			return base, nil
		}).
		MustCompile()
	run := start(t, rt, g, state{})
	pauses(t, rt, run.ID())
	send(t, rt, run.ID(), "payments", paid{1})
	send(t, rt, run.ID(), "refunds", paid{3})
	send(t, rt, run.ID(), "payments", paid{2})
	res, want := ends(t, run, fermata.Completed), map[string]int{"other": 3}
	for _, e := range entries(t, store, run.ID()) {
		if e.Kind == journal.MessageAwaited && e.Node != "other" { // which of the branches came first
			want[e.Node] = len(want)
		}
	}
	if diff := cmp.Diff(want, res.State.Tags); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, strings.Join(lines(t, store, run.ID()), "\n"))
	}
}

// TestM1_AWaitEnds checks that a call gives up when its time is over, once, and that a message which comes later waits for the
// next call.
func TestM1_AWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, store := inMemory(t)
		run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
			_, err := node.Receive[paid](ctx, "payments", node.Within(time.Hour))
			if !errors.Is(err, node.ErrNoMessage) {
				return s, err
			}
			p, err := node.Receive[paid](ctx, "payments", node.Within(24*time.Hour))
			if err != nil {
				return s, err
			}
			s.N = p.Amount
			_, err = node.Interrupt[string](ctx, nil, node.Prompt("All right?"))
			return s, err
		}), state{})
		time.Sleep(2 * time.Hour)
		send(t, rt, run.ID(), "payments", paid{7})
		q := question(t, run)
		noTimers(t, store)
		answer(t, rt, q.ID, "yes")
		if res := ends(t, run, fermata.Completed); res.State.N != 7 {
			t.Errorf("it took %d, expected 7", res.State.N)
		}
	})
}

// TestM1_ARunThatEndedTakesNoMessage checks what a sender is told of a run that has ended, and of one that is not there.
func TestM1_ARunThatEndedTakesNoMessage(t *testing.T) {
	rt, store := inMemory(t)
	run := start(t, rt, single(logged), state{})
	ends(t, run, fermata.Completed)
	before := len(entries(t, store, run.ID()))
	for id, want := range map[string]fermata.Code{run.ID(): fermata.CodeConflict, "nobody": fermata.CodeNotFound} {
		err := rt.Send(t.Context(), id, "payments", paid{1})
		if e, ok := errors.AsType[*fermata.Error](err); !ok || e.Code != want {
			t.Errorf("run %s: expected %s, found %v", id, want, err)
		}
	}
	if after := len(entries(t, store, run.ID())); after != before {
		t.Errorf("the journal grew from %d to %d entries", before, after)
	}
}

// TestM2_ASecondMessageOfAnIDHasNoEffect checks that a sender may send again what may have arrived, from any process, before and
// after the first one was taken.
func TestM2_ASecondMessageOfAnIDHasNoEffect(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		doors, g := []*fermata.Runtime{runtimeOn(t, s), runtimeOn(t, s)}, collects(3)
		run := start(t, doors[0], g, state{}, fermata.WithMessage("payments", paid{1}, fermata.MessageID("evt_1")))
		for _, err := range atOnce(20, func(n int) error {
			return doors[n%2].Send(t.Context(), run.ID(), "payments", paid{1}, fermata.MessageID("evt_1"))
		}) {
			if err != nil {
				t.Error(err)
			}
		}
		for range 2 {
			send(t, doors[1], run.ID(), "payments", paid{2}, fermata.MessageID("evt_2"))
			send(t, doors[0], run.ID(), "payments", paid{1}, fermata.MessageID("evt_1"))
		}
		send(t, doors[0], run.ID(), "payments", paid{3})
		if diff := cmp.Diff([]string{"1", "2", "3"}, ends(t, run, fermata.Completed).State.Log); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestM3_WhatDoesNotFitNeverReachesTheNode checks that messages which the type cannot hold are refused on record, that the next one
// is taken, and that members which the type does not have are ignored.
func TestM3_WhatDoesNotFitNeverReachesTheNode(t *testing.T) {
	rt, store := inMemory(t)
	run := start(t, rt, collects(2), state{}, fermata.WithMessage("payments", "ten"))
	send(t, rt, run.ID(), "payments", map[string]any{"amount": "ten"})
	send(t, rt, run.ID(), "payments", map[string]any{})
	send(t, rt, run.ID(), "payments", map[string]any{"amount": 1, "currency": "EUR"})
	err := rt.Call(timeLimit(t), run.ID(), "payments", []int{1}, nil)
	if e, ok := errors.AsType[*fermata.Error](err); !ok || e.Code != fermata.CodeInvalid || !errors.Is(err, fermata.ErrRefused) {
		t.Errorf("a call that does not fit: %v", err)
	}
	send(t, rt, run.ID(), "payments", paid{2})
	if diff := cmp.Diff([]string{"1", "2"}, ends(t, run, fermata.Completed).State.Log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	refused := 0
	for _, e := range entries(t, store, run.ID()) {
		if e.Kind == journal.MessageReplied && strings.Contains(string(e.Body), `"refused":true`) {
			refused++
		}
	}
	if refused != 4 {
		t.Errorf("%d messages were refused on record, expected 4", refused)
	}
}

// answersCalls is a graph that answers calls "add" with the sum so far until one asks for zero.
func answersCalls() *graph.Graph[state] {
	return single(func(ctx node.Context, s state) (state, error) {
		for {
			m, err := node.ReceiveMessage[int](ctx, "add")
			if err != nil {
				return s, err
			}
			switch {
			case m.Value < 0:
				err = m.Refuse(fmt.Errorf("%d is below 0", m.Value))
			case m.Value == 0:
				return s, m.Reply(s.N)
			default:
				s.N += m.Value
				err = m.Reply(s.N)
			}
			if err != nil {
				return s, err
			}
		}
	})
}

// TestM3_CallsAreAnswered checks that a caller gets what the node answers, also a second time and in another process.
func TestM3_CallsAreAnswered(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		rt, g, sum := runtimeOn(t, s), answersCalls(), 0
		run := start(t, rt, g, state{})
		call := func(rt *fermata.Runtime, n int, opts ...fermata.SendOption) error {
			return rt.Call(timeLimit(t), run.ID(), "add", n, &sum, opts...)
		}
		for i := range 3 {
			if err := call(rt, 5, fermata.MessageID(fmt.Sprint(i))); err != nil || sum != 5*(i+1) {
				t.Fatalf("call %d: %d, %v", i, sum, err)
			}
		}
		if err := call(runtimeOn(t, s), 5, fermata.MessageID("1")); err != nil || sum != 10 {
			t.Errorf("the same call again, from another process: %d, %v; expected its first answer, 10", sum, err)
		}
		if err := call(rt, -1); !errors.Is(err, fermata.ErrRefused) || !strings.Contains(err.Error(), "-1 is below 0") {
			t.Errorf("a refused call: %v", err)
		}
		if err := call(rt, 0); err != nil || sum != 15 {
			t.Errorf("the last call: %d, %v", sum, err)
		}
		ends(t, run, fermata.Completed)
		if err := call(rt, 1); !errors.Is(err, fermata.ErrConflict) {
			t.Errorf("a call after the end: %v", err)
		}
		if res := ends(t, run, fermata.Completed); res.State.N != 15 {
			t.Errorf("the sum is %d", res.State.N)
		}
	})
}

// TestM3_ARunThatEndsLeavesNoCallerWaiting checks that callers hear of the end of a run that has not answered them.
func TestM3_ARunThatEndsLeavesNoCallerWaiting(t *testing.T) {
	rt, _ := inMemory(t)
	run := start(t, rt, collects(1), state{})
	if err := rt.Call(timeLimit(t), run.ID(), "payments", paid{1}, nil); !errors.Is(err, fermata.ErrConflict) {
		t.Errorf("expected a conflict, found %v", err)
	}
}

// TestM3_AGivenSchemaSaysWhatFits checks that ResponseSchema decides which messages a call takes, in place of its type.
func TestM3_AGivenSchemaSaysWhatFits(t *testing.T) {
	rt, _ := inMemory(t)
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		v, err := node.Receive[any](ctx, "add", node.ResponseSchema([]byte(`{"type": "integer", "minimum": 1}`)))
		s.Text = fmt.Sprint(v)
		return s, err
	}), state{})
	for _, wrong := range []any{"1", 0, nil} {
		if err := rt.Call(timeLimit(t), run.ID(), "add", wrong, nil); !errors.Is(err, fermata.ErrRefused) {
			t.Errorf("%v: expected a refusal, found %v", wrong, err)
		}
	}
	send(t, rt, run.ID(), "add", 7)
	if got := ends(t, run, fermata.Completed).State.Text; got != "7" {
		t.Errorf("the message was %s", got)
	}
	broken := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		_, err := node.Receive[any](ctx, "add", node.ResponseSchema([]byte(`{"type": 1}`)))
		return s, err
	}), state{})
	if res := ends(t, broken, fermata.Failed); !strings.Contains(res.Err.Error(), "the type of the message") {
		t.Errorf("a schema that is none: %v", res.Err)
	}
}

// TestM3_OnlyTheWaitForAReplyIsBounded checks that ReplyWithin leaves a slow store the time it needs to store the message: who
// waits in vain is told so, and the message is there.
func TestM3_OnlyTheWaitForAReplyIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &spy{Store: memory.New()}
		rt := newRuntime(t, fermata.Options{Store: store})
		run := start(t, rt, collects(1), state{})
		pauses(t, rt, run.ID())
		store.appending = func(journal.Batch) { time.Sleep(time.Second) }
		err := rt.Call(t.Context(), run.ID(), "other", 1, nil, fermata.ReplyWithin(time.Millisecond))
		known, ok := errors.AsType[*fermata.Error](err)
		if !ok || known.Code != fermata.CodeStopped || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("expected that the reply has not come in time, found %v", err)
		}
		if !slices.ContainsFunc(entries(t, store, run.ID()), func(e journal.Entry) bool { return e.Kind == journal.MessageSent }) {
			t.Error("the message is not stored")
		}
	})
}

// TestM1_StartOrSend checks that of many who start or send at once, one starts the run and no message is lost.
func TestM1_StartOrSend(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		const n = 20
		doors, g := []*fermata.Runtime{runtimeOn(t, s), runtimeOn(t, s)}, collects(n)
		failed := atOnce(n, func(i int) error {
			_, err := g.StartOrSend(t.Context(), doors[i%2], state{}, fermata.WithID("order-7"), fermata.WithMessage("payments", paid{i}))
			return err
		})
		for i, err := range failed {
			if err != nil {
				t.Errorf("sender %d: %v", i, err)
			}
		}
		run, err := doors[1].StartOrSend(t.Context(), g.Plan(), &state{}, fermata.WithID("order-7"))
		if run != nil || err == nil {
			t.Errorf("without a message: %v", err)
		}
		var got []string
		for _, door := range doors {
			run, err := g.Resume(timeLimit(t), door, "order-7")
			if errors.Is(err, fermata.ErrDriven) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			got = ends(t, run, fermata.Completed).State.Log
			break
		}
		var want []string
		for i := range n {
			want = append(want, fmt.Sprint(i))
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestM4_AForkKeepsItsMessages checks that a fork has the messages that were taken before its point, those that were queued there,
// and again those of calls that it makes again.
func TestM4_AForkKeepsItsMessages(t *testing.T) {
	rt, store := inMemory(t)
	g := graph.New[state]("two").
		Node("a", func(ctx node.Context, s state) (state, error) {
			p, err := node.Receive[paid](ctx, "payments")
			s.Log = append(s.Log, fmt.Sprint(p.Amount))
			return s, err
		}).
		Node("b", func(ctx node.Context, s state) (state, error) {
			p, err := node.Receive[paid](ctx, "payments")
			if err != nil {
				return s, err
			}
			more, err := node.Interrupt[string](ctx, nil, node.Prompt("More?"))
			s.Log = append(s.Log, fmt.Sprint(p.Amount), more)
			return s, err
		}).
		Edge(graph.Start, "a").Edge("a", "b").Edge("b", graph.End).MustCompile()
	run := start(t, rt, g, state{}, fermata.WithMessage("payments", paid{1}), fermata.WithMessage("payments", paid{2}))
	q := question(t, run)
	answer(t, rt, q.ID, "no")
	ends(t, run, fermata.Completed)
	for _, e := range entries(t, store, run.ID()) {
		if e.Kind != journal.NodeStarted && e.Kind != journal.InterruptOpened {
			continue
		}
		fork, err := g.Fork(timeLimit(t), rt, run.ID(), graph.ForkOptions[state]{At: e.Seq, Edit: func(s state) (state, error) { s.N = 9; return s, nil }})
		if err != nil {
			t.Fatalf("fork at %d: %v", e.Seq, err)
		}
		answer(t, rt, question(t, fork).ID, "yes")
		res := ends(t, fork, fermata.Completed)
		if diff := cmp.Diff(state{Log: []string{"1", "2", "yes"}, N: 9}, res.State); diff != "" {
			t.Errorf("fork at %d (-want +got):\n%s\n%s", e.Seq, diff, strings.Join(lines(t, store, fork.ID()), "\n"))
		}
	}
}

// TestM1_AMessageIsKeptThroughRetries checks that an attempt which fails after it has taken a message does not lose it.
func TestM1_AMessageIsKeptThroughRetries(t *testing.T) {
	rt, _ := inMemory(t)
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		p, err := node.Receive[paid](ctx, "payments")
		if err != nil {
			return s, err
		}
		if s.N = p.Amount; ctx.Info().Attempt < 3 {
			return s, errors.New("not yet")
		}
		return s, nil
	}, graph.Retry(3, time.Millisecond)), state{})
	send(t, rt, run.ID(), "payments", paid{4})
	send(t, rt, run.ID(), "payments", paid{5})
	if res := ends(t, run, fermata.Completed); res.State.N != 4 {
		t.Errorf("it took %d, expected 4", res.State.N)
	}
}

// TestM3_ChangedCodeRefusesNothingThatWasTaken checks that a message which a node has gone on with blocks the run where the type
// has changed so that it does not hold the message any more (law J8); it is not refused then.
func TestM3_ChangedCodeRefusesNothingThatWasTaken(t *testing.T) {
	rt, store := inMemory(t)
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		if _, err := node.Receive[paid](ctx, "payments"); err != nil {
			return s, err
		}
		_, err := node.Interrupt[string](ctx, nil, node.Prompt("All right?"))
		return s, err
	}), state{}, fermata.WithMessage("payments", paid{4}))
	q := question(t, run)
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	rt = newRuntime(t, fermata.Options{Store: store})
	answer(t, rt, q.ID, "yes", fermata.Hold())
	run = resume(t, rt, single(func(ctx node.Context, s state) (state, error) {
		if _, err := node.Receive[[]string](ctx, "payments"); err != nil {
			return s, err
		}
		_, err := node.Interrupt[string](ctx, nil, node.Prompt("All right?"))
		return s, err
	}), run.ID())
	if res := ends(t, run, fermata.Blocked); !errors.Is(res.Err, fermata.ErrPlanChanged) {
		t.Errorf("the run is blocked by %v", res.Err)
	}
}

// TestN3_ACallTakesOnlyMessagesOfItsName checks that a recorded call whose code asks for another name now blocks the run: it is not
// handed the message of the first name, and does not wait for that any more.
func TestN3_ACallTakesOnlyMessagesOfItsName(t *testing.T) {
	takes := func(name string) *graph.Graph[state] {
		return single(func(ctx node.Context, s state) (state, error) {
			if _, err := node.Receive[paid](ctx, name, node.ID("it")); err != nil {
				return s, err
			}
			_, err := node.Interrupt[string](ctx, nil, node.Prompt("All right?"))
			return s, err
		})
	}
	rt, store := inMemory(t)
	run := start(t, rt, takes("payments"), state{}, fermata.WithMessage("payments", paid{4}))
	q := question(t, run)
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	rt = newRuntime(t, fermata.Options{Store: store})
	answer(t, rt, q.ID, "yes", fermata.Hold())
	res := ends(t, resume(t, rt, takes("refunds"), run.ID()), fermata.Blocked)
	if !errors.Is(res.Err, fermata.ErrDiverged) || !strings.Contains(res.Err.Error(), `receive:it#1 for messages "payments"`) {
		t.Errorf("the run is blocked by %v", res.Err)
	}
}

// TestE1_EventsOfMessagesHoldTheirValues checks what readers of events see of a message and its reply.
func TestE1_EventsOfMessagesHoldTheirValues(t *testing.T) {
	rt, _ := inMemory(t)
	run := start(t, rt, answersCalls(), state{}, fermata.WithMessage("add", 0, fermata.MessageID("a"), fermata.SentBy("Bo")))
	ends(t, run, fermata.Completed)
	got := make(map[string]string)
	for e, err := range rt.Events(t.Context(), run.ID(), 0, false) {
		if err != nil {
			t.Fatal(err)
		}
		if data, err := e.Data(); err != nil {
			t.Fatal(err)
		} else if strings.HasPrefix(e.Type(), "message.") {
			got[e.Type()] = string(data)
		}
	}
	want := map[string]string{
		"message.sent": `{"by":"Bo","id":"a","name":"add","value":0}`, "message.awaited": `{"name":"add"}`,
		"message.replied": `{"id":"a","message":2,"value":0}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestM1_ARefusedMessageDoesNotEndTheWait checks that a call whose message was refused still gives up when its time is over, and that a
// message which was sent after that is for the next call.
func TestM1_ARefusedMessageDoesNotEndTheWait(t *testing.T) {
	for _, before := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			rt, store := inMemory(t)
			var opts []fermata.StartOption
			if before {
				opts = append(opts, fermata.WithMessage("payments", "one"))
			}
			run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
				if _, err := node.Receive[paid](ctx, "payments", node.Within(time.Hour)); !errors.Is(err, node.ErrNoMessage) {
					return s, fmt.Errorf("the first call: %w", err)
				}
				p, err := node.Receive[paid](ctx, "payments")
				s.N = p.Amount
				return s, err
			}), state{}, opts...)
			if synctest.Wait(); !before {
				send(t, rt, run.ID(), "payments", "one")
			}
			time.Sleep(2 * time.Hour)
			if all := strings.Join(lines(t, store, run.ID()), "\n"); !strings.Contains(all, "timer.fired") {
				t.Errorf("the time is over, and nothing has happened:\n%s", all)
			}
			send(t, rt, run.ID(), "payments", paid{7})
			if res := ends(t, run, fermata.Completed); res.State.N != 7 {
				t.Errorf("it took %d, expected 7", res.State.N)
			}
			noTimers(t, store)
		})
	}
}

// TestM1_AMessageThatIsLateIsForOthers checks that a call gets no message that was sent after its time, where no process was up to
// notice that the time was over.
func TestM1_AMessageThatIsLateIsForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, store := inMemory(t)
		g := single(func(ctx node.Context, s state) (state, error) {
			_, err := node.Receive[paid](ctx, "payments", node.Within(time.Hour))
			if !errors.Is(err, node.ErrNoMessage) {
				return s, err
			}
			p, err := node.Receive[paid](ctx, "payments")
			s.N = p.Amount
			return s, err
		})
		run := start(t, rt, g, state{})
		synctest.Wait()
		if err := rt.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		other := newRuntime(t, fermata.Options{Store: store})
		send(t, other, run.ID(), "payments", paid{7}) // it does not know the plan
		if res := ends(t, resume(t, other, g, run.ID()), fermata.Completed); res.State.N != 7 {
			t.Errorf("it took %d, expected 7: the first call was late", res.State.N)
		}
	})
}

// TestM1_ACallTakesWhatIsThere checks that a call which may not wait takes a message that is queued, and otherwise none.
func TestM1_ACallTakesWhatIsThere(t *testing.T) {
	for _, within := range []time.Duration{0, -time.Second} {
		rt, _ := inMemory(t)
		run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
			for {
				p, err := node.Receive[paid](ctx, "payments", node.Within(within))
				if errors.Is(err, node.ErrNoMessage) {
					return s, nil
				}
				if err != nil {
					return s, err
				}
				s.N += p.Amount
			}
		}), state{}, fermata.WithMessage("payments", paid{1}), fermata.WithMessage("payments", paid{2}))
		if res := ends(t, run, fermata.Completed); res.State.N != 3 {
			t.Errorf("within %v: it took %d, expected 3", within, res.State.N)
		}
	}
}

// TestM2_AnIDCountsAfterTheEnd checks what a sender is told who sends again after the run has ended: a message that the run has had
// is no error, and a call gets the reply that it had got.
func TestM2_AnIDCountsAfterTheEnd(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		rt := runtimeOn(t, s)
		run := start(t, rt, answersCalls(), state{})
		sum, again := -1, -1
		for _, n := range []int{5, 0} {
			if err := rt.Call(timeLimit(t), run.ID(), "add", n, &sum, fermata.MessageID(fmt.Sprint(n))); err != nil {
				t.Fatal(err)
			}
		}
		ends(t, run, fermata.Completed)
		before := len(entries(t, s, run.ID()))
		other := runtimeOn(t, s)
		if err := other.Call(timeLimit(t), run.ID(), "add", 0, &again, fermata.MessageID("0")); err != nil || again != sum {
			t.Errorf("the last call again: %d, %v; expected its reply, %d", again, err, sum)
		}
		send(t, other, run.ID(), "add", 5, fermata.MessageID("5"))
		for _, opts := range [][]fermata.SendOption{nil, {fermata.MessageID("6")}} {
			if err := other.Send(t.Context(), run.ID(), "add", 6, opts...); !errors.Is(err, fermata.ErrConflict) {
				t.Errorf("a new message: expected a conflict, found %v", err)
			}
		}
		if after := len(entries(t, s, run.ID())); after != before {
			t.Errorf("the journal grew from %d to %d entries", before, after)
		}
	})
}

// TestM2_ARefusedMessageMayBeCorrected checks that the id of a message which was refused counts no more, and that who calls again
// with it gets the reply to the corrected one.
func TestM2_ARefusedMessageMayBeCorrected(t *testing.T) {
	rt, _ := inMemory(t)
	run := start(t, rt, answersCalls(), state{})
	sum, id := 0, fermata.MessageID("evt_1")
	for range 2 {
		if err := rt.Call(timeLimit(t), run.ID(), "add", "five", &sum, id); !errors.Is(err, fermata.ErrRefused) {
			t.Errorf("what does not fit: %v", err)
		}
	}
	for range 2 {
		if err := rt.Call(timeLimit(t), run.ID(), "add", 5, &sum, id); err != nil || sum != 5 {
			t.Errorf("the corrected call: %d, %v", sum, err)
		}
	}
	send(t, rt, run.ID(), "add", 0)
	ends(t, run, fermata.Completed)
}

// TestM3_ARefusalNeedsAReason checks that a node which refuses without a reason is told, and that the message can be answered still.
func TestM3_ARefusalNeedsAReason(t *testing.T) {
	rt, _ := inMemory(t)
	run := start(t, rt, single(func(ctx node.Context, s state) (state, error) {
		m, err := node.ReceiveMessage[paid](ctx, "payments")
		if err != nil {
			return s, err
		}
		if m.Refuse(nil) == nil {
			return s, errors.New("it was refused without a reason")
		}
		if err := m.Reply(1); err != nil {
			return s, err
		}
		if m.Reply(2) == nil {
			return s, errors.New("it was answered twice")
		}
		return s, nil
	}), state{})
	var reply int
	if err := rt.Call(timeLimit(t), run.ID(), "payments", paid{1}, &reply); err != nil || reply != 1 {
		t.Errorf("the reply is %d, %v", reply, err)
	}
	ends(t, run, fermata.Completed)
}

// TestM1_StartOrSendOfAnotherPlan checks that messages for one plan do not reach a run of another that has the id.
func TestM1_StartOrSendOfAnotherPlan(t *testing.T) {
	rt, store := inMemory(t)
	start(t, rt, collects(2), state{}, fermata.WithID("order-7"))
	other := graph.New[state]("other").Node("a", logged).Edge(graph.Start, "a").MustCompile()
	_, err := rt.StartOrSend(t.Context(), other.Plan(), &state{}, fermata.WithID("order-7"), fermata.WithMessage("payments", paid{1}))
	if !errors.Is(err, fermata.ErrConflict) || !strings.Contains(err.Error(), `"single"`) {
		t.Errorf("expected a conflict that names the plan, found %v", err)
	}
	for _, e := range entries(t, store, "order-7") {
		if e.Kind == journal.MessageSent {
			t.Error("the message was sent")
		}
	}
}

// TestF3_AClosedRuntimeSendsNothing checks that no message goes out by a runtime that was closed.
func TestF3_AClosedRuntimeSendsNothing(t *testing.T) {
	rt, _ := inMemory(t)
	run := start(t, rt, collects(1), state{})
	pauses(t, rt, run.ID())
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	if err := rt.Send(t.Context(), run.ID(), "payments", paid{1}); !errors.Is(err, fermata.ErrClosed) {
		t.Errorf("expected ErrClosed, found %v", err)
	}
}

// TestM1_ARunTellsWhatNobodyTook checks that Rest returns where a run waits for a message alone, also again after it was resumed, and
// that the messages which no call has taken are in each result: from a rest, from the store, and of a run that has ended.
func TestM1_ARunTellsWhatNobodyTook(t *testing.T) {
	onStores(t, func(t *testing.T, s journal.Store) {
		g := collects(1)
		names := func(res fermata.Result, err error) string {
			if err != nil {
				t.Fatal(err)
			}
			told := string(res.Status)
			for _, m := range res.Messages {
				told += fmt.Sprintf(" %s %s %s %d", m.Name, m.ID, m.By, m.Seq)
			}
			return told
		}
		rt := runtimeOn(t, s)
		run := start(t, rt, g, state{}, fermata.WithMessage("b", 1, fermata.MessageID("evt_1"), fermata.SentBy("Bo")), fermata.WithMessage("a", 1))
		var got []string
		for range 2 {
			same, err := rt.Resume(timeLimit(t), run.ID(), g.Plan())
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, names(same.Rest(timeLimit(t))), names(rt.Result(timeLimit(t), run.ID(), nil)))
			if err := rt.Close(); err != nil {
				t.Fatal(err)
			}
			rt = runtimeOn(t, s)
			got = append(got, names(rt.Result(timeLimit(t), run.ID(), nil)))
		}
		same, err := rt.Resume(timeLimit(t), run.ID(), g.Plan())
		if err != nil {
			t.Fatal(err)
		}
		send(t, rt, run.ID(), "payments", paid{5})
		got = append(got, names(same.Wait(timeLimit(t))), names(rt.Result(timeLimit(t), run.ID(), nil)))
		const open, ended = "paused b evt_1 Bo 2 a   3", "completed b evt_1 Bo 2 a   3"
		if diff := cmp.Diff([]string{open, open, open, open, open, open, ended, ended}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestM1_ARunThatSleepsBesideDoesNotRest checks that Rest waits for a time beside a call that waits for a message.
func TestM1_ARunThatSleepsBesideDoesNotRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := runtimeOn(t, memory.New())
		defer rt.Close()
		g := graph.New[state]("both").
			Node("split", func(_ node.Context, s state) (state, error) { return s, nil }).
			Node("sleep", func(ctx node.Context, s state) (state, error) { return s, node.Sleep(ctx, time.Hour) }).
			Node("receive", func(ctx node.Context, s state) (state, error) {
				_, err := node.Receive[paid](ctx, "payments")
				return s, err
			}).
			Edge(graph.Start, "split").Edge("split", "sleep").Edge("split", "receive").MustCompile()
		begun := time.Now()
		run, err := rt.Start(t.Context(), g.Plan(), &state{})
		if err != nil {
			t.Fatal(err)
		}
		if res, err := run.Rest(t.Context()); err != nil || res.Status != fermata.Paused || time.Since(begun) < time.Hour {
			t.Errorf("rested after %v: %v, %v; expected an hour", time.Since(begun), res.Status, err)
		}
	})
}
