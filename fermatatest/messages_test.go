package fermatatest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/node"
)

type part struct {
	Amount int `json:"amount"`
}

// adds takes payments until one is 0 or none comes for a day, answers the positive ones and refuses the others.
func adds(ctx node.Context, sum int) (int, error) {
	for {
		m, err := node.ReceiveMessage[part](ctx, "payments", node.Within(24*time.Hour))
		switch {
		case errors.Is(err, node.ErrNoMessage):
			return -sum, nil
		case err != nil:
			return sum, err
		case m.Value.Amount == 0:
			return sum, nil
		case m.Value.Amount < 0:
			err = m.Refuse(fmt.Errorf("%s sends %d", m.From, m.Value.Amount))
		default:
			sum += m.Value.Amount
			err = m.Reply(sum)
		}
		if err != nil {
			return sum, err
		}
	}
}

// TestM1_MessagesInATest checks that a node takes the messages of its test in their order, each id once (law M2), that those which
// do not fit are refused (law M3), and that a replay takes the same ones.
func TestM1_MessagesInATest(t *testing.T) {
	c := fermatatest.NewContext(t).
		Message("payments", part{5}, fermata.MessageID("a")).Message("payments", part{5}, fermata.MessageID("a")).
		Message("other", 1).Message("payments", "ten", fermata.MessageID("b")).
		Message("payments", part{-3}, fermata.SentBy("Bo")).Message("payments", part{2}).Message("payments", part{})
	sum, err := fermatatest.Run(c, adds, 0)
	if err != nil || sum != 7 {
		t.Fatalf("the sum is %d, %v; expected 7", sum, err)
	}
	c.Replay()
	got := c.Replies()
	if len(got) != 4 || !strings.HasPrefix(got[1].Error, `message "payments": `) {
		t.Fatalf("replies: %+v", got)
	}
	got[1].Error = "it does not fit"
	want := []fermatatest.Reply{
		{Message: "payments", ID: "a", Value: "5"},
		{Message: "payments", ID: "b", Error: "it does not fit"},
		{Message: "payments", Error: "Bo sends -3"},
		{Message: "payments", Value: "7"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestM1_AWaitEndsInATest checks that a wait ends when its test says so, at its time, and that a test is told which message is missing.
func TestM1_AWaitEndsInATest(t *testing.T) {
	c := fermatatest.NewContext(t).Message("payment", part{1})
	_, err := fermatatest.Run(c, adds, 0)
	const missing = `receive:payments#1: the task waits for a message; give one with Message("payments", …); ` +
		`there is one of the name "payment", which nobody has taken`
	if !errors.Is(err, node.ErrSuspended) || err.Error() != missing {
		t.Errorf("expected %q, found %v", missing, err)
	}
	sum, err := fermatatest.Run(c.Message("payments", part{4}).NoMessage("payments"), adds, 0)
	if err != nil || sum != -4 || !c.Clock().Now().Equal(fermatatest.Epoch.Add(24*time.Hour)) {
		t.Errorf("%d, %v, at %v", sum, err, c.Clock().Now())
	}
	c.Replay()
	forever := fermatatest.NewContext(t).NoMessage("payments")
	err = forever.Do(func(ctx node.Context) error { _, err := node.Receive[part](ctx, "payments"); return err })
	if want := `receive:payments#1 waits for ever; it needs node.Within for NoMessage("payments")`; err == nil || err.Error() != want {
		t.Errorf("expected %q, found %v", want, err)
	}
}

// TestM1_AnAttemptKeepsItsMessageInATest checks that the next attempt of a task has the messages of the one before.
func TestM1_AnAttemptKeepsItsMessageInATest(t *testing.T) {
	c := fermatatest.NewContext(t).Message("payments", part{4}).Message("payments", part{5})
	take := func(ctx node.Context, n int) (int, error) {
		p, err := node.Receive[part](ctx, "payments")
		if err == nil && ctx.Info().Attempt == 1 {
			err = errors.New("not yet")
		}
		return p.Amount, err
	}
	if _, err := fermatatest.Run(c, take, 0); err == nil {
		t.Fatal("the first attempt has not failed")
	}
	if n, err := fermatatest.Run(c.Retry(), take, 0); err != nil || n != 4 {
		t.Errorf("it took %d, %v; expected 4", n, err)
	}
}
