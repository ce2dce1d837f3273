package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// golang runs the go command in a folder: what it writes to both outputs, and its error.
func golang(ctx context.Context, dir string, limit time.Duration, args ...string) (stdout, stderr string, err error) {
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(foreign(os.Environ()), "PWD="+dir)
	cmd.WaitDelay = time.Second // what it has started may still hold its outputs
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return out.String(), said.String(), err
}

// isModule reports whether a folder is the root of a Go module; else it says what is missing.
func isModule(dir string) (bool, string) {
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		return false, "not a Go module: there is no go.mod at the root"
	}
	if _, err := exec.LookPath("go"); err != nil {
		return false, "the go command is not installed, or not on the PATH"
	}
	return true, ""
}

// why says in a line why the go command failed.
func why(err error, said string, limit time.Duration) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "it took longer than " + limit.String()
	}
	for line := range strings.SplitSeq(said, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "go: downloading ") {
			return shorten(line, 200)
		}
	}
	return err.Error()
}
