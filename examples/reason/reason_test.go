package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/fermatatest"
	"github.com/fermata-go/fermata/internal/programs"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

// sitting is one start of the program: what is typed, and its exit code.
type sitting struct {
	args  string
	typed string
	code  int
}

// sittings are what people do, by the golden that pins what they see.
func sittings() map[string][]sitting {
	return map[string][]sitting{
		"typed": {{args: "typed --id run_1", code: exitDone}},
		"ask":   {{args: "ask --id run_1", typed: "1\n", code: exitDone}},
		"form":  {{args: "form --id run_1", code: exitDone}},
		"two":   {{args: "two --id run_1", typed: "The canteen.\n", code: exitDone}},

		"approve":          {{args: "approve --id run_1", typed: "yes\n", code: exitDone}},
		"approve an edit":  {{args: "approve --id run_1", typed: "{\"order\":\"A-17\"}\n{\"order\":\"A-17\",\"amount\":20}\n", code: exitDone}},
		"approve a denial": {{args: "approve --id run_1 --answer maybe", typed: "no, look at the lamp first\n", code: exitDone}},

		"ask for later": {
			{args: "ask --id run_1", code: exitPaused}, // Ctrl-D
			{args: "resume", typed: "San Sebastián\n", code: exitDone},
			{args: "resume --id run_1", code: exitDone}, // it is shown again, and nothing happens again
		},
		"form resumed": {
			{args: "form --id run_1", code: exitDone},
			{args: "resume --id run_1", code: exitDone},
		},
		"wrong use": {
			{args: "", code: exitUsage},
			{args: "aks", code: exitUsage},
			{args: "resume", code: exitFailed},
			{args: "resume --id run_9", code: exitFailed},
			{args: "typed --model openai:gpt-5", code: exitFailed}, // without a key
			{args: "typed --model gpt-5", code: exitFailed},
		},
	}
}

// keyless is an environment that has no model.
func keyless(t *testing.T) {
	t.Helper()
	for _, name := range []string{"FERMATA_MODEL", "OPENAI_API_KEY", "OPENAI_API_KEY_FILE", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY_FILE"} {
		t.Setenv(name, "")
	}
}

// play starts the program again and again on one store, and returns what it shows.
func play(t *testing.T, flags string, all ...sitting) string {
	t.Helper()
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	for _, s := range all {
		p := program{in: strings.NewReader(s.typed), out: &out, echo: true}
		if s.args == "form --id run_1" {
			p.out, p.around = seen(&out, "· patch")
		}
		out.WriteString("$ reason " + s.args + "\n")
		if code := p.run(t.Context(), strings.Fields(s.args+" "+flags)); code != s.code {
			t.Errorf("reason %s: exit code %d, want %d\n%s", s.args, code, s.code, out.String())
		}
	}
	return regexp.MustCompile(`int_[0-9a-f-]+`).ReplaceAllString(out.String(), "int_1")
}

// seen holds a model before the end of what it says, until something of it was shown: else a reader that is slow finds
// the end in the store, and skips what came before it.
func seen(out io.Writer, sign string) (io.Writer, func(model.Model) model.Model) {
	shown := make(chan struct{})
	watch := &watcher{Writer: out, sign: []byte(sign), shown: sync.OnceFunc(func() { close(shown) })}
	return watch, func(m model.Model) model.Model {
		return model.Func(func(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
			return func(yield func(model.Chunk, error) bool) {
				for chunk, err := range m.Generate(ctx, req) {
					if chunk.Finish != "" {
						select {
						case <-shown:
						case <-ctx.Done():
						}
					}
					if !yield(chunk, err) {
						return
					}
				}
			}
		})
	}
}

// watcher is a writer that tells when it is given a sign.
type watcher struct {
	io.Writer
	sign  []byte
	shown func()
}

func (w *watcher) Write(p []byte) (int, error) {
	if bytes.Contains(p, w.sign) {
		w.shown()
	}
	return w.Writer.Write(p)
}

