package fermatatest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/node"
)

// ticket is the state of the nodes that are tested here.
type ticket struct {
	Text string
	Tags []string
	Note string
	At   time.Time
}

// mailer is a service.
type mailer struct{ sent []string }

func (m *mailer) Send(text string) { m.sent = append(m.sent, text) }

// handle is a node that does a bit of everything.
func handle(ctx node.Context, t ticket) (ticket, error) {
	mail, err := node.Service[interface{ Send(text string) }](ctx)
	if err != nil {
		return t, err
	}
	ctx.Logger().Info("begins", "text", t.Text)
	draft, err := node.Step(ctx, "draft", func(node.Context) (string, error) { return strings.ToUpper(t.Text), nil })
	if err != nil {
		return t, err
	}
	if err := node.Emit(ctx, node.EventStatus, "drafted"); err != nil {
		return t, err
	}
	approved, err := node.Interrupt[bool](ctx, draft, node.ID("approve"), node.Prompt("Send it?"), node.Within(time.Hour))
	if err != nil {
		return t, err
	}
	if err := node.Sleep(ctx, 24*time.Hour); err != nil {
		return t, err
	}
	if t.At, err = node.Now(ctx); err != nil {
		return t, err
	}
	why, err := node.Interrupt[string](ctx, approved, node.Prompt("Why?"))
	if err != nil {
		return t, err
	}
	answer, err := node.Stream(ctx, "answer")
	if err != nil {
		return t, err
	}
	for _, chunk := range []string{"because ", why} {
		if err := answer.Write(chunk); err != nil {
			return t, err
		}
	}
	if err := answer.Close(); err != nil {
		return t, err
	}
	t.Tags[0] = "handled"
	t.Note, err = node.Step(ctx, "send", func(ctx node.Context) (string, error) {
		mail.Send(draft)
		return node.IdempotencyKey(ctx), nil
	})
	return t, err
}

