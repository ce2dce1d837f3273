package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The summary shows what failed at least once, how often, and what it said the first time.
func TestSummary(t *testing.T) {
	all := newTally()
	for _, run := range []string{
		`{"Action":"run","Package":"m/a","Test":"TestX"}
{"Action":"output","Package":"m/a","Test":"TestX","Output":"=== RUN   TestX\n"}
{"Action":"output","Package":"m/a","Test":"TestX","Output":"    a_test.go:7: late\n"}
{"Action":"fail","Package":"m/a","Test":"TestX","Elapsed":1.5}
{"Action":"output","Package":"m/a","Output":"FAIL\n"}
{"Action":"fail","Package":"m/a","Elapsed":1.6}
{"Action":"output","Package":"m/b","Output":"panic: test timed out after 1s\n"}
{"Action":"fail","Package":"m/b","Elapsed":9}
`,
		`{"Action":"pass","Package":"m/a","Test":"TestX/one","Elapsed":0.2}
{"Action":"pass","Package":"m/a","Test":"TestX","Elapsed":0.3}
{"Action":"pass","Package":"m/a","Elapsed":0.4}
{"Action":"pass","Package":"m/b","Test":"TestY","Elapsed":0.1}
{"Action":"pass","Package":"m/b","Elapsed":0.1}
# m/c
{"ImportPath":"m/c [m/c.test]","Action":"build-output","Output":"c_test.go:1: undefined: x\n"}
{"ImportPath":"m/c [m/c.test]","Action":"build-fail"}
`,
	} {
		if err := all.read(strings.NewReader(run)); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	all.summary(&out, 0)
	want := `
FAILED 1 of 2  m/a TestX
        a_test.go:7: late

FAILED 1 of 2  m/b
    panic: test timed out after 1s

FAILED 1 of 1  m/c [m/c.test]
    c_test.go:1: undefined: x

3 tests passed, 3 failures in 3 tests
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	out.Reset()
	all.lasted(&binary{Package: "m/b", took: time.Second, cpu: 4 * time.Second})
	all.summary(&out, 1)
	for _, line := range []string{"The slowest packages: time and CPU\n    9.00s     4.00s  m/b\n", "The slowest tests:\n    0.20s  m/a TestX/one\n"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("expected %q in %s", line, out.String())
		}
	}
}

func TestWhatIsNoEvent(t *testing.T) {
	if err := newTally().read(strings.NewReader("{nothing\n")); err == nil {
		t.Error("a broken line was taken for an event")
	}
}

// TestMain lets this program be the one that go test -exec starts.
func TestMain(m *testing.M) {
	if dir := os.Getenv(collecting); dir != "" {
		if err := collect(dir, os.Args[1:]); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// Every second run has the race detector on.
func TestArguments(t *testing.T) {
	o := options{load: 4, pattern: "TestJ5", timeout: time.Minute, packages: []string{"./node"}}
	for race, want := range map[bool]string{false: " -run=TestJ5 ./node", true: " -race -run=TestJ5 ./node"} {
		got := strings.Join(o.arguments(race, "self"), " ")
		if got != "test -count=1 -timeout=1m0s -v -exec=self"+want {
			t.Errorf("race %t: %s", race, got)
		}
	}
}

// A module with a test that fails every other time, and one that never does.
const sometimes = `package sometimes

import (
	"os"
	"testing"
	"time"
)

func TestAlways(*testing.T) { time.Sleep(20 * time.Millisecond) }

func TestSometimes(t *testing.T) {
	if os.Remove("done") != nil {
		_ = os.WriteFile("done", nil, 0o600)
		t.Fatal("not this time")
	}
}
`

// A module whose tests end as a crash of the race detector does: the first "left" times, and then no more.
const crashes = `package crashes

import (
	"os"
	"testing"
)

func TestCrashes(*testing.T) {
	left, _ := os.ReadFile("left")
	if len(left) == 0 {
		return
	}
	_ = os.WriteFile("left", left[1:], 0o600)
	println("ThreadSanitizer: CHECK failed: tsan_rtl.cpp:346")
	os.Exit(66)
}
`

// A crash of the race detector is not a failure of a test: the tests are started again, but not for ever.
func TestACrashOfTheDetectorStartsTheTestsAgain(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOTOOLCHAIN", "local")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module crashes\n\ngo 1.25\n")
	write("crashes_test.go", crashes)
	o := options{load: 1, timeout: time.Minute, packages: []string{"./..."}}
	s, err := build(t.Context(), &o, false, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		left              string
		failures, crashes int
	}{{"", 0, 0}, {"xx", 0, 2}, {"xxx", 0, 3}, {"xxxx", 1, 4}} {
		write("left", c.left)
		s.crashes.Store(0)
		all := newTally()
		if err := s.run(t.Context(), &o, all); err != nil {
			t.Fatal(err)
		}
		if all.failures != c.failures || int(s.crashes.Load()) != c.crashes {
			t.Errorf("%d crashes: %d failures and %d crashes, expected %d and %d", len(c.left), all.failures, s.crashes.Load(), c.failures, c.crashes)
		}
	}
}

// The command finds a test that fails now and then, and its exit status says so.
func TestTheCommandFindsWhatFailsNowAndThen(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module sometimes\n\ngo 1.25\n", "sometimes_test.go": sometimes} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOTOOLCHAIN", "local")
	var out strings.Builder
	err := run(t.Context(), []string{"-runs=2", "-race=false", "-slow=1"}, &out)
	if !errors.Is(err, errFailed) || !strings.Contains(out.String(), "run 1 of 2: 1 failures, ") || !strings.Contains(out.String(), "FAILED 1 of 2  . TestSometimes\n        sometimes_test.go:14: not this time\n") ||
		!strings.Contains(out.String(), "3 tests passed, 1 failures in 1 tests") {
		t.Errorf("%v:\n%s", err, out.String())
	}
	if !regexp.MustCompile(`The slowest tests:\n +0\.0[2-9]s  \. TestAlways\n`).MatchString(out.String()) {
		t.Errorf("the test that sleeps is not the slowest:\n%s", out.String())
	}
	out.Reset()
	if err := run(t.Context(), []string{"-runs=1", "-race=false", "-run=Always"}, &out); err != nil {
		t.Errorf("%v:\n%s", err, out.String())
	}
	if err := run(t.Context(), []string{"-runs=1", "-race=false", "-run=Never"}, &out); err == nil || !strings.Contains(err.Error(), "no test ran") {
		t.Errorf("no test: %v", err)
	}
	if err := run(t.Context(), []string{"-runs=1", "-race=false", "./nowhere"}, &out); err == nil {
		t.Error("a folder that does not exist passed")
	}
}

// A race that fails no test is shown by its report alone.
func TestARaceThatFailsNoTestIsShown(t *testing.T) {
	said := "ok so far\n==================\nWARNING: DATA RACE\nWrite at 0x1\n==================\nPASS\nFound 1 data race(s)\n"
	if got, want := raceIn([]byte(said)), "WARNING: DATA RACE\nWrite at 0x1\n"; got != want {
		t.Errorf("found %q, expected %q", got, want)
	}
	if got := raceIn([]byte("PASS\n")); got != "" {
		t.Errorf("found %q where there was none", got)
	}
}
