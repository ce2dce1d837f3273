// Command against compares the benchmarks of this tree with those of an older revision. It builds the test binary of
// both, runs them alternately, and prints the medians and the median of the ratios of each round.
//
//	go run ./bench/against -rev main~5 -bench 'React|Wide' -rounds 7
//
// Both binaries have the benchmarks of today, so that they measure the same. Where those do not compile with the old
// revision, it keeps its own, and what only one of the two has is left out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

type options struct {
	rev       string // the old revision
	pkg       string // the package of the benchmarks, such as "./bench"
	bench     string // which benchmarks
	benchtime string // how long each takes in one turn
	rounds    int
	paths     bool // keep paths in the binaries
	out       io.Writer
	log       *slog.Logger
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "against:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer, log *slog.Logger) error {
	o := options{out: out, log: log}
	flags := flag.NewFlagSet("against", flag.ContinueOnError)
	flags.StringVar(&o.rev, "rev", "HEAD", "the `revision` to compare the tree with")
	flags.StringVar(&o.pkg, "pkg", "./bench", "the `package` of the benchmarks")
	flags.StringVar(&o.bench, "bench", ".", "a `pattern` of benchmarks")
	flags.StringVar(&o.benchtime, "benchtime", "200ms", "how long each benchmark runs in a round, or how often (5x)")
	flags.IntVar(&o.rounds, "rounds", 5, "how often each binary runs")
	flags.BoolVar(&o.paths, "paths", false, "compile with paths: with the standard library that other builds have compiled, but what both revisions share twice")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return o.compare(ctx)
}

func (o *options) compare(ctx context.Context) (err error) {
	if o.rounds < 1 {
		return fmt.Errorf("compare in %d rounds: at least 1 is needed", o.rounds)
	}
	dir, err := os.MkdirTemp("", "fermata-against-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	tree, err := checkout(ctx, o.rev, filepath.Join(dir, "tree"), o.log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tree.remove(ctx)) }()
	o.log.Info("build", "old", tree.subject, "new", "this tree")
	today := filepath.Join(dir, "new.test")
	if err := o.build(ctx, ".", today); err != nil {
		return err
	}
	before := filepath.Join(dir, "old.test")
	if err := tree.build(ctx, o, before); err != nil {
		return err
	}
	rounds, err := o.alternate(ctx, before, today)
	if err != nil {
		return err
	}
	text, err := compared(rounds)
	if err != nil {
		return err
	}
	_, err = io.WriteString(o.out, text)
	return err
}

// alternate runs both binaries in each round; in every other round the new one goes first.
func (o *options) alternate(ctx context.Context, before, today string) ([]round, error) {
	var all []round
	for i := range o.rounds {
		o.log.Info("measure", "round", i+1, "of", o.rounds)
		var r round
		for k := range 2 {
			side, binary := &r.old, before
			if (i+k)%2 == 1 {
				side, binary = &r.new, today
			}
			out, err := measure(ctx, binary, o)
			if err != nil {
				return nil, err
			}
			*side = linesOf(strings.NewReader(out))
		}
		all = append(all, r)
	}
	return all, nil
}
