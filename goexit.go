package fermata

import (
	"github.com/fermata-go/fermata/internal/fault"
	"github.com/fermata-go/fermata/internal/machine"
)

// ErrGoexit says that a node, or another function of the program's, ended its goroutine instead of returning: it called
// runtime.Goexit, as FailNow and Fatal of package testing do. It is a failure like any other (law N7).
var ErrGoexit = fault.Goexit

// left is a task whose function has ended the goroutine that worked on the drive. Another goroutine goes on.
type left struct {
	start machine.Start
	task  taskRef
	host  *host
}

// leaves notes that the caller's goroutine is ending in the middle of a start. The crew's lock is held.
func (c *crew) leaves(s machine.Start) {
	l := left{start: s, host: c.gone}
	if c.gone = nil; l.host == nil {
		l.host = &c.d.host
	}
	if s.Task != nil {
		l.task = c.d.refer(s.Task)
	}
	c.left = append(c.left, l)
}

// failLeft lets a task fail whose function has ended its goroutine (law N7).
func (d *drive) failLeft() error {
	l := d.crew.left[0]
	d.crew.left = d.crew.left[1:]
	if l.host == &d.host {
		l.host.end()
	}
	if Status(d.m.Status()).Ended() {
		return nil
	}
	if j := l.start.Join; j != nil {
		t := d.m.Expected(j)
		if t == nil {
			return d.lookAgain()
		}
		return d.failJoin(j, t, d.m.Flat(t), ErrGoexit)
	}
	t := l.task.in(d.m)
	if t == nil {
		return d.goneMeanwhile(l.host)
	}
	if l.start.Do != machine.Run {
		return d.fail(t, d.m.Flat(t), nil, ErrGoexit)
	}
	return d.conclude(l.host, t, d.m.Flat(t), nil, chosen{}, ErrGoexit)
}

// onItsOwn calls a function of the author's that may end its goroutine, on one of its own.
func onItsOwn(f func() error) error {
	err, done := ErrGoexit, make(chan struct{})
	go beside(f, &err, done)
	<-done
	return err
}

// beside is the goroutine of onItsOwn. Its name tells Close who calls it: see isInside.
func beside(f func() error, err *error, done chan<- struct{}) {
	defer close(done)
	*err = f()
}
