package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// How a mutant ended.
const (
	killed   = "killed"   // a test failed, or took too long
	survived = "survived" // all tests passed: one is missing
	stale    = "stale"    // its text is not in the tree any more
	broken   = "broken"   // it does not compile, or its tests do not exist
	skipped  = "skipped"  // its tests need a server that is not here
)

// verdict is how a mutant ended, and why.
type verdict struct {
	mutant
	Outcome string        `json:"outcome"`
	By      string        `json:"by,omitempty"`     // the test that noticed
	Detail  string        `json:"detail,omitempty"` // of a mutant that was not killed
	Took    time.Duration `json:"took"`
}

// lab is where mutants are compiled and run.
type lab struct {
	root    string
	dir     string // for overlays and binaries; removed at the end
	timeout time.Duration
	tests   *folders
}

func newLab(root, dir string, timeout time.Duration) *lab {
	return &lab{root: root, dir: dir, timeout: timeout, tests: &folders{files: make(map[string][]*testFile)}}
}

// try breaks the engine in one place and runs the tests that have to notice.
func (l *lab) try(ctx context.Context, m mutant, n int) (v verdict) {
	began := time.Now()
	v = verdict{mutant: m}
	defer func() { v.Took = time.Since(began) }()
	text, err := m.apply(l.root)
	if err != nil {
		v.Outcome, v.Detail = stale, err.Error()
		return v
	}
	dir := filepath.Join(l.dir, fmt.Sprintf("mutant-%d", n))
	broke := filepath.Join(dir, "broken")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(broke, text, 0o600)); err != nil {
		v.Outcome, v.Detail = broken, err.Error()
		return v
	}
	defer os.RemoveAll(dir) //nolint:errcheck // all of it is removed at the end again
	v.Outcome = skipped
	for _, k := range m.Kill {
		r := l.test(ctx, k, dir, map[string]string{filepath.Join(l.root, filepath.FromSlash(m.File)): broke})
		switch {
		case ctx.Err() != nil: // nobody knows
			v.Outcome = ""
			return v
		case r.outcome == killed || r.outcome == broken:
			v.Outcome, v.By, v.Detail = r.outcome, r.by, r.detail
			return v
		case r.outcome == survived:
			v.Outcome, v.Detail = survived, r.detail
		}
	}
	return v
}

// result is what the tests of one package said.
type result struct {
	outcome, by, detail string
}

// test compiles the tests of a package, with some files in the place of others, and runs those that match.
func (l *lab) test(ctx context.Context, k kill, dir string, replace map[string]string) result {
	binary := filepath.Join(dir, "broken.test")
	few := make(map[string]string)
	maps.Copy(few, replace)
	for _, file := range l.tests.needless(filepath.Join(l.root, filepath.FromSlash(k.Package)), k.Run) {
		few[file] = ""
	}
	err := l.compile(ctx, k.Package, binary, dir, few)
	if err != nil && len(few) > len(replace) { // a file may be needed for a reason that nobody has seen
		err = l.compile(ctx, k.Package, binary, dir, replace)
	}
	if err != nil {
		return result{outcome: broken, detail: "it does not compile: " + err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	run := exec.CommandContext(ctx, binary, "-test.v", "-test.failfast", "-test.timeout", (2 * l.timeout).String(), "-test.run", k.Run)
	run.Env = append(os.Environ(), "RAPID_NOFAILFILE=true") // else what failed is written into the tree, and drawn first the next time
	run.Dir = filepath.Join(l.root, filepath.FromSlash(k.Package))
	apart(run)
	var out bytes.Buffer
	run.Stdout, run.Stderr, run.WaitDelay = &out, &out, 5*time.Second
	err = run.Run()
	return judge(k, out.String(), err, ctx.Err() != nil, l.timeout)
}

// compile makes the binary of a package's tests. Compiling takes longer than the tests do, so that nothing is optimised.
func (l *lab) compile(ctx context.Context, pkg, binary, dir string, replace map[string]string) error {
	overlay := filepath.Join(dir, "overlay.json")
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	if err := os.WriteFile(overlay, data, 0o600); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-gcflags=./...=-N -l", "-overlay", overlay, "-o", binary, pkg)
	build.Dir = l.root
	if out, err := build.CombinedOutput(); err != nil {
		return errors.New(excerpt(string(out)))
	}
	return nil
}

var (
	failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	passedTest = regexp.MustCompile(`(?m)^--- PASS: (\S+)`)
	leftTest   = regexp.MustCompile(`(?m)^--- SKIP: (\S+)`)
	begunTest  = regexp.MustCompile(`(?m)^=== (?:RUN|CONT|NAME) +(\S+)`)
)

// judge reads what a test binary said.
func judge(k kill, out string, err error, late bool, timeout time.Duration) result {
	last := ""
	if begun := begunTest.FindAllStringSubmatch(out, -1); len(begun) > 0 {
		last = begun[len(begun)-1][1]
	}
	switch {
	case late:
		return result{outcome: killed, by: fmt.Sprintf("%s, not done after %s", last, timeout)}
	case err != nil:
		names := failedTest.FindAllStringSubmatch(out, -1)
		if len(names) == 0 { // the process died
			return result{outcome: killed, by: last, detail: excerpt(out)}
		}
		deepest := slices.MaxFunc(names, func(a, b []string) int { return len(a[1]) - len(b[1]) })
		return result{outcome: killed, by: deepest[1], detail: excerpt(out)}
	case passedTest.MatchString(out):
		return result{outcome: survived, detail: fmt.Sprintf("go test -run '%s' %s passes", k.Run, k.Package)}
	case leftTest.MatchString(out):
		return result{outcome: skipped, detail: fmt.Sprintf("%s in %s is skipped here", k.Run, k.Package)}
	}
	return result{outcome: broken, detail: fmt.Sprintf("%s has no test that matches %s", k.Package, k.Run)}
}

// excerpt is the end of a text, for a table.
func excerpt(text string) string {
	const most = 600
	if text = strings.TrimSpace(text); len(text) > most {
		return "…" + text[len(text)-most:]
	}
	return text
}

// unbroken runs all tests that are to notice something on the tree as it is: they have to pass, and to exist.
func (l *lab) unbroken(ctx context.Context, list []mutant) error {
	patterns := make(map[string][]string)
	for _, m := range list {
		for _, k := range m.Kill {
			if !slices.Contains(patterns[k.Package], k.Run) {
				patterns[k.Package] = append(patterns[k.Package], k.Run)
			}
		}
	}
	for pkg, runs := range patterns {
		dir := filepath.Join(l.dir, "unbroken")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		patient := *l
		patient.timeout *= time.Duration(len(runs))
		r := patient.test(ctx, kill{Package: pkg, Run: strings.Join(runs, "|")}, dir, nil)
		if r.outcome != survived && r.outcome != skipped {
			return fmt.Errorf("tests of %s do not pass without any mutant: %s %s", pkg, r.by, r.detail)
		}
	}
	return nil
}

// tryAll tries mutants, several at once, and tells of each that is done.
func (l *lab) tryAll(ctx context.Context, list []mutant, workers int, done func(v verdict)) []verdict {
	all := make([]verdict, len(list))
	next, mu := make(chan int), sync.Mutex{}
	var wg sync.WaitGroup
	for range max(workers, 1) {
		wg.Go(func() {
			for i := range next {
				all[i] = l.try(ctx, list[i], i)
				if all[i].Outcome == "" {
					continue
				}
				mu.Lock()
				done(all[i])
				mu.Unlock()
			}
		})
	}
	for i := range list {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	return slices.DeleteFunc(all, func(v verdict) bool { return v.Outcome == "" })
}
