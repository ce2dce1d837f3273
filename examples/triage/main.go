package main

import (
	"bufio"
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
	p := program{in: os.Stdin, out: os.Stdout}
	if info, err := os.Stdin.Stat(); err == nil {
		p.echo = info.Mode()&os.ModeCharDevice == 0
	}
	code := p.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// program is the program and its surroundings.
type program struct {
	in    io.Reader
	out   io.Writer
	echo  bool          // show what is typed: no terminal does
	clock fermata.Clock // nil: the system's
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

// run is the whole program; it returns the exit code.
func (p program) run(ctx context.Context, args []string) int {
	s, err := parse(args, p.out)
	if errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	code := exitUsage
	if err == nil {
		code, err = p.triage(ctx, s)
	}
	if err != nil {
		screen{p.out}.say("triage: %v", err)
	}
	return code
}

func (p program) triage(ctx context.Context, s settings) (code int, err error) {
	store, err := sqlite.Open(s.store)
	if err != nil {
		return exitFailed, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	directory := &cards{}
	directory.away.Store(int64(s.away))
	rt, err := fermata.New(fermata.Options{
		Store: store, Name: s.as, Clock: p.clock,
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
	d := &desk{settings: s, rt: rt, screen: screen{p.out}, keyboard: keyboard{in: bufio.NewScanner(p.in), echo: p.echo}}
	run, err := d.open(ctx, flow)
	if err != nil {
		return exitFailed, err
	}
	return d.work(ctx, run)
}

// desk is one sitting at the terminal.
type desk struct {
	settings
	rt       *fermata.Runtime
	screen   screen
	keyboard keyboard
}

// open goes on with a ticket, or begins one.
func (d *desk) open(ctx context.Context, flow *graph.Graph[Ticket]) (*graph.Run[Ticket], error) {
	before, err := d.find(ctx)
	if err != nil {
		return nil, err
	}
	if before.ID != "" {
		d.screen.begin(before.ID, d.store, "was "+before.Status)
		return flow.Resume(ctx, d.rt, before.ID)
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

// find is the run to go on with: the one of -id, or the newest that is open; without an ID for none.
func (d *desk) find(ctx context.Context) (fermata.RunInfo, error) {
	runs, err := d.rt.Runs(ctx, journal.RunFilter{ID: d.id, Plan: "triage"})
	if err != nil || d.fresh {
		return fermata.RunInfo{}, err
	}
	for _, r := range runs {
		if d.id != "" || !r.Ended() {
			return r, nil
		}
	}
	return fermata.RunInfo{}, nil
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
		d.screen.say("")
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
		d.screen.say("\n  This is for a %s: answer it with -role %[1]s.\n", q.Role)
		return false, nil
	}
	d.screen.question(q)
	for {
		text, ok := d.next(ctx)
		if !ok {
			return false, nil
		}
		err := d.rt.Answer(ctx, q.ID, reading(q, text), fermata.AsPerson(d.as), fermata.AsRole(d.role))
		var door *fermata.Error
		switch {
		case err == nil:
			return true, nil
		case errors.As(err, &door) && door.Code == fermata.CodeInvalid:
			d.screen.say("%v", door.Err)
		case errors.As(err, &door) && door.Code != fermata.CodeStore:
			d.screen.say("Too late: nobody waits for this answer any more.")
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
		d.screen.say("  > %s\n", text)
		return text, true
	}
	return d.line(ctx)
}

// line waits for a line; not ok at the end of the input, and when the program is to stop.
func (d *desk) line(ctx context.Context) (string, bool) {
	d.screen.prompt()
	text, ok := d.keyboard.line(ctx)
	if !ok || d.keyboard.echo {
		d.screen.say("%s", text)
	}
	d.screen.say("")
	return text, ok
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
