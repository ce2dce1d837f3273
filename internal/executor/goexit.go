package executor

import (
	"github.com/fermata-go/fermata/internal/machine"
	"github.com/fermata-go/fermata/internal/runtype"
)

// left is a task whose function ended its goroutine. Another goroutine goes on.
type left struct {
	start machine.Start // how the task was started
	task  taskRef       // the task
	host  *host         // its host; nil for the shared one
}

// leaves records that the caller's goroutine is ending inside a start. The workers' lock is held.
func (c *workers) leaves(s machine.Start) {
	l := left{start: s, host: c.gone}
	if c.gone = nil; l.host == nil {
		l.host = &c.run.host
	}
	if s.Task != nil {
		l.task = c.run.refer(s.Task)
	}
	c.left = append(c.left, l)
}

// failLeft fails a task whose function ended its goroutine (law N7).
func (x *Execution) failLeft() error {
	l := x.workers.left[0]
	x.workers.left = x.workers.left[1:]
	if l.host == &x.host {
		l.host.end()
	}
	if runtype.Status(x.Machine.Status()).Ended() {
		return nil
	}
	if j := l.start.Join; j != nil {
		t := x.Machine.Expected(j)
		if t == nil {
			return x.lookAgain()
		}
		return x.failJoin(j, t, x.Machine.Flat(t), runtype.ErrGoexit)
	}
	t := l.task.in(x.Machine)
	if t == nil {
		return x.goneMeanwhile(l.host)
	}
	if l.start.Do != machine.Run {
		return x.fail(t, x.Machine.Flat(t), nil, runtype.ErrGoexit)
	}
	return x.conclude(l.host, t, x.Machine.Flat(t), nil, chosen{}, runtype.ErrGoexit)
}
