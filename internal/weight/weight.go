package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"
)

// weight is what was measured of the command.
type weight struct {
	size     int64             // of the stripped binary, in bytes
	cpu      time.Duration     // of a clean build; 0 where none was made
	memory   int64             // of its largest process, in bytes
	packages map[string]string // linked package -> its module
	modules  map[string]*module
}

// module is what a module adds. The standard library is one, and so is the project.
type module struct {
	name     string
	packages int
	size     int64         // of its machine code, in bytes
	cpu      time.Duration // to compile its packages
	memory   int64         // to compile the largest of them, in bytes
}

const standard = "std"

func (w *weight) moduleNames() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(w.modules)), func(name string) bool { return name == standard || name == own })
}

// faults are what is above the budget, and modules that are linked and not allowed, or the other way round.
func (w *weight) faults(allowed []string) []string {
	var faults []string
	over := func(what string, got, most any) {
		faults = append(faults, fmt.Sprintf("%s: %v, and the budget is %v", what, got, most))
	}
	if w.cpu > maxCPU {
		over("CPU time of a clean build", w.cpu.Round(time.Second), maxCPU)
	}
	if w.memory > maxMemory {
		over("memory of a clean build", megabytes(w.memory), megabytes(maxMemory))
	}
	if w.size > maxSize {
		over("stripped binary", megabytes(w.size), megabytes(maxSize))
	}
	if n := len(w.packages); n > maxPackages {
		over("linked packages", n, maxPackages)
	}
	linked := w.moduleNames()
	for _, name := range linked {
		if !slices.Contains(allowed, name) {
			faults = append(faults, name+" is linked, and is not in "+modulesFile+": leave it out, or add it there and give the reason in the change")
		}
	}
	for _, name := range allowed {
		if !slices.Contains(linked, name) {
			faults = append(faults, name+" is in "+modulesFile+", and is not linked: take it out")
		}
	}
	return faults
}

// mostRows is how many modules a table shows.
const mostRows = 20

// print writes the figures beside the budget and, with modules, the heaviest of those.
func (w *weight) print(out io.Writer, modules bool) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(format string, args ...any) { _, _ = fmt.Fprintf(t, format+"\n", args...) } // it fails as Flush does
	row("\tnow\tbudget\t")
	if w.cpu > 0 {
		row("CPU time of a clean build\t%.0f s\t%.0f s\t", w.cpu.Seconds(), maxCPU.Seconds())
		row("memory of its largest process\t%s\t%s\t", megabytes(w.memory), megabytes(maxMemory))
	}
	row("stripped binary\t%s\t%s\t", megabytes(w.size), megabytes(maxSize))
	row("linked packages\t%d\t%d\t", len(w.packages), maxPackages)
	row("linked modules\t%d\t%s\t", len(w.moduleNames()), "as listed")
	if err := t.Flush(); err != nil || !modules {
		return err
	}
	list := slices.SortedFunc(maps.Values(w.modules), func(a, b *module) int {
		return cmp.Or(cmp.Compare(b.cpu, a.cpu), cmp.Compare(b.size, a.size), cmp.Compare(a.name, b.name))
	})
	row("\nheaviest modules\tpackages\tcode\tCPU\tmemory\t")
	for _, m := range list[:min(len(list), mostRows)] {
		cpu, memory := "", ""
		if m.cpu > 0 {
			cpu, memory = fmt.Sprintf("%.1f s", m.cpu.Seconds()), megabytes(m.memory)
		}
		row("%s\t%d\t%s\t%s\t%s\t", m.name, m.packages, megabytes(m.size), cpu, memory)
	}
	return t.Flush()
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
