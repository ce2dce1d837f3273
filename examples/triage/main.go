package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/graph"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// Exit codes, those of the fermata command.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitPaused = 4
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout))
}

// settings are what the flags say.
type settings struct {
	store, id      string
	customer, text string
	as, role       string
	within         time.Duration
	away           int
	fresh          bool
	answers        []string
}

func parse(args []string, out io.Writer) (settings, error) {
	var s settings
	f := flag.NewFlagSet("triage", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&s.store, "store", "triage.db", "the `file` that runs are kept in")
	f.StringVar(&s.id, "id", "", "the `run` to go on with, or to begin (default: the open one, else a new one)")
	f.BoolVar(&s.fresh, "new", false, "begin a new ticket although one is open")
	f.StringVar(&s.customer, "customer", "ann", "who writes: a `name`")
	f.StringVar(&s.text, "text", "", "what they write (default: it is asked for)")
	f.StringVar(&s.as, "as", os.Getenv("USER"), "who decides: a `name`")
	f.StringVar(&s.role, "role", lead, "in which `role`: lead or manager")
	f.DurationVar(&s.within, "within", 4*time.Hour, "how long a lead, and then a manager, has to decide")
	f.IntVar(&s.away, "away", 1, "how `many` times the directory does not answer")
	f.Func("answer", "an answer in place of a typed one: send, or a `change`; may be given again", func(text string) error {
		s.answers = append(s.answers, text)
		return nil
	})
	if err := f.Parse(args); err != nil {
		return s, err
	}
	if f.NArg() > 0 {
		return s, fmt.Errorf("unexpected %q; a ticket is given with -text", f.Arg(0))
	}
	return s, nil
}

// run is the whole program.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer) int {
	s, err := parse(args, out)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		_, _ = fmt.Fprintln(out, "triage:", err)
		return exitUsage
	}
	code, err := triage(ctx, s, in, out)
	if err != nil {
		_, _ = fmt.Fprintln(out, "triage:", err)
		return cmp.Or(code, exitFailed)
	}
	return code
}