func TestRun(t *testing.T) {
	mail := &mailer{}
	c := fermatatest.NewContext(t).WithService(mail).WithInfo(node.Info{Node: "mail/handle", Visit: 2}).
		Answer("approve", true).Answer("", "it is right")
	in := ticket{Text: "dear all", Tags: []string{"new"}}
	out, err := fermatatest.Run(c, handle, in)
	if err != nil {
		t.Fatal(err)
	}
	c.Replay()
	got := []any{out, in, mail.sent, c.Steps(), c.Emitted(), c.Text("answer"), c.Slept(), c.Clock().Now()}
	day := fermatatest.Epoch.Add(24 * time.Hour)
	want := []any{
		ticket{Text: "dear all", Tags: []string{"handled"}, Note: "run_test/mail/handle#2/step:send#1", At: day},
		ticket{Text: "dear all", Tags: []string{"new"}},
		[]string{"DEAR ALL"},
		[]fermatatest.Step{{Key: "draft", Value: `"DEAR ALL"`}, {Key: "send", Value: `"run_test/mail/handle#2/step:send#1"`}},
		[]fermatatest.Emitted{{Type: node.EventStatus, Data: `"drafted"`}},
		"because it is right", 24 * time.Hour, day,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	type question struct{ Key, Prompt, State, Request string }
	var asked []question
	for _, q := range c.Questions() {
		asked = append(asked, question{q.Key, q.Prompt, q.State, string(q.Request)})
	}
	if diff := cmp.Diff([]question{
		{"approve", "Send it?", "answered", `"DEAR ALL"`}, {"", "Why?", "answered", "true"},
	}, asked); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
}

func TestN1_RunGoesOnWhereItWaited(t *testing.T) {
	mail := &mailer{}
	c := fermatatest.NewContext(t).WithService(mail)
	in := ticket{Text: "x", Tags: []string{"new"}}
	_, first := fermatatest.Run(c, handle, in)
	_, second := fermatatest.Run(c.Answer("approve", true).Answer("wy", "typo"), handle, in)
	_, third := fermatatest.Run(c.Answer("", 12), handle, in)
	_, fourth := fermatatest.Run(c.Answer("", "right"), handle, in)
	for i, want := range []struct {
		err  error
		text string
	}{
		{first, `interrupt:approve#1 ("Send it?"): the task waits for an answer; give one with Answer("approve", …)`},
		{second, `interrupt:interrupt#1 ("Why?"): the task waits for an answer; give one with Answer("", …); ` +
			`there is one for "wy", which nobody has asked`},
		{third, "the answer to interrupt:interrupt#1 is refused"},
	} {
		if want.err == nil || !strings.HasPrefix(want.err.Error(), want.text) || errors.Is(want.err, node.ErrSuspended) != (i < 2) {
			t.Errorf("run %d: expected %q, found %v", i+1, want.text, want.err)
		}
	}
	if fourth != nil || len(mail.sent) != 1 || len(c.Emitted()) != 1 {
		t.Errorf("sent %q, emitted %v, %v", mail.sent, c.Emitted(), fourth)
	}
	c.Replay()
}

func TestH4_Expire(t *testing.T) {
	ask := func(opts ...node.AskOption) func(ctx node.Context, s string) (string, error) {
		return func(ctx node.Context, _ string) (string, error) {
			return node.Interrupt[string](ctx, nil, append(opts, node.ID("q"))...)
		}
	}
	hour := node.Within(time.Hour)
	for _, c := range []struct {
		name    string
		node    func(ctx node.Context, s string) (string, error)
		set     func(c *fermatatest.Context)
		want    string
		failure string
		role    string
	}{
		{"fail", ask(hour), func(c *fermatatest.Context) { c.Expire("q") }, "", "nobody answered before the deadline", ""},
		{"default", ask(hour, node.OrDefault("silence")), func(c *fermatatest.Context) { c.Expire("q") }, "silence", "", ""},
		{
			"route", ask(hour, node.OrRoute("close")), func(c *fermatatest.Context) { c.Expire("q") }, "",
			`nobody answered interrupt:q#1 before its deadline, and the task went over to "close"`, "",
		},
		{
			"escalate, then answered", ask(hour, node.Role("clerk"), node.OrEscalate("boss", time.Hour)),
			func(c *fermatatest.Context) { c.Expire("q").Answer("q", "yes") }, "yes", "", "boss",
		},
		{
			"escalate, then default", ask(hour, node.OrEscalate("boss", time.Hour), node.OrDefault("none")),
			func(c *fermatatest.Context) { c.Expire("q").Expire("q") }, "none", "", "boss",
		},
		{"no deadline", ask(), func(c *fermatatest.Context) { c.Expire("q") }, "", "interrupt:q#1 has no deadline that could expire", ""},
		{
			"an escalation without an end", ask(hour, node.OrEscalate("boss", 0)), func(c *fermatatest.Context) { c.Expire("q").Expire("q") }, "",
			"interrupt:q#1 has no deadline that could expire", "boss",
		},
		{"a default that does not fit", ask(hour, node.OrDefault(12)), func(*fermatatest.Context) {}, "", "task node#1, interrupt:q#1: default answer", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := fermatatest.NewContext(t)
			c.set(ctx)
			got, err := fermatatest.Run(ctx, c.node, "")
			switch {
			case c.failure == "" && err != nil:
				t.Fatal(err)
			case c.failure != "" && (err == nil || !strings.Contains(err.Error(), c.failure)):
				t.Fatalf("expected %q, found %v", c.failure, err)
			case c.failure == "":
				ctx.Replay()
			}
			role := ""
			if asked := ctx.Questions(); len(asked) > 0 && c.role != "" {
				role = asked[0].Role
			}
			if got != c.want || role != c.role {
				t.Errorf("expected %q of role %q, found %q of role %q", c.want, c.role, got, role)
			}
		})
	}
}

