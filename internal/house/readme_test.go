package house

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The README runs: its files are written, and its commands typed, in a copy of what git tracks that is a repository of
// its own. A block of go or yaml begins with a comment that names its file; a block of sh is commands, one a line, with
// "# exit code 4" behind one that does not end with 0; a block of text is the output of the last command.

// block is a fenced part of the README.
type block struct {
	kind string // sh, go, yaml, text
	text string
	line int // of its first line
}

// fence is a line that begins or ends a block.
var fence = regexp.MustCompile("^```(\\w*)$")

func blocks(text string) []block {
	var all []block
	var open *block
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		m := fence.FindStringSubmatch(line)
		switch {
		case m == nil && open != nil:
			open.text += line + "\n"
		case m != nil && open != nil:
			all, open = append(all, *open), nil
		case m != nil:
			open = &block{kind: m[1], line: i + 2}
		}
	}
	return all
}

// named is the file that a block is to be written to, from its first line.
var named = regexp.MustCompile(`^(?://|#) (\S+\.\w+)\n`)

// typed is a command of the README with what is expected of it.
type typed struct {
	line int
	text string
	code int
}

var exitCode = regexp.MustCompile(`# exit code (\d+)`)

// elsewhere are commands that end differently, or are not executed, where this test runs, and why.
var elsewhere = map[string]int{
	"go run ./cmd/fermata run examples/release": 4, // there is no terminal: it waits for an answer

	"go get github.com/fermata-go/fermata/journal/sqlite@latest": skipped, // there is no network, and the program is in this module
	"go test ./...": skipped, // this test is a part of it
}

// installs is the command that installs the published version; this test installs the copy.
const installs = "go install github.com/fermata-go/fermata/cmd/fermata@latest"

const skipped = -1

func commands(b block) []typed {
	var all []typed
	for i, line := range strings.Split(strings.TrimSpace(b.text), "\n") {
		text, comment, _ := strings.Cut(line, "  #")
		c := typed{line: b.line + i, text: strings.TrimSpace(text)}
		if m := exitCode.FindStringSubmatch("#" + comment); m != nil {
			c.code, _ = strconv.Atoi(m[1])
		}
		if code, ok := elsewhere[c.text]; ok {
			c.code = code
		}
		all = append(all, c)
	}
	return all
}

func TestTheReadmeRuns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its commands are written for a POSIX shell")
	}
	w := readTree(t)
	page := w.find(t, "README.md").text
	shell := newShell(t, w.root)
	before := shell.tracked(true)
	unused := maps.Clone(elsewhere)
	written, executed, compared, printed := 0, 0, 0, ""
	for _, b := range blocks(page) {
		switch b.kind {
		case "go", "yaml":
			m := named.FindStringSubmatch(b.text)
			if m == nil {
				t.Fatalf("README.md:%d: the block does not begin with a comment that names its file", b.line)
			}
			shell.write(m[1], b.text)
			written++
		case "sh":
			for _, c := range commands(b) {
				delete(unused, c.text)
				if c.code == skipped {
					continue
				}
				printed = shell.run(c)
				executed++
			}
		case "text":
			if b.text != printed {
				t.Errorf("README.md:%d: the page does not show what the last command prints (-page +printed):\n%s", b.line, cmp.Diff(b.text, printed))
			}
			compared++
		default:
			t.Errorf("README.md:%d: a block of kind %q: expected sh, go, yaml or text", b.line, b.kind)
		}
	}
	for command := range unused {
		t.Errorf("README.md does not have the command %s any more", command)
	}
	if written < 2 || executed < 8 || compared < 2 {
		t.Errorf("only %d files were written, %d commands executed and %d outputs compared: are the blocks still found?", written, executed, compared)
	}
	if t.Failed() {
		t.Log(untrackedCode(w.root))
	}
	shell.mustStay(before)
}