// TestTranscripts pins what people see.
func TestTranscripts(t *testing.T) {
	keyless(t)
	here, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for name, all := range sittings() {
		t.Run(name, func(t *testing.T) {
			golden(t, filepath.Join(here, strings.ReplaceAll(name, " ", "-")+".golden"), play(t, "", all...))
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

// TestAFormIsDrawnOverItself looks at what a terminal shows: each drawing goes up by the lines of the one before.
func TestAFormIsDrawnOverItself(t *testing.T) {
	keyless(t)
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	p := program{in: strings.NewReader(""), live: true}
	p.out, p.around = seen(&out, "╭")
	if code := p.run(t.Context(), []string{"form"}); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, out.String())
	}
	var shown []string // what is on the screen
	drawings := 0
	up := regexp.MustCompile(`^\x1b\[(\d+)A\x1b\[J`)
	narrow := out.String() // lines are cut off while the form is drawn, and only then
	if off, on := strings.Count(narrow, "\x1b[?7l"), strings.Count(narrow, "\x1b[?7h"); off != on || off < 10 {
		t.Errorf("wrapping was turned off %d times, and on %d times", off, on)
	}
	for line := range strings.Lines(strings.NewReplacer("\x1b[?7l", "", "\x1b[?7h", "").Replace(narrow)) {
		if m := up.FindStringSubmatch(line); m != nil {
			var n int
			if _, err := fmt.Sscan(m[1], &n); err != nil || n > len(shown) {
				t.Fatalf("it goes up by %s lines, and there are %d", m[1], len(shown))
			}
			shown, line = shown[:len(shown)-n], line[len(m[0]):]
			drawings++
		}
		shown = append(shown, line)
	}
	want := `  ╭
  │ title     Checkout was slow
  │ severity  high
  │ affected  checkout
  │           payments
  │ timeline  14:02  Checkout takes ten seconds.
  │           14:09  Payments time out.
  │           14:20  The old index is put back.
  │           14:26  All is well.
  │ lesson    Try a new index on a copy of the data.
  ╰ final

  Checkout was slow: Try a new index on a copy of the data.

  completed; calls of the model: 1
`
	if diff := cmp.Diff(want, strings.Join(shown[2:], "")); diff != "" {
		t.Errorf("in the end (-want +got):\n%s", diff)
	}
	if drawings < 10 {
		t.Errorf("it was drawn over %d times; expected once for each patch", drawings)
	}
}

// TestAFormThatWasNotTheAnswer has the model mend its report: what was drawn of the first one does not stay unmarked.
func TestAFormThatWasNotTheAnswer(t *testing.T) {
	keyless(t)
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	p := program{in: strings.NewReader(""), out: &out, around: func(model.Model) model.Model {
		return scripted.Texts(`{"title":"Slow","severity":17}`,
			`{"title":"Slow","severity":"low","affected":[],"timeline":[],"lesson":"None."}`)
	}}
	if code := p.run(t.Context(), []string{"form"}); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, out.String())
	}
	if n := strings.Count(out.String(), "that was not the answer yet"); n != 1 {
		t.Errorf("found %d times that it was not the answer, expected once:\n%s", n, out.String())
	}
}

// TestEventsAsJSON reads what --json writes.
func TestEventsAsJSON(t *testing.T) {
	keyless(t)
	shown := play(t, "--json", sitting{args: "ask --id run_1", code: exitPaused}, sitting{args: "resume --answer 1", code: exitDone})
	var results []string
	events := 0
	for line := range strings.Lines(shown) {
		var said struct {
			Type, Status string
			Interrupts   []json.RawMessage
			Output       Weekend
		}
		if strings.HasPrefix(line, "$") {
			continue
		}
		if err := json.Unmarshal([]byte(line), &said); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if events++; said.Type == "result" {
			results = append(results, fmt.Sprintf("%s %d %s", said.Status, len(said.Interrupts), said.Output.Plan.City))
		}
	}
	if diff := cmp.Diff([]string{"paused 1 ", "completed 0 Porto"}, results); diff != "" || events < 10 {
		t.Errorf("%d lines; results (-want +got):\n%s", events, diff)
	}
}

// ledger counts what is done in the world.
type ledger struct {
	mu    sync.Mutex
	count map[string]int
}

func (l *ledger) add(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count[what]++
}

func (l *ledger) look() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.count)
}

// counted is a model whose answers are counted, by what they answer.
func (l *ledger) counted(m model.Model) model.Model {
	return model.Func(func(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
		l.add(fmt.Sprintf("model: %.16s, after %d messages", req.System, len(req.Messages)))
		return m.Generate(ctx, req)
	})
}

