package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/cmd/fermata/internal/term"
	"github.com/fermata-go/fermata/schema"
)

// command makes a Main of a test's own, with a store in a temporary folder.
func command(t *testing.T) (m *Main, stdout, stderr *bytes.Buffer) {
	t.Helper()
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	variables := map[string]string{"XDG_STATE_HOME": t.TempDir(), "USER": "tester"}
	return &Main{
		Name: "fermata", Stdin: strings.NewReader(""), Stdout: stdout, Stderr: stderr,
		Getenv:  func(name string) string { return variables[name] },
		Environ: func() []string { return nil },
		Exit:    func(code int) { t.Errorf("Exit(%d) was called", code) },
	}, stdout, stderr
}

func TestParseDSN(t *testing.T) {
	tests := []struct {
		text string
		want dsn
		err  string
	}{
		{"memory:", dsn{kind: "memory", from: "--store"}, ""},
		{"runs.db", dsn{kind: "sqlite", at: "runs.db", from: "--store"}, ""},
		{"/tmp/a:b.db", dsn{kind: "sqlite", at: "/tmp/a:b.db", from: "--store"}, ""},
		{`C:\runs.db`, dsn{kind: "sqlite", at: `C:\runs.db`, from: "--store"}, ""},
		{"sqlite:x/y.db", dsn{kind: "sqlite", at: "x/y.db", from: "--store"}, ""},
		{"sqlite:///tmp/y.db", dsn{kind: "sqlite", at: "/tmp/y.db", from: "--store"}, ""},
		{"sqlite:", dsn{}, "expected sqlite:PATH, found no path"},
		{"host=h dbname=runs password=sesam", dsn{kind: "postgres", at: "host=h dbname=runs password=sesam", from: "--store"}, ""},
		{"postgres//u:sesam@host/db", dsn{}, "found what looks like the address of a server"},
		{"//u:sesam@host/db", dsn{}, "found what looks like the address of a server"},
		{"u:sesam@host/db", dsn{}, "found what looks like the address of a server"},
		{"./a@b.db", dsn{kind: "sqlite", at: "./a@b.db", from: "--store"}, ""},
		{"memory:x", dsn{}, "takes nothing after the colon"},
		{"postgres://user:secret@host/db", dsn{kind: "postgres", at: "postgres://user:secret@host/db", from: "--store"}, ""},
		{"postgresql://host/db", dsn{kind: "postgres", at: "postgresql://host/db", from: "--store"}, ""},
		{"postgres:", dsn{kind: "postgres", from: "--store"}, ""},
		{"rediss://host", dsn{kind: "redis", at: "rediss://host", from: "--store"}, ""},
		{"unix:///run/redis", dsn{kind: "redis", at: "unix:///run/redis", from: "--store"}, ""},
		{"redis:user:secret@host", dsn{}, "expected redis://HOST:6379/0, found no // after the kind"},
		{"mysql:x", dsn{}, "unknown kind of store \"mysql\""},
	}
	for _, tt := range tests {
		got, err := parseDSN(tt.text, "--store")
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "secret") {
				t.Errorf("parseDSN(%q): %v, want %q", tt.text, err, tt.err)
			}
			continue
		}
		if err != nil || got != tt.want {
			t.Errorf("parseDSN(%q) = %+v, %v; want %+v", tt.text, got, err, tt.want)
		}
	}
}

func FuzzParseDSN(f *testing.F) {
	for _, seed := range []string{"memory:", "sqlite://x", "postgres://u:sesam@h/d", "redis://:sesam@h?password=sesam", `C:\x`, ":", "a:b:c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := parseDSN(text, "--store")
		if err != nil && strings.Contains(text, ":sesam@") && strings.Contains(err.Error(), ":sesam@") {
			t.Errorf("parseDSN(%q) shows a password: %v", text, err)
		}
		if err == nil && d.isFile() && d.at == "" && text != "" {
			t.Errorf("parseDSN(%q) is a file without a path", text)
		}
		if err == nil && d.isServer() && strings.Contains(d.String(), ":sesam@") {
			t.Errorf("parseDSN(%q) shows a password: %s", text, d)
		}
	})
}

