package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// The budget, see docs/adr/060-what-is-linked.md.
const (
	maxCPU      = 150 * time.Second // user and system time of a clean build
	maxMemory   = 1 << 30           // of its largest process, in bytes
	maxSize     = 45_000_000        // of the stripped binary, in bytes
	maxPackages = 600
)

// modulesFile has the modules that may be linked, one a line.
const modulesFile = "internal/weight/modules.txt"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	if len(os.Args) > 1 && os.Args[1] == asTool {
		status := runTool(ctx, os.Args[2:])
		stop()
		os.Exit(status)
	}
	cold := flag.Bool("cold", false, "measure a clean build, too")
	table := flag.Bool("table", false, "show the heaviest modules")
	update := flag.Bool("update", false, "write the modules that are linked to "+modulesFile)
	flag.Parse()
	if err := run(ctx, os.Stdout, *cold, *table || *cold, *update); err != nil {
		fmt.Fprintln(os.Stderr, "weight:", err)
		stop()
		os.Exit(1)
	}
}

// run measures, and fails where something is above the budget.
func run(ctx context.Context, out io.Writer, cold, table, update bool) error {
	dir, err := os.MkdirTemp("", "weight")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	w, err := listed(ctx)
	if err != nil {
		return err
	}
	if cold {
		err = w.buildClean(ctx, dir)
	} else {
		w.size, err = build(ctx, filepath.Join(dir, "fermata"), "-s -w")
	}
	if err == nil && table {
		err = w.readSymbols(ctx, filepath.Join(dir, "symbols"))
	}
	if err != nil {
		return err
	}
	if update {
		return os.WriteFile(modulesFile, []byte(strings.Join(w.moduleNames(), "\n")+"\n"), 0o644)
	}
	allowed, err := os.ReadFile(modulesFile)
	if err != nil {
		return err
	}
	if err := w.print(out, table); err != nil {
		return err
	}
	faults := w.faults(strings.Fields(string(allowed)))
	if len(faults) > 0 {
		return fmt.Errorf("above the budget:\n  %s", strings.Join(faults, "\n  "))
	}
	return nil
}
