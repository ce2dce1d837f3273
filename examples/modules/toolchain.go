package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/fermata-go/fermata/node"
)

// Toolchain is what the flow knows of the world: the go command, and files.
type Toolchain interface {
	// Go runs the go command in a folder and returns what it writes.
	Go(ctx context.Context, dir string, args ...string) (string, error)
	ReadFile(name string) ([]byte, error)
	Stat(name string) (fs.FileInfo, error)
}

// GoMod is what go.mod says, of which `go mod edit -json` has more.
type GoMod struct {
	Module  struct{ Path string }
	Require []Requirement `json:",omitempty"`
	Replace []Replacement `json:",omitempty"`
}

// Requirement is a line of go.mod.
type Requirement struct {
	Path, Version string
	Indirect      bool `json:",omitempty"` // marked as such: no package of the module imports it
}

// Replacement is a line of go.mod, too. Without a version, New is a folder.
type Replacement struct {
	Old, New struct{ Path, Version string }
}

// found is the module that is looked at.
type found struct {
	Root      string // its folder
	File      GoMod
	Toolchain string // "go1.26.8 linux/amd64"
	Digest    string // of all that its requirement graph depends on
}

// environment is what `go env` says.
type environment struct{ GOMOD, GOVERSION, GOOS, GOARCH, GOFLAGS string }

// findModule finds the module that a folder belongs to.
func findModule(ctx node.Context, in struct{ Dir string }) (found, error) {
	var m found
	said, err := golang(ctx, in.Dir, "env", "-json", "GOMOD", "GOVERSION", "GOOS", "GOARCH", "GOFLAGS")
	if err != nil {
		return m, err
	}
	var env environment
	if err := json.Unmarshal([]byte(said), &env); err != nil {
		return m, fmt.Errorf("go env: %w", err)
	}
	if env.GOMOD == "" || env.GOMOD == os.DevNull {
		return m, fmt.Errorf("there is no go.mod in %s or in a folder above it; name the folder of a Go module with -C", in.Dir)
	}
	m.Root = filepath.Dir(env.GOMOD)
	m.Toolchain = fmt.Sprintf("%s %s/%s", env.GOVERSION, env.GOOS, env.GOARCH)
	if said, err = golang(ctx, m.Root, "mod", "edit", "-json"); err != nil {
		return m, err
	}
	if err := json.Unmarshal([]byte(said), &m.File); err != nil {
		return m, fmt.Errorf("go mod edit -json: %w", err)
	}
	tools, err := node.Service[Toolchain](ctx)
	if err != nil {
		return m, err
	}
	m.Digest, err = node.Step(ctx, "digest", func(node.Context) (string, error) { return digest(tools, &m, env) })
	return m, err
}

// digest names all that `go mod graph` depends on: the go command with its flags, the files beside go.mod, and go.mod in
// the folders that stand in for modules. Two modules with one digest have the same graph.
func digest(tools Toolchain, m *found, env environment) (string, error) {
	sum := sha256.New()
	part := func(name string, text []byte) { // a hash never fails
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
	}
	part("go", []byte(env.GOVERSION+" "+env.GOFLAGS))
	files := []string{"go.mod", "go.sum", filepath.Join("vendor", "modules.txt")}
	for _, r := range m.File.Replace {
		if r.New.Version == "" {
			files = append(files, filepath.Join(r.New.Path, "go.mod"))
		}
	}
	for _, name := range files {
		at := name
		if !filepath.IsAbs(at) {
			at = filepath.Join(m.Root, name)
		}
		text, err := tools.ReadFile(at)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		part(name, text)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// listed are the fields that are asked for: without them, go list looks for more than is needed.
const listed = "-json=ImportPath,Name,Dir,Standard,ForTest,Module,GoFiles,CgoFiles,Imports"

// listPackages lists the packages of the module and of its tests, with all that they import.
func listPackages(ctx node.Context, in struct{ Root string }) (string, error) {
	return golang(ctx, in.Root, "list", "-deps", "-test", listed, "./...")
}

// pinned is what the requirement graph is cached by: the digest is read for that alone.
type pinned struct{ Root, Digest string }

// listRequirements lists which module requires which.
func listRequirements(ctx node.Context, in pinned) (string, error) {
	return golang(ctx, in.Root, "mod", "graph")
}

// golang runs the go command as a step: what it says is recorded.
func golang(ctx node.Context, dir string, args ...string) (string, error) {
	tools, err := node.Service[Toolchain](ctx)
	if err != nil {
		return "", err
	}
	return node.Step(ctx, "go "+args[0], func(ctx node.Context) (string, error) { return tools.Go(ctx, dir, args...) })
}

// installed is the go command of this machine, and its files.
type installed struct{}

func (installed) ReadFile(name string) ([]byte, error)  { return os.ReadFile(name) }
func (installed) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

func (installed) Go(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	// A module is looked at by itself, as those see it who depend on it: without the workspace that it may lie in.
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PWD="+dir, "GOWORK=off")
	cmd.WaitDelay = time.Second // what it has started may still hold its outputs
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	switch {
	case err == nil:
		return out.String(), nil
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("the go command was not found: install Go, or put it on the PATH")
	case ctx.Err() != nil:
		return "", ctx.Err()
	}
	return "", fmt.Errorf("go %s: %s", strings.Join(args[:min(len(args), 2)], " "), reason(err, said.String()))
}

// reason says in a few lines why the go command failed.
func reason(err error, said string) string {
	const most = 5
	var lines []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "go: downloading ") {
			continue
		}
		if len(lines) == most {
			lines = append(lines, "…")
			break
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return err.Error()
	}
	return strings.Join(lines, "\n  ")
}