func TestDSN_String(t *testing.T) {
	for _, tt := range []struct{ kind, address, want string }{
		{"postgres", "postgres://ann:sesam@host:5433/runs?sslmode=require", "postgres://ann@host:5433/runs?sslmode=require"},
		{"postgres", "postgres://host/runs?user=ann&password=sesam&sslpassword=sesam", "postgres://host/runs?user=ann"},
		{"postgres", "postgres://host/runs", "postgres://host/runs"},
		{"postgres", "postgres://ann:se%sam@host/runs", "postgres://…"},
		{"redis", "redis://:sesam@host:6379/1?accept=everysec", "redis://host:6379/1?accept=everysec"},
		{"redis", "rediss://ann:sesam@host", "rediss://ann@host"},
		{"redis", "redis:ann:sesam@host", "redis://…"},
		{"redis", "redis://host:6379/1?pasword=sesam", "redis://host:6379/1"},
		{"postgres", "host=host password=sesam", "postgres://…"},
		{"sqlite", "my runs.db", "my runs.db"},
		{"memory", "", "memory:"},
	} {
		if got := (dsn{kind: tt.kind, at: tt.address}).String(); got != tt.want {
			t.Errorf("%s is shown as %s, want %s", tt.address, got, tt.want)
		}
	}
}

// The kind comes from the recipe, the address from the command line and the environment.
func TestStoreFor(t *testing.T) {
	const pg, other, rd = "postgres://ann:sesam@one/runs", "postgres://two/runs", "redis://:sesam@three"
	for _, tt := range []struct {
		name  string
		kind  string
		flag  string
		env   map[string]string
		want  string // the address, and what --store is in commands that are shown
		fails string
	}{
		{name: "ephemeral takes the default", kind: "ephemeral", want: "/state/fermata/fermata.db, "},
		{name: "ephemeral takes the flag", kind: "ephemeral", flag: rd, env: map[string]string{"FERMATA_STORE": pg}, want: rd + ", redis://three"},
		{name: "ephemeral takes the variable", kind: "ephemeral", env: map[string]string{"FERMATA_STORE": pg}, want: pg + ", "},
		{name: "sqlite takes the default", kind: "sqlite", want: "/state/fermata/fermata.db, "},
		{name: "sqlite beside a server", kind: "sqlite", env: map[string]string{"FERMATA_STORE": pg}, want: "/state/fermata/fermata.db, /state/fermata/fermata.db"},
		{name: "the flag wins", kind: "postgres", flag: pg, env: map[string]string{"FERMATA_STORE": other}, want: pg + ", postgres://ann@one/runs"},
		{name: "the variable", kind: "postgres", env: map[string]string{"FERMATA_STORE": pg, "FERMATA_POSTGRES": other}, want: pg + ", "},
		{
			name: "the kind's variable", kind: "postgres",
			env: map[string]string{"FERMATA_STORE": "runs.db", "FERMATA_POSTGRES": pg}, want: pg + ", postgres:",
		},
		{name: "the kind by name", kind: "ephemeral", flag: "redis:", env: map[string]string{"FERMATA_REDIS": rd}, want: rd + ", redis:"},
		{name: "the kind by name, asked for", kind: "redis", flag: "redis:", env: map[string]string{"FERMATA_REDIS": rd}, want: rd + ", redis:"},
		{name: "a kind without an address", kind: "redis", flag: "redis:", fails: `--store "redis:": expected the address of a server, redis://HOST:6379/0, here or in FERMATA_REDIS`},
		{
			name: "a variable of another kind", kind: "redis", env: map[string]string{"FERMATA_REDIS": pg},
			fails: "FERMATA_REDIS: expected redis://HOST:6379/0, found a store of kind postgres",
		},
		{
			name: "another kind", kind: "postgres", flag: rd, env: map[string]string{"FERMATA_POSTGRES": pg},
			fails: "--store redis://three is a store of kind redis, and refund.yaml asks for postgres (state.persistence): leave --store away, " +
				"give one of kind postgres, or let the recipe say ephemeral, which takes any store",
		},
		{
			name: "not configured", kind: "redis", env: map[string]string{"FERMATA_STORE": pg},
			fails: "refund.yaml asks for redis (state.persistence), and no such store is configured: expected --store redis://HOST:6379/0, or that " +
				"address in FERMATA_REDIS or FERMATA_STORE; found postgres://ann@one/runs (FERMATA_STORE). A recipe that says ephemeral takes any store",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &Main{global: globalFlags{store: tt.flag}, Getenv: func(name string) string {
				if name == "XDG_STATE_HOME" {
					return "/state"
				}
				return tt.env[name]
			}}
			d, err := m.storeFor(tt.kind, "refund.yaml")
			got, fails := d.at+", "+m.shown, ""
			if err != nil {
				got, fails = "", err.Error()
			}
			if got != tt.want || fails != tt.fails {
				t.Errorf("found    %q %s\nexpected %q %s", got, fails, tt.want, tt.fails)
			}
		})
	}
}

