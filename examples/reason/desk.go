package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net"
	"net/http"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/server"
)

// desk is one sitting at the terminal.
type desk struct {
	settings
	part     *part
	rt       *fermata.Runtime
	screen   *screen
	keyboard keyboard
	watched  chan struct{} // closed once the first event is here
}

// follow yields the run's events, from the first one on.
func (d *desk) follow(ctx context.Context, run *fermata.Run) iter.Seq2[fermata.Event, error] {
	return func(yield func(fermata.Event, error) bool) {
		began := false
		for ev, err := range run.Events(ctx, 0) {
			if !began {
				began = true
				close(d.watched)
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

// open begins a run, or goes on with the one of the given id.
func (d *desk) open(ctx context.Context, id string) (*fermata.Run, error) {
	if id != "" {
		return d.rt.Resume(ctx, id, d.part.plan)
	}
	var opts []fermata.StartOption
	if d.id != "" {
		opts = append(opts, fermata.WithID(d.id))
	}
	return d.rt.Start(ctx, d.part.plan, d.part.begin(d.text), opts...)
}

// work shows what happens, and asks whoever sits here whenever the run waits for somebody.
func (d *desk) work(ctx context.Context, run *fermata.Run) (int, error) {
	if d.serve != "" {
		stop, err := d.listen(ctx, run.ID())
		if err != nil {
			return exitFailed, err
		}
		defer stop()
	}
	for ev, err := range d.follow(ctx, run) {
		if err != nil {
			return exitFailed, err
		}
		d.screen.event(&ev)
		q, err := d.waiting(ctx, &ev)
		if err != nil {
			return exitFailed, err
		}
		if q == nil {
			continue
		}
		if answered, err := d.ask(ctx, q); err != nil || !answered {
			d.screen.later(q, d.store)
			return exitPaused, err
		}
	}
	if ctx.Err() != nil {
		d.screen.say("\n  %s goes on with: go run ./examples/reason resume --id %[1]s --store %s", run.ID(), d.store)
		return exitPaused, nil
	}
	res, err := run.Wait(ctx)
	if err != nil {
		return exitFailed, err
	}
	code := d.screen.end(&res, d.part)
	if d.serve != "" { // whoever reads the events may come late
		d.screen.say("\n  Ctrl-C ends the server.")
		<-ctx.Done()
	}
	return code, nil
}

// waiting is the question that the run waits for, once all that happened before has been shown; nil for none.
func (d *desk) waiting(ctx context.Context, ev *fermata.Event) (*fermata.Interrupt, error) {
	if ev.Sub > 0 {
		return nil, nil
	}
	info, err := d.rt.Info(ctx, ev.Run)
	if err != nil || info.Head != ev.Seq() || fermata.Status(info.Status) != fermata.Paused {
		return nil, err
	}
	open, err := d.rt.Inbox(ctx, journal.InboxFilter{Run: ev.Run, Limit: 1})
	if err != nil || len(open) == 0 {
		return nil, err
	}
	return &open[0], nil
}

// ask asks until an answer was taken, here or elsewhere; false when it is left for later.
func (d *desk) ask(ctx context.Context, q *fermata.Interrupt) (bool, error) {
	if d.serve != "" && len(d.answers) == 0 {
		d.screen.elsewhere(q)
		return true, nil // it comes over HTTP
	}
	d.screen.question(q)
	for {
		text, ok := d.next(ctx)
		if !ok {
			return false, nil
		}
		err := d.rt.Answer(ctx, q.ID, reading(q, text))
		var door *fermata.Error
		switch {
		case err == nil:
			return true, nil
		case errors.As(err, &door) && door.Code == fermata.CodeInvalid:
			d.screen.say("%v", door.Err)
		case errors.As(err, &door) && door.Code == fermata.CodeConflict:
			d.screen.say("Somebody else has answered.")
			return true, nil
		default:
			return false, err
		}
	}
}

// next is the next answer of --answer, else the next line that is typed.
func (d *desk) next(ctx context.Context) (string, bool) {
	d.screen.prompt()
	if len(d.answers) > 0 {
		text := d.answers[0]
		d.answers = d.answers[1:]
		d.screen.say("%s\n", text)
		return text, true
	}
	text, ok := d.keyboard.line(ctx)
	if !ok || d.keyboard.echo {
		d.screen.say("%s", text)
	}
	d.screen.say("")
	return text, ok
}

// events writes the run's events until it ends or waits, and how it stands then. --answer answers; nobody is asked.
func (d *desk) events(ctx context.Context, run *fermata.Run) (int, error) {
	lines := json.NewEncoder(d.screen.out)
	for ev, err := range d.follow(ctx, run) {
		if err != nil {
			return exitFailed, err
		}
		if err := lines.Encode(&ev); err != nil {
			return exitFailed, err
		}
		q, err := d.waiting(ctx, &ev)
		if err != nil {
			return exitFailed, err
		}
		if q == nil {
			continue
		}
		if len(d.answers) == 0 {
			break
		}
		answer := reading(q, d.answers[0])
		d.answers = d.answers[1:]
		if err := d.rt.Answer(ctx, q.ID, answer); err != nil {
			return exitFailed, err
		}
	}
	res, err := d.rt.Result(context.WithoutCancel(ctx), run.ID(), d.part.plan)
	if err != nil {
		return exitFailed, err
	}
	last := struct {
		Type       string              `json:"type"`
		Run        string              `json:"run"`
		Status     fermata.Status      `json:"status"`
		Output     json.RawMessage     `json:"output,omitempty"`
		Interrupts []fermata.Interrupt `json:"interrupts,omitempty"`
		Error      string              `json:"error,omitempty"`
	}{"result", run.ID(), res.Status, res.Output, res.Interrupts, ""}
	if res.Err != nil {
		last.Error = res.Err.Error()
	}
	return codeOf(res.Status), lines.Encode(&last)
}

func codeOf(s fermata.Status) int {
	switch s {
	case fermata.Completed:
		return exitDone
	case fermata.Running, fermata.Paused:
		return exitPaused
	}
	return exitFailed
}

// listen serves the runtime until stop is called, and says where.
func (d *desk) listen(ctx context.Context, run string) (stop func(), err error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", d.serve)
	if err != nil {
		return nil, err
	}
	d.serve = "http://" + l.Addr().String()
	d.screen.say("  curl -N %s/runs/%s/events\n", d.serve, run)
	ended, end := context.WithCancel(context.WithoutCancel(ctx))
	s := &http.Server{
		Handler: server.New(d.rt, server.Options{}), ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ended },
	}
	d.screen.at = d.serve
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l) // it ends when it is closed
	}()
	return func() {
		end()
		_ = s.Close()
		<-done
	}, nil
}

// keyboard is where lines are typed. They are read aside, so that waiting for one can be given up.
type keyboard struct {
	in    *bufio.Scanner
	echo  bool
	typed chan string // not nil while a line is awaited
}

func (k *keyboard) line(ctx context.Context) (string, bool) {
	if k.typed == nil {
		typed := make(chan string, 1)
		k.typed = typed
		go func() {
			defer close(typed)
			if k.in.Scan() {
				typed <- k.in.Text()
			}
		}()
	}
	select {
	case text, ok := <-k.typed:
		k.typed = nil
		return text, ok
	case <-ctx.Done():
		return "", false
	}
}
