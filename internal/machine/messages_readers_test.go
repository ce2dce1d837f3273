package machine

import (
	"fmt"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	reader "github.com/fermata-go/fermata/internal/mailbox"
	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
)

// TestM1_ReadersPairAsTheEngineDoes draws messages and calls that take them, time-outs, refusals and failed attempts. A reader of the
// journal (internal/mailbox) comes to the same pairs as the engine after each of them.
func TestM1_ReadersPairAsTheEngineDoes(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m, stored := sleeper(t)
		task, box, now := m.Tasks()[0], reader.Box{}, int64(1.5e6)
		do := func(err error) {
			if err != nil {
				r.Fatal(err)
			}
		}
		do(m.Fire(now))
		for i := range stored {
			box.Apply(&stored[i])
		}
		for step := range rapid.IntRange(1, 30).Draw(r, "steps") {
			now += 1e6
			name := rapid.SampledFrom([]string{"a", "b"}).Draw(r, "name")
			switch rapid.SampledFrom([]string{"send", "send", "await", "await", "refuse", "time", "retry"}).Draw(r, "what") {
			case "send":
				id := rapid.SampledFrom([]string{"", "x", fmt.Sprint(step)}).Draw(r, "id")
				do(m.Send(now, journal.SentBody{Name: name, ID: id}, []byte("1")))
			case "await":
				due := rapid.SampledFrom([]int64{0, now + 3e6}).Draw(r, "due")
				do(m.Await(now, task, fmt.Sprintf("receive:%s#%d", name, step), journal.AwaitedBody{Name: name, Due: due}, false))
			case "refuse":
				for i := range task.Ops {
					if op := task.Ops[i]; op.Message != 0 {
						do(m.Reply(now, task, op.ID, journal.RepliedBody{Message: op.Message, Refused: true, Error: "no"}, nil, false))
						break
					}
				}
			case "time":
				do(m.Fire(now))
			case "retry":
				do(m.Retry(now, task, journal.FailedBody{Error: "no"}))
			}
			work, err := m.Next(now)
			do(err)
			for i := range work.Append {
				box.Apply(&work.Append[i])
			}
			task = m.Tasks()[0]
			var want, got []string
			for i := range task.Ops {
				if op := &task.Ops[i]; op.Kind == nodehost.KindReceive && !op.Done {
					want = append(want, op.ID)
				}
			}
			for _, c := range box.Waits("a", 1) {
				got = append(got, c.Op)
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				r.Fatalf("calls that wait (-engine +reader):\n%s", diff)
			}
			var told []Queued
			for _, q := range box.Queued() {
				told = append(told, Queued{q.Seq, journal.SentBody{Name: q.Name, ID: q.ID, By: q.By}, q.At})
			}
			if diff := gocmp.Diff(m.Queued(), told); diff != "" {
				r.Fatalf("messages that no call has taken (-engine +reader):\n%s", diff)
			}
		}
	})
}
