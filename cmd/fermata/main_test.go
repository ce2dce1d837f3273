package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fermata-go/fermata/internal/lawtest"
)

func TestMain(m *testing.M) {
	testscript.Main(suite{m}, map[string]func(){"fermata": main, "norm": norm})
}

// suite is the tests of this package. The programs fermata and norm are this binary, too, and run none of them.
type suite struct{ m *testing.M }

func (s suite) Run() int {
	lawtest.CollectLess()
	lawtest.KeepFilesInMemory()
	lawtest.RunBeside(8)
	return s.m.Run()
}

// The scripts are the command's specification: each says what is written where, and the exit code. With
// FERMATA_UPDATE=1 their goldens are rewritten. They may take as long as go test allows, less a tenth in which what hangs is said.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("FERMATA_UPDATE") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
			env.Setenv("USER", "tester")
			env.Setenv("TZ", "UTC")
			env.Setenv("GOGC", os.Getenv("GOGC"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits, "capture": capture, "grows": grows, "http": httpFor, "server": serverFor, "redis-server": startRedis,
			"issuer": new(issuers).command, "login": logInFor, "ready": readyFor,
		},
		Condition: serverCondition,
	})
}

// exits N COMMAND … runs a command and checks its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND …")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var failed *exec.ExitError
		if !errors.As(err, &failed) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		code = failed.ExitCode()
	}
	if code != want {
		ts.Fatalf("%s: exit code %d, want %d", strings.Join(args[1:], " "), code, want)
	}
}

// capture NAME stdout|stderr REGEXP puts the first match of the last command's output into a variable.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: capture NAME stdout|stderr REGEXP")
	}
	match := regexp.MustCompile(args[2]).FindStringSubmatch(ts.ReadFile(args[1]))
	if match == nil {
		ts.Fatalf("%s has nothing that matches %s:\n%s", args[1], args[2], ts.ReadFile(args[1]))
	}
	ts.Setenv(args[0], match[len(match)-1]) // the group, if there is one
}

// grows FILE N waits until a file that others write has N lines.
func grows(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: grows FILE LINES")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	eventually(func() bool {
		data, _ := os.ReadFile(ts.MkAbs(args[0]))
		return bytes.Count(data, []byte("\n")) >= want
	}, func() { ts.Fatalf("%s does not grow to %d lines", args[0], want) })
}

// norm COMMAND … runs a command and takes out of what it writes what differs from run to run.
func norm() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, &stdout, &stderr
	err := cmd.Run()
	_, _ = os.Stdout.WriteString(normalised(stdout.String()))
	_, _ = os.Stderr.WriteString(normalised(stderr.String()))
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		os.Exit(failed.ExitCode())
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(127)
	}
}

// BenchmarkVersion is what a process costs that does nothing.
func BenchmarkVersion(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("fermata", "version").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

var changing = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\b(run|int)_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "${1}_ID"},
	{regexp.MustCompile(`\bdef_[0-9a-f]{32}\b`), "def_DIGEST"},
	{regexp.MustCompile(`"fingerprint":"[0-9a-f]{32}"`), `"fingerprint":"PLAN"`},
	{regexp.MustCompile(`until ([A-Z][a-z]{2} )?\d\d:\d\d [+-]\d\d:\d\d`), "until WHEN"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`(?m)^( *\d+  )\d\d:\d\d:\d\d\.\d{3}Z`), "${1}CLOCK"},
	{regexp.MustCompile(`"(opened|deadline|resolved|due)":\d{16}`), `"$1":MICROS`},
	{regexp.MustCompile(`,"resumeToken":"[^"]+"`), ""},
	{regexp.MustCompile(`"duration_ms":[0-9.]+`), `"duration_ms":0`},
	{regexp.MustCompile(`,"waited_ms":[0-9.e-]+`), ""},
	{regexp.MustCompile(`"trace_id":"[0-9a-f]{32}"`), `"trace_id":"TRACE"`},
	{regexp.MustCompile(`(?m)^ +\+(\d+m \d\ds|[0-9.]+m?s)`), "     +0s"},
}

// durations may be there or not: where they are, blanks take their place.
var (
	durations = regexp.MustCompile(`[ \t]+(\d+m \d\ds|[0-9.]+m?s)\b`)
	trailing  = regexp.MustCompile(`(?m)[ \t]+$`)
)

func normalised(text string) string {
	for _, c := range changing {
		text = c.what.ReplaceAllString(text, c.with)
	}
	text = durations.ReplaceAllStringFunc(text, func(d string) string { return strings.Repeat(" ", len(d)) })
	return trailing.ReplaceAllString(text, "")
}
