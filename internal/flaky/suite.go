package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// binary is the compiled tests of one package.
type binary struct {
	Package string   // folder of the package, relative to where the command runs
	Dir     string   // where its tests run
	File    string   // the program
	Args    []string // of the program, as go test gives them

	took time.Duration // of its last run; 0 before the first
	cpu  time.Duration // of its last run and of the processes that it waited for
}

// suite is all compiled tests, with or without the race detector.
type suite struct {
	toJSON string // the program that makes events of a test's output
	tests  []binary

	crashes atomic.Int32 // of the race detector itself
}

// maxCrashes is how often the tests of one package are started again in one run because the race detector crashed.
const maxCrashes = 3

// collecting is the environment variable under which go test -exec starts this program: it names the folder that
// keeps the test binary, which is not run.
const collecting = "FERMATA_FLAKY_COLLECT"

// collect keeps a test binary: args are the program and its arguments, as go test -exec gives them.
func collect(dir string, args []string) error {
	if len(args) == 0 {
		return errors.New("expected a program to keep")
	}
	at, err := os.Getwd()
	if err != nil {
		return err
	}
	from, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	to, err := os.CreateTemp(dir, "*.test")
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err := errors.Join(err, to.Chmod(0o700), to.Close()); err != nil {
		return err
	}
	told := slices.Clone(args[1:])
	if i := slices.Index(told, "-test.v=true"); i >= 0 {
		told[i] = "-test.v=test2json"
	}
	data, err := json.Marshal(binary{Dir: at, File: to.Name(), Args: told})
	if err != nil {
		return err
	}
	return os.WriteFile(to.Name()+".json", data, 0o600)
}

// build compiles the tests of the packages once, so that no run compiles or links anything.
func build(ctx context.Context, o *options, race bool, dir string) (*suite, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", o.arguments(race, self)...)
	cmd.Env = append(os.Environ(), collecting+"="+dir)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("the tests do not compile: %w\n%s", err, said.Bytes())
	}
	tool, err := exec.CommandContext(ctx, "go", "tool", "-n", "test2json").Output()
	if err != nil {
		return nil, fmt.Errorf("go tool -n test2json: %w", err)
	}
	s := &suite{toJSON: strings.TrimSpace(string(tool))}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var b binary
		if err := json.Unmarshal(data, &b); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if b.Package, err = filepath.Rel(here, b.Dir); err != nil {
			return nil, err
		}
		s.tests = append(s.tests, b)
	}
	return s, nil
}

// run runs all tests once, and adds what became of them. Tests that took longest begin first.
func (s *suite) run(ctx context.Context, o *options, all *tally) error {
	slices.SortStableFunc(s.tests, func(a, b binary) int { return cmp.Compare(b.took, a.took) })
	var (
		mu     sync.Mutex // guards all and failed
		failed error
		group  sync.WaitGroup
		places = make(chan struct{}, max(o.load, 1)*runtime.NumCPU())
	)
	for i := range s.tests {
		places <- struct{}{}
		if ctx.Err() != nil {
			<-places
			break
		}
		group.Go(func() {
			defer func() { <-places }()
			b := &s.tests[i]
			events, err := s.test(ctx, o, b)
			mu.Lock()
			defer mu.Unlock()
			if ctx.Err() == nil { // what an interrupt has cut counts for nothing
				failed = errors.Join(failed, err, all.read(bytes.NewReader(events)))
				all.lasted(b)
			}
		})
	}
	group.Wait()
	return failed
}

// raceIn is the first report of the race detector in what a program said; "" for none. A race that no test is running beside ends
// the program and fails no test.
func raceIn(said []byte) string {
	_, after, found := bytes.Cut(said, []byte("WARNING: DATA RACE\n"))
	if !found {
		return ""
	}
	report, _, _ := bytes.Cut(after, []byte("==================\n"))
	return "WARNING: DATA RACE\n" + string(report)
}

// detectorCrashed reports whether the race detector ended a program because a check of its own failed. That says nothing about
// the program: the detector reports a race that it found in other words.
func detectorCrashed(said []byte) bool {
	return bytes.Contains(said, []byte("ThreadSanitizer: CHECK failed"))
}

// start runs the tests of one package and returns what they wrote. Where the race detector crashes, it starts them again.
func (s *suite) start(ctx context.Context, o *options, b *binary) (said []byte, err error) {
	for range maxCrashes + 1 {
		began := time.Now()
		cmd := command(ctx, o, b)
		said, err = cmd.CombinedOutput()
		b.took, b.cpu = time.Since(began), 0
		if state := cmd.ProcessState; state != nil { // nil where it did not start
			b.cpu = state.UserTime() + state.SystemTime()
		}
		if err == nil || !detectorCrashed(said) {
			break
		}
		s.crashes.Add(1)
	}
	return said, err
}

// command is the program of a package's tests, not yet started.
func command(ctx context.Context, o *options, b *binary) *exec.Cmd {
	cmd := exec.CommandContext(ctx, b.File, b.Args...)
	cmd.Dir = b.Dir
	cmd.Env = append(os.Environ(), "PWD="+b.Dir)
	if o.load > 1 {
		cmd.Env = append(cmd.Env, "GOMAXPROCS="+strconv.Itoa(o.load*runtime.NumCPU()))
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	return cmd
}

// test runs the tests of one package and returns the events of go test -json.
func (s *suite) test(ctx context.Context, o *options, b *binary) ([]byte, error) {
	said, status := s.start(ctx, o, b)
	convert := exec.CommandContext(ctx, s.toJSON, "-t", "-p", b.Package) // -t: without it no event says how long a test took
	convert.Stdin = bytes.NewReader(said)
	events, err := convert.Output()
	if err != nil {
		return nil, fmt.Errorf("test2json: %w", err)
	}
	if status != nil && !bytes.Contains(events, []byte(`"Action":"fail"`)) {
		line, err := json.Marshal(event{Action: "output", Package: b.Package, Output: status.Error() + "\n" + raceIn(said)})
		if err != nil {
			return nil, err
		}
		events = slices.Concat(events, line, []byte("\n"), fmt.Appendf(nil, `{"Action":"fail","Package":%q}`+"\n", b.Package))
	}
	return events, nil
}
