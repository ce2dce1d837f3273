package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/dataflow"
	"github.com/fermata-go/fermata/journal/sqlite"
)

// Exit codes, those of the fermata command.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := program{out: os.Stdout, err: os.Stderr, tools: installed{}, now: time.Now}.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// program is the program and its surroundings.
type program struct {
	out, err io.Writer
	tools    Toolchain
	now      func() time.Time
}

// settings are what the flags say.
type settings struct {
	dir, store, draw string
	top              int
	json, noCache    bool
}

const usage = `Shows what a Go module is built on.

    modules [flags]

`

func parse(args []string, help io.Writer) (settings, error) {
	var s settings
	f := flag.NewFlagSet("modules", flag.ContinueOnError)
	f.SetOutput(io.Discard) // run says what is wrong
	f.StringVar(&s.dir, "C", ".", "the `folder` of the module, or one in it")
	f.IntVar(&s.top, "top", 10, "how many modules to rank; 0 for all")
	f.BoolVar(&s.json, "json", false, "write JSON, for programs")
	f.StringVar(&s.draw, "draw", "", "draw the dataflow in a `form`, text or mermaid, and look at nothing")
	f.StringVar(&s.store, "store", "", "the `file` that the cache is kept in (default: fermata/modules.db in the user's cache folder)")
	f.BoolVar(&s.noCache, "no-cache", false, "work everything out anew, and keep nothing")
	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		_, _ = io.WriteString(help, usage)
		f.SetOutput(help)
		f.PrintDefaults()
	}
	if err != nil {
		return s, err
	}
	return s, s.check(f.Args())
}

func (s *settings) check(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected %q; a folder is named with -C", args[0])
	}
	if s.top < 0 {
		return fmt.Errorf("-top %d: expected a number of modules, or 0 for all", s.top)
	}
	if s.draw != "" && s.draw != "text" && s.draw != "mermaid" {
		return fmt.Errorf("-draw %q: expected text or mermaid", s.draw)
	}
	if s.noCache && s.store != "" {
		return errors.New("-store and -no-cache: expected one of them")
	}
	if info, err := os.Stat(s.dir); err != nil || !info.IsDir() {
		return fmt.Errorf("-C %s: there is no such folder", s.dir)
	}
	var err error
	s.dir, err = filepath.Abs(s.dir)
	return err
}

// run is the whole program; it returns the exit code.
func (p program) run(ctx context.Context, args []string) int {
	s, err := parse(args, p.out)
	if errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	code := exitUsage
	if err == nil {
		if code, err = exitDone, p.look(ctx, s); err != nil {
			code = exitFailed
		}
	}
	if ctx.Err() != nil {
		err = errors.New("stopped")
	}
	if err != nil {
		_, _ = fmt.Fprintf(p.err, "modules: %v\n", err)
	}
	return code
}

func (p program) look(ctx context.Context, s settings) error {
	flow, err := newFlow()
	if err != nil {
		return err
	}
	switch s.draw {
	case "text":
		_, err = io.WriteString(p.out, flow.Plan().Text())
		return err
	case "mermaid":
		_, err = io.WriteString(p.out, flow.Plan().Mermaid())
		return err
	}
	if s.json { // without the node that only people need
		if flow, err = flow.Select("report"); err != nil {
			return err
		}
	}
	o := fermata.Options{Services: []any{p.tools}}
	if !s.noCache {
		store, err := openStore(s.store)
		if err != nil {
			return err
		}
		defer func() { _ = store.Close() }() // all that was put into it is in it
		o.Cache = fermata.NewStoreCache(store, nil)
	}
	rt, err := fermata.New(o)
	if err != nil {
		return err
	}
	defer func() { _ = rt.Close() }()
	return p.show(ctx, rt, flow, s)
}

// openStore opens the file of the cache. What a loss of power takes from it is worked out again.
func openStore(name string) (*sqlite.Store, error) {
	if name == "" {
		folder, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("there is no folder for the cache (%w): name a file with -store, or go without, -no-cache", err)
		}
		name = filepath.Join(folder, "fermata", "modules.db")
	}
	store, err := sqlite.OpenWith(name, sqlite.Options{Sync: sqlite.Normal})
	if err != nil {
		return nil, fmt.Errorf("%w; it is a cache, and can be deleted: name another file with -store, or go without, -no-cache", err)
	}
	return store, nil
}

// show runs the flow and shows what came of it. The run is not stored: it waits for nobody, and what is worth keeping of
// it is in the cache.
func (p program) show(ctx context.Context, rt *fermata.Runtime, flow *dataflow.Graph, s settings) error {
	began := p.now()
	run, err := flow.Start(ctx, rt, dataflow.Values{"dir": s.dir, "top": s.top}, fermata.WithDurability(fermata.None))
	if err != nil {
		return err
	}
	hits, err := watch(ctx, flow.Plan(), run)
	if err != nil {
		return err
	}
	res, err := run.Wait(ctx)
	if err != nil {
		return err
	}
	if res.Status != fermata.Completed {
		return failure(res.Err)
	}
	took := p.now().Sub(began)
	if s.json {
		report, err := dataflow.Get[Report](res.Outputs, "report")
		if err != nil {
			return err
		}
		e := json.NewEncoder(p.out)
		e.SetIndent("", "  ")
		return e.Encode(document{report, runDocument{hits, took.Seconds()}})
	}
	text, err := dataflow.Get[string](res.Outputs, "table")
	if err == nil {
		_, err = fmt.Fprintf(p.out, "%s\n  %s\n", text, footer(hits, took))
	}
	return err
}

// document is what -json writes: the report, and how it came about.
type document struct {
	Report
	Run runDocument `json:"run"`
}

type runDocument struct {
	Cache   []hit   `json:"cache"`
	Seconds float64 `json:"seconds"`
}

// failure is why a run has failed: what the node says, without the names of the run and the task.
func failure(err error) error {
	if e, ok := errors.AsType[*fermata.Error](err); ok {
		return e.Err
	}
	return err
}
