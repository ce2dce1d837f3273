package main

import (
	"context"
	"errors"
	"slices"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/cmd/fermata/internal/progress"
	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/storekind"
)

// execution executes one run and shows it: it hands events to the view and to those who read JSON, and questions to the
// gate. What it holds is used by its own goroutine only.
type execution struct {
	m     *Main
	house *house
	job   *job
	tree  *progress.Tree
	view  progress.View
	gate  *gate
	run   *fermata.Run
	logs  *logLines

	seen    uint64 // the last durable event that was shown
	restore func() // gives the terminal back as it was
}

// execute does a job to the run's next rest: it ended, waits for people who are not here, or was stopped. It reports
// the result itself and returns an *exit where there is one.
func (m *Main) execute(ctx context.Context, j job) error {
	logs := &logLines{show: m.err.Println}
	at := j.store
	if at == nil {
		d, err := m.storeDSN()
		if err != nil {
			return err
		}
		at = &d
	}
	o := fermata.Options{Name: j.flags.as, Logger: logs.logger(m.global.verbose)}
	h, err := m.openAt(ctx, *at, j.begins, o)
	if err != nil {
		return err
	}
	if store, ok := journal.As[storekind.Promiser](h.store); ok && j.begins && !m.global.quiet {
		m.sayPromises(at.String() + ": " + store.Promise())
	}
	d := &execution{m: m, house: h, job: &j, logs: logs}
	err = d.prepareAndRun(ctx)
	if closing := h.Close(); closing != nil && (err == nil || exitOf(err) == exitCompleted) {
		err = closing
	}
	return err
}

// sayPromises says what a server does with what it is given, before anything depends on it.
func (m *Main) sayPromises(text string) {
	width := 1 << 16
	if m.err.TTY {
		width = m.err.Width()
	}
	m.err.Println(term.Wrap(text, width)...)
}

func (d *execution) prepareAndRun(ctx context.Context) error {
	if d.job.find != nil {
		if err := d.job.find(ctx, d.house, d.job); err != nil {
			return err
		}
	}
	d.restore = d.m.mute()
	defer d.restore()
	ctx, stop := d.m.untilTold(ctx, func() {}, d.giveBack)
	defer stop()
	d.tree = progress.NewTree(d.job.plan)
	d.gate = newGate(d)
	run, err := d.job.start(ctx, d.house)
	if err != nil {
		return d.explain(err)
	}
	d.run = run
	d.view = progress.New(d.m.err, d.tree, d.m.global.quiet || d.job.flags.json && d.m.out.TTY)
	d.logs.to(d.view.Print)
	for i := range d.job.before {
		ev := &d.job.before[i]
		d.seen = ev.Seq()
		d.view.Load(ev)
	}
	result, err := d.loop(ctx)
	d.logs.to(d.m.err.Println)
	d.view.Close()
	switch {
	case errors.Is(err, errInterrupted), errors.Is(err, fermata.ErrStopped):
		return d.finish(d.asItStands(context.WithoutCancel(ctx)), err)
	case err != nil:
		return d.explain(err)
	}
	err = d.finish(result, nil)
	if unused := d.unused(ctx, &result); unused != nil {
		d.m.complain(unused)
		return &exit{code: exitOf(unused)}
	}
	return err
}

// asItStands is a run that is not executed any more: paused, or on its way.
func (d *execution) asItStands(ctx context.Context) fermata.Result {
	result, err := d.house.Result(ctx, d.run.ID(), nil)
	if err != nil {
		return fermata.Result{Run: d.run.ID(), Status: fermata.Running}
	}
	return result
}

// explain says what to do about an error of starting or executing.
func (d *execution) explain(err error) error {
	door, ok := errors.AsType[*fermata.Error](err)
	if !ok || door.Run == "" {
		return err
	}
	switch door.Code {
	case fermata.CodeConflict:
		return &withAdvice{err, "to see its state: " + d.m.command("runs", "show", door.Run)}
	case fermata.CodePlanChanged:
		verb := []string{"resume"}
		if d.job.retries {
			verb = []string{"runs", "retry"}
		}
		changed, ok := errors.AsType[*fermata.PlanChangedError](err)
		switch {
		case ok && changed.Value != "":
			err = &withAdvice{err, "where a value has another name now, the recipe says so: renamed: {values: {old: new}}"}
		case ok && changed.Hint != "":
			err = &withAdvice{err, "with the names that nodes have now: " + d.m.command(append(slices.Clone(verb), door.Run, "--file", "FILE", "--map", "old=new")...)}
		}
		return &withAdvice{err, "the recipe that it was started with is kept with it: " + d.m.command(append(slices.Clone(verb), door.Run)...)}
	default:
		return err
	}
}