// mustStay checks what the README's last command, go test ./..., finds for somebody who has typed all the others: the
// tests of this package see the same tree as before, in a clone and in an archive.
func (s *shell) mustStay(before []string) {
	s.t.Helper()
	if _, err := os.Stat(filepath.Join(s.dir, "refund", "main.go")); err != nil {
		s.t.Errorf("the README was not followed: %v", err)
	}
	if got := s.tracked(true); !slices.Equal(got, before) {
		s.t.Errorf("after the README's commands the tests see other files in a clone (-before +after):\n%s", cmp.Diff(before, got))
	}
	if err := os.Rename(filepath.Join(s.dir, ".git"), filepath.Join(s.t.TempDir(), "git")); err != nil {
		s.t.Fatal(err)
	}
	if got := s.tracked(false); !slices.Equal(got, before) {
		s.t.Errorf("after the README's commands the tests see other files in an archive (-before +after):\n%s", cmp.Diff(before, got))
	}
}

// tracked lists the files that the tests see in the copy.
func (s *shell) tracked(byGit bool) []string {
	s.t.Helper()
	files, git, err := trackedFiles(s.dir)
	if err != nil || git != byGit {
		s.t.Fatalf("the files of the copy: by git %v, expected %v: %v", git, byGit, err)
	}
	return files
}

// shell is where the README's commands are typed: a copy of the tree, a home that is empty, no network.
type shell struct {
	t   *testing.T
	dir string
	bin string // where go install puts programs; it is in the PATH
	env []string

	instead *overlay // compiles the tree in place of the copy; nil with FERMATA_EXPLORE
}

func newShell(t *testing.T, root string) *shell {
	t.Helper()
	s := &shell{t: t, dir: filepath.Join(copyFolder(t, root), "fermata"), bin: t.TempDir()}
	// What the commands are built of is fetched before the network is closed.
	s.must(root, os.Environ(), "go", "list", "-deps", "./cmd/fermata", "./examples/...")
	s.copyTree(root)
	home := t.TempDir()
	for _, v := range os.Environ() {
		switch name, _, _ := strings.Cut(v, "="); {
		case strings.HasPrefix(name, "GIT_"), strings.HasPrefix(name, "FERMATA_"), strings.HasPrefix(name, "XDG_"), name == "GOFLAGS", name == "PATH":
		default:
			s.env = append(s.env, v)
		}
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} { // those of the real home: what is compiled stays so
		s.env = append(s.env, name+"="+strings.TrimSpace(s.must(root, os.Environ(), "go", "env", name)))
	}
	s.env = append(
		s.env, "PATH="+s.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GOBIN="+s.bin, "HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"), "USER=ann", "PWD="+s.dir, "GOPROXY=off",
		"GOFLAGS=-ldflags=-s", // nothing here is debugged, and linking takes less
		"GOWORK=off", "GOTOOLCHAIN=local", "NO_COLOR=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.org", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.org",
	)
	s.must(s.dir, s.env, "git", "init", "--quiet", "--initial-branch=main")
	s.must(s.dir, s.env, "git", "add", "--all")
	s.must(s.dir, s.env, "git", "commit", "--quiet", "--message", "feat: begin")
	if os.Getenv("FERMATA_EXPLORE") == "" {
		s.instead = newOverlay(t, root, s)
	}
	return s
}

// copies is how many tests of one repository may have a copy at the same time.
const copies = 8

// copyFolder makes a folder for a copy of the repository at root, and removes it after the test. Its path is the same
// each time: the go command caches what it compiles by the folder of the code.
func copyFolder(t *testing.T, root string) string {
	t.Helper()
	sum := sha256.Sum256(fmt.Append(nil, root, os.Getuid()))
	for i := range copies {
		dir := filepath.Join(os.TempDir(), fmt.Sprintf("fermata-readme-%x-%d", sum[:6], i))
		if info, err := os.Lstat(dir); err == nil && time.Since(info.ModTime()) > time.Hour {
			removeAll(t, dir) // of a test that was killed
		}
		err := os.Mkdir(dir, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue // another test has it
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { removeAll(t, dir) })
		return dir
	}
	return t.TempDir()
}

func removeAll(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
}

