package machine

import (
	"testing"

	"github.com/fermata-go/fermata/plan"
)

// The default limit of tasks counts anew when the run has waited, and when it is retried; a limit of the plan's does not.
func TestF4_TheDefaultLimitCountsTasksBetweenWaits(t *testing.T) {
	s := &session{t: t, plans: make(map[string]*plan.Plan)}
	p := s.parsePlan("a -> b\nb ? a, END", "")
	if got := p.LoopLimit(); got != plan.DefaultTasks {
		t.Fatalf("the plan's limit is %d", got)
	}
	s.m = New(p)
	s.m.mostInARow = 3
	left := func(want int) {
		t.Helper()
		open := s.m.Tasks()
		if got := s.m.TasksLeft(open[len(open)-1]); got != want {
			t.Errorf("%d tasks left, want %d", got, want)
		}
	}
	play := func(commands ...string) {
		t.Helper()
		for _, c := range commands {
			s.command(c)
		}
		if _, diff := copied(s.m); diff != "" {
			t.Errorf("after %q (-machine +restored): %s", commands, diff)
		}
	}
	play("begin", "finish a#1", "finish b#1 -> a")
	left(1) // a#2 is the third
	play("ask a#2 interrupt:ok#1 by int_1 digest d1", "suspend a#2 interrupt:ok#1", "answer int_1 = true")
	left(1) // as before: its function runs again
	play("finish a#2")
	left(3) // b#2 is the first after the wait
	play("finish b#2 -> a", "finish a#3")
	left(1)
	play("finish b#3 -> a")
	if f := s.m.Finished(); f.Limit != "tasks" || f.Max != "3" || f.Task != "a#4" {
		t.Errorf("the run is %s: %+v", s.m.Status(), f)
	}
	play("resume retry")
	left(3)
}