// loop shows what happens and answers what it can, until the run rests and nobody here is going to move it.
func (d *execution) loop(ctx context.Context) (fermata.Result, error) {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	events, rests := d.house.follow(watching, d.run.ID(), d.seen), make(chan rest, 1)
	d.await(ctx, rests)
	var resting *rest
	waiting, stale := true, false // Wait has been called; what it returns is older than an answer
	for {
		var moved move
		var err error
		select {
		case <-ctx.Done():
			d.gate.close(context.Cause(ctx))
			_ = d.run.Stop(0)
			return fermata.Result{}, context.Cause(ctx)
		case got, open := <-events:
			if !open {
				events = nil
				break
			}
			if got.err != nil {
				return fermata.Result{}, got.err
			}
			d.show(&got.event)
			moved = d.gate.observe(&got.event)
		case r := <-rests:
			waiting = false
			switch {
			case errors.Is(r.err, fermata.ErrStopped) && ctx.Err() == nil:
				moved = movedElsewhere // somebody answered before us, and nobody here executes it
			case r.err != nil:
				return r.result, r.err
			case stale:
				moved = movedHere
			default:
				resting = &r
			}
		case reply := <-d.gate.replies:
			moved, err = d.gate.take(ctx, reply)
		}
		shown := resting != nil && (d.seen >= resting.head || events == nil)
		if shown { // not before: what leads to a question is seen before it
			d.gate.rest(resting.result.Interrupts)
		}
		if err == nil {
			moved, err = d.gate.next(ctx, moved)
		}
		if err == nil && moved != movedNot {
			if resting, stale = nil, waiting; !waiting {
				waiting, err = true, d.goOn(ctx, moved)
				d.await(ctx, rests)
			}
		}
		if err != nil {
			return fermata.Result{}, err
		}
		if shown && resting != nil && !d.gate.busy() {
			return resting.result, nil
		}
	}
}

// goOn continues a resting run after another person has moved it; after an answer from here it goes on by itself.
func (d *execution) goOn(ctx context.Context, moved move) error {
	if moved != movedElsewhere {
		return nil
	}
	run, err := d.house.Resume(ctx, d.run.ID(), d.job.plan)
	if err == nil {
		d.run = run
	}
	return err
}

// rest is how the run stands, and the seq at which it did.
type rest struct {
	result fermata.Result
	head   uint64
	err    error
}

// await waits for the run's next rest, aside.
func (d *execution) await(ctx context.Context, rests chan<- rest) {
	go func() {
		var r rest
		if d.gate.asker == nil { // nobody is here for whom it would wait
			r.result, r.err = d.run.Rest(ctx)
		} else {
			r.result, r.err = d.run.Wait(ctx)
		}
		if r.err == nil {
			var info fermata.RunInfo
			info, r.err = d.house.Info(ctx, d.run.ID())
			r.head = info.Head
		}
		if ctx.Err() == nil {
			rests <- r
		}
	}()
}

type eventOrError struct {
	event fermata.Event
	err   error
}

// follow reads the events of a run after a seq, aside.
func (h *house) follow(ctx context.Context, run string, after uint64) <-chan eventOrError {
	events := make(chan eventOrError, 64)
	go func() {
		defer close(events)
		for ev, err := range h.Events(ctx, run, after, true) {
			select {
			case events <- eventOrError{ev, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return events
}

// show shows one event.
func (d *execution) show(ev *fermata.Event) {
	if ev.Sub == 0 {
		d.seen = ev.Seq()
	}
	if d.job.flags.json {
		d.m.writeLine(ev)
	}
	d.view.Show(ev)
}

// giveBack leaves the terminal as it was found, for an end in the middle of things.
func (d *execution) giveBack() {
	d.m.err.Restore()
	d.restore()
}

// mute keeps what is typed out of what is drawn, until the returned function is called.
func (m *Main) mute() (restore func()) {
	if in := m.terminal(); in != nil && m.err.Live {
		return term.Mute(in)
	}
	return func() {}
}
