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
	"slices"
	"strings"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/journal"
	"github.com/fermata-go/fermata/journal/sqlite"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/providers"
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
	p := program{in: os.Stdin, out: os.Stdout, echo: !terminal(os.Stdin), live: terminal(os.Stdout) && os.Getenv("TERM") != "dumb"}
	code := p.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// program is the program and its surroundings.
type program struct {
	in   io.Reader
	out  io.Writer
	echo bool // show what is typed: no terminal does
	live bool // draw over what was drawn: a terminal can

	around func(model.Model) model.Model // something around the model; nil for nothing
}

// settings are what the flags say.
type settings struct {
	part, text       string
	store, id, model string
	serve            string
	json             bool
	answers          []string
}

const resume = "resume" // in place of the name of a part

func parse(args []string, out io.Writer) (settings, error) {
	var s settings
	f := flag.NewFlagSet("reason", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&s.store, "store", "reason.db", "the `file` that runs are kept in")
	f.StringVar(&s.id, "id", "", "the `run` to begin, or to go on with (default: a new one; the newest that is open)")
	f.StringVar(&s.model, "model", "", "a `model` like openai:gpt-5 (default: FERMATA_MODEL, else what is scripted)")
	f.StringVar(&s.serve, "serve", "", "show events, and take answers, at this `address`, like 127.0.0.1:8080")
	f.BoolVar(&s.json, "json", false, "write events, one a line, and the result; ask nobody")
	f.Func("answer", "an answer in place of a typed one; may be given again", func(text string) error {
		s.answers = append(s.answers, text)
		return nil
	})
	var words []string
	for { // flags may stand behind the words, too
		if err := f.Parse(args); err != nil {
			return s, err
		}
		if f.NArg() == 0 {
			break
		}
		words, args = append(words, f.Arg(0)), f.Args()[1:]
	}
	names := []string{resume}
	for _, p := range parts() {
		names = append(names, p.name)
	}
	if len(words) == 0 || !slices.Contains(names, words[0]) {
		return s, fmt.Errorf("expected one of %s; -help says more", strings.Join(names, ", "))
	}
	s.part, s.text = words[0], strings.Join(words[1:], " ")
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
		code, err = p.reason(ctx, s)
	}
	if err != nil {
		_, _ = fmt.Fprintf(p.out, "reason: %v\n", err)
	}
	return code
}

func (p program) reason(ctx context.Context, s settings) (code int, err error) {
	store, err := sqlite.Open(s.store)
	if err != nil {
		return exitFailed, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	of, id, err := choose(ctx, store, s)
	if err != nil {
		return exitFailed, err
	}
	models, which, err := p.models(&of, s.model)
	if err != nil {
		return exitFailed, err
	}
	watched := make(chan struct{})
	m := models[model.Default]
	if p.around != nil {
		m = p.around(m)
	}
	models[model.Default] = awaiting(m, watched)
	rt, err := fermata.New(fermata.Options{Store: store, Services: []any{models, Shop(counter{})}})
	if err != nil {
		return exitFailed, err
	}
	defer func() { err = errors.Join(err, rt.Close()) }()
	d := &desk{
		settings: s, part: &of, rt: rt, keyboard: keyboard{in: bufio.NewScanner(p.in), echo: p.echo},
		screen:  &screen{out: p.out, live: p.live, draw: of.draw},
		watched: watched,
	}
	run, err := d.open(ctx, id)
	if err != nil {
		return exitFailed, err
	}
	if s.json {
		return d.events(ctx, run)
	}
	d.screen.say("  %s: %s in %s, with %s\n", of.name, run.ID(), s.store, which)
	return d.work(ctx, run)
}

// choose finds the part, and where it is resumed the run.
func choose(ctx context.Context, store journal.Store, s settings) (part, string, error) {
	name, id := s.part, ""
	if name == resume {
		runs, err := store.Runs(ctx, journal.RunFilter{ID: s.id})
		if err != nil {
			return part{}, "", err
		}
		i := slices.IndexFunc(runs, func(r fermata.RunInfo) bool { return s.id != "" || !r.Ended() })
		if i < 0 {
			return part{}, "", fmt.Errorf("%s has no run %s", s.store, cmp.Or(s.id, "that is open"))
		}
		name, id = runs[i].Plan, runs[i].ID
	}
	for _, p := range parts() {
		if p.name == name {
			return p, id, nil
		}
	}
	return part{}, "", fmt.Errorf("run %s is of %q, which is none of this program's", id, name)
}

// models are what the part may ask, and how that is called: the model of that name, of the environment, or the
// script.
func (p program) models(of *part, name string) (model.Set, string, error) {
	which := cmp.Or(name, os.Getenv("FERMATA_MODEL"))
	if which == "" {
		m := of.script.model()
		if p.live {
			m = paced(m)
		}
		return model.Set{model.Default: m}, "the scripted model (a real one: --model openai:gpt-5)", nil
	}
	set, err := providers.FromEnv(providers.Options{
		Model: name, Wrap: func(_ string, m model.Model) model.Model { return model.Retrying(m, model.RetryPolicy{}) },
	})
	return set, which, err
}
