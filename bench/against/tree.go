package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// tree is a working tree of a revision, in a temporary folder.
type tree struct {
	dir     string
	subject string // the revision, for people
	log     *slog.Logger
}

// checkout makes a working tree of a revision.
func checkout(ctx context.Context, rev, dir string, log *slog.Logger) (*tree, error) {
	subject, err := output(ctx, ".", "git", "log", "-1", "--format=%h %s", rev, "--")
	if err != nil {
		return nil, fmt.Errorf("find revision %q: %w", rev, err)
	}
	if _, err := output(ctx, ".", "git", "worktree", "add", "--detach", "--force", dir, rev); err != nil {
		return nil, fmt.Errorf("check out %s: %w", rev, err)
	}
	return &tree{dir, strings.TrimSpace(subject), log}, nil
}

// remove removes the tree, also when the program was interrupted.
func (t *tree) remove(ctx context.Context) error {
	_, err := output(context.WithoutCancel(ctx), ".", "git", "worktree", "remove", "--force", t.dir)
	return err
}

// build makes the test binary of the old revision: with the tests of today if they compile, and with its own if not.
func (t *tree) build(ctx context.Context, o *options, binary string) error {
	err := t.tests(o.pkg)
	if err == nil {
		err = o.build(ctx, t.dir, binary)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	t.log.Warn("the old revision HAS ITS OWN BENCHMARKS, which may measure something else: those of today do not compile there", "err", err)
	for _, args := range [][]string{{"checkout", "--force", "."}, {"clean", "--force", "-d", "--quiet"}} {
		if _, err := output(ctx, t.dir, "git", args...); err != nil {
			return err
		}
	}
	return o.build(ctx, t.dir, binary)
}

// tests replaces the tests of a package by those of today. A package below bench, or one that is new, is replaced whole, with the
// folders below it.
func (t *tree) tests(pkg string) error {
	to := filepath.Join(t.dir, pkg)
	if _, err := os.Stat(to); err != nil || pkg == "./bench" || strings.HasPrefix(pkg, "./bench/") {
		if err := os.RemoveAll(to); err != nil {
			return err
		}
		return os.CopyFS(to, os.DirFS(pkg))
	}
	old, err := filepath.Glob(filepath.Join(to, "*_test.go"))
	if err != nil {
		return err
	}
	today, err := filepath.Glob(filepath.Join(pkg, "*_test.go"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	for _, path := range today {
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, filepath.Base(path)), text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// build compiles without paths, so that what both revisions have in common is compiled once, unless the options say otherwise.
func (o *options) build(ctx context.Context, dir, binary string) error {
	_, err := output(ctx, dir, "go", "test", "-c", fmt.Sprintf("-trimpath=%t", !o.paths), "-o", binary, o.pkg)
	return err
}

// measure runs the benchmarks of a binary once, in the folder of its package.
func measure(ctx context.Context, binary string, o *options) (string, error) {
	out, err := output(ctx, o.pkg, binary, "-test.run=^$", "-test.bench="+o.bench, "-test.benchtime="+o.benchtime, "-test.benchmem", "-test.timeout=1h")
	if err != nil {
		return "", fmt.Errorf("run the benchmarks: %w", err)
	}
	return out, nil
}

// output is what a program prints; its error holds what it complained of.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", filepath.Base(name), err, tail(out.String()), tail(complaint.String()))
	}
	return out.String(), nil
}

// tail is the last lines of a text.
func tail(text string) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "")
}