func triage(ctx context.Context, s settings, in io.Reader, out io.Writer) (code int, err error) {
	store, err := sqlite.Open(s.store)
	if err != nil {
		return exitFailed, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	directory := &cards{}
	directory.away.Store(int32(s.away))
	rt, err := fermata.New(fermata.Options{
		Store: store, Name: s.as,
		Services: []any{directory, mailbox{filepath.Join(filepath.Dir(s.store), "outbox.txt")}},
	})
	if err != nil {
		return exitFailed, err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	flow, err := newTriage(s.within)
	if err != nil {
		return exitFailed, err
	}
	d := &desk{settings: s, rt: rt, screen: screen{out}, lines: readLines(in)}
	run, err := d.open(ctx, flow)
	if err != nil || run == nil {
		return exitPaused, err
	}
	return d.work(ctx, run)
}

// desk is one sitting at the terminal.
type desk struct {
	settings
	rt     *fermata.Runtime
	screen screen
	lines  <-chan string
}

// open goes on with a ticket, or begins one; nil when nobody says what it is about.
func (d *desk) open(ctx context.Context, flow *graph.Graph[Ticket]) (*graph.Run[Ticket], error) {
	id, err := d.find(ctx)
	if err != nil {
		return nil, err
	}
	if id != "" {
		d.screen.begin(id, d.store, "goes on")
		return flow.Resume(ctx, d.rt, id)
	}
	t := Ticket{Customer: d.customer, Text: d.text}
	if t.Text == "" {
		d.screen.say("What does %s write?", d.customer)
		line, ok := d.line(ctx)
		if t.Text = strings.TrimSpace(line); !ok || t.Text == "" {
			return nil, errors.New("there is no ticket; type one, or give it with -text")
		}
	}
	opts := []fermata.StartOption{fermata.StartedBy(d.as)}
	if d.id != "" {
		opts = append(opts, fermata.WithID(d.id))
	}
	run, err := flow.Start(ctx, d.rt, t, opts...)
	if err == nil {
		d.screen.begin(run.ID(), d.store, "begins")
	}
	return run, err
}

// find is the run to go on with: the one of -id, or the newest that is open; "" for none.
func (d *desk) find(ctx context.Context) (string, error) {
	if d.fresh {
		return "", nil
	}
	runs, err := d.rt.Runs(ctx, journal.RunFilter{ID: d.id, Plan: "triage"})
	if err != nil {
		return "", err
	}
	for _, r := range runs {
		if d.id != "" || !fermata.Status(r.Status).Ended() {
			return r.ID, nil
		}
	}
	return "", nil
}

// work shows what happens, and asks whoever sits here whenever the run waits for somebody.
func (d *desk) work(ctx context.Context, run *graph.Run[Ticket]) (int, error) {
	for ev, err := range run.Events(ctx, 0) {
		if err != nil {
			return exitFailed, err
		}
		d.screen.event(&ev)
		q, err := d.waiting(ctx, run.ID(), ev.Seq())
		if err != nil {
			return exitFailed, err
		}
		if q == nil {
			continue
		}
		if answered, err := d.ask(ctx, q); err != nil || !answered {
			d.screen.later(run.ID(), d.settings)
			return exitPaused, err
		}
	}
	if ctx.Err() != nil {
		d.screen.later(run.ID(), d.settings)
		return exitPaused, nil
	}
	res, err := run.Wait(ctx)
	if err != nil {
		return exitFailed, err
	}
	return d.screen.end(res), nil
}

// waiting is the question that the run waits for, once all that happened before has been shown; nil for none.
func (d *desk) waiting(ctx context.Context, run string, seen uint64) (*fermata.Interrupt, error) {
	info, err := d.rt.Info(ctx, run)
	if err != nil || info.Head != seen || fermata.Status(info.Status) != fermata.Paused {
		return nil, err
	}
	open, err := d.rt.Inbox(ctx, journal.InboxFilter{Run: run, Limit: 1})
	if err != nil || len(open) == 0 {
		return nil, err
	}
	return &open[0], nil
}

// ask asks until an answer was taken; false when it is left for later.
func (d *desk) ask(ctx context.Context, q *fermata.Interrupt) (bool, error) {
	if q.Role != d.role {
		d.screen.say("This is for a %s; answer it with -role %[1]s.", q.Role)
		return false, nil
	}
	d.screen.question(q)
	for {
		text, ok := d.next(ctx)
		if !ok {
			return false, nil
		}
		err := d.rt.Answer(ctx, q.ID, reading(q, text), fermata.As(d.as), fermata.InRole(d.role))
		var door *fermata.Error
		switch {
		case err == nil:
			return true, nil
		case errors.As(err, &door) && door.Code == fermata.CodeInvalid:
			d.screen.say("%v", door.Err)
		case errors.As(err, &door) && (door.Code == fermata.CodeExpired || door.Code == fermata.CodeConflict):
			d.screen.say("Too late: %v", door.Err)
			return true, nil // the events say what came of it
		default:
			return false, err
		}
	}
}

// reading is what a line means as an answer.
func reading(q *fermata.Interrupt, line string) any {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(q.Task, "settle#") {
		return Sent{Arrived: strings.EqualFold(line, "yes") || strings.EqualFold(line, "y")}
	}
	if line == "" || strings.EqualFold(line, "send") {
		return Decision{Send: true}
	}
	return Decision{Change: line}
}

// next is the next answer of -answer, else the next line that is typed.
func (d *desk) next(ctx context.Context) (string, bool) {
	if len(d.answers) > 0 {
		text := d.answers[0]
		d.answers = d.answers[1:]
		d.screen.echo(text)
		return text, true
	}
	return d.line(ctx)
}

// line waits for a line; not ok at the end of the input, and when the program is to stop.
func (d *desk) line(ctx context.Context) (string, bool) {
	d.screen.prompt()
	select {
	case text, ok := <-d.lines:
		if !ok {
			d.screen.say("")
		}
		return text, ok
	case <-ctx.Done():
		d.screen.say("")
		return "", false
	}
}

// readLines reads lines aside, so that waiting for one can be given up. The goroutine ends with the input.
func readLines(in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return lines
}
