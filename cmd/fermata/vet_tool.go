package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// The module that vet builds its tool from, and the package of the tool.
const (
	libraryModule = "github.com/fermata-go/fermata"
	vetPackage    = libraryModule + "/cmd/fermata-vet"
)

// vetTool builds the program that go vet calls, and gives its path in the build cache.
//
// The tool is of the version of Fermata that the user's module or workspace has, so it knows the calls of that version. A
// module that names the tool in its go.mod settles by that, and by its vendor folder, what the tool is made of. For all others
// it is made in the folder of the library (in the module cache, or where a replace or go.work leads), with go.mod and go.sum
// of the library: the user's stay as they are, and need no line for what only the tool imports.
func vetTool(ctx context.Context) (string, error) {
	goroot, err := goRoot(ctx)
	if err != nil {
		return "", err
	}
	tools, err := goOutput(ctx, &goCall{args: []string{"list", "-find", "tool"}})
	if err == nil && slices.Contains(strings.Fields(tools), vetPackage) {
		return buildVetTool(ctx, &goCall{args: []string{"tool", "-n", vetPackage}}, "the tool that go.mod names")
	}
	lib, err := findLibrary(ctx)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(lib.dir, "cmd", "fermata-vet")); err != nil {
		return "", invalidf("%s has no cmd/fermata-vet, which vet builds: require a later version with go get %s@latest", lib, libraryModule)
	}
	return buildVetTool(ctx, &goCall{
		// A tool of an older toolchain could not read what that of the user's module compiles.
		program: filepath.Join(goroot, "bin", "go"), dir: lib.dir, env: []string{"GOWORK=off", "GOTOOLCHAIN=local"},
		args: []string{"tool", "-modfile=", "-n", vetPackage},
	}, lib.String())
}

// goRoot gives the folder of the toolchain that the go command uses in this folder, which has to be in a module.
func goRoot(ctx context.Context) (string, error) {
	out, err := goOutput(ctx, &goCall{args: []string{"env", "GOROOT", "GOMOD", "GOWORK"}})
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", usagef("vet needs the go command, which is not in $PATH")
	case err != nil:
		return "", goFailed("env", err)
	}
	lines := append(strings.Split(out, "\n"), "", "", "")
	if mod, work := lines[1], lines[2]; (mod == "" || mod == os.DevNull) && (work == "" || work == "off") {
		return "", invalidf("there is no go.mod in this folder or above it: run vet in the module of your nodes")
	}
	return lines[0], nil
}

// library is Fermata as the module or workspace of this folder has it.
type library struct {
	version string // "" where it is the main module, or one of a workspace
	dir     string
}

func (l *library) String() string {
	if l.version == "" {
		return libraryModule + " in " + l.dir
	}
	return libraryModule + " " + l.version
}

// findLibrary asks the go command, which downloads the library if it is not in the module cache. A vendor folder lacks
// what only the tool is made of, and -mod=readonly looks past it.
func findLibrary(ctx context.Context) (*library, error) {
	out, err := goOutput(ctx, &goCall{args: []string{"list", "-mod=readonly", "-m", "-e", "-f", "{{.Version}}\n{{.Dir}}", libraryModule}})
	if err != nil {
		return nil, goFailed("list", err)
	}
	lib := &library{}
	lib.version, lib.dir, _ = strings.Cut(strings.TrimSuffix(out, "\n"), "\n")
	switch {
	case lib.dir != "":
		return lib, nil
	case lib.version == "":
		return nil, invalidf("go.mod does not require %s, so there are no nodes to vet: run vet in the module of your nodes", libraryModule)
	}
	out, err = goOutput(ctx, &goCall{args: []string{"list", "-mod=readonly", "-find", "-f", "{{.Module.Dir}}", libraryModule}})
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", goFailed("list", err), withoutNetwork)
	}
	lib.dir = strings.TrimSpace(out)
	return lib, nil
}

// buildVetTool has the tool built for the machine that vet runs on, also where nodes are vetted for another one.
func buildVetTool(ctx context.Context, call *goCall, from string) (string, error) {
	call.env = append(call.env, "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	out, err := goOutput(ctx, call)
	if err != nil {
		return "", fmt.Errorf("vet could not build its tool from %s: %w\n%s", from, goFailed("tool", err), withoutNetwork)
	}
	return strings.TrimSpace(out), nil
}

// withoutNetwork says what helps where the tool cannot be built because what it is made of cannot be downloaded.
const withoutNetwork = "vet builds its tool once for each version of Fermata, and may download modules for that, such as golang.org/x/tools: " +
	"run it once with a network; or name the tool in go.mod with go get -tool " + vetPackage +
	", so that go mod download and go mod vendor bring what it needs"

// goCall is a call of the go command.
type goCall struct {
	program string // "" for the one in $PATH
	dir     string // "" for this folder
	args    []string
	env     []string // beside the environment of this process
}

// goOutput runs the go command and gives what it writes to standard output. Where it fails, the error is what it says.
func goOutput(ctx context.Context, call *goCall) (string, error) {
	program := call.program
	if program == "" {
		program = "go"
	}
	var out, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program, call.args...)
	cmd.Dir, cmd.Env = call.dir, append(os.Environ(), call.env...)
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.As(err, &failed):
		return "", errors.New(strings.TrimSpace(stderr.String()))
	}
	return out.String(), err
}

// goFailed says which call of the go command failed.
func goFailed(which string, err error) error { return invalidf("go %s: %w", which, err) }
