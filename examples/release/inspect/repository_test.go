package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// scratch is a repository in a test. Names and dates are fixed, so that hashes are the same every time.
type scratch struct {
	t   *testing.T
	dir string
}

// hermetic keeps the configuration of whoever runs the tests out of them, and the network.
func hermetic(t *testing.T) {
	t.Helper()
	for _, v := range foreign(os.Environ()) {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "GIT_") {
			t.Setenv(name, "") // restored afterwards
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_DEFAULT_HASH": "sha1",
		"GOPROXY": "off", "GOFLAGS": "", "GOWORK": "off", "GOTOOLCHAIN": "local",
	} {
		t.Setenv(name, value)
	}
}

func newScratch(t *testing.T) *scratch {
	t.Helper()
	hermetic(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &scratch{t, filepath.Join(dir, "demo")}
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.git("init", "--quiet", "--initial-branch=main")
	return s
}

func (s *scratch) git(args ...string) {
	s.t.Helper()
	s.gitAs("Ann", args...)
}

func (s *scratch) gitAs(who string, args ...string) {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = s.dir
	const when = "2026-03-04T05:06:07Z"
	cmd.Env = append(
		os.Environ(), "GIT_AUTHOR_NAME="+who, "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE="+when,
		"GIT_COMMITTER_NAME="+who, "GIT_COMMITTER_EMAIL=a@example.org", "GIT_COMMITTER_DATE="+when,
	)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// write writes files: names and texts in turn.
func (s *scratch) write(files ...string) {
	s.t.Helper()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(s.dir, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
}

// commit writes files and commits everything.
func (s *scratch) commit(who, message string, files ...string) {
	s.t.Helper()
	s.write(files...)
	s.git("add", "--all")
	s.gitAs(who, "commit", "--quiet", "--allow-empty", "--message", message)
}

// call runs the command as the recipe does: JSON in, JSON out.
func call[Out any](t *testing.T, name string, input any) (Out, error) {
	t.Helper()
	var result Out
	data, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(context.Background(), []string{name}, bytes.NewReader(data), &out); err != nil {
		if out.Len() > 0 {
			t.Errorf("%s failed and wrote all the same: %s", name, out.Bytes())
		}
		return result, err
	}
	d := json.NewDecoder(&out)
	d.DisallowUnknownFields()
	if err := d.Decode(&result); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return result, nil
}

func mustCall[Out any](t *testing.T, name string, input any) Out {
	t.Helper()
	out, err := call[Out](t, name, input)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}
