package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// errAlive says that the job has failed, after the table has said why.
var errAlive = errors.New("some mutants were not killed")

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	pattern := flags.String("run", "", "try those whose law, title or file matches this `pattern`")
	workers := flags.Int("j", runtime.NumCPU(), "how `many` are tried at once")
	timeout := flags.Duration("timeout", 3*time.Minute, "how long the tests of one mutant may take")
	asJSON := flags.Bool("json", false, "write one JSON object for each, and no table")
	list := flags.Bool("list", false, "list them and try none")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all, err := mutants()
	if err != nil {
		return err
	}
	if all, err = chosen(all, *pattern); err != nil {
		return err
	}
	slices.SortStableFunc(all, byLaw)
	if *list {
		for _, m := range all {
			_, _ = fmt.Fprintf(out, "%-4s %s\n     %s, %s\n", m.Law, m.Title, m.File, m.at)
		}
		return nil
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "fermata-mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	return newLab(root, dir, *timeout).report(ctx, all, *workers, *asJSON, out)
}

// report tries mutants and writes what became of them.
func (l *lab) report(ctx context.Context, all []mutant, workers int, asJSON bool, out io.Writer) error {
	began := time.Now()
	if err := l.unbroken(ctx, all); err != nil {
		return err
	}
	table := &table{out: out, began: began}
	done := table.row
	if asJSON {
		encoder := json.NewEncoder(out)
		done = func(v verdict) { _ = encoder.Encode(v) } //nolint:errchkjson // strings and numbers; a closed pipe ends the program
	} else {
		table.head(all)
	}
	verdicts := l.tryAll(ctx, all, workers, done)
	if !asJSON {
		table.foot(verdicts)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if slices.ContainsFunc(verdicts, func(v verdict) bool { return v.Outcome != killed && v.Outcome != skipped }) {
		return errAlive
	}
	return nil
}

// moduleRoot is the folder of go.mod.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	file := strings.TrimSpace(string(out))
	if file == "" || file == os.DevNull {
		return "", errors.New("there is no go.mod here: run it in the repository")
	}
	return filepath.Dir(file), nil
}
