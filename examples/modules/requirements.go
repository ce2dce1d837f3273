package main

import (
	"fmt"
	"strings"
)

// Ask is that a module requires another one.
type Ask struct {
	By      string `json:"by"`
	At      string `json:"at,omitempty"` // the version of By; "" for the module that is looked at
	Module  string `json:"module"`
	Version string `json:"version"` // at least
}

// parseRequirements reads what `go mod graph` writes: who asks and what for, a pair a line.
func parseRequirements(graph string) ([]Ask, error) {
	var asks []Ask
	n := 0
	for line := range strings.Lines(graph) {
		n++
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("line %d of what go mod graph says: expected two modules, found %q", n, strings.TrimSpace(line))
		}
		var a Ask
		a.By, a.At, _ = strings.Cut(fields[0], "@")
		a.Module, a.Version, _ = strings.Cut(fields[1], "@")
		if a.Module == "go" || a.Module == "toolchain" { // versions of Go itself
			continue
		}
		asks = append(asks, a)
	}
	return asks, nil
}