func TestF1_Retry(t *testing.T) {
	calls := 0
	pay := func(ctx node.Context, n int) (int, error) {
		if _, err := node.Step(ctx, "look up", func(node.Context) (int, error) { calls++; return calls, nil }); err != nil {
			return n, err
		}
		return node.Step(ctx, "charge", func(node.Context) (int, error) {
			if ctx.Info().Attempt == 1 {
				return 0, errors.New("closed")
			}
			return n + 1, nil
		})
	}
	c := fermatatest.NewContext(t).WithCause(node.Failure{Task: "before#1", Message: "why"})
	_, first := fermatatest.Run(c, pay, 1)
	c.Replay()
	out, second := fermatatest.Run(c.Retry(), pay, 1)
	c.Replay()
	var step *node.StepError
	got := []any{errors.As(first, &step), step, out, second, calls, c.Steps(), c.Begin().Cause(), c.Begin().Info().Attempt}
	want := []any{
		true, &node.StepError{Step: "step:charge#1", Message: "closed"}, 2, nil, 1,
		[]fermatatest.Step{{Key: "look up", Value: "1"}, {Key: "charge", Value: "2"}},
		&node.Failure{Task: "before#1", Message: "why"}, 2,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStepsInsideOfAStep(t *testing.T) {
	c := fermatatest.NewContext(t).Answer("", 3)
	err := c.Do(func(ctx node.Context) error {
		total, err := node.Step(ctx, "outer", func(ctx node.Context) (int, error) {
			inner, err := node.Step(ctx, "inner", func(node.Context) (int, error) { return 1, nil })
			if err != nil {
				return 0, err
			}
			said, err := node.Interrupt[int](ctx, nil)
			return inner + said, err
		})
		if err != nil {
			return err
		}
		return node.Emit(ctx, node.EventMessage, total)
	})
	if err != nil {
		t.Fatal(err)
	}
	c.Replay()
	if diff := cmp.Diff([]fermatatest.Step{{Key: "inner", Value: "1"}, {Key: "outer", Value: "4"}}, c.Steps()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A node that does something else when it is run again is found out.
func TestN3_ReplayFinds(t *testing.T) {
	step := func(ctx node.Context, key string) error {
		_, err := node.Step(ctx, key, func(node.Context) (int, error) { return 0, nil })
		return err
	}
	for _, c := range []struct {
		name string
		node func(pass int) graphFunc
		want string
	}{
		{"another end", func(pass int) graphFunc {
			return func(_ node.Context, _ int) (int, error) { return pass, nil }
		}, "law N1: replayed, the function ends otherwise"},
		{"a call more", func(pass int) graphFunc {
			return func(ctx node.Context, n int) (int, error) {
				if pass > 1 {
					return n, node.Emit(ctx, node.EventStatus, "again")
				}
				return n, nil
			}
		}, "law N3: replayed, the function makes a call that it did not make before: emit:status#1"},
		{"a call less", func(pass int) graphFunc {
			return func(ctx node.Context, n int) (int, error) {
				if pass > 1 {
					return n, nil
				}
				return n, step(ctx, "a")
			}
		}, "the journal holds step:a#1 here, the code asked for its end"},
		{"another call", func(pass int) graphFunc {
			return func(ctx node.Context, n int) (int, error) { return n, step(ctx, fmt.Sprint(pass)) }
		}, "the journal holds step:1#1 here, the code asked for step:2#1"},
		{"another order", func(pass int) graphFunc {
			return func(ctx node.Context, n int) (int, error) {
				keys := []string{"a", "b"}
				if pass > 1 {
					keys = []string{"b", "a"}
				}
				return n, errors.Join(step(ctx, keys[0]), step(ctx, keys[1]))
			}
		}, "the journal holds step:a#1 here, the code asked for step:b#1"},
		{"a key made of the time", func(int) graphFunc {
			return func(ctx node.Context, n int) (int, error) { return n, step(ctx, time.Now().Format(time.RFC3339Nano)) }
		}, "the code asked for step:"},
		{"chance in its result", func(int) graphFunc {
			return func(_ node.Context, _ int) (int, error) { return rand.Int(), nil }
		}, "law N1: replayed, the function ends otherwise"},
		{"the world in its error", func(pass int) graphFunc {
			return func(_ node.Context, n int) (int, error) {
				if pass > 1 {
					return n, errors.New("unreachable")
				}
				return n, nil
			}
		}, "law N1: replayed, the function ends otherwise"},
		{"a question more", func(pass int) graphFunc {
			return func(ctx node.Context, n int) (int, error) {
				if pass > 1 {
					return node.Interrupt[int](ctx, nil, node.ID("more"))
				}
				return n, nil
			}
		}, "law N3: replayed, the function makes a call that it did not make before: interrupt:more#1"},
		{"text that it did not show", func(pass int) graphFunc {
			return func(ctx node.Context, n int) (int, error) {
				if pass == 1 {
					return n, nil
				}
				s, err := node.Stream(ctx, "answer")
				return n, errors.Join(err, s.Write("more"), s.Close())
			}
		}, "law N3: replayed, the function makes a call that it did not make before: stream:answer#1"},
		{"another question", func(pass int) graphFunc {
			return func(ctx node.Context, n int) (int, error) { return node.Interrupt[int](ctx, pass) }
		}, "another question in its place"},
		{"another message", func(pass int) graphFunc {
			return func(ctx node.Context, _ int) (int, error) {
				return node.Receive[int](ctx, fmt.Sprint("m", pass), node.ID("it"))
			}
		}, `the journal holds receive:it#1 for messages "m1" here, the code asked for it for messages "m2"`},
		{"a reply less", func(pass int) graphFunc {
			return func(ctx node.Context, n int) (int, error) {
				m, err := node.ReceiveMessage[int](ctx, "m1")
				if err == nil && pass < 3 {
					err = m.Reply(1)
				}
				return n, err
			}
		}, "the journal holds reply:m1#1 here, the code asked for its end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, pass := &recorder{T: t}, 0
			ctx := fermatatest.NewContext(r).Answer("", 1).Message("m1", 1)
			_, err := fermatatest.Run(ctx, func(ctx node.Context, n int) (int, error) {
				pass++
				return c.node(pass)(ctx, n)
			}, 0)
			if err == nil {
				ctx.Replay()
				err = errors.New(strings.Join(r.wrong, "; "))
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("expected %q, found %v", c.want, err)
			}
		})
	}
}

// A replay makes no step again and shows nothing again; what a node does outside of its calls happens, as on each replay.
func TestN4_ReplayHasNoEffect(t *testing.T) {
	steps, outside := 0, 0
	c := fermatatest.NewContext(t).Answer("", true)
	err := c.Do(func(ctx node.Context) error {
		outside++
		if _, err := node.Step(ctx, "a", func(node.Context) (int, error) { steps++; return steps, nil }); err != nil {
			return err
		}
		text, err := node.Stream(ctx, "answer")
		if err != nil {
			return err
		}
		if err := errors.Join(text.Write("once"), text.Close(), node.Emit(ctx, node.EventMessage, "once")); err != nil {
			return err
		}
		if _, err := node.Interrupt[bool](ctx, nil); err != nil {
			return err
		}
		return node.Sleep(ctx, time.Hour)
	})
	if err != nil {
		t.Fatal(err)
	}
	before := outside
	c.Replay()
	got := []any{steps, outside - before, c.Text("answer"), len(c.Emitted()), len(c.Questions()), c.Slept()}
	if diff := cmp.Diff([]any{1, 1, "once", 1, 1, time.Hour}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

type graphFunc = func(ctx node.Context, n int) (int, error)

func TestCallsOfAPassThatIsOver(t *testing.T) {
	c := fermatatest.NewContext(t)
	old := c.Begin()
	_ = c.Begin()
	_, err := node.Step(old, "late", func(node.Context) (int, error) { return 1, nil })
	if !errors.Is(err, node.ErrTaskOver) || len(c.Steps()) != 0 {
		t.Errorf("%v, %v", err, c.Steps())
	}
}

func TestN6_SwallowedSuspension(t *testing.T) {
	c := fermatatest.NewContext(t).Answer("", "yes")
	out, err := fermatatest.Run(c, func(ctx node.Context, s string) (string, error) {
		said, err := node.Interrupt[string](ctx, nil)
		if err != nil {
			return "went on", nil //nolint:nilerr // this is what is tried
		}
		return said, nil
	}, "")
	if out != "yes" || err != nil || len(c.Emitted()) != 1 || !strings.Contains(c.Emitted()[0].Data, "swallowed_suspension") {
		t.Errorf("%q, %v, %v", out, err, c.Emitted())
	}
}

func TestN7_Panic(t *testing.T) {
	err := fermatatest.NewContext(t).Do(func(node.Context) error { panic(context.Canceled) })
	var p *node.PanicError
	if !errors.As(err, &p) || !errors.Is(err, context.Canceled) || !strings.Contains(string(p.Stack), "context_test.go") {
		t.Errorf("%v", err)
	}
}