func TestShellQuote(t *testing.T) {
	for in, want := range map[string]string{
		"": "''", "int_01-2": "int_01-2", `"yes"`: `'"yes"'`, "it's": `'it'\''s'`, "a b": "'a b'", "$HOME": "'$HOME'", "sqlite:x.db": "sqlite:x.db",
	} {
		if got := shellQuote(in); got != want {
			t.Errorf("shellQuote(%q) = %s, want %s", in, got, want)
		}
	}
}

// What is shown to be copied can be called as this command was.
func TestProgram(t *testing.T) {
	for name, want := range map[string]string{
		"fermata":                           "fermata",
		"/usr/local/bin/fermata":            "fermata",
		"./bin/fermata":                     "./bin/fermata",
		"/tmp/go-build1/b001/exe/fermata":   "go run github.com/fermata-go/fermata/cmd/fermata",
		"/x/.cache/go-build/ab/abc/fermata": "go run github.com/fermata-go/fermata/cmd/fermata",
	} {
		m := &Main{Name: name}
		if got := m.program(); got != want {
			t.Errorf("called as %s: %s, want %s", name, got, want)
		}
	}
	m := &Main{Name: "fermata", shownHints: shownHints{shown: "my runs.db"}}
	if got, want := m.command("tasks", "answer", "int_1", "--value", `"yes"`), `fermata tasks answer int_1 --value '"yes"' --store 'my runs.db'`; got != want {
		t.Errorf("command: %s, want %s", got, want)
	}
}

func TestProgramInTheSourceTree(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	m := &Main{Name: "/tmp/go-build1/b001/exe/fermata"}
	if got := m.program(); got != "go run ./cmd/fermata" {
		t.Errorf("in the source tree: %s", got)
	}
}

func TestShortID(t *testing.T) {
	const a, b, c = "run_01939f2e-7abc-7def-8123-456789abcdef", "run_01939f2e-7abc-7def-8123-456789abcdff", "run_01939f2e-7abc-7abc-8123-456789abcdff"
	tests := []struct {
		id    string
		among []string
		want  string
	}{
		{a, nil, "run_01939f2e-7abc"},
		{a, []string{a, "run_01939f2e-7abd-7def-8123-456789abcdef"}, "run_01939f2e-7abc"},
		{a, []string{a, c}, "run_01939f2e-7abc-7d"},
		{a, []string{a, b}, "run_01939f2e-7abc-7def-8123-456789abcde"},
		{"mine", []string{"mine2"}, "mine"},
		{"run_short", nil, "run_short"},
	}
	for _, tt := range tests {
		got := shortID(tt.id, tt.among)
		if got != tt.want {
			t.Errorf("shortID(%s, %v) = %s, want %s", tt.id, tt.among, got, tt.want)
		}
		if found := byPrefix(got, "run_", append(tt.among, tt.id)[:max(len(tt.among), 1)]); len(tt.among) > 0 && tt.id != "mine" && len(found) != 1 {
			t.Errorf("%s finds %d ids", got, len(found))
		}
	}
}

