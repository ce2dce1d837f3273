package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	since := flag.String("since", "", "a revision to show beside the work tree")
	flag.Parse()
	err := run(ctx, os.Stdout, ".", *since)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "lines:", err)
		os.Exit(1)
	}
}

// run counts the work tree at root, which is the top of a repository, and shows it beside the revision since, if any.
func run(ctx context.Context, out io.Writer, root, since string) error {
	now, err := workTree(ctx, root)
	if err != nil {
		return err
	}
	if since == "" {
		return printNow(out, now)
	}
	then, err := revision(ctx, root, since)
	if err != nil {
		return err
	}
	return printBeside(out, now, then, since)
}

// workTree counts the files that git tracks or would track, with their content on disk.
func workTree(ctx context.Context, root string) (rooms, error) {
	names, err := git(ctx, root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", "--", "*.go")
	if err != nil {
		return nil, err
	}
	all := make(rooms)
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		switch {
		case errors.Is(err, fs.ErrNotExist): // deleted, and not yet in a commit
		case err != nil:
			return nil, err
		default:
			all.add(name, text)
		}
	}
	return all, nil
}

// revision counts the files of a revision.
func revision(ctx context.Context, root, rev string) (rooms, error) {
	archive, err := git(ctx, root, "archive", "--format=tar", rev)
	if err != nil {
		return nil, err
	}
	all := make(rooms)
	for files := tar.NewReader(bytes.NewReader(archive)); ; {
		f, err := files.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the archive of %s: %w", rev, err)
		}
		text, err := io.ReadAll(files)
		if err != nil {
			return nil, fmt.Errorf("the archive of %s: %w", rev, err)
		}
		all.add(f.Name, text)
	}
}

func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w\n%s", args[0], err, errs.Bytes())
	}
	return out, nil
}
