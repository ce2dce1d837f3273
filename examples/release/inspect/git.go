package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// repository is where a release is made from, as it was found.
type repository struct {
	Root        string `json:"root"`        // absolute path
	Name        string `json:"name"`        // the Go module's, else the folder's
	Branch      string `json:"branch"`      // "" for a detached HEAD
	Head        string `json:"head"`        // the commit's full hash
	Commit      string `json:"commit"`      // the same, short
	Date        string `json:"date"`        // of that commit: 2026-11-20
	Uncommitted int    `json:"uncommitted"` // tracked files that differ from it
	Shallow     bool   `json:"shallow"`     // a part of the history is missing
}

// git runs git in a folder and returns what it says. Nothing of the caller's configuration changes the output, and
// nothing is ever written or asked.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	settings := []string{"-c", "core.quotePath=false", "-c", "log.showSignature=false", "-c", "core.fsmonitor=false"}
	cmd := exec.CommandContext(ctx, "git", append(settings, args...)...)
	cmd.Dir = dir
	cmd.Env = append(foreign(os.Environ()), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("git is not installed, or not on the PATH")
	case err != nil:
		return "", &gitError{args[0], strings.TrimSpace(stderr.String()), err}
	}
	return stdout.String(), nil
}

// foreign drops the variables that would make git look at another repository than the one of its folder, as they are
// set within hooks.
func foreign(env []string) []string {
	return slices.DeleteFunc(env, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE", "GIT_PREFIX":
			return true
		}
		return false
	})
}

// gitError is what git says when it fails.
type gitError struct {
	command string
	said    string
	err     error
}

func (e *gitError) Error() string {
	if e.said == "" {
		return fmt.Sprintf("git %s: %v", e.command, e.err)
	}
	said := strings.TrimPrefix(strings.TrimPrefix(e.said, "fatal: "), "error: ")
	return fmt.Sprintf("git %s: %s", e.command, said)
}

func (e *gitError) Unwrap() error { return e.err }

// open finds the repository that a path is in: "" is the one that this program's folder is in.
func open(ctx context.Context, repo string) (repository, error) {
	dir, err := folder(repo)
	if err != nil {
		return repository{}, err
	}
	root, err := git(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return repository{}, notARepository(dir, err)
	}
	r := repository{Root: filepath.FromSlash(strings.TrimRight(root, "\r\n"))}
	r.Name = nameOf(r.Root)
	head, err := git(ctx, r.Root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return repository{}, fmt.Errorf("%s has no commit yet: there is nothing to release", r.Root)
	}
	r.Head = strings.TrimSpace(head)
	about, err := git(ctx, r.Root, "show", "--no-patch", "--format=%h %cs", r.Head)
	if err != nil {
		return repository{}, err
	}
	r.Commit, r.Date, _ = strings.Cut(strings.TrimSpace(about), " ")
	if branch, err := git(ctx, r.Root, "symbolic-ref", "--quiet", "--short", "HEAD"); err == nil {
		r.Branch = strings.TrimSpace(branch)
	}
	shallow, err := git(ctx, r.Root, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return repository{}, err
	}
	r.Shallow = strings.TrimSpace(shallow) == "true"
	status, err := git(ctx, r.Root, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty")
	if err != nil {
		return repository{}, err
	}
	r.Uncommitted = strings.Count(status, "\n")
	return r, nil
}

// nameOf is the last word of the path of the Go module in a folder, else the folder's name.
func nameOf(root string) string {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return filepath.Base(root)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "module" {
			continue
		}
		name := strings.Trim(words[1], "\"`")
		if last := path.Base(name); majorVersion.MatchString(last) && name != last {
			name = path.Dir(name)
		}
		return path.Base(name)
	}
	return filepath.Base(root)
}

// majorVersion is the end of a module's path from its second version on.
var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// folder makes a path absolute. The working directory of this program is the recipe's folder, so a relative path
// starts where whoever started it was: in $PWD.
func folder(repo string) (string, error) {
	if repo == "" {
		return os.Getwd()
	}
	if !filepath.IsAbs(repo) {
		from := os.Getenv("PWD")
		if !filepath.IsAbs(from) {
			return "", fmt.Errorf("repo is %q; expected an absolute path: where it starts is not known here", repo)
		}
		repo = filepath.Join(from, repo)
	}
	info, err := os.Stat(repo)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("there is no folder %s; expected the path of a git repository", repo)
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf("%s is a file; expected the folder of a git repository", repo)
	}
	return repo, nil
}

// notARepository says in plain words why git does not take a folder.
func notARepository(dir string, err error) error {
	var ge *gitError
	if !errors.As(err, &ge) {
		return err
	}
	switch {
	case strings.Contains(ge.said, "not a git repository"):
		return fmt.Errorf("%s is not in a git repository; expected one, as in --input repo=PATH", dir)
	case strings.Contains(ge.said, "must be run in a work tree"):
		return fmt.Errorf("%s is a bare repository; expected one with its files checked out", dir)
	}
	return fmt.Errorf("%s: %w", dir, err)
}