func TestDecodeInput(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"a": 12345678901234567890, "b": [1.50]}`, `{"a":12345678901234567890,"b":[1.50]}`},
		{"a: 1\nb: {c: [x, true]}\n", `{"a":1,"b":{"c":["x",true]}}`},
		{"", `{}`},
		{"# nothing yet\n", `{}`},
		{"{1: 2}", `{"1":2}`},
		{"day: 2001-01-01\nn: 0x1F\nm: 1_000", `{"day":"2001-01-01","m":1000,"n":31}`},
		{"[1]", "--input-file in.yaml: expected an object that names inputs, found a list"},
		{"text", `found the text "text"`},
		{"3", "found the number 3"},
		{"{", "in.yaml:1:1: not YAML: "},
		{"a: 1\n b: 2", "in.yaml:2:3: not YAML: "},
		{"a: 1\na: 2", `in.yaml:2:1: the key "a" stands here twice; first in line 1`},
		{"a: .nan", "in.yaml:1:4: the number .nan has no form in JSON"},
		{
			"code: 012\nsize: [1, 0o12, 012]",
			"in.yaml:1:7: ambiguous leading zero in 012: write 12 or 0o12 (octal), or put it in quotes for a text\n" +
				"in.yaml:2:7: ambiguous leading zero in 012: write 12 or 0o12 (octal), or put it in quotes for a text",
		},
	}
	for _, tt := range tests {
		got, err := decodeInput("in.yaml", []byte(tt.in))
		text := ""
		if err != nil {
			text = err.Error()
		} else if data, err := json.Marshal(got); err == nil {
			text = string(data)
		}
		if !strings.Contains(text, tt.want) {
			t.Errorf("decodeInput(%q) = %s, want %s", tt.in, text, tt.want)
		}
	}
}

func FuzzDecodeInput(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, "a: 1\nb: [x]", "a: 2001-01-01", "{1: 2}", "a: .nan", "a: &x [*x]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		input, err := decodeInput("in.yaml", data)
		if err != nil {
			return
		}
		if _, err := json.Marshal(input); err != nil {
			t.Errorf("%q gives what is no JSON: %v", data, err)
		}
	})
}

// The first signal ends the driving, the second the process, at once.
func TestF3_SignalsStopAndEnd(t *testing.T) {
	m, _, _ := command(t)
	ended := make(chan int, 1)
	m.Exit = func(code int) { ended <- code; select {} }
	m.err = term.New(m.Stderr, m.Getenv)
	d := &execution{m: m, restore: func() {}}
	ctx, _ := m.untilTold(t.Context(), func() {}, d.giveBack)
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	select {
	case code := <-ended:
		t.Fatalf("the first signal ended the process with %d", code)
	default:
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := <-ended; code != exitPaused {
		t.Errorf("the second signal ended the process with %d, want %d", code, exitPaused)
	}
}

// Every event that the command writes fits the schema that it publishes, and so does the recipe.
func TestPublishedSchemas(t *testing.T) {
	events, err := schema.Parse(eventSchema())
	if err != nil {
		t.Fatal(err)
	}
	m, stdout, stderr := command(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "all.yaml")
	if err := os.WriteFile(file, []byte(everything), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if code := m.Run(t.Context(), []string{"run", file, "--json", "--quiet", "--answer", "ask=yes"}); code != exitCompleted {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(stdout.String()) {
		var envelope struct{ Type string }
		if err := json.Unmarshal([]byte(line), &envelope); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		seen[envelope.Type] = true
		if envelope.Type == "result" {
			continue
		}
		if err := events.Check([]byte(line)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, want := range []string{
		"run.started", "run.paused", "run.resumed", "run.finished", "node.started", "node.finished", "node.retrying", "node.failed",
		"route.taken", "step.finished", "interrupt", "interrupt.resolved", "diagnostic", "result",
	} {
		if !seen[want] {
			t.Errorf("the run shows no %s", want)
		}
	}
	for _, bad := range []string{
		`{"v":2,"seq":1,"sub":0,"ts":"2026-01-01T00:00:00Z","run":"r","type":"run.paused","data":{}}`,
		`{"v":1,"seq":1,"sub":0,"ts":"2026-01-01T00:00:00Z","run":"r","type":"node.started","data":{}}`,
		`{"v":1,"seq":1,"sub":0,"ts":"2026-01-01T00:00:00Z","run":"r","type":"run.finished","data":{"status":"done"}}`,
	} {
		if events.Check([]byte(bad)) == nil {
			t.Errorf("the schema takes %s", bad)
		}
	}
}

const everything = `
policy: {max_retries: 1}
agents:
  flaky: {kind: exec, command: [sh, -c, "echo trying >&2; test -f ok || { touch ok; exit 1; }; echo '{}'"]}
  broken: {kind: exec, command: [sh, -c, "exit 1"]}
  fine: {kind: expr, set: {done: "true"}}
