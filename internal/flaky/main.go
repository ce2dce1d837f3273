package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"time"
)

func main() {
	if dir := os.Getenv(collecting); dir != "" {
		if err := collect(dir, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "flaky:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "flaky:", err)
		os.Exit(1)
	}
}

// errFailed is returned after the summary has listed the failures.
var errFailed = errors.New("some tests failed")

// options are the flags of the command.
type options struct {
	runs     int
	load     int    // processes and threads for each core
	race     bool   // every second run has the race detector on
	pattern  string // of go test -run
	slow     int    // how many slow tests to list
	timeout  time.Duration
	packages []string
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var o options
	flags := flag.NewFlagSet("flaky", flag.ContinueOnError)
	flags.IntVar(&o.runs, "runs", 20, "run the tests this `many` times")
	flags.IntVar(&o.load, "load", 4, "use this `many` processes and threads for each core")
	flags.BoolVar(&o.race, "race", true, "turn the race detector on in every second run")
	flags.StringVar(&o.pattern, "run", "", "run only the tests that match this `pattern`")
	flags.IntVar(&o.slow, "slow", 0, "list this `many` of the slowest packages and tests")
	flags.DurationVar(&o.timeout, "timeout", time.Hour, "how long the tests of one package may take in one run")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.packages = flags.Args(); len(o.packages) == 0 {
		o.packages = []string{"./..."}
	}
	dir, err := os.MkdirTemp("", "flaky")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	suites := make(map[bool]*suite) // by whether they have the race detector
	all := newTally()
	all.live = out
	for n := 1; n <= o.runs && ctx.Err() == nil; n++ {
		race := o.race && n%2 == 0
		if suites[race] == nil {
			binaries := filepath.Join(dir, strconv.FormatBool(race))
			if err := os.Mkdir(binaries, 0o700); err != nil {
				return err
			}
			if suites[race], err = build(ctx, &o, race, binaries); err != nil {
				return err
			}
		}
		began, before := time.Now(), all.failures
		if err := suites[race].run(ctx, &o, all); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(out, "run %d of %d%s: %d failures, %s\n", n, o.runs, map[bool]string{true: " with -race"}[race],
			all.failures-before, time.Since(began).Round(time.Second))
	}
	all.summary(out, o.slow)
	if s := suites[true]; s != nil && s.crashes.Load() > 0 {
		_, _ = fmt.Fprintf(out, "the race detector failed a check of its own %d times; the tests were started again\n", s.crashes.Load())
	}
	switch {
	case all.failures > 0:
		return errFailed
	case all.passes == 0:
		return fmt.Errorf("no test ran in %v", o.packages)
	}
	return ctx.Err()
}

// arguments are those of the go command that compiles the tests; self is this program, which keeps them.
func (o *options) arguments(race bool, self string) []string {
	args := []string{"test", "-count=1", "-timeout=" + o.timeout.String(), "-v", "-exec=" + self}
	if race {
		args = append(args, "-race")
	}
	if o.pattern != "" {
		args = append(args, "-run="+o.pattern)
	}
	return append(args, o.packages...)
}
