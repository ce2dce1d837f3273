package machine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/internal/nodehost"
	"github.com/fermata-go/fermata/journal"
)

// TestM1_AFailedAttemptWaitsNoMore checks that a call which still waits when its attempt fails takes no message, and has no timer.
// Tools that a model calls together can leave such a call behind.
func TestM1_AFailedAttemptWaitsNoMore(t *testing.T) {
	m, _ := sleeper(t)
	task := m.Tasks()[0]
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(m.Fire(1.5e6)) // the task goes on
	do(m.Await(2e6, task, "receive:payments#1", journal.AwaitedBody{Name: "payments", Due: 9e6}, false))
	do(m.Retry(2e6, task, journal.FailedBody{Error: "a tool failed"}))
	if diff := gocmp.Diff([]string{"a#1 receive:payments#1"}, m.Dropped()); diff != "" {
		t.Errorf("timers that are off (-want +got):\n%s", diff)
	}
	do(m.Send(3e6, journal.SentBody{Name: "payments"}, []byte("1")))
	if !m.HasMessage("payments") {
		t.Error("the message was taken by a call that nobody makes any more")
	}
}

// TestM1_MessagesFollowAModel sends messages and lets calls wait for them in random orders, and compares who has got what with queues
// by name. The machine is read again from its entries, and from a snapshot, and is the same (laws M1, M2 and J1).
func TestM1_MessagesFollowAModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m, stored := sleeper(t)
		task := m.Tasks()[0]
		do := func(err error) {
			r.Helper()
			if err != nil {
				r.Fatal(err)
			}
		}
		do(m.Fire(1.5e6)) // the task goes on
		type call struct{ id, name string }
		var waiting []call
		queued, got, ids := make(map[string][]string), make(map[string]string), make(map[string]bool)
		pair := func() {
			for i := 0; i < len(waiting); {
				c := waiting[i]
				if len(queued[c.name]) == 0 {
					i++
					continue
				}
				got[c.id], queued[c.name] = queued[c.name][0], queued[c.name][1:]
				waiting = append(waiting[:i:i], waiting[i+1:]...)
			}
		}
		names := rapid.SampledFrom([]string{"a", "b"})
		for n := range rapid.IntRange(1, 30).Draw(r, "steps") {
			name, at := names.Draw(r, "name"), int64(2e6+n)
			switch rapid.IntRange(0, 3).Draw(r, "what") {
			case 0, 1:
				id := rapid.SampledFrom([]string{"", "1", "2", "3"}).Draw(r, "id")
				do(m.Send(at, journal.SentBody{Name: name, ID: id}, []byte(strconv.Itoa(n))))
				if id == "" || !ids[id] {
					queued[name] = append(queued[name], strconv.Itoa(n))
				}
				ids[id] = true
			case 2:
				id := fmt.Sprintf("receive:%d#1", n)
				do(m.Await(at, task, id, journal.AwaitedBody{Name: name}, false))
				waiting = append(waiting, call{id, name})
			case 3:
				for _, id := range slices.Sorted(maps.Keys(got)) { // one is refused: its call waits again, in its old place
					op := task.Op(id)
					delete(ids, op.Letter) // its sender may correct it
					do(m.Reply(at, task, id, journal.RepliedBody{Message: op.Message, Refused: true}, nil, false))
					delete(got, id)
					waiting = append(waiting, call{id, op.Name})
					slices.SortFunc(waiting, func(a, b call) int { return cmp.Compare(task.Op(a.id).Place, task.Op(b.id).Place) })
					break
				}
			}
			pair()
		}
		has := make(map[string]string)
		for i := range task.Ops {
			if op := &task.Ops[i]; op.Kind == nodehost.KindReceive && op.Done {
				has[op.ID] = string(op.Value)
			}
		}
		if diff := gocmp.Diff(got, has); diff != "" {
			r.Fatalf("who has got what (-model +machine):\n%s", diff)
		}
		stored = append(stored, m.Flush()...)
		again := New(m.plan)
		for i := range stored {
			do(again.Apply(&stored[i]))
		}
		data, err := again.Snapshot()
		do(err)
		restored, err := Restore(m.plan, data)
		do(err)
		for _, other := range []*Machine{again, restored} {
			if diff := gocmp.Diff(m.dump(), other.dump()); diff != "" {
				r.Fatalf("read again (-was +is):\n%s", diff)
			}
		}
	})
}