topology:
  entry_point: flaky
  nodes:
    - {type: agent, id: flaky, agent_ref: flaky}
    - {type: human, id: ask, prompt: "Go on?"}
    - {type: agent, id: broken, agent_ref: broken}
    - {type: agent, id: fine, agent_ref: fine}
  edges:
    - {source: flaky, target: ask}
    - {source: ask, target: broken}
    - {source: broken, target: fine, condition: on_failure}
`

// Errors of every kind have a code in the result line.
func TestResultErrors(t *testing.T) {
	got := []*resultError{
		resultErrorOf(nil), resultErrorOf(usagef("u")), resultErrorOf(invalidf("i")), resultErrorOf(errInterrupted), resultErrorOf(errors.New("x")),
	}
	want := []*resultError{
		nil, {Code: "usage", Message: "u"}, {Code: "invalid", Message: "i"}, {Code: "stopped", Message: "interrupted"}, {Code: "usage", Message: "x"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is logged is shown line by line, without the time, wherever lines go at the moment.
func TestLogLines(t *testing.T) {
	var first, second []string
	l := &logLines{show: func(lines ...string) { first = append(first, lines...) }}
	log := l.logger(false)
	log.Info("not shown")
	log.Warn("shown", "task", "a#1", "text", "\x1b[2Jx")
	l.to(func(lines ...string) { second = append(second, lines...) })
	log.With("run", "r").Error("too")
	if diff := cmp.Diff([]string{`level=WARN msg=shown task=a#1 text="\x1b[2Jx"`}, first); diff != "" {
		t.Errorf("first (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"level=ERROR msg=too run=r"}, second); diff != "" {
		t.Errorf("second (-want +got):\n%s", diff)
	}
}

// What the engine tells of runs and tasks is shown only when everything is: else the command shows it itself.
func TestLogLinesOfTheEngine(t *testing.T) {
	for verbose, want := range map[bool][]string{
		false: {"level=WARN msg=other run=r"},
		true:  {`level=WARN msg="run failed" run=r event=run.finished`, "level=WARN msg=other run=r", "level=DEBUG msg=more run=r"},
	} {
		var got []string
		l := &logLines{show: func(lines ...string) { got = append(got, lines...) }}
		log := l.logger(verbose).With("run", "r")
		log.Warn("run failed", "event", "run.finished")
		log.Warn("other")
		log.Debug("more")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("verbose %v (-want +got):\n%s", verbose, diff)
		}
	}
}