// copyTree copies what the repository tracks. Tests stay behind: nothing here runs them, and examples/release, which
// vets the copy, would compile them all.
func (s *shell) copyTree(root string) {
	s.t.Helper()
	files, _, err := trackedFiles(root)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		from, to := filepath.Join(root, filepath.FromSlash(name)), filepath.Join(s.dir, filepath.FromSlash(name))
		data, err := os.ReadFile(from)
		if err != nil {
			s.t.Fatal(err)
		}
		info, err := os.Stat(from)
		if err != nil {
			s.t.Fatal(err)
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, data, info.Mode().Perm()|0o600)); err != nil {
			s.t.Fatal(err)
		}
	}
}

// must runs a program that prepares the test.
func (s *shell) must(dir string, env []string, args ...string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

func (s *shell) write(name, text string) {
	s.t.Helper()
	file := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	if s.instead != nil && strings.HasSuffix(name, ".go") {
		s.instead.replace(s.t, name, file)
	}
}

// exited is what `go run` says in the end of a program that did not end with 0; its own exit code is 1 then.
var exited = regexp.MustCompile(`(?m)^exit status (\d+)\n\z`)

// run types a command, checks its exit code and returns what it printed.
func (s *shell) run(c typed) string {
	s.t.Helper()
	if c.text == installs {
		c.text = "go install ./cmd/fermata"
	}
	ctx, stop := context.WithTimeout(s.t.Context(), 4*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "sh", "-c", c.text)
	cmd.Dir, cmd.Env, cmd.WaitDelay = s.dir, s.env, time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	err := cmd.Run()
	code := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
		if m := exited.FindSubmatch(stderr.Bytes()); m != nil && strings.HasPrefix(c.text, "go run ") {
			code, _ = strconv.Atoi(string(m[1]))
		}
	case err != nil:
		s.t.Fatalf("README.md:%d: %s: %v", c.line, c.text, err)
	}
	s.t.Logf("$ %s   (%s)\n%s%s", c.text, time.Since(began).Round(time.Millisecond), stdout.String(), stderr.String())
	if code != c.code {
		s.t.Errorf("README.md:%d: %s: exit code %d; expected %d", c.line, c.text, code, c.code)
	}
	return stdout.String()
}

// The README is short: a page that shows one program and one recipe, each of at most 20 lines.
func TestTheReadmeIsShort(t *testing.T) {
	page := readTree(t).find(t, "README.md")
	if n := page.lines(); n > readmeLines {
		t.Errorf("README.md has %d lines, more than %d: move a part to docs/", n, readmeLines)
	}
	for _, b := range blocks(page.text) {
		if n := codeLines(b.text); (b.kind == "go" || b.kind == "yaml") && n > shownLines {
			t.Errorf("README.md:%d: the block has %d lines of code, more than %d", b.line, n, shownLines)
		}
	}
}

// The command can be installed at a version: the go command refuses that for a module that replaces or excludes others.
func TestTheCommandCanBeInstalled(t *testing.T) {
	f := readTree(t).find(t, "go.mod")
	if m := regexp.MustCompile(`(?m)^(?:replace|exclude)\b.*`).FindString(f.text); m != "" {
		t.Errorf("go.mod: %q: go install of a version would fail: require another version instead", m)
	}
}

const readmeLines, shownLines = 118, 20

// codeLines counts the lines of a block that are not empty.
func codeLines(text string) int {
	return len(slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" }))
}

// The checks above see what they are there to see.
func TestBlocksAreFound(t *testing.T) {
	const page = "# x\n\n```sh\na -b   # exit code 4: it waits\nc '#d'\n```\n\ntext\n\n```go\n// x/main.go\npackage x\n```\n" +
		"```text\ny\n```\n"
	found := blocks(page)
	got := fmt.Sprintf("%+v %+v %q", found, commands(found[0]), named.FindStringSubmatch(found[1].text)[1])
	want := "[{kind:sh text:a -b   # exit code 4: it waits\nc '#d'\n line:4} {kind:go text:// x/main.go\npackage x\n line:11} " +
		"{kind:text text:y\n line:15}] " +
		"[{line:4 text:a -b code:4} {line:5 text:c '#d' code:0}] \"x/main.go\""
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
