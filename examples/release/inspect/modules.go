package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// How long the go command may take to read go.mod, and to ask for newer versions.
const (
	readTime = 20 * time.Second
	askTime  = 6 * time.Second
)

type modulesInput struct {
	Repository repository `json:"repository"`
}

type modulesOutput struct {
	Modules requirements `json:"modules"`
}

// requirements are what a module is built on.
type requirements struct {
	Summary  string        `json:"summary"` // "15 direct requirements, 1 replaced, 3 outdated"
	Module   string        `json:"module"`  // its path; "" for none
	Direct   int           `json:"direct"`
	Replaced []replacement `json:"replaced"`
	Checked  bool          `json:"checked"`  // newer versions could be asked for
	Outdated []update      `json:"outdated"` // direct requirements that have a newer version
}

type replacement struct {
	Module string `json:"module"`
	By     string `json:"by"` // another module and version, another version, or a folder
}

type update struct {
	Module string `json:"module"`
	Has    string `json:"has"`
	Latest string `json:"latest"`
}

// goMod is what `go mod edit -json` says.
type goMod struct {
	Module  struct{ Path string }
	Require []struct {
		Path, Version string
		Indirect      bool
	}
	Replace []struct{ Old, New versioned }
}

type versioned struct{ Path, Version string }

func (v versioned) String() string { return strings.TrimSpace(v.Path + " " + v.Version) }

func modules(ctx context.Context, in modulesInput) (modulesOutput, error) {
	r := requirements{Replaced: []replacement{}, Outdated: []update{}}
	if ok, reason := isModule(in.Repository.Root); !ok {
		r.Summary = reason
		return modulesOutput{r}, nil
	}
	out, said, err := golang(ctx, in.Repository.Root, readTime, "mod", "edit", "-json")
	var mod goMod
	if err == nil {
		err = json.Unmarshal([]byte(out), &mod)
	}
	if err != nil {
		r.Summary = "go.mod could not be read: " + why(err, said, readTime)
		return modulesOutput{r}, nil
	}
	r.Module = mod.Module.Path
	replaced := make(map[string]bool)
	for _, p := range mod.Replace {
		by := p.New.String()
		if p.New.Path == p.Old.Path {
			by = p.New.Version
		}
		r.Replaced = append(r.Replaced, replacement{p.Old.String(), by})
		replaced[p.Old.Path] = true
	}
	var unreplaced []string
	for _, q := range mod.Require {
		if q.Indirect {
			continue
		}
		r.Direct++
		if !replaced[q.Path] {
			unreplaced = append(unreplaced, q.Path)
		}
	}
	r.Summary = count(r.Direct, "direct requirement")
	if n := len(r.Replaced); n > 0 {
		r.Summary += fmt.Sprintf(", %d replaced", n)
	}
	r.Summary += r.ask(ctx, in.Repository.Root, unreplaced)
	return modulesOutput{r}, nil
}

// notAsked is what is said where nobody could be asked.
const notAsked = "; newer versions not checked (offline)"

// ask asks the module proxy for newer versions of requirements. Without an answer the rest stands.
func (r *requirements) ask(ctx context.Context, dir string, paths []string) string {
	if len(paths) == 0 {
		r.Checked = true
		return ""
	}
	proxy, _, err := golang(ctx, dir, readTime, "env", "GOPROXY")
	if err == nil && strings.TrimSpace(proxy) == "off" { // it would find nothing newer, and not say why
		return notAsked
	}
	out, said, err := golang(ctx, dir, askTime, append([]string{"list", "-mod=readonly", "-m", "-u", "-json"}, paths...)...)
	if err == nil {
		r.Outdated, err = readUpdates(out)
	}
	switch {
	case err == nil:
		r.Checked = true
		return fmt.Sprintf(", %d outdated", len(r.Outdated))
	case offline(err, said):
		return notAsked
	}
	return "; newer versions not checked: " + why(err, said, askTime)
}

// offline reports whether the go command failed because nobody answered.
func offline(err error, said string) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	for _, sign := range []string{
		"dial tcp", "no such host", "connection refused", "i/o timeout", "network is unreachable",
		"Could not resolve host", "proxyconnect", "TLS handshake", "connection reset",
	} {
		if strings.Contains(said, sign) {
			return true
		}
	}
	return false
}

// readUpdates reads what `go list -m -u -json` says: one object after the other.
func readUpdates(out string) ([]update, error) {
	updates := []update{}
	d := json.NewDecoder(strings.NewReader(out))
	for {
		var m struct {
			Path, Version string
			Update        *versioned
		}
		switch err := d.Decode(&m); {
		case errors.Is(err, io.EOF):
			return updates, nil
		case err != nil:
			return []update{}, fmt.Errorf("go list: %w", err)
		}
		if m.Update != nil {
			updates = append(updates, update{m.Path, m.Version, m.Update.Version})
		}
	}
}
