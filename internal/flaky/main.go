package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"time"
)

func main() {
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
	all := newTally()
	for n := 1; n <= o.runs && ctx.Err() == nil; n++ {
		began := time.Now()
		race := o.race && n%2 == 0
		before := all.failures
		if err := once(ctx, o, race, all); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(out, "run %d of %d%s: %d failures, %s\n", n, o.runs, map[bool]string{true: " with -race"}[race],
			all.failures-before, time.Since(began).Round(time.Second))
	}
	all.summary(out, o.slow)
	switch {
	case all.failures > 0:
		return errFailed
	case all.passes == 0:
		return fmt.Errorf("no test ran in %v", o.packages)
	}
	return ctx.Err()
}

// once runs the tests one time and adds what became of them.
func once(ctx context.Context, o options, race bool, all *tally) error {
	cmd := exec.CommandContext(ctx, "go", o.arguments(race)...)
	if o.load > 1 {
		cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(o.load*runtime.NumCPU()))
	}
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	lines, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	failures := all.failures
	err = all.read(lines)
	status := cmd.Wait() // not 0 after any failure
	switch {
	case err != nil:
		return err
	case status != nil && ctx.Err() == nil && all.failures == failures:
		return fmt.Errorf("go test reported no failed test: %w", status)
	}
	return nil
}

// arguments are those of the go command.
func (o *options) arguments(race bool) []string {
	args := []string{"test", "-json", "-count=1", "-timeout=" + o.timeout.String()}
	if o.load > 1 {
		args = append(args, "-p="+strconv.Itoa(o.load*runtime.NumCPU()))
	}
	if race {
		args = append(args, "-race")
	}
	if o.pattern != "" {
		args = append(args, "-run="+o.pattern)
	}
	return append(args, o.packages...)
}
