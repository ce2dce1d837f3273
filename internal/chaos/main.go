package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	if os.Getenv(workerName) != "" {
		if err := beWorker(); err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

// options say what is done to what.
type options struct {
	kind    string
	runs    int
	workers int
	flight  int // how many runs are on their way at once
	lease   time.Duration
	patient time.Duration // how long nothing may end before the rest counts as stuck
	seed    uint64
	calm    bool // nothing is disturbed
	tell    func(format string, args ...any)
}

// errFound says that the job has failed, after the table has said why.
var errFound = errors.New("runs were lost, doubled or stuck")

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	o := options{}
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	flags.StringVar(&o.kind, "store", "sqlite", "the `kind` of store: sqlite, or one whose server is on this machine, postgres or redis")
	flags.IntVar(&o.runs, "runs", 200, "how `many` runs")
	flags.IntVar(&o.workers, "workers", 4, "how `many` processes")
	flags.IntVar(&o.flight, "flight", 40, "how `many` runs are on their way at once")
	flags.DurationVar(&o.lease, "lease", 2*time.Second, "of the workers")
	flags.DurationVar(&o.patient, "patient", time.Minute, "how long nothing may end, undisturbed, before what is left counts as stuck")
	flags.Uint64Var(&o.seed, "seed", rand.Uint64N(1_000_000), "of the faults and of the runs; their times depend on the machine") //nolint:gosec // any seed will do
	flags.BoolVar(&o.calm, "calm", false, "disturb nothing: no effect may be repeated then")
	asJSON := flags.Bool("json", false, "write one JSON object, and no table")
	if err := flags.Parse(args); err != nil {
		return err
	}
	o.tell = func(format string, args ...any) { _, _ = fmt.Fprintf(progress, format+"\n", args...) }
	began := time.Now()
	t, version, err := chaos(ctx, o)
	if errors.Is(err, errNoServer) {
		_, _ = fmt.Fprintf(out, "chaos: %s: %v: nothing is done\n", o.kind, err)
		return nil
	}
	if err != nil {
		return err
	}
	if *asJSON {
		err = json.NewEncoder(out).Encode(struct {
			Store string  `json:"store"`
			Seed  uint64  `json:"seed"`
			Took  float64 `json:"seconds"`
			tally
		}{o.kind, o.seed, time.Since(began).Seconds(), t})
	} else {
		table(out, &o, version, &t, time.Since(began))
	}
	if err == nil && t.Lost+t.Doubled+t.Stuck > 0 {
		err = errFound
	}
	return err
}

// chaos does it all, and counts.
func chaos(ctx context.Context, o options) (t tally, version string, err error) {
	dir, err := os.MkdirTemp("", "fermata-chaos-")
	if err != nil {
		return t, "", err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	if err := os.Chmod(dir, 0o755); err != nil {
		return t, "", err
	}
	db, err := newDatabase(ctx, o.kind, dir)
	if err != nil {
		if db != nil {
			db.close()
		}
		return t, "", err
	}
	defer db.close()
	ledger := filepath.Join(dir, "ledger")
	if err := os.WriteFile(ledger, nil, 0o600); err != nil {
		return t, "", err
	}
	f := &faults{db: db, dice: rand.New(rand.NewPCG(o.seed, 1)), lease: o.lease} //nolint:gosec // dice
	f.fleet = newFleet(db, ledger, o.lease, f)
	desk, err := newDesk(ctx, db, &o)
	if err != nil {
		return t, "", err
	}
	defer desk.close()
	for place := range o.workers {
		if err := f.fleet.hire(place); err != nil {
			return t, "", err
		}
	}
	defer f.fleet.dismiss()
	storm, calm := context.WithCancel(ctx)
	raged := make(chan struct{})
	go func() {
		defer close(raged)
		if !o.calm {
			f.rage(storm, o.workers)
		}
	}()
	desk.work(ctx, func() { calm(); <-raged }, f)
	calm()
	<-raged
	if err := ctx.Err(); err != nil {
		return t, "", err
	}
	f.fleet.dismiss()
	ends := desk.ends(ctx)
	lines, err := readLedger(ledger)
	if err != nil {
		return t, "", err
	}
	t = count(f.starved(lines), ends, f.explain)
	t.Faults = f.count()
	delete(t.Faults, "")
	if t.Stuck+t.Lost+t.Doubled > 0 {
		for _, id := range t.suspects[:min(len(t.suspects), 3)] {
			desk.show(ctx, id)
		}
		for _, w := range f.fleet.workers {
			if text := w.said.String(); text != "" {
				o.tell("%s said at last:\n%s", w.name, tail(text, 2000))
			}
		}
	}
	return t, db.version, nil
}

// tail is the end of a text.
func tail(text string, n int) string { return text[max(len(text)-n, 0):] }