func (l *ledger) Order(id string) (Order, error) {
	l.add("look up")
	return counter{}.Order(id)
}

func (l *ledger) Refund(r Refund, key string) (string, error) {
	l.add("refund")
	return counter{}.Refund(r, key)
}

// answers are what people say in the tests of crashes.
func answers(q fermata.Interrupt) any {
	if q.Kind == node.KindApproval {
		return node.Verdict{Action: node.Edit, Arguments: json.RawMessage(`{"order":"A-17","amount":20}`)}
	}
	return reading(&q, "1")
}

// TestJ5_ACrashAnywhere stops the engine before and after everything that each part stores. No call of the model or of
// a tool that was recorded is made again.
func TestJ5_ACrashAnywhere(t *testing.T) {
	for _, p := range parts() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			book := &ledger{count: make(map[string]int)}
			report := fermatatest.Crash(
				t, p.plan, func() any { return p.begin("") }, fermatatest.AnswerFunc(answers), fermatatest.Effects(book.look),
				fermatatest.WithOptions(fermata.Options{Services: []any{model.Set{model.Default: book.counted(p.script.model())}, Shop(book)}}),
			)
			if report.Result.Status != fermata.Completed || report.Crashes < 2*len(report.Appends) {
				t.Errorf("%s, %v; %d crashes at %d appends", report.Result.Status, report.Result.Err, report.Crashes, len(report.Appends))
			}
		})
	}
}

// TestKill kills the program while it asks; started again, it goes on, and the model is not asked again.
func TestKill(t *testing.T) {
	keyless(t)
	built := t.TempDir()
	if err := programs.Build(t.Context(), built, "."); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(built, "reason")
	dir := t.TempDir()
	start := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = dir
		return cmd
	}
	first := start("approve")
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
	asked := false
	for lines := bufio.NewScanner(shown); !asked && lines.Scan(); {
		asked = strings.Contains(lines.Text(), "Pay this back?")
	}
	if !asked {
		t.Fatal("it did not ask")
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := first.Wait(); err == nil {
		t.Fatal("it was killed and ended well")
	}
	out, err := start("resume", "--answer", "yes").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := []int{strings.Count(string(out), "← look_up"), strings.Count(string(out), "paid back 40"), strings.Count(string(out), "calls of the model: 2")}
	if diff := cmp.Diff([]int{1, 1, 1}, got); diff != "" {
		t.Errorf("look-ups, refunds, two calls in all (-want +got):\n%s\n%s", diff, out)
	}
}

// TestServe reads the events of a run over HTTP, and answers it there.
func TestServe(t *testing.T) {
	keyless(t)
	t.Chdir(t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	read, write := io.Pipe()
	code := make(chan int, 1)
	go func() {
		p := program{out: write, in: strings.NewReader("")}
		code <- p.run(ctx, []string{"two", "--serve", "127.0.0.1:0", "--id", "run_1"})
		_ = write.Close()
	}()
	curl := regexp.MustCompile(`curl (\S+) -d '(.+)'$`)
	var shown strings.Builder
	for lines := bufio.NewScanner(read); lines.Scan(); {
		shown.WriteString(lines.Text() + "\n")
		if m := curl.FindStringSubmatch(lines.Text()); m != nil {
			res, err := http.Post(m[1], "application/json", strings.NewReader(m[2]))
			if err != nil {
				t.Fatal(err)
			}
			if _ = res.Body.Close(); res.StatusCode != http.StatusOK {
				t.Fatalf("POST %s: %s", m[1], res.Status)
			}
		}
		if strings.Contains(lines.Text(), "Ctrl-C ends") {
			at, _, _ := strings.Cut(strings.Split(shown.String(), "curl -N ")[1], "\n")
			res, err := http.Get(at)
			if err != nil {
				t.Fatal(err)
			}
			events, err := io.ReadAll(res.Body)
			if _ = res.Body.Close(); err != nil || !bytes.Contains(events, []byte("event: end")) || !bytes.Contains(events, []byte(`"type":"interrupt"`)) {
				t.Errorf("%v\n%s", err, events)
			}
			stop()
		}
	}
	if got := <-code; got != exitDone {
		t.Errorf("exit code %d\n%s", got, shown.String())
	}
	stop()
}
