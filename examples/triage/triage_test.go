package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/internal/programs"
	"github.com/fermata-go/fermata/node"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

// sitting is one start of the program: what is typed, and its exit code.
type sitting struct {
	args  []string
	typed string
	code  int
}

// play starts the program again and again on one store and returns what it shows, with the outbox at the end.
func play(t *testing.T, sittings ...sitting) string {
	t.Helper()
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	for _, s := range sittings {
		p := program{in: strings.NewReader(s.typed), out: &out, echo: true}
		args := append([]string{"-as", "kay"}, s.args...)
		out.WriteString("$ triage " + strings.Join(s.args, " ") + "\n")
		if code := p.run(t.Context(), args); code != s.code {
			t.Errorf("triage %s: exit code %d, want %d\n%s", strings.Join(s.args, " "), code, s.code, out.String())
		}
	}
	sent, err := os.ReadFile("outbox.txt")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return out.String() + "\noutbox.txt\n" + string(sent)
}

// TestTranscripts pins what people see.
func TestTranscripts(t *testing.T) {
	here, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for name, sittings := range map[string][]sitting{
		"a question is answered at once": {
			{args: []string{"-id", "run_1", "-customer", "bo", "-away", "0"}, typed: "How do I begin?\n", code: exitDone},
		},
		"a reply is changed, left for later, and sent": {
			{args: []string{"-id", "run_1", "-text", "I was charged twice!"}, typed: "We are sorry.\n", code: exitPaused},
			{args: []string{"-answer", "send"}, code: exitDone},
		},
		"the directory stays away": {
			{args: []string{"-id", "run_1", "-away", "9", "-text", "It is broken", "-answer", ""}, code: exitDone},
		},
		"spam": {
			{args: []string{"-id", "run_1", "-text", "You won the lottery!"}, code: exitDone},
			{args: []string{"-id", "run_1"}, code: exitDone}, // it is shown again, and nothing happens again
		},
		"two tickets": {
			{args: []string{"-id", "run_1", "-text", "refund me", "-away", "0"}, code: exitPaused},
			{args: []string{"-new", "-id", "run_2", "-text", "refund me too", "-away", "0"}, typed: "send\n", code: exitDone},
			{args: []string{"-role", "manager"}, code: exitPaused},
		},
		"wrong use": {
			{args: []string{"-text", ""}, code: exitFailed},
			{args: []string{"something"}, code: exitUsage},
		},
	} {
		t.Run(name, func(t *testing.T) {
			golden(t, filepath.Join(here, strings.ReplaceAll(strings.ReplaceAll(name, ",", ""), " ", "-")+".golden"), play(t, sittings...))
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// hesitation is somebody who types only after time has passed.
type hesitation struct {
	clock *fermatatest.Clock
	after time.Duration
	once  sync.Once
	io.Reader
}

func (h *hesitation) Read(p []byte) (int, error) {
	h.once.Do(func() { h.clock.Advance(h.after) })
	return h.Reader.Read(p)
}

// TestH4_Deadlines lets a lead come too late, then a manager; the ticket is closed.
func TestH4_Deadlines(t *testing.T) {
	t.Chdir(t.TempDir())
	clock := &fermatatest.Clock{}
	start := func(in io.Reader, want int, args ...string) string {
		var out bytes.Buffer
		p := program{in: in, out: &out, clock: clock}
		if code := p.run(t.Context(), append([]string{"-away", "0"}, args...)); code != want {
			t.Errorf("exit code %d, want %d", code, want)
		}
		return out.String()
	}
	late := &hesitation{clock: clock, after: 4 * time.Hour, Reader: strings.NewReader("send\n")}
	shown := start(late, exitPaused, "-id", "run_1", "-text", "refund!")
	for _, want := range []string{"Too late", "nobody decided in time: waits for a manager", "This is for a manager"} {
		if !strings.Contains(shown, want) {
			t.Errorf("expected %q in\n%s", want, shown)
		}
	}
	clock.Advance(4 * time.Hour)
	shown = start(strings.NewReader(""), exitDone, "-role", manager)
	if !strings.Contains(shown, "closed: nobody decided in time") {
		t.Errorf("after both deadlines:\n%s", shown)
	}
	if _, err := os.Stat("outbox.txt"); !os.IsNotExist(err) {
		t.Errorf("a reply went out: %v", err)
	}
}

// ledger is a directory and an outbox that count.
type ledger struct {
	mu    sync.Mutex
	count map[string]int
}

func (l *ledger) add(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count[name]++
}

func (l *ledger) look() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.count)
}

// Find fails in the first attempt: by the attempt and not by the call, so that a crash changes nothing.
func (l *ledger) Find(ctx context.Context, _ string) (Account, error) {
	l.add("find")
	if c, ok := node.FromContext(ctx); !ok || c.Info().Attempt == 1 {
		return Account{}, errAway
	}
	return Account{Name: "Ann", Plan: "Pro", Since: 2021}, nil
}

func (l *ledger) Send(context.Context, string, string, string) (string, error) {
	l.add("mail")
	return "sent", nil
}

// TestJ5_ACrashAnywhere stops the engine before and after everything that it stores. The directory's answer is
// recorded, and no mail is ever sent twice: where nobody knows whether it went out, a person is asked.
func TestJ5_ACrashAnywhere(t *testing.T) {
	flow, err := newTriage(time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	book := &ledger{count: make(map[string]int)}
	settled := false
	report := fermatatest.Crash(
		t, flow.Plan(), func() any { return &Ticket{Customer: "ann", Text: "I was charged twice!"} },
		fermatatest.AnswerFunc(func(q fermata.Interrupt) any {
			switch q.Task {
			case "review#1":
				return Decision{Change: "Sorry."}
			case "review#2":
				return Decision{Send: true}
			}
			settled = true
			return Sent{Arrived: true}
		}),
		fermatatest.Effects(book.look), fermatatest.OnlyOnce("mail"),
		fermatatest.WithOptions(fermata.Options{Services: []any{book}}),
	)
	if report.Result.Status != fermata.Completed {
		t.Errorf("without a crash: %s, %v", report.Result.Status, report.Result.Err)
	}
	if !settled {
		t.Error("no crash came between the intent to send and its outcome: nobody was asked")
	}
	t.Logf("%d appends, %d crashes", len(report.Appends), report.Crashes)
}

// TestDrawing pins the graph.
func TestDrawing(t *testing.T) {
	flow, err := newTriage(time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("testdata", "drawing.golden"), flow.Plan().Text()+"\n"+flow.Plan().Mermaid())
}

// TestKill kills the program while somebody decides; started again, it goes on where it was.
func TestKill(t *testing.T) {
	built := t.TempDir()
	if err := programs.Build(t.Context(), built, "."); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(built, "triage")
	dir := t.TempDir()
	start := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = dir
		return cmd
	}
	first := start("-text", "I was charged twice!", "-answer", "We are sorry.")
	typed, err := first.StdinPipe() // nothing is ever typed
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = typed.Close() }()
	shown, err := first.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	asked := 0
	for lines := bufio.NewScanner(shown); asked < 2 && lines.Scan(); {
		asked += strings.Count(lines.Text(), "Send this reply?")
	}
	if asked != 2 {
		t.Fatal("it did not ask a second time")
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := first.Wait(); err == nil {
		t.Fatal("it was killed and ended well")
	}
	out, err := start("-answer", "send").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sent, err := os.ReadFile(filepath.Join(dir, "outbox.txt"))
	if err != nil || strings.Count(string(sent), "We are sorry.") != 1 {
		t.Errorf("expected one reply that was changed, got %q, %v", sent, err)
	}
}
